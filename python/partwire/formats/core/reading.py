"""One document that is read: its losses, and the messages made so far.

Nothing is lost in silence by construction: an object of the source is opened as :class:`Members`,
what a reader takes from it is gone from it, and what is left when it is closed is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from partwire.contract.current.message import Message
from partwire.errors import Finding, ReadError, bad_argument, clip
from partwire.json.pointer import escape_pointer
from partwire.losses import Loss, in_order
from partwire.reading.pipeline import Binding, read

from ...contract import times
from .lost import Losses

__all__ = [
    "INVENTED_RUN",
    "FormatResult",
    "Json",
    "Members",
    "Reading",
    "clean_structs_of",
    "structs_of",
]

Json = dict[str, Any]

_EPOCH: Final = "1970-01-01T00:00:00Z"
INVENTED_RUN: Final = "run"


class FormatResult(NamedTuple):
    """The messages of a document, and what they do not say of it, by place in the document."""

    messages: list[Message]
    losses: list[Loss]


class Members:
    """The members of an object of the source at ``place``, until they are taken.

    A member that does not have the type that is asked for stays, and is reported with the rest.
    """

    __slots__ = ("_left", "_reading", "place")

    def __init__(self, value: Json, place: str, reading: Reading) -> None:
        self._left = value.copy()
        self._reading = reading
        self.place = place

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def at(self, name: str) -> str:
        """Return the place of a member."""
        if name.isascii() and name.isidentifier():  # as escape_pointer, which costs a call
            return f"{self.place}/{name}"
        return f"{self.place}/{escape_pointer(name)}"

    def lacks(self, *names: str) -> bool:
        """Return whether none of some members is there: then nobody has to take each."""
        return self._left.keys().isdisjoint(names)

    def names(self) -> tuple[str, ...]:
        """Return the names of what has not been taken."""
        return tuple(self._left)

    def peek(self, name: str) -> Any:
        """Return a member without taking it; None where it is absent."""
        return self._left.get(name)

    def put(self, name: str, value: Any) -> None:
        """Give a member another name, under which it is taken."""
        self._left[name] = value

    def value(self, name: str) -> Any:
        """Take a member, whatever it is; None where it is absent or null."""
        return self._left.pop(name, None)

    def has_text(self, name: str) -> bool:
        """Return whether a member that has not been taken is text, and not empty."""
        value = self._left.get(name)
        return isinstance(value, str) and value != ""

    def text(self, name: str) -> str | None:
        """Take text."""
        value = self._left.get(name)
        if type(value) is not str:
            return None
        del self._left[name]
        return value

    def flag(self, name: str) -> bool | None:
        """Take true or false."""
        value = self._left.get(name)
        if type(value) is not bool:
            return None
        del self._left[name]
        return value

    def count(self, name: str) -> int | None:
        """Take a number of things."""
        value = self._left.get(name)
        if type(value) is not int or not 0 <= value < 2**53:
            return None
        del self._left[name]
        return value

    def number(self, name: str, *, most: int) -> float | None:
        """Take a number from 0 to ``most``."""
        given: Any = self._left.get(name)
        if type(given) not in (int, float) or not 0 <= given <= most:
            return None
        del self._left[name]
        return float(given)

    def object(self, name: str) -> Json | None:
        """Take an object."""
        value: Any = self._left.get(name)
        if type(value) is not dict:
            return None
        del self._left[name]
        return value

    def list(self, name: str) -> list[Any] | None:
        """Take an array."""
        value: Any = self._left.get(name)
        if type(value) is not list:
            return None
        del self._left[name]
        return value

    def whole(self) -> Json:
        """Return all that is left, for a reader of its own."""
        return self._left

    def skip(self, name: str, *values: Any) -> None:
        """Take a member that says nothing by one of ``values``, such as a default; or null."""
        value = self._left.get(name)
        if value is None:
            self._left.pop(name, None)
            return
        for each in values:
            if _is_same(value, each):
                del self._left[name]
                return

    def drop(self, name: str, value: Any) -> bool:
        """Take a member that is ``value``; return whether it is."""
        found = name in self._left and _is_same(self._left[name], value)
        if found:
            del self._left[name]
        return found

    def close(self, code: str = "foreign-member") -> None:
        """Report what has not been taken."""
        for name, value in self._left.items():
            if value is not None:
                self._reading.note(code, self.at(name))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; to Python False and 0 are, too."""
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


