"""What a refused migration says."""

from __future__ import annotations

from collections.abc import Sequence

from partwire.errors import Finding, PartwireError
from partwire.losses import Loss

__all__ = ["MigrationError", "lossy_error", "refuse_lossy"]


class MigrationError(PartwireError, ValueError):
    """A migration that cannot be, or that would lose something and was asked to be strict.

    ``losses`` are all losses of the refused migration.
    """

    def __init__(self, *findings: Finding, losses: Sequence[Loss] = ()) -> None:
        super().__init__(*findings)
        self.losses = list(losses)


def refuse_lossy(losses: Sequence[Loss]) -> None:
    """Raise MigrationError ``migrate/lossy`` if one of ``losses`` is lossy."""
    if any(loss.severity == "lossy" for loss in losses):
        raise lossy_error(losses)


def lossy_error(losses: Sequence[Loss]) -> MigrationError:
    """Return the MigrationError ``migrate/lossy`` of ``losses``."""
    found = [
        Finding("migrate/lossy", f"{loss.detail} ({loss.code})", loss.pointer)
        for loss in losses
        if loss.severity == "lossy"
    ]
    return MigrationError(*found, losses=losses)
