"""The calls that an AI message lists beside its content: ``tool_calls``, ``invalid_tool_calls``."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

from partwire.json.text import json_text
from partwire.providers.core.call_ids import UsedIds

from ..core.calls import Calls, OpenCall
from ..core.parts import call_part
from ..core.reading import Json, Members, Reading
from .state import own_state

__all__ = ["Ids", "Listed", "ListedCalls"]


class Ids:
    """The ids of the calls of a history; those that are made up are numbered.

    Their number does not depend on the envelopes: a history that is written again has the same.
    """

    def __init__(self) -> None:
        self.used: Final = UsedIds()
        self._made = 0

    def made(self) -> str:
        """Return an id that no call has."""
        while True:
            self._made += 1
            call_id = f"call_{self._made}"
            if call_id not in self.used:
                self.used.add(call_id)
                return call_id


class Listed(NamedTuple):
    """A call: its arguments are a value, or text; ``own`` is what only LangChain reads."""

    call_id: str | None
    name: str
    arguments: Any
    place: str
    own: Json


class ListedCalls:
    """The calls of one message, taken by id as its content names them, the rest behind it."""

    def __init__(self, message: Members, reading: Reading, calls: Calls, ids: Ids) -> None:
        self._reading = reading
        self._calls = calls
        self._ids = ids
        self._mine: set[str] = set()
        self._all: list[Listed] = []
        for name in ("tool_calls", "invalid_tool_calls"):
            entries = message.list(name)
            for at, entry in reading.items(entries, message.at(name)) if entries else ():
                self._list(entry, at, is_invalid=name.startswith("invalid"))
        self._waiting: dict[int, Listed] = dict(enumerate(self._all))
        self._by_id: dict[str, deque[int]] = {}
        for number, call in self._waiting.items():
            if call.call_id is not None:
                self._by_id.setdefault(call.call_id, deque()).append(number)

    def _list(self, entry: Members, place: str, *, is_invalid: bool) -> None:
        given = entry.object("function")
        inner = entry if given is None else Members(given, entry.at("function"), self._reading)
        call_id, name = entry.text("id"), inner.text("name")
        if not name:
            self._reading.note("open-call", place)  # a piece of a call that came in pieces
            return
        arguments = inner.value("args" if given is None else "arguments")
        own: Json = {}
        if is_invalid:
            error = entry.value("error")
            whole = {"error": error, **({} if type(arguments) is str else {"args": arguments})}
            if error is not None or type(arguments) is not str or not _is_raw(arguments):
                own["invalid"] = whole
        entry.skip("type", "invalid_tool_call" if is_invalid else "tool_call", "function")
        if given is not None:
            inner.close()
        left = {n: v for n, v in entry.whole().items() if v is not None}
        own |= {"members": left} if left else {}
        self._all.append(Listed(call_id or None, name, arguments, place, own))

    def __bool__(self) -> bool:
        return bool(self._all)

    def find(self, call_id: Any) -> Listed | None:
        """Return the call of an id that has not been taken, without taking it."""
        numbers = self._by_id.get(call_id) if isinstance(call_id, str) else None
        while numbers and numbers[0] not in self._waiting:
            numbers.popleft()
        return self._waiting[numbers[0]] if numbers else None

    def take(self, call_id: Any) -> Listed | None:
        """Take the call of an id."""
        found = self.find(call_id)
        if found is not None:
            del self._waiting[self._by_id[call_id].popleft()]
        return found

    def rest(self, *, is_plain: bool = False) -> list[Listed]:
        """Take all that are left; with ``is_plain`` those that any provider could say."""
        rest = [
            (number, each)
            for number, each in self._waiting.items()
            if not is_plain or (each.call_id and not each.own)
        ]
        for number, _ in rest:
            del self._waiting[number]
        return [each for _, each in rest]

    def know(self, parts: list[Json]) -> None:
        """Say which calls the message has already."""
        for part in parts:
            if part["kind"] == "tool_call":
                self._mine.add(part["payload"]["toolCallId"])

    def is_doubled(self, given: Any) -> bool:
        """Return whether a list of calls in OpenAI's form says what these do, and no more."""
        if type(given) is not list or len(given) != len(self._all):
            return False
        return all(_is_same(each, call) for each, call in zip(given, self._all, strict=True))

    def part(self, call: Listed) -> Json | None:
        """Return the part of a call; None, reported, where the message has one of its id."""
        call_id = call.call_id
        if call_id is None:
            self._reading.note("call-id-invented", call.place)
            call_id = self._ids.made()
        if call_id in self._mine:
            self._reading.note("foreign-part", call.place)
            return None
        self._mine.add(call_id)
        self._ids.used.add(call_id)
        self._calls.add(OpenCall(call_id, call.name, call.call_id))
        arguments = {} if call.arguments is None else call.arguments
        if not isinstance(arguments, (str, dict)):
            arguments = json_text(arguments)
        part = call_part(call_id, call.name, arguments)
        if call.own or call.call_id is None:
            own = {**call.own, **({"id": None} if call.call_id is None else {})}
            part["payload"]["opaque"] = own_state(own)
        return part


def _is_raw(text: str) -> bool:
    """Return whether text is not the JSON of an object."""
    return "rawArgsText" in call_part("x", "x", text)["payload"]


def _is_same(given: Any, call: Listed) -> bool:
    if type(given) is not dict or given.keys() - {"index"} != {"id", "type", "function"}:
        return False
    function = given["function"]
    if type(function) is not dict or function.keys() != {"name", "arguments"}:
        return False
    if "index" in given or given["type"] != "function" or not isinstance(call.arguments, dict):
        return False
    text = function["arguments"]
    if (given["id"], function["name"]) != (call.call_id, call.name) or type(text) is not str:
        return False
    said = call_part("x", "x", text)["payload"]
    return "rawArgsText" not in said and said["arguments"] == call.arguments
