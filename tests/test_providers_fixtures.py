"""Every provider case of the fixtures: its deltas, its findings, and the message they make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire import MessageAssembler, StreamFailed, to_wire
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire.v0_2.structs.message import MessageDelta
from tests.provider_streams import check_stream, step_clock

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "v0.1" / "providers"
CASES = sorted(path.parent for path in FOLDER.glob("*/*/case.json"))


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _run(case: dict[str, Any], chunks: list[bytes]) -> tuple[list[MessageDelta], list[Any]]:
    adapter = open_adapter(
        case["api"],
        case["run_id"],
        clock=step_clock(**case["clock"]),
        used_tool_call_ids=frozenset(case.get("used_tool_call_ids", ())),
        keep_raw=case.get("keep_raw", False),
    )
    reader = ByteAdapter(adapter)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()
    return deltas, [{"rule": f.rule, "pointer": f.pointer} for f in adapter.findings]


def _outcome(deltas: list[MessageDelta]) -> dict[str, Any]:
    assembler = MessageAssembler()
    for delta in deltas:
        assembler.consume(delta)
    try:
        return {"message": to_wire(assembler.build_final_message())}
    except StreamFailed as error:
        return {
            "rule": error.rule,
            "failure": to_wire(error.error),
            "partial": to_wire(error.partial),
        }


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_case(folder: Path) -> None:
    case = _read(folder / "case.json")
    data = (folder / case["input"]).read_bytes()
    lines = (folder / "deltas.jsonl").read_text("utf-8").split("\n")
    due = [json.loads(line) for line in lines if line]
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        deltas, findings = _run(case, chunks)
        check_stream(deltas)
        assert [to_wire(delta) for delta in deltas] == due
        assert findings == case.get("findings", [])
    outcome = _outcome(deltas)
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
    listed = _read(root / "schemas" / "rules.json")["rules"]
    assert rules >= {rule for rule in listed if rule.startswith("adapter/")}
