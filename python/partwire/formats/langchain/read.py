"""LangChain histories: lists of messages in any envelope, the state of a graph, or one message.

- An AI message whose metadata names a provider, and whose content is that provider's own blocks,
  is read by the provider's adapter; any other one block by block.
- A tool message is one result; those that follow each other are one message of ours, where they
  say nothing of themselves.
- What has no place in a message stays in ``meta.langchain``, so that it is written again.
"""

from __future__ import annotations

from typing import Any, Final

from ..core.calls import Calls
from ..core.extension import PARTWIRE, restored
from ..core.parts import result_part
from ..core.reading import Json, Members, Reading
from ..histories.answers import Answers
from .blocks import AiContent, is_plain, spoken
from .calls import Ids, Listed, ListedCalls
from .envelopes import OWN, Opened, opened
from .heads import NAMES, dialect_in, dialect_of, is_version_said, said_of, usage_of
from .provider_content import body_of, without_unnamed
from .state import own_state

__all__ = ["CARRIER", "History", "ReadBack", "read"]

CARRIER: Final[Json] = {"messages": {}}
"""Our extension of a message that says nothing beside the ones before it."""

_ROLES: Final = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "system": "system",
    "developer": "system",
}
_REASONING: Final = "reasoning_content"
_CALL: Final = "function_call"


def read(source: Any, reading: Reading) -> None:
    """Read a list of messages, a state that has them, or one message."""
    history = History(reading)
    place, messages, is_one = "", source, False
    if type(source) is dict and "messages" in source and "content" not in source:
        state = reading.members(source, "")
        place, messages = "/messages", state.value("messages")
        state.close("request-member")
    elif type(source) is dict and _holds_messages(source.get("kwargs")):
        outer = reading.members(source, "")  # the value of a prompt
        inner = Members(outer.object("kwargs") or {}, "/kwargs", reading)
        place, messages = "/kwargs/messages", inner.value("messages")
        for each in (inner, outer):
            each.close("request-member")
    elif type(source) is dict:
        is_one, messages = True, [source]
    if type(messages) is not list:
        raise reading.refuse(place, "an array of messages", messages)
    for number, message in enumerate(messages):
        at = "" if is_one else f"{place}/{number}"
        history.read(opened(message, at, reading))


def _holds_messages(kwargs: Any) -> bool:
    return type(kwargs) is dict and type(kwargs.get("messages")) is list


class ReadBack:
    """Reads messages one after the other, as they are written."""

    def __init__(self) -> None:
        self._reading = Reading(OWN)
        self._history = History(self._reading)

    def read(self, messages: list[Json]) -> list[Json]:
        """Return the messages of stored ones, as JSON objects that nobody has checked."""
        before = len(self._reading.messages)
        for message in messages:
            self._history.read(opened(message, "", self._reading))
        return self._reading.messages[before:]

    def part(self) -> None:
        """Say that what comes does not go on what came."""
        self._history.part()


