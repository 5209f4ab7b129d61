"""What v0.2 adds to a stream, made in Python: opaque data, figures and reasons."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from partwire import PartwireError, StreamProtocolError, to_wire
from partwire.contract.current import message as current
from partwire.message.assembler import opaque as opaque_module
from tests.message.delta_streams import CALL, RUN, THEN, delta, fed, struct, text

OPAQUE = {"provider": "p", "data": {"items": [{"kind": "signature", "data": "c2ln"}]}}


# --- opaque data ----------------------------------------------------------------------------------


def hand_made(opaque: Any) -> Any:
    payload = current.TextDeltaPayload(text_delta="", opaque=opaque)
    return current.TextDelta(run_id=RUN, seq=2, payload=payload, timestamp=THEN)


def endless() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["again"] = [made, made]
    return made


@pytest.mark.parametrize(
    ("opaque", "rule", "pointer"),
    [
        (OPAQUE, "stream/invalid-delta", ""),
        ("opaque", "stream/invalid-delta", ""),
        (current.Opaque(provider="", data={}), "stream/invalid-delta", "/provider"),
        (current.Opaque(provider="\ud800", data={}), "stream/invalid-delta", "/provider"),
        (current.Opaque(provider="p", data=[]), "stream/invalid-delta", "/data"),  # type: ignore[arg-type]
        (current.Opaque(provider="p", data={"a": float("nan")}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data={"a": [(1,)]}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data={"a": b"x"}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data={"a": {1: 2}}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data={"a": "\ud800"}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data={"\ud800": 1}), "stream/invalid-delta", "/data"),
        (current.Opaque(provider="p", data=endless()), "stream/limit-exceeded", ""),
    ],
)
def test_opaque_data_that_no_reader_lets_pass(opaque: Any, rule: str, pointer: str) -> None:
    assembler = fed("start", ("text", "a"))
    before = to_wire(assembler.snapshot())
    with pytest.raises(StreamProtocolError) as caught:
        assembler.consume(hand_made(opaque))
    found = caught.value.findings[0]
    assert (found.rule, found.pointer) == (rule, f"/payload/opaque{pointer}")
    assert to_wire(assembler.snapshot()) == before
    assembler.consume(struct(delta("text", 2, {"textDelta": "b"})))
    assert [to_wire(part) for part in assembler.parts] == [text("ab")]


def test_opaque_data_belongs_to_its_reader() -> None:
    """Changing what was given, or what was read, changes nothing that is read later."""
    given = {"provider": "p", "data": {"n": [1]}}
    rows: list[Any] = ["start", ("text", "a"), CALL]
    assembler = fed(*rows)
    made = [
        struct(delta("tool_call_end", 3, {"toolCallId": "a", "opaque": given})),
        struct(delta("thinking", 4, {"textDelta": "b", "opaque": given})),
        struct(delta("done", 5, {"finishReason": "stop"})),
    ]
    for each in made:
        assembler.consume(each)
    expected = copy.deepcopy(given)
    made[0].payload.opaque.data["n"].append(2)
    made[1].payload.opaque.data["n"].append(2)
    for _ in range(2):
        for message in (assembler.snapshot(), assembler.build_final_message()):
            for part in message.parts[1:]:
                assert to_wire(part)["payload"]["opaque"] == expected
                part.payload.opaque.data["n"].append(3)  # type: ignore[union-attr]


def test_opaque_numbers_of_any_size_are_kept() -> None:
    data = {"n": [10**30, -(10**20), 2**63, 1e300, -0.0, 5e-324]}
    assembler = fed("start", ("text", "a"))
    assembler.consume(hand_made(current.Opaque(provider="p", data=data)))
    (part,) = assembler.parts
    assert part.payload.opaque.data == data  # type: ignore[union-attr]


def test_opaque_data_is_counted_before_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too much is refused without being written down."""
    kept: list[Any] = []
    monkeypatch.setattr(opaque_module, "_encode", kept.append)
    huge = {"provider": "p", "data": {"x": ["y" * 1_000_000] * 17}}
    with pytest.raises(StreamProtocolError) as caught:
        fed("start").consume(struct(delta("text", 1, {"textDelta": "", "opaque": huge})))
    assert (caught.value.rule, kept) == ("stream/limit-exceeded", [])


# --- figures and reasons --------------------------------------------------------------------------


@pytest.mark.parametrize("value", [True, -1, 1.0, "1", 2**53])
@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("reasoning_tokens", "reasoningTokens"),
        ("cache_read_tokens", "cacheReadTokens"),
        ("cache_write_tokens", "cacheWriteTokens"),
    ],
)
def test_counts_that_are_none(name: str, wire: str, value: Any) -> None:
    usage = current.UsageSummary(
        **{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, name: value}
    )
    made = current.UsageDelta(run_id=RUN, seq=1, payload=usage, timestamp=THEN)
    with pytest.raises(StreamProtocolError) as caught:
        fed("start").consume(made)
    found = caught.value.findings[0]
    assert (found.rule, found.pointer) == ("stream/invalid-delta", f"/payload/{wire}")


@pytest.mark.parametrize("value", ["", 7, None, "\ud800"])
def test_a_providers_word_that_is_none(value: Any) -> None:
    payload = current.DoneDeltaPayload(finish_reason="stop", provider_finish_reason=value)
    made = current.DoneDelta(run_id=RUN, seq=1, payload=payload, timestamp=THEN)
    assembler = fed("start")
    with pytest.raises(PartwireError) as caught:
        assembler.consume(made)
    assert caught.value.findings[0].pointer == "/payload/providerFinishReason"
    assert assembler.status == "started"
