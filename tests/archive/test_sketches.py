"""Sums in bounded room: that they are right, and that nothing depends on how they were made."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.archive.statistics.sketches import (
    MOST,
    Op,
    Sample,
    Sums,
    bucket_of,
    digest_of,
    middle_of,
    percentile,
)

OPS: tuple[Op, ...] = ("sum", "min", "max")
Row = tuple[str, int, int, int | None, int | None]
ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcdefghij"),
        st.integers(0, 9),
        st.integers(0, 99),
        st.none() | st.integers(-5, 5),
        st.none() | st.integers(-5, 5),
    ),
    max_size=40,
)


def sums_of(rows: Sequence[Row], most: int) -> Sums:
    made = Sums(OPS, most)
    for name, mark, line, low, high in rows:
        made.add((name,), (mark, 0, line), [1, low, high])
    return made


def sample_of(rows: Sequence[Row], most: int) -> Sample:
    made = Sample(OPS, most)
    for name, _, _, low, high in rows:
        made.add([(digest_of((name,)), [1, low, high])])
    return made


@pytest.mark.parametrize("make", [sums_of, sample_of])
@given(rows=ROWS, most=st.integers(1, 12), data=st.data())
def test_a_merge_depends_on_nothing_but_what_is_merged(
    make: Callable[[Sequence[Row], int], Any], rows: list[Row], most: int, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    pieces = [
        make(shuffled[begin:end], most)
        for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)
    ]
    while len(pieces) > 1:
        other = pieces.pop(data.draw(st.integers(0, len(pieces) - 1)))
        if data.draw(st.booleans()):  # as another process gives it
            wire, other = other.to_wire(), make([], most)
            other.load(wire)
        pieces[data.draw(st.integers(0, len(pieces) - 1))].merge(other)
    assert pieces[0].to_wire() == make(rows, most).to_wire()


@given(rows=ROWS)
def test_few_names_are_exact(rows: list[Row]) -> None:
    made = sums_of(rows, 10)
    assert made.is_exact
    found = {each.key[0]: each.values for each in made.estimates()}
    assert {name: values[0] for name, values in found.items()} == Counter(row[0] for row in rows)
    for name, (_, low, high) in found.items():
        mine = [row for row in rows if row[0] == name]
        assert low == min((row[3] for row in mine if row[3] is not None), default=None)
        assert high == max((row[4] for row in mine if row[4] is not None), default=None)


def test_of_many_names_the_most_frequent_ones_are_found() -> None:
    chooser = random.Random(3)
    names = [f"few {at}" for at in range(8000)]
    names += [f"often {at % 10}" for at in range(8000)]
    made = Sums(("sum", "min", "max"), 200)
    for at, name in enumerate(names):
        made.add((name,), (chooser.getrandbits(32), 0, at), [1, at, at])
    assert not made.is_exact
    found = {each.key[0]: each for each in made.estimates()}
    assert len(found) == 200
    for number in range(10):
        values = found[f"often {number}"].values
        assert 800 <= values[0] <= 800 + 0.003 * len(names)
        assert values[1] <= 8000 + number
        assert values[2] >= 15990 + number
    # The least number is that of the best of several cells, each of which others share.
    assert sum(found[f"often {number}"].values[1] for number in range(10)) > 10_000
    assert len(str(made.to_wire())) < 300_000


def test_a_sum_goes_no_further_than_an_integer_of_64_bits() -> None:
    made = Sums(("sum",), 1)
    for number in (MOST - 1, 1, 1):
        made.add(("a",), (0, 0, 0), [number])
    assert [each.values for each in made.estimates()] == [made.total] == [[MOST]]


def test_of_many_things_a_fair_sample_is_kept() -> None:
    made = Sample(("sum",), 500)
    for _ in range(2):
        for number in range(20_000):
            made.add([(digest_of((number,)), [number % 2])])
    assert not made.is_exact
    assert made.count() == pytest.approx(20_000, rel=0.15)
    rows = [row[0] for row in made.rows()]
    assert len(rows) == 500
    assert set(rows) == {0, 2}  # everything recorded of each
    assert sum(rows) / 2 == pytest.approx(250, abs=60)


@given(st.integers(0, 1 << 60))
def test_a_bucket_is_narrow(number: int) -> None:
    bucket = bucket_of(number)
    assert bucket <= number
    assert bucket_of(bucket) == bucket
    assert abs(middle_of(bucket) - number) <= number / 64


@given(st.lists(st.integers(0, 1 << 40), min_size=1), st.sampled_from([0.5, 0.9, 0.95, 0.99, 1]))
def test_a_percentile_is_that_of_the_numbers(numbers: list[int], share: float) -> None:
    counts = sorted(Counter(map(bucket_of, numbers)).items())
    exact = sorted(numbers)[min(int(share * len(numbers)), len(numbers) - 1)]
    found = percentile(counts, share)
    assert found is not None
    assert abs(found - exact) <= exact / 64


def test_nothing_has_no_percentile() -> None:
    assert percentile([], 0.5) is None
