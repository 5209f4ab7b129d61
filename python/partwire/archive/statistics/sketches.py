"""Sums in bounded room, of which many make one.

``merge`` is associative and commutative, whatever is merged: the result of an archive depends on
its documents, and neither on how they were parted into tasks nor on the order of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from zlib import crc32

import msgspec

__all__ = [
    "MOST",
    "Estimate",
    "Key",
    "Op",
    "Sample",
    "Sums",
    "bucket_of",
    "digest_of",
    "middle_of",
    "percentile",
]

Op: TypeAlias = Literal["sum", "min", "max"]
"""How two values of one name make one; None means that there is not one."""
Key: TypeAlias = tuple[Any, ...]
Mark: TypeAlias = tuple[int, int, int]
"""What tells occurrences apart, whatever task they are in, and the part and line where one is."""

MOST: Final = (1 << 63) - 1
"""Where sums, which are of numbers from 0 on, go no further."""
_DEPTH: Final = 4
_WIDTH: Final = 1024
_FINE_BITS: Final = 6  # of a number that is put in a bucket
_encode: Final = msgspec.json.Encoder().encode


_MASK: Final = (1 << 64) - 1


def digest_of(key: Key) -> int:
    """Return 64 bits of a name, evenly distributed; those of different names are different, as good
    as always. The native core has the same.
    """
    text = "\x1f".join("\0" if each is None else str(each) for each in key)
    data = text.encode("utf-8", "surrogatepass")
    mixed = crc32(data) << 32 | crc32(data[::-1])
    mixed = (mixed ^ mixed >> 33) * 0xFF51AFD7ED558CCD & _MASK
    mixed = (mixed ^ mixed >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return mixed ^ mixed >> 33


def combined(ops: Sequence[Op], one: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """Return two rows of values as one."""
    made = []
    for op, left, right in zip(ops, one, other, strict=True):
        if left is None or right is None:
            made.append(left if right is None else right)
        elif op == "sum":
            made.append(min(left + right, MOST))
        elif op == "min":
            made.append(min(left, right))
        else:
            made.append(max(left, right))
    return made


class Estimate(NamedTuple):
    """What is known of a name."""

    key: Key
    values: list[Any]
    place: tuple[int, int]
    """Part and line where it is, for one."""


class Sums:
    """Values by name, exact for up to ``most`` names.

    Where there are more, ``most`` of them are kept: those with the least mark in any document that
    has them, which finds a name the more surely the more often it comes. Their values are those of
    a count-min sketch: a sum is too high by at most 0.3 % of the sum over all names, in 98 of 100
    cases; a least one is too low or right, a largest one too high or right.
    """

    def __init__(self, ops: Sequence[Op], most: int) -> None:
        self._ops: tuple[Op, ...] = tuple(ops)
        self._most = most
        self._rows: dict[Key, tuple[Mark, list[Any]]] = {}
        self._cells: dict[int, list[Any]] | None = None
        self.total: list[Any] = [None] * len(self._ops)
        """The values of all names."""

    @property
    def is_exact(self) -> bool:
        """Whether all names are there, with their own values."""
        self._bound()
        return self._cells is None

    def add(self, key: Key, mark: Mark, values: Sequence[Any]) -> None:
        """Add what a document has of a name."""
        self.total = combined(self._ops, self.total, values)
        self._put(key, mark, values)
        if len(self._rows) > 2 * self._most:  # not for each name that is too many
            self._bound()

    def _put(self, key: Key, mark: Mark, values: Sequence[Any]) -> None:
        known = self._rows.get(key)
        if self._cells is not None:
            self._spread(key, values)
            self._rows[key] = (mark if known is None else min(mark, known[0]), [])
        elif known is None:
            self._rows[key] = (mark, list(values))
        else:
            self._rows[key] = (min(mark, known[0]), combined(self._ops, known[1], values))

    def _spread(self, key: Key, values: Sequence[Any]) -> None:
        assert self._cells is not None
        for cell in _cells_of(key):
            known = self._cells.get(cell)
            self._cells[cell] = (
                list(values) if known is None else combined(self._ops, known, values)
            )

    def _bound(self) -> None:
        """Bring the state to what it is for these documents, in whatever way they came."""
        if len(self._rows) <= self._most:
            return
        if self._cells is None:
            self._cells = {}
            for key, (_, values) in self._rows.items():
                self._spread(key, values)
        kept = nsmallest(
            self._most, self._rows.items(), key=lambda row: (row[1][0][0], _encode(row[0]))
        )
        self._rows = {key: (mark, []) for key, (mark, _) in kept}

    def merge(self, other: Sums) -> None:
        """Add all that another one has."""
        self.total = combined(self._ops, self.total, other.total)
        if other._cells is not None and self._cells is None:
            self._cells = {}
            for key, (mark, values) in self._rows.items():
                self._spread(key, values)
                self._rows[key] = (mark, [])
        for key, (mark, values) in other._rows.items():
            if other._cells is None:
                self._put(key, mark, values)
            else:
                known = self._rows.get(key)
                self._rows[key] = (mark if known is None else min(mark, known[0]), [])
        if other._cells is not None:
            assert self._cells is not None
            for cell, values in other._cells.items():
                mine = self._cells.get(cell)
                self._cells[cell] = values if mine is None else combined(self._ops, mine, values)
        self._bound()

    def estimates(self) -> Iterator[Estimate]:
        """Yield what is known of each name, in the order of the names."""
        self._bound()
        for key, (mark, values) in sorted(self._rows.items(), key=lambda row: _encode(row[0])):
            yield Estimate(key, self._values(key) if self._cells is not None else values, mark[1:])

    def _values(self, key: Key) -> list[Any]:
        assert self._cells is not None
        found = [self._cells[cell] for cell in _cells_of(key)]
        made: list[Any] = []
        for op, values in zip(self._ops, zip(*found, strict=True), strict=True):
            there = [each for each in values if each is not None]
            if len(there) < len(values):  # a name that had a value would have put it in all
                made.append(None)
            else:
                made.append(max(there) if op == "min" else min(there))
        return made

    def to_wire(self) -> list[Any]:
        """Return the state as JSON; equal states are equal."""
        self._bound()
        rows = sorted(
            ([list(key), *mark, *values] for key, (mark, values) in self._rows.items()),
            key=lambda row: _encode(row[0]),
        )
        cells = None if self._cells is None else sorted([at, *v] for at, v in self._cells.items())
        return [self.total, rows, cells]

    def load(self, wire: list[Any]) -> None:
        """Become the state that JSON says."""
        self.total, rows, cells = wire
        self._rows = {tuple(key): ((m, p, n), values) for key, m, p, n, *values in rows}
        self._cells = None if cells is None else {at: values for at, *values in cells}


def _cells_of(key: Key) -> list[int]:
    digest = digest_of(key)
    return [row * _WIDTH + (digest >> (16 * row)) % _WIDTH for row in range(_DEPTH)]


class Sample:
    """Values of things that many documents tell something of, exact for up to ``most`` things.

    Where there are more, it is a fair sample of ``most`` of them, each with everything recorded.
    """

    def __init__(self, ops: Sequence[Op], most: int) -> None:
        self._ops: tuple[Op, ...] = tuple(ops)
        self._most = most
        self._rows: dict[int, list[Any]] = {}
        self._bound = 1 << 64

    @property
    def bound(self) -> int:
        """Digests from here on are not in the sample."""
        self._cut()
        return self._bound

    @property
    def is_exact(self) -> bool:
        """Whether all things are there."""
        self._cut()
        return self._bound == 1 << 64

    def add(self, rows: Iterable[tuple[int, list[Any]]]) -> None:
        """Add what documents tell of things: the digest of each, and values, which it keeps."""
        mine, bound = self._rows, self._bound
        for digest, values in rows:
            if digest < bound:
                known = mine.get(digest)
                mine[digest] = values if known is None else combined(self._ops, known, values)
        if len(mine) > 2 * self._most:
            self._cut()

    def _cut(self) -> None:
        if len(self._rows) > self._most:
            kept = nsmallest(self._most, self._rows)
            self._bound = kept[-1] + 1
            self._rows = {digest: self._rows[digest] for digest in kept}

    def merge(self, other: Sample) -> None:
        """Add all that another one has."""
        self.add(other._rows.items())
        self._bound = min(self._bound, other._bound)
        self._rows = {digest: row for digest, row in self._rows.items() if digest < self._bound}
        self._cut()

    def count(self) -> int:
        """Return how many things there are: an estimate, to about 2 %, where not all are here."""
        self._cut()
        if self.is_exact:
            return len(self._rows)
        return round((len(self._rows) - 1) * (1 << 64) / self._bound)

    def rows(self) -> Iterable[list[Any]]:
        """Return the values of each thing in the sample."""
        self._cut()
        return self._rows.values()

    def to_wire(self) -> list[Any]:
        """Return the state as JSON; equal states are equal."""
        self._cut()
        return [str(self._bound), sorted([str(at), *values] for at, values in self._rows.items())]

    def load(self, wire: list[Any]) -> None:
        """Become the state that JSON says."""
        self._bound = int(wire[0])
        self._rows = {int(digest): values for digest, *values in wire[1]}


# --- distributions --------------------------------------------------------------------------------


def bucket_of(number: int) -> int:
    """Return the least number of the bucket that a number from 0 on is in.

    A bucket is at most a 32nd as wide as its numbers are large.
    """
    shift = max(number.bit_length() - _FINE_BITS, 0)
    return number >> shift << shift


def middle_of(bucket: int) -> float:
    """Return the number in the middle of a bucket: at most 1.6 % away from each of its numbers."""
    width = 1 << max(bucket.bit_length() - _FINE_BITS, 0)
    return bucket + (width - 1) / 2


def percentile(counts: Sequence[tuple[int, int]], share: float) -> float | None:
    """Return the number that a share of numbers are at most; ``counts`` are buckets, ascending."""
    total = sum(count for _, count in counts)
    if not total:
        return None
    rank = min(int(share * total), total - 1)
    for bucket, count in counts:
        rank -= count
        if rank < 0:
            return middle_of(bucket)
    raise AssertionError(counts)
