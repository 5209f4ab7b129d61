"""Content blocks of the Anthropic Messages format: which of them are parts, and which are kept."""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import clip
from partwire.tables import provider_names

from ..core.findings import FindingLog
from ..core.raw_events import NOTHING, as_json_text, decode_event
from ..core.tool_results import read_result
from ..core.writer import DeltaWriter, OpenCall
from .citations import citation_of

__all__ = ["AnthropicBlocks"]

# Members of a tool_use block that the message holds; the others go back with the call.
_CALL_MEMBERS: Final = frozenset({"type", "id", "name", "input"})
_DIRECT: Final = {"caller": {"type": "direct"}}  # what every call says that the model itself makes
_SERVER_CALLS: Final = frozenset(provider_names.ANTHROPIC_SERVER_CALLS)
_SERVER_RESULT: Final = "_tool_result"
_FAILED: Final = "_tool_result_error"  # how the type of an error's content ends


class _Block:
    """One content block that has begun."""

    __slots__ = ("body", "call", "citations", "content", "has_args", "kind", "signature", "start")

    def __init__(self, kind: str, body: dict[str, Any], start: int) -> None:
        self.kind = kind
        self.body = body  # as content_block_start gave it; ours
        self.start = start  # character of the part at which the block's text begins
        self.call: OpenCall | None = None
        self.has_args = False
        self.content: list[str] = []  # of a block that is kept whole: input, summary
        self.citations: list[Any] = []
        self.signature: list[str] = []


