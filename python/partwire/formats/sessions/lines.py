"""A session as lines of JSON: read one by one, while it grows, or all at once.

A reader keeps what one answer needs until it is whole, and a few numbers of each line. It gives
messages and, where a session goes back, a :class:`~.core.branches.Branch`: what it gave before
stays as it is, and :class:`~.core.runs.RunAssembler` makes of both the messages that count.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final

from partwire.contract import times
from partwire.contract.current.message import Message
from partwire.errors import PartwireError, ReadError
from partwire.json.text import decode_json
from partwire.losses import Loss
from partwire.providers.framing.jsonlines import JSONLinesDecoder
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import read

from ..core.branches import Branch, Path
from ..core.reading import Json, Members, Reading
from ..core.runs import RunItem
from ..core.source import source_of

__all__ = ["Lines", "SessionReader", "document_of", "read_lines", "time_in"]


class SessionReader:
    """Reads lines of a session: what the formats have in common.

    A format says what a line is in :meth:`_line` and what is left at the end in :meth:`_end`; they
    call :meth:`_add` for what follows the last message, and :meth:`_branch` for where to go back.
    ``base`` is the place of the lines; None for a line that is the whole document.
    """

    def __init__(self, reading: Reading, base: str | None = "") -> None:
        self._reading = reading
        self._base = base
        self._number = -1  # of the line
        self._out: list[Json | Branch] = []
        self._path: Final = Path()
        self._lines = array("q")  # of all messages, one behind the other
        self._line_ends = array("q", [0])  # where those of each message end
        self._told: set[Loss] = set()  # of the whole document, each said once

    # --- for callers -----------------------------------------------------------------------------

    @property
    def losses(self) -> list[Loss]:
        """What the items do not say of the lines; pointers begin with a line's number from 0.

        Whoever reads without end takes them with :meth:`take_losses`.
        """
        return self._reading.losses

    def take_losses(self) -> list[Loss]:
        """Return the losses since the last time, and forget them."""
        found = [each for each in self._reading.take_losses() if each not in self._told]
        self._told.update(each for each in found if not each.pointer)
        return found

    def feed(self, event: Any, *, number: int | None = None) -> list[RunItem]:
        """Take a line: JSON text, or a JSON value; return the messages that are whole by it.

        ``number`` is the line's, from 0, where lines between are not fed. A line that is not JSON
        is a loss. Raises ReadError for a value that is not JSON.
        """
        self.read_line(event, self._number + 1 if number is None else number)
        return self._taken()

    def finish(self) -> list[RunItem]:
        """Say that no more comes; an answer that may go on is whole then.

        The losses have the lines whose messages do not count.
        """
        self.end()
        taken = self._taken()
        self.note_left_out()
        return taken

    @property
    def path(self) -> Path:
        """The order of the messages so far."""
        return self._path

    # --- for readers of whole documents ----------------------------------------------------------

    def read_line(self, event: Any, number: int) -> None:
        """Read a line without giving out what comes of it."""
        self._number = number
        if isinstance(event, (str, bytes, bytearray, memoryview)):
            try:
                value = decode_json(text_of(event) or b"")
            except PartwireError:
                self._reading.note("broken-line", self._place(number))
                return
        else:
            value = source_of(event)
        if type(value) is not dict:
            self._reading.note("foreign-event", self._place(number))
            return
        self._line(Members(value, self._place(number), self._reading), number)

    def end(self) -> None:
        """End the session without giving out what comes of it."""
        self._end()

    def note_left_out(self) -> None:
        """Note the lines whose messages do not count, as far as it has come."""
        if self._path.is_plain:
            return
        kept = set(self._path.numbers())
        for number, (begin, end) in enumerate(pairwise(self._line_ends)):
            if number not in kept:
                for line in self._lines[begin:end]:
                    self._reading.note("branch-left-out", self._place(line))

    def kept(self) -> list[Json]:
        """Return the messages that count, as JSON objects; for who has given none out."""
        made = [each for each in self._out if not isinstance(each, Branch)]
        return [made[number] for number in self._path.numbers()]

    # --- for formats -----------------------------------------------------------------------------

    def _line(self, line: Members, number: int) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError

    def _place(self, number: int) -> str:
        return "" if self._base is None else f"{self._base}/{number}"

    def _branch(self, after: int) -> None:
        """Go on behind the message ``after``; -1: begin anew."""
        branch = Branch(None if after < 0 else after)
        self._path.branch(branch)
        self._out.append(branch)

    def _add(self, lines: tuple[int, ...]) -> None:
        """Take the messages that the reading has made of these lines."""
        for message in self._reading.messages:
            self._out.append(message)
            self._path.add()
            self._lines.extend(lines)
            self._line_ends.append(len(self._lines))
        self._reading.messages.clear()

    def _taken(self) -> list[RunItem]:
        taken: list[RunItem] = [
            each if isinstance(each, Branch) else read(each, Message) for each in self._out
        ]
        self._out.clear()
        if any(isinstance(each, Message) for each in taken):
            self._reading.note_lacking()
        return taken


class Lines:
    """The lines of text, each with its number from 0; blank ones are left out."""

    def __init__(self, text: bytes) -> None:
        decoder = JSONLinesDecoder(max_line_bytes=len(text) + 1)
        self.rows = [(row.number - 1, row.data) for row in (*decoder.feed(text), *decoder.close())]

    def sole(self) -> Any:
        """Return the value of the only line; None where there are several."""
        return decode_json(self.rows[0][1]) if len(self.rows) == 1 else None


def document_of(data: Any) -> Any:
    """Return what a session is given as: :class:`Lines` of text, or a JSON value.

    Text is lines of JSON, or one JSON document over several lines. Raises ReadError for text of
    which no line is a JSON object, and which is not a JSON document either.
    """
    text = text_of(data)
    if text is None:
        return source_of(data)
    lines = Lines(text)
    if lines.rows and not _is_object(lines.rows[0][1]):
        try:
            return decode_json(text)
        except ReadError:
            if not any(_is_object(row) for _, row in lines.rows):
                raise
    return lines


def _is_object(line: bytes) -> bool:
    try:
        return type(decode_json(line)) is dict
    except PartwireError:
        return False


def read_lines(reader: SessionReader, source: Any, reading: Reading) -> None:
    """Read all lines of a session, or a line alone: ``reading`` has the messages that count.

    Raises ReadError for what is neither lines nor a list.
    """
    if isinstance(source, Lines):
        rows: Iterable[tuple[int, Any]] = source.rows
    elif type(source) is list:
        rows = enumerate(source)
    else:
        raise reading.refuse("", "lines of a session", source)
    for number, line in rows:
        reader.read_line(line, number)
    reader.end()
    reading.messages[:] = reader.kept()
    reader.note_left_out()


def time_in(members: Members, name: str) -> str | None:
    """Return a member that is a time, without taking it."""
    value = members.peek(name)
    return value if isinstance(value, str) and times.is_timestamp(value) else None
