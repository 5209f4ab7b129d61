"""OpenAI Responses: the contract's messages and configuration → a request body.

For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:

- The whole conversation is ``input``: nothing depends on what the provider stores, unless the
  configuration says ``previous_response_id`` and the caller gives what is new alone.
- System prompt and system messages are messages of the role ``system``; ``instructions``, which
  some vendors refuse, is the configuration's to give.
- Items that the provider made go back as they came: reasoning, encrypted or not, built-in tools,
  messages and calls under their ids. Reasoning is known to the provider by its id where responses
  are stored; with ``"store": false`` ask for ``"include": ["reasoning.encrypted_content"]``,
  which models without reasoning refuse.
- A tool's failure begins with ``Error: ``, since the format has no mark for it.
- Of media, images and documents go whose type OpenAI publishes; a ``file_ref`` goes as any file but
  audio and video.
- Functions are strict only where the tool says so: the provider's default is otherwise.
- There are no stop sequences; ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://platform.openai.com/docs/api-reference/responses/create; requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from .call_ids import Form
from .encoder import RequestEncoder
from .responses_input import Json, ResponsesInput
from .responses_output import ResponsesOutput
from .turns import AssistantTurn, Forms, SystemTurn, ToolTurn, Turn

__all__ = ["OpenAIResponsesEncoder"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ANY: Final = re.compile(r"(?s).+")
_MAX_TEMPERATURE: Final = 2


class OpenAIResponsesEncoder(RequestEncoder):
    """Encoder of one Responses request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "openai-responses"
    forms: ClassVar[Forms] = Forms(call_id=Form(_ANY, 64), tool_name=Form(_NAME, 64))

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        body: Json = {"model": self.request.model_id, "input": self._input()}
        return body | self._tools() | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``."""
        return {"stream": True}

    # --- the conversation ------------------------------------------------------------------------

    def _input(self) -> list[Json]:
        content = ResponsesInput(self.notes)
        is_stored = self.request.extensions.get("store") is not False
        output = ResponsesOutput(self.notes, is_stored=is_stored)
        items: list[Json] = [{"role": "system", "content": text} for text, _ in self.request.system]
        for turn in self.turns:
            made = self._items(turn, content, output)
            if not made and not isinstance(turn, ToolTurn):
                self.notes.add(
                    "encode/empty-message",
                    "Nothing of this message can be sent; it is left out",
                    turn.pointer,
                )
            items += made
        return items

    def _items(self, turn: Turn, content: ResponsesInput, output: ResponsesOutput) -> list[Json]:
        if isinstance(turn, AssistantTurn):
            return output.items(turn)
        if not isinstance(turn, ToolTurn):
            said = content.content(list(turn.pieces))
            role = "system" if isinstance(turn, SystemTurn) else "user"
            return [] if said is None else [{"role": role, "content": said}]
        items: list[Json] = []
        for result in turn.results:
            call_id = result.call_id
            kind = "custom_tool_call" if call_id in output.custom else "function_call"
            item: Json = {"type": f"{kind}_output", "call_id": call_id}
            item["output"] = content.output(result)
            if call_id in output.callers:
                item["caller"] = dict(output.callers[call_id])
            items.append(item)
        return items

    # --- the rest --------------------------------------------------------------------------------

    def _tools(self) -> Json:
        members: Json = {}
        tools: list[Json] = []
        for _, spec, schema in self.tools():
            tool: Json = {
                "type": "function",
                "name": spec.name,
                "parameters": {"properties": {}, **schema},
                "strict": spec.strict is True,
            }
            if isinstance(spec.description, str):
                tool["description"] = spec.description
            tools.append(tool)
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["name"] for tool in tools}):
            members["tool_choice"] = (
                {"type": "function", "name": choice.tool_name}
                if choice.mode == "tool"
                else choice.mode
            )
        return members

    def _sampling(self) -> Json:
        members = self.sampling("max_output_tokens", "top_p", most=_MAX_TEMPERATURE)
        for number, stop in enumerate(self.request.stop_sequences):
            place = f"/config/stopSequences/{number}"
            self.notes.unsupported_config(place, "no stop sequences", stop)
        return members
