"""The ids that partwire makes: valid, in order, and never twice."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from partwire.contract.ids import Uuid7Maker, uuid7
from partwire.reading.pipeline import validate
from tests.message.eight_threads import in_eight_threads

ALL_ONES = (1 << 64) - 1


def clock(*readings: int) -> Callable[[], int]:
    left: Iterator[int] = iter(readings)
    return lambda: next(left)


def ones(bits: int) -> int:
    return ALL_ONES >> (64 - bits)


def test_it_is_a_uuid_of_version_7_with_the_time_in_front() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid7()
    parsed = uuid.UUID(made)
    assert (parsed.version, parsed.variant, str(parsed)) == (7, uuid.RFC_4122, made)
    assert before <= parsed.int >> 80 <= time.time_ns() // 1_000_000
    info = {"id": made, "role": "user", "time": {"created": 0}, "agent": "a"}
    info |= {"model": {"providerID": "p", "modelID": "m"}}
    assert validate(info, "session.MessageInfo") == []


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        (lambda n: 0, "0197c6f0-5a00-7000-8000-000000000000"),
        (ones, "0197c6f0-5a00-77ff-bfff-ffffffffffff"),
    ],
    ids=["zeros", "ones"],
)
def test_every_field_stands_in_its_place(bits: Callable[[int], int], expected: str) -> None:
    assert Uuid7Maker(clock(0x0197C6F05A00), bits)() == expected


def test_ids_of_one_millisecond_are_counted_on() -> None:
    make = Uuid7Maker(clock(5, 5, 5), lambda n: 0)
    assert [make() for _ in range(3)] == [
        "00000000-0005-7000-8000-000000000000",
        "00000000-0005-7000-8000-000100000000",
        "00000000-0005-7000-8000-000200000000",
    ]


def test_ids_stay_in_order_while_the_clock_goes_back() -> None:
    make = Uuid7Maker(clock(9, 3, 9, 10), ones)
    made = [make() for _ in range(4)]
    assert made == sorted(made)
    assert [int(each[:13].replace("-", ""), 16) for each in made] == [9, 9, 9, 10]


def test_a_full_counter_goes_to_the_next_millisecond() -> None:
    # The highest bit is clear at first: half of the counter is left, made short here.
    make = Uuid7Maker(clock(5, 5, 5), lambda n: 2**42 - 2 if n == 41 else 0)
    made = [make() for _ in range(3)]
    assert made == sorted(made)
    assert [int(each[:13].replace("-", ""), 16) for each in made] == [5, 5, 6]


def test_eight_threads_get_ids_of_their_own() -> None:
    made = in_eight_threads(lambda: (uuid7() for _ in range(2_000)))
    assert len({each for mine in made for each in mine}) == 16_000
    assert all(mine == sorted(mine) for mine in made)
