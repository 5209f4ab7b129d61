"""Lines that go through a shuffle in packs: what comes of them is what comes of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.archive.lines import Block, LongLine, Row
from partwire.archive.steps import Totals
from partwire.archive.streams.exact import fold_exactly
from tests.archive.made import make, stream

pa = pytest.importorskip("pyarrow", reason="pip install 'partwire[spark]'")

from partwire.archive.spark import folding, packs  # noqa: E402
from partwire.archive.spark.folding import fold_packs  # noqa: E402
from partwire.archive.spark.packs import TOTALS, Packer, blocks_of_texts  # noqa: E402

_NAMES = ["a.jsonl", "b.jsonl"]
_KEYS = ("run", "source", "number")


class _Sink:
    """Everything that is given, in no order."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.rows: Counter[tuple[Any, ...]] = Counter()
        self.totals = Totals()

    def message(self, text: bytes, lines: int) -> None:
        said = msgspec.json.encode(msgspec.json.decode(text), order="sorted")
        self.rows["message", said, lines] += 1

    def quarantine(self, row: Row, finding: Any) -> None:
        self.rows["aside", finding.rule, self.names[row.source], row.number, row.data] += 1

    def repeats(self, lines: int) -> None:
        self.rows["repeats",] += lines

    def passed(self, table: str, text: bytes) -> None:
        said = msgspec.json.decode(text)
        if table == TOTALS:
            self.totals += msgspec.convert(said, Totals)
            return
        data = said["text"].encode() if "text" in said else b"?"
        self.rows["aside", said["rule"], said["source"], said["line"], data] += 1


def _shuffled(batches: list[Any], rng: Random) -> list[Any]:
    """Return what Spark's shuffle makes of batches: in the order of run, source and number."""
    table = pa.Table.from_batches(batches)
    rows = table.to_pylist()
    rng.shuffle(rows)
    rows.sort(key=lambda row: [(row[name] is not None, row[name]) for name in _KEYS])
    found: list[Any] = pa.Table.from_pylist(rows, table.schema).to_batches(rng.randint(1, 40))
    return found


def _packed(lines: list[tuple[int, int, bytes]], kind: str, rng: Random) -> Iterator[Any]:
    """Yield batches of lines, each with source and number, as several tasks make them."""
    for begin in range(0, len(lines), step := rng.randint(1, len(lines))):
        packer = Packer(kind)
        for source, number, line in lines[begin : begin + step]:
            place = source if kind == "int" else _NAMES[source]
            yield from packer.take(Block(0, number, 1, line + b"\n"), place, _NAMES[source])
        yield packer.end(begin)


def _folded(batches: list[Any], kind: str, most_bytes: int, folder: Path) -> _Sink:
    sink = _Sink(list(_NAMES) if kind == "int" else [])
    for _ in fold_packs(batches, sink, "refuse", most_bytes, folder):
        pass
    return sink


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For files between two passes."""
    return tmp_path_factory.mktemp("packs")


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["int", "string"]), st.booleans(), st.booleans())
def test_packs_in_any_cut_give_what_all_lines_give_at_once(
    folder: Path, seed: int, kind: str, is_shuffled: bool, is_small: bool
) -> None:
    rng = Random(seed)
    texts = make(seed, 20, mean=4)
    cut = rng.randrange(len(texts))
    lines = [(int(at >= cut), at + 1, text) for at, text in enumerate(texts)]
    wanted = _Sink(_NAMES)
    fold_exactly((Row(*line) for line in lines), wanted, "refuse", 1 << 30, folder)
    if is_shuffled:  # rows of a table that have their places, and are in any order
        rng.shuffle(lines)
    with pytest.MonkeyPatch.context() as patch:
        if is_small:
            patch.setattr(packs, "_MOST_BYTES", 2000)
            patch.setattr(packs, "_MOST_PACK_BYTES", 300)
            patch.setattr(folding, "_MOST_TOGETHER", 3000)
            patch.setattr(folding, "_BLOCK_BYTES", 500)
        batches = _shuffled(list(_packed(lines, kind, rng)), rng)
        found = _folded(batches, kind, 1000 if is_small else 1 << 20, folder)
    assert _known(found) == _known(wanted)
    totals = found.totals
    assert totals.lines == len(lines)
    blank = sum(1 for *_, text in lines if not text.strip())
    assert totals.blank == blank
    assert not list(folder.iterdir())


def _known(sink: _Sink) -> Counter[tuple[Any, ...]]:
    """Return the rows; a line of which the bytes are no text is known by its place."""
    return Counter({(row[:4] if row[0] == "aside" else row): n for row, n in sink.rows.items()})


def test_a_run_that_is_large_goes_through_a_file(folder: Path) -> None:
    texts = stream(1, 1, [f"piece {at} " for at in range(2000)])
    lines = [(0, number, text) for number, text in enumerate(texts, 1)]
    batches = _shuffled(list(_packed(lines, "int", Random(1))), Random(2))
    (message,) = _folded(batches, "int", 10_000, folder).rows
    assert message[0] == "message"
    assert message[2] == len(lines)
    assert b"piece 1999 " in message[1]


def test_cells_become_lines() -> None:
    cells = [b"{}", b'{\n"a":1}\n', b"x" * 10, b"", b"[1]"]
    found = list(blocks_of_texts(cells, 9))
    assert [at for at, _ in found] == [0, 2, 3]
    first, long, last = (block for _, block in found)
    assert isinstance(first, Block)
    assert first.data == b'{}\n{ "a":1}\n'
    assert isinstance(long, LongLine)
    assert long.length == 10
    assert isinstance(last, Block)
    assert (last.lines, last.data) == (2, b"\n[1]\n")
