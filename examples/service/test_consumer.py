"""The consumer against every stream of the contract's fixtures, and against drawn ones."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.service.consumer import assembled
from partwire import FramingError, Limits, PartwireError, assemble
from partwire_testing import FixtureCase, partwire_cases, strategies

# What this consumer does otherwise, and why. A case that passes all the same fails the run.
TIMES = "it checks the time of a delta when it reads it, and of all of them"
BYTES = "its event stream refuses what is not UTF-8 first"
OTHERWISE = {
    "start-timestamp-invalid": TIMES,
    "done-timestamp-invalid": TIMES,
    "timestamps-of-any-form": TIMES,
    "times-of-a-line-read-with-care": TIMES,
    "wrong-type-behind-a-wrong-time": TIMES,
    "approval-behind-a-wrong-time-of-its-own": TIMES,
    "limit-agents-before-the-time": TIMES,
    "unknown-member-not-utf-8": BYTES,
}
CASES = [
    pytest.param(case, marks=pytest.mark.xfail(strict=True, reason=OTHERWISE[case.name]))
    if case.name in OTHERWISE
    else case
    for case in partwire_cases("streams")
]


def events(lines: list[bytes]) -> bytes:
    return b"".join(b"event: delta\ndata: " + line + b"\n\n" for line in lines)


def outcome(case: FixtureCase) -> dict[str, Any]:
    options = {"mode": "strict", **case.options}
    if "limits" in options:
        options["limits"] = Limits(**options["limits"])
    try:
        return {"message": assembled([events(case.input)], **options)}
    except PartwireError as error:
        return {"error": {"rule": error.rule}}


@pytest.mark.parametrize("case", CASES)
def test_streams_of_the_contract(case: FixtureCase) -> None:
    case.check(outcome(case))


def test_wrong_bytes_are_told_as_such() -> None:
    start = partwire_cases("streams")[0].input[:1]
    with pytest.raises(FramingError) as caught:
        assembled([events(start) + b"data: \xff\n\n"])
    assert caught.value.rule == "framing/invalid-utf8"


@given(strategies.streams(unknown_members=True), st.data())
def test_cuts_between_chunks_change_nothing(deltas: list[Any], data: st.DataObject) -> None:
    lines = [json.dumps(each).encode() for each in deltas]
    body = events(lines)
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=9).map(sorted))
    chunks = [body[begin:end] for begin, end in pairwise([0, *cuts, len(body)])]
    texts: list[str] = []
    assert assembled(chunks, texts.append) == assemble(lines)
    said = [each["payload"]["textDelta"] for each in deltas if each["kind"] == "text"]
    assert texts == said


@given(strategies.broken_streams())
def test_a_broken_stream_gives_no_message(broken: strategies.BrokenStream) -> None:
    with pytest.raises(PartwireError) as caught:
        assembled([events([json.dumps(each).encode() for each in broken.deltas])], mode="strict")
    rule = "shape/pattern" if broken.rule == "stream/invalid-timestamp" else broken.rule
    assert rule in {finding.rule for finding in caught.value.findings}
