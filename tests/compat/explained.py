"""One pair and its verdict, ready to be explained."""

from __future__ import annotations

from typing import Any

from partwire.compat import Comparison, Direction, Reading, SchemaSet, Verdict
from partwire.compat.report import Pair

__all__ = ["explained"]


def explained(
    old: Any, new: Any, direction: Direction = "backward", reading: Reading = "declared"
) -> tuple[Pair, Verdict]:
    sets = SchemaSet(), SchemaSet()
    pair = Pair("(root)", sets[0].add(old), sets[1].add(new), *sets)
    comparison = Comparison(*sets, [(pair.old, pair.new)])
    return pair, comparison.verdict(reading=reading, direction=direction)
