"""Sources that use one id for all their calls: each call has an id of its own, in linear time."""

from __future__ import annotations

import pytest

from partwire import formats
from partwire.providers.core.call_ids import CallIds
from tests.formats.sessions import ClaudeCode, jsonl, texts

CALLS = 300


def test_one_id_for_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    is_used = CallIds._is_used

    def counted(ids: CallIds, call_id: str) -> bool:
        asked.append(call_id)
        return is_used(ids, call_id)

    monkeypatch.setattr(CallIds, "_is_used", counted)
    session = ClaudeCode()
    call = {"type": "tool_use", "id": "call_1", "name": "read", "input": {}}
    for _ in range(CALLS):  # answers without ids of their own: minted ids are alike, too
        session.answer(None, call)
        session.result("call_1")
    ids = texts(formats.read("claude-code", jsonl(session.lines)).messages)
    calls, results = ids[::2], ids[1::2]
    assert calls == results
    assert len(set(calls)) == CALLS
    assert calls[:3] == ["call_1", "call_run_0", "call_run_0-2"]
    assert len(asked) < 4 * CALLS
