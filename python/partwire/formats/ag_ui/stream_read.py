"""The event stream of AG-UI, read: each answer is a stream of deltas, all else whole messages.

Reasoning and the answer behind it are one message, as in histories. Calls belong to the message
that they name, or are one of their own, as the client has it.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract import times
from partwire.errors import PartwireError
from partwire.json.text import decode_json
from partwire.losses import Loss, in_order
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import read

from ..core.extension import PARTWIRE
from ..core.parts import text_part
from ..core.reading import Json, Members, Reading
from ..core.runs import RunItem
from ..core.source import is_nested, source_of
from .events import APPROVAL, BESIDE_CHUNKS, EVENTS, USAGE, VERSIONS, sse_data
from .lanes import Answer, Block, Lanes, Whole
from .read import result_of
from .snapshots import Snapshots
from .state import MOST_LEVELS, OWN, Kept, state_of, stem_of, take_state

__all__ = ["AgUiStreamReader", "reader"]

_CUT: Final = {
    "errorCode": "truncated_stream",
    "message": "The stream ended before the run was finished",
}
_WHOLE: Final = ("text_citation", "server_tool_result", "approval_request", "usage", "warning")
"""Deltas of ours, each of which says what it says alone."""
_MANY: Final = {
    "server_tool_call_start": "toolCallId",
    "server_tool_call_args": "toolCallId",
    "server_tool_call_end": "toolCallId",
    "media_start": "mediaId",
    "media_data": "mediaId",
    "media_end": "mediaId",
}
"""Deltas of ours, several of which make a part; and what says which."""


def reader(reading: Reading) -> AgUiStreamReader:
    """Return a reader of one stream of events."""
    return AgUiStreamReader(reading)


class _Said:
    """A message that is not the assistant's and comes in pieces."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self.texts: list[str] = []

    def tell(self) -> None:
        """Give the message what has come."""
        text = "".join(self.texts)
        self.whole.message["parts"] = [text_part(text)] if text else []


