"""One run of a command: its findings are reported as they come, a million need no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from ..errors import Finding, PartwireError
from .baseline import Baseline
from .form import Form, Totals
from .items import Item, Rows, Spot

__all__ = ["CUT", "Ignoring", "Report"]

CUT: Final = "document/too-many-findings"
"""The rule of what says that a document has more findings than are reported."""


class Ignoring(Protocol):
    """What a project leaves out, rule by rule, and what is to be said of that."""

    def ignores(self, finding: Finding) -> bool:
        """Return whether a finding is left out."""
        ...

    def findings(self) -> Iterable[Finding]:
        """Return what is to be said when all findings are known."""
        ...


class Report:
    """Takes findings, leaves out what is ignored and what the baseline accepts, counts, and hands
    on to ``form``.

    ``sources``, ``documents`` and ``unreadable`` may be counted up by whoever reads them;
    :meth:`begin_source` and :meth:`cannot_read` do so too. ``details`` is what the command has
    to say besides findings: JSON, shown by the format ``json``.
    """

    def __init__(
        self, form: Form, baseline: Baseline | None = None, ignoring: Ignoring | None = None
    ) -> None:
        self.form = form
        self.baseline = baseline
        if baseline is not None:
            baseline.stands_in(form.head.root or form.head.folder)
        self.ignoring = ignoring
        self.details: Mapping[str, Any] | None = None
        self.totals = Totals()
        self.is_cut = False
        """Whether there are findings that nobody has seen."""
        self.locate: Callable[[Finding], Spot] | None = None
        """Finds where a finding is in its file; asked for what is shown."""

    def begin_source(self, label: str) -> None:
        """Count a source; its findings follow."""
        self.totals.sources += 1
        if self.baseline is not None:
            self.baseline.reads(self.form.head.place_of(label))
        self.form.source(label)

    def also_read(self, labels: Iterable[str]) -> None:
        """Note files that findings may be about besides the sources themselves."""
        if self.baseline is not None:
            for label in labels:
                self.baseline.reads(self.form.head.place_of(label))

    def add(self, finding: Finding, rows: Rows = (), fingerprint: str | None = None) -> None:
        """Report a finding and count it, unless it is ignored or the baseline accepts it."""
        if self.ignoring is not None and self.ignoring.ignores(finding):
            self.totals.ignored += 1
            return
        place = self.form.head.place_of(finding.source)
        # What a command gives a fingerprint has its place already.
        item = Item(finding, place, rows, fingerprint, None if fingerprint else self.locate)
        if self.baseline is not None and self.baseline.accepts(item):
            self.totals.accepted += 1
            return
        self._tell(item)

    def cut(self, finding: Finding) -> None:
        """Report that a document has more findings than the report. Nothing can accept that: among
        them may be one that nobody has accepted.
        """
        self.is_cut = True
        place = self.form.head.place_of(finding.source)
        if self.baseline is not None:
            self.baseline.cannot_read(place)
        self._tell(Item(finding, place, locate=self.locate))

    def _tell(self, item: Item) -> None:
        totals = self.totals
        severity = item.finding.severity
        if severity == "error":
            totals.errors += 1
        elif severity == "warning":
            totals.warnings += 1
        else:
            totals.infos += 1
        rule = item.finding.rule
        totals.statistics[rule] = totals.statistics.get(rule, 0) + 1
        self.form.item(item)

    def cannot_read(self, error: PartwireError) -> None:
        """Count a source that cannot be read: it must not hide what is wrong with the others."""
        self.totals.unreadable += 1
        for finding in error.findings:
            if self.baseline is not None:
                self.baseline.cannot_read(self.form.head.place_of(finding.source))
            self.form.problem(finding)

    def end(self) -> None:
        """Report what the baseline has too much, what is ignored no more, and the end."""
        for each in (self.ignoring, self.baseline):
            for finding in each.findings() if each is not None else ():
                place = self.form.head.place_of(finding.source)
                self._tell(Item(finding, place, locate=self.locate))
        self.form.end(self.totals, self.details)
