"""The gate: repeats, gaps and reordering, for streams that cross a wire."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import DeltaGate, StreamProtocolError, UsageError, assemble, to_wire
from partwire.reading.tolerant import Unknown
from tests.message.delta_streams import delta, stream, struct
from tests.ways import way

__all__ = ["way"]


def one(seq: int, value: str = "a", **members: Any) -> Any:
    return struct(delta("text", seq, {"textDelta": value}, **members))


def passed(gate: DeltaGate, *deltas: Any) -> list[tuple[list[int], list[str]]]:
    """Return, for each delta, the seqs that go on and the rules that are reported."""
    results = [gate.accept(each) for each in deltas]
    return [
        ([each.seq for each in result.deltas], [each.rule for each in result.findings])
        for result in results
    ]


def test_what_is_in_order_goes_on() -> None:
    gate = DeltaGate()
    assert gate.resume_from is None
    assert passed(gate, one(4), one(5), one(6)) == [([4], []), ([5], []), ([6], [])]
    assert gate.resume_from == 7


def test_the_same_again_is_dropped() -> None:
    """ORD-04, ORD-05, ORD-20: a replay from anywhere adds nothing."""
    deltas = [struct(each) for each in stream("start", ("text", "Eva"), ("text", "lu"), "done")]
    gate = DeltaGate()
    results = [gate.accept(each) for each in [*deltas[:3], *deltas[:2], *deltas[1:]]]
    assert [each for result in results for each in result.deltas] == deltas
    assert [finding for result in results for finding in result.findings] == []
    assert to_wire(assemble(deltas))["parts"][0]["payload"]["text"] == "Evalu"


def test_provider_raw_makes_no_difference() -> None:
    gate = DeltaGate()
    assert passed(gate, one(0), one(0, providerRaw={"x": 1})) == [([0], []), ([], [])]


@pytest.mark.parametrize(
    "other", [one(0, "b"), one(0, runId="run_2"), one(0, timestamp="2026-01-02T03:04:07Z")]
)
def test_another_delta_of_the_same_seq_conflicts(other: Any) -> None:
    gate = DeltaGate()
    assert passed(gate, one(0), other, one(0)) == [
        *(([0], []), ([], ["gate/conflicting-repeat"]), ([], [])),
    ]
    (finding,) = gate.accept(other).findings
    assert (finding.severity, finding.pointer, finding.actual) == (
        *("error", "/seq", 'another one, of kind "text"'),
    )


def test_beyond_a_gap_deltas_wait() -> None:
    """ORD-11, ORD-21: the first missing seq is named, and nothing passes it by."""
    gate = DeltaGate()
    assert passed(gate, one(0), one(3), one(4)) == [([0], []), ([], ["gate/gap"]), ([], [])]
    assert (gate.resume_from, gate.held) == (1, 2)
    assert passed(gate, one(2), one(1)) == [([], []), ([1, 2, 3, 4], ["gate/reordered"])]
    assert (gate.resume_from, gate.held) == (5, 0)


def test_the_finding_of_a_gap_says_what_is_missing() -> None:
    gate = DeltaGate(first_seq=0)
    (finding,) = gate.accept(one(2)).findings
    assert (finding.severity, finding.message) == ("warning", "seq 0 to 1 has not come")
    assert (finding.expected, finding.actual) == ("0", "2")


def test_every_gap_has_one_finding() -> None:
    gate = DeltaGate()
    rules = [rules for _, rules in passed(gate, one(0), one(2), one(4), one(1), one(6), one(3))]
    assert rules == [[], ["gate/gap"], [], ["gate/reordered"], ["gate/gap"], ["gate/reordered"]]
    assert (gate.resume_from, gate.held) == (5, 1)


def test_repeats_of_what_waits() -> None:
    gate = DeltaGate()
    deltas = [one(0), one(2), one(2), one(2, "b")]
    assert passed(gate, *deltas) == [
        *(([0], []), ([], ["gate/gap"]), ([], []), ([], ["gate/conflicting-repeat"])),
    ]
    assert gate.accept(one(1)).deltas == [one(1), one(2)]


def test_releasing_gives_up_on_the_gap() -> None:
    gate = DeltaGate()
    passed(gate, one(0), one(5), one(3))
    assert gate.release() == [one(3), one(5)]
    assert (gate.resume_from, gate.held, gate.release()) == (6, 0, [])
    assert passed(gate, one(4), one(1), one(3), one(6)) == [
        *(([], ["gate/reordered"]), ([], ["gate/reordered"]), ([], []), ([6], [])),
    ]


def test_passing_gaps() -> None:
    gate = DeltaGate(on_gap="pass")
    assert passed(gate, one(0), one(5), one(3), one(5), one(6)) == [
        *(([0], []), ([5], ["gate/gap"]), ([], ["gate/reordered"]), ([], []), ([6], [])),
    ]
    assert gate.resume_from == 7


def test_beyond_the_window() -> None:
    """What waits is bounded, and what is dropped for it comes again with the replay."""
    gate = DeltaGate(window=2)
    passed(gate, one(0), one(2), one(3), one(4))
    assert gate.held == 2
    assert passed(gate, one(1), one(4)) == [([1, 2, 3], ["gate/reordered"]), ([4], [])]
    # The digest of 1 is forgotten: a repeat is dropped unseen, whatever it says.
    assert passed(gate, one(1, "b"), one(3, "b")) == [
        *(([], []), ([], ["gate/conflicting-repeat"])),
    ]


def test_deltas_of_unknown_kinds() -> None:
    unknown = struct(delta("citation", 1, {"url": "x"}))
    assert isinstance(unknown, Unknown)
    gate = DeltaGate()
    passed(gate, one(0))
    assert gate.accept(unknown).deltas == [unknown]
    assert gate.accept(unknown) == ([], [])
    (finding,) = gate.accept(one(1)).findings
    assert finding.rule == "gate/conflicting-repeat"


@pytest.mark.parametrize("made", [None, {"seq": 1}, Unknown("kind", "x", {}), one(0).payload])
def test_what_is_no_delta(made: Any) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        DeltaGate().accept(made)
    assert caught.value.rule == "stream/invalid-delta"


@pytest.mark.parametrize(
    "made",
    [
        msgspec.structs.replace(one(1), timestamp="\ud800"),
        msgspec.structs.replace(one(1), payload=object()),
        msgspec.structs.replace(one(2), payload=object()),
        Unknown("kind", "x", {"seq": 1, "kind": object()}),
        Unknown("kind", "x", {"seq": 1, "content": {2: "number"}}),
    ],
    ids=["surrogate", "payload", "beyond a gap", "unknown", "key"],
)
def test_a_delta_that_is_no_json_is_refused_and_changes_nothing(made: Any) -> None:
    gate = DeltaGate()
    passed(gate, one(0))
    for _ in range(2):
        with pytest.raises(StreamProtocolError, match="stream/invalid-delta"):
            gate.accept(made)
        assert (gate.resume_from, gate.held) == (1, 0)
    assert passed(gate, one(1), one(2)) == [([1], []), ([2], [])]


def test_provider_raw_may_be_anything() -> None:
    deltas = [one(0), msgspec.structs.replace(one(1), provider_raw={"response": object()})]
    assert passed(DeltaGate(), *deltas) == [([0], []), ([1], [])]


@pytest.mark.parametrize(
    "options",
    [{"window": 0}, {"window": True}, {"first_seq": -1}, {"first_seq": 0.5}, {"on_gap": "skip"}],
    ids=str,
)
def test_impossible_options_are_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        DeltaGate(**options)
    assert caught.value.rule == "usage/invalid-argument"


@given(st.integers(0, 30), st.data())
def test_any_shuffling_and_repeating_within_the_window_passes_each_once_in_order(
    count: int, data: st.DataObject
) -> None:
    deltas = [one(seq, f"{seq},") for seq in range(count)]
    repeats = data.draw(st.lists(st.sampled_from(deltas), max_size=9)) if deltas else []
    arrived = data.draw(st.permutations([*deltas, *repeats]))
    gate = DeltaGate(first_seq=0, window=30)
    out = [each for delta in arrived for each in gate.accept(delta).deltas]
    assert out == deltas
    assert (gate.resume_from, gate.held) == (count, 0)


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 5))
def test_with_any_window_nothing_passes_twice_or_out_of_order(seqs: list[int], window: int) -> None:
    """And a replay from ``resume_from``, in order, brings all that is missing."""
    gate = DeltaGate(first_seq=0, window=window)
    out = [each.seq for seq in seqs for each in gate.accept(one(seq)).deltas]
    begin = gate.resume_from
    assert out == list(range(begin or 0))
    out += [each.seq for seq in range(begin or 0, 41) for each in gate.accept(one(seq)).deltas]
    assert out == list(range(41))


@pytest.mark.parametrize("on_gap", ["hold", "pass"])
def test_memory_is_bounded(on_gap: Any) -> None:
    gate = DeltaGate(window=100, on_gap=on_gap)
    chooser = random.Random(7)

    def feed(begin: int, count: int) -> None:
        for seq in range(begin, begin + 3 * count, 3):
            gate.accept(one(seq - chooser.randrange(2), "x" * 100))

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        feed(10, 1000)
        before = held()
        feed(4000, 4000)
        grown = held() - before
    finally:
        tracemalloc.stop()
    assert grown < 50_000
