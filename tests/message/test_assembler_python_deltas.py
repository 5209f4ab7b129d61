"""Deltas that were built in Python with values that no reader lets pass."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from partwire import MessageAssembler, StreamProtocolError, dump
from partwire.contract.current.message import (
    StartDelta,
    StartDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    ToolCallArgsDelta,
    ToolCallArgsDeltaPayload,
    ToolCallStartDelta,
    ToolCallStartDeltaPayload,
    UsageDelta,
    UsageSummary,
)

BASE: dict[str, Any] = {"run_id": "r", "timestamp": "2026-01-02T03:04:05Z"}


def started() -> MessageAssembler:
    """Return an assembler with text and an open call."""
    assembler = MessageAssembler()
    start = StartDeltaPayload(model_id="m", request_id="q")
    assembler.consume(StartDelta(**BASE, seq=0, payload=start))
    call = ToolCallStartDeltaPayload(tool_call_id="c", tool_name="t")
    assembler.consume(ToolCallStartDelta(**BASE, seq=1, payload=call))
    assembler.consume(TextDelta(**BASE, seq=2, payload=TextDeltaPayload(text_delta="a")))
    return assembler


def refused(assembler: MessageAssembler, delta: Any) -> tuple[str, str]:
    before = dump(assembler.snapshot())
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(delta)
    assert dump(assembler.snapshot()) == before
    return caught.value.rule, caught.value.findings[0].pointer


@pytest.mark.parametrize("text", [b"bytes", 5, None, ["x"]])
def test_text_that_is_no_string_is_refused(text: Any) -> None:
    delta = TextDelta(**BASE, seq=3, payload=TextDeltaPayload(text_delta=text))
    assert refused(started(), delta) == ("stream/invalid-delta", "/payload/textDelta")


@pytest.mark.parametrize("text", [b"bytes", 5, None, ["x"]])
def test_argument_text_that_is_no_string_is_refused(text: Any) -> None:
    payload = ToolCallArgsDeltaPayload(tool_call_id="c", args_text_delta=text)
    delta = ToolCallArgsDelta(**BASE, seq=3, payload=payload)
    assert refused(started(), delta) == ("stream/invalid-delta", "/payload/argsTextDelta")


@pytest.mark.parametrize(
    ("figures", "pointer"),
    [
        ({"input_tokens": "1"}, "/payload/inputTokens"),
        ({"output_tokens": -1}, "/payload/outputTokens"),
        ({"total_tokens": 2**53}, "/payload/totalTokens"),
        ({"input_tokens": True}, "/payload/inputTokens"),
        ({"cost": float("nan")}, "/payload/cost"),
        ({"cost": float("inf")}, "/payload/cost"),
        ({"cost": -0.5}, "/payload/cost"),
        ({"cost": None}, "/payload/cost"),
    ],
)
def test_figures_that_are_none_are_refused(figures: dict[str, Any], pointer: str) -> None:
    counts: dict[str, Any] = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, **figures}
    delta = UsageDelta(**BASE, seq=3, payload=UsageSummary(**counts))
    assert refused(started(), delta) == ("stream/invalid-delta", pointer)


@pytest.mark.parametrize("cost", [UNSET, 0, 1.5])
def test_figures_in_their_bounds_are_taken(cost: Any) -> None:
    assembler = started()
    usage = UsageSummary(input_tokens=0, output_tokens=2**53 - 1, total_tokens=1, cost=cost)
    assembler.consume(UsageDelta(**BASE, seq=3, payload=usage))
    assert assembler.usage == usage
