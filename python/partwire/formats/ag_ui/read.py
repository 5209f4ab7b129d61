"""AG-UI histories: messages, the input of a run, a snapshot of messages, or a list of events."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

from partwire.errors import StreamProtocolError

from ..core.extension import PARTWIRE, restored
from ..core.parts import call_part, result_part, text_part
from ..core.reading import Json, Members, Reading
from ..core.writing import plain
from .content import content_of
from .events import KNOWN
from .state import OWN, Kept, is_derived, state_of, stem_of, take_state

__all__ = ["Histories", "error_text", "read", "read_back", "result_of"]

_OURS: Final = {"developer": "system", "system": "system", "user": "user"}
_SPOKEN: Final = frozenset({"id", "role", "content"})
_ANSWERED: Final = _SPOKEN | {"toolCallId"}
_SPEAKERS: Final = ("assistant", "system", "user")
_LEFT_OUT: Final = "foreign-message"


def read(source: Any, reading: Reading) -> None:
    """Read a list of messages, one message, the input of a run, a snapshot, or events."""
    if _are_events(source):
        _read_events(source, reading)
        return
    histories = Histories(reading)
    head: Json = {}
    if type(source) is dict and "messages" not in source:
        histories.read(reading.members(source, ""), "")
    else:
        place, messages = "", source
        if type(source) is dict:
            body = reading.members(source, "")
            place, messages = "/messages", body.value("messages")
            head = _head_of(body)
        for at, message in reading.items(messages, place):
            histories.read(message, at)
    for said in histories.finish():
        made = {**head, **said.message}
        if "meta" in head:
            own = made["meta"].get(OWN, {})
            if isinstance(own, dict):
                made["meta"] = {**made["meta"], OWN: {**head["meta"][OWN], **own}}
            else:  # an extension may say anything there
                reading.note("extension-unread", said.place)
        reading.add(made.pop("role"), made.pop("parts"), **made)


def _head_of(body: Members) -> Json:
    """Take what the input of a run, or a snapshot, says of all its messages."""
    run_id = body.text("runId")
    kept = {name: body.text(name) for name in ("threadId", "parentRunId")}
    said = {name: value for name, value in kept.items() if value is not None}
    body.drop("type", "MESSAGES_SNAPSHOT")
    body.close("request-member")
    head: Json = {"runId": run_id} if run_id else {}
    return {**head, "meta": {OWN: said}} if said else head


def _are_events(messages: Any) -> bool:
    first = messages[0] if type(messages) is list and messages else None
    return type(first) is dict and "role" not in first and _is_event(first.get("type"))


def _is_event(kind: Any) -> bool:
    return isinstance(kind, str) and kind in KNOWN


def _read_events(events: list[Any], reading: Reading) -> None:
    from ..core.runs import RunAssembler  # noqa: PLC0415 - they need this module
    from .stream_read import AgUiStreamReader  # noqa: PLC0415

    stream, run = AgUiStreamReader(reading), RunAssembler()
    number = 0
    try:
        for number, event in enumerate(events):  # noqa: B007 - the error says it
            run.feed_all(stream.feed(event))
        run.feed_all(stream.finish())
    except StreamProtocolError as error:  # ids that are too long, odd extensions
        expected = "an event that a message takes"
        raise reading.refuse(f"/{number}", expected, events[number]) from error
    reading.messages += plain(run.finish())


def read_back(documents: list[Json]) -> list[Json]:
    """Return the messages of some documents, as JSON objects that nobody has checked."""
    reading = Reading(OWN)
    histories = Histories(reading)
    for at, message in reading.items(documents, ""):
        histories.read(message, at)
    for said in histories.finish():
        made = said.message
        reading.add(made.pop("role"), made.pop("parts"), **made)
    return reading.messages


class Said(NamedTuple):
    """A message that has been read, without run and time, and its place."""

    message: Json
    place: str


class _Thought(NamedTuple):
    text: str
    id: str
    kept: Kept
    place: str


class _Covered:
    """Documents of one message of ours, which the first of them keeps whole."""

    def __init__(self, ids: list[Any], kept: Json, place: str, reading: Reading) -> None:
        self.left = deque(ids)  # of the documents that are to come
        self.kept = kept
        self.place = place
        self.inner = Histories(reading)


class Histories:
    """Reads messages one by one. Reasoning waits for the answer that it belongs to."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._made: list[Said] = []
        self._thoughts: list[_Thought] = []
        self._covered: _Covered | None = None

    def finish(self) -> list[Said]:
        """Return the messages, with reasoning that no answer follows."""
        if self._covered is not None:
            self._uncover(is_whole=False)
        self._flush()
        return self._made

    # --- documents that keep a message of ours ---------------------------------------------------

    def read(self, message: Members, place: str) -> None:
        """Read the next message; raises ReadError for what is not one."""
        covered = self._covered
        if covered is not None and message.peek("id") != covered.left[0]:
            self._uncover(is_whole=False)
            covered = None
        if covered is None:
            covered = self._cover(message)
        if covered is None:
            if not self._is_usual(message.whole(), place):
                self._read(message, place)
            return
        covered.inner._read(message, place)
        covered.left.popleft()
        if not covered.left:
            self._uncover(is_whole=True)

    def _cover(self, message: Members) -> _Covered | None:
        """Open documents that one of our messages became, where this is the first of them."""
        metadata = message.peek("metadata")
        if not isinstance(metadata, dict) or PARTWIRE not in metadata:
            return None
        kept, place = metadata[PARTWIRE], f"{message.at('metadata')}/{PARTWIRE}"
        ids = kept.get("ids") if isinstance(kept, dict) else None
        if not isinstance(ids, list) or not ids or ids[0] != message.peek("id"):
            self._reading.note("extension-unread", place)
            return None
        self._flush()
        self._covered = _Covered(ids, kept, place, self._reading)
        return self._covered

    def _uncover(self, *, is_whole: bool) -> None:
        covered, self._covered = self._covered, None
        if covered is None:
            return
        found = covered.inner.finish()
        if not is_whole:
            self._reading.note("extension-unread", covered.place)
            self._made += found
            return
        made = restored(
            [said.message for said in found], covered.kept, self._reading, covered.place
        )
        self._made += [Said(message, covered.place) for message in made]

    # --- messages --------------------------------------------------------------------------------

    def _is_usual(self, message: Json, place: str) -> bool:
        """Read a message that is no more than a text with an id, as most are; return whether it is.

        What it makes is what all the rest would make of it, in a fifth of the time.
        """
        own, role, text = message.get("id"), message.get("role"), message.get("content")
        if self._thoughts or type(text) is not str or type(own) is not str or not own:
            return False
        if role in _SPEAKERS and text and message.keys() == _SPOKEN:
            part = text_part(text)
        elif role == "tool" and message.keys() == _ANSWERED and _is_text(message["toolCallId"]):
            part = result_part(message["toolCallId"], text)
        else:
            return False
        self._made.append(Said({"role": role, "parts": [part], "messageId": own}, place))
        return True

    def _read(self, message: Members, place: str) -> None:
        role = message.text("role")
        if role is None:
            expected = "developer, system, user, assistant, tool, reasoning or activity"
            raise self._reading.refuse(message.at("role"), expected, message.peek("role"))
        if role == "reasoning":
            self._think(message, place)
            return
        if role == "assistant":
            self._answer(message, place)
        elif role == "tool":
            self._flush()
            self._result(message, place)
        elif role in _OURS:
            self._flush()
            self._said(role, message, place)
        elif not self._is_placeholder(message):
            self._reading.note(_LEFT_OUT, place)

    def _is_placeholder(self, message: Members) -> bool:
        """Return whether this only carries a message of ours that the protocol cannot say."""
        metadata = message.peek("metadata")
        is_kept = isinstance(metadata, dict) and PARTWIRE in metadata
        return is_kept and message.peek("activityType") == PARTWIRE

    def _think(self, message: Members, place: str) -> None:
        text, reasoning_id = message.text("content") or "", message.text("id") or ""
        kept = take_state(
            message,
            metadata=_metadata(message),
            subagentRunId=message.text("subagentRunId"),
        )
        self._thoughts.append(_Thought(text, reasoning_id, kept, place))
        message.close()

    def _flush(self) -> None:
        """Make a message of reasoning that no answer follows."""
        if self._thoughts:
            first, place = self._thoughts[0].id, self._thoughts[0].place
            message_id = stem_of(first) if first else None
            parts = self._thinking(message_id)
            self._add(Json(role="assistant", parts=parts), {"messageId": message_id}, place)

    def _thinking(self, message_id: str | None) -> list[Json]:
        parts: list[Json] = []
        if not self._thoughts:
            return parts
        for number, thought in enumerate(self._thoughts, 1):
            own = dict(thought.kept.own)
            if thought.id and not is_derived(thought.id, message_id, number):
                own = {"id": thought.id, **own}
            payload: Json = {"text": thought.text}
            if (opaque := state_of(thought.kept._replace(own=own))) is not None:
                payload["opaque"] = opaque
            parts.append({"kind": "thinking", "payload": payload})
        self._thoughts = []
        return parts

    def _add(self, message: Json, head: Json, place: str) -> None:
        said = {name: value for name, value in head.items() if value}
        self._made.append(Said({**message, **said}, place))

    def _head(self, message: Members, **own: Any) -> Json:
        """Take what every message has beside its content."""
        kept: Json = {name: value for name, value in own.items() if value is not None}
        if not kept and message.lacks("name", "subagentRunId", "metadata"):
            return {"messageId": message.text("id")}
        name = message.text("name")
        if (subagent := message.text("subagentRunId")) is not None:
            kept["subagentRunId"] = subagent
        if (metadata := _metadata(message)) is not None:
            kept["metadata"] = metadata
        return {
            "messageId": message.text("id") or None,
            "author": {"name": name} if name else None,
            "meta": {OWN: kept} if kept else None,
        }

    def _said(self, role: str, message: Members, place: str) -> None:
        parts = content_of(message, self._reading)
        if role != "user":
            if role == "developer":
                self._reading.note("role-form", message.at("role"))
            for at, part in enumerate(parts or []):
                if part["kind"] != "text":
                    self._reading.note("foreign-part", f"{message.at('content')}/{at}")
            parts = [part for part in parts or [] if part["kind"] == "text"]
        kept = take_state(message)
        head = self._head(
            message,
            role=role if role == "developer" else None,
            encryptedValue=kept.value,
            encryptedValueType=kept.type,
        )
        self._add(Json(role=_OURS[role], parts=parts or []), head, place)
        message.close()

    def _answer(self, message: Members, place: str) -> None:
        said_id = message.peek("id")
        parts = self._thinking(said_id if isinstance(said_id, str) and said_id else None)
        thoughts = len(parts)
        parts += content_of(message, self._reading) or []
        kept = take_state(message)
        if kept.value is not None and len(parts) > thoughts and parts[-1]["kind"] == "text":
            parts[-1]["payload"]["opaque"] = state_of(kept)
            kept = Kept()
        at, calls = message.at("toolCalls"), message.list("toolCalls")
        known: set[str] = set()
        for inner, call in self._reading.items(calls, at) if calls else ():
            made = self._call(call, known)
            if made is None:
                self._reading.note("malformed-part", inner)
            else:
                parts.append(made)
        own = {"encryptedValue": kept.value, "encryptedValueType": kept.type}
        head = self._head(message, **own)
        self._add(Json(role="assistant", parts=parts), head, place)
        message.close()

    def _call(self, call: Members, known: set[str]) -> Json | None:
        call_id, at, given = call.text("id"), call.at("function"), call.object("function")
        call.skip("type", "function")
        if not call_id or given is None or call_id in known:
            return None
        function = Members(given, at, self._reading)
        name, arguments = function.text("name"), function.peek("arguments")
        if not name:
            return None
        if isinstance(arguments, (str, dict)):
            function.value("arguments")
        known.add(call_id)
        made = call_part(call_id, name, arguments if isinstance(arguments, (str, dict)) else {})
        opaque = state_of(take_state(call, metadata=_metadata(call)))
        if opaque is not None:
            made["payload"]["opaque"] = opaque
        function.close()
        call.close()
        return made

    def _result(self, message: Members, place: str) -> None:
        call_id = message.text("toolCallId")
        if not call_id:
            self._reading.note(_LEFT_OUT, place)
            return
        made, error = result_of(call_id, message, self._reading)
        kept = take_state(message)
        own = {"encryptedValue": kept.value, "encryptedValueType": kept.type, "error": error}
        self._add(Json(role="tool", parts=[made]), self._head(message, **own), place)
        message.close()


def result_of(call_id: str, message: Members, reading: Reading) -> tuple[Json, str | None]:
    """Take a result: its part, and what its error says beside the content."""
    content: Any
    if isinstance(message.peek("content"), str):
        content = message.text("content")
    else:
        content = content_of(message, reading) or []
    error = message.text("error")
    if error is not None and content in ("", []):
        content = error
    made = result_part(call_id, content, is_error=error is not None)
    return made, None if error == error_text(content) else error


def error_text(content: Any) -> str:
    """Return what the error of a result says that has no words of its own."""
    return content if isinstance(content, str) else "error"


def _is_text(value: Any) -> bool:
    return type(value) is str and value != ""


def _metadata(members: Members) -> Json | None:
    """Take metadata, without what is ours."""
    metadata = members.object("metadata")
    if metadata is None:
        return None
    kept = {name: value for name, value in metadata.items() if name != PARTWIRE}
    return kept or (None if metadata else {})
