"""Which breaks ``partwire publish`` accepts: those of --accept and the baseline, or every one."""

from __future__ import annotations

from ..compat.accepted import Accepted
from ..compat.report import Change, EntryVerdict
from ..reporting import Baseline
from .compat_accepted import Acceptance, accepted_breaks

__all__ = ["acceptance"]


class _Every(Acceptance):
    """Accepts whatever is found: somebody has said so. It is still told."""

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
