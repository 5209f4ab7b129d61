"""Every provider case of the fixtures: its deltas, its findings, and the message they make.

A case of an older version holds for what a reader of that version gets: deltas and message as
they go down to it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire import MessageAssembler, StreamFailed, to_wire
from partwire.contract.resources import read_rules
from partwire.contract.versions import LATEST_VERSION
from partwire.convert.versions import DeltaDowngrade, downgrade
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.v0_2.structs.message import Message, MessageDelta
from tests.providers.provider_streams import check_stream, step_clock

FOLDER = Path(__file__).resolve().parents[2] / "fixtures"
CASES = sorted(path.parent for path in FOLDER.glob("*/providers/*/*/case.json"))


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _run(case: dict[str, Any], chunks: list[bytes]) -> tuple[list[MessageDelta], list[Any]]:
    adapter = open_adapter(
        case["api"],
        case["run_id"],
        clock=step_clock(**case["clock"]),
        used_tool_call_ids=frozenset(case.get("used_tool_call_ids", ())),
        keep_raw=case.get("keep_raw", False),
        message_id=case.get("message_id"),
        turn_id=case.get("turn_id"),
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
    for name in ("opaque", "providerFinishReason"):
        wire["meta"].pop(name, None)
    return wire


def _wires(deltas: list[MessageDelta], version: str) -> list[Any]:
    if version == LATEST_VERSION:
        return [to_wire(delta) for delta in deltas]
    down = DeltaDowngrade(version)
    return [to_wire(made) for delta in deltas for made in down.feed(delta)]


@pytest.mark.parametrize(
    "folder", CASES, ids=lambda path: path.relative_to(FOLDER).as_posix().replace("/providers", "")
)
def test_case(folder: Path) -> None:
    case = _read(folder / "case.json")
    data = (folder / case["input"]).read_bytes()
    lines = (folder / "deltas.jsonl").read_text("utf-8").split("\n")
    due = [json.loads(line) for line in lines if line]
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        deltas, findings = _run(case, chunks)
        check_stream(deltas)
        assert _wires(deltas, case["version"]) == due
        assert findings == case.get("findings", [])
    outcome = _outcome(deltas, case["version"])
    if case["expect"] == "message.json":
        assert outcome == {"message": _read(folder / "message.json")}
    else:
        expect = case["expect"]
        partial = _read(folder / expect["partial"])
        assert outcome == {
            "rule": expect["error"]["rule"],
            "failure": expect["failure"],
            "partial": partial,
        }


def test_there_are_enough_cases_and_every_adapter_rule_is_hit(root: Path) -> None:
    cases = [_read(folder / "case.json") for folder in CASES]
    assert {case["api"] for case in cases} == set(ADAPTERS)
    assert len(cases) >= 20
    rules = {f["rule"] for case in cases for f in case.get("findings", ())}
    assert rules >= {rule for rule in read_rules() if rule.startswith("adapter/")}
