"""Screen many documents at once: which of them have to be looked at one by one.

The lines of a stream are nearly always valid. Here they take one typed decode each, and the texts
that types cannot judge are matched all together. A document that is let through has no findings
at all; one that is not may still be valid, which :class:`partwire.reading.Binding` tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec

from .bindings.closed import closed
from .contract import generated_module
from .documents import FEWEST_BYTES, is_document
from .reading import Binding

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
_HOUR = len("2026-01-02T03:")


class Screen:
    """The quick look at documents of one type; made once each by :meth:`of`."""

    def __init__(self, binding: Binding) -> None:
        family, name, version = binding.type
        texts = generated_module(version, "residual", family).TEXTS.get(name)
        self._valid = binding.decode_valid
        self._decode: Callable[[bytes], Any] | None = None
        self._patterns: list[re.Pattern[str]] = []
        # What stands in a document is read by no one: the least that can be kept is kept.
        self._read: Callable[[Any], Any] = bool
        if texts is not None:
            structs = generated_module(version, "structs", family)
            self._decode = msgspec.json.Decoder(closed(getattr(structs, name))).decode
            self._patterns = list(texts.values())
            if texts:
                self._read = attrgetter(*texts)

    @staticmethod
    def of(binding: Binding) -> Screen:
        """Return the screen of a type."""
        return _screen(binding)

    def refused(self, lines: Sequence[bytes]) -> list[int]:
        """Return the indexes of the lines that may have findings, ascending.

        ``lines`` are JSON texts; none of the others has any finding, not even a warning.
        """
        if self._decode is None:
            valid = self._valid
            return [index for index, line in enumerate(lines) if valid(line) is None]
        refused, taken = self._decoded(self._decode, lines)
        if unmatched := self._unmatched(taken):
            refused = sorted([*refused, *_places(unmatched, refused)])
        # A decode knows nothing of the limits of documents.
        if max(map(len, lines), default=0) >= FEWEST_BYTES:
            known = set(refused)
            long = (at for at, line in enumerate(lines) if len(line) >= FEWEST_BYTES)
            refused = sorted(known.union(at for at in long if not is_document(lines[at])))
        return refused

    def _decoded(
        self, decode: Callable[[bytes], Any], lines: Sequence[bytes]
    ) -> tuple[list[int], list[Any]]:
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
    if pattern.pattern == TIME and _within_an_hour(pattern, texts[0], joined, len(texts)):
        return []
    if joined.count("\n") != len(texts):  # a text holds a line end itself
        return [index for index, text in enumerate(texts) if not pattern.fullmatch(text)]
    match = _many(pattern).match
    unmatched: list[int] = []
    begin = index = 0
    while (found := match(joined, begin)) and found.end() < len(joined):
        index += joined.count("\n", begin, found.end())
        unmatched.append(index)
        begin = joined.index("\n", found.end()) + 1
        index += 1
    return unmatched


def _places(indexes: Sequence[int], left_out: Sequence[int]) -> Iterator[int]:
    """Yield where what stands at ``indexes`` stood before ``left_out`` was left out."""
    before = 0
    for index in indexes:
        while before < len(left_out) and left_out[before] <= index + before:
            before += 1
        yield index + before


def _within_an_hour(pattern: re.Pattern[str], first: str, joined: str, count: int) -> bool:
    """Tell whether all times are in UTC, in the same hour, and written like the first.

    A stream's times nearly always are; then nothing is left to look at but minutes and seconds,
    column by column. The first is matched itself: it has the day and the hour of all.
    """
    if not first.endswith("Z") or pattern.fullmatch(first) is None:
        return False
    data = joined.encode()
    width = len(first) + 1
    return (
        data.translate(_DIGITS) == data[:width].translate(_DIGITS) * count
        and data.count(data[:_HOUR]) == count
        and not data[_HOUR::width].strip(b"012345")
        and not data[_HOUR + 3 :: width].strip(b"012345")
    )
