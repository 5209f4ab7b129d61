"""The first pass: what each line says of its stream, so that Spark can bring lines together.

A line becomes a row with the name of its stream and its place. A line that names no stream is
quarantined here; what is said of it, and how many lines there are, go on as rows without a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec

from ...extras import import_extra
from ...message.assemble import line_too_long
from ...message.routes import head_of
from ..exact import why_nameless
from ..lines import Block, LongLine, head_of_line
from ..outputs import quarantined, too_long
from ..steps import Totals

__all__ = ["COLUMNS", "QUARANTINE", "TOTALS", "Heads", "columns"]

COLUMNS: Final = "run string, salt bigint, name string, starts boolean, seq bigint"
"""Columns that this pass adds, beside ``source``, ``number`` and ``line``.

``name`` is the message that the line names, "" that of a start that names none, and null for any
other line. ``seq`` is -1 where the line has none that counts. A row without ``run`` is not a line:
``name`` says what it is, ``line`` is JSON, and ``salt`` spreads these rows over the partitions.
"""

QUARANTINE: Final = "quarantine"
TOTALS: Final = "totals"
_NO_SEQ: Final = -1
_MOST_SEQ: Final = (1 << 63) - 1
_START: Final = "start"
_HELD_BYTES: Final = 1 << 20
_encode: Final = msgspec.json.Encoder().encode


class _Named(msgspec.Struct, rename="camel", gc=False):
    """What most lines say; others are looked at one by one."""

    run_id: Annotated[str, msgspec.Meta(min_length=1)]
    kind: str
    seq: Annotated[int, msgspec.Meta(ge=0, le=_MOST_SEQ)]
    message_id: str | None = None


_decode_lines: Final = msgspec.json.Decoder(_Named).decode_lines


def columns(source: str) -> str:
    """Return the columns of the rows, where ``source`` has a type of Spark."""
    return f"{COLUMNS}, source {source}, number bigint, line binary"


class Heads:
    """Rows of the lines of one task, in batches of Arrow."""

    def __init__(self, source: str, most_bytes: int) -> None:
        """``source`` is the type of that column: ``string`` or ``int``."""
        pa = import_extra("pyarrow", "spark", "Spark")
        self._pa = pa
        sources = pa.string() if source == "string" else pa.int32()
        self._types = [
            *(pa.string(), pa.int64(), pa.string(), pa.bool_(), pa.int64()),
            *(sources, pa.int64(), pa.binary()),
        ]
        self._names = [each.split()[0] for each in columns(source).split(", ")]
        self._most_bytes = most_bytes
        self._values: list[list[Any]] = [[] for _ in self._types]
        self._held = 0
        self.totals = Totals()

    def of_blocks(self, blocks: Iterable[Block | LongLine], names: Sequence[str]) -> Iterator[Any]:
        """Yield batches of the lines of inputs, whose names are given by number."""
        for block in blocks:
            if isinstance(block, LongLine):
                why = line_too_long(block.number).findings[0]
                self._quarantine(too_long(block, why), names[block.source], block.number)
                self.totals.lines += 1
                continue
            lines = block.data.split(b"\n")
            lines.pop()
            numbers = range(block.number, block.number + block.lines)
            said = names[block.source]
            self._take(lines, [block.source] * block.lines, numbers, [said] * block.lines)
            if self._held > _HELD_BYTES:
                yield self._batch()

    def of_texts(self, texts: list[bytes], sources: list[str], numbers: list[int]) -> Iterator[Any]:
        """Yield batches of lines that come one by one, each with its source and number."""
        begin = size = 0
        for end, text in enumerate(texts, 1):
            size += len(text)
            if size > _HELD_BYTES or end == len(texts):
                self._take_texts(texts[begin:end], sources[begin:end], numbers[begin:end])
                begin, size = end, 0
                yield self._batch()

    def end(self, salt: int) -> Any:
        """Return the last batch, which says how many lines there were."""
        self._pass(TOTALS, _encode(self.totals), salt)
        return self._batch()

    def _take_texts(self, texts: list[bytes], sources: list[str], numbers: list[int]) -> None:
        if max(map(len, texts)) <= self._most_bytes:
            self._take(texts, sources, numbers, sources)
            return
        for text, source, number in zip(texts, sources, numbers, strict=True):
            if len(text) <= self._most_bytes:
                self._take([text], [source], [number], [source])
                continue
            self.totals.lines += 1
            long = LongLine(0, number, len(text), text[:1024])
            self._quarantine(too_long(long, line_too_long(number).findings[0]), source, number)

    def _take(
        self, lines: list[bytes], sources: list[Any], numbers: Sequence[int], names: list[str]
    ) -> None:
        self.totals.lines += len(lines)
        text = b"\n".join(lines)
        self._held += len(text) + 64 * len(lines)
        try:
            found = _decode_lines(text)
        except (ValueError, RecursionError):
            found = []
        if len(found) != len(lines):  # one of them is not what most are
            for line, source, number, name in zip(lines, sources, numbers, names, strict=True):
                self._take_line(line, source, number, name)
            return
        runs, salts, messages, starts, seqs, all_sources, all_numbers, all_lines = self._values
        runs += [each.run_id for each in found]
        salts += [0] * len(found)
        begins = [each.kind == _START for each in found]
        messages += [
            each.message_id or ("" if is_start else None)
            for each, is_start in zip(found, begins, strict=True)
        ]
        starts += begins
        seqs += [each.seq for each in found]
        all_sources += sources
        all_numbers += numbers
        all_lines += lines

    def _take_line(self, line: bytes, source: Any, number: int, name: str) -> None:
        head = head_of_line(line)
        said = None if head is None else head_of(head)
        if head is None or said is None:
            if not line.strip():
                self.totals.blank += 1
                return
            self._quarantine(quarantined(line, why_nameless(line)), name, number)
            return
        is_start = said.kind == _START
        message = said.message_id or ("" if is_start else None)
        seq = head.seq if type(head.seq) is int and 0 <= head.seq <= _MOST_SEQ else _NO_SEQ
        self._add(said.run_id, 0, message, is_start, seq, source, number, line)

    def _quarantine(self, row: dict[str, Any], name: str, number: int) -> None:
        self.totals.quarantined += 1
        self._pass(QUARANTINE, _encode({**row, "source": name, "line": number}), number)

    def _pass(self, table: str, text: bytes, salt: int) -> None:
        self._add(None, salt, table, None, None, None, None, text)
        self._held += len(text)

    def _add(self, *row: Any) -> None:
        for values, value in zip(self._values, row, strict=True):
            values.append(value)

    def _batch(self) -> Any:
        pa = self._pa
        arrays = [pa.array(*each) for each in zip(self._values, self._types, strict=True)]
        for values in self._values:
            values.clear()
        self._held = 0
        return pa.RecordBatch.from_arrays(arrays, self._names)
