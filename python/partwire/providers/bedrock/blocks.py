"""Content blocks of the Converse format: which of them are parts, and which are kept."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Final

from partwire.errors import clip
from partwire.tables.media_types import BEDROCK

from ..core.findings import FindingLog
from ..core.raw_events import NOTHING, as_json_text, decode_event
from ..core.tool_results import read_result
from ..core.writer import DeltaWriter, OpenCall, OpenMedia
from .citations import citation_of

__all__ = ["BedrockBlocks", "as_base64", "join_base64"]


# --- bytes ----------------------------------------------------------------------------------------


def as_base64(value: Any) -> Any:
    """Return a copy of a value in which bytes, wherever they stand, are Base64 text.

    Without recursion: events are nested as deep as their reader lets them be.
    """
    root = [value]
    todo: list[Any] = [root]
    for holder in todo:  # it grows meanwhile
        for key, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(member, (bytes, bytearray)):
                holder[key] = base64.b64encode(member).decode()
            elif isinstance(member, (dict, list)):
                holder[key] = member.copy()
                todo.append(holder[key])
    return root[0]


def join_base64(pieces: Iterable[str]) -> str:
    """Return the Base64 of bytes that came in pieces, each of them Base64 on its own.

    A single piece stays as it is; pieces that are not Base64 are put one behind the other.
    """
    texts = list(pieces)
    if len(texts) < 2:
        return "".join(texts)
    try:
        data = b"".join(base64.b64decode(text, validate=True) for text in texts)
    except ValueError:
        return "".join(texts)
    return base64.b64encode(data).decode()


# --- blocks ---------------------------------------------------------------------------------------

# Whose pieces belong to what contentBlockStart said.
_WITH_START: Final = frozenset({"toolUse", "toolResult", "image"})
_SERVER: Final = "server_tool_use"
_DELTA: Final = "/contentBlockDelta/delta"
_START: Final = "/contentBlockStart/start"
_IMAGES: Final = {name: of for of, (member, name) in BEDROCK.items() if member == "image"}


class _Run:
    """A block of text or of reasoning: it begins with its first piece."""

    __slots__ = ("citations", "index", "kind", "redacted", "signature", "start")

    def __init__(self, index: int, kind: str, start: int) -> None:
        self.index = index
        self.kind = kind
        self.start = start  # character of the part at which the block's text begins
        self.citations: list[Any] = []
        self.signature: list[str] = []
        self.redacted: list[str] = []


class _Block:
    """Any other block: it begins with ``contentBlockStart``."""

    __slots__ = ("body", "call", "has_args", "kind", "media", "pieces")

    def __init__(self, kind: str, body: Any) -> None:
        self.kind = kind
        self.body = body  # as contentBlockStart gave it; ours
        self.call: OpenCall | None = None
        self.media: OpenMedia | None = None
        self.has_args = False
        self.pieces: list[Any] = []  # of a block that is kept whole: input, results, bytes


class BedrockBlocks:
    """The blocks of one message, told apart by their index."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._run: _Run | None = None
        self._blocks: dict[int, _Block] = {}
        self._calling: dict[str, int] = {}  # server calls that are open: index by id of the call
        self._left: set[int] = set()  # text and reasoning that another block ended; a stop is due
        self.last_index = -1

    @property
    def open(self) -> bool:
        """Whether a block is open."""
        return self._run is not None or bool(self._blocks)

    # --- beginning and end -----------------------------------------------------------------------

    def start(self, index: int, start: object) -> None:
        """Read one ``contentBlockStart``."""
        if type(start) is not dict:
            self._log.invalid(_START, "an object", start)
            start = {}
        if index in self._blocks or (self._run is not None and self._run.index == index):
            self._note_order("A block begins on the index of one that is open", index)
            self.stop(index)
            if index in self._blocks:  # text went on in it
                self.stop(index)
        self._leave_run()
        self._left.discard(index)
        self.last_index = index
        for kind, body in start.items():  # one, or none for text
            if kind in ("text", "reasoningContent"):
                self.piece(index, {kind: body})
                continue
            block = _Block(kind, as_base64(body))
            self._blocks[index] = block
            says_new = self._writer.says_new
            if type(body) is not dict:
                self._note_foreign(kind, body)
            elif kind == "toolUse" and (says_new or body.get("type") != _SERVER):
                self._open_call(block)
                if block.call is not None and block.call.server:
                    self._calling[block.call.tool_call_id] = index
            elif kind == "image" and says_new:
                self._open_image(block)
            elif kind != "toolResult" or not says_new:
                self._note_foreign(kind, body)
            break

    def _open_call(self, block: _Block) -> None:
        name = block.body.get("name")
        if not isinstance(name, str) or not name:
            self._log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                f"{_START}/toolUse/name",
                expected="the tool's name",
                actual=clip(name),
            )
            return
        call_id = self._log.string(block.body.get("toolUseId"), f"{_START}/toolUse/toolUseId")
        is_ours = block.body.get("type") != _SERVER
        open_call = self._writer.open_call if is_ours else self._writer.open_server_call
        block.call = open_call(call_id or None, name)

    def _open_image(self, block: _Block) -> None:
        block.media = self._writer.open_media(None, _mime_type(block.body))
        source = block.body.get("source")
        data = source.get("bytes") if isinstance(source, dict) else None
        if data is not None and not self._writer.media_data(block.media, data_delta=data):
            self._log.invalid(f"{_START}/image/source/bytes", "Base64", data)

    def _note_foreign(self, kind: str, body: object) -> None:
        """Note a block that is not a part of ours; it is kept whole when it ends."""
        if kind in ("toolUse", "toolResult"):
            name = body.get("name", body.get("type")) if isinstance(body, dict) else kind
            self._log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                _START,
                actual=clip(name),
            )
        else:
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for this block; it is kept beside the message",
                _START,
                actual=clip(kind),
            )

    def stop(self, index: int) -> None:
        """Read one ``contentBlockStop``."""
        run = self._run
        if run is not None and run.index == index:
            self._leave_run()
            self._left.discard(index)
        elif index in self._blocks:
            self._stop_block(self._blocks.pop(index))
        elif index > self.last_index:
            self.last_index = index  # text that is empty has neither start nor pieces
        elif index in self._left:
            self._left.discard(index)
        elif index != self.last_index:
            self._note_order("A block ends that is not open", index)

    def _stop_block(self, block: _Block) -> None:
        if block.call is not None:
            given = block.body.get("input")
            if given and not block.has_args:
                self._write_input(block, given)
            if block.call.server:
                del self._calling[block.call.tool_call_id]
                self._writer.keep_with(block.call, block.kind, _whole(block))
            self._writer.end_call(block.call)
        elif block.media is not None:
            if not self._writer.end_media(block.media, mime_type=_mime_type(block.body)):
                self._note_foreign(block.kind, block.body)
                self._writer.keep(block.kind, _whole(block))
        elif not self._read_result(block):
            self._writer.keep(block.kind, _whole(block))

    def _read_result(self, block: _Block) -> bool:
        """Write the result of a tool that the provider ran; return whether it answers a call."""
        body = block.body
        if not self._writer.says_new or block.kind != "toolResult" or type(body) is not dict:
            return False
        own = self._log.string(body.get("toolUseId"), f"{_START}/toolResult/toolUseId")
        index = self._calling.get(self._writer.answers(own or None) or "")
        if index is not None:
            self._note_order("A result comes while the block of its call is open", index)
            self._stop_block(self._blocks.pop(index))
        whole = _whole(block)
        content = whole[block.kind]["content"]
        data = content[0] if len(content) == 1 and isinstance(content[0], dict) else {}
        result = read_result(data["json"] if data.keys() == {"json"} else content)
        is_error = body.get("status") == "error"
        is_written = self._writer.server_result(
            own or None,
            is_error=is_error,
            content=result.content,
            outcome="error" if is_error else "success",
            structured=result.structured,
            opaque=[(block.kind, whole)],
        )
        if not is_written:
            self._note_foreign(block.kind, body)
        return is_written

    def stop_all(self) -> None:
        """End what the provider left open."""
        self._leave_run()
        for index in list(self._blocks):
            if index in self._blocks:  # a result may have ended the block of its call
                self._stop_block(self._blocks.pop(index))

    # --- text and reasoning ----------------------------------------------------------------------

    def _enter(self, index: int, kind: str) -> _Run:
        """Return the run of this kind at ``index``, a new one where another one is open."""
        run = self._run
        if run is not None:
            if run.index == index and run.kind == kind:
                return run
            self._leave_run()
        if index in self._blocks:
            self._note_order("A piece is not of its block's type", index)
        writer = self._writer
        # Text that follows text of its kind joins the part: the block begins inside it.
        run = self._run = _Run(index, kind, writer.chars if writer.kind == kind else 0)
        self.last_index = max(self.last_index, index)
        return run

    def _leave_run(self) -> None:
        """End the open text or reasoning: keep what belongs to it."""
        run = self._run
        if run is None:
            return
        self._run = None
        self._left.add(run.index)
        writer = self._writer
        begin = run.start if writer.kind == run.kind else None
        start = writer.cite_block(run.citations, begin, citation_of)
        if signature := "".join(run.signature):
            writer.keep("signature", signature, start)
        if redacted := join_base64(run.redacted):
            block = {"reasoningContent": {"redactedContent": redacted}}
            writer.keep("redactedContent", block)

    def piece(self, index: int, delta: dict[str, Any]) -> None:
        """Read one ``contentBlockDelta``, whatever block it says it belongs to."""
        text = delta.get("text")
        if type(text) is str:
            run = self._run
            if run is None or run.index != index or run.kind != "text":
                self._enter(index, "text")
            self._writer.write("text", text)
            if len(delta) == 1:
                return
        for kind, value in delta.items():
            if kind == "reasoningContent" and type(value) is dict:
                self._read_reasoning(index, value)
            elif kind == "citation":
                self._enter(index, "text").citations.append(as_base64(value))
            elif kind == "text":
                if type(value) is not str:
                    self._log.invalid(f"{_DELTA}/text", "a string", value)
            else:
                self._block_piece(index, kind, value)

    def _read_reasoning(self, index: int, value: dict[str, Any]) -> None:
        run = self._enter(index, "thinking")
        for kind, piece in value.items():
            if kind == "text" and type(piece) is str:
                self._writer.write("thinking", piece)
            elif kind == "signature" and type(piece) is str:
                run.signature.append(piece)
            elif kind == "redactedContent" and isinstance(piece, (str, bytes)):
                run.redacted.append(as_base64(piece))
            elif kind in ("text", "signature", "redactedContent"):
                self._log.invalid(f"{_DELTA}/reasoningContent/{kind}", "a string", piece)
            else:
                self._keep_unknown({"reasoningContent": {kind: piece}}, kind)

    # --- pieces of other blocks ------------------------------------------------------------------

    def _block_piece(self, index: int, kind: str, value: Any) -> None:
        block = self._blocks.get(index)
        if kind not in _WITH_START:
            self._keep_unknown({kind: value}, kind)
        elif block is None or block.kind != kind:
            self._note_order("A piece belongs to a block that is not open", index)
            self._writer.keep("unknown", {kind: as_base64(value)})
        elif kind == "toolUse" and type(value) is dict:
            self._read_input(block, value.get("input"))
        elif kind == "toolResult" and type(value) is list:
            _add_results(block.pieces, as_base64(value))
        elif kind == "image" and type(value) is dict:
            self._read_image(block, value)
        else:
            self._log.invalid(f"{_DELTA}/{kind}", "a piece of its block", value)

    def _read_input(self, block: _Block, piece: object) -> None:
        if isinstance(piece, str):
            block.has_args = block.has_args or bool(piece)
            if block.call is None or block.call.server:
                block.pieces.append(piece)
            if block.call is not None:
                self._writer.args(block.call, piece)
        elif piece is not None:
            self._log.invalid(f"{_DELTA}/toolUse/input", "a string", piece)
            self._write_input(block, piece)

    def _write_input(self, block: _Block, value: object) -> None:
        """Write arguments that came as a value in place of text."""
        text = value if isinstance(value, str) else as_json_text(as_base64(value))
        if not text:
            return
        block.has_args = True
        if block.call is None or block.call.server:
            block.pieces.append(text)
        if block.call is not None:
            self._writer.args(block.call, text)

    def _read_image(self, block: _Block, value: dict[str, Any]) -> None:
        source = value.get("source")
        data = source.get("bytes") if isinstance(source, dict) else None
        if isinstance(data, (str, bytes)):
            text = as_base64(data)
            if block.media is None:
                block.pieces.append(text)
            elif not self._writer.media_data(block.media, data_delta=text):
                self._log.invalid(f"{_DELTA}/image/source/bytes", "Base64", text)
                block.pieces.append(text)
        elif isinstance(block.body, dict):
            block.body.update(as_base64(value))

    def _keep_unknown(self, piece: dict[str, Any], kind: object) -> None:
        self._log.note(
            "adapter/unknown-event",
            "This piece is of no known type; it is kept beside the message",
            _DELTA,
            expected="a piece of the block's type",
            actual=clip(kind),
        )
        self._writer.keep("unknown", as_base64(piece))

    def _note_order(self, message: str, index: int) -> None:
        self._log.note("adapter/block-order", message, "/contentBlockIndex", actual=clip(index))

    # --- a message that came whole ---------------------------------------------------------------

    def read_whole(self, content: list[Any]) -> None:
        """Read the content blocks of a response that is not a stream."""
        for index, block in enumerate(content):
            if type(block) is not dict:
                self._log.invalid(f"/output/message/content/{index}", "an object", block)
                continue
            for kind, value in block.items():
                self._read_whole_block(index, kind, value)
            self.stop(index)

    def _read_whole_block(self, index: int, kind: str, value: Any) -> None:
        if kind == "text":
            self.piece(index, {kind: value})
        elif kind == "reasoningContent" and type(value) is dict:
            given = value.get("reasoningText")
            rest = {name: member for name, member in value.items() if name != "reasoningText"}
            self.piece(index, {kind: {**given, **rest} if type(given) is dict else value})
        elif kind == "citationsContent" and type(value) is dict:
            for name, of in (("citations", "citation"), ("content", "")):
                items = value.get(name)
                at = f"/output/message/content/{index}/citationsContent/{name}"
                if type(items) is not list and items is not None:
                    self._log.invalid(at, "an array", items)
                for number, item in enumerate(items if type(items) is list else ()):
                    if of or type(item) is dict:
                        self.piece(index, {of: item} if of else item)
                    else:
                        self._log.invalid(f"{at}/{number}", "an object", item)
        else:
            self.start(index, {kind: value})


