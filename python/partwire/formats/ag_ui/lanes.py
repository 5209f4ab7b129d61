"""What comes of a run: answers, each of which is a stream of deltas, and whole messages, in order.

Texts, reasoning and calls may come at the same time, each under its id. Items have the order in
which they began, and so have the parts of an answer: what began later waits until all before it
has ended.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import StreamProtocolError
from partwire.json.text import json_text
from partwire.message.assembler.machine import MessageAssembler
from partwire.reading.pipeline import read

from ..core.deltas import DeltaStream
from ..core.reading import Json, Reading
from ..core.runs import RunItem
from .state import Kept, is_derived, state_of, stem_of

__all__ = ["Answer", "Block", "Lanes", "Whole"]

_UNKNOWN: Final = "unknown"


class Block:
    """A part that comes: deltas that wait, until all parts before it have ended."""

    def __init__(self, kind: str, name: str = "", tool: str = "") -> None:
        self.kind = kind  # text, thinking, call, or whole
        self.name = name  # the id of the text, the reasoning or the call
        self.tool = tool
        self.waiting: list[tuple[str, Json, str | None, str]] = []
        self.texts: list[str] = []
        self.is_over = False  # its last event has come; of reasoning, state may still come
        self.ended = False
        self.kept = Kept()
        self.places: list[str] = []


class Answer:
    """A message of the assistant that comes.

    ``answer_id`` is the id that its text and its calls have; reasoning comes before anybody knows
    it. An answer of ours is ``said``: it says itself where it ends.
    """

    def __init__(self, message_id: str | None, start: Json) -> None:
        self.message_id = message_id
        self.answer_id: str | None = None
        self.start = start
        self.head: Json = {}
        self.blocks: list[Block] = []
        self.head_block = 0  # the first block that has not ended
        self.stream: DeltaStream | None = None
        self.is_said = False
        # Of one of ours, what its deltas are held against: extensions may break rules of streams.
        self.rules: MessageAssembler | None = None
        self.is_gone = False  # no more comes of it
        self.has_calls = False
        self.has_approvals = False
        self.end: Json | None = None  # as ours says it
        self.time: str | None = None
        self._thoughts = 0
        self._is_told = False

    def state(self, block: Block) -> Json | None:
        """Return the state of a thinking part that is over."""
        self._thoughts += 1
        own: Json = {}
        if self.is_said or self.end is not None:
            if stem_of(block.name) == block.name and block.name:
                own["id"] = block.name
        else:
            if block.name and not is_derived(block.name, self.message_id, self._thoughts):
                own["id"] = block.name
            if not self._is_told and self.answer_id not in (None, "", self.message_id):
                self._is_told = True
                own["messageId"] = self.answer_id
        return state_of(block.kept._replace(own={**own, **block.kept.own}))

    @property
    def is_open(self) -> bool:
        """Whether a call of it has not ended."""
        return any(block.kind == "call" and not block.ended for block in self.blocks)

    @property
    def is_cut(self) -> bool:
        """Whether something of it has not ended, now that no more comes."""
        return not all(block.is_over or block.ended for block in self.blocks)


class Whole:
    """A message that comes whole, once it is ready."""

    def __init__(self, message: Json, *, is_ready: bool = True) -> None:
        self.message = message
        self.is_ready = is_ready


class Lanes:
    """The items of a stream of events, as they become ready."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._queue: deque[Answer | Whole] = deque()
        self._items: list[RunItem] = []
        self._requests = 0
        self._noted: set[str] = set()
        self.run_id: str | None = None
        self.time: str | None = None  # of the event that is read
        self.place = ""  # of the event that is read
        self.known: list[Answer | Whole] = []  # all that has begun
        self.owners: dict[str, list[Answer | Whole]] = {}  # by all ids that they have
        self.calls: dict[str, Block] = {}
        self.results: dict[str, Any] = {}
        self._answers: dict[str, Answer] = {}  # the last one of each id

    def taken(self) -> list[RunItem]:
        """Return what is ready, once."""
        taken, self._items = self._items, []
        return taken

    # --- items -----------------------------------------------------------------------------------

    @property
    def last(self) -> Answer | None:
        """The answer that may go on as the last one; None where something else is last."""
        found = self._queue[-1] if self._queue else None
        return found if isinstance(found, Answer) and found.end is None else None

    def answer_of(self, answer_id: str) -> Answer | None:
        """Return the answer that is still there and has this id."""
        found = self._answers.get(answer_id)
        return None if found is None or found.is_gone or found.end is not None else found

    def adopt(self, answer: Answer, answer_id: str) -> None:
        """Say which id the text and the calls of an answer have."""
        answer.answer_id = answer_id
        self._answers[answer_id] = answer
        if answer_id != answer.message_id:
            self._own(answer_id, answer)

    def _own(self, name: str | None, item: Answer | Whole) -> None:
        if name:
            self.owners.setdefault(name, []).append(item)

    def begin(
        self, message_id: str | None, answer_id: str | None, author: str | None = None
    ) -> Answer:
        """Begin an answer, behind all that is there."""
        self._requests += 1
        run_id = self._run_id()
        start: Json = {"modelId": _UNKNOWN, "requestId": f"{run_id}.{self._requests}"}
        if author:
            start["author"] = {"name": author}
        answer = Answer(message_id, start)
        if answer_id is not None:
            self.adopt(answer, answer_id)
        answer.time = self.time
        answer.head = {"runId": run_id, "messageId": message_id}
        self._note("model-invented")
        self._head_time(self.time)
        return self._append(answer)

    def begin_said(self, delta: Json) -> Answer:
        """Begin an answer of ours, whose first delta says what it is.

        Raises StreamProtocolError where no answer begins so.
        """
        rules = MessageAssembler()
        rules.consume({**delta, "seq": 0})
        answer = Answer(delta.get("messageId"), delta["payload"])
        answer.head = {name: delta.get(name) for name in ("runId", "messageId", "turnId")}
        answer.time, answer.is_said, answer.rules = delta["timestamp"], True, rules
        return self._append(answer)

    def end_said(self, answer: Answer, delta: Json) -> None:
        """End an answer of ours by its last delta."""
        answer.end, answer.is_said = delta, False
        if delta["kind"] == "error":  # no more comes of what is open
            for block in answer.blocks:
                block.is_over, block.ended = True, block.ended or block.kind != "thinking"
        self.move()

    def _append(self, answer: Answer) -> Answer:
        self._queue.append(answer)
        self.known.append(answer)
        self._own(answer.message_id, answer)
        self.move()
        return answer

    def add(self, message: Json, *, is_ready: bool = True) -> Whole:
        """Add a whole message, behind all that is there."""
        said: Json = {"runId": message.get("runId") or self._run_id()}
        time = message.get("timestamp") or self._head_time(self.time)
        whole = Whole({**said, **message, "timestamp": time}, is_ready=is_ready)
        self._queue.append(whole)
        self.known.append(whole)
        self._own(message.get("messageId"), whole)
        for part in message["parts"]:
            payload = part["payload"]
            if part["kind"] == "tool_result":
                self.results[payload["toolCallId"]] = payload["content"]
            elif part["kind"] == "tool_call":
                block = Block("call", payload["toolCallId"], payload["toolName"])
                block.texts.append(payload.get("rawArgsText", json_text(payload["arguments"])))
                self.calls[block.name] = block
        self.move()
        return whole

    def _run_id(self) -> str:
        if self.run_id is None:
            self._note("given" if self._reading.is_given[0] else "run-id-invented")
            return self._reading.run_id
        return self.run_id

    def _head_time(self, time: str | None) -> str:
        if time is None:
            self._note("given" if self._reading.is_given[1] else "timestamp-invented")
            return self._reading.timestamp
        return time

    def _note(self, code: str) -> None:
        if code not in self._noted:
            self._noted.add(code)
            self._reading.note(code, "")

    # --- parts -----------------------------------------------------------------------------------

    def block(self, answer: Answer, kind: str, name: str = "", tool: str = "") -> Block:
        """Begin a part of an answer."""
        block = Block(kind, name, tool)
        answer.blocks.append(block)
        if kind == "call":
            self.calls[name] = block
        return block

    def write(self, block: Block, kind: str, payload: Json) -> None:
        """Write a delta of a part, when its turn comes."""
        block.waiting.append((kind, payload, self.time, self.place))
        self.move()

    def close(self, block: Block) -> None:
        """Say that the last event of a part has come."""
        block.is_over = True
        block.ended = block.kind != "thinking"
        self.move()

    def whole(self, answer: Answer, kind: str, payload: Json) -> None:
        """Add a part, or what is not one, that one delta says."""
        block = self.block(answer, "whole")
        block.ended = True
        self.write(block, kind, payload)

    # --- order -----------------------------------------------------------------------------------

    def move(self) -> None:
        """Write what may be written: of the first item that is not over, and of those before."""
        while self._queue:
            item = self._queue[0]
            if isinstance(item, Whole):
                if not item.is_ready:
                    return
                self._emit(item)
            else:
                if not self._drain(item) or (item.end is None and len(self._queue) == 1):
                    return
                self._finish(item, None)
            self._queue.popleft()

    def _emit(self, item: Whole) -> None:
        made: Message = read(item.message, Message)
        self._items.append(made)

    def _drain(self, answer: Answer, *, is_over: bool = False) -> bool:
        """Write what waits, as far as the order lets it; return whether all parts have ended."""
        stream = answer.stream
        if stream is None:
            head = dict(answer.head)
            began = answer.time or self._reading.timestamp
            stream = answer.stream = DeltaStream(head.pop("runId"), began, **head)
            self._items.append(stream.delta("start", answer.start))
        is_known = is_over or answer.answer_id is not None or answer.end is not None
        is_known = is_known or len(self._queue) > 1
        while answer.head_block < len(answer.blocks):
            block = answer.blocks[answer.head_block]
            for kind, payload, time, place in block.waiting:
                if not self._put(answer, stream.delta(kind, payload, time)):
                    self._reading.note("extension-unread", place)
            block.waiting = []
            is_last = answer.head_block == len(answer.blocks) - 1
            may_end = block.is_over and (is_known or not is_last)
            if block.kind == "thinking" and not block.ended and (may_end or is_over):
                self._end_thought(answer, stream, block)
            if not block.ended and not is_over:
                return False
            answer.head_block += 1
        return True

    def _end_thought(self, answer: Answer, stream: DeltaStream, block: Block) -> None:
        block.ended = True
        opaque = answer.state(block)
        if opaque is not None:
            self._put(answer, stream.delta("thinking", {"textDelta": "", "opaque": opaque}))

    def _put(self, answer: Answer, delta: Any) -> bool:
        """Write a delta; return False, and leave it out, where an answer of ours cannot have it."""
        try:
            if answer.rules is not None:
                answer.rules.consume(delta)
        except StreamProtocolError:
            return False
        self._items.append(delta)
        return True

    def _finish(self, answer: Answer, ending: Json | None) -> None:
        """End an answer: as ours says it, as the run ends, or as what follows shows."""
        stream = answer.stream
        if stream is None:
            return
        answer.is_gone = True
        end = answer.end if answer.end is not None else ending
        if end is not None and end["kind"] == "error":
            self._put(answer, stream.delta("error", end["payload"], end.get("timestamp")))
            return
        reason = "tool_calls" if answer.has_calls else _UNKNOWN
        done: Json = {"payload": {"finishReason": reason}} if end is None else end
        time = done.get("timestamp") or self.time
        if answer.is_open or not self._put(answer, stream.delta("done", done["payload"], time)):
            words = "The arguments of a call did not end"
            error = {"errorCode": "truncated_stream", "message": words}
            self._put(answer, stream.delta("error", error, self.time))

    def end(self, ending: Json) -> None:
        """End the run: the last answer by ``ending``, a delta without its head.

        Where that is an error, so do those before it of which something has not ended.
        """
        has_failed = ending["kind"] == "error"
        while self._queue:
            item = self._queue[0]
            if isinstance(item, Whole):
                if not item.is_ready:
                    item.message["meta"] = {
                        **item.message.get("meta", {}),
                        "incomplete": {"ending": "truncated", "openToolCallIds": []},
                    }
                self._emit(item)
            else:
                ends_so = len(self._queue) == 1 or (has_failed and item.is_cut)
                self._drain(item, is_over=True)
                for block in item.blocks:
                    if block.kind == "call" and not block.ended:
                        for place in block.places:
                            self._reading.note("open-call", place)
                self._finish(item, ending if ends_so else None)
            self._queue.popleft()
