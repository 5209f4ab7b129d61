"""A finding on its way into a report: with its place among the files, and its fingerprint."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from ..errors import Finding

__all__ = ["STDIN", "Item", "Rows", "Spot", "fingerprint_of", "place_of"]

STDIN = "<stdin>"
"""What stdin is called as a source; no file of a report."""

Rows = tuple[tuple[str, str], ...]
"""What a command says of a finding beyond its members: names and values, for people."""


class Spot(NamedTuple):
    """Where in its file a finding is, as far as that is known, and the text of that line."""

    line: int | None = None
    column: int | None = None
    """In characters, from 1."""
    text: str | None = None
    missing: int = 0
    """Characters of the line before the text."""


# json.dumps makes an encoder for every call that asks for anything special.
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


@lru_cache(maxsize=1024)
def place_of(source: str | None, folder: str, root: str | None = None) -> str | None:
    """Return where ``source``, a path seen from ``folder``, is below ``root``, with forward
    slashes; None for stdin. Without ``root``, below ``folder``.

    A file elsewhere keeps its absolute path. The same file has the same place, however the
    command line spells it.
    """
    if source is None or source == STDIN:
        return None
    path = os.path.normpath(os.path.join(folder, source))  # noqa: PTH118 - any text
    base = folder if root is None else root
    if path.startswith(base.rstrip(os.sep) + os.sep):
        path = os.path.relpath(path, base)
    return path.replace(os.sep, "/")


def fingerprint_of(finding: Finding, place: str | None) -> str:
    """Return sixteen hexadecimal digits, made of rule, place, pointer and values.

    Neither the message nor the line counts: a finding is the same one where others come before it.
    What was found is the value, and where nothing was, what was missed.
    """
    value = finding.actual if finding.actual is not None else finding.expected
    told = _encode([finding.rule, place, finding.pointer, value])
    import hashlib  # noqa: PLC0415 - takes longer than all else here, and text has no use for it

    return hashlib.sha256(told.encode()).hexdigest()[:16]


class Item:
    """One finding of a report. ``given`` is a fingerprint that its command makes itself; ``locate``
    finds the place in the file, which nobody looks for unless it is shown.
    """

    __slots__ = ("_fingerprint", "_locate", "_spot", "finding", "given", "place", "rows")

    def __init__(
        self,
        finding: Finding,
        place: str | None,
        rows: Rows = (),
        given: str | None = None,
        locate: Callable[[Finding], Spot] | None = None,
    ) -> None:
        self.finding = finding
        self.place = place
        self.rows = rows
        self.given = given
        self._fingerprint = given
        self._locate = locate
        self._spot: Spot | None = None

    @property
    def spot(self) -> Spot:
        """Where the finding is; looked for when it is first asked for."""
        if self._spot is None:
            known = Spot(self.finding.line)
            self._spot = known if self._locate is None else self._locate(self.finding)
        return self._spot

    @property
    def fingerprint(self) -> str:
        """Made when it is first asked for: text has no use for it."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint_of(self.finding, self.place)
        return self._fingerprint
