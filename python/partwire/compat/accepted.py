"""Known breaks that a project lives with: a file of entries, each with a reason and an end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from ..documents import decode_json
from ..errors import Finding, PartwireError, UsageError, clip
from .git_source import missing
from .report import Change, EntryVerdict, Report

__all__ = ["Accepted", "AcceptedBreaks", "read_accepted"]

_MEMBERS: Final = ("fingerprint", "rule", "pointer", "reason", "until")
_NEEDED: Final = _MEMBERS[:-1]


@dataclass(frozen=True)
class Accepted:
    """One entry: this break, at this place, for this reason; ``until`` is its last day."""

    fingerprint: str
    rule: str
    pointer: str
    reason: str
    until: date | None = None

    def fits(self, change: Change) -> bool:
        """Return whether this is the change; rule and pointer, for readers, have to agree."""
        told = (self.fingerprint, self.rule, self.pointer)
        return told == (change.fingerprint, change.rule, change.place)


@dataclass
class AcceptedBreaks:
    """The entries of a file; ``today`` decides which have expired. It notes which are used."""

    entries: tuple[Accepted, ...] = ()
    today: date = date.min
    source: str = ""
    _used: set[str] = field(default_factory=set)

    def entry_of(self, change: Change) -> Accepted | None:
        """Return the entry that accepts a change today, and count it as used."""
        for entry in self.entries:
            if entry.fits(change):
                self._used.add(entry.fingerprint)
                return None if self._expired(entry) else entry
        return None

    def accepts(self, verdict: EntryVerdict) -> bool:
        """Return whether all changes of a verdict are accepted, and there are no others."""
        return not verdict.hidden and self._accepts_known(verdict)

    def _accepts_known(self, verdict: EntryVerdict) -> bool:
        every = (*verdict.changes, *verdict.others)
        found = [self.entry_of(change) is not None for change in every]
        return bool(found) and all(found)

    def findings(self, reports: Iterable[Report]) -> list[Finding]:
        """Return what is to be said of the entries: expired ones, ones that fit no change, and
        verdicts that they do not accept although they accept every change that is known.
        """
        found = []
        for report in reports:
            for change in report.changes:
                self.entry_of(change)
            found += [
                _hiding(report, verdict)
                for verdict in report.verdicts
                if verdict.hidden and self._accepts_known(verdict)
            ]
        for number, entry in enumerate(self.entries):
            if entry.fingerprint not in self._used:
                found.append(self._finding(number, entry, "unused"))
            elif self._expired(entry):
                found.append(self._finding(number, entry, "expired"))
        return found

    def _expired(self, entry: Accepted) -> bool:
        return entry.until is not None and entry.until < self.today

    def _finding(self, number: int, entry: Accepted, what: str) -> Finding:
        unused = what == "unused"
        message = (
            "An accepted break does not occur"
            if unused
            else f"A break was accepted until {entry.until}, which is over"
        )
        return Finding(
            f"compat/accepted-{what}",
            message,
            f"/{number}",
            "warning",
            expected="the fingerprint, rule and pointer of a change" if unused else "a later day",
            actual=f"{entry.fingerprint} {entry.rule} {entry.pointer}"[:200],
            source=self.source,
        )


def _hiding(report: Report, verdict: EntryVerdict) -> Finding:
    return Finding(
        "compat/accepted-incomplete",
        f"{verdict.entrypoint}: what is accepted may hide other breaks",
        expected="a verdict without what is accepted",
        actual=verdict.hidden,
        source=report.new,
    )


def read_accepted(name: str, today: date) -> AcceptedBreaks:
    """Return the accepted breaks of a file: a JSON array of objects.

    Members: ``fingerprint``, ``rule``, ``pointer`` and ``reason``, and ``until`` (YYYY-MM-DD) if
    the acceptance ends. Raises UsageError ``usage/unreadable-input`` or ``usage/invalid-argument``
    and ReadError, all of which name the file.
    """
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise missing(name, error.strerror or str(error)) from None
    try:
        rows = decode_json(data)
    except PartwireError as error:
        error.findings = error.args = tuple(each._replace(source=name) for each in error.findings)
        raise
    if not isinstance(rows, list):
        raise _bad(name, "", "Accepted breaks are an array", "an array of entries", rows)
    entries: list[Accepted] = []
    for number, row in enumerate(rows):
        entry = _entry(name, f"/{number}", row)
        if any(entry.fingerprint == other.fingerprint for other in entries):
            raise _bad(
                name, f"/{number}/fingerprint", "Accepted twice", "one entry", entry.fingerprint
            )
        entries.append(entry)
    return AcceptedBreaks(tuple(entries), today, name)


def _entry(name: str, place: str, row: Any) -> Accepted:
    if not isinstance(row, dict):
        raise _bad(name, place, "An entry is an object", "an object", row)
    for member in _NEEDED:
        if member not in row:
            raise _bad(name, place, f"{member} is missing", f"a member {member}", row)
    for member, value in row.items():
        if member not in _MEMBERS:
            raise _bad(name, f"{place}/{member}", "Unknown member", " or ".join(_MEMBERS), member)
        if not isinstance(value, str):
            raise _bad(name, f"{place}/{member}", "No string", "a string", value)
    if not row["reason"].strip():
        raise _bad(name, f"{place}/reason", "A reason says something", "a sentence", row["reason"])
    until = _day(name, f"{place}/until", row["until"]) if "until" in row else None
    return Accepted(row["fingerprint"], row["rule"], row["pointer"], row["reason"], until)


def _day(name: str, place: str, text: str) -> date:
    try:
        if len(text) == len("2026-01-31"):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise _bad(name, place, "No day of the calendar", "a day such as 2026-01-31", text)


def _bad(name: str, pointer: str, message: str, expected: str, actual: Any) -> UsageError:
    return UsageError(
        Finding(
            "usage/invalid-argument",
            message,
            pointer,
            expected=expected,
            actual=clip(actual),
            source=name,
        )
    )
