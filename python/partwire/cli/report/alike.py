"""What to say where the documents of a file fail in the same way: perhaps they are of another type;
and where a file that fails is of a format of others.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from ...contract.current import LATEST_VERSION
from ...errors import Finding, PartwireError
from ...files.inputs import Source
from ...json.text import decode_json
from ...reading.guess import guess_type
from ...reporting.text import likeness
from ...reporting.words import one_line
from ..files.foreign import foreign_hint

__all__ = ["Alike"]

_REMARK: Final = "wrong type of file?"
_NEARLY: Final = 0.9
"""The share of the documents that have to fail in one way."""
_FEW: Final = 10
"""Fewer documents show nothing by that."""
_WAYS: Final = 50
"""So many ways to fail are told apart."""
_LOOKED_AT: Final = 20  # documents of which the type is guessed
_MOST_HINTS: Final = 3  # files of a type


@dataclass
class _Tally:
    """What documents have come to, each by its first error."""

    documents: int = 0
    failed: int = 0
    ways: Counter[Hashable] = field(default_factory=Counter)

    def note(self, way: Hashable) -> None:
        self.failed += 1
        if way in self.ways or len(self.ways) < _WAYS:
            self.ways[way] += 1

    @property
    def are_alike(self) -> bool:
        """Whether all documents fail in one way."""
        return self.failed >= self.documents > 0 and len(self.ways) == 1

    def usual(self) -> Hashable:
        """Return the way in which nearly all of many documents fail; None where they do not."""
        ((way, count),) = self.ways.most_common(1) or [(None, 0)]
        return way if count >= _NEARLY * self.documents and self.documents >= _FEW else None


@dataclass
class _Type:
    """The files that are to have one type."""

    name: str
    version: str
    first: Source
    total: _Tally = field(default_factory=_Tally)
    failing: Source | None = None
    """The first source with an error."""
    wrong: list[Source] = field(default_factory=list)
    """Some files of which nearly all documents fail alike."""

    def guess(self, source: Source) -> str | None:
        """Return the type that the first documents of a source seem to have; "" for the type that
        they are to have, None where nothing shows.
        """
        if source.size_bytes() is None:  # stdin, or a pipe: it is gone
            return None
        guesses: Counter[str | None] = Counter()
        with suppress(PartwireError):
            for each in islice(source.documents(), _LOOKED_AT):
                guesses[guess_type(decode_json(each.data), self.version)] += 1
        ((guess, _),) = guesses.most_common(1) or [(None, 0)]
        return "" if guess == self.name else guess


class Alike:
    """Watches a report, in which documents of a source follow each other with their findings."""

    def __init__(self) -> None:
        self._types: dict[tuple[str, str], _Type] = {}
        self._of: dict[str, tuple[_Type, Source]] = {}
        self._source: Source | None = None
        self._type: _Type | None = None
        self._file = _Tally()
        self._document: tuple[int | None, str] | None = None
        self._before = 0
        self._usual: Hashable = None
        """How nearly all documents of the last source fail."""
        self._guess: str | None = None

    def expects(self, source: Source, type_name: str, version: str) -> None:
        """Note which type the documents of a source are to have."""
        known = self._types.setdefault((type_name, version), _Type(type_name, version, source))
        self._of[source.label] = known, source

    def begin(self, label: str, documents: int) -> None:
        """A source begins; ``documents`` were read before."""
        self.end(documents)
        self._type, self._source = self._of.get(label, (None, None))
        self._before = documents
        self._document = None

    def note(self, finding: Finding) -> None:
        """Take a finding of the source."""
        if self._type is None or finding.severity != "error":
            return
        # In an array the pointer begins with the number of the document.
        _, _, rest = finding.pointer.partition("/")
        number = "" if finding.line else rest.partition("/")[0]
        document = (finding.line, number if number.isdecimal() else "")
        if document == self._document:
            return  # one more of the same
        self._document = document
        way = likeness(finding)
        self._file.note(way)
        self._type.total.note(way)
        self._type.failing = self._type.failing or self._source

    def end(self, documents: int) -> None:
        """The source ends; ``documents`` were read in all."""
        known, file = self._type, self._file
        if known is not None and self._source is not None:
            file.documents = documents - self._before
            known.total.documents += file.documents
            self._usual = file.usual()
            if self._usual is not None:
                self._guess = known.guess(self._source)
                if len(known.wrong) < _MOST_HINTS:
                    known.wrong.append(self._source)
        self._type, self._file = None, _Tally()

    def remark(self, finding: Finding) -> str | None:
        """Return what to say where nearly all documents of the last source, which has ended, fail
        as ``finding`` does.
        """
        is_usual = likeness(finding) == self._usual
        return _REMARK if is_usual and _is_likely(finding, self._guess) else None

    def remark_on_all(self, finding: Finding) -> str | None:
        """Return the same of all the files that are to have one type."""
        way = likeness(finding)
        are_wrong = (
            way == each.total.usual() and _is_likely(finding, each.guess(each.first))
            for each in self._types.values()
        )
        return _REMARK if any(are_wrong) else None

    def hints(self) -> Iterator[str]:
        """Yield a sentence for each type that nearly all of its documents, or of those of a file,
        refuse alike, and that they seem not to be of; and for the first file of a type that fails
        and has a format of others. For when all has been read.
        """
        for known in self._types.values():
            if known.failing is None:
                continue
            total = known.total
            if total.are_alike or total.usual() is not None:
                yield from _type_hint(known, known.first, total)
            else:
                for source in known.wrong:
                    yield from _type_hint(known, source, None)
            if hint := foreign_hint(known.failing):
                yield hint


def _is_likely(finding: Finding, guess: str | None) -> bool:
    """Return whether documents are of a wrong type: they look like another one, or what is wrong
    is a document itself. Right ones, too, may have a fault that is always deep at the same place.
    """
    of_item = finding.line is None and finding.pointer[1:].isdecimal()
    return guess != "" and (bool(guess) or of_item or not finding.pointer)


def _type_hint(known: _Type, source: Source, total: _Tally | None) -> Iterator[str]:
    """Yield which type documents seem to have, and the command that checks it."""
    guess = known.guess(source)
    if not guess:
        return
    if total is None:
        head = f"{source.label}: nearly every document fails alike: is"
    elif total.documents == 1:
        head = "Is"
    else:
        nearly = "Every" if total.are_alike else "Nearly every"
        head = f"{nearly} document fails alike: is"
    options = f"--type {guess}"
    if known.version != LATEST_VERSION:
        options += f" --contract {known.version}"
    command = f"partwire validate {options} {shlex.quote(source.label)}"
    yield one_line(f"{head} this really {known.name}? It looks like {guess}: {command}")
