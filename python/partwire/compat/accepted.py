"""Known breaks that a project lives with: a file of entries, each with a reason and an end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from ..errors import Finding
from ..reporting.kept_files import DAY, SENTENCE, TEXT, EntryForm
from ..severities import SEVERITIES
from .report import Change, EntryVerdict, Report

__all__ = ["Accepted", "AcceptedBreaks", "read_accepted"]

_FORM: Final = EntryForm(
    "Accepted breaks are an array",
    {"fingerprint": TEXT, "rule": TEXT, "pointer": TEXT, "reason": SENTENCE, "until": DAY},
    needed=("fingerprint", "rule", "pointer", "reason"),
)


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
        rule = f"compat/accepted-{what}"
        return Finding(
            rule,
            message,
            f"/{number}",
            SEVERITIES[rule],
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
    the acceptance ends. Raises as :meth:`EntryForm.read`, and where a break is accepted twice.
    """
    read = _FORM.read(name)
    entries = tuple(Accepted(**row) for row in read.rows)
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        if entry.fingerprint in seen:
            place = f"/{number}/fingerprint"
            raise read.refused(place, "Accepted twice", "one entry", entry.fingerprint)
        seen.add(entry.fingerprint)
    return AcceptedBreaks(entries, today, name)