class AnthropicBlocks:
    """The blocks of one message, told apart by their index."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._blocks: dict[int, _Block] = {}
        self._calling: dict[str, int] = {}  # server calls that are open: index by id of the call
        self.last_index = -1

    def __len__(self) -> int:
        """How many are open."""
        return len(self._blocks)

    def start(self, index: int, body: object) -> None:
        """Read one ``content_block_start``, or a block of a whole message."""
        if type(body) is not dict:
            self._log.invalid("/content_block", "an object", body)
            return
        if index in self._blocks:
            self._log.note(
                "adapter/block-order",
                "A block begins on the index of one that is open",
                "/index",
                actual=clip(index),
            )
            self.stop(index)
        writer = self._writer
        kind = body.get("type")
        kind = kind if isinstance(kind, str) else ""
        # Text that follows text of its kind joins the part: the block begins inside it.
        block = _Block(kind, dict(body), writer.chars if writer.kind == kind else 0)
        self._blocks[index] = block
        self.last_index = index
        if kind == "text":
            writer.write("text", self._log.string(body.get("text"), "/content_block/text"))
            citations = body.get("citations")
            if isinstance(citations, list):
                block.citations += citations
            elif citations is not None:
                self._log.invalid("/content_block/citations", "an array", citations)
        elif kind == "thinking":
            writer.write(
                "thinking", self._log.string(body.get("thinking"), "/content_block/thinking")
            )
            block.signature.append(
                self._log.string(body.get("signature"), "/content_block/signature")
            )
        elif kind == "tool_use" or (writer.says_new and kind in _SERVER_CALLS):
            self._open_call(block)
            if block.call is not None and block.call.server:
                self._calling[block.call.tool_call_id] = index
        elif kind != "redacted_thinking" and not (writer.says_new and _is_result(kind)):
            self._note_foreign(kind, body)

    def _note_foreign(self, kind: str, body: dict[str, Any]) -> None:
        """Note a block that is not a part of ours; it is kept whole when it ends."""
        if kind in _SERVER_CALLS or _is_result(kind):
            self._log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                "/content_block/type",
                actual=clip(body.get("name") or kind),
            )
        elif kind != "compaction":
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for this block; it is kept beside the message",
                "/content_block/type",
                actual=clip(body.get("type")),
            )

    def _open_call(self, block: _Block) -> None:
        name = block.body.get("name")
        if not isinstance(name, str) or not name:
            self._log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                "/content_block/name",
                expected="the tool's name",
                actual=clip(name),
            )
            return
        call_id = self._log.string(block.body.get("id"), "/content_block/id")
        if block.kind in _SERVER_CALLS:
            block.call = self._writer.open_server_call(call_id or None, name)
            return
        block.call = self._writer.open_call(call_id or None, name)
        extras = {k: v for k, v in block.body.items() if k not in _CALL_MEMBERS and v is not None}
        if extras and extras != _DIRECT:
            self._writer.keep_with(block.call, "call", extras)

    def stop(self, index: int) -> None:
        """Read one ``content_block_stop``."""
        block = self._blocks.pop(index, None)
        if block is None:
            self._log.note(
                "adapter/block-order", "A block ends that is not open", "/index", actual=clip(index)
            )
        elif block.call is not None:
            given = block.body.get("input")
            if given and not block.has_args:
                if not isinstance(given, dict):
                    self._log.invalid("/content_block/input", "an object", given)
                self._write_input(block, given)
            if block.call.server:
                del self._calling[block.call.tool_call_id]
                self._writer.keep_with(block.call, block.kind, _whole(block))
            self._writer.end_call(block.call)
        elif block.kind in ("text", "thinking"):
            self._keep_text_state(block)
        elif not (self._writer.says_new and _is_result(block.kind) and self._read_result(block)):
            self._writer.keep(block.kind or "unknown", _whole(block))

    def stop_all(self) -> None:
        """End what the provider left open."""
        for index in list(self._blocks):
            if index in self._blocks:  # a result may have ended the block of its call
                self.stop(index)

    def _keep_text_state(self, block: _Block) -> None:
        writer = self._writer
        begin = block.start if writer.kind == block.kind else None
        start = writer.cite_block(block.citations, begin, citation_of)
        if signature := "".join(block.signature):
            writer.keep("signature", signature, start)

    def _read_result(self, block: _Block) -> bool:
        """Write the result of a tool that the provider ran; return whether it answers a call."""
        body = block.body
        own = self._log.string(body.get("tool_use_id"), "/content_block/tool_use_id")
        index = self._calling.get(self._writer.answers(own or None) or "")
        if index is not None:
            self._log.note(
                "adapter/block-order",
                "A result comes while the block of its call is open",
                "/content_block/tool_use_id",
                actual=clip(own),
            )
            self.stop(index)
        value = body.get("content")
        kind = value.get("type") if isinstance(value, dict) else None
        is_error = body.get("is_error") is True or str(kind).endswith(_FAILED)
        result = read_result(value)
        is_written = self._writer.server_result(
            own or None,
            is_error=is_error,
            content=result.content,
            outcome="error" if is_error else "success",
            structured=result.structured,
            opaque=[(block.kind, _whole(block))],
        )
        if not is_written:
            self._note_foreign(block.kind, body)
        return is_written

    # --- pieces of blocks ------------------------------------------------------------------------

    def piece(self, index: int, delta: dict[str, Any]) -> None:
        """Read one ``content_block_delta``.

        The text of a block that never began is text all the same; that of a block of another
        type is kept beside the message.
        """
        block = self._blocks.get(index)
        kind = delta.get("type")
        if kind == "text_delta" and (block is None or block.kind == "text"):
            text = delta.get("text")
            if type(text) is str:
                self._writer.write("text", text)
            else:
                self._log.invalid("/delta/text", "a string", text)
        elif kind == "thinking_delta" and (block is None or block.kind == "thinking"):
            text = delta.get("thinking")
            if type(text) is str:
                self._writer.write("thinking", text)
            else:
                self._log.invalid("/delta/thinking", "a string", text)
        elif block is not None:
            self._other_piece(block, delta, kind)
        else:
            self._writer.keep("unknown", delta)
        if block is None:
            self._log.note(
                "adapter/block-order",
                "A piece belongs to a block that is not open",
                "/index",
                actual=clip(index),
            )

    def _other_piece(self, block: _Block, delta: dict[str, Any], kind: object) -> None:
        if kind == "input_json_delta" and block.kind not in ("text", "thinking"):
            self._read_input(block, delta.get("partial_json"))
        elif kind == "signature_delta" and block.kind == "thinking":
            block.signature.append(self._log.string(delta.get("signature"), "/delta/signature"))
        elif kind == "citations_delta" and block.kind == "text":
            block.citations.append(delta.get("citation"))
        elif kind == "compaction_delta" and block.kind == "compaction":
            block.content.append(self._log.string(delta.get("content"), "/delta/content"))
            block.body.update((k, v) for k, v in delta.items() if k not in ("type", "content"))
        else:
            self._log.note(
                "adapter/unknown-event",
                "This piece is of no known type, or not of its block's; it is kept beside",
                "/delta/type",
                expected="a delta of the block's type",
                actual=clip(kind),
            )
            self._writer.keep("unknown", delta)

    def _read_input(self, block: _Block, piece: object) -> None:
        if isinstance(piece, str):
            block.has_args = block.has_args or bool(piece)
            if block.call is None or block.call.server:
                block.content.append(piece)
            if block.call is not None:
                self._writer.args(block.call, piece)
        elif piece is not None:
            self._log.invalid("/delta/partial_json", "a string", piece)
            block.has_args = True
            if block.call is not None and block.call.server:
                block.content.append(as_json_text(piece) or "")
            self._write_input(block, piece)

    def _write_input(self, block: _Block, value: object) -> None:
        """Write arguments that came as a value in place of text."""
        text = value if isinstance(value, str) else as_json_text(value)
        if text and block.call is not None:
            self._writer.args(block.call, text)


def _is_result(kind: str) -> bool:
    """Tell whether a block is the result of a tool that the provider runs."""
    return kind.endswith(_SERVER_RESULT)


def _whole(block: _Block) -> dict[str, Any]:
    """Return a block as the non-streaming format writes it."""
    body = dict(block.body)
    text = "".join(block.content)
    if block.kind == "compaction" and text:
        given = body.get("content")
        body["content"] = (given if isinstance(given, str) else "") + text
    elif text:
        value = decode_event(text)
        body["input"] = text if value is NOTHING else value
    return body
