"""Streams of LangChain and LangGraph, read: each answer is a stream of deltas, others are whole.

- What a graph yields: ``[mode, data]``, ``[namespace, mode, data]`` or ``{type, ns, data}``.
- Events of version 3: of the protocol, or those of a chat model alone (``message-start`` …).
- Chunks of an AI message by themselves.

An answer has ended well where its chunks or events say so, where a state has it, or where the graph
goes on behind it. Answers that come at the same time are written one after the other.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.json.text import decode_json, json_text
from partwire.losses import Loss, in_order
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import read

from ..core.deltas import DeltaStream
from ..core.parts import value_result
from ..core.reading import Json, Members, Reading
from ..core.runs import RunItem
from ..core.source import source_of
from ..core.sse import sse_data
from .chunks import take_chunk
from .coming import Coming
from .envelopes import Opened, opened
from .heads import dialect_of
from .read import History

__all__ = ["LangChainStreamReader", "reader"]

_DONE: Final = b"[DONE]"
_UNKNOWN: Final = "unknown"
_CUT: Final = {
    "errorCode": "truncated_stream",
    "message": "The stream ended before it was finished",
}


def reader(reading: Reading) -> LangChainStreamReader:
    """Return a reader of one stream."""
    return LangChainStreamReader(reading)


class _Whole:
    """A whole message in the queue of answers."""

    def __init__(self, message: Message) -> None:
        self._out: list[Any] = [message]
        self.is_done = True

    def taken(self) -> list[Any]:
        out, self._out = self._out, []
        return out


class LangChainStreamReader:
    """Events in, deltas and messages out; see :func:`partwire.formats.reader`.

    An event is JSON text, a JSON value, or a line of server-sent events.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._history = History(reading)
        self._number = -1
        self._answers = 0
        self._queue: list[Coming | _Whole] = []
        self._coming: dict[str, Coming] = {}
        self._seen: set[str] = set()  # ids of messages
        self._answered: set[str] = set()  # calls that have their results
        self._stored = 0  # messages of the last state
        self._noted: set[str] = set()  # metadata that has been reported
        self._blocks: dict[str, dict[Any, Any]] = {}

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the events."""
        return in_order(self._reading.losses)

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them."""
        return in_order(self._reading.take_losses())

    # --- events ----------------------------------------------------------------------------------

    def feed(self, event: Any) -> list[RunItem]:
        """Take an event, and return what it says; raises ReadError for what is not one."""
        self._number += 1
        place = f"/{self._number}"
        text = text_of(event)
        if text is not None:
            data = sse_data(text)
            if data is None or data == _DONE:
                return []
            self._event(decode_json(data), place)
        else:
            self._event(source_of(event), place)
        return self._taken()

    def finish(self) -> list[RunItem]:
        """Say that no more comes: an answer that did not end is cut."""
        for coming in self._coming.values():
            if coming.is_complete:
                coming.finish()
            else:
                coming.fail(_CUT)
        self._coming = {}
        return self._taken()

    def _taken(self) -> list[RunItem]:
        taken: list[RunItem] = []
        while self._queue:
            first = self._queue[0]
            taken += first.taken()
            if not first.is_done:
                break
            self._queue.pop(0)
        return taken

    def _event(self, event: Any, place: str) -> None:
        if type(event) is list and len(event) in (2, 3) and type(event[-2]) is str:
            namespace = event[0] if len(event) == 3 else []
            at = f"{place}/{len(event) - 1}"
            self._mode(event[-2], namespace, event[-1], at)
            return
        members = self._reading.members(event, place)
        if type(members.peek("event")) is str:
            self._of_model(members, [])
        elif type(members.peek("method")) is str:
            self._of_protocol(members)
        elif type(members.peek("ns")) is list and "data" in members:
            mode, namespace = members.text("type"), members.value("ns")
            at = members.at("data")
            self._mode(mode or "", namespace, members.value("data"), at)
            members.close("foreign-event")
        else:
            self._message(opened(event, place, self._reading), None)

    def _mode(self, mode: str, namespace: Any, data: Any, place: str) -> None:
        """Read what a graph yields in one of its modes."""
        if mode == "messages":
            if type(data) is not list or len(data) != 2:
                raise self._reading.refuse(place, "a message with its metadata", data)
            message, metadata = data
            step = metadata.get("langgraph_step") if type(metadata) is dict else None
            self._note_once(metadata, f"{place}/1")
            self._message(opened(message, f"{place}/0", self._reading), step, metadata)
        elif mode in ("values", "updates") and type(data) is dict:
            self._state(data, place, is_update=mode == "updates")
        else:
            self._reading.note("foreign-event", place)
        del namespace

    def _note_once(self, value: Any, place: str) -> None:
        """Report what stands beside every chunk, where it is other than before."""
        known = json_text(value)
        if known not in self._noted:
            self._noted.add(known)
            self._reading.note("foreign-event", place)

    # --- messages --------------------------------------------------------------------------------

    def _message(self, message: Opened, step: Any, metadata: Any = None) -> None:
        members = message.members
        if message.kind == "ai" and message.type.endswith("Chunk"):
            message_id = members.text("id") or None
            task = metadata.get("langgraph_checkpoint_ns") if type(metadata) is dict else None
            coming = self._coming.get(message_id or "")
            if coming is None and (coming := self._other_name(message_id, task)) is not None:
                self._reading.note("foreign-event", members.at("id"))
            if coming is None:
                self._go_on(step)
                coming = self._begin(message_id or "", message_id, members, metadata)
                coming.step, coming.task = step, task
            members.value("name")
            take_chunk(coming, members, self._reading)
            return
        self._go_on(step)
        self._whole(message)

    def _other_name(self, message_id: str | None, task: Any) -> Coming | None:
        """Return the answer of a task that goes on under the provider's id of it, or the other.

        Chunks of one answer may have LangChain's id of its run, and then that of the provider.
        """
        if not message_id or type(task) is not str:
            return None
        open_answers = [each for each in self._coming.items() if each[1].task == task]
        if len(open_answers) != 1 or _is_of_run(open_answers[0][0]) == _is_of_run(message_id):
            return None
        return open_answers[0][1]

    def _go_on(self, step: Any) -> None:
        """End the answers that a message of this step, which is another one, comes behind."""
        for key, coming in list(self._coming.items()):
            is_before = type(step) is int and type(coming.step) is int and coming.step < step
            if coming.is_complete or is_before:
                self._end(key)

    def _end(self, key: str) -> None:
        self._coming.pop(key).finish()

    def _begin(
        self, key: str, message_id: str | None, first: Members, metadata: Any = None
    ) -> Coming:
        reading = self._reading
        reading.note_given()
        self._answers += 1
        response = first.peek("response_metadata")
        said = response if type(response) is dict else {}
        beside = metadata if type(metadata) is dict else {}
        models = (said.get("model_name"), said.get("model"), beside.get("ls_model_name"))
        model = next((each for each in models if type(each) is str and each), None)
        request = said.get("id") if type(said.get("id")) is str else None
        if not model or not request:
            reading.note("model-invented", "")
        start: Json = {"modelId": model or _UNKNOWN}
        start["requestId"] = request or f"{reading.run_id}.{self._answers}"
        if name := first.peek("name"):
            start |= {"author": {"name": name}} if type(name) is str else {}
        stream = DeltaStream(reading.run_id, reading.timestamp, messageId=message_id)
        dialect = dialect_of(said)
        coming = Coming(stream, start, self._history.content(dialect), reading)
        self._coming[key] = coming
        self._queue.append(coming)
        if message_id:
            self._seen.add(message_id)
        return coming

    def _whole(self, message: Opened) -> None:
        """Add a message that came whole, and end the answers whose calls it answers."""
        members = message.members
        call_id = members.peek("tool_call_id")
        for key, coming in list(self._coming.items()):
            if type(call_id) is str and coming.has_call(call_id):
                self._end(key)
        if type(members.peek("id")) is str:
            self._seen.add(members.peek("id"))
        if type(call_id) is str:
            self._answered.add(call_id)
        self._history.part()
        before = len(self._reading.messages)
        self._history.read(message)
        for each in self._reading.messages[before:]:
            made: Message = read(each, Message)
            self._queue.append(_Whole(made))

    # --- states ----------------------------------------------------------------------------------

    def _state(self, state: Json, place: str, *, is_update: bool) -> None:
        """Take the messages of a state that have not come yet."""
        members = Members(state, place, self._reading)
        if is_update and "messages" not in state:
            for node in members.names():
                if type(members.peek(node)) is dict:
                    self._state(members.object(node) or {}, members.at(node), is_update=False)
            members.close("foreign-event")
            return
        at, given = members.at("messages"), members.value("messages")
        messages = [given] if type(given) is dict else given
        known = 0 if is_update or "messages" not in state else self._stored
        for number, message in enumerate(messages if type(messages) is list else ()):
            where = at if type(given) is dict else f"{at}/{number}"
            self._stored_one(message, where, is_old=number < known)
        if not is_update and type(messages) is list:
            self._stored = len(messages)
        members.close("foreign-event")

    def _stored_one(self, given: Any, place: str, *, is_old: bool) -> None:
        message = opened(given, place, self._reading)
        members = message.members
        message_id, call_id = members.peek("id"), members.peek("tool_call_id")
        known_id = message_id if type(message_id) is str and message_id else None
        if known_id is not None and known_id in self._coming:
            self._end(known_id)
        is_known = known_id in self._seen if known_id else is_old
        if is_known or (type(call_id) is str and call_id in self._answered):
            self._reading.note("duplicate-text", place)
            return
        if known_id is None and message.kind == "ai" and "" in self._coming:
            self._end("")
            self._reading.note("duplicate-text", place)
            return
        self._go_on(None)
        self._whole(message)

    # --- events of version 3 ---------------------------------------------------------------------

    def _of_protocol(self, event: Members) -> None:
        """Read an event of the protocol: its method says what it is about."""
        reading = self._reading
        method, at, given = event.text("method"), event.at("params"), event.object("params")
        event.skip("type", "event")
        for name in ("event_id", "seq"):
            event.value(name)  # they order the events
        event.close("foreign-event")
        if given is None:
            raise reading.refuse(at, "an object", None)
        params = Members(given, at, reading)
        namespace = params.value("namespace")
        params.value("timestamp")
        at, data = params.at("data"), params.value("data")
        if method == "messages" and type(data) is dict and type(data.get("event")) is str:
            self._of_model(Members(data, at, reading), namespace)
        elif method == "messages" and type(data) is list:
            self._mode("messages", namespace, data, at)
        elif method == "tools" and type(data) is dict:
            self._of_tool(Members(data, at, reading))
        elif method == "values" and type(data) is dict:
            self._state(data, at, is_update=False)
        elif method == "updates" and type(data) is dict:
            values = data.get("values")
            self._state(values if type(values) is dict else {}, f"{at}/values", is_update=True)
            rest = Members(data, at, reading)
            rest.value("values")
            rest.close("foreign-event")
        elif method == "lifecycle" and type(data) is dict and data.get("event") == "failed":
            self._fail(Members(data, at, reading), "error")
        else:
            reading.note("foreign-event", at)
        params.value("node")
        params.close("foreign-event")

    def _fail(self, data: Members, member: str) -> None:
        """End the answers that are coming with an error."""
        words, code = data.text(member), data.text("code")
        error: Json = {"errorCode": code or _UNKNOWN}
        error |= {"message": words} if words is not None else {}
        data.value("event")
        data.close("foreign-event")
        if not self._coming:
            self._reading.note("foreign-event", data.place)
        for coming in self._coming.values():
            coming.fail(error)
        self._coming = {}

    def _of_model(self, data: Members, namespace: Any) -> None:
        """Read an event of a chat model; those of one namespace are one answer's."""
        key = f"model {json_text(namespace)}"
        kind = data.peek("event")
        if kind == "error":
            self._fail(data, "message")
            return
        data.value("event")
        if kind == "message-start":
            self._start(key, data)
        elif key not in self._coming:
            self._reading.note("malformed-event", data.place)
        elif kind == "message-finish":
            self._finish(key, data)
        elif kind in ("content-block-start", "content-block-delta", "content-block-finish"):
            if not self._block(key, str(kind), data):
                self._reading.note("malformed-event", data.place)
                return
        else:
            self._reading.note("foreign-event", data.place)
            return
        data.close("foreign-event")

    def _start(self, key: str, data: Members) -> None:
        reading = self._reading
        if key in self._coming:
            self._coming.pop(key).fail(_CUT)
        for other in [each for each, coming in self._coming.items() if coming.is_complete]:
            self._end(other)
        role = data.text("role")
        if role not in (None, "ai"):
            reading.note("foreign-event", data.at("role"))
        at, given = data.at("metadata"), data.object("metadata")
        metadata = Members(given or {}, at, reading)
        provider, model = metadata.text("provider"), metadata.text("model")
        response = {"model_provider": provider, "model_name": model}
        first = Members({"response_metadata": response}, data.place, reading)
        coming = self._begin(key, data.text("id") or None, first)
        coming.take_response(Members({"model_provider": provider}, metadata.place, reading))
        metadata.close("foreign-event")
        self._blocks[key] = {}

    def _block(self, key: str, kind: str, data: Members) -> bool:
        coming, blocks = self._coming[key], self._blocks[key]
        index = data.value("index")
        if type(index) is not int:
            return False
        if kind == "content-block-start":
            content = data.object("content")
            if content is None or index in blocks:
                return False
            blocks[index] = coming.begin(("v3", index), _kind_of(content), data.at("content"))
            blocks[index].said = _unplaced(content)
            self._start_call(coming, blocks[index])
            return True
        block = blocks.get(index)
        if block is None or block.ended:
            return False
        if kind == "content-block-delta":
            at, delta = data.at("delta"), data.object("delta")
            return delta is not None and self._delta(
                coming, block, Members(delta, at, self._reading)
            )
        at, content = data.at("content"), data.object("content")
        if content is None:
            return False
        block.place, block.said = at, _unplaced(content)
        coming.end_block(block)
        return True

    def _start_call(self, coming: Coming, block: Any) -> None:
        call_id, name = block.said.get("id"), block.said.get("name")
        if block.kind == "call" and type(call_id) is str and type(name) is str and call_id and name:
            coming.start_call(block, call_id, name)

    def _delta(self, coming: Coming, block: Any, delta: Members) -> bool:
        kind = delta.text("type")
        text: str | None = None
        if (kind, block.kind) == ("text-delta", "text"):
            text = delta.text("text")
        elif (kind, block.kind) == ("reasoning-delta", "thinking"):
            text = delta.text("reasoning")
        elif (kind, block.kind) == ("tool-call-delta", "call"):
            text = delta.text("args")
        elif kind == "block-delta":
            fields = delta.object("fields") or {}
            block.said = {**block.said, **fields}
            delta.close("foreign-event")
            return True
        if text is None:
            return False
        if block.kind == "call":
            coming.add_args(block, text)
        else:
            coming.say(block, text)
        delta.close("foreign-event")
        return True

    def _finish(self, key: str, data: Members) -> None:
        reading, coming = self._reading, self._coming[key]
        at, given = data.at("metadata"), data.object("metadata")
        coming.take_response(Members(given or {}, at, reading))
        coming.usage = data.object("usage")
        at, given = data.at("additional_kwargs"), data.object("additional_kwargs")
        kwargs = Members(given or {}, at, reading)
        for name in kwargs.names():
            if name.startswith("__") and type(kwargs.peek(name)) is dict:
                coming.kwargs[name] = kwargs.object(name)
        kwargs.close("foreign-event")
        reason = data.text("reason")  # of the protocol before 0.0.9
        if reason:
            coming.response.setdefault("finish_reason", reason)
        self._end(key)

    def _of_tool(self, data: Members) -> None:
        """Read an event of a tool that runs: its result is a message of its own."""
        reading = self._reading
        kind, call_id = data.text("event"), data.text("tool_call_id")
        if not call_id or kind not in ("tool-finished", "tool-error"):
            reading.note("foreign-event", data.place)
            return
        at, output = data.at("output"), data.value("output")
        if kind == "tool-finished" and _is_message(output):
            self._whole(opened(output, at, reading))
            data.close("foreign-event")
            return
        is_error = kind == "tool-error"
        value = data.text("message") if is_error else output
        if value is None:
            reading.note("result-null", at)
        part = value_result(call_id, value or "" if is_error else value, is_error=is_error)
        for key, coming in list(self._coming.items()):
            if coming.has_call(call_id):
                self._end(key)
        self._answered.add(call_id)
        made: Message = read(reading.add("tool", [part]), Message)
        self._queue.append(_Whole(made))
        data.close("foreign-event")


def _is_of_run(message_id: str) -> bool:
    return message_id.startswith(("run-", "lc_run-"))


def _is_message(output: Any) -> bool:
    """Return whether what a tool gave is the message of its result."""
    if type(output) is not dict:
        return False
    return output.get("lc") == 1 or (output.get("type") == "tool" and "content" in output)


def _unplaced(content: Json) -> Json:
    """Return a block without the index that it had where it came from."""
    return {name: value for name, value in content.items() if name != "index"}


def _kind_of(content: Json) -> str:
    kind = content.get("type")
    if kind in ("text", "refusal"):
        return "text"
    if kind == "reasoning":
        return "thinking"
    return "call" if kind in ("tool_call", "tool_call_chunk", "invalid_tool_call") else "whole"
