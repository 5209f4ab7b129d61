"""A message that is coming: its blocks in order, and the deltas that may be written.

Blocks may come at the same time. A message has its parts in the order in which they began: what
began later waits until all before it has ended.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text

from ..core.deltas import DeltaStream, part_deltas
from ..core.reading import Json, Members, Reading
from .blocks import AiContent, says
from .heads import dialect_of, said_of, usage_of
from .provider_content import IDS, SIGNATURES

__all__ = ["Block", "Coming"]

_UNKNOWN: Final = "unknown"
_ENDS: Final = (
    "finish_reason",
    "stop_reason",
    "stopReason",
    "finishReason",
    "done_reason",
    "status",
)
"""What is said at the end of an answer."""


class Block:
    """A block that comes: ``kind`` is text, thinking, call or whole; ``said`` is all of it."""

    def __init__(self, key: Any, kind: str, place: str, number: int) -> None:
        self.key = key
        self.number = number
        self.kind = kind
        self.place = place
        self.said: Json = {}
        self.waiting: list[tuple[str, Json]] = []
        self.text: list[str] = []
        self.call_id = ""
        self.name = ""
        self.ended = False


class Coming:
    """One message of the model."""

    def __init__(
        self, stream: DeltaStream, start: Json, content: AiContent, reading: Reading
    ) -> None:
        self.out: list[Any] = [stream.delta("start", start)]
        self._start = start
        self.blocks: list[Block] = []
        self.response: Json = {}
        self.kwargs: Json = {}
        self.usage: Json | None = None
        self.is_complete = False  # it may be the end: only usage or nothing comes
        self.is_done = False
        self.step: Any = None
        self.task: Any = None
        self._content = content
        self._stream = stream
        self._reading = reading
        self._head = 0
        self._calls: set[str] = set()
        self._by_key: dict[Any, Block] = {}
        self._texts: list[Block] = []
        self._last_call: Block | None = None

    @property
    def dialect(self) -> str:
        """Whose state its blocks have."""
        return dialect_of(self.response)

    def has_call(self, call_id: str) -> bool:
        """Return whether it has a call of this id."""
        return call_id in self._calls

    def take_response(self, response: Members) -> None:
        """Take what the answer says of itself; the last word counts, and the start is gone."""
        for name in response.names():
            value, at = response.value(name), response.at(name)
            if value is None:
                continue
            self.response[name] = value
            is_said = value in (self._start["modelId"], self._start["requestId"])
            if name in _ENDS:
                self.is_complete = bool(value)
            elif name == "model_provider":
                is_said = bool(self.dialect)
            if name not in _ENDS and not is_said:
                self._reading.note("foreign-event", at)

    # --- blocks ----------------------------------------------------------------------------------

    def find(self, key: Any) -> Block | None:
        """Return the block of a key that has not ended."""
        block = self._by_key.get(key)
        return None if block is None or block.ended else block

    def last_call(self) -> Block | None:
        """Return the last call, if it has not ended."""
        return None if self._last_call is None or self._last_call.ended else self._last_call

    def end_texts(self) -> None:
        """End the blocks before one that begins; calls may go on."""
        texts, self._texts = self._texts, []
        for block in texts:
            self.end_block(block)

    def begin(self, key: Any, kind: str, place: str) -> Block:
        """Begin a block."""
        block = Block(key, kind, place, len(self.blocks))
        self.blocks.append(block)
        self._by_key[key] = block
        if kind == "call":
            self._last_call = block
        else:
            self._texts.append(block)
        return block

    def say(self, block: Block, text: str) -> None:
        """Add text of a block of text or reasoning."""
        if text:
            block.text.append(text)
            self._write(block, block.kind, {"textDelta": text})

    def start_call(self, block: Block, call_id: str, name: str) -> bool:
        """Begin a call; False where the message has one of this id."""
        if call_id in self._calls:
            return False
        self._calls.add(call_id)
        block.call_id, block.name = call_id, name
        self._write(block, "tool_call_start", {"toolCallId": call_id, "toolName": name})
        for text in block.text:
            self._args(block, text)
        return True

    def add_args(self, block: Block, text: str) -> None:
        """Add text of arguments; it waits where the call has no id yet."""
        if text:
            block.text.append(text)
            if block.call_id:
                self._args(block, text)

    def _args(self, block: Block, text: str) -> None:
        payload = {"toolCallId": block.call_id, "argsTextDelta": text}
        self._write(block, "tool_call_args", payload)

    def end_block(self, block: Block) -> None:
        """End a block: what came of it is all of it."""
        if block.ended:
            return
        block_said = dict(block.said)
        if block.kind == "call" and block.text and block_said.get("args") in (None, "", {}):
            block_said["args"] = "".join(block.text)
        part = self._content.one(block_said, block.place) if block_said else None
        self._end(block, part)

    def _end(self, block: Block, part: Json | None) -> None:
        if block.kind == "call":
            self._end_call(block, part)
        elif part is not None and part["kind"] == block.kind:
            self._end_text(block, part)
        elif part is not None:
            if part["kind"] == "tool_call":
                self._calls.add(part["payload"]["toolCallId"])
            for kind, payload in part_deltas(part, f"media_{block.number}"):
                self._write(block, kind, payload)
        block.ended = True
        self._move()

    def _end_text(self, block: Block, part: Json) -> None:
        payload, came = part["payload"], "".join(block.text)
        text = payload["text"]
        rest = text[len(came) :] if text.startswith(came) else ""
        if not text.startswith(came):
            self._reading.note("foreign-member", block.place)
        last, *cited = part_deltas({**part, "payload": {**payload, "text": rest}}, "")
        if rest or "opaque" in payload or not came:
            self._write(block, *last)
        for kind, citation in cited:
            self._write(block, kind, citation)

    def _end_call(self, block: Block, part: Json | None) -> None:
        if part is not None and part["kind"] != "tool_call":
            self._reading.note("malformed-event", block.place)
            part = None
        payload = part["payload"] if part is not None else {}
        if not block.call_id:
            call_id, name = payload.get("toolCallId"), payload.get("toolName")
            if not call_id or not name or not self.start_call(block, call_id, name):
                self._reading.note("open-call", block.place)
                return
        came = "".join(block.text)
        if part is not None:
            text = payload.get("rawArgsText")
            text = json_text(payload["arguments"]) if text is None else text
            if not came:
                self.add_args(block, text)
            elif not says(came, payload["arguments"]) and came != text:
                self._reading.note("foreign-member", block.place)
            said = {"toolCallId": block.call_id, "toolName": block.name}
            if any(payload[name] != value for name, value in said.items()):
                self._reading.note("foreign-member", block.place)
        end: Json = {"toolCallId": block.call_id}
        if "opaque" in payload:
            end["opaque"] = payload["opaque"]
        elif (opaque := self._state_of_call(block.call_id)) is not None:
            end["opaque"] = opaque
        self._write(block, "tool_call_end", end)

    def _state_of_call(self, call_id: str) -> Json | None:
        """Return the state of a call that stands in a table beside the content."""
        for name, dialect in ((IDS, "openai-responses"), (SIGNATURES, "gemini")):
            table = self.kwargs.get(name)
            found = table.get(call_id) if isinstance(table, dict) else None
            if not isinstance(found, str) or not found:
                continue
            item: Json = {"kind": "thoughtSignature", "data": found}
            if dialect == "openai-responses":
                data = {"type": "function_call", "id": found, "status": "completed"}
                item = {"kind": "function_call", "data": data}
            return {"provider": dialect, "data": {"items": [item]}}
        return None

    # --- in their order --------------------------------------------------------------------------

    def _write(self, block: Block, kind: str, payload: Json) -> None:
        block.waiting.append((kind, payload))
        self._move()

    def _move(self) -> None:
        while self._head < len(self.blocks):
            block = self.blocks[self._head]
            waiting, block.waiting = block.waiting, []
            for kind, payload in waiting:
                self.out.append(self._stream.delta(kind, payload))
            if not block.ended:
                return
            self._head += 1

    # --- the end ---------------------------------------------------------------------------------

    def finish(self) -> None:
        """End the message well."""
        if self.is_done:
            return
        for block in self.blocks:
            self.end_block(block)
        if self.usage is not None:
            members = Members({"usage_metadata": self.usage}, "", self._reading)
            usage, _ = usage_of(members, self._reading)
            if usage is not None:
                self.out.append(self._stream.delta("usage", usage))
        said, _ = said_of(self.response, has_calls=bool(self._calls))
        done = {"finishReason": said.get("finishReason", _UNKNOWN)}
        if "finishReason" not in said and self._calls:
            done["finishReason"] = "tool_calls"
        if "providerFinishReason" in said:
            done["providerFinishReason"] = said["providerFinishReason"]
        self.out.append(self._stream.delta("done", done))
        self.is_done = True

    def fail(self, error: Json) -> None:
        """End the message with an error; what waits is written before."""
        if self.is_done:
            return
        for block in self.blocks[self._head :]:
            for kind, payload in block.waiting:
                self.out.append(self._stream.delta(kind, payload))
            block.waiting = []
            if block.kind == "call" and not block.ended:
                self._reading.note("open-call", block.place)
        self.out.append(self._stream.delta("error", error))
        self.is_done = True

    def taken(self) -> list[Any]:
        """Return the deltas that have not been returned."""
        out, self.out = self.out, []
        return out
