"""Messages of some days: two models, tools that fail, cut streams, members that nobody declared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

__all__ = ["conversations"]

_SEED: Final = 20261129
_MODELS: Final = ("large-2", "small-1", "other-3")
_TOPICS: Final = (
    "the Invoice of May",
    "a walk in the rain",
    "INVOICES without a date",
    "naïve café",
)
_CITIES: Final = ("Oslo", "Lyon", "東京")


def conversations(count: int) -> Iterator[dict[str, Any]]:
    """Yield the messages of ``count`` runs, in order of time; the same ones in every call."""
    chooser = random.Random(_SEED)
    at = datetime(2026, 3, 1, 22)
    for number in range(count):
        for message in _run(chooser, f"run_{number:04d}", at):
            at = max(at, datetime.fromisoformat(message["timestamp"].rstrip("Z")))
            yield message
        at += timedelta(minutes=chooser.randrange(40))


def _run(chooser: random.Random, run: str, at: datetime) -> Iterator[dict[str, Any]]:
    yield _message(run, "user", at, [_text(f"Tell me about {chooser.choice(_TOPICS)}.")])
    model = chooser.choice(_MODELS)
    for turn in range(chooser.randrange(1, 4)):
        at += timedelta(milliseconds=chooser.randrange(1, 90_000_000) / 1000)
        end = at + timedelta(milliseconds=chooser.randrange(200, 30_000))
        calls = [
            (f"call_{turn}_{index}", chooser.choice(("weather", "search")))
            for index in range(chooser.randrange(3))
        ]
        yield _answer(chooser, run, f"{run}_{turn}", model, at, end, calls)
        at = end
        for call, tool in calls:
            if tool == "weather" and chooser.random() < 0.2:
                continue  # nobody answered
            at += timedelta(microseconds=chooser.randrange(10**6))
            yield _result(chooser, run, call, at)


def _answer(
    chooser: random.Random,
    run: str,
    message: str,
    model: str,
    at: datetime,
    end: datetime,
    calls: list[tuple[str, str]],
) -> dict[str, Any]:
    parts = [_text(f"About {chooser.choice(_TOPICS)}: {'so ' * chooser.randrange(20)}")]
    for call, tool in calls:
        arguments = {"city": chooser.choice(_CITIES), "days": chooser.randrange(9)}
        payload = {"toolCallId": call, "toolName": tool, "arguments": arguments}
        parts.append({"kind": "tool_call", "payload": payload})
    read, written = chooser.randrange(10, 9000), chooser.randrange(1, 900)
    usage: dict[str, Any] = {
        "inputTokens": read,
        "outputTokens": written,
        "totalTokens": read + written,
    }
    if chooser.random() < 0.5:
        usage["cacheReadTokens"] = read // 2
    if chooser.random() < 0.2:
        usage["cost"] = chooser.randrange(1, 99) / 1000
    meta: dict[str, Any] = {"modelId": model}
    if chooser.random() < 0.15:
        meta["incomplete"] = {
            "ending": chooser.choice(("error", "truncated")),
            "openToolCallIds": [],
        }
    else:
        finish = "tool_calls" if calls else chooser.choice(("stop", "stop", "length"))
        meta |= {"finishReason": finish, "completedAt": _time(end), "usage": usage}
    if chooser.random() < 0.1:
        meta["region"] = "eu"
    if chooser.random() < 0.1:
        parts[0]["payload"]["tone"] = {"kind": chooser.random() < 0.5}
    made = _message(run, "assistant", at, parts)
    return {**made, "messageId": message, "meta": meta}


def _result(chooser: random.Random, run: str, call: str, at: datetime) -> dict[str, Any]:
    failed = chooser.random() < 0.3
    content: Any = "no such place" if failed else {"degrees": chooser.randrange(30)}
    payload = {"toolCallId": call, "isError": failed, "content": content}
    return _message(run, "tool", at, [{"kind": "tool_result", "payload": payload}])


def _message(run: str, role: str, at: datetime, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"runId": run, "role": role, "parts": parts, "timestamp": _time(at)}


def _text(text: str) -> dict[str, Any]:
    return {"kind": "text", "payload": {"text": text}}


def _time(at: datetime) -> str:
    return f"{at.isoformat(timespec='microseconds')}Z"
