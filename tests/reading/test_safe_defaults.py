"""What tolerant reading takes a safe default for is kept, and written back."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import msgspec
import pytest

import partwire
from partwire import SafeDefault, WriteError
from partwire.contract.current.envelope import EvaluationResponse
from partwire.convert import convert, downgrade, load, store
from partwire.providers.requests import encode_request
from tests.ways import way

__all__ = ["way"]

EVALUATION: dict[str, Any] = {
    "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
    "sent_at": "2025-07-15T02:03:04Z",
    "schema_version": "v0.2",
    "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
    "status": "splendid",
    "score": 92.5,
    "next_action": "escalate_v2",
}
ERRORS = [{"toolCallId": "c", "error": "too_large"}]
META = {"incomplete": {"ending": "moved", "openToolCallIds": []}, "toolCallParseErrors": ERRORS}
MESSAGE: dict[str, Any] = {
    "runId": "r",
    "role": "assistant",
    "parts": [{"kind": "text", "payload": {"text": "a"}}],
    "timestamp": "2026-01-02T03:04:05Z",
    "meta": META,
}


def evaluation() -> EvaluationResponse:
    made = partwire.read(EVALUATION, "envelope.EvaluationResponse", "tolerant")
    assert isinstance(made, EvaluationResponse)
    return made


def message() -> Any:
    return partwire.read(json.dumps(MESSAGE).encode(), "message.Message", "tolerant")


def test_it_reads_as_the_default_and_says_what_came() -> None:
    value = evaluation()
    assert (value.status, value.next_action) == ("fail", "none")
    assert {"none": 1}[value.next_action] == 1
    assert isinstance(value.next_action, SafeDefault)
    assert value.next_action.raw == "escalate_v2"
    assert repr(value.next_action) == "SafeDefault('none', raw='escalate_v2')"
    match value.status:
        case "fail":
            pass
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize(
    "copied",
    [
        lambda value: value,
        copy.copy,
        copy.deepcopy,
        lambda value: pickle.loads(pickle.dumps(value)),
        lambda value: msgspec.structs.replace(value, score=92.5),
        lambda value: EvaluationResponse(**msgspec.structs.asdict(value)),
    ],
)
def test_copies_keep_what_came(copied: Any) -> None:
    assert partwire.to_wire(copied(evaluation())) == EVALUATION


def test_a_member_that_is_set_is_written_as_it_is_set() -> None:
    for action in ("retry", "none"):
        changed = msgspec.structs.replace(evaluation(), next_action=action)
        assert partwire.to_wire(changed) == {**EVALUATION, "next_action": action}


def test_nobody_else_may_write_an_unknown_value() -> None:
    for bad in (EVALUATION, msgspec.structs.replace(evaluation(), next_action="escalate_v2")):
        with pytest.raises(WriteError, match="shape/enum"):
            partwire.dump(bad, "envelope.EvaluationResponse")
    elsewhere = msgspec.structs.replace(evaluation(), task_id=evaluation().status)
    with pytest.raises(WriteError):
        partwire.dump(elsewhere)


def test_strict_readers_refuse_it() -> None:
    value = evaluation()
    expected = [("shape/enum", "/status"), ("shape/enum", "/next_action")]
    found = partwire.validate(value, "envelope.EvaluationResponse")
    assert [(each.rule, each.pointer) for each in found] == expected
    with pytest.raises(partwire.ReadError):
        partwire.read(value, "envelope.EvaluationResponse")
    with pytest.raises(WriteError):
        partwire.to_model(value)
    with pytest.raises(partwire.ReadError):
        load(store(value))
    again = partwire.read(value, "envelope.EvaluationResponse", "tolerant")
    assert partwire.to_wire(again) == EVALUATION


def test_open_objects_keep_what_came() -> None:
    config = {"modelId": "m", "cacheConfig": {"strategy": "all"}, "x": {"strategy": "all"}}
    read = partwire.read(config, "message.ModelConfig", "tolerant")
    assert read["cacheConfig"]["strategy"] == "auto"
    assert partwire.to_wire(read, "message.ModelConfig") == config
    older = downgrade(read, "v0.1", "message.ModelConfig").value
    assert partwire.to_wire(older, "message.ModelConfig", "v0.1") == config
    asked = {**MESSAGE, "role": "user", "meta": {}}
    assert "cache_control" in str(encode_request("anthropic-messages", [asked], config=read).body)


def test_migration_and_repair_keep_what_came() -> None:
    older = downgrade(message(), to="v0.1")
    assert older.losses == []
    assert partwire.to_wire(older.value) == MESSAGE
    (repaired,) = partwire.repair_history([message()]).messages
    assert partwire.to_wire(repaired) == MESSAGE


@pytest.mark.parametrize("to", ["session", "blocks"])
def test_bridges_see_the_default(to: str) -> None:
    made = convert(message(), to=to)
    assert len(made.value) == 1
    assert made == convert(MESSAGE, to=to, type="message.Message")
    assert [loss.code for loss in made.losses].count("unknown-variant") == 0
