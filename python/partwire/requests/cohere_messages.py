"""Messages of Cohere Chat v2 requests, from turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from .calls_and_results import result_texts
from .inputs import fresh, json_text
from .media import IMAGES, Media
from .notes import Notes
from .state import Item
from .turns import (
    MEDIA_PIECES,
    AssistantTurn,
    Call,
    Result,
    State,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
)

__all__ = ["CohereMessages", "Json"]

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
            else:
                self._notes.unsupported_part(piece.pointer, _EXPECTED, piece.media.said())
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
        for piece in turn.pieces:
            if isinstance(piece, State):
                kept.take(piece.item)
                continue
            if isinstance(piece, MEDIA_PIECES):
                self._notes.assistant_media(piece.pointer, piece.media.said())
                joins = False
                continue
            marks = [kept.take(item) for item in piece.state]
            if isinstance(piece, Text):
                if not joins or "text" in marks:
                    texts = []
                    content.append({"type": "text", "text": texts})
                texts.append(piece.text)
            elif isinstance(piece, Thinking):
                content += self._thinking(piece, is_own="thinking" in marks)
            else:
                calls.append(_call(piece))
            joins = isinstance(piece, Text)
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
