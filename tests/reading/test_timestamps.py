"""Timestamps: checked where they go into the message, by the schema's own pattern."""

from __future__ import annotations

import re

import msgspec
import pytest

from partwire import MessageAssembler, StreamProtocolError
from partwire.contract import times as timestamps
from partwire.contract.current.message import MessageDelta
from partwire.contract.resources import bundle
from tests.message.delta_streams import stream
from tests.ways import way

__all__ = ["way"]


@pytest.mark.parametrize("stamp", ["", "2026-01-02", "2026-02-30T00:00:00Z", "2026-01-02T03:04:05"])
def test_timestamps_that_go_into_the_message(stamp: str) -> None:
    start, middle, done = stream("start", ("text", "a"), "done")
    for bad in (start, done):
        assembler = MessageAssembler()
        rules = []
        for each in (start, middle, done):
            shown = each | ({"timestamp": stamp} if each is bad else {})
            try:
                assembler.consume(msgspec.convert(shown, MessageDelta))
            except StreamProtocolError as error:
                rules.append(error.rule)
        assert rules[0] == "stream/invalid-timestamp"
    middle["timestamp"] = stamp
    assembler = MessageAssembler()
    for each in (start, middle, done):
        assembler.consume(msgspec.convert(each, MessageDelta))
    assert assembler.status == "done"


def test_the_pattern_of_timestamps_is_the_schemas() -> None:
    pattern = bundle("message")["$defs"]["Timestamp"]["pattern"]
    assert f"^{timestamps._timestamp().pattern}$" == pattern
    assert timestamps._timestamp().flags == re.UNICODE


@pytest.mark.parametrize(
    "fraction", ["", ".0", ".5", ".000", ".005", ".250", ".2500", ".0000", ".999999999"]
)
@pytest.mark.parametrize("zone", ["Z", "+00:00", "-00:00", "+01:30"])
@pytest.mark.parametrize(
    "clock", ["1970-01-02T00:00:00", "2026-11-02T09:15:30", "9999-12-30T23:59:59"]
)
def test_the_usual_text_is_the_one_that_is_written(clock: str, zone: str, fraction: str) -> None:
    text = f"{clock}{fraction}{zone}"
    instant = timestamps.instant_of(text)
    assert instant.usual == (timestamps.text_of(instant.ms) == text)