def _add_results(results: list[Any], pieces: list[Any]) -> None:
    """Add the results of one event; text goes on where the last one's text stopped."""
    for at, piece in enumerate(pieces):
        text = piece.get("text") if isinstance(piece, dict) else None
        last = results[-1] if at == 0 and results else None
        if isinstance(text, str) and isinstance(last, dict) and isinstance(last.get("text"), str):
            results[-1] = {**last, "text": last["text"] + text}
        else:
            results.append(piece)


def _mime_type(body: dict[str, Any]) -> str | None:
    name = body.get("format")
    return _IMAGES.get(name, f"image/{name}") if isinstance(name, str) and name else None


def _whole(block: _Block) -> dict[str, Any]:
    """Return a block as a message of the provider's writes it."""
    if not isinstance(block.body, dict):
        return {block.kind: block.body}
    body = dict(block.body)
    if block.kind == "toolUse":
        text = "".join(block.pieces)
        value = decode_event(text) if text else body.get("input", {})
        body["input"] = text if value is NOTHING else value
    elif block.kind == "toolResult":
        given = body.get("content")
        body["content"] = (given if isinstance(given, list) else []) + block.pieces
    elif block.kind == "image" and block.pieces:
        body["source"] = {"bytes": join_base64(block.pieces)}
    return {block.kind: body}
