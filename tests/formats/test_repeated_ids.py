"""Sources that use one id for all their calls: each call has an id of its own, in linear time."""

from __future__ import annotations

import pytest

from partwire import formats
from partwire.providers.core.call_ids import CallIds
from tests.formats.sessions import ClaudeCode, jsonl

CALLS = 300


def test_one_id_for_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    is_used = CallIds._is_used

    def counted(ids: CallIds, call_id: str) -> bool:
        asked.append(call_id)
        return is_used(ids, call_id)

    monkeypatch.setattr(CallIds, "_is_used", counted)
    session = ClaudeCode()
    for _ in range(CALLS):  # answers without ids of their own: minted ids are alike, too
        session.calls(None, "call_1")
        session.result("call_1")
    parts = [
        message.parts[0].payload.tool_call_id
        for message in formats.read("claude-code", jsonl(session.lines)).messages
    ]
    calls, results = parts[::2], parts[1::2]
    assert calls == results
    assert len(set(calls)) == CALLS
    assert calls[:3] == ["call_1", "call_run_0", "call_run_0-2"]
    assert len(asked) < 4 * CALLS
