"""What every output format has in common: it is given a run piece by piece, and writes text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import Finding
from .items import Item, place_of

__all__ = ["Form", "Head", "Totals"]


class Head(NamedTuple):
    """What is known of a run before it begins.

    ``folder`` is the working folder, where the names of sources begin; ``colour`` is for text.
    ``root`` is the project's folder, where places begin; without it that is ``folder`` too.
    ``checkout`` is where CI has put the repository, which may hold several projects. The rest is
    for text: ``context`` shows lines with a caret, ``width`` and ``encoding`` are the terminal's,
    and ``most`` is how many findings are shown, like ones counted as one (0: each by itself).
    """

    command: str
    tool_version: str
    contract: str | None = None
    folder: str = "/"
    colour: bool = False
    root: str | None = None
    checkout: str | None = None
    context: bool = False
    width: int = 80
    encoding: str = "utf-8"
    most: int = 0

    def place_of(self, source: str | None) -> str | None:
        """Return where a source is, as :func:`partwire.reporting.place_of` says."""
        return place_of(source, self.folder, self.root)

    def in_checkout(self, place: str | None) -> str | None:
        """Return where a place is in the repository: hosts show findings by that path."""
        if place is None or self.checkout is None:
            return place
        path = os.path.join(self.root or self.folder, place)  # noqa: PTH118 - any text is a path
        found = place_of(path, self.folder, self.checkout)
        return place if found is None or found.startswith("/") else found


@dataclass
class Totals:
    """What a run has come to; ``statistics`` counts the findings that are reported by their rule.

    ``failed``: the command calls it wrong, whatever its findings are.
    """

    sources: int = 0
    documents: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    ignored: int = 0
    accepted: int = 0
    unreadable: int = 0
    failed: bool = False
    statistics: dict[str, int] = field(default_factory=dict)

    @property
    def findings(self) -> int:
        """How many findings are reported."""
        return self.errors + self.warnings + self.infos

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong, and everything could be read."""
        return not (self.errors or self.unreadable or self.failed)


class Form:
    """One output format. ``write`` takes text; nothing is written before the first finding.

    ``encoded`` formats are UTF-8 whatever the terminal speaks. Findings of one source come
    together, between :meth:`source` and the next.
    """

    encoded = True

    def __init__(self, write: Callable[[str], object], head: Head) -> None:
        self.write = write
        self.head = head
        self.remarks: Callable[..., str | None] | None = None

    def source(self, label: str) -> None:
        """A source begins."""

    def item(self, item: Item) -> None:
        """A finding is reported."""
        raise NotImplementedError

    def remark(self, finding: Finding, *, on_all: bool = False) -> str | None:
        """Return what is to be said of many findings that are like one of the source that has
        ended, or of all sources; a command may know.
        """
        return None if self.remarks is None else self.remarks(finding, on_all=on_all)

    def problem(self, finding: Finding) -> None:
        """A source could not be read; stderr has it too."""

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Nothing more comes."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the format holds, whether it came to its end or not."""
