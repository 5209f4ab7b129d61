"""The UI message stream, read: each step is a stream of deltas, results are whole messages.

Texts, reasoning and calls may come at the same time, each under its id. A message has its parts in
the order in which they began: what began later waits until all before it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import PartwireError
from partwire.json.pointer import escape_pointer
from partwire.json.text import decode_json, json_text
from partwire.losses import Loss, in_order
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import read

from ..core.deltas import DeltaStream
from ..core.extension import PARTWIRE
from ..core.reading import Json, Members, Reading
from ..core.runs import RunItem
from ..core.source import source_of
from .chunks import DONE, REASONS, sse_data
from .extension import cited, media_of, result_as, said_in
from .read import messages_of_one
from .server_tools import call_state, with_block
from .state import opaque_of, own_state
from .values import denied_result, error_result, file_of, result_of

__all__ = ["UiStreamReader", "reader"]

_UNKNOWN: Final = "unknown"


def reader(reading: Reading) -> UiStreamReader:
    """Return a reader of one UI message stream."""
    return UiStreamReader(reading)


class _Block:
    """A part that comes: deltas that wait, until all parts before it have ended."""

    def __init__(self, kind: str, name: str = "", tool: str = "") -> None:
        self.kind = kind
        self.name = name
        self.tool = tool
        self.places: list[str] = []  # of its events
        self.waiting: list[tuple[str, Json]] = []
        self.ended = False
        self.text: list[str] = []
        self.state: tuple[Json, str] | None = None  # provider metadata, with its place


class _Step:
    """One step: its parts in order, and what came of its calls."""

    def __init__(self, stream: DeltaStream) -> None:
        self.stream = stream
        self.blocks: list[_Block] = []
        self.head = 0  # the first block that has not ended
        self.texts: dict[tuple[str, str], _Block] = {}
        self.calls: dict[str, _Block] = {}
        self.results: dict[str, tuple[Json, str]] = {}  # with the event
        self.answered: set[str] = set()  # calls whose results are in it
        self.has_text = False
        self.has_calls = False
        self.citations: list[tuple[Json, str]] = []
        self.is_done = False  # finish-step has come


class UiStreamReader:
    """Events in, deltas and messages out; see :func:`partwire.formats.reader`.

    An event is a chunk (a JSON object or its text), a line of the event stream that begins with
    ``data:``, or ``[DONE]``. A stream ends well by ``finish`` or ``[DONE]``.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._number = -1
        self._steps = 0
        self._message_id: str | None = None
        self._step: _Step | None = None
        self._items: list[RunItem] = []
        self._reason: str | None = None
        self._start: Json | None = None  # of ours, for the next message
        self._ends: Json | None = None  # of ours, for the end of this one
        self._failure: Json | None = None
        self._is_over = False
        self._has_begun = False
        self._server: set[str] = set()
        self._known: set[str] = set()
        self._answered: set[str] = set()
        self._approvals: dict[str, tuple[str, str | None]] = {}
        self._asked: dict[str, str] = {}  # the last approval that was asked for, by call
        self._late: dict[str, tuple[Json, str]] = {}  # results that no step is open for

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the events."""
        return in_order(self._reading.losses)

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them."""
        return in_order(self._reading.take_losses())

    # --- events ----------------------------------------------------------------------------------

    def feed(self, event: Any) -> list[RunItem]:
        """Take an event, and return what it says; raises ReadError for what is not a chunk."""
        self._number += 1
        place = f"/{self._number}"
        text = text_of(event)
        if text is not None:
            data = sse_data(text)
            if data is None:
                return []
            if data == DONE:
                self._is_over = True
                return []
            event = decode_json(data)
        else:
            event = source_of(event)
        chunk = self._reading.members(event, place)
        kind = chunk.text("type")
        if kind is None:
            raise self._reading.refuse(f"{place}/type", "the type of a chunk", event.get("type"))
        read_it = getattr(self, f"_on_{kind.replace('-', '_')}", None)
        if read_it is None or not _is_public(kind):
            self._reading.note("foreign-event", place)
            return []
        if read_it(chunk) is False:
            self._reading.note("malformed-event", place)
        else:
            chunk.close()
        return self._taken()

    def finish(self) -> list[RunItem]:
        """Say that no more comes: a stream that did not end is cut."""
        if not self._is_over and self._failure is None:
            words = "The stream ended before it was finished"
            self._failure = {"errorCode": "truncated_stream", "message": words}
        self._end()
        return self._taken()

    def _end(self) -> None:
        if self._has_begun and (self._failure is not None or not self._steps):
            self._open()  # what failed was to come, or the answer is empty
        self._end_step(is_last=True)
        self._has_begun = False

    def _taken(self) -> list[RunItem]:
        taken, self._items = self._items, []
        return taken

    # --- the run ---------------------------------------------------------------------------------

    def _on_message_metadata(self, chunk: Members) -> None:
        self._metadata(chunk)

    def _metadata(self, chunk: Members) -> None:
        """Take metadata of the message: what is ours; the application's is reported."""
        place, metadata = chunk.at("messageMetadata"), chunk.object("messageMetadata")
        if metadata is None:
            return
        if [name for name in metadata if name != PARTWIRE]:
            self._reading.note("foreign-member", place)
        for delta in said_in(metadata.get(PARTWIRE)):
            try:
                is_taken = self._take(delta)
            except PartwireError:
                is_taken = False
            if not is_taken:
                self._reading.note("extension-unread", place)

    def _take(self, delta: Json) -> bool:
        """Take a delta that a writer of ours has put beside the events; return whether it fits."""
        kind, payload = delta.get("kind"), delta["payload"]
        read({"runId": "r", **delta, "seq": 0}, "message.MessageDelta")  # with its time
        if kind == "start":
            self._start = delta
        elif kind in ("usage", "warning") and self._step is not None:
            self._whole(kind, payload)
        elif kind in ("done", "error"):
            self._ends = delta
        else:
            return False
        return True

    def _on_start(self, chunk: Members) -> None:
        self._metadata(chunk)
        self._has_begun, self._is_over = True, False
        message_id = chunk.text("messageId") or None
        if self._steps and message_id not in (None, self._message_id):
            self._reading.note("foreign-member", chunk.at("messageId"))  # it stands on the first
            return
        self._message_id = message_id

    def _on_start_step(self, _: Members) -> None:
        self._end_step(is_last=False)
        self._open()

    def _on_finish_step(self, _: Members) -> None:
        step = self._step
        if step is None:
            return
        step.is_done = True
        if step.head == len(step.blocks) and step.has_calls and self._failure is None:
            self._end_step(is_last=False)

    def _on_finish(self, chunk: Members) -> None:
        self._metadata(chunk)
        self._has_begun = True
        said = chunk.text("finishReason")
        self._reason = None if said is None else REASONS.get(said, said) or None
        self._end()
        self._is_over, self._failure, self._reason = True, None, None

    def _on_abort(self, chunk: Members) -> None:
        self._has_begun = True
        reason = chunk.text("reason")
        if self._failure is None:
            self._failure = {"errorCode": "cancelled", "message": reason or "aborted"}

    def _on_error(self, chunk: Members) -> None:
        self._has_begun = True
        said = chunk.text("errorText")
        if self._failure is None:
            self._failure = {"errorCode": _UNKNOWN, "message": said or "error"}

    def _on_reset_step(self, chunk: Members) -> None:
        """End what came of the step as incomplete: it was shown, and is not taken back."""
        self._reading.note("foreign-event", chunk.place)
        step = self._step
        if step is None or step.is_done:
            return
        self._flush(step)
        error = {"errorCode": "cancelled", "message": "The step was begun again"}
        self._items.append(step.stream.delta("error", error))
        self._step = None
        self._open()

    def _open(self) -> _Step:
        """Return the step that is open; begin one."""
        if self._step is not None:
            return self._step
        self._is_over = False
        reading = self._reading
        message_id = None if self._steps else self._message_id
        self._steps += 1
        start: Json = {"modelId": _UNKNOWN, "requestId": f"{reading.run_id}.{self._steps}"}
        head: Json = {"runId": reading.run_id, "timestamp": reading.timestamp}
        ids: Json = {"messageId": message_id}
        if self._start is not None:
            start, head = self._start["payload"], {**head, **self._start}
            ids = {name: self._start.get(name) for name in ("messageId", "turnId")}
            self._start = None
        else:
            reading.note("model-invented", "")
            reading.note_given()
        self._ends = None
        step = _Step(DeltaStream(head["runId"], head["timestamp"], **ids))
        self._items.append(step.stream.delta("start", start))
        self._step, self._has_begun = step, True
        return step

    def _end_step(self, *, is_last: bool) -> None:
        """End the message of the open step, and write what came of its calls."""
        step, self._step = self._step, None
        if step is not None:
            self._flush(step)
            self._items.append(self._ending(step, is_last=is_last))
            for _, place in step.citations:
                self._reading.note("foreign-event", place)
        came = {**self._late, **(step.results if step else {})}
        self._late = {}
        if came:
            message = {
                "runId": self._reading.run_id,
                "role": "tool",
                "parts": [part for part, _ in came.values()],
                "timestamp": self._reading.timestamp,
            }
            self._reading.note_given()
            made: Message = read(message, Message)
            self._items.append(made)

    def _ending(self, step: _Step, *, is_last: bool) -> Any:
        is_open = any(
            not block.ended for block in step.blocks if block.kind in ("call", "server_call")
        )
        said, self._ends = self._ends, None
        time = said.get("timestamp") if said is not None else None
        if self._failure is not None and is_last:
            is_said = said is not None and said["kind"] == "error"
            failure = said["payload"] if is_said and said is not None else self._failure
            return step.stream.delta("error", failure, time if is_said else None)
        if is_open:
            words = "The arguments of a call did not end"
            return step.stream.delta("error", {"errorCode": "truncated_stream", "message": words})
        if said is not None and said["kind"] == "done":
            return step.stream.delta("done", said["payload"], time)
        reason = self._reason if is_last else None
        if reason is None:
            reason = "tool_calls" if step.has_calls else _UNKNOWN
        return step.stream.delta("done", {"finishReason": reason})

    # --- parts in their order --------------------------------------------------------------------

    def _add(self, block: _Block) -> _Block:
        step = self._open()
        step.blocks.append(block)
        return block

    def _write(self, block: _Block, kind: str, payload: Json) -> None:
        block.waiting.append((kind, payload))
        self._move()

    def _close(self, block: _Block) -> None:
        block.ended = True
        self._move()

    def _move(self) -> None:
        """Write what may be written: of the first part that has not ended, and of those before."""
        step = self._step
        while step is not None and step.head < len(step.blocks):
            block = step.blocks[step.head]
            self._drain(step, block)
            if not block.ended:
                return
            step.head += 1

    def _flush(self, step: _Step) -> None:
        """Write all that waits: no more comes of this step."""
        for block in step.blocks[step.head :]:
            self._drain(step, block)
            if not block.ended and block.tool:
                for place in block.places:
                    self._reading.note("open-call", place)

    def _drain(self, step: _Step, block: _Block) -> None:
        waiting, block.waiting = block.waiting, []
        for kind, payload in waiting:
            if kind == "text_citation" and not step.has_text:
                step.citations.append((payload, block.name))
                continue
            self._items.append(step.stream.delta(kind, payload))
            if kind == "text" and payload["textDelta"]:
                step.has_text = True
                for citation, place in step.citations:
                    self._reading.note("part-order", place)
                    self._items.append(step.stream.delta("text_citation", citation))
                step.citations = []

    # --- text ------------------------------------------------------------------------------------

    def _on_text_start(self, chunk: Members) -> bool:
        return self._begin_text("text", chunk)

    def _on_reasoning_start(self, chunk: Members) -> bool:
        return self._begin_text("thinking", chunk)

    def _on_text_delta(self, chunk: Members) -> bool:
        return self._go_on("text", chunk)

    def _on_reasoning_delta(self, chunk: Members) -> bool:
        return self._go_on("thinking", chunk)

    def _on_text_end(self, chunk: Members) -> bool:
        return self._end_text("text", chunk)

    def _on_reasoning_end(self, chunk: Members) -> bool:
        return self._end_text("thinking", chunk)

    def _begin_text(self, kind: str, chunk: Members) -> bool:
        text_id = chunk.text("id")
        if text_id is None:
            return False
        block = self._add(_Block(kind))
        self._open().texts[kind, text_id] = block
        self._state(block, chunk)
        return True

    def _state(self, block: _Block, chunk: Members) -> tuple[Json, str] | None:
        """Return the metadata of a part: the last one counts, as in the SDK.

        What another one said before, and the last one does not, is reported.
        """
        place, metadata = chunk.at("providerMetadata"), chunk.object("providerMetadata")
        if metadata:
            before, where = block.state or ({}, "")
            for member in _taken_back(before, metadata):
                self._reading.note("foreign-member", f"{where}{member}")
            block.state = metadata, place
        return block.state

    def _text_of(self, kind: str, chunk: Members) -> _Block | None:
        text_id = chunk.text("id")
        if text_id is None or self._step is None:
            return None
        return self._step.texts.get((kind, text_id))

    def _go_on(self, kind: str, chunk: Members) -> bool:
        block, text = self._text_of(kind, chunk), chunk.text("delta")
        if block is None or text is None:
            return False
        self._state(block, chunk)
        block.text.append(text)
        self._write(block, kind, {"textDelta": text})
        return True

    def _end_text(self, kind: str, chunk: Members) -> bool:
        text_id = chunk.peek("id")
        block = self._text_of(kind, chunk)
        if block is None:
            return False
        state = self._state(block, chunk)
        self._open().texts.pop((kind, text_id), None)
        text = "".join(block.text)
        opaque = opaque_of(kind, state[0], text, state[1], self._reading) if state else None
        if opaque is not None:
            self._write(block, kind, {"textDelta": "", "opaque": opaque})
        self._close(block)
        return True

    # --- what is whole ---------------------------------------------------------------------------

    def _whole(self, kind: str, payload: Json, place: str = "") -> None:
        block = self._add(_Block("whole", place))
        block.ended = True
        self._write(block, kind, payload)

    def _on_source_url(self, chunk: Members) -> bool:
        url = chunk.text("url")
        return bool(url) and self._source({"kind": "url", "url": url}, chunk)

    def _on_source_document(self, chunk: Members) -> bool:
        return self._source({"kind": "document"}, chunk)

    def _source(self, source: Json, chunk: Members) -> bool:
        for ours, theirs in (("id", "sourceId"), ("title", "title")):
            if said := chunk.text(theirs):
                source[ours] = said
        payload: Json = {"citation": {"source": source}}
        metadata = chunk.object("providerMetadata") or {}
        own = cited(metadata, self._reading, chunk.place)
        if own is not None:
            payload = {"citation": own}
        elif metadata:
            payload["citation"]["opaque"] = own_state({"providerMetadata": metadata})
        self._whole("text_citation", payload, chunk.place)
        return True

    def _on_steering_message(self, chunk: Members) -> bool:
        """Read what a user says while the answer goes on: a message between two steps."""
        message = {"id": chunk.text("id") or "", "role": "user", "parts": chunk.list("parts")}
        if message["parts"] is None:
            return False
        (said,) = messages_of_one(message, chunk.place, self._reading)
        self._end_step(is_last=False)
        head = {"runId": self._reading.run_id, "timestamp": self._reading.timestamp}
        self._reading.note_given()
        made: Message = read({**head, **said}, Message)
        self._items.append(made)
        return True

    def _on_file(self, chunk: Members) -> bool:
        part = file_of(chunk, chunk.place, self._reading, is_image=False)
        if part is None:
            return False
        payload = part["payload"]
        media_id = f"media_{len(self._open().blocks)}"
        start = {"mediaId": media_id, "mimeType": payload["mimeType"]}
        start |= {"name": payload["name"]} if payload.get("name") else {}
        end: Json = {"mediaId": media_id}
        source = payload.get("source", payload)
        metadata, at = chunk.object("providerMetadata") or {}, chunk.at("providerMetadata")
        if (opaque := opaque_of("media", metadata, "", at, self._reading)) is not None:
            end["opaque"] = opaque
        said = media_of(metadata)
        start |= {"name": said["name"]} if "name" in said else {}
        block = self._add(_Block("whole"))
        self._write(block, "media_start", start)
        words = {"transcriptDelta": said["transcript"]} if "transcript" in said else {}
        end |= {"sizeBytes": said["sizeBytes"]} if "sizeBytes" in said else {}
        if "data" in source or words:
            data = {"data": source["data"]} if "data" in source else {}
            self._write(block, "media_data", {"mediaId": media_id, **data, **words})
        if "data" not in source:
            name = "url" if "url" in source else "ref"
            end["source"] = {"kind": name, name: source[name]}
        self._write(block, "media_end", end)
        self._close(block)
        return True

    # --- calls -----------------------------------------------------------------------------------

    def _on_tool_input_start(self, chunk: Members) -> bool:
        return self._begin_call(chunk) is not None

    def _begin_call(self, chunk: Members) -> _Block | None:
        call_id, name = chunk.text("toolCallId"), chunk.text("toolName")
        if not call_id or not name:
            return None
        step = self._step
        if call_id in self._known and (step is None or call_id in step.calls):
            return None
        server = chunk.flag("providerExecuted") or False
        if chunk.flag("dynamic"):
            self._reading.note("tool-form", chunk.place)
        block = self._add(_Block("server_call" if server else "call", call_id, name))
        self._state(block, chunk)
        block.places.append(chunk.place)
        self._open().calls[call_id] = block
        self._known.add(call_id)
        self._answered.discard(call_id)
        if server:
            self._server.add(call_id)
        else:
            self._server.discard(call_id)
            self._open().has_calls = True
        start = {"toolCallId": call_id, "toolName": name}
        self._write(block, _named(block, "start"), start)
        return block

    def _on_tool_input_delta(self, chunk: Members) -> bool:
        block, text = self._call_of(chunk.text("toolCallId")), chunk.text("inputTextDelta")
        if block is None or block.ended or text is None:
            return False
        block.text.append(text)
        block.places.append(chunk.place)
        if text:
            self._write(block, _named(block, "args"), _args(block, text))
        return True

    def _call_of(self, call_id: str | None) -> _Block | None:
        return None if self._step is None else self._step.calls.get(call_id or "")

    def _on_tool_input_available(self, chunk: Members) -> bool:
        return self._end_call(chunk) is not None

    def _end_call(self, chunk: Members) -> _Block | None:
        call_id = chunk.peek("toolCallId")
        block = self._call_of(call_id if isinstance(call_id, str) else None)
        if block is None:
            block = self._begin_call(chunk)
        else:
            chunk.skip("toolCallId", block.name)
            chunk.skip("toolName", block.tool)
            chunk.skip("providerExecuted", block.kind == "server_call")
            if chunk.flag("dynamic"):
                self._reading.note("tool-form", chunk.place)
        if block is None or block.ended:
            return None
        at, given = chunk.at("input"), chunk.value("input")
        said = "".join(block.text)
        if not said and given is not None:
            text = given if isinstance(given, str) else json_text(given)
            self._write(block, _named(block, "args"), _args(block, text))
        elif said and given != said and _value_in(said) != given:
            self._reading.note("foreign-member", at)
        end: Json = {"toolCallId": block.name}
        if (said_of := self._state(block, chunk)) is not None:
            kind = "tool_call" if block.kind == "call" else "server_tool_call"
            opaque = opaque_of(kind, said_of[0], "", said_of[1], self._reading)
            if opaque is not None:
                end["opaque"] = opaque
        state = call_state(block.name, block.tool, given) if block.kind == "server_call" else None
        if state is not None:
            end.setdefault("opaque", state)
        self._write(block, _named(block, "end"), end)
        self._close(block)
        return block

    def _on_tool_input_error(self, chunk: Members) -> bool:
        text = chunk.text("errorText")
        block = self._end_call(chunk)
        if block is None:
            return False
        return self._answer(block.name, error_result(block.name, text or ""), None)

    # --- results and approvals -------------------------------------------------------------------

    def _on_tool_output_available(self, chunk: Members) -> bool:
        call_id = chunk.text("toolCallId")
        if not call_id or "output" not in chunk:
            return False
        at, output = chunk.at("output"), chunk.value("output")
        members = {"outcome": "partial"} if chunk.flag("preliminary") else {}
        result = result_of(call_id, output, at, self._reading, **members)
        return self._answer(call_id, result, chunk)

    def _on_tool_output_error(self, chunk: Members) -> bool:
        call_id = chunk.text("toolCallId")
        if not call_id:
            return False
        return self._answer(call_id, error_result(call_id, chunk.text("errorText") or ""), chunk)

    def _on_tool_output_denied(self, chunk: Members) -> bool:
        call_id = chunk.text("toolCallId")
        if not call_id:
            return False
        asked = self._approvals.get(self._asked.get(call_id, ""))
        return self._answer(call_id, denied_result(call_id, asked[1] if asked else None), chunk)

    def _answer(self, call_id: str, result: Json, chunk: Members | None) -> bool:
        """Take the result of a call; a later one replaces it, as long as its step is open."""
        said = chunk.flag("providerExecuted") if chunk is not None else None
        if chunk is not None and chunk.flag("dynamic"):
            self._reading.note("tool-form", chunk.place)
        step, place = self._step, f"/{self._number}"
        metadata = chunk.object("providerMetadata") if chunk is not None else None
        own = result_as(metadata, result, self._reading, place)
        if own is not None:
            result, metadata = own, None
        if said is not None and call_id in self._known and said != (call_id in self._server):
            self._reading.note("foreign-member", f"{place}/providerExecuted")
            said = None
        if call_id in self._server or said:
            if result["payload"].get("outcome") == "partial":
                self._reading.note("preliminary", place)  # a later one comes whole
                return True
            block = self._call_of(call_id)
            if call_id in self._answered or (step is not None and call_id in step.answered):
                return False
            if block is not None and not block.ended:
                return False
            self._answered.add(call_id)
            self._open().answered.add(call_id)
            if metadata:
                at = f"{place}/providerMetadata"
                opaque = opaque_of("server_tool_result", metadata, "", at, self._reading)
                if opaque is not None:
                    result["payload"]["opaque"] = opaque
            self._whole("server_tool_result", with_block(result["payload"]))
            return True
        came = step.results if step is not None else self._late
        if metadata:
            self._reading.note("foreign-member", f"{place}/providerMetadata")
        key = f"result {call_id}"
        if key in came:
            self._reading.note("preliminary", came[key][1])
        elif call_id in self._answered:
            return False
        self._answered.add(call_id)
        came[key] = result, place
        return True

    def _on_tool_approval_request(self, chunk: Members) -> bool:
        approval_id, call_id = chunk.text("approvalId"), chunk.text("toolCallId")
        block = self._call_of(call_id)
        if not approval_id or not call_id or block is None or not block.ended:
            return False
        if approval_id in self._approvals:
            return False
        self._approvals[approval_id] = (call_id, None)
        self._asked[call_id] = approval_id
        request: Json = {"approvalId": approval_id, "toolCallId": call_id}
        if (reason := chunk.text("reason")) is not None:
            request["reason"] = reason
        kept = {name: chunk.value(name) for name in ("isAutomatic", "signature") if name in chunk}
        if kept:
            request["opaque"] = own_state(kept)
        self._whole("approval_request", request)
        return True

    def _on_tool_approval_response(self, chunk: Members) -> bool:
        approval_id, approved = chunk.text("approvalId"), chunk.flag("approved")
        asked = self._approvals.get(approval_id or "")
        if not approval_id or approved is None or asked is None:
            return False
        reason = chunk.text("reason")
        self._approvals[approval_id] = (asked[0], reason)
        response: Json = {"approvalId": approval_id, "toolCallId": asked[0]}
        response["decision"] = "approved" if approved else "denied"
        if reason is not None:
            response["reason"] = reason
        came = self._step.results if self._step is not None else self._late
        key = f"approval {approval_id}"
        if key in came:
            return False
        came[key] = {"kind": "approval_response", "payload": response}, chunk.place
        return True


def _taken_back(before: Json, after: Json) -> Iterator[str]:
    """Yield the places of what metadata said and that which came behind it does not."""
    for provider, said in before.items():
        other = after.get(provider)
        if not isinstance(said, dict) or not isinstance(other, dict):
            if said != other:
                yield f"/{escape_pointer(provider)}"
            continue
        for name, value in said.items():
            if value is not None and other.get(name) != value:
                yield f"/{escape_pointer(provider)}/{escape_pointer(name)}"


def _is_public(kind: str) -> bool:
    return "_" not in kind


def _named(block: _Block, step: str) -> str:
    return f"tool_call_{step}" if block.kind == "call" else f"server_tool_call_{step}"


def _args(block: _Block, text: str) -> Json:
    return {"toolCallId": block.name, "argsTextDelta": text}


def _value_in(text: str) -> Any:
    try:
        return decode_json(text.encode())
    except (PartwireError, UnicodeEncodeError):
        return None
