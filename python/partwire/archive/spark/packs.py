"""Lines on their way through a shuffle: those of a run that are stored near each other, in one row.

Spark moves and sorts a row in about the time in which a line is decoded. So the lines of a run come
in packs: in the order of storing, each pack with the place of its first line.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter, gt
from typing import Any, Final

import msgspec

from ...extras import import_extra
from ...message.assemble import line_too_long
from ..lines import Block, LongLine, Named, name_in, names_in
from ..outputs import quarantined, too_long
from ..steps import Totals
from ..streams.exact import why_nameless

__all__ = ["QUARANTINE", "TOTALS", "Packer", "columns"]

QUARANTINE: Final = "quarantine"
TOTALS: Final = "totals"
_COLUMNS: Final = "run string, salt bigint, source {}, number bigint, numbers binary, text binary"
_MOST_BYTES: Final = 16 << 20
_LINE_BYTES: Final = 200  # what a line takes beside its text
_MOST_PACK_BYTES: Final = 1 << 20
_run_id: Final = attrgetter("run_id")
_encode: Final = msgspec.json.Encoder().encode


def columns(source: str) -> str:
    """Return the columns of the rows, where ``source`` has a type of Spark: int or string.

    ``number`` is that of the first line, ``numbers`` those of all, and ``text`` the lines, each
    with its end. A row without ``run`` is not a pack: ``text`` is a row for the table
    ``quarantine``, or totals if ``number`` is null, and ``salt`` spreads these over partitions.
    """
    return _COLUMNS.format(source)


class Packer:
    """Packs of the lines of one task, in batches of Arrow."""

    def __init__(self, source: str) -> None:
        """``source`` is the type of that column: ``int`` or ``string``."""
        pa = import_extra("pyarrow", "spark", "Spark")
        self._pa = pa
        sources = pa.string() if source == "string" else pa.int32()
        self._types = [pa.string(), pa.int64(), sources, pa.int64(), pa.binary(), pa.binary()]
        self._names = [each.split()[0] for each in columns(source).split(", ")]
        self._source: Any = None
        self._name = ""
        self._lines: list[bytes] = []
        self._numbers: array[int] = array("q")
        self._packs: defaultdict[str | None, list[int]] = defaultdict(list)
        """Which of the lines are of each run; None for those that name none."""
        self._passed: list[tuple[int, bytes]] = []
        self._done: list[tuple[Any, ...]] = []
        self._held = 0
        self.totals = Totals()

    def take(
        self, block: Block | LongLine, source: Any, name: str, numbers: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Take lines of a source; yield batches of what they complete.

        ``name`` is that of the source; ``numbers`` are those of the lines, where they are not those
        that follow the number of the block.
        """
        if source != self._source:
            self._close()
            self._source, self._name = source, name
        if isinstance(block, LongLine):
            self.totals.lines += 1
            why = line_too_long(block.number).findings[0]
            self._quarantine(too_long(block, why), name, block.number)
            return
        lines = block.data.split(b"\n")
        lines.pop()
        self._held += len(block.data) + _LINE_BYTES * len(lines)
        names = names_in(block)
        runs = map(_run_of, map(name_in, lines)) if names is None else map(_run_id, names)
        packs = self._packs
        for at, run in enumerate(runs, len(self._lines)):
            packs[run].append(at)
        self._lines += lines
        if numbers is None:
            numbers = range(block.number, block.number + len(lines))
        self._numbers.extend(numbers)
        if self._held > _MOST_BYTES:
            self._close()
            yield self._batch()

    def end(self, salt: int) -> Any:
        """Return the last batch, which says how many lines there were."""
        self._close()
        self._done.append((None, salt, None, None, None, _encode(self.totals)))
        return self._batch()

    def _quarantine(self, row: dict[str, Any], name: str, number: int) -> None:
        self.totals.quarantined += 1
        text = _encode({**row, "source": name, "line": number})
        self._done.append((None, number, None, number, None, text))

    def _close(self) -> None:
        """End the packs: those that come next are of other lines."""
        all_lines, all_numbers = self._lines, self._numbers
        self.totals.lines += len(all_lines)
        for at in self._packs.pop(None, ()):
            if all_lines[at].strip():
                why = why_nameless(all_lines[at])
                self._quarantine(quarantined(all_lines[at], why), self._name, all_numbers[at])
            else:
                self.totals.blank += 1
        for run, places in self._packs.items():
            given = array("q", map(all_numbers.__getitem__, places))
            for numbers, lines in _in_order(given, list(map(all_lines.__getitem__, places))):
                text = b"\n".join([*lines, b""])
                place = (self._source, numbers[0], numbers.tobytes())
                self._done.append((run, 0, *place, text))
        self._packs.clear()
        self._lines.clear()
        del self._numbers[:]

    def _batch(self) -> Any:
        pa = self._pa
        values = zip(*self._done, strict=True) if self._done else ([] for _ in self._types)
        arrays = [pa.array(*each) for each in zip(values, self._types, strict=True)]
        self._done.clear()
        self._held = 0
        return pa.RecordBatch.from_arrays(arrays, self._names)


def _run_of(name: Named | None) -> str | None:
    return None if name is None else name.run_id


def _in_order(numbers: array[int], lines: list[bytes]) -> Iterator[tuple[array[int], list[bytes]]]:
    """Yield lines in the order of their numbers, in packs that are not large."""
    if any(map(gt, numbers, numbers[1:])):
        pairs = sorted(zip(numbers, lines, strict=True))
        numbers, lines = array("q", [pair[0] for pair in pairs]), [pair[1] for pair in pairs]
    if sum(map(len, lines)) <= _MOST_PACK_BYTES:
        yield numbers, lines
        return
    begin = size = 0
    for end, line in enumerate(lines):
        if size and size + len(line) > _MOST_PACK_BYTES:
            yield numbers[begin:end], lines[begin:end]
            begin, size = end, 0
        size += len(line)
    yield numbers[begin:], lines[begin:]


def blocks_of_texts(
    texts: Sequence[bytes], most_bytes: int
) -> Iterator[tuple[int, Block | LongLine]]:
    """Yield the lines of cells, and which cell is the first of each block.

    A line break within a cell is a blank. A cell that is longer than ``most_bytes`` is too long.
    """
    begin = 0
    for end, text in enumerate(texts):
        if len(text) > most_bytes:
            if begin < end:
                yield begin, _block(texts[begin:end])
            yield end, LongLine(0, 0, len(text), text[:1024])
            begin = end + 1
    if begin < len(texts):
        yield begin, _block(texts[begin:])


def _block(texts: Sequence[bytes]) -> Block:
    data = b"\n".join([*texts, b""])
    if data.count(b"\n") != len(texts):
        texts = [text.rstrip(b"\n").replace(b"\n", b" ") for text in texts]
        data = b"\n".join([*texts, b""])
    return Block(0, 0, len(texts), data)
