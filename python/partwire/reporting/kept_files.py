"""Files that people keep by hand: a JSON array of objects, each of which is one entry.

A form says which members an entry may have and which it needs. What does not fit is refused with
its pointer and its line: such a file is looked for with an editor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import Finding, PartwireError, UsageError, clip
from ..json.pointer import escape_pointer
from ..json.positions import Positions
from ..json.text import decode_json

__all__ = ["COUNT", "DAY", "SENTENCE", "TEXT", "Entries", "EntryForm", "Kind", "parse_day"]


class Kind(NamedTuple):
    """What a member may be; ``read`` returns its value, and None for what it may not be."""

    message: str
    expected: str
    read: Callable[[Any], Any]


def parse_day(text: object) -> date | None:
    """Return a day of the calendar (YYYY-MM-DD and no other spelling); None for anything else."""
    try:
        day = date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return day if day is not None and day.isoformat() == text else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _sentence(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 1 else None


TEXT: Final = Kind("No string", "a string", _text)
SENTENCE: Final = Kind("No text", "a string that says something", _sentence)
COUNT: Final = Kind("No count", "a whole number from 1", _count)
DAY: Final = Kind("No day of the calendar", "a day such as 2026-01-31", parse_day)


class Entries:
    """The entries of one file, in order: ``rows`` holds what the kinds have read."""

    def __init__(self, name: str, data: bytes = b"[]") -> None:
        self.name = name
        self.rows: list[dict[str, Any]] = []
        self._data = data

    def refused(self, pointer: str, message: str, expected: str, actual: Any) -> UsageError:
        """Return the error ``usage/invalid-argument`` for a place of the file."""
        return UsageError(
            Finding(
                "usage/invalid-argument",
                message,
                pointer,
                expected=expected,
                actual=clip(actual),
                source=self.name,
                line=Positions(self._data).find(pointer).line,
            )
        )


@dataclass(frozen=True)
class EntryForm:
    """How a kind of file looks. ``rule`` is reported where the whole is not an array."""

    rule: str
    members: Mapping[str, Kind]
    needed: tuple[str, ...]
    absent: str | None = None
    """What is said of a file that is not there; None leaves it to the system."""

    def read(self, name: str, *, optional: bool = False) -> Entries:
        """Return the entries of a file; none if it is optional and there is no such file.

        Raises UsageError ``usage/unreadable-input`` or ``usage/invalid-argument``, and ReadError,
        all of which name the file.
        """
        try:
            data = Path(name).read_bytes()
        except (OSError, ValueError) as error:
            is_absent = isinstance(error, FileNotFoundError)
            if is_absent and optional:
                return Entries(name)
            why = error.strerror if isinstance(error, OSError) else None
            said = self.absent if is_absent else None
            raise _unreadable(name, said or why or str(error)) from None
        try:
            rows = decode_json(data)
        except PartwireError as error:
            findings = tuple(each._replace(source=name) for each in error.findings)
            error.findings = error.args = findings
            raise
        entries = Entries(name, data)
        if not isinstance(rows, list):
            raise entries.refused("", self.rule, "an array of entries", rows)
        entries.rows = [self._entry(entries, f"/{at}", row) for at, row in enumerate(rows)]
        return entries

    def _entry(self, entries: Entries, place: str, row: Any) -> dict[str, Any]:
        if not isinstance(row, dict):
            raise entries.refused(place, "An entry is an object", "an object", row)
        for name in self.needed:
            if name not in row:
                raise entries.refused(place, f"{name} is missing", f"a member {name}", row)
        found: dict[str, Any] = {}
        for name, value in row.items():
            kind, at = self.members.get(name), f"{place}/{escape_pointer(name)}"
            if kind is None:
                expected = " or ".join(self.members)
                raise entries.refused(at, "Unknown member", expected, name)
            found[name] = kind.read(value)
            if found[name] is None:
                raise entries.refused(at, kind.message, kind.expected, value)
        return found


def _unreadable(name: str, why: str) -> UsageError:
    return UsageError(
        Finding("usage/unreadable-input", f"Cannot be read: {why}", source=name, actual=clip(name))
    )
