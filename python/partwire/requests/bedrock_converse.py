"""Bedrock Converse: the contract's messages and configuration → a request body.

The body is the JSON of the HTTP request, Base64 where it has bytes, and ``modelId``, which stands
in the URL. For AWS's Python client: :func:`~.bedrock_media.bedrock_arguments`.

- System prompt and system messages are ``system`` blocks. A system message behind others moves
  there (``encode/moved-system``).
- Messages of one side in a row become one; tool results stand first in the user's, all results of
  parallel calls in one. What is left empty is left out.
- Reasoning goes back with its signature, at its place, and not without; redacted reasoning, server
  tools with their results and whatever else the provider had stands where it stood. Text goes back
  with its citations.
- The format has no tool choice ``none``: without calls in the messages the tools are left out,
  else the choice is (``encode/unsupported-config``). It takes calls and results only beside tools:
  where no tool is given, the called ones are declared by name (``encode/stand-in-tool``).
- Images, files and media go inline or from S3 (``s3://``): the provider fetches nothing else.
- ``cacheConfig`` sets cache points behind the tools, the system prompt and the last message.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html;
requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from .bedrock_content import BedrockContent
from .blocks import BlockEncoder, Draft, Json
from .call_ids import Form
from .inputs import Request, fresh, json_text
from .notes import Notes
from .turns import Forms

__all__ = ["BedrockConverseEncoder"]

_CACHE_POINT: Final = {"cachePoint": {"type": "default"}}


class BedrockConverseEncoder(BlockEncoder):
    """Encoder of one Converse request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "bedrock-converse"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(re.compile(r"[A-Za-z0-9_.:-]+"), 64),
        tool_name=Form(re.compile(r"[A-Za-z0-9_-]+"), 64),
    )

    def __init__(self, request: Request, notes: Notes) -> None:
        super().__init__(request, notes)
        self._content = BedrockContent(notes)

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        request = self.request
        system, drafts = self._messages()
        messages = [
            {"role": draft.role, "content": [block.body for block in draft.content]}
            for draft in drafts
        ]
        body: dict[str, Any] = {"modelId": request.model_id, "messages": messages}
        if system:
            body["system"] = system
        if sampling := self._sampling():
            body["inferenceConfig"] = sampling
        if tools := self._tools(drafts):
            body["toolConfig"] = tools
        if request.cache:
            places = [body.get("system"), tools.get("tools")]
            places += [message["content"] for message in messages[-1:]]
            for place in places:
                if place:
                    place.append(fresh(_CACHE_POINT))
        return body

    # --- messages --------------------------------------------------------------------------------

    def _leave_out_dangling(self, drafts: list[Draft]) -> None:
        """Leave out server tools' calls without a result, and results without a call."""
        blocks = [block.body for d in drafts if d.role == "assistant" for block in d.blocks]
        answered = {each["toolResult"]["toolUseId"] for each in blocks if "toolResult" in each}
        called: set[str] = set()
        for draft in drafts:
            kept = []
            for block in draft.blocks:
                call, result = block.body.get("toolUse"), block.body.get("toolResult")
                is_due = True
                if call is not None and "type" in call:
                    is_due = call["toolUseId"] in answered
                    called.add(call["toolUseId"])
                elif result is not None:
                    is_due = result["toolUseId"] in called
                if is_due:
                    kept.append(block)
                else:
                    self._note_dangling(block.pointer, "toolResult" if call is None else "toolUse")
            draft.blocks = kept

    def _is_thinking(self, body: Json) -> bool:
        return "reasoningContent" in body

    # --- tools and configuration -----------------------------------------------------------------

    def _tools(self, drafts: list[Draft]) -> dict[str, Any]:
        tools: list[Json] = []
        for _, spec, schema in self.tools():
            tool: Json = {"name": spec.name, "inputSchema": {"json": schema}}
            if isinstance(spec.description, str) and spec.description:
                tool["description"] = spec.description
            if isinstance(spec.strict, bool):
                tool["strict"] = spec.strict
            tools.append({"toolSpec": tool})
        called = _called(drafts)
        names = {tool["toolSpec"]["name"] for tool in tools}
        choice = self.request.choice
        is_chosen = choice is not None and self.choice_holds(names)
        members: dict[str, Any] = {}
        if is_chosen and choice is not None:
            if choice.mode == "none":
                if not called and not self._given_tools():
                    return {}
                self.notes.unsupported_config(choice.pointer, "auto or required", "none")
            elif choice.mode == "tool":
                members["toolChoice"] = {"tool": {"name": choice.tool_name}}
            else:
                members["toolChoice"] = {"any" if choice.mode == "required" else "auto": {}}
        if not tools and not self._given_tools():
            tools = self._stand_ins(called)
        return {"tools": tools, **members} if tools or members else {}

    def _stand_ins(self, called: dict[str, str]) -> list[Json]:
        """Return a tool for every one that a call names."""
        made = []
        for name, pointer in called.items():
            made.append({"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}})
            self.notes.add(
                "encode/stand-in-tool",
                "The provider takes calls only beside tools; one without a description is sent",
                pointer,
                expected="a spec of the called tool",
                actual=name[:80],
            )
        return made

    def _given_tools(self) -> list[Any]:
        """Return the tools that an extension of the configuration brings."""
        config = self.request.extensions.get("toolConfig")
        tools = config.get("tools") if isinstance(config, dict) else None
        return tools if isinstance(tools, list) else []

    def choice_holds(self, names: set[str]) -> bool:
        """Return whether a tool choice can be sent; tools of an extension are the provider's."""
        if self._given_tools():
            return self.request.choice is not None
        return super().choice_holds(names)

    def _joined(self, ours: Any, theirs: Any, place: str) -> Any:
        if place == "/config/toolConfig/tools" and isinstance(theirs, list):
            return [*ours, *fresh(theirs)]
        if place == "/config/toolConfig/toolChoice" and ours != theirs:
            # One of three members: as objects both would be joined.
            super()._joined(json_text(ours), json_text(theirs), place)
            return ours
        return super()._joined(ours, theirs, place)

    def _sampling(self) -> dict[str, Any]:
        members = self.sampling("maxTokens", "topP", most=1)
        stops = []
        for number, stop in enumerate(self.request.stop_sequences):
            if stop:
                stops.append(stop)
            else:
                place = f"/config/stopSequences/{number}"
                self.notes.unsupported_config(place, "text", stop)
        if stops:
            members["stopSequences"] = stops
        return members


def _called(drafts: list[Draft]) -> dict[str, str]:
    """Return the names of called tools, the provider's own left out, and where each is called."""
    called: dict[str, str] = {}
    for draft in drafts:
        for block in draft.blocks:
            call = block.body.get("toolUse")
            if call is not None and "type" not in call:
                called.setdefault(call["name"], f"{block.pointer}/payload/toolName")
    return called
