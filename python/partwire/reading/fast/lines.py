"""Screen many documents at once: which of them have to be looked at one by one.

The lines of a stream are nearly always valid. Here they take one typed decode each, and the texts
that types cannot judge are matched all together. A document that is let through has no findings
at all; one that is not may still be valid, which :class:`partwire.reading.pipeline.Binding` tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import Any

import msgspec

from ...contract.versions import generated_module
from ...json.text import FEWEST_BYTES, is_document
from ..pipeline import Binding
from .closed import closed

__all__ = ["Screen"]

_MANY = r"(?:(?:%s)\n)*+"

TIME = (
    "(?:[0-9]{4}-(?:"
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|"
    "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|"
    "02-(?:0[1-9]|1[0-9]|2[0-8]))|"
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
    "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?"
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
"""The pattern of a Timestamp, for which there is a shorter way."""

_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_OF_THE_HOUR = tuple(at for at, sign in enumerate("2026-01-02T03") if sign.isdigit())
_TENS = (len("2026-01-02T03:"), len("2026-01-02T03:04:"))  # of minutes and seconds
_MOST_RUNS = 8  # beyond them, one match of all that is left costs less

_TOO_OFTEN = 8
"""One line in so many with a member without bounds: then none is decoded twice."""

Decode = Callable[[bytes], Any]


class Screen:
    """The quick look at documents of one type; made once each by :meth:`of`."""

    def __init__(self, binding: Binding) -> None:
        family, name, version = binding.type
        texts = generated_module(version, "residual", family).TEXTS.get(name)
        self._is_clean = partial(binding.is_clean, unknown="warn")
        self._struct: Any = None
        self._bounded: Decode | None = None
        self._patterns: list[re.Pattern[str]] = []
        # What stands in a document is read by no one: the least that can be kept is kept.
        self._read: Callable[[Any], Any] = bool
        if texts is not None:
            self._struct = getattr(generated_module(version, "structs", family), name)
            with suppress(TypeError):  # it needs a member without bounds
                self._bounded = _decoder(closed(self._struct, bounded=True))
            self._patterns = list(texts.values())
            if texts:
                self._read = attrgetter(*texts)

    @staticmethod
    def of(binding: Binding) -> Screen:
        """Return the screen of a type."""
        return _screen(binding)

    def refused(self, lines: Sequence[bytes]) -> list[int]:
        """Return the indexes of the lines that may have findings, ascending.

        ``lines`` are JSON texts, with their line ends or without; none of the others has any
        finding, not even a warning, and no member that its type does not name.
        """
        if self._struct is None:
            is_clean = self._is_clean
            return [index for index, line in enumerate(lines) if not is_clean(line)]
        if self._bounded is None:
            return self._unbounded_refused(lines)
        refused = self._looked_at(self._bounded, lines)
        if not refused:
            return refused
        again = self._unbounded_refused([lines[index] for index in refused])
        if (len(refused) - len(again)) * _TOO_OFTEN > len(lines):
            self._bounded = None  # such lines are usual here
        return [refused[index] for index in again]

    @cached_property
    def _decode(self) -> Decode:
        return _decoder(closed(self._struct))

    def _unbounded_refused(self, lines: Sequence[bytes]) -> list[int]:
        """Return what :meth:`refused` does, of lines in which members may have any value."""
        refused = self._looked_at(self._decode, lines)
        # A decode knows nothing of the limits of documents.
        if max(map(len, lines), default=0) >= FEWEST_BYTES:
            known = set(refused)
            long = (at for at, line in enumerate(lines) if len(line) >= FEWEST_BYTES)
            refused = sorted(known.union(at for at in long if not is_document(lines[at])))
        return refused

    def _looked_at(self, decode: Decode, lines: Sequence[bytes]) -> list[int]:
        """Return the indexes of lines that do not decode, or whose texts do not match."""
        refused, taken = self._decoded(decode, lines)
        if unmatched := self._unmatched(taken):
            refused = sorted([*refused, *_places(unmatched, refused)])
        return refused

    def _decoded(self, decode: Decode, lines: Sequence[bytes]) -> tuple[list[int], list[Any]]:
        """Return the indexes of lines that do not decode, and what is to be read of the others."""
        read = self._read
        refused: list[int] = []
        taken: list[Any] = []
        left = iter(lines)
        while True:
            try:
                taken.extend(map(read, map(decode, left)))  # what came before an error stays
            except (ValueError, RecursionError):
                refused.append(len(taken) + len(refused))
            else:
                return refused, taken

    def _unmatched(self, taken: list[Any]) -> list[int]:
        """Return which of what was read does not match."""
        if not self._patterns or not taken:
            return []
        if len(self._patterns) == 1:
            return _unmatched(self._patterns[0], taken)
        columns = zip(self._patterns, zip(*taken, strict=True), strict=True)
        return sorted({at for pattern, texts in columns for at in _unmatched(pattern, texts)})


def _decoder(kind: Any) -> Decode:
    return msgspec.json.Decoder(kind).decode


@cache
def _screen(binding: Binding) -> Screen:
    return Screen(binding)


@cache
def _many(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern of any number of texts, each with a line end behind it."""
    return re.compile(_MANY % pattern.pattern)


