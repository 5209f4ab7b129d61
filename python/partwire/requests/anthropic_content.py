"""Content blocks of Anthropic Messages requests, from the pieces of turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .blocks import Block, BlockContent, Json
from .calls_and_results import object_arguments
from .inputs import fresh, json_text
from .media import IMAGES, Media
from .turns import Attachment, Call, Image, Result, State, Text, UserPiece

__all__ = ["AnthropicContent"]

_PDF: Final = "application/pdf"
_EXPECTED: Final = (
    "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too"
)
_FILE_ID: Final = re.compile(r"file_[A-Za-z0-9_-]{8,}")
# What a response says about itself: no block, and nothing that a request takes.
_RESPONSE_ONLY: Final = frozenset(
    {"stop_sequence", "stop_details", "container", "citation", "tool_use", "unknown"}
)
# Members of a response's citations that a request's do not have.
_CITATION_EXTRAS: Final = frozenset({"file_id"})


class AnthropicContent(BlockContent):
    """Write blocks of Anthropic Messages; see :class:`~.blocks.BlockContent`."""

    # --- what users and tools say ----------------------------------------------------------------

    def text(self, piece: Text) -> Iterator[Block]:
        """Yield a text block; the provider refuses white space alone, so it is left out."""
        if piece.text.strip():
            yield Block({"type": "text", "text": piece.text}, piece.pointer)
        else:
            self._blank(piece.pointer, "The provider takes no text of white space alone")

    def user(self, pieces: list[UserPiece]) -> Iterator[Block]:
        """Yield the blocks of text, images, files and media."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield from self.text(piece)
                continue
            is_odd = isinstance(piece, Attachment) and piece.media.is_odd_image
            make = self._image if isinstance(piece, Image) else self._file
            body = None if is_odd else make(piece.media)
            if body is not None:
                yield Block(body, piece.pointer)
            else:
                self._notes.unsupported_part(piece.pointer, _EXPECTED, piece.media.said())

    def result(self, result: Result) -> Block:
        """Return the block of a tool result."""
        body: Json = {"type": "tool_result", "tool_use_id": result.call_id}
        content: str | list[Json]
        if isinstance(result.content, str):
            content = result.content
            if content and not content.strip():
                self._blank(result.pointer, "The provider takes no text of white space alone")
                content = ""
        elif isinstance(result.content, dict):
            content = json_text(result.content)
        else:
            content = [block.body for block in self.user(result.content)]
        if not content and result.is_error:
            self._blank(result.pointer, 'A failure without text is sent as "Error"')
            content = "Error"
        if content:
            body["content"] = content
        if result.is_error:
            body["is_error"] = True
        return Block(body, result.pointer)

    def _blank(self, pointer: str, message: str) -> None:
        self._notes.add("encode/empty-text", message, pointer, expected="text")

    def _image(self, media: Media) -> Json | None:
        source: Json | None = None
        if media.data is not None and media.mime_type in IMAGES:
            source = {"type": "base64", "media_type": media.mime_type, "data": media.data}
        elif media.url is not None and media.mime_type.startswith("image/"):
            source = {"type": "url", "url": media.url}
        elif media.path is not None and _FILE_ID.fullmatch(media.path):
            source = {"type": "file", "file_id": media.path}
        return None if source is None else {"type": "image", "source": source}

    def _file(self, media: Media) -> Json | None:
        if media.mime_type.startswith("image/"):
            return self._image(media)
        source: Json | None = None
        if media.data is not None and media.mime_type == _PDF:
            source = {"type": "base64", "media_type": _PDF, "data": media.data}
        elif media.data is not None and media.mime_type.startswith("text/"):
            text = media.text()
            if text is not None:
                source = {"type": "text", "media_type": "text/plain", "data": text}
        elif media.url is not None and media.mime_type in (_PDF, ""):
            source = {"type": "url", "url": media.url}
        elif media.path is not None and _FILE_ID.fullmatch(media.path):
            source = {"type": "file", "file_id": media.path}
        if source is None:
            return None
        title = {"title": media.name} if media.name else {}
        return {"type": "document", "source": source, **title}

    # --- what the assistant said -----------------------------------------------------------------

    def _cited(self, piece: Text) -> Iterator[Block]:
        citations = self._citations(piece)
        for citation in citations:
            for name in _CITATION_EXTRAS & citation.keys():
                del citation[name]
        for block in self.text(piece):
            yield (
                block._replace(body={**block.body, "citations": citations}) if citations else block
            )

    def _thinking(self, text: str, signature: str) -> Json:
        return {"type": "thinking", "thinking": text, "signature": signature}

    def _call(self, call: Call) -> Json:
        body: Json = {"type": "tool_use", "id": call.call_id, "name": call.name}
        body["input"] = object_arguments(call, self._notes)
        for item in call.state:
            if item.kind == "call" and isinstance(item.data, dict):
                body = {**fresh(item.data), **body}
            else:
                self._notes.response_only(item.pointer, item.kind)
        return body

    def _state(self, piece: State) -> Iterator[Block]:
        kind, data, pointer, *_ = piece.item
        if kind == "signature":
            body = self._reasoning("", piece.item)
            if body is not None:
                yield Block(body, pointer)
        elif kind in _RESPONSE_ONLY:
            if kind != "container":
                self._notes.response_only(pointer, kind)
        elif isinstance(data, dict) and data.get("type") == kind:
            body = fresh(data)
            if isinstance(body.get("input", {}), dict):
                yield Block(body, pointer)
            else:
                self._notes.malformed(pointer, "an input as an object", body["input"])
        else:
            self._notes.malformed(pointer, f"a block of the type {kind}", data)
