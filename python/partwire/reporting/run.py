"""One run of a command: its findings are told as they come, a million need no memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import Finding, PartwireError
from .baseline import Baseline
from .form import Form, Totals
from .items import Item, Rows, place_of

__all__ = ["Report"]


class Report:
    """Takes findings, leaves out what the baseline accepts, counts, and hands on to ``form``.

    ``sources``, ``documents`` and ``unreadable`` may be counted up by whoever reads them;
    :meth:`begin_source` and :meth:`cannot_read` do so too. ``details`` is what the command has
    to say besides findings: JSON, shown by the format ``json``.
    """

    def __init__(self, form: Form, baseline: Baseline | None = None) -> None:
        self.form = form
        self.baseline = baseline
        self.details: Mapping[str, Any] | None = None
        self.totals = Totals()

    def begin_source(self, label: str) -> None:
        """Count a source; its findings follow."""
        self.totals.sources += 1
        if self.baseline is not None:
            self.baseline.reads(place_of(label, self.form.head.folder))
        self.form.source(label)

    def add(self, finding: Finding, rows: Rows = (), fingerprint: str | None = None) -> None:
        """Tell a finding and count it, unless the baseline accepts it."""
        place = place_of(finding.source, self.form.head.folder)
        item = Item(finding, place, rows, fingerprint)
        if self.baseline is not None and self.baseline.accepts(item):
            self.totals.accepted += 1
            return
        self._tell(item)

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
                self.baseline.cannot_read(place_of(finding.source, self.form.head.folder))
            self.form.problem(finding)

    def end(self) -> None:
        """Tell what the baseline has too much, and the end of the report."""
        if self.baseline is not None:
            for finding in self.baseline.findings():
                self._tell(Item(finding, place_of(finding.source, self.form.head.folder)))
        self.form.end(self.totals, self.details)
