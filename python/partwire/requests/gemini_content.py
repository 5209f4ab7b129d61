"""Parts of Gemini requests, from the pieces of turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from .calls_and_results import object_arguments
from .inputs import fresh
from .media import Media
from .notes import Notes
from .state import Item
from .turns import AssistantPiece, Call, MediaPiece, Result, State, Text, Thinking, UserPiece

__all__ = ["GeminiContent", "Part"]

Json: TypeAlias = dict[str, Any]

_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
_FILES: Final = frozenset({"application/pdf", "application/x-javascript", "application/x-python"})
_KINDS: Final = frozenset({"text", "audio", "video"})
_UPLOADED: Final = re.compile(r"files/[a-z0-9-]{1,40}")
_UPLOADS: Final = "https://generativelanguage.googleapis.com/v1beta/"
_EXPECTED: Final = (
    "PNG, JPEG, WebP, HEIC, PDF, text, audio or video, inline; files/…, gs:// or a URL"
)
_SIGNATURE: Final = "thoughtSignature"
# What a request may say beside the text or the call of a part.
_MEMBERS: Final = frozenset(
    {
        _SIGNATURE,
        "partMetadata",
        "mediaResolution",
        "mediaProcessing",
        "videoMetadata",
        "audioMetadata",
        "speechMetadata",
        "documentMetadata",
        "spreadsheetMetadata",
    }
)


class Part(NamedTuple):
    """A part of the body, and where in the request it comes from."""

    body: Json
    pointer: str


class GeminiContent:
    """Write parts; what cannot be said goes into ``notes``.

    ``nameless`` are the ids, as sent to others, of calls to which the provider gave none: they
    and their results go back without one, told apart by name and order.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.nameless: set[str] = set()

    # --- what users and tools say ----------------------------------------------------------------

    def user(self, pieces: list[UserPiece]) -> Iterator[Part]:
        """Yield the parts of text, images, files and media."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield Part({"text": piece.text}, piece.pointer)
            elif (body := self._media(piece)) is not None:
                yield Part(body, piece.pointer)

    def result(self, result: Result) -> Part:
        """Return the part of a tool result: its output, or the error, as an object."""
        content, media = result.content, []
        if isinstance(content, list):
            texts = [piece.text for piece in content if isinstance(piece, Text)]
            found = [self._media(each) for each in content if not isinstance(each, Text)]
            media = [body for body in found if body is not None]
            output: Any = texts[0] if len(texts) == 1 else texts or ""
        else:
            output = fresh(content)
        # An object stands for itself, unless a member of it would be read as something else.
        is_plain = isinstance(output, dict) and not {"output", "error"} & output.keys()
        if result.is_error or not is_plain:
            output = {"error" if result.is_error else "output": output}
        body: Json = {"name": result.name or "unknown", "response": output}
        if result.call_id not in self.nameless:
            body["id"] = result.call_id
        if media:
            body["parts"] = media
        return Part({"functionResponse": body}, result.pointer)

    def _media(self, piece: MediaPiece) -> Json | None:
        media = piece.media
        body = _inline(media) if media.data is not None else _linked(media)
        if body is None:
            self._notes.unsupported_part(piece.pointer, _EXPECTED, media.said())
        return body

    # --- what the assistant said -----------------------------------------------------------------

    def assistant(self, pieces: list[AssistantPiece], *, own: bool) -> list[Part]:
        """Return the parts of an assistant's message; ``own``: it came from this dialect.

        Text that only a reader's state has cut is one part again.
        """
        parts: list[Part] = []
        texts: list[list[str]] = []  # of each part, beyond its first
        for part in self._assistant(pieces, own):
            if parts and _is_one(parts[-1], part):
                texts[-1].append(part.body["text"])
            else:
                parts.append(part)
                texts.append([])
        for part, more in zip(parts, texts, strict=True):
            if more:
                part.body["text"] += "".join(more)
        return parts

    def _assistant(self, pieces: list[AssistantPiece], own: bool) -> Iterator[Part]:
        for piece in pieces:
            if isinstance(piece, Text):
                yield Part({"text": piece.text, **self._members(piece.state)}, piece.pointer)
            elif isinstance(piece, Call):
                members = self._members(piece.state)
                yield Part({"functionCall": self._call(piece), **members}, piece.pointer)
            elif isinstance(piece, State):
                yield from self._state(piece.item)
            elif not isinstance(piece, Thinking):
                if (media := self._media(piece)) is not None:
                    yield Part(media, piece.pointer)
            elif own:
                body = {"text": piece.text, "thought": True, **self._members(piece.state)}
                yield Part(body, piece.pointer)
            else:
                self._leave_out(piece)

    def _leave_out(self, piece: Thinking) -> None:
        self._notes.add(
            "encode/thinking-left-out",
            "The provider takes no reasoning of others; it is left out",
            piece.pointer,
        )

    def _members(self, items: tuple[Item, ...]) -> Json:
        """Return what stood beside the text or the call in its part."""
        members: Json = {}
        for item in items:
            if item.kind not in _MEMBERS:
                self._notes.response_only(item.pointer, item.kind)
            elif item.kind == _SIGNATURE and not _is_signature(item.data):
                self._notes.malformed(item.pointer, "a signature as text", item.data)
            elif item.kind in members and members[item.kind] != item.data:
                # Pieces of a call may each have one; the first is the call's.
                self._notes.malformed(item.pointer, f"one {item.kind}", "several")
            else:
                members[item.kind] = fresh(item.data)
        return members

    def _call(self, call: Call) -> Json:
        body: Json = {"name": call.name, "args": object_arguments(call, self._notes)}
        if call.call_id not in self.nameless:
            body["id"] = call.call_id
        return body

    def _state(self, item: Item) -> Iterator[Part]:
        """Yield what stands between texts and calls: parts of the provider's own."""
        if item.kind == _SIGNATURE and _is_signature(item.data):
            yield Part({"text": "", _SIGNATURE: item.data}, item.pointer)
        elif item.kind != "part":
            if item.kind != "continuationToken":
                self._notes.response_only(item.pointer, item.kind)
        elif not isinstance(item.data, dict):
            self._notes.malformed(item.pointer, "a part as an object", item.data)
        elif not _is_signature(item.data.get(_SIGNATURE, "signed")):
            self._notes.malformed(item.pointer, "a signature as text", item.data[_SIGNATURE])
        else:
            body = fresh(item.data)
            if not body.keys() - _MEMBERS - {"thought"}:
                body["text"] = ""  # a part without content is refused
            yield Part(body, item.pointer)


def _is_one(part: Part, other: Part) -> bool:
    """Return whether two parts are plain text of one part of the message."""
    if part.pointer != other.pointer or part.body.keys() != other.body.keys():
        return False
    return not part.body.keys() - {"text", "thought"}


def _is_signature(data: object) -> bool:
    return isinstance(data, str) and bool(data)


def _inline(media: Media) -> Json | None:
    kind = media.mime_type.partition("/")[0]
    if media.mime_type in _IMAGES or media.mime_type in _FILES or kind in _KINDS:
        return {"inlineData": {"mimeType": media.mime_type, "data": media.data}}
    return None


def _linked(media: Media) -> Json | None:
    """Return the part of a file that the provider fetches, or has."""
    uri = media.url
    if media.path is not None and media.path.startswith("gs://"):
        uri = media.path
    elif media.path is not None and _UPLOADED.fullmatch(media.path):
        uri = _UPLOADS + media.path
    if uri is None:
        return None
    mime_type = {"mimeType": media.mime_type} if media.mime_type else {}
    return {"fileData": {**mime_type, "fileUri": uri}}
