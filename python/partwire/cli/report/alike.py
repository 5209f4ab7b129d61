"""What to say where every document of a type fails in the same way: perhaps it is another type; and
where a file that fails is of a format of others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from ...errors import Finding, PartwireError
from ...json.text import decode_json
from ...reading.guess import guess_type
from ...reporting.text import likeness
from ..files.foreign import foreign_hint
from ..files.inputs import Source

__all__ = ["Alike"]


@dataclass
class _Tally:
    """What the documents of one type have come to."""

    first: Source
    failing: Source | None = None
    """The first source with an error."""
    documents: int = 0
    failed: int = 0
    ways: set[Hashable] = field(default_factory=set)
    """How the first errors of documents look; two are enough to know."""


class Alike:
    """Watches a report, in which documents of a source follow each other with their findings."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = {}
        self._of: dict[str, tuple[_Tally, Source]] = {}
        self._source: Source | None = None
        self._tally: _Tally | None = None
        self._line: int | None = None
        self._has_failed = False
        self._before = 0

    def expects(self, source: Source, type_name: str, version: str) -> None:
        """Note which type the documents of a source are to have."""
        tally = self._tallies.setdefault((type_name, version), _Tally(source))
        self._of[source.label] = tally, source

    def begin(self, label: str, documents: int) -> None:
        """A source begins; ``documents`` were read before."""
        self._end(documents)
        self._tally, self._source = self._of.get(label, (None, None))
        self._before = documents
        self._line, self._has_failed = None, False

    def note(self, finding: Finding) -> None:
        """Take a finding of the source."""
        tally = self._tally
        if tally is None or finding.severity != "error":
            return
        if self._has_failed and finding.line == self._line:
            return  # one more of the same document
        self._line, self._has_failed = finding.line, True
        tally.failed += 1
        tally.failing = tally.failing or self._source
        if len(tally.ways) < 2:
            tally.ways.add(likeness(finding._replace(source=None)))

    def hints(self, documents: int) -> Iterator[str]:
        """Yield a sentence for each type that all of its documents refuse alike, and that they seem
        not to be of; and for the first file of a type that fails and has a format of others.
        ``documents`` were read in all.
        """
        self._end(documents)
        for (type_name, version), tally in self._tallies.items():
            if tally.failing is None:
                continue
            guess = _guess(tally.first, version)
            if guess == type_name:
                continue
            are_alike = tally.failed >= tally.documents > 0 and len(tally.ways) == 1
            if guess is not None and are_alike:
                head = "Every document fails alike: is" if tally.documents > 1 else "Is"
                yield f"{head} this really {type_name}? It looks like {guess}"
            if hint := foreign_hint(tally.failing):
                yield hint

    def _end(self, documents: int) -> None:
        if self._tally is not None:
            self._tally.documents += documents - self._before
        self._tally = None


def _guess(source: Source, version: str) -> str | None:
    if source.size_bytes() is None:  # stdin, or a pipe: it is gone
        return None
    try:
        first = next(source.documents(), None)
        return None if first is None else guess_type(decode_json(first.data), version)
    except PartwireError:
        return None
