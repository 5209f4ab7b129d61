"""What users and tools say in Responses requests: content and outputs of calls."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from .inputs import json_text
from .media import IMAGES, Media
from .notes import Notes
from .turns import Attachment, Image, Result, Text, UserPiece

__all__ = ["Json", "ResponsesInput"]

Json: TypeAlias = dict[str, Any]

_FILE_ID: Final = re.compile(r"file-[A-Za-z0-9_-]{8,}")
_UNNAMED: Final = {"application/pdf": "file.pdf"}
_EXPECTED: Final = "an image or a document: by URL, inline or uploaded"
_DOCUMENTS: Final = re.compile(
    r"text/.+|application/(pdf|rtf|msword|json|xml|csv|sql|toml|(x-)?(yaml|sh|python|javascript"
    r"|typescript|httpd-php)|vnd\.(ms-(word|excel|powerpoint)|openxmlformats-officedocument"
    r"|oasis\.opendocument|apple\.(pages|keynote|numbers)).*|.+\+(json|xml))"
)


class ResponsesInput:
    """Write content; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def content(self, pieces: list[UserPiece]) -> str | list[Json] | None:
        """Return content: a string for one text, else its parts; None for nothing."""
        parts = [part for piece in pieces if (part := self._part(piece)) is not None]
        if len(parts) == 1 and parts[0]["type"] == "input_text":
            text: str = parts[0]["text"]
            return text
        return parts or None

    def output(self, result: Result) -> str | list[Json]:
        """Return what a tool gave; the format has no mark for a failure, so its text says it."""
        pieces: list[UserPiece]
        if isinstance(result.content, list):
            pieces = list(result.content)
        else:
            content = result.content
            text = content if isinstance(content, str) else json_text(content)
            pieces = [Text(text, result.pointer)]
        if result.is_error:
            first = pieces[0] if pieces else None
            said = first.text if isinstance(first, Text) else ""
            rest = pieces[1:] if isinstance(first, Text) else pieces
            pieces = [Text(f"Error: {said}" if said else "Error", result.pointer), *rest]
        return self.content(pieces) or ""

    def _part(self, piece: UserPiece) -> Json | None:
        if isinstance(piece, Text):
            return {"type": "input_text", "text": piece.text}
        part = self._image(piece.media) if isinstance(piece, Image) else self._file(piece.media)
        if isinstance(piece, Attachment) and not _is_read(piece.media):
            part = None  # of a file nobody may know the type; of media it is known
        if part is None:
            self._notes.unsupported_part(piece.pointer, _EXPECTED, piece.media.said())
        return part

    def _image(self, media: Media) -> Json | None:
        part: Json = {"type": "input_image", "detail": "auto"}
        if media.url is not None:
            return {**part, "image_url": media.url}
        if media.data is not None and media.mime_type.startswith("image/"):
            return {**part, "image_url": f"data:{media.mime_type};base64,{media.data}"}
        if media.path is not None and _FILE_ID.fullmatch(media.path):
            return {**part, "file_id": media.path}
        return None

    def _file(self, media: Media) -> Json | None:
        if media.mime_type.startswith("image/"):
            return self._image(media)
        if media.mime_type.startswith(("audio/", "video/")):
            return None
        if media.url is not None:
            return {"type": "input_file", "file_url": media.url}
        if media.path is not None:
            is_id = _FILE_ID.fullmatch(media.path)
            return {"type": "input_file", "file_id": media.path} if is_id else None
        data = f"data:{media.mime_type};base64,{media.data}"
        name = media.name or _UNNAMED.get(media.mime_type, "file")
        return {"type": "input_file", "filename": name, "file_data": data}


def _is_read(media: Media) -> bool:
    """Return whether the provider publishes that it reads a type."""
    return media.mime_type in IMAGES or _DOCUMENTS.fullmatch(media.mime_type) is not None
