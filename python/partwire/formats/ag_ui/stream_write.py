"""Deltas and messages as the event stream of AG-UI: one run, whose messages come in their order.

What the events do not say is known when the run has ended: it is read back as any other. With
extensions, events of the type CUSTOM with the name ``partwire`` say what the protocol cannot.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract import times
from partwire.contract.current.message import Message
from partwire.losses import Loss, in_order
from partwire.message.assembler.lines import BLANK
from partwire.reading.tolerant import Unknown

from ..core.back import ReadBack
from ..core.compared import Losses, compare_streams
from ..core.extension import PARTWIRE
from ..core.ids import Ids
from ..core.kept import kept_by
from ..core.reading import Json, Reading
from ..core.runs import RunAssembler, RunItem, item_of
from ..core.streams import already_done
from ..core.writing import plain
from .content import result_content
from .events import APPROVAL, USAGE
from .state import OURS, OWN, Kept, kept_of, text_of
from .stream_read import AgUiStreamReader
from .write import arguments_of, thought_id, value_of

__all__ = ["AgUiStreamWriter", "writer"]

_RUN: Final = "run"
_TERMINAL: Final = ("done", "error")
_PIECES: Final = {
    "TEXT_MESSAGE_CONTENT": ("messageId", "delta"),
    "REASONING_MESSAGE_CONTENT": ("messageId", "delta"),
    "TOOL_CALL_ARGS": ("toolCallId", "delta"),
}
_NO_PART: Final = frozenset({"text_citation", "usage", "warning"})
"""Deltas of ours that do not end the text that is open."""


def writer(version: str, *, extensions: bool = False) -> AgUiStreamWriter:
    """Return a writer of one stream of events."""
    return AgUiStreamWriter(version, extensions=extensions)


class _Spoken:
    """The answer that is being written."""

    def __init__(self, message_id: str, name: str | None, time: int | None) -> None:
        self.id = message_id
        self.name = name
        self.time = time  # at which it began
        self.thoughts = 0
        self.is_shown = False  # something of it has been written


class AgUiStreamWriter:
    """Items in, events out; see :func:`partwire.formats.writer`.

    ``thread_id`` is the client's, which the events of a run say; it may be set before the first
    item. Without it the run's id stands there. The ids of messages that have none begin with the
    run's: in a thread each run has its own.
    """

    def __init__(self, version: str, *, extensions: bool = False) -> None:
        self.thread_id: str | None = None
        self._version = version
        self._extensions = extensions
        self._run = RunAssembler()
        self._back = ReadBack(AgUiStreamReader(Reading(OWN)), _PIECES)
        self._losses = Losses()
        self._ids = Ids(set())
        self._events: list[Json] = []
        self._waiting: list[Json] = []  # whole messages that came while another one was open
        self._held: list[Json] | None = None  # events before which something of ours is to come
        self._run_id: str | None = None  # of the run that is open
        self._has_begun = False
        self._is_over = False
        self._time: int | None = None
        self._answer: _Spoken | None = None
        self._text: str | None = None  # the id of the text that is open
        self._thought: str | None = None
        self._open: dict[str, None] = {}  # calls that have not ended
        self._calls: dict[str, None] = {}  # that nobody has answered
        self._seals: dict[str, Json] = {}  # the state of calls that are open
        self._approvals: list[Json] = []
        self._usage: dict[str, Json] = {}  # by model
        self._model = ""
        self._figures: Json = {}

    @property
    def losses(self) -> list[Loss]:
        """What the events do not say of the items; all of it once the stream has ended."""
        return in_order(self._losses.found)

    # --- items -----------------------------------------------------------------------------------

    def feed(self, item: RunItem) -> list[Json]:
        """Take an item; raises as :meth:`RunAssembler.feed`, and changes nothing then.

        Behind the end of the stream it raises StreamProtocolError ``stream/already-done``.
        """
        if self._is_over:
            raise already_done()
        given = item_of(item)
        if given is BLANK:
            return []
        made: Json = {} if isinstance(given, Unknown) else plain(given)
        self._run.feed(given)
        if isinstance(given, Unknown):  # what it says is passed over, as everywhere
            return []
        if isinstance(given, Message):
            self._waiting.append(made)  # its place is behind the message that is open
        else:
            if made["kind"] == "start":
                self._time = _ms_of(made["timestamp"])
                self._cut()
                self._write_waiting()
            self._go_on(made)
            self._delta(made)
        if self._answer is None:
            self._write_waiting()
        return self._taken()

    def _write_waiting(self) -> None:
        """Write the whole messages that came while another one was open."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self._go_on(message)
            self._message(message)

    def _go_on(self, item: Json) -> None:
        """Take the time of an item, and its run."""
        self._time = _ms_of(item["timestamp"])
        if self._run_id != item["runId"]:
            self._begin(item["runId"])

    def finish(self) -> list[Json]:
        """End the stream; one whose last message is cut ends with an error."""
        if self._is_over:
            return []
        self._is_over = True
        self._cut()
        self._write_waiting()
        messages: list[Json] = plain(self._run.finish())
        if not self._has_begun:
            self._begin(_RUN)
        if self._run_id is not None:
            self._finish(self._outcome())
        back = self._back.finish()
        compare_streams(messages, back, self._losses, own=OWN, heads=True)
        return self._taken()

    def _taken(self) -> list[Json]:
        taken, self._events = self._events, []
        return taken

    def _put(self, kind: str, **members: Any) -> None:
        """Write an event; the first one of an answer has the time at which that began."""
        event: Json = {"type": kind, **members}
        answer = self._answer
        time = self._time if answer is None or answer.is_shown else answer.time
        if time is not None:
            event["timestamp"] = time
        if answer is not None:
            answer.is_shown = True
        if self._held is None:
            self._emit(event)
        else:
            self._held.append(event)

    def _emit(self, event: Json) -> None:
        self._events.append(event)
        self._back.put(event)

    def _own(self, **members: Any) -> None:
        """Write what is ours alone, with extensions."""
        if self._extensions:
            self._emit({"type": "CUSTOM", "name": PARTWIRE, "value": members})

    # --- runs ------------------------------------------------------------------------------------

    def _begin(self, run_id: str) -> None:
        if self._run_id is not None:
            self._finish(self._outcome())
        self._has_begun = True
        self._run_id = self._ids.stem = run_id  # a client has messages of other runs, too
        self._calls = {}
        thread = self.thread_id or run_id
        self._put("RUN_STARTED", threadId=thread, runId=run_id, protocolVersion=self._version)

    def _outcome(self) -> Json:
        if self._approvals:
            interrupts, self._approvals = self._approvals, []
            return {"type": "interrupt", "interrupts": interrupts}
        pending = {"pendingToolCallIds": list(self._calls)} if self._calls else {}
        return {"type": "success", **pending}

    def _finish(self, outcome: Json) -> None:
        ids = {"threadId": self.thread_id or self._run_id, "runId": self._run_id}
        self._put("RUN_FINISHED", **ids, outcome=outcome, **self._figures_of_run())
        self._run_id = None

    def _figures_of_run(self) -> Json:
        found = self._usage.items()
        rows = [{"model": model, **row} for model, row in found if max(row.values()) < 2**53]
        self._usage = {}
        return {"usage": rows} if rows else {}

    def _fail(self, error: Json) -> None:
        """End the run by an error; one that was stopped in good order ends as that."""
        self._end_texts()
        self._approvals = []
        if error["errorCode"] == "cancelled" and not self._open:
            self._finish({"type": "cancelled"})
            return
        said = error.get("message") or error["errorCode"]
        code = {"code": error["errorCode"]}
        self._put("RUN_ERROR", message=said, **code, **self._figures_of_run())
        self._run_id = None
        self._open, self._seals = {}, {}

    def _cut(self) -> None:
        """End the run by an error where a message is open that nothing more comes of."""
        if self._answer is not None:
            self._close_answer()
            words = "The stream ended before the run was finished"
            self._fail({"errorCode": "truncated_stream", "message": words})

    # --- deltas ----------------------------------------------------------------------------------

    def _delta(self, delta: Json) -> None:
        kind, payload = delta["kind"], delta["payload"]
        if kind == "text":
            if self._thought is not None:
                self._end_thought(None)
            self._on_text(payload)
        elif kind == "thinking":
            self._end_text(None)
            self._on_thinking(payload)
        elif kind.startswith("tool_call_"):
            if self._text is not None or self._thought is not None:
                self._end_texts()
            self._on_call(kind, payload)
        else:
            if kind not in _NO_PART:
                self._end_texts()
            if kind in _TERMINAL:
                self._show()
            self._own(delta={n: value for n, value in delta.items() if n != "providerRaw"})
            self._other(delta)

    def _other(self, delta: Json) -> None:
        kind, payload = delta["kind"], delta["payload"]
        if kind == "start":
            self._start(delta)
        elif kind == "usage":
            self._figures |= payload
        elif kind == "approval_request":
            self._approvals.append(self._interrupt(payload))
        elif kind in _TERMINAL:
            self._close_answer()
            if kind == "error":
                self._fail(payload)

    def _end_texts(self) -> None:
        self._end_text(None)
        self._end_thought(None)

    def _start(self, delta: Json) -> None:
        author = delta["payload"].get("author", {})
        self._answer = _Spoken(self._ids.of(delta), author.get("name"), self._time)
        self._model = delta["payload"]["modelId"]
        self._figures = {}

    def _close_answer(self) -> None:
        """Take the figures of the answer that ends."""
        self._answer = None
        row = self._usage.setdefault(self._model, {}) if self._figures else {}
        for theirs, ours in USAGE.items():
            if ours in self._figures:
                row[theirs] = row.get(theirs, 0) + self._figures[ours]
        if row:  # as the protocol defines it, whatever the provider counts
            row["totalTokens"] = row["inputTokens"] + row["outputTokens"]
        self._figures = {}

    def _spoken(self) -> _Spoken:
        answer = self._answer
        if answer is None:  # the assembler has refused what comes without a start
            raise AssertionError
        return answer

    def _show(self) -> None:
        """Write an answer that says nothing as one without text."""
        if self._answer is not None and not self._answer.is_shown:
            self._start_text()
            self._end_text(None)

    def _start_text(self) -> None:
        answer = self._spoken()
        name = {"name": answer.name} if answer.name and not answer.is_shown else {}
        self._text = answer.id
        self._put("TEXT_MESSAGE_START", messageId=answer.id, role="assistant", **name)

    def _on_text(self, payload: Json) -> None:
        text, opaque = payload["textDelta"], payload.get("opaque")
        if text or opaque:
            if self._text is None:
                self._start_text()
            if text:
                self._put("TEXT_MESSAGE_CONTENT", messageId=self._text, delta=text)
        if opaque:
            self._end_text(opaque)

    def _end_text(self, opaque: Json | None) -> None:
        text_id, self._text = self._text, None
        if text_id is not None:
            self._seal("message", text_id, opaque)
            self._put("TEXT_MESSAGE_END", messageId=text_id)

    def _on_thinking(self, payload: Json) -> None:
        text, opaque = payload["textDelta"], payload.get("opaque")
        answer = self._spoken()
        if text or opaque:
            if self._thought is None:
                answer.thoughts += 1
                known = None if self._extensions else opaque
                wanted = thought_id(known, answer.id, answer.thoughts)
                self._thought = thought = self._ids.made(wanted, wanted)
                self._put("REASONING_START", messageId=thought)
                self._put("REASONING_MESSAGE_START", messageId=thought, role="reasoning")
            if text:
                self._put("REASONING_MESSAGE_CONTENT", messageId=self._thought, delta=text)
        if opaque:
            self._end_thought(opaque)

    def _end_thought(self, opaque: Json | None) -> None:
        thought, self._thought = self._thought, None
        if thought is not None:
            self._put("REASONING_MESSAGE_END", messageId=thought)
            self._seal("message", thought, opaque)
            self._put("REASONING_END", messageId=thought)

    def _seal(self, kind: str, entity: str, opaque: Json | None) -> None:
        """Write the state of a message or a call."""
        kept = kept_of(opaque)
        if self._extensions and opaque is not None:
            kept = Kept(text_of(opaque), OURS)
        if kept.value is not None:
            said = value_of(kept, self._version)
            self._put("REASONING_ENCRYPTED_VALUE", subtype=kind, entityId=entity, **said)

    def _on_call(self, kind: str, payload: Json) -> None:
        call_id, answer = payload["toolCallId"], self._spoken()
        if "opaque" in payload:
            self._seals[call_id] = payload["opaque"]  # the last one counts
        if kind == "tool_call_start":
            self._open[call_id] = None
            self._calls[call_id] = None
            called = {"toolCallId": call_id, "toolCallName": payload["toolName"]}
            self._put("TOOL_CALL_START", **called, parentMessageId=answer.id)
        elif kind == "tool_call_args":
            if payload["argsTextDelta"]:
                self._put("TOOL_CALL_ARGS", toolCallId=call_id, delta=payload["argsTextDelta"])
        else:
            self._end_call(call_id)

    def _end_call(self, call_id: str) -> None:
        del self._open[call_id]
        opaque = self._seals.pop(call_id, None)
        self._seal("tool-call", call_id, opaque)
        metadata = kept_of(opaque).own.get("metadata")
        is_kept = isinstance(metadata, dict) and not self._extensions
        own = {"metadata": metadata} if is_kept else {}
        self._put("TOOL_CALL_END", toolCallId=call_id, **own)

    def _interrupt(self, payload: Json) -> Json:
        own = kept_of(payload.get("opaque")).own
        reason = own.get("reason")
        made: Json = {
            "id": payload["approvalId"],
            "reason": reason if isinstance(reason, str) else APPROVAL,
            "toolCallId": payload["toolCallId"],
        }
        if "reason" in payload:
            made["message"] = payload["reason"]
        kinds = {"responseSchema": dict, "expiresAt": str, "metadata": dict, "subagentRunId": str}
        return made | {n: own[n] for n, kind in kinds.items() if isinstance(own.get(n), kind)}

    # --- whole messages --------------------------------------------------------------------------

    def _message(self, message: Json) -> None:
        role = message["role"]
        if self._extensions:
            self._held = []
        if role == "assistant":
            self._whole_answer(message)
        elif role == "tool":
            self._results(message)
        else:
            self._said(role, message)
        held, self._held = self._held, None
        if held is not None:
            self._own(message=message, covers=[event["type"] for event in held])
            for event in held:
                self._emit(event)

    def _said(self, role: str, message: Json) -> None:
        is_developer = kept_by(message, OWN).get("role") == "developer"
        theirs = "developer" if role == "system" and is_developer else role
        message_id = self._ids.of(message)
        name = message.get("author", {}).get("name")
        named = {"name": name} if name else {}
        texts = [part["payload"]["text"] for part in message["parts"] if part["kind"] == "text"]
        self._put("TEXT_MESSAGE_START", messageId=message_id, role=theirs, **named)
        if text := "".join(texts):
            self._put("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=text)
        self._put("TEXT_MESSAGE_END", messageId=message_id)

    def _results(self, message: Json) -> None:
        stem = message.get("messageId") or self._ids.stem
        is_first = True
        for part in message["parts"]:
            payload = part["payload"]
            if part["kind"] != "tool_result":
                continue
            message_id = self._ids.of(message) if is_first else self._ids.made("", stem)
            is_first = False
            self._calls.pop(payload["toolCallId"], None)
            said = {"messageId": message_id, "toolCallId": payload["toolCallId"], "role": "tool"}
            self._put("TOOL_CALL_RESULT", **said, content=result_content(payload))

    def _whole_answer(self, message: Json) -> None:
        """Write a whole message of the assistant, part by part."""
        name = message.get("author", {}).get("name")
        meta = message.get("meta", {})
        self._answer = _Spoken(self._ids.of(message), name, self._time)
        self._model, self._figures = meta.get("modelId", "unknown"), dict(meta.get("usage", {}))
        for part in message["parts"]:
            kind, payload = part["kind"], part["payload"]
            opaque = {"opaque": payload["opaque"]} if "opaque" in payload else {}
            self._end_texts()
            if kind == "text":
                self._on_text({"textDelta": payload["text"], **opaque})
            elif kind == "thinking":
                self._on_thinking({"textDelta": payload["text"], **opaque})
            elif kind == "tool_call":
                call = {"toolCallId": payload["toolCallId"]}
                self._on_call("tool_call_start", {**call, "toolName": payload["toolName"]})
                self._on_call("tool_call_args", {**call, "argsTextDelta": arguments_of(payload)})
                self._on_call("tool_call_end", {**call, **opaque})
            elif kind == "approval_request":
                self._approvals.append(self._interrupt(payload))
        self._end_texts()
        self._show()
        self._close_answer()


def _ms_of(timestamp: str) -> int | None:
    """Return a time in milliseconds since the epoch; None where that is not what it says."""
    if not times.is_timestamp(timestamp):
        return None
    return times.instant_of(timestamp).ms
