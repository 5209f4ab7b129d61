"""Ids in a replay: of calls, of the message and of its turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from partwire import to_wire
from partwire.model import ReplayModel
from tests.fixture_cases import case_file
from tests.model.test_replay import deltas, message, recorded, refusal, run

TEXT = case_file("v0.1/providers/openai-chat/text", "input")
CALL = case_file("v0.1/streams/tool-call", "deltas")


def test_a_call_id_that_the_run_has_used_is_renamed() -> None:
    model = ReplayModel(CALL, loop=True)
    history: list[Any] = [message(model)]
    for _ in range(2):
        history.append(message(model, history))
    calls = [to_wire(each)["parts"][-1]["payload"] for each in history]
    first = calls[0]["toolCallId"]
    assert [each["toolCallId"] for each in calls] == [first, f"{first}-2", f"{first}-3"]
    assert calls[1]["arguments"] == calls[0]["arguments"]

    async def main() -> list[str]:
        stream = model.stream(history[:1])
        await stream.message()
        return [finding.rule for finding in stream.findings]

    assert run(main) == ["adapter/minted-id"]


def test_state_of_a_renamed_call_keeps_the_provider_s_own_id(tmp_path: Path) -> None:
    """One that was minted stands for none; one that was the provider's own is reported."""
    items = [{"kind": "k", "data": 1}]
    minted = {"provider": "d", "data": {"items": items, "toolCallId": None}}
    own = {"provider": "d", "data": {"items": items}}
    said = {"provider": "d", "data": {"items": items, "toolCallId": "call_1"}}
    alone = {"provider": "d", "data": {"items": [], "toolCallId": "call_1"}}
    for at, given, due in (
        ("tool_call_end", minted, minted),
        ("tool_call_end", own, said),
        ("text", own, alone),
        ("", None, None),
    ):
        path = tmp_path / "d.jsonl"
        _write(path, [_with(row, given) if row["kind"] == at else row for row in _spoken()])
        model = ReplayModel(path, loop=True)
        first = message(model)
        again = message(model, [first])
        before, after = (to_wire(each)["parts"][-1]["payload"] for each in (first, again))
        assert (before["toolCallId"], after["toolCallId"]) == ("call_1", "call_1-2")
        assert before.get("opaque") == (given if at == "tool_call_end" else None)
        assert after.get("opaque") == due


def _spoken() -> list[Any]:
    """Return the deltas of a call, with text before it."""
    start, *rest = recorded(CALL)
    text = {**start, "seq": 1, "kind": "text", "payload": {"textDelta": "Hm"}}
    return [start, text, *({**row, "seq": row["seq"] + 1} for row in rest)]


def _with(row: Any, opaque: Any) -> Any:
    return {**row, "payload": {**row["payload"], "opaque": opaque}}


def _write(path: Path, rows: list[Any]) -> None:
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def test_ids_of_message_and_turn_are_the_recorded_ones_or_the_callers(tmp_path: Path) -> None:
    rows = [{**row, "messageId": "m", "turnId": "t"} for row in recorded(CALL)]
    path = tmp_path / "d.jsonl"
    _write(path, rows)
    model = ReplayModel(path, loop=True)
    for given, due in (
        ({}, ("m", "t")),
        ({"message_id": "x"}, ("x", "t")),
        ({"message_id": "x", "turn_id": "y"}, ("x", "y")),
    ):
        assert {(each.message_id, each.turn_id) for each in deltas(model, **given)} == {due}
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(path.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    assert {each.message_id for each in deltas(ReplayModel(cut), message_id="x")} == {"x"}
    played = deltas(ReplayModel(TEXT), message_id="x", turn_id="y")
    assert {(each.message_id, each.turn_id) for each in played} == {("x", "y")}
    assert refusal(model.stream, [], message_id="")[0] == "usage/invalid-argument"