class History:
    """The messages read so far."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._calls = Calls()
        self._ids = Ids()
        self._answers: dict[str, Answers] = {}
        self._joinable: Json | None = None  # the results that the next one goes on
        self._joined: set[str] = set()  # the calls that they are of

    def content(self, dialect: str) -> AiContent:
        """Return a reader of what a model says; its calls are of this history."""
        nothing = Members({}, "", self._reading)
        calls = ListedCalls(nothing, self._reading, self._calls, self._ids)
        return AiContent(calls, dialect, self._reading)

    def part(self) -> None:
        """Say that results that come are a message of their own."""
        self._joinable = None

    def read(self, message: Opened) -> None:
        """Read one message."""
        kind, members = message.kind, message.members
        if kind == "remove":
            self._reading.note("foreign-message", members.place)
            return
        head = _Head(message, self._reading)
        mark = self._reading.mark()
        joinable, self._joinable = self._joinable, None
        joinable = joinable if head.extension is None else None
        if kind == "ai":
            self._ai(members, head)
        elif kind in ("tool", "function"):
            self._result(kind, members, head, joinable)
        else:
            self._spoken(kind, members, head)
        head.close()
        self._restore(head, mark)

    def _restore(self, head: _Head, mark: tuple[int, bool, bool]) -> None:
        """Put what our extension says of the messages in place of what was read."""
        if head.extension is None:
            return
        reading = self._reading
        made = reading.withdraw(mark)
        self._joinable = None
        if head.extension == CARRIER:
            return
        for each in restored(made, head.extension, reading, head.extension_place):
            reading.add(each.pop("role"), each.pop("parts"), **each)

    # --- what the model said ---------------------------------------------------------------------

    def _ai(self, members: Members, head: _Head) -> None:
        reading, kwargs = self._reading, head.kwargs
        calls = ListedCalls(members, reading, self._calls, self._ids)
        place, content = members.at("content"), members.value("content")
        head.read_ai(members, content, has_calls=bool(calls))
        older = self._older_calls(kwargs, calls)
        before = self._thinking(kwargs)
        dialect = head.dialect
        body = body_of(
            dialect,
            content,
            place,
            kwargs,
            calls,
            message_id=head.message_id,
            reading=reading,
        )
        if body is not None:
            answers = self._answers.get(dialect)
            if answers is None:
                answers = Answers(dialect, reading, calls=self._calls, used=self._ids.used)
                self._answers[dialect] = answers
            made = answers.add(body, place)
            parts = made["parts"]
            without_unnamed(parts)
            parts[:0] = before
        else:
            parts = [*before, *AiContent(calls, dialect, reading).parts(content, place)]
            made = reading.add("assistant", parts)
        calls.know(parts)
        if body is None or not parts:
            head.keep_form(content, parts)
        left = calls.rest()
        parts += [part for call in left if (part := calls.part(call)) is not None]
        for call in older:
            if (part := calls.part(call)) is not None:
                parts.append(part)
        head.leave_provider(parts)
        made |= head.members()

    def _thinking(self, kwargs: Members) -> list[Json]:
        if not kwargs.has_text(_REASONING):
            return []
        opaque = own_state({"form": _REASONING})
        payload = {"text": kwargs.text(_REASONING), "opaque": opaque}
        return [{"kind": "thinking", "payload": payload}]

    def _older_calls(self, kwargs: Members, calls: ListedCalls) -> list[Listed]:
        """Take the calls as OpenAI has them: those that are listed as well say it twice."""
        if kwargs.lacks("tool_calls", _CALL):
            return []
        reading, place = self._reading, kwargs.at("tool_calls")
        given = kwargs.peek("tool_calls")
        if given and calls.is_doubled(given):
            kwargs.value("tool_calls")
            reading.note("duplicate-text", place)
        function, at = kwargs.peek(_CALL), kwargs.at(_CALL)
        name = function.get("name") if type(function) is dict else None
        if calls or type(name) is not str or not name or "arguments" not in function:
            return []
        kwargs.value(_CALL)
        own = {_CALL: function}
        return [Listed(None, name, function["arguments"], at, own)]

    # --- what others said ------------------------------------------------------------------------

    def _spoken(self, kind: str, members: Members, head: _Head) -> None:
        reading, role = self._reading, {"human": "user", "system": "system"}.get(kind)
        if kind == "chat":
            at, given = members.at("role"), members.text("role")
            if not given:
                raise reading.refuse(at, "a role", members.value("role"))
            head.kept |= {"type": head.type, "role": given}
            if given not in _ROLES:
                reading.note("role-form", at)
            role = _ROLES.get(given, "user")
        place, content = members.at("content"), members.value("content")
        parts = spoken(content, place, reading, role or "user")
        head.keep_form(content, parts)
        runs = _runs(parts, self._calls)
        for number, (is_result, run) in enumerate(runs):
            said = head.members() if number == 0 else {}
            reading.add("tool" if is_result else role or "user", run, **said)

    def _result(self, kind: str, members: Members, head: _Head, joinable: Json | None) -> None:
        reading = self._reading
        own, name = members.text("tool_call_id") or None, head.name
        call = self._calls.of_id(own) if own else self._calls.of_name(name)
        call_id = own if call is None else call.call_id
        if kind == "function" or (call is not None and name != call.name) or call is None:
            head.kept |= {"name": name} if name else {}
        if kind == "function":
            head.kept["type"] = head.type
        if own is None:
            reading.note("call-id-invented", members.place)
            call_id = call_id or self._ids.made()
        place, content = members.at("content"), members.value("content")
        given: Any = content
        if type(content) is not str:
            given = spoken(content, place, reading, kind)
        is_error = members.drop("status", "error")
        members.skip("status", "success")
        artifact = members.value("artifact")
        said = {} if artifact is None else {"structured": artifact}
        part = result_part(call_id or own or "", given, is_error=is_error, **said)
        metadata = members.object("metadata")  # of JavaScript
        if metadata:
            head.kept["metadata"] = metadata
        known = head.members()
        own_id = part["payload"]["toolCallId"]
        if not known and joinable is not None and own_id not in self._joined:
            joinable["parts"].append(part)
            self._joinable = joinable
            self._joined.add(own_id)
            return
        made = reading.add("tool", [part], **known)
        self._joinable, self._joined = (made, {own_id}) if kind == "tool" else (None, set())


def _runs(parts: list[Json], calls: Calls) -> list[tuple[bool, list[Json]]]:
    """Return parts as runs of results, one of each call, and of anything else."""
    runs: list[tuple[bool, list[Json]]] = []
    ids: set[str] = set()
    for part in parts:
        is_result = part["kind"] == "tool_result"
        call_id = part["payload"]["toolCallId"] if is_result else ""
        if is_result and (call := calls.of_id(call_id)) is not None:
            part["payload"]["toolCallId"] = call_id = call.call_id
        if not runs or runs[-1][0] != is_result or call_id in ids:
            runs.append((is_result, []))
            ids = set()
        runs[-1][1].append(part)
        if is_result:
            ids.add(call_id)
    return runs or [(False, [])]


class _Head:
    """What a message says of itself; ``kept`` is what stays in ``meta.langchain``."""

    def __init__(self, message: Opened, reading: Reading) -> None:
        members = message.members
        self._members = members
        self._reading = reading
        self.type = message.type
        self.kept: Json = {} if message.type == message.kind else {"type": message.type}
        self.message_id = members.text("id") or None
        self.name = members.text("name") or None
        self._is_result = message.kind in ("tool", "function")
        self.extension: Any = None
        self.extension_place = ""
        self._meta: Json = {}
        self.dialect = ""
        at, given = members.at("additional_kwargs"), members.object("additional_kwargs")
        self.kwargs = Members(given or {}, at, reading)
        if PARTWIRE in self.kwargs:
            self.extension_place = self.kwargs.at(PARTWIRE)
            self.extension = self.kwargs.value(PARTWIRE)
        given = members.object("response_metadata")
        self._response: Json = dict(given or {})
        members.skip("example", False)

    def keep_form(self, content: Any, parts: list[Json]) -> None:
        """Keep that content is a list where its parts do not show it."""
        if type(content) is list and (not parts or is_plain(content)):
            self.kept["content"] = "list"

    def read_ai(self, members: Members, content: Any, *, has_calls: bool) -> None:
        """Take what only an answer says of itself."""
        said: Json = {}
        if self._response:
            self.dialect = dialect_of(self._response)
            if is_version_said(content, self._response):
                del self._response["output_version"]
            said, self._response = said_of(self._response, has_calls=has_calls)
        usage, rest = usage_of(members, self._reading)
        if usage is not None:
            said["usage"] = usage
        if rest:
            self.kept["usage_metadata"] = rest
        if chunks := members.list("tool_call_chunks"):
            self.kept["tool_call_chunks"] = chunks
        self._meta = said

    def leave_provider(self, parts: list[Json]) -> None:
        """Leave out whose answer it is where the state of its parts says it."""
        if not self._response:
            return
        name = NAMES.get(dialect_in(parts))
        if name is not None and self._response.get("model_provider") == name:
            del self._response["model_provider"]

    def members(self) -> Json:
        """Return the members of the head of a message."""
        made: Json = {}
        if self.message_id:
            made["messageId"] = self.message_id
        if self.name and not self._is_result:
            made["author"] = {"name": self.name}
        kept = dict(self.kept)
        for name, value in (
            ("additional_kwargs", self.kwargs.whole()),
            ("response_metadata", self._response),
        ):
            if left := value and {
                member: each for member, each in value.items() if each is not None
            }:
                kept[name] = left
        meta = {**self._meta, **({OWN: kept} if kept else {})}
        if meta:
            made["meta"] = meta
        return made

    def close(self) -> None:
        """Report what nobody has taken."""
        self._members.close()
