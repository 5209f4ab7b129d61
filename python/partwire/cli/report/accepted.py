"""Which breaks ``partwire compat`` accepts: those of --accept, and those of the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ...compat.accepted import Accepted, AcceptedBreaks, read_accepted
from ...compat.report import Change, EntryVerdict, fingerprint_of
from ...reporting import Baseline

__all__ = ["Acceptance", "acceptance", "accepted_breaks", "fingerprint_of_verdict"]


@dataclass
class Acceptance(AcceptedBreaks):
    """The entries of --accept, and behind them a baseline, which also knows what proves nothing."""

    baseline: Baseline | None = None

    def entry_of(self, change: Change) -> Accepted | None:
        """Return the entry that accepts a change today."""
        entry = super().entry_of(change)
        if entry is None and (reason := self._excuse(change.fingerprint)) is not None:
            return Accepted(change.fingerprint, change.rule, change.place, reason)
        return entry

    def is_in_baseline(self, change: Change) -> bool:
        """Return whether it is the baseline that accepts a change: then it is not reported."""
        return super().entry_of(change) is None and self._excuse(change.fingerprint) is not None

    def excuses(self, verdict: EntryVerdict) -> bool:
        """Return whether the baseline accepts that a verdict proves nothing."""
        return self._excuse(fingerprint_of_verdict(verdict)) is not None

    def _excuse(self, fingerprint: str) -> str | None:
        return None if self.baseline is None else self.baseline.excuse(fingerprint)


def accepted_breaks(name: str | None, baseline: Baseline | None) -> Acceptance:
    """Return what the file ``name`` and a baseline accept today.

    Raises as :func:`partwire.compat.accepted.read_accepted`.
    """
    today = datetime.now(UTC).date()
    if name is None:
        return Acceptance((), today, "", baseline=baseline)
    read = read_accepted(name, today)
    return Acceptance(read.entries, read.today, read.source, baseline=baseline)


def fingerprint_of_verdict(verdict: EntryVerdict) -> str:
    """Return the fingerprint of a verdict that proves nothing: it has no change."""
    rule = f"compat/{verdict.status}"
    return fingerprint_of(rule, verdict.direction, verdict.entrypoint, ())


# --- partwire publish -----------------------------------------------------------------------------


class _Every(Acceptance):
    """Accepts whatever is found: somebody has said so. It is still reported."""

    def entry_of(self, change: Change) -> Accepted:
        super().entry_of(change)
        return Accepted(change.fingerprint, change.rule, change.place, "everything is, as asked")

    def is_in_baseline(self, change: Change) -> bool:
        return False

    def accepts(self, verdict: EntryVerdict) -> bool:
        return True

    def excuses(self, verdict: EntryVerdict) -> bool:
        return True


def acceptance(name: str | None, baseline: Baseline | None, *, every: bool) -> Acceptance:
    """Return what is accepted. Raises as :func:`partwire.compat.accepted.read_accepted`."""
    read = accepted_breaks(name, baseline)
    if not every:
        return read
    return _Every(read.entries, read.today, read.source, baseline=baseline)
