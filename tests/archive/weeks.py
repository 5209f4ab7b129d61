"""Messages of eleven weeks that have all a report shows: a new model, drift, an outage, errors.

The picture in docs/pictures is made of them::

    python -m tests.archive.weeks > messages.jsonl
    partwire archive statistics --type message.Message messages.jsonl figures
    chromium --headless --blink-settings=preferredColorScheme=0 --hide-scrollbars \
        --window-size=1120,1040 --screenshot=docs/pictures/archive-report.png figures/report.html
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

__all__ = ["weeks"]

_SEED: Final = 7
_DAYS: Final = 75
_BEGIN: Final = datetime(2026, 7, 6)
_OUTAGE: Final = range(40, 43)
_MODELS: Final = {"small-1": 3, "medium-2": 2, "large-2": 5}
_NEW_MODEL: Final = ("large-3", 4)
_NEW_SINCE: Final = 35
_TOOLS: Final = {"search": 0.03, "read_file": 0.01, "edit_file": 0.08, "run_tests": 0.22}
_Message = dict[str, Any]


def weeks(runs_per_day: int = 60, *, mark: str = "") -> Iterator[bytes]:
    """Yield the messages as JSON texts, the same ones in every call.

    ``mark`` is put into every text that a report shows. Some messages are not valid, and some
    texts are not JSON.
    """
    chooser = random.Random(_SEED)
    for day in range(_DAYS):
        share = (1.0 if day % 7 < 5 else 0.3) * (1 + day / 60)
        if day in _OUTAGE:
            share *= 0.3
        for _ in range(round(runs_per_day * share)):
            yield from _run(chooser, day, mark)


def _run(chooser: random.Random, day: int, mark: str) -> Iterator[bytes]:
    run = f"run_{chooser.getrandbits(48):012x}"
    at = _BEGIN + timedelta(days=day, seconds=chooser.triangular(6, 22, 13) * 3600)
    models = dict([*_MODELS.items(), _NEW_MODEL]) if day > _NEW_SINCE else _MODELS
    (model,) = chooser.choices(list(models), list(models.values()))
    yield _text(_message(run, "user", at, [_said("Please look ", chooser.randrange(40))]))
    for turn in range(chooser.randint(1, 5)):
        at += timedelta(seconds=chooser.uniform(0.2, 3))
        took = chooser.lognormvariate(8 if model.startswith("large") else 7, 0.7)
        calls = [
            (f"call_{turn}_{index}", chooser.choice(list(_TOOLS)))
            for index in range(chooser.randint(1, 2) if turn < 3 and chooser.random() < 0.6 else 0)
        ]
        end = at + timedelta(milliseconds=took)
        answer = _answer(chooser, run, at, end, model, calls, day, mark)
        _damage(chooser, answer, mark)
        text = _text(answer)
        if chooser.random() < 0.0004:
            yield text[:50]
        yield text
        at = end
        for call, tool in calls:
            if chooser.random() < 0.01:
                continue  # nobody answered
            at += timedelta(seconds=chooser.random())
            failed = chooser.random() < _TOOLS[tool]
            content = "not found" if failed else {"ok": True}
            payload = {"toolCallId": call, "isError": failed, "content": content}
            part = {"kind": "tool_result", "payload": payload}
            yield _text(_message(run, "tool", at, [part]))


def _answer(
    chooser: random.Random,
    run: str,
    at: datetime,
    end: datetime,
    model: str,
    calls: list[tuple[str, str]],
    day: int,
    mark: str,
) -> _Message:
    parts = [_said("so ", chooser.randrange(400))]
    for call, tool in calls:
        payload = {"toolCallId": call, "toolName": tool + mark, "arguments": {"q": "x"}}
        parts.append({"kind": "tool_call", "payload": payload})
    read, written = (int(chooser.lognormvariate(*each)) for each in ((8, 1), (5.5, 0.9)))
    meta: _Message = {
        "modelId": model + mark,
        "usage": {
            "inputTokens": read,
            "outputTokens": written,
            "totalTokens": read + written,
            "cacheReadTokens": int(read * chooser.random() * 0.8),
            "reasoningTokens": written // 3,
            "cost": (read * 3 + written * 15) / 1e6,
        },
    }
    if chooser.random() < (0.07 if day in _OUTAGE else 0.012):
        ending = chooser.choice(["error", "truncated", "cancelled"])
        meta["incomplete"] = {"ending": ending, "openToolCallIds": []}
    else:
        (ended,) = chooser.choices(["stop", "length", "content_filter"], [95, 4, 1])
        meta |= {"completedAt": _time(end), "finishReason": "tool_calls" if calls else ended}
    if day >= 20:
        meta[f"region{mark}"] = "eu-1"
    if model == _NEW_MODEL[0]:
        meta["serviceTier"] = "priority"
    if 50 <= day < 60 and chooser.random() < 0.1:
        parts[0]["payload"]["logprobs"] = [1]
    return {**_message(run, "assistant", at, parts), "meta": meta}


def _damage(chooser: random.Random, answer: _Message, mark: str) -> None:
    """Make few of the answers invalid."""
    at = chooser.random()
    if at < 0.002:
        answer["role"] = f"developer{mark}"
    elif at < 0.003:
        del answer["parts"]
    elif at < 0.004:
        answer["meta"]["usage"]["inputTokens"] = -1
    elif at < 0.0045:
        answer["timestamp"] = "yesterday"


def _said(word: str, count: int) -> _Message:
    return {"kind": "text", "payload": {"text": word * count}}


def _message(run: str, role: str, at: datetime, parts: list[Any]) -> _Message:
    return {"runId": run, "role": role, "parts": parts, "timestamp": _time(at)}


def _time(at: datetime) -> str:
    return f"{at.isoformat(timespec='milliseconds')}Z"


def _text(message: _Message) -> bytes:
    return json.dumps(message).encode()


if __name__ == "__main__":
    for line in weeks():
        sys.stdout.buffer.write(line + b"\n")
