"""Cohere Chat v2: the contract's messages and configuration → a request body.

- System prompt and system messages are messages of the role ``system``, one per text of the prompt.
- The tool plan goes back as ``tool_plan``, citations as ``citations`` as they came, thinking of
  Cohere's own as the blocks of content that it came in. Reasoning and citations of others are left
  out; what others ran is a block of text.
- Images of users go inline or by URL; no other media goes, but for what is said in it.
- One message per tool result. An object is its JSON text, text a block; a failed tool's text begins
  with ``Error: ``, since the format has no mark for it.
- ``topP`` is ``p``. A tool choice is ``REQUIRED`` or ``NONE``, for all tools at once, and so is
  ``strict_tools``: one tool of several cannot be asked for.
- ``cacheConfig`` has nothing to mark: prompts are cached without it.

Source: https://docs.cohere.com/v2/reference/chat-stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final, TypeAlias

from partwire.json.text import json_text
from partwire.tables.media_types import IMAGES

from ..request_core.call_ids import Form
from ..request_core.calls_and_results import result_texts
from ..request_core.encoder import RequestEncoder
from ..request_core.inputs import fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.state import Item
from ..request_core.turns import (
    MEDIA_PIECES,
    USER_MEDIA,
    AssistantTurn,
    Call,
    Forms,
    Result,
    State,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
    UserTurn,
    words_of,
)

__all__ = ["CohereEncoder", "CohereMessages", "Json"]


# --- messages -------------------------------------------------------------------------------------

Json: TypeAlias = dict[str, Any]

_EXPECTED: Final = "text, or a JPEG, PNG, GIF or WebP image by URL or inline"


class CohereMessages:
    """Write messages; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    # --- users, system prompts and tools ---------------------------------------------------------

    def spoken(self, role: str, pieces: list[UserPiece]) -> Json | None:
        """Return a message of a user or the system, None where nothing of it can be sent."""
        parts: list[Json] = []
        for piece in pieces:
            if isinstance(piece, Text):
                parts.append({"type": "text", "text": piece.text})
                continue
            url = _image_url(piece.media)
            if url is not None:
                parts.append({"type": "image_url", "image_url": {"url": url}})
            elif (words := words_of(piece, _EXPECTED, self._notes)) is not None:
                parts.append({"type": "text", "text": words.text})
        if not parts:
            return None
        is_text = len(parts) == 1 and parts[0]["type"] == "text"
        return {"role": role, "content": parts[0]["text"] if is_text else parts}

    def results(self, turn: ToolTurn) -> Iterator[Json]:
        """Yield one message per result."""
        for result in turn.results:
            yield {
                "role": "tool",
                "tool_call_id": result.call_id,
                "content": self._result(result),
            }

    def _result(self, result: Result) -> str | list[Json]:
        texts = result_texts(result, self._notes) or [""]
        if isinstance(result.content, dict) and not result.is_error:
            return texts[0]
        if result.is_error:
            texts[0] = f"Error: {texts[0]}"
        return [{"type": "text", "text": text} for text in texts]

    # --- the assistant ---------------------------------------------------------------------------

    def assistant(self, turn: AssistantTurn) -> Json | None:
        """Return an assistant's message, None where nothing of it can be sent."""
        content: list[Json] = []
        calls: list[Json] = []
        kept = _Kept(self._notes)
        joins = False  # whether text that comes next goes on with the last block
        texts: list[str] = []  # of the last block
        for each in turn.pieces:
            if isinstance(each, State):
                kept.take(each.item)
                continue
            piece: Text | Thinking | Call | None
            if isinstance(each, MEDIA_PIECES):
                joins = False
                piece = words_of(each, USER_MEDIA, self._notes)
            else:
                piece = each
            if piece is None:
                continue
            marks = [kept.take(item) for item in piece.state]
            if isinstance(piece, Text):
                if not joins or piece.alone or "text" in marks:
                    texts = []
                    content.append({"type": "text", "text": texts})
                texts.append(piece.text)
            elif isinstance(piece, Thinking):
                content += self._thinking(piece, is_own="thinking" in marks)
            else:
                calls.append(_call(piece))
            joins = isinstance(piece, Text) and not piece.alone
        if not content and not calls:
            return None
        for block in content:
            if block["type"] == "text":
                block["text"] = "".join(block["text"])
        members = {
            "content": content,
            "tool_plan": "".join(kept.plan),
            "tool_calls": calls,
            "citations": kept.citations,
        }
        return {"role": "assistant", **{name: value for name, value in members.items() if value}}

    def _thinking(self, piece: Thinking, *, is_own: bool) -> Iterator[Json]:
        if is_own:
            yield {"type": "thinking", "thinking": piece.text}
            return
        self._notes.add(
            "encode/thinking-left-out",
            "Reasoning goes back only to the vendor that it came from; it is left out",
            piece.pointer,
        )


class _Kept:
    """What the provider's state adds to a message beside its content and calls."""

    def __init__(self, notes: Notes) -> None:
        self.plan: list[str] = []
        self.citations: list[Json] = []
        self._notes = notes

    def take(self, item: Item) -> str:
        """Take an item; return its kind."""
        kind, data, pointer, *_ = item
        if kind == "citation" and isinstance(data, dict):
            self.citations.append(fresh(data))
        elif kind == "tool_plan" and isinstance(data, str):
            self.plan.append(data)
        elif kind in ("citation", "tool_plan"):
            self._notes.malformed(pointer, f"a {kind} as Cohere sends it", data)
        elif kind not in ("text", "thinking"):
            self._notes.response_only(pointer, kind)
        return kind


def _call(call: Call) -> Json:
    arguments = json_text(call.arguments) if call.raw_args is None else call.raw_args
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def _image_url(media: Media) -> str | None:
    """Return the URL of an image, None for what is none or is not to be had by URL."""
    if media.mime_type not in IMAGES:
        return None
    if media.data is not None:
        return f"data:{media.mime_type};base64,{media.data}"
    return media.url


# --- the request ----------------------------------------------------------------------------------

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
            self.notes.empty_message(turn.pointer)
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
