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

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from partwire.json.text import json_text
from partwire.tables import provider_names

from ..request_core.block_messages import Block, BlockContent, BlockEncoder, Draft, Json
from ..request_core.call_ids import Form
from ..request_core.calls_and_results import object_arguments
from ..request_core.inputs import Request, fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.turns import Call, Forms, Result, State, Text, UserPiece, words_of
from .media import document_name, media_form

__all__ = ["BedrockContent", "BedrockConverseEncoder"]


# --- content blocks -------------------------------------------------------------------------------

_S3: Final = re.compile(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/.*)?")
_EXPECTED: Final = "an image, document, video or audio of a known format, inline or in S3"
_RESPONSE_ONLY: Final = frozenset(provider_names.BEDROCK_RESPONSE_ONLY)
# Kinds of state under which the adapter keeps whole blocks, and the member that a block has.
_MEMBER: Final = {"redactedContent": "reasoningContent"}


class BedrockContent(BlockContent):
    """Write blocks of Converse; see :class:`~.blocks.BlockContent`."""

    def __init__(self, notes: Notes) -> None:
        super().__init__(notes)
        self._names: dict[str, int] = {}  # of documents: the provider takes each name once

    # --- what users and tools say ----------------------------------------------------------------

    def text(self, piece: Text) -> Iterator[Block]:
        """Yield a text block; the provider refuses white space alone, so it is left out."""
        if piece.text.strip():
            yield Block({"text": piece.text}, piece.pointer)
        else:
            self._blank(piece.pointer)

    def user(self, pieces: list[UserPiece], *, is_result: bool = False) -> Iterator[Block]:
        """Yield the blocks of text, images, files and media."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield from self.text(piece)
                continue
            body = self._media(piece.media, is_result=is_result)
            if body is not None:
                yield Block(body, piece.pointer)
            elif (words := words_of(piece, _EXPECTED, self._notes)) is not None:
                yield from self.text(words)

    def result(self, result: Result) -> Block:
        """Return the block of a tool result."""
        content: list[Json] = []
        if isinstance(result.content, dict):
            content = [{"json": fresh(result.content)}]
        elif isinstance(result.content, list):
            content = [block.body for block in self.user(result.content, is_result=True)]
        elif result.content:
            text = Text(result.content, result.pointer)
            content = [block.body for block in self.text(text)]
        if result.is_error and not content:
            message = 'A failure without text is sent as "Error"'
            self._notes.add("encode/empty-text", message, result.pointer, expected="text")
            content = [{"text": "Error"}]
        body: Json = {"toolUseId": result.call_id, "content": content}
        if result.is_error:
            body["status"] = "error"
        return Block({"toolResult": body}, result.pointer)

    def _blank(self, pointer: str) -> None:
        message = "The provider takes no text of white space alone"
        self._notes.add("encode/empty-text", message, pointer, expected="text")

    def _media(self, media: Media, *, is_result: bool) -> Json | None:
        form = media_form(media.mime_type)
        if form is None or (is_result and form.member == "audio"):
            return None
        source: Json
        if media.data is not None:
            source = {"bytes": media.data}
        elif media.path is not None and _S3.fullmatch(media.path):
            source = {"s3Location": {"uri": media.path}}
        else:
            return None
        body: Json = {"format": form.name, "source": source}
        if form.member == "document":
            body["name"] = document_name(media.name, self._names)
        return {form.member: body}

    # --- what the assistant said -----------------------------------------------------------------

    def _cited(self, piece: Text) -> Iterator[Block]:
        citations = self._citations(piece)
        for block in self.text(piece):
            if not citations:
                yield block
                continue
            cited = {"content": [block.body], "citations": citations}
            yield Block({"citationsContent": cited}, block.pointer)

    def _thinking(self, text: str, signature: str) -> Json:
        return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}

    def _call(self, call: Call) -> Json:
        for item in call.state:
            self._notes.response_only(item.pointer, item.kind)
        arguments = object_arguments(call, self._notes)
        return {"toolUse": {"toolUseId": call.call_id, "name": call.name, "input": arguments}}

    # --- what the provider had -------------------------------------------------------------------

    def _state(self, piece: State) -> Iterator[Block]:
        kind, data, pointer, *_ = piece.item
        if kind == "signature":
            block = self._reasoning("", piece.item)
            if block is not None:
                yield Block(block, pointer)
            return
        if kind in _RESPONSE_ONLY:
            self._notes.response_only(pointer, kind)
            return
        member = _MEMBER.get(kind, "" if kind == "text" else kind)  # text is not an object
        body = data.get(member) if isinstance(data, dict) and len(data) == 1 else None
        wrong = "an object" if not isinstance(body, dict) else _wrong(kind, body)
        if wrong:
            self._notes.malformed(pointer, f"a block {kind}: {wrong}", data)
        else:
            yield Block(fresh(data), pointer)


def _wrong(kind: str, body: Json) -> str:
    """Return what a kept block would have to be, "" if it can go back."""
    if kind == "redactedContent":
        return "" if _is_base64(body.get(kind)) else "Base64"
    if kind == "image":
        return "" if isinstance(body.get("source"), dict) else "its source"
    if kind in ("toolUse", "toolResult") and not isinstance(body.get("toolUseId"), str):
        return "its toolUseId"
    if kind == "toolUse" and not (isinstance(body.get("name"), str) and body["name"]):
        return "its name"
    if kind == "toolUse" and body.get("type") != "server_tool_use":
        return "a server tool's"
    if kind == "toolUse" and not isinstance(body.get("input"), dict):
        return "an input as an object"
    if kind == "toolResult" and not isinstance(body.get("content"), list):
        return "its content"
    return ""


def _is_base64(value: object) -> bool:
    if not isinstance(value, str) or not value:
        return False
    try:
        base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return True


# --- the request ----------------------------------------------------------------------------------

_CACHE_POINT: Final = {"cachePoint": {"type": "default"}}


class BedrockConverseEncoder(BlockEncoder):
    """Encoder of one Converse request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "bedrock-converse"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(re.compile(r"[A-Za-z0-9_.:-]+"), 64),
        tool_name=Form(re.compile(r"[A-Za-z0-9_-]+"), 64),
        apart=True,
        blank=False,
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
        waiting = self._waiting(drafts)
        blocks = [block.body for d in drafts if d.role == "assistant" for block in d.blocks]
        answered = {each["toolResult"]["toolUseId"] for each in blocks if "toolResult" in each}
        called: set[str] = set()
        for number, draft in enumerate(drafts):
            kept = []
            for block in draft.blocks:
                call, result = block.body.get("toolUse"), block.body.get("toolResult")
                is_due = True
                if call is not None and "type" in call:
                    is_due = call["toolUseId"] in answered or number == waiting
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
