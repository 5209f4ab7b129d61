"""Findings that a project lives with: a file of entries, by fingerprint.

    [{"fingerprint": "0123456789abcdef", "rule": "shape/type", "source": "logs/a.jsonl",
      "pointer": "/payload", "command": "validate", "count": 3, "reason": "old logs",
      "until": "2027-01-31"}]

``count`` is how many findings have that fingerprint (1 if absent); one more is reported.
``command`` is whose findings they are (any's, if absent): the entries of others are left alone.
``reason`` and ``until``, the last day, are for people to write; an update keeps them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ..errors import Finding, printable
from ..severities import SEVERITIES
from .items import Item
from .kept_files import COUNT, DAY, TEXT, EntryForm, Kind

__all__ = ["Accepted", "Baseline", "read_baseline"]

_MEMBERS: Final[dict[str, Kind]] = {  # in the order in which they are written
    **dict.fromkeys(("fingerprint", "rule", "source", "pointer", "command"), TEXT),
    "count": COUNT,
    "reason": TEXT,
    "until": DAY,
}
_FORM: Final = EntryForm(
    "A baseline is an array",
    _MEMBERS,
    needed=("fingerprint", "rule", "pointer"),
    absent="there is no such file; --baseline-update makes it",
)


_OF_FILES: Final = ("validate", "history")
"""Commands whose findings are in files; those of others may be of a subject, or a fixture."""


@dataclass(frozen=True)
class Accepted:
    """One entry; ``source`` is a place relative to the working folder, None for stdin."""

    fingerprint: str
    rule: str
    pointer: str
    source: str | None = None
    command: str | None = None
    count: int = 1
    reason: str | None = None
    until: date | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the entry as it is in the file."""
        wire = {name: getattr(self, name) for name in _MEMBERS}
        if self.count == 1:
            del wire["count"]
        if self.until is not None:
            wire["until"] = self.until.isoformat()
        return {name: value for name, value in wire.items() if value is not None}


