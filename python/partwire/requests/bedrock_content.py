"""Content blocks of Converse requests, from the pieces of turns."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from partwire.errors import clip

from .bedrock_media import document_name, media_form
from .inputs import fresh
from .media import Media, file_media, image_media
from .notes import Notes
from .state import Item
from .turns import AssistantPiece, Call, Image, Result, State, Text, Thinking, UserPiece

__all__ = ["BedrockContent", "Block"]

Json: TypeAlias = dict[str, Any]

_S3: Final = re.compile(r"s3://[a-z0-9][.\-a-z0-9]{1,61}[a-z0-9](/.*)?")
# What a response says about itself: no block, and nothing that a request takes.
_RESPONSE_ONLY: Final = frozenset({"additionalModelResponseFields", "citation", "unknown"})
# Kinds of state under which the adapter keeps whole blocks, and the member that a block has.
_MEMBER: Final = {"redactedContent": "reasoningContent"}


class Block(NamedTuple):
    """A block of the body, and where in the request it comes from."""

    body: Json
    pointer: str


class BedrockContent:
    """Write blocks; what cannot be said goes into ``notes``."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._names: set[str] = set()  # of documents: the provider takes each name once

    # --- what users and tools say ----------------------------------------------------------------

    def text(self, piece: Text) -> Iterator[Block]:
        """Yield a text block; the provider refuses white space alone, so it is left out."""
        if piece.text.strip():
            yield Block({"text": piece.text}, piece.pointer)
        else:
            self._blank(piece.pointer)

    def user(self, pieces: list[UserPiece], *, is_result: bool = False) -> Iterator[Block]:
        """Yield the blocks of text, images and files."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield from self.text(piece)
                continue
            media = (
                image_media(piece.payload)
                if isinstance(piece, Image)
                else file_media(piece.payload)
            )
            body = self._media(media, is_result=is_result)
            if body is not None:
                yield Block(body, piece.pointer)
            else:
                self._notes.unsupported_part(
                    piece.pointer,
                    "an image, document, video or audio of a known format, inline or in S3",
                    media.mime_type or media.path or media.url or "",
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

    def assistant(self, pieces: list[AssistantPiece]) -> Iterator[Block]:
        """Yield the blocks of an assistant's message, the provider's own in their places."""
        for piece in pieces:
            if isinstance(piece, Text):
                yield from self._cited(piece)
            elif isinstance(piece, Thinking):
                yield from self._signed(piece)
            elif isinstance(piece, Call):
                yield self._call(piece)
            else:
                yield from self._state(piece)

    def _cited(self, piece: Text) -> Iterator[Block]:
        citations = []
        for item in piece.state:
            if item.kind == "citation" and isinstance(item.data, dict):
                citations.append(fresh(item.data))
            elif item.kind == "citation":
                self._notes.malformed(item.pointer, "a citation as an object", item.data)
            else:
                self._notes.response_only(item.pointer, item.kind)
        for block in self.text(piece):
            if not citations:
                yield block
                continue
            cited = {"content": [block.body], "citations": citations}
            yield Block({"citationsContent": cited}, block.pointer)

    def _signed(self, piece: Thinking) -> Iterator[Block]:
        signatures = [item for item in piece.state if item.kind == "signature"]
        for item in piece.state:
            if item.kind != "signature":
                self._notes.response_only(item.pointer, item.kind)
        for item in signatures[1:]:
            self._notes.malformed(item.pointer, "one signature", f"{len(signatures)} signatures")
        block = self._reasoning(piece.text, signatures[0]) if len(signatures) == 1 else None
        if block is None:
            self.leave_out_thinking(piece.pointer)
        else:
            yield Block(block, piece.pointer)

    def _reasoning(self, text: str, item: Item) -> Json | None:
        if isinstance(item.data, str) and item.data:
            return {"reasoningContent": {"reasoningText": {"text": text, "signature": item.data}}}
        self._notes.malformed(item.pointer, "a signature as text", item.data)
        return None

    def leave_out_thinking(self, pointer: str, why: str = "without its signature") -> None:
        """Note reasoning that the provider would refuse."""
        self._notes.add(
            "encode/thinking-left-out",
            f"The provider takes no reasoning {why}; it is left out",
            pointer,
        )

    def _call(self, call: Call) -> Block:
        for item in call.state:
            self._notes.response_only(item.pointer, item.kind)
        body = {"toolUseId": call.call_id, "name": call.name, "input": self._input(call)}
        return Block({"toolUse": body}, call.pointer)

    def _input(self, call: Call) -> Json:
        if call.raw_args is not None:
            try:
                value = msgspec.json.decode(call.raw_args)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                return value
            self._notes.add(
                "encode/arguments-lost",
                "The provider takes arguments as an object only; text that is none is left out",
                f"{call.pointer}/payload/rawArgsText",
                expected="a JSON object",
                actual=clip(call.raw_args),
            )
        return fresh(call.arguments)  # type: ignore[no-any-return]

    # --- what the provider had -------------------------------------------------------------------

    def _state(self, piece: State) -> Iterator[Block]:
        """Yield what stands between parts: blocks of the provider's own, and bare signatures."""
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