class Reading:
    """The reading of one document. Raises UsageError for a run or a time that cannot be one.

    ``invented_run_id`` is the run that is made up where neither the caller nor the source says one.
    """

    def __init__(
        self,
        format_name: str,
        *,
        run_id: str | None = None,
        timestamp: str | None = None,
        invented_run_id: str | None = None,
    ) -> None:
        given: dict[str, Any] = {"run_id": run_id, "invented_run_id": invented_run_id}
        for name, each in given.items():  # whoever has no type checker may bring anything
            if each is not None and not (isinstance(each, str) and each):
                raise bad_argument(f"{name} is wrong", "text that is not empty", each)
        if timestamp is not None and not times.is_timestamp(timestamp):
            raise bad_argument("timestamp is wrong", "an RFC 3339 time", timestamp)
        self.format: Final = format_name
        self.run_id: Final = run_id or invented_run_id or INVENTED_RUN
        self.timestamp: Final = timestamp or _EPOCH
        self._said: Json = {}
        self.messages: list[Json] = []
        self._losses = Losses()
        self._lacks_run = False
        self._lacks_time = False
        self._is_noted = False
        self._is_time_noted = False  # since the losses were taken
        self.is_given: Final = run_id is not None, timestamp is not None

    # --- losses ----------------------------------------------------------------------------------

    def note(self, code: str, place: str) -> None:
        """Note a loss at a place of the source."""
        self._losses.note(code, place)

    @property
    def losses(self) -> list[Loss]:
        """The losses so far, as they came."""
        return self._losses.found

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them."""
        self._is_time_noted = False
        return self._losses.take()

    def note_given(self) -> None:
        """Note that the run and the time are the caller's, or made up; once."""
        if not self._is_noted:
            self._is_noted = True
            self.note("given" if self.is_given[0] else "run-id-invented", "")
            if self.is_given[0] != self.is_given[1] or not self.is_given[0]:
                self.note(self._time_code(), "")

    def says(self, *, run_id: str | None = None, timestamp: str | None = None) -> None:
        """Take the run and the time that a source says apart from the messages added next.

        A run that the caller gives is the run of all messages.
        """
        said = {"runId": None if self.is_given[0] else run_id, "timestamp": timestamp}
        self._said = {name: value for name, value in said.items() if value is not None}

    def refuse(self, place: str, expected: str, actual: object) -> ReadError:
        """Return the error for a document that is not of the format."""
        message = f"The document does not have the shape of {self.format}"
        finding = Finding("format/wrong-shape", message, place, "error", expected, clip(actual))
        return ReadError(finding)

    # --- the source ------------------------------------------------------------------------------

    def members(self, value: Any, place: str) -> Members:
        """Open an object; raises ReadError where it is something else."""
        if type(value) is not dict:
            raise self.refuse(place, "an object", value)
        return Members(value, place, self)

    def items(self, value: Any, place: str) -> Iterable[tuple[str, Members]]:
        """Open each object of an array, with its place; raises ReadError for anything else."""
        if type(value) is not list:
            raise self.refuse(place, "an array", value)
        for number, each in enumerate(value):
            at = f"{place}/{number}"
            if type(each) is not dict:
                raise self.refuse(at, "an object", each)
            yield at, Members(each, at, self)

    # --- the messages ----------------------------------------------------------------------------

    def add(self, role: str, parts: list[Json], /, **members: Any) -> Json:
        """Add a message, with the members that are not None, and return it."""
        message = {"runId": self.run_id, "role": role, "parts": parts, **self._said}
        if None in members.values():
            members = {name: value for name, value in members.items() if value is not None}
        if "runId" not in members and "runId" not in self._said:
            self._lacks_run = True
        message |= members
        if "timestamp" not in message:
            self._lacks_time = True
            if not self._is_time_noted:
                self._is_time_noted = True
                self.note(self._time_code(), "")
            message["timestamp"] = self.timestamp
        self.messages.append(message)
        return message

    def mark(self) -> tuple[int, bool, bool]:
        """Return how far the reading is, for :meth:`withdraw`."""
        return len(self.messages), self._lacks_run, self._lacks_time

    def withdraw(self, mark: tuple[int, bool, bool]) -> list[Json]:
        """Return the messages behind a mark, which are not of the history any more.

        What was noted of the document stays; what was made up for them is not noted any more.
        """
        count, self._lacks_run, lacked_time = mark
        if self._lacks_time and not lacked_time and not self._is_noted:
            self._losses.forget(self._time_code(), "")
            self._is_time_noted = False
        self._lacks_time = lacked_time
        made, self.messages[count:] = self.messages[count:], []
        return made

    def _time_code(self) -> str:
        return "given" if self.is_given[1] else "timestamp-invented"

    def note_lacking(self) -> None:
        """Note that messages have a run of the caller's, or one that is made up."""
        if self._lacks_run:
            self.note("given" if self.is_given[0] else "run-id-invented", "")

    def finish(self) -> FormatResult:
        """Return the messages as structs, and the losses in the order of the document."""
        self.note_lacking()
        return FormatResult(structs_of(self.messages), in_order(self._losses.found))


def structs_of(messages: Sequence[Json]) -> list[Message]:
    """Return messages as structs, in their order; raises ReadError for what is not a message.

    All texts are looked at in one go, which is where the native core takes least time; what is not
    clean to this look is read by the rules.
    """
    texts = _texts_of(messages)
    if (clean := clean_structs_of(texts)) is not None:
        return clean
    binding = Binding.of(Message)
    odd = set(binding.refused(texts, "ignore"))
    return [
        read(message, Message) if number in odd else _struct_of(message, text, binding)
        for number, (message, text) in enumerate(zip(messages, texts, strict=True))
    ]


def _struct_of(message: Json, text: bytes, binding: Binding) -> Message:
    try:
        made: Message = binding.decode(text)
    except msgspec.ValidationError:
        return read(message, Message)
    return made


def clean_structs_of(texts: Sequence[bytes]) -> list[Message] | None:
    """Return messages, each as JSON text, as structs; None where one of them is not clean."""
    binding = Binding.of(Message)
    if binding.refused(texts, "ignore"):
        return None
    try:
        return list(map(binding.decode, texts))
    except msgspec.ValidationError:  # 1.0 for an integer
        return None


_NOT_TEXT: Final = (ValueError, TypeError, OverflowError, RecursionError)


def _texts_of(messages: Sequence[Json]) -> list[bytes]:
    """Return messages as JSON text, which is empty for one that has none."""
    try:
        return [_encode(message) for message in messages]
    except _NOT_TEXT:
        return [_text_of(message) for message in messages]


def _text_of(message: Json) -> bytes:
    try:
        return _encode(message)
    except _NOT_TEXT:
        return b""


_encode: Final = msgspec.json.Encoder().encode
