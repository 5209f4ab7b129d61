"""Gemini CLI: a session as lines, or as the one document that it was before.

- A record of what was said has an id, and is written anew whenever it grows: the last one counts.
- ``{"$rewindTo": id}`` takes back that record and all behind it, ``{"$set": {"messages": […]}}``
  replaces them all.
- The results of calls stand in the record of the answer; they are messages of the role tool.
- What the user tells the program, and not the model (``/help``), is left out, as the program does.
- What a record says beside its message is kept in ``meta["gemini-cli"]``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import ReadError

from ..core.parts import value_result
from ..core.reading import Json, Members, Reading
from ..histories.answers import Answers
from ..histories.gemini import mark_thoughts, spoken_parts
from ..histories.pieces import REASONS, add_spoken
from .lines import Lines, SessionReader, read_lines, time_in

__all__ = ["GeminiCliReader", "read", "reader"]

_OWN: Final = "gemini-cli"
_TO_PROGRAM: Final = ("/", "?", "<session_context>", "<hook_context>")
"""How texts begin that are not for the model."""
_SHOWN: Final = frozenset({"type", "$set", "$rewindTo", "sessionId"})
_TOKENS: Final = {
    "input": "promptTokenCount",
    "output": "candidatesTokenCount",
    "cached": "cachedContentTokenCount",
    "thoughts": "thoughtsTokenCount",
    "tool": "toolUsePromptTokenCount",
    "total": "totalTokenCount",
}


def read(source: Any, reading: Reading) -> None:
    """Read the lines of a session, its document, a list of records, or one record."""
    document = source.sole() if isinstance(source, Lines) else source
    if type(document) is dict and "messages" in document:
        _read_document(reading.members(document, ""), reading)
        return
    if type(document) is dict and not _SHOWN & document.keys():
        raise reading.refuse("", "a session with messages, or a record", document)
    is_line = type(source) is dict
    session = GeminiCliReader(reading, None if is_line else "")
    read_lines(session, [source] if is_line else source, reading)


def _read_document(body: Members, reading: Reading) -> None:
    place, records = body.at("messages"), body.value("messages")
    session = GeminiCliReader(reading, place)
    session.begin(body)
    body.close()
    read_lines(session, records, reading)


def reader(reading: Reading) -> GeminiCliReader:
    """Return a reader of a session that grows."""
    return GeminiCliReader(reading)


class GeminiCliReader(SessionReader):
    """Reads lines of Gemini CLI. A record is held until another one comes: it may grow."""

    def __init__(self, reading: Reading, base: str | None = "") -> None:
        super().__init__(reading, base)
        self._answers = Answers("gemini", reading)
        self._run_id: str | None = None
        self._held: tuple[Members, int] | None = None
        self._starts: dict[str, int] = {}  # id of a record → the last message before it
        self._tip = -1  # the last message that counts

    def begin(self, about: Members) -> None:
        """Take the id of the session: it is the run, unless the caller gives one."""
        if about.has_text("sessionId"):
            own = about.peek("sessionId")
            self._run_id = own
            if not self._reading.is_given[0]:
                about.drop("sessionId", own)

    def _line(self, line: Members, number: int) -> None:
        if isinstance(rewind := line.peek("$rewindTo"), str):
            self._flush()
            self._rewind(rewind)
            line.value("$rewindTo")
            line.close()
        elif isinstance(line.peek("id"), str):
            self._record(line, number)
        elif type(line.peek("type")) is str:
            self._flush()
            self._held = (line, number)
        else:
            self._about(line, number)

    def _about(self, line: Members, number: int) -> None:
        """Read what a line says of the session: its id, and perhaps all its records."""
        place, said = line.place, line
        if type(line.peek("$set")) is dict:
            place = line.at("$set")
            said = Members(line.peek("$set"), place, self._reading)
        self.begin(said)
        records = said.list("messages")
        if records is not None:
            self._flush()
            if records or "$set" in line:
                self._rewind("")
            for at, record in enumerate(records):
                where = f"{place}/messages/{at}"
                if type(record) is dict and isinstance(record.get("id"), str):
                    self._record(Members(record, where, self._reading), number)
                else:
                    self._reading.note("malformed-event", where)
            self._flush()
        for name in said.names():
            if said.peek(name) is not None:
                self._reading.note("foreign-event", said.at(name))
        if said is not line:
            line.value("$set")
            line.close()

    def _record(self, line: Members, number: int) -> None:
        own = line.peek("id")
        if self._held is not None:
            before, _ = self._held
            if before.peek("id") == own:
                self._reading.note("preliminary", before.place)
                self._held = (line, number)
                return
            self._flush()
        if own in self._starts:  # others have followed it, and are not held
            self._reading.note("malformed-event", line.place)
            return
        self._starts[own] = self._tip
        self._held = (line, number)

    def _rewind(self, own: str) -> None:
        """Take back a record and what is behind it; all where none has the id."""
        to = self._starts.get(own, -1)
        names = list(self._starts)
        for name in names[names.index(own) if own in self._starts else 0 :]:
            del self._starts[name]
        if to != self._tip:
            self._branch(to)
            self._tip = to

    def _end(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """Make messages of the record that is held."""
        held, self._held = self._held, None
        if held is None:
            return
        record, number = held
        kind, time = record.peek("type"), time_in(record, "timestamp")
        if kind not in ("user", "gemini"):
            self._reading.note("foreign-message", record.place)
            return
        self._reading.says(run_id=self._run_id, timestamp=time)
        try:
            made = self._user(record) if kind == "user" else self._answer(record)
        except ReadError:  # a part of its content is not an object
            self._reading.messages.clear()
            made = False
            self._reading.note("malformed-event", record.place)
        if not made:
            return
        first = self._reading.messages[0]
        record.value("type")
        if time is not None:
            record.value("timestamp")
        if isinstance(own := record.peek("id"), str) and own:
            first["messageId"] = own
            record.value("id")
        if kept := {name: value for name, value in record.whole().items() if value is not None}:
            first["meta"] = {**first.get("meta", {}), _OWN: kept}
        self._add((number,))
        self._tip = len(self._path) - 1

    def _user(self, record: Members) -> bool:
        content = record.peek("content")
        parts = self._parts(content, record.at("content"))
        said = "".join(part["payload"].get("text", "") for part in parts)
        if said.lstrip().startswith(_TO_PROGRAM):
            self._reading.note("hidden", record.place)
            return False
        add_spoken("user", parts, self._reading)
        if _is_content(content):
            record.value("content")
        return True

    def _parts(self, content: Any, place: str) -> list[Json]:
        if content == "":
            return []
        return spoken_parts(content, place, self._answers, self._reading)

    def _answer(self, record: Members) -> bool:
        reading = self._reading
        thoughts, parts = _thoughts(record), []
        content = record.peek("content")
        if type(content) is str:
            parts += [{"text": content}] if content else []
        elif type(content) is list:
            parts += [part if type(part) is dict else {"text": part} for part in content]
        if _is_content(content):
            record.value("content")
        calls = _calls(record)
        parts += [call for call, _, _ in calls]
        answer = {"content": {"parts": parts}, "finishReason": "STOP"}
        body: Json = {"candidates": [answer]}
        said = set()
        if isinstance(model := record.peek("model"), str) and model:
            body["modelVersion"] = record.text("model")
            said.add("modelId")
        if tokens := _tokens(record.peek("tokens")):
            body["usageMetadata"] = tokens
            said.add("usage")
        message = self._answers.add(body, record.place, is_whole=True)
        message["parts"][:0] = thoughts  # an adapter would make one of them
        mark_thoughts(message["parts"])
        meta = message.pop("meta", None) or {}
        kept = {name: value for name, value in meta.items() if name in said or name not in REASONS}
        if kept:
            message["meta"] = kept
        made = [part["payload"] for part in message["parts"] if part["kind"] == "tool_call"]
        results: list[Json] = []
        for at, (_, given, place) in enumerate(calls):
            if type(given) is str and at < len(made):
                results.append(value_result(made[at]["toolCallId"], given))
            elif given is not None:
                results += self._parts(given, place)
        if results:
            add_spoken("user", results, reading)
        return True


def _is_content(value: Any) -> bool:
    return type(value) in (str, list, dict)


def _thoughts(record: Members) -> list[Json]:
    """Take the thoughts, as parts of a message; what else they say is left."""
    found, left = [], []
    for each in record.peek("thoughts") if type(record.peek("thoughts")) is list else ():
        rest = dict(each) if type(each) is dict else {"thought": each}
        subject, said = rest.get("subject"), rest.get("description")
        words = [f"**{subject}**"] if isinstance(subject, str) and subject else []
        words += [said] if isinstance(said, str) and said else []
        if words:
            found.append({"kind": "thinking", "payload": {"text": " ".join(words)}})
            for name in ("subject", "description"):
                if isinstance(rest.get(name), str):
                    del rest[name]
        left.append(rest)
    if left:
        record.put("thoughts", left)
    return found


def _calls(record: Members) -> list[tuple[Json, Any, str]]:
    """Take the calls: each as a part, its result, and where that is; what else is left."""
    found, left = [], []
    place = record.at("toolCalls")
    given = record.peek("toolCalls")
    for at, each in enumerate(given if type(given) is list else ()):
        name = each.get("name") if type(each) is dict else None
        if not (isinstance(name, str) and name):
            left.append(each)
            continue
        rest = dict(each)
        call: Json = {"name": rest.pop("name"), "args": {}}
        if type(rest.get("args")) is dict:
            call["args"] = rest.pop("args")
        if isinstance(rest.get("id"), str) and rest["id"]:
            call["id"] = rest.pop("id")
        result = rest.pop("result") if _is_content(rest.get("result")) else None
        found.append(({"functionCall": call}, result, f"{place}/{at}/result"))
        left.append(rest)
    if left:
        record.put("toolCalls", left)
    return found


def _tokens(given: Any) -> Json:
    counts = given if type(given) is dict else {}
    found = {theirs: counts.get(ours) for ours, theirs in _TOKENS.items()}
    return {n: v for n, v in found.items() if type(v) is int and 0 <= v < 2**53}