class AgUiStreamReader:
    """Events in, deltas and messages out; see :func:`partwire.formats.reader`.

    An event is a JSON object, its text, or a line of the event stream that begins with ``data:``.
    A run ends well by RUN_FINISHED; a stream may hold several runs.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._lanes = Lanes(reading)
        self._snapshots = Snapshots(reading, self._lanes)
        self._number = -1
        self._is_open = False  # a run has begun, or something of it has come
        self._thread: str | None = None
        self._texts: dict[str, Block | _Said] = {}  # that are open, by id
        self._thoughts: dict[str, tuple[Answer, Block]] = {}  # all, by id
        self._open_thoughts: set[str] = set()
        self._said: dict[str, tuple[Answer, Block]] = {}  # the last text of each id
        self._calls: dict[str, tuple[Answer, Block]] = {}
        self._answered: set[str] = set()
        self._own: dict[str, Block] = {}  # parts of ours that are open
        self._approvals: set[str] = set()
        self._has_failed = False  # as ours has said already
        self._chunk: tuple[str, str] | None = None  # kind and id of what comes in chunks
        self._is_said = False  # answers of ours have said themselves
        self._ours: set[str] = set()  # ids of approvals that ours has said already
        self._covered: list[str] = []  # types of the events that a message of ours says

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the events."""
        return in_order(self._reading.losses)

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them."""
        return in_order(self._reading.take_losses())

    # --- events ----------------------------------------------------------------------------------

    def feed(self, event: Any) -> list[RunItem]:
        """Take an event, and return what it says; raises ReadError for what is not an event."""
        self._number += 1
        place = f"/{self._number}"
        text = text_of(event)
        if text is None:
            value = source_of(event)
        else:
            data = sse_data(text)
            if data is None:
                return []
            value = decode_json(data)
        members = self._reading.members(value, place)
        kind = members.text("type")
        if kind is None:
            raise self._reading.refuse(f"{place}/type", "the type of an event", value.get("type"))
        if self._covers(kind, place):
            return []
        if kind not in EVENTS:
            self._close_chunk(kind)
            self._reading.note("foreign-event", place)
            return self._lanes.taken()
        self._lanes.time, self._lanes.place = _time_of(members), place
        if not kind.endswith("_CHUNK"):
            self._close_chunk(kind)
        if getattr(self, f"_on_{kind.lower()}")(members) is False:
            self._reading.note("malformed-event", place)
        else:
            members.close()
        return self._lanes.taken()

    def finish(self) -> list[RunItem]:
        """Say that no more comes: a run that did not end is cut."""
        self._close_chunk("")
        if self._is_open:
            self._fail(_CUT)
        return self._lanes.taken()

    # --- runs ------------------------------------------------------------------------------------

    def _on_run_started(self, event: Members) -> None:
        if self._is_open:
            self._fail(_CUT)
        self._is_open = True
        self._lanes.run_id = event.text("runId") or None
        self._thread = thread = event.peek("threadId")
        if not isinstance(thread, str):
            self._thread = None
        event.skip("protocolVersion", *VERSIONS)
        place, given = event.at("input"), event.object("input")
        if given is not None:
            body = Members(given, place, self._reading)
            at, messages = body.at("messages"), body.list("messages")
            if messages is not None:
                self._snapshots.read(messages, at, is_whole=False)
            body.skip("runId", self._lanes.run_id)
            body.skip("threadId", self._thread)
            body.close("request-member")

    def _on_run_finished(self, event: Members) -> None:
        event.skip("runId", self._lanes.run_id)
        event.skip("threadId", self._thread)
        self._usage(event)
        outcome, at = event.object("outcome"), event.at("outcome")
        ending: Json = {"kind": "done", "payload": {"finishReason": self._reason()}}
        if outcome is not None:
            said = Members(outcome, at, self._reading)
            kind = said.text("type")
            if kind == "cancelled":
                self._fail({"errorCode": "cancelled", "message": "The run was stopped"})
            elif kind == "interrupt":
                self._interrupts(said)
                ending = {"kind": "done", "payload": {"finishReason": self._reason()}}
            elif kind == "success":
                pending = [call for call in self._calls if call not in self._answered]
                said.skip("pendingToolCallIds", pending, [])
            else:
                self._reading.note("foreign-member", f"{at}/type")
            said.close()
        self._end(ending)

    def _reason(self) -> str:
        last = self._lanes.last
        if last is None:
            return "unknown"
        if last.has_approvals:
            return "awaiting_approval"
        return "tool_calls" if last.has_calls else "stop"

    def _on_run_error(self, event: Members) -> None:
        self._usage(event)
        message, code = event.text("message"), event.text("code")
        error: Json = {"errorCode": code or "unknown"}
        if message is not None:
            error["message"] = message
        event.skip("runId", self._lanes.run_id)
        event.skip("threadId", self._thread)
        self._fail(error)

    def _fail(self, error: Json) -> None:
        """End the run by an error: that of an answer that did not come, where none is open."""
        if self._lanes.last is None and not self._has_failed:
            self._lanes.begin(None, "")
        self._end({"kind": "error", "payload": error})

    def _end(self, ending: Json) -> None:
        if self._lanes.time is not None:
            ending["timestamp"] = self._lanes.time
        for block in self._texts.values():
            if isinstance(block, _Said):
                block.tell()
        self._lanes.end(ending)
        self._is_open = False
        self._texts, self._thoughts, self._said, self._own = {}, {}, {}, {}
        self._open_thoughts = set()
        self._covered = []
        self._calls, self._answered, self._approvals = {}, set(), set()
        self._has_failed = False

    def _usage(self, event: Members) -> None:
        """Take the figures of the run, added up, as those of its last answer."""
        place, rows, last = event.at("usage"), event.peek("usage"), self._lanes.last
        if last is None and self._is_said and rows is not None:
            event.value("usage")
            self._reading.note("duplicate-text", place)
        if not isinstance(rows, list) or last is None or not rows:
            return  # what is left is reported
        event.value("usage")
        figures: Json = {}
        for at, row in enumerate(rows):
            if not isinstance(row, dict):
                self._reading.note("foreign-member", f"{place}/{at}")
                continue
            entry = Members(row, f"{place}/{at}", self._reading)
            counts = {ours: entry.count(theirs) for theirs, ours in USAGE.items()}
            said = {ours: count for ours, count in counts.items() if count is not None}
            said.setdefault("totalTokens", said.get("inputTokens", 0) + said.get("outputTokens", 0))
            for ours, count in said.items():
                figures[ours] = figures.get(ours, 0) + count
            entry.close()
        has_both = {"inputTokens", "outputTokens"} <= figures.keys()
        if not has_both or max(figures.values()) >= 2**53:
            self._reading.note("foreign-member", place)
            return
        self._lanes.whole(last, "usage", figures)

    def _interrupts(self, outcome: Members) -> None:
        """Read what a run waits for: approvals of calls; all else is reported."""
        place, given = outcome.at("interrupts"), outcome.list("interrupts")
        for at, each in enumerate(given or []):
            inner = f"{place}/{at}"
            said = each.get("id") if isinstance(each, dict) else None
            if isinstance(said, str) and said in self._ours:
                self._reading.note("duplicate-text", inner)
            elif not isinstance(each, dict) or not self._approval(
                Members(each, inner, self._reading)
            ):
                self._reading.note("foreign-part", inner)

    def _approval(self, interrupt: Members) -> bool:
        approval_id, call_id = interrupt.text("id"), interrupt.text("toolCallId")
        reason, message = interrupt.text("reason"), interrupt.text("message")
        if not approval_id or not call_id or approval_id in self._approvals:
            return False
        request: Json = {"approvalId": approval_id, "toolCallId": call_id}
        if message is not None:
            request["reason"] = message
        own: Json = {} if reason in (APPROVAL, None) else {"reason": reason}
        for name in ("responseSchema", "expiresAt", "subagentRunId", "metadata"):
            said = interrupt.peek(name)
            if said is not None and not is_nested(said, MOST_LEVELS):
                own[name] = interrupt.value(name)
        if own:
            request["opaque"] = {"provider": OWN, "data": own}
        self._approvals.add(approval_id)
        answer, block = self._calls.get(call_id, (None, None))
        if answer is not None and answer is self._lanes.last and block is not None and block.ended:
            answer.has_approvals = True
            self._lanes.whole(answer, "approval_request", request)
        else:
            part = {"kind": "approval_request", "payload": request}
            self._lanes.add({"role": "assistant", "parts": [part]})
        interrupt.close()
        return True

    # --- text ------------------------------------------------------------------------------------

    def _on_text_message_start(self, event: Members) -> bool:
        text_id, role = event.text("messageId"), event.text("role") or "assistant"
        if text_id is None or text_id in self._texts:
            return False
        return self._begin_text(text_id, role, event)

    def _begin_text(self, text_id: str, role: str, event: Members) -> bool:
        self._is_open = True
        if role != "assistant":
            return self._begin_said(text_id, role, event)
        answer = self._answer_of(text_id, event)
        block = self._lanes.block(answer, "text", text_id)
        self._texts[text_id] = block
        self._said[text_id] = answer, block
        self._lanes.move()
        return True

    def _begin_said(self, text_id: str, role: str, event: Members) -> bool:
        ours = {"developer": "system", "system": "system", "user": "user"}.get(role)
        if ours is None:
            return False
        message: Json = {"role": ours, "parts": []}
        if text_id:
            message["messageId"] = text_id
        if name := event.text("name"):
            message["author"] = {"name": name}
        if role == "developer":
            self._reading.note("role-form", event.at("role"))
            message["meta"] = {OWN: {"role": role}}
        self._texts[text_id] = _Said(self._lanes.add(message, is_ready=False))
        return True

    def _answer_of(self, answer_id: str, event: Members | None = None) -> Answer:
        """Return the answer that a text or a call of this id belongs to; begin one."""
        last = self._lanes.last
        if last is not None and last.is_said:
            return last
        found = self._lanes.answer_of(answer_id)
        if found is not None:
            return found
        if last is not None and last.answer_id is None:
            self._lanes.adopt(last, answer_id)
            return last
        name = event.text("name") if event is not None else None
        return self._lanes.begin(answer_id or None, answer_id, name)

    def _on_text_message_content(self, event: Members) -> bool:
        text_id, text = event.text("messageId"), event.text("delta")
        return text_id is not None and text is not None and self._say(text_id, text)

    def _say(self, text_id: str, text: str) -> bool:
        block = self._texts.get(text_id)
        if block is None:
            return False
        block.texts.append(text)
        if isinstance(block, Block) and text:
            self._lanes.write(block, "text", {"textDelta": text})
        return True

    def _on_text_message_end(self, event: Members) -> bool:
        text_id = event.text("messageId")
        return text_id is not None and self._end_text(text_id)

    def _end_text(self, text_id: str) -> bool:
        block = self._texts.pop(text_id, None)
        if block is None:
            return False
        if isinstance(block, _Said):
            block.tell()
            block.whole.is_ready = True
            self._lanes.move()
            return True
        if (opaque := state_of(block.kept)) is not None:
            self._lanes.write(block, "text", {"textDelta": "", "opaque": opaque})
        self._lanes.close(block)
        return True

    # --- reasoning -------------------------------------------------------------------------------

    def _on_reasoning_start(self, event: Members) -> bool:
        return event.text("messageId") is not None  # which only says what is within

    def _on_reasoning_end(self, event: Members) -> bool:
        return event.text("messageId") is not None

    def _on_reasoning_message_start(self, event: Members) -> bool:
        thought_id = event.text("messageId")
        if event.peek("role") is not None and not event.drop("role", "reasoning"):
            return False
        return thought_id is not None and self._begin_thought(thought_id)

    def _begin_thought(self, thought_id: str) -> bool:
        if thought_id in self._open_thoughts:
            return False
        self._is_open = True
        self._open_thoughts.add(thought_id)
        stem, last = stem_of(thought_id), self._lanes.last
        if last is None or not (last.is_said or last.answer_id is None or last.answer_id == stem):
            last = self._lanes.begin(stem or None, None)
        again = last.blocks[-1] if last.blocks else None
        is_same = again is not None and (again.kind, again.name) == ("thinking", thought_id)
        if again is not None and is_same and thought_id and not again.ended:
            again.is_over = False  # it goes on
            return True
        self._thoughts[thought_id] = last, self._lanes.block(last, "thinking", thought_id)
        self._lanes.move()
        return True

    def _on_reasoning_message_content(self, event: Members) -> bool:
        thought_id, text = event.text("messageId"), event.text("delta")
        return thought_id is not None and text is not None and self._think(thought_id, text)

    def _think(self, thought_id: str, text: str) -> bool:
        if thought_id not in self._open_thoughts:
            return False
        _, block = self._thoughts[thought_id]
        if text:
            block.texts.append(text)
            self._lanes.write(block, "thinking", {"textDelta": text})
        return True

    def _on_reasoning_message_end(self, event: Members) -> bool:
        thought_id = event.text("messageId")
        return thought_id is not None and self._end_thought(thought_id)

    def _end_thought(self, thought_id: str) -> bool:
        if thought_id not in self._open_thoughts:
            return False
        self._open_thoughts.discard(thought_id)
        self._lanes.close(self._thoughts[thought_id][1])
        return True

    def _on_reasoning_encrypted_value(self, event: Members) -> bool:
        kind, entity = event.text("subtype"), event.text("entityId")
        kept = take_state(event)
        if kept.value is None or entity is None:
            return False
        found = {
            "tool-call": self._calls.get(entity),
            "message": self._thoughts.get(entity) or self._said.get(entity),
        }.get(kind or "")
        if found is None:
            return False
        answer, block = found
        if not block.ended:
            block.kept = kept._replace(own=block.kept.own)
            return True
        return self._late(answer, block, kept)

    def _late(self, answer: Answer, block: Block, kept: Kept) -> bool:
        """Write the state of a part that is over: with text it joins, else as a part without."""
        if answer is not self._lanes.last:
            return False
        if block.kind == "text" and block is answer.blocks[-1]:
            opaque = state_of(kept)
        else:
            name = "toolCallId" if block.kind == "call" else "id"
            opaque = state_of(kept._replace(own={name: block.name}))
        kind = "text" if block.kind == "text" else "thinking"
        self._lanes.whole(answer, kind, {"textDelta": "", "opaque": opaque})
        return True

    # --- reasoning as versions before 1.0 have it: without ids -----------------------------------

    def _on_thinking_start(self, _: Members) -> None:
        """Nothing to take: its title is reported."""

    def _on_thinking_end(self, _: Members) -> None:
        """Nothing to take."""

    def _on_thinking_text_message_start(self, _: Members) -> bool:
        return self._begin_thought("")

    def _on_thinking_text_message_content(self, event: Members) -> bool:
        text = event.text("delta")
        if text is None:
            return False
        if "" not in self._open_thoughts:
            self._begin_thought("")
        return self._think("", text)

    def _on_thinking_text_message_end(self, _: Members) -> bool:
        return self._end_thought("")

    # --- calls -----------------------------------------------------------------------------------

    def _on_tool_call_start(self, event: Members) -> bool:
        call_id, name = event.text("toolCallId"), event.text("toolCallName")
        if not call_id or not name or call_id in self._calls:
            return False
        self._begin_call(call_id, name, event)
        return True

    def _begin_call(self, call_id: str, name: str, event: Members) -> None:
        self._is_open = True
        parent = event.text("parentMessageId") or call_id
        answer = self._answer_of(parent)
        answer.has_calls = True
        block = self._lanes.block(answer, "call", call_id, name)
        block.places.append(event.place)
        self._calls[call_id] = answer, block
        self._keep_metadata(block, event)
        self._lanes.write(block, "tool_call_start", {"toolCallId": call_id, "toolName": name})

    def _keep_metadata(self, block: Block, event: Members) -> None:
        """Keep the metadata of the events of a call, which are the call's: the last one counts."""
        if is_nested(event.peek("metadata"), MOST_LEVELS):
            return  # what is left is reported
        metadata = event.object("metadata")
        if metadata is not None:
            own = block.kept.own
            joined = {**own.get("metadata", {}), **metadata}
            block.kept = block.kept._replace(own={**own, "metadata": joined})

    def _on_tool_call_args(self, event: Members) -> bool:
        block, text = self._open_call(event), event.text("delta")
        if block is None or text is None:
            return False
        self._keep_metadata(block, event)
        block.places.append(event.place)
        self._argue(block, text)
        return True

    def _argue(self, block: Block, text: str) -> None:
        if text:
            block.texts.append(text)
            payload = {"toolCallId": block.name, "argsTextDelta": text}
            self._lanes.write(block, "tool_call_args", payload)

    def _open_call(self, event: Members) -> Block | None:
        call_id = event.text("toolCallId")
        _, block = self._calls.get(call_id or "", (None, None))
        return None if block is None or block.ended else block

    def _on_tool_call_end(self, event: Members) -> bool:
        block = self._open_call(event)
        if block is None:
            return False
        self._keep_metadata(block, event)
        self._end_call(block)
        return True

    def _end_call(self, block: Block) -> None:
        end: Json = {"toolCallId": block.name}
        if (opaque := state_of(block.kept)) is not None:
            end["opaque"] = opaque
        self._lanes.write(block, "tool_call_end", end)
        self._lanes.close(block)

    def _on_tool_call_result(self, event: Members) -> bool:
        call_id, message_id = event.text("toolCallId"), event.text("messageId")
        if not call_id or event.peek("content") is None:
            return False
        self._is_open = True
        event.skip("role", "tool")
        part, error = result_of(call_id, event, self._reading)
        own: Json = {} if error is None else {"error": error}
        if (metadata := event.object("metadata")) is not None:
            own["metadata"] = metadata
        if (subagent := event.text("subagentRunId")) is not None:
            own["subagentRunId"] = subagent
        message: Json = {"role": "tool", "parts": [part]}
        message |= {"messageId": message_id} if message_id else {}
        message |= {"meta": {OWN: own}} if own else {}
        self._answered.add(call_id)
        self._lanes.add(message)
        return True

    # --- chunks ----------------------------------------------------------------------------------

    def _close_chunk(self, kind: str) -> None:
        """End what comes in chunks, if an event of this type ends it."""
        if self._chunk is None or kind in BESIDE_CHUNKS:
            return
        (form, name), self._chunk = self._chunk, None
        if form == "text":
            self._end_text(name)
        elif form == "thinking":
            self._end_thought(name)
        else:
            _, block = self._calls[name]
            if not block.ended:
                self._end_call(block)

    def _in_chunk(self, form: str, given: str | None) -> str | None:
        """Return the id that a chunk goes on with; one of another ends what came before."""
        if self._chunk is not None and (
            self._chunk[0] != form or given not in (None, self._chunk[1])
        ):
            self._close_chunk("")
        return given if self._chunk is None else self._chunk[1]

    def _on_text_message_chunk(self, event: Members) -> bool:
        given, text = event.text("messageId"), event.text("delta")
        text_id = self._in_chunk("text", given)
        if text_id is None:
            return False
        if text_id not in self._texts:
            if not self._begin_text(text_id, event.text("role") or "assistant", event):
                return False
            self._chunk = "text", text_id
        else:
            self._repeats(text_id, event)
        return self._say(text_id, text or "")

    def _repeats(self, text_id: str, event: Members) -> None:
        """Take what a chunk says again of a message that has begun."""
        block = self._texts[text_id]
        if isinstance(block, Block):
            event.skip("role", "assistant")
            return
        message = block.whole.message
        event.skip("role", message.get("meta", {}).get(OWN, {}).get("role", message["role"]))
        event.skip("name", message.get("author", {}).get("name"))

    def _on_reasoning_message_chunk(self, event: Members) -> bool:
        given, text = event.text("messageId"), event.text("delta")
        thought_id = self._in_chunk("thinking", given)
        if thought_id is None:
            return False
        if thought_id not in self._open_thoughts:
            self._begin_thought(thought_id)
            self._chunk = "thinking", thought_id
        return self._think(thought_id, text or "")

    def _on_tool_call_chunk(self, event: Members) -> bool:
        given, name, text = (
            event.text("toolCallId"),
            event.text("toolCallName"),
            event.text("delta"),
        )
        call_id = self._in_chunk("call", given)
        if not call_id:
            return False
        if call_id not in self._calls:
            if not name:
                return False
            self._begin_call(call_id, name, event)
            self._chunk = "call", call_id
        answer, block = self._calls[call_id]
        if block.ended or name not in (None, block.tool):
            return False
        event.skip("parentMessageId", answer.answer_id)
        block.places.append(event.place)
        self._keep_metadata(block, event)
        self._argue(block, text or "")
        return True

    # --- snapshots, and what is ours -------------------------------------------------------------

    def _on_messages_snapshot(self, event: Members) -> bool:
        at, messages = event.at("messages"), event.list("messages")
        if messages is None:
            return False
        self._is_open = True
        self._snapshots.read(messages, at, is_whole=True)
        return True

    def _on_custom(self, event: Members) -> bool:
        place = event.place
        if not event.drop("name", PARTWIRE):
            for name in ("name", "value", "metadata"):
                event.value(name)
            self._reading.note("foreign-event", place)
            return True
        value = event.object("value") or {}
        delta, message = value.get("delta"), value.get("message")
        try:
            if isinstance(delta, dict):
                return self._take(delta)
            if isinstance(message, dict):
                covered = value.get("covers")
                self._lanes.add(_checked(message))
                for part in message["parts"]:
                    self._keep_approval(part["payload"])
                self._is_said = self._is_said or message["role"] == "assistant"
                self._is_open = True
                self._covered = [str(each) for each in covered] if isinstance(covered, list) else []
                return True
        except PartwireError:
            self._reading.note("extension-unread", place)
            return True
        return False

    def _covers(self, kind: str, place: str) -> bool:
        """Return whether an event says what a message of ours has said."""
        if not self._covered:
            return False
        if self._covered[0] == kind:
            del self._covered[0]
            return True
        self._covered = []
        self._reading.note("extension-unread", place)
        return False

    def _take(self, delta: Json) -> bool:
        """Take a delta of ours, which the protocol has no event for."""
        read({**delta, "seq": 0}, "message.MessageDelta")  # with its time
        kind, payload, last = delta["kind"], delta["payload"], self._lanes.last
        if kind == "start":
            self._lanes.begin_said(delta)
            self._is_open, self._is_said, self._has_failed = True, True, False
            return True
        if last is None or not last.is_said:
            return False
        if kind in ("done", "error"):
            self._lanes.end_said(last, delta)
            self._has_failed = kind == "error"
        elif kind in _WHOLE:
            self._keep_approval(payload)
            self._lanes.whole(last, kind, payload)
        elif kind in _MANY:
            self._part(last, kind, payload)
        else:
            return False
        return True

    def _keep_approval(self, payload: Json) -> None:
        if "approvalId" in payload:
            self._ours.add(payload["approvalId"])

    def _part(self, answer: Answer, kind: str, payload: Json) -> None:
        name = f"{_MANY[kind]} {payload[_MANY[kind]]}"
        if kind.endswith("_start"):
            self._own[name] = self._lanes.block(answer, "own", name)
        block = self._own.get(name)
        if block is None or block.ended:
            self._lanes.whole(answer, kind, payload)
            return
        self._lanes.write(block, kind, payload)
        if kind.endswith("_end"):
            self._lanes.close(block)


def _checked(message: Json) -> Json:
    read(message, "message.Message")
    return message


def _time_of(event: Members) -> str | None:
    """Take the time of an event, in milliseconds since the epoch."""
    ms = event.peek("timestamp")
    if type(ms) is not int or not 0 <= ms <= times.LAST_MS:
        return None
    event.value("timestamp")
    return times.text_of(ms)
