"""Messages of chat completion requests, from turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from .calls_and_results import result_texts
from .chat_state import ChatState
from .inputs import fresh, json_text
from .media import Media
from .notes import Notes
from .turns import (
    AssistantTurn,
    Attachment,
    Call,
    Image,
    MediaPiece,
    Result,
    State,
    Text,
    Thinking,
    ToolTurn,
    UserPiece,
)

__all__ = ["ChatMessages"]

Json: TypeAlias = dict[str, Any]

_FILE_ID: Final = re.compile(r"file-[A-Za-z0-9_-]{8,}")
_AUDIO: Final = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}
_PDF: Final = "application/pdf"
_UNNAMED: Final = {_PDF: "file.pdf"}
_EXPECTED: Final = "an image by URL or inline; a file inline or uploaded; WAV or MP3 inline"


class ChatMessages:
    """Write messages; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    # --- users -----------------------------------------------------------------------------------

    def user(self, pieces: list[UserPiece]) -> str | list[Json] | None:
        """Return a user's content: a string for one text, else parts; None for nothing."""
        parts: list[Json] = []
        for piece in pieces:
            if isinstance(piece, Text):
                parts.append({"type": "text", "text": piece.text})
                continue
            part = self._media(piece)
            if part is not None:
                parts.append(part)
            else:
                self._notes.unsupported_part(piece.pointer, _EXPECTED, piece.media.said())
        return content_of(parts)

    def _media(self, piece: MediaPiece) -> Json | None:
        if isinstance(piece, Image):
            return self._image(piece.media)
        part = self._file(piece.media)
        if not isinstance(piece, Attachment) or part is None:
            return part
        # Of a file nobody may know the type; of media it is known, and with it what OpenAI reads.
        if part["type"] == "file" and piece.media.mime_type != _PDF:
            return None
        return None if piece.media.is_odd_image else part

    def _image(self, media: Media) -> Json | None:
        if media.url is not None:
            return {"type": "image_url", "image_url": {"url": media.url}}
        if media.data is not None and media.mime_type.startswith("image/"):
            url = f"data:{media.mime_type};base64,{media.data}"
            return {"type": "image_url", "image_url": {"url": url}}
        return None

    def _file(self, media: Media) -> Json | None:
        if media.mime_type.startswith("image/"):
            return self._image(media)
        if media.path is not None and _FILE_ID.fullmatch(media.path):
            return {"type": "file", "file": {"file_id": media.path}}
        if media.data is None:
            return None
        if media.mime_type in _AUDIO:
            audio = {"data": media.data, "format": _AUDIO[media.mime_type]}
            return {"type": "input_audio", "input_audio": audio}
        if media.mime_type.startswith(("audio/", "video/")):
            return None
        data = f"data:{media.mime_type};base64,{media.data}"
        name = media.name or _UNNAMED.get(media.mime_type, "file")
        return {"type": "file", "file": {"filename": name, "file_data": data}}

    # --- tools -----------------------------------------------------------------------------------

    def results(self, turn: ToolTurn) -> Iterator[Json]:
        """Yield one message per result."""
        for result in turn.results:
            content = self._result(result)
            yield {"role": "tool", "tool_call_id": result.call_id, "content": content}

    def _result(self, result: Result) -> str | list[Json]:
        """Return a result's content; the format has no mark for a failure, so its text says it."""
        texts = result_texts(result, self._notes)
        if result.is_error:
            first, *rest = texts or [""]
            texts = [f"Error: {first}" if first else "Error", *rest]
        return content_of([{"type": "text", "text": text} for text in texts]) or ""

    # --- the assistant ---------------------------------------------------------------------------

    def assistant(self, turn: AssistantTurn) -> Json | None:
        """Return an assistant's message, None where nothing of it can be sent."""
        state = ChatState(turn, self._notes)
        parts: list[Json] = []
        refusals: list[str] = []
        calls: list[Json] = []
        for piece in turn.pieces:
            if isinstance(piece, Text):
                is_refusal = any(item.kind == "refusal" for item in piece.state)
                if is_refusal:
                    refusals.append(piece.text)
                else:
                    parts.append({"type": "text", "text": piece.text})
            elif isinstance(piece, Thinking):
                parts += state.thinking(piece)
            elif isinstance(piece, Call):
                calls.append(self._call(piece, state))
            elif isinstance(piece, State):
                parts += state.between(piece)
            else:
                self._notes.assistant_media(piece.pointer, piece.media.said())
        if turn.own and all(part["type"] == "text" for part in parts):
            # It was one string when it came; a kept part may have lost its text.
            texts = (part.get("text") for part in parts)
            text = "".join(each for each in texts if isinstance(each, str))
            parts = [{"type": "text", "text": text}] if text else []
        members = state.members()
        if not (parts or refusals or calls or "audio" in members):
            return None
        message: Json = {"role": "assistant", "content": content_of(parts), **members}
        if refusals:
            message["refusal"] = "".join(refusals)
        if calls:
            message["tool_calls"] = calls
        return message

    def _call(self, call: Call, state: ChatState) -> Json:
        arguments = json_text(call.arguments) if call.raw_args is None else call.raw_args
        function = {"name": call.name, "arguments": arguments}
        extras = {name: fresh(data) for name, data in state.of_call(call)}
        return {"id": call.call_id, "type": "function", "function": function, **extras}


def content_of(parts: list[Json]) -> str | list[Json] | None:
    """Return content as its parts, one text as a string, which every vendor takes."""
    if not parts:
        return None
    if len(parts) == 1 and parts[0]["type"] == "text":
        text: str = parts[0]["text"]
        return text
    return parts
