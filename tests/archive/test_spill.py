"""Lines that one step gives to the next: each is there once, with its run and in its order."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.archive.lines import Block, Row, name_in
from partwire.archive.streams import spill
from partwire.archive.streams.odd import EVERY, Odd
from partwire.archive.streams.spill import Pieces, Spilled, give_on

ODD = "abcd"
OF_ODD = tuple(b'{"runId":"%b"' % run.encode() for run in ODD)
NAMELESS = (b"{", b"[1]")
DELTA = (
    b'{"runId":"%b","kind":"text","seq":1,"payload":{"textDelta":"%b"},'
    b'"timestamp":"2026-01-02T00:00:00Z"}'
)
"""What the native core knows; of another form it knows nothing."""
_lines = st.builds(
    lambda form, run, size: form % (run.encode(), b"x" * size),
    st.sampled_from([DELTA, DELTA, DELTA, b'{"runId":"%b","text":"%b"}']),
    st.sampled_from([*ODD, "other"]),
    st.integers(0, 40),
)
_lines = st.one_of(_lines, _lines, _lines, st.sampled_from([b"", b" ", *NAMELESS]))
_blocks = st.lists(st.lists(_lines, min_size=1, max_size=6), max_size=6)
"""Of one source, which a task may share with others."""


def given_on(
    tasks: list[list[list[list[bytes]]]], folder: Path, count: int, most: int, *, is_native: bool
) -> tuple[list[tuple[Path, list[list[int]]]], dict[str, list[Row]], list[Row]]:
    """Give lines on; return the files, what has to be in them by run, and lines without one."""
    files: list[tuple[Path, list[list[int]]]] = []
    wanted: dict[str, list[Row]] = defaultdict(list)
    nameless: list[Row] = []
    source = 0
    for task in tasks:
        odd = Odd((run, EVERY) for run in ODD)
        if not is_native:
            odd.native = None
        path, ends = folder / f"{len(files)}.spill", list[list[int]]()
        with path.open("xb") as file:
            pieces = Pieces(file, count, most, ends)
            for blocks in task:
                number = 1
                for lines in blocks:
                    block = Block(source, number, len(lines), b"".join(n + b"\n" for n in lines))
                    rows = [Row(source, at, line) for at, line in enumerate(lines, number)]
                    mine = [row for row in rows if row.data.startswith(OF_ODD)]
                    found, without = give_on(block, odd, pieces)
                    assert found == len(mine)
                    assert not mine or most > 1 or ends[-1][-1] == file.tell() > 0
                    nameless += [Row(source, *each) for each in without]
                    for row in mine:
                        name = name_in(row.data)
                        assert name is not None
                        wanted[name.run_id].append(row)
                    number += len(lines)
                source += 1
            pieces.write()
        files.append((path, ends))
    return files, wanted, nameless


@settings(max_examples=60)
@given(
    tasks=st.lists(st.lists(_blocks, max_size=2), max_size=3),
    count=st.integers(1, 3),
    most=st.sampled_from([1, 900, 1 << 20]),
    group_bytes=st.sampled_from([0, 300, 1 << 20]),
    is_native=st.booleans(),
)
def test_each_line_is_with_its_run_in_the_order_of_storing(
    tasks: list[list[list[list[bytes]]]], count: int, most: int, group_bytes: int, is_native: bool
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "_GROUP_BYTES", group_bytes)
        files, wanted, nameless = given_on(tasks, Path(name), count, most, is_native=is_native)
        everything = [
            (source, line)
            for source, blocks in enumerate(blocks for task in tasks for blocks in task)
            for lines in blocks
            for line in lines
        ]
        assert [(row.source, row.data) for row in nameless] == [
            each for each in everything if each[1] in NAMELESS
        ]
        most_at_once = max(
            (
                sum(map(len, lines)) + len(lines)
                for task in tasks
                for each in task
                for lines in each
            ),
            default=0,
        )
        found: dict[str, list[Row]] = {}
        for partition in range(count):
            spilled = Spilled(files, partition)
            rows = list(spilled.all_rows())
            blocks = list(spilled.blocks())
            assert [row.data for row in rows] == [
                line for block in blocks for line in block.texts()
            ]
            assert [block.lines for block in blocks] == [len(block.texts()) for block in blocks]
            assert all(len(block.data) <= group_bytes + most_at_once for block in blocks)
            assert list(spilled.rows(Odd([("a", EVERY)]))) == [
                row for row in rows if row.data.startswith(OF_ODD[0])
            ]
            by_run: dict[str, list[Row]] = defaultdict(list)
            for row in rows:
                by_run[row.data[10:11].decode()].append(row)
            assert not by_run.keys() & found.keys()
            found |= by_run
    assert found == wanted
