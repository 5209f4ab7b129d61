"""Anthropic Messages: the contract's messages and configuration → a request body.

- System prompt and system messages are ``system`` blocks. A system message behind others moves
  there (``encode/moved-system``): models before the newest take none among the messages.
- Messages of one side in a row become one; tool results stand first in the user's, all results of
  parallel calls in one. What is left empty is left out.
- Reasoning goes back with its signature, at its place, and not without; redacted thinking, server
  tools with their results and whatever else the provider had stands where it stood.
- Images, PDF and text go inline, by URL or uploaded, from users and tools; not from assistants.
- The provider needs ``max_tokens``: without one it is 4,096, which every model takes, beyond the
  thinking budget if there is one (``encode/default-max-tokens``).
- ``cacheConfig`` marks the last tool, the last system block and the last block of the last message.

Source: https://docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from partwire.json.text import json_text
from partwire.tables import provider_names
from partwire.tables.media_types import IMAGES

from ..request_core.block_messages import Block, BlockContent, BlockEncoder, Draft, Json
from ..request_core.call_ids import Form
from ..request_core.calls_and_results import object_arguments
from ..request_core.inputs import Request, fresh
from ..request_core.media import Media
from ..request_core.notes import Notes
from ..request_core.turns import (
    AssistantTurn,
    Attachment,
    Call,
    Forms,
    Image,
    Result,
    State,
    Text,
    UserPiece,
    UserTurn,
    words_of,
)

__all__ = ["AnthropicContent", "AnthropicMessagesEncoder"]


# --- content blocks -------------------------------------------------------------------------------

_PDF: Final = "application/pdf"
_EXPECTED: Final = (
    "JPEG, PNG, GIF, WebP, PDF or text, inline or uploaded; images and PDF by URL too"
)
_FILE_ID: Final = re.compile(r"file_[A-Za-z0-9_-]{8,}")
_RESPONSE_ONLY: Final = frozenset(provider_names.ANTHROPIC_RESPONSE_ONLY)
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
            elif (words := words_of(piece, _EXPECTED, self._notes)) is not None:
                yield from self.text(words)

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


# --- the request ----------------------------------------------------------------------------------

DEFAULT_MAX_TOKENS: Final = 4096
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_SERVER_CALLS: Final = frozenset(provider_names.ANTHROPIC_SERVER_CALLS)
_SERVER_RESULT: Final = "_tool_result"


class AnthropicMessagesEncoder(BlockEncoder):
    """Encoder of one Anthropic Messages request; see :class:`~.encoder.RequestEncoder`."""

    dialect: ClassVar[str] = "anthropic-messages"
    forms: ClassVar[Forms] = Forms(
        call_id=Form(_NAME, 64), tool_name=Form(_NAME, 128), apart=True, blank=False
    )

    def __init__(self, request: Request, notes: Notes) -> None:
        super().__init__(request, notes)
        self._content = AnthropicContent(notes)

    def body(self) -> dict[str, Any]:
        """Return the members of the body that the contract's own values make."""
        request = self.request
        system, drafts = self._messages()
        body: dict[str, Any] = {
            "model": request.model_id,
            "messages": [
                {"role": draft.role, "content": [block.body for block in draft.content]}
                for draft in drafts
            ],
        }
        if system:
            body["system"] = system
        body |= self._tools()
        if request.cache:
            _mark(body)
        return body | self._sampling()

    def defaults(self) -> dict[str, Any]:
        """Return ``stream``, ``container`` where it is due, and ``max_tokens`` without a limit."""
        defaults: dict[str, Any] = {"stream": True, **self._container()}
        given = self.request.extensions
        if self.request.max_tokens is None and "max_tokens" not in given:
            thinking = given.get("thinking")
            budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
            tokens = DEFAULT_MAX_TOKENS + (budget if type(budget) is int else 0)
            defaults["max_tokens"] = tokens
            self.notes.add(
                "encode/default-max-tokens",
                "The provider needs a limit for the answer, and the configuration has none",
                "/config",
                expected="maxTokens",
                actual=str(tokens),
            )
        return defaults

    # --- messages --------------------------------------------------------------------------------

    def _leave_out_dangling(self, drafts: list[Draft]) -> None:
        """Leave out server tools' calls without a result, and results without a call."""
        waiting = self._waiting(drafts)
        bodies = [block.body for draft in drafts for block in draft.blocks]
        answered = {str(each.get("tool_use_id")) for each in bodies if _is_server_result(each)}
        called: set[str] = set()
        for number, draft in enumerate(drafts):
            kept = []
            for block in draft.blocks:
                body, call_id = block.body, str(block.body.get("id"))
                if body["type"] in _SERVER_CALLS:
                    called.add(call_id)
                    is_due = call_id in answered or number == waiting
                else:
                    is_due = not _is_server_result(body) or str(body.get("tool_use_id")) in called
                if is_due:
                    kept.append(block)
                else:
                    self._note_dangling(block.pointer, body["type"])
            draft.blocks = kept

    def _is_thinking(self, body: Json) -> bool:
        return body["type"] in _THINKING

    # --- tools and configuration -----------------------------------------------------------------

    def _tools(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        tools = []
        for _, spec, schema in self.tools():
            tool: Json = {"name": spec.name, "input_schema": schema}
            if isinstance(spec.description, str):
                tool["description"] = spec.description
            if isinstance(spec.strict, bool):
                tool["strict"] = spec.strict
            tools.append(tool)
        if tools:
            members["tools"] = tools
        choice = self.request.choice
        if choice is not None and self.choice_holds({tool["name"] for tool in tools}):
            mode = "any" if choice.mode == "required" else choice.mode
            name = {"name": choice.tool_name} if choice.mode == "tool" else {}
            members["tool_choice"] = {"type": mode, **name}
        return members

    def _sampling(self) -> dict[str, Any]:
        members = self.sampling("max_tokens", "top_p", most=1)
        stops = []
        for number, stop in enumerate(self.request.stop_sequences):
            if stop.strip():
                stops.append(stop)
            else:
                place = f"/config/stopSequences/{number}"
                self.notes.unsupported_config(place, "more than white space", stop)
        if stops:
            members["stop_sequences"] = stops
        return members

    def _container(self) -> dict[str, Any]:
        """Return the container of the last answer, where that answer goes on.

        One that is not asked for may have expired, and then the request would be refused.
        """
        found: dict[str, Any] = {}
        spoken = [turn for turn in self.turns if isinstance(turn, (UserTurn, AssistantTurn))]
        for turn in spoken:
            if not isinstance(turn, AssistantTurn):
                continue
            for piece in turn.pieces:
                if not isinstance(piece, State) or piece.item.kind != "container":
                    continue
                data = piece.item.data
                container = data.get("id") if isinstance(data, dict) else None
                if not isinstance(container, str):
                    self.notes.malformed(piece.item.pointer, "a container with an id", data)
                elif turn is spoken[-1]:
                    found["container"] = container
                else:
                    self.notes.response_only(piece.item.pointer, "container")
        return found


def _is_server_result(body: Json) -> bool:
    return str(body["type"]).endswith(_SERVER_RESULT) and body["type"] != "tool_result"


def _mark(body: dict[str, Any]) -> None:
    """Mark the last tool, the last system block and the last block for the prompt cache."""
    marked = [body[name][-1] for name in ("tools", "system") if name in body]
    if body["messages"]:  # reasoning, which cannot be marked, is never the last block
        marked.append(body["messages"][-1]["content"][-1])
    for block in marked:
        block["cache_control"] = {"type": "ephemeral"}