class Baseline:
    """The entries of the file ``name`` in a run of ``command``; ``today`` says what has expired.

    With ``update`` every finding of the run is accepted, but for those whose day is over, and
    :meth:`updated` is the new file.
    """

    def __init__(
        self,
        entries: tuple[Accepted, ...] = (),
        today: date = date.min,
        name: str = "",
        command: str = "",
        *,
        update: bool = False,
    ) -> None:
        self.entries = entries
        self.command = command
        self.today = today
        self.name = name
        self.update = update
        self._mine = {
            entry.fingerprint: entry for entry in entries if entry.command in (None, command)
        }
        self._found: Counter[str] = Counter()
        self._new: dict[str, Accepted] = {}
        self._places: set[str | None] = set()
        self._unreadable: set[str | None] = set()
        self._folder: str | None = None
        self._is_gone: dict[str, bool] = {}

    def stands_in(self, folder: str) -> None:
        """Say where places begin: so files that are gone are noticed."""
        self._folder = folder

    def reads(self, place: str | None) -> None:
        """Note that a source is read: what is accepted there and does not occur is unused."""
        self._places.add(_spelled(place))

    def cannot_read(self, place: str | None) -> None:
        """Note that a source could not be read to its end: nothing is known of it."""
        self._places.discard(_spelled(place))
        self._unreadable.add(_spelled(place))

    def excuse(self, fingerprint: str) -> str | None:
        """Return why a finding with this fingerprint is accepted; None where it is not."""
        entry = self._mine.get(fingerprint)
        if self._is_open(entry) if entry else self.update:
            return (entry.reason if entry else None) or f"in {self.name}"
        return None

    def accepts(self, item: Item) -> bool:
        """Return whether a finding is accepted, and count it as one that occurs.

        What only informs is not. A fingerprint that a command gives is counted once: it stands
        for one thing, however often that is reported.
        """
        if item.finding.severity == "info":
            return False
        fingerprint = item.fingerprint
        entry = self._mine.get(fingerprint)
        if entry is None and not self.update:
            return False
        self._found[fingerprint] = 1 if item.given else self._found[fingerprint] + 1
        if self.update:
            if entry is None and fingerprint not in self._new:
                rule, pointer = item.finding.rule, printable(item.finding.pointer)
                place = _spelled(item.place)
                self._new[fingerprint] = Accepted(fingerprint, rule, pointer, place, self.command)
            # A day that people have set is not put off in passing.
            return entry is None or self._is_open(entry)
        assert entry is not None
        return self._is_open(entry) and self._found[fingerprint] <= entry.count

    def _is_open(self, entry: Accepted) -> bool:
        return entry.until is None or entry.until >= self.today

    def findings(self) -> Iterator[Finding]:
        """Yield what is to be said of the entries: those that have expired, and unused ones."""
        for number, entry in enumerate(self.entries):
            found = self._found_of(entry)
            if found and not self._is_open(entry):
                message = f"A finding was accepted until {entry.until}, which is over"
                yield self._finding(number, entry, "expired", message, "a later day")
            elif not self.update and found < entry.count:
                if self._is_read(entry):
                    message = "An accepted finding does not occur"
                    if found:
                        message = f"An accepted finding occurs {found:,} of {entry.count:,} times"
                    yield self._finding(number, entry, "unused", message, f"a count of {found}")
                elif self._is_of_no_file(entry):
                    message = "An accepted finding is of a file that is gone"
                    yield self._finding(number, entry, "unused", message, "no entry")

    def _found_of(self, entry: Accepted) -> int:
        mine = self._mine.get(entry.fingerprint) is entry
        return self._found[entry.fingerprint] if mine else 0

    def _is_read(self, entry: Accepted) -> bool:
        """Return whether this run would have found what an entry accepts."""
        return self._mine.get(entry.fingerprint) is entry and entry.source in self._places

    def _is_of_no_file(self, entry: Accepted) -> bool:
        """Return whether an entry of this command accepts what was in a file that is gone."""
        place = entry.source
        if self._folder is None or place is None or place in self._unreadable:
            return False
        if self.command not in _OF_FILES or self._mine.get(entry.fingerprint) is not entry:
            return False
        if place not in self._is_gone:
            self._is_gone[place] = _no_file(self._folder, place)
        return self._is_gone[place]

    def _finding(
        self, number: int, entry: Accepted, what: str, message: str, expected: str
    ) -> Finding:
        told = f"{entry.fingerprint} {entry.rule} {entry.source or ''}#{entry.pointer}"
        rule = f"baseline/{what}"
        return Finding(
            rule,
            message,
            f"/{number}",
            SEVERITIES[rule],
            expected=expected,
            actual=told[:200],
            source=self.name,
        )

    def updated(self) -> bytes:
        """Return the file after an update: what occurs, and what is of other places."""
        kept = [
            _counted(each, found) if found else each
            for each in self.entries
            if (found := self._found_of(each))
            or not (self._is_read(each) or self._is_of_no_file(each))
        ]
        new = [_counted(each, self._found[each.fingerprint]) for each in self._new.values()]
        rows = [json.dumps(each.to_wire(), ensure_ascii=False) for each in (*kept, *new)]
        text = "[\n  " + ",\n  ".join(rows) + "\n]\n" if rows else "[]\n"
        return printable(text).encode()


def _spelled(place: str | None) -> str | None:
    """Return a place as a file can hold it: a name need not be Unicode."""
    return None if place is None else printable(place)


def _no_file(folder: str, place: str) -> bool:
    """Return whether nothing is at a place; False where that cannot be decided."""
    if "\\" in place:  # perhaps the spelling of a name that is not Unicode
        return False
    try:
        os.lstat(os.path.join(folder, place))  # noqa: PTH118 - any text is a path
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _counted(entry: Accepted, count: int) -> Accepted:
    return Accepted(**{**entry.__dict__, "count": count})


def read_baseline(name: str, today: date, command: str = "", *, update: bool = False) -> Baseline:
    """Return the baseline of a file for a command; with ``update`` the file may be missing.

    Raises as :meth:`EntryForm.read`, and where a finding is accepted twice.
    """
    read = _FORM.read(name, optional=update)
    entries = tuple(Accepted(**row) for row in read.rows)
    seen: set[tuple[str, str | None]] = set()
    for number, entry in enumerate(entries):
        if seen & {(entry.fingerprint, entry.command), (entry.fingerprint, None)}:
            place, expected = f"/{number}/fingerprint", "one entry, with a count"
            raise read.refused(place, "Accepted twice", expected, entry.fingerprint)
        seen.add((entry.fingerprint, entry.command))
    return Baseline(entries, today, name, command, update=update)
