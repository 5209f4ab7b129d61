"""Chat completions: the contract's messages and configuration → a request body.

For OpenAI and the vendors that speak its dialect; where they differ, as OpenAI publishes it:

- System prompt and system messages are messages of the role ``system``, which every vendor takes
  and OpenAI reads as ``developer`` where a model wants that.
- One message per tool result; a failed tool's text begins with ``Error: ``, since the format has no
  mark for it. Argument text is what the model wrote where that is kept, else the arguments as JSON.
- ``maxTokens`` is ``max_completion_tokens``: ``max_tokens`` is out of date, and refused by
  reasoning models. For a vendor that knows only the old name, give ``max_tokens`` as a member of
  the configuration in place of ``maxTokens``.
- ``stream_options`` asks for usage; a vendor that does not know it wants another value from the
  configuration.
- Reasoning, and what vendors keep with it, goes back as the message's own vendor sent it; reasoning
  of others is left out. A refusal goes back as ``refusal``.
- Of media, images, WAV, MP3 and PDF go, which is all that OpenAI reads; a ``file_ref``, whose type
  other vendors may know, goes as any file but audio and video.
- ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://platform.openai.com/docs/api-reference/chat/create; requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final, TypeAlias

from .call_ids import Form
from .chat_messages import ChatMessages
from .encoder import RequestEncoder
from .turns import AssistantTurn, Forms, SystemTurn, ToolTurn

__all__ = ["OpenAIChatEncoder"]

Json: TypeAlias = dict[str, Any]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ANY: Final = re.compile(r"(?s).+")
_MAX_STOPS: Final = 4
_MAX_TEMPERATURE: Final = 2


class OpenAIChatEncoder(RequestEncoder):
    """Encoder of one chat completion request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "openai-chat"
    forms: ClassVar[Forms] = Forms(call_id=Form(_ANY, 40), tool_name=Form(_NAME, 64))

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        request = self.request
        body: Json = {"model": request.model_id, "messages": self._messages()}
        return body | self._tools() | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``, and that usage is wanted."""
        return {"stream": True, "stream_options": {"include_usage": True}}

    def _messages(self) -> list[Json]:
        content = ChatMessages(self.notes)
        messages: list[Json] = [
            {"role": "system", "content": text} for text, _ in self.request.system
        ]
        for turn in self.turns:
            made: list[Json]
            if isinstance(turn, ToolTurn):
                made = list(content.results(turn))
            elif isinstance(turn, AssistantTurn):
                said = content.assistant(turn)
                made = [] if said is None else [said]
            else:
                parts = content.user(list(turn.pieces))
                role = "system" if isinstance(turn, SystemTurn) else "user"
                made = [] if parts is None else [{"role": role, "content": parts}]
            if not made and not isinstance(turn, ToolTurn):
                self.notes.add(
                    "encode/empty-message",
                    "Nothing of this message can be sent; it is left out",
                    turn.pointer,
                )
            messages += made
        return messages

    def _tools(self) -> Json:
        members: Json = {}
        tools: list[Json] = []
        for _, spec, schema in self.tools():
            function: Json = {"name": spec.name, "parameters": {"properties": {}, **schema}}
            if isinstance(spec.description, str):
                function["description"] = spec.description
            if isinstance(spec.strict, bool):
                function["strict"] = spec.strict
            tools.append({"type": "function", "function": function})
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["function"]["name"] for tool in tools}):
            members["tool_choice"] = (
                {"type": "function", "function": {"name": choice.tool_name}}
                if choice.mode == "tool"
                else choice.mode
            )
        return members

    def _sampling(self) -> Json:
        members = self.sampling("max_completion_tokens", "top_p", most=_MAX_TEMPERATURE)
        if stops := self.stop_sequences(_MAX_STOPS):
            members["stop"] = stops
        return members
