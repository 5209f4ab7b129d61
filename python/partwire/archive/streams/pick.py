"""The lines of odd streams, out of those of many: a part of them all, which is taken again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, count
from operator import attrgetter
from typing import Final, NamedTuple

from ..lines import Block, name_in, names_in
from .odd import Odd

__all__ = ["Picked", "pick"]

_run_of: Final = attrgetter("run_id")


class Picked(NamedTuple):
    """Some lines of a block, in the order of storing."""

    source: int
    runs: list[str | None]
    """The run of each line; None for a line that names no stream."""
    numbers: list[int]
    lines: list[bytes]


def pick(block: Block, odd: Odd) -> Picked:
    """Return the lines of odd streams, and those that name no stream but are not blank."""
    picked = Picked(block.source, [], [], [])
    for at, run_id, line in _possible(block, odd):
        if run_id is None:
            name = name_in(line)
            if name is not None:
                if not odd.has(name.run_id, name.message_id or ""):
                    continue
                run_id = name.run_id  # noqa: PLW2901
            elif not line.strip():
                continue
        picked.runs.append(run_id)
        picked.numbers.append(block.number + at)
        picked.lines.append(line)
    return picked


def _possible(block: Block, odd: Odd) -> Iterable[tuple[int, str | None, bytes]]:
    """Return the lines that may be picked: which one each is, its run if that is sure, its text."""
    if odd.native is not None:
        found: list[tuple[int, str | None, bytes]] = odd.native.take(block.data)
        return found
    names = names_in(block)
    if names is None:
        return ((at, None, line) for at, line in enumerate(block.data.split(b"\n")))
    if odd.are_all:
        taken = list(range(len(names)))
    else:
        # Most runs are not odd: their lines are passed over without a loop of ours.
        of_odd_runs = map(odd.runs.__contains__, map(_run_of, names))
        taken = [
            at
            for at in compress(count(), of_odd_runs)
            if odd.has(names[at].run_id, names[at].message_id or "")
        ]
    lines = block.data.split(b"\n") if taken else []
    return ((at, names[at].run_id, lines[at]) for at in taken)
