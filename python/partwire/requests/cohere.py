"""Cohere Chat v2: the contract's messages and configuration → a request body.

- System prompt and system messages are messages of the role ``system``, one per text of the prompt.
- The tool plan goes back as ``tool_plan``, citations as ``citations``, thinking of Cohere's own as
  the blocks of content that it came in. Reasoning of others is left out.
- Images of users go inline or by URL; no other media goes.
- One message per tool result. An object is its JSON text, text a block; a failed tool's text begins
  with ``Error: ``, since the format has no mark for it.
- ``topP`` is ``p``. A tool choice is ``REQUIRED`` or ``NONE``, for all tools at once, and so is
  ``strict_tools``: one tool of several cannot be asked for.
- ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://docs.cohere.com/v2/reference/chat-stream; requirements S001-02.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from .call_ids import Form
from .cohere_messages import CohereMessages, Json
from .encoder import RequestEncoder
from .turns import AssistantTurn, Forms, ToolTurn, UserTurn

__all__ = ["CohereEncoder"]

# Nothing is published about names and ids but that they are text; these are what others take.
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_ANY: Final = re.compile(r"(?s).+")
_MAX_STOPS: Final = 5
_TOP_P: Final = (0.01, 0.99)


class CohereEncoder(RequestEncoder):
    """Encoder of one Cohere Chat v2 request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "cohere-v2"
    forms: ClassVar[Forms] = Forms(call_id=Form(_ANY, 512), tool_name=Form(_NAME, 256))

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        body: Json = {"model": self.request.model_id, "messages": self._messages()}
        return body | self._tools() | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``."""
        return {"stream": True}

    def _messages(self) -> list[Json]:
        content = CohereMessages(self.notes)
        messages: list[Json] = [
            {"role": "system", "content": text} for text, _ in self.request.system
        ]
        for turn in self.turns:
            if isinstance(turn, ToolTurn):
                messages += content.results(turn)
                continue
            if isinstance(turn, AssistantTurn):
                made = content.assistant(turn)
            else:
                role = "user" if isinstance(turn, UserTurn) else "system"
                made = content.spoken(role, list(turn.pieces))
            if made is not None:
                messages.append(made)
                continue
            self.notes.add(
                "encode/empty-message",
                "Nothing of this message can be sent; it is left out",
                turn.pointer,
            )
        return messages

    # --- tools and configuration -----------------------------------------------------------------

    def _tools(self) -> Json:
        members: Json = {}
        tools: list[Json] = []
        strict: list[bool] = []
        for _, spec, schema in self.tools():
            function: Json = {"name": spec.name, "parameters": {"properties": {}, **schema}}
            if isinstance(spec.description, str):
                function["description"] = spec.description
            tools.append({"type": "function", "function": function})
            strict.append(spec.strict is True)
        if tools:
            members["tools"] = tools
        if any(strict):
            if all(strict):
                members["strict_tools"] = True
            else:
                self._refuse_strict()
        choice = self._choice([tool["function"]["name"] for tool in tools])
        if choice is not None:
            members["tool_choice"] = choice
        return members

    def _refuse_strict(self) -> None:
        for number, spec in enumerate(self.request.tools):
            if spec.strict is True:
                place = f"/toolSpecs/{number}/strict"
                self.notes.unsupported_config(place, "the same for all tools", spec.strict)

    def _choice(self, names: list[str]) -> str | None:
        choice = self.request.choice
        if choice is None or choice.mode == "auto" or not self.choice_holds(set(names)):
            return None
        if choice.mode == "none":
            return "NONE"
        is_sole = names == [choice.tool_name] and "tools" not in self.request.extensions
        if choice.mode == "required" or is_sole:
            return "REQUIRED"
        expected = "auto, required, none, or the only tool there is"
        self.notes.unsupported_config(choice.pointer, expected, choice.tool_name)
        return None

    def _sampling(self) -> Json:
        request = self.request
        members: Json = {}
        if request.max_tokens is not None:
            members["max_tokens"] = request.max_tokens
        members |= self.temperature(1)
        if request.top_p is not None:
            least, most = _TOP_P
            if least <= request.top_p <= most:
                members["p"] = request.top_p
            else:
                self.notes.unsupported_config(
                    "/config/topP", f"from {least} to {most}", request.top_p
                )
        if stops := self.stop_sequences(_MAX_STOPS):
            members["stop_sequences"] = stops
        return members
