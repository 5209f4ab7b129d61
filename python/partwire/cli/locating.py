"""The line of a pointer in a file that holds one document: where an annotation is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Finding

if TYPE_CHECKING:
    from ..positions import Positions

__all__ = ["Locator"]

_MOST_BYTES = 16 << 20
"""Larger files are not read again for the sake of a line."""


class Locator:
    """Finds lines in one file after the other; only the last one is kept."""

    def __init__(self) -> None:
        self._source: str | None = None
        self._positions: Positions | None = None

    def line_of(self, finding: Finding) -> int | None:
        """Return the line of a finding's pointer, from 1; None where there is nothing to find."""
        if finding.line is not None or finding.source is None or not finding.pointer:
            return finding.line
        if finding.source != self._source:
            self._source, self._positions = finding.source, _positions(finding.source)
        if self._positions is None:
            return None
        try:
            return self._positions.find(finding.pointer).line
        except (ValueError, IndexError, RecursionError):  # no JSON, or not that which was read
            return None


def _positions(source: str) -> Positions | None:
    from ..positions import Positions  # noqa: PLC0415 - only findings need it

    try:
        path = Path(source)
        # A pipe would wait for a writer, and stdin is gone.
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        return Positions(path.read_bytes())
    except (OSError, ValueError):
        return None
