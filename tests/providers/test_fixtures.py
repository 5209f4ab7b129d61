"""Every provider case of the fixtures: its deltas, its findings, and the message they make.

A case of an older version holds for what a reader of that version gets: deltas and message as
they go down to it.
"""

from __future__ import annotations

from typing import Any

import pytest

from partwire import MessageAssembler, StreamFailed, to_wire
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.message import Message, MessageDelta
from partwire.contract.resources import read_rules
from partwire.convert import DeltaDowngrade, downgrade
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from tests.fixture_cases import Case, cases
from tests.providers.provider_streams import check_stream, step_clock

CASES = cases("providers")


def _run(
    case: dict[str, Any], chunks: list[bytes], version: str
) -> tuple[list[MessageDelta], list[Any]]:
    adapter = open_adapter(
        case["api"],
        case["run_id"],
        clock=step_clock(**case["clock"]),
        used_tool_call_ids=frozenset(case.get("used_tool_call_ids", ())),
        keep_raw=case.get("keep_raw", False),
        message_id=case.get("message_id"),
        turn_id=case.get("turn_id"),
        author=case.get("author"),
        format=case.get("format"),
        version="v0.2" if version == "v0.1" else version,
    )
    reader = ByteAdapter(adapter)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()
    return deltas, [{"rule": f.rule, "pointer": f.pointer} for f in adapter.findings]


def _outcome(deltas: list[MessageDelta], version: str) -> dict[str, Any]:
    assembler = MessageAssembler()
    for delta in deltas:
        assembler.consume(delta)
    try:
        return {"message": _message(assembler.build_final_message(), version)}
    except StreamFailed as error:
        return {
            "rule": error.rule,
            "failure": to_wire(error.error),
            "partial": _message(error.partial, version),
        }


def _message(message: Message, version: str) -> Any:
    """Return what a reader of ``version`` gets.

    The deltas of v0.1 carry neither provider state nor the provider's own finish reason, so that
    what its cases expect of them has none; a message of v0.1 may have both in its meta.
    """
    if version == LATEST_VERSION:
        return to_wire(message)
    wire = to_wire(downgrade(message, version).value)
    if version != "v0.1":
        return wire
    for name in ("opaque", "providerFinishReason"):
        wire["meta"].pop(name, None)
    return wire


def _wires(deltas: list[MessageDelta], version: str) -> list[Any]:
    if version != "v0.1":  # they are written as that version
        return [to_wire(delta) for delta in deltas]
    down = DeltaDowngrade(version)
    return [to_wire(made) for delta in deltas for made in down.feed(delta)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.version}/{case.name}")
def test_case(case: Case) -> None:
    data = case.data("input")
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        deltas, findings = _run(case.spec, chunks, case.version)
        check_stream(deltas)
        assert _wires(deltas, case.version) == case.spec["deltas"]
        assert findings == case.spec.get("findings", [])
    outcome = _outcome(deltas, case.version)
    expect = case.expect
    if case.result:
        assert outcome == expect
    else:
        assert outcome == {
            "rule": expect["error"]["rule"],
            "failure": expect["failure"],
            "partial": expect["partial"],
        }


def test_there_are_enough_cases_and_every_adapter_rule_is_hit() -> None:
    assert {case.spec["api"] for case in CASES} == set(ADAPTERS)
    assert len(CASES) >= 20
    rules = {f["rule"] for case in CASES for f in case.spec.get("findings", ())}
    listed = read_rules()
    assert rules >= {rule for rule in listed if rule.startswith("adapter/")}
