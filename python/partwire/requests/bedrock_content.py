"""Content blocks of Converse requests, from the pieces of turns."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final

from .bedrock_media import document_name, media_form
from .blocks import Block, BlockContent, Json
from .calls_and_results import object_arguments
from .inputs import fresh
from .media import Media
from .notes import Notes
from .turns import Call, Result, State, Text, UserPiece

__all__ = ["BedrockContent"]

_S3: Final = re.compile(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/.*)?")
# What a response says about itself: no block, and nothing that a request takes.
_RESPONSE_ONLY: Final = frozenset({"additionalModelResponseFields", "citation", "unknown"})
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
            else:
                self._notes.unsupported_part(
                    piece.pointer,
                    "an image, document, video or audio of a known format, inline or in S3",
                    piece.media.said(),
                )

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
        if media.data:
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
        member = _MEMBER.get(kind, "" if kind == "text" else kind)  # text is no object
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