def _unmatched(pattern: re.Pattern[str], texts: Sequence[str]) -> list[int]:
    """Return the indexes of the texts that do not match as a whole.

    One match of all texts, joined by line ends, costs half of what a match for each would cost.
    """
    joined = "\n".join(texts) + "\n"
    unmatched: list[int] = []
    begin = index = 0
    if pattern.pattern == TIME:
        width = len(texts[0]) + 1
        if len(joined) == width * len(texts) == _alike(pattern, texts[0], joined) * width:
            return unmatched
    if joined.count("\n") != len(texts):  # a text holds a line end itself
        return [index for index, text in enumerate(texts) if not pattern.fullmatch(text)]
    if pattern.pattern == TIME:
        begin, index = _runs(pattern, texts, joined, unmatched)
        if begin == len(joined):
            return unmatched
    match = _many(pattern).match
    while (found := match(joined, begin)) and found.end() < len(joined):
        index += joined.count("\n", begin, found.end())
        unmatched.append(index)
        begin = joined.index("\n", found.end()) + 1
        index += 1
    return unmatched


def _runs(
    pattern: re.Pattern[str], texts: Sequence[str], joined: str, unmatched: list[int]
) -> tuple[int, int]:
    """Look at times run by run, of which each is written like its first one.

    Return where in ``joined``, and at which of its lines, there is still something to look at.
    """
    begin = index = 0
    for _ in range(_MOST_RUNS):
        if index == len(texts):
            break
        first = texts[index]
        count = _alike(pattern, first, joined[begin:])
        if not count:
            count = 1
            if not pattern.fullmatch(first):
                unmatched.append(index)
        index += count
        begin += count * (len(first) + 1)
    return begin, index


def _places(indexes: Sequence[int], left_out: Sequence[int]) -> Iterator[int]:
    """Yield where what stands at ``indexes`` stood before ``left_out`` was left out."""
    before = 0
    for index in indexes:
        while before < len(left_out) and left_out[before] <= index + before:
            before += 1
        yield index + before


def _alike(pattern: re.Pattern[str], first: str, joined: str) -> int:
    """Return how many of the lines, from the first on, are times in UTC, in the same hour, and
    written like the first.

    A stream's times nearly always are; then nothing is left to look at but minutes and seconds,
    column by column. The first is matched itself: it has the day and the hour of all.
    """
    if not first.endswith("Z") or pattern.fullmatch(first) is None:
        return 0
    data = joined.encode()
    width = len(first) + 1
    count = len(data) // width
    shape = data[:width].translate(_DIGITS) * count
    digits = data[: len(shape)].translate(_DIGITS)
    if digits != shape:
        count = _equal(digits, shape) // width
    for at in _OF_THE_HOUR:
        column, same = data[at : count * width : width], data[at : at + 1] * count
        if column != same:
            count = _equal(column, same)
    for at in _TENS:
        count -= len(data[at : count * width : width].lstrip(b"012345"))
    return count


def _equal(one: bytes, other: bytes) -> int:
    """Return how many bytes, from the first on, are equal in two texts of one length."""
    low, high = 0, len(one)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
