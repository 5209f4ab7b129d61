"""Histories of messages that hang together, and some that do not: for the session bridge."""

from __future__ import annotations

import random
from typing import Any

from partwire.reading.pipeline import read, validate
from partwire.reading.plain import plain_value
from tests.strategies import Documents

__all__ = ["history", "is_valid", "with_state"]

TIME = "2026-01-02T03:04:05Z"
# Few, so that two messages of a history have the same one now and then.
IDS = [f"0197c6f0-5a00-7000-8000-00000000000{digit}" for digit in "abcABC"]
STATE = {"provider": "example", "data": {"items": [{"kind": "signature", "data": "c2ln"}]}}


def is_valid(document: Any, type_name: str) -> bool:
    """Return whether a document has no error."""
    return not any(each.severity == "error" for each in validate(document, type_name))


def with_state(session: Any, rng: random.Random) -> Any:
    """Return a session's message of which some parts keep what a provider wants back, or try to.

    Some totals of tokens are one of the sums that say whether the output holds reasoning.
    """
    tokens = session["info"].get("tokens")
    if tokens and rng.random() < 0.6:
        tokens.update(input=rng.randrange(9), output=rng.randrange(9), reasoning=rng.randrange(9))
        tokens["cache"] = {"read": rng.randrange(9), "write": rng.randrange(9)}
        least = tokens["input"] + tokens["output"] + sum(tokens["cache"].values())
        tokens["total"] = least + rng.choice((0, tokens["reasoning"], 1))
    for part in session["parts"]:
        if part["type"] in ("text", "reasoning", "tool") and rng.random() < 0.4:
            opaque = rng.choice((STATE, STATE, {**STATE, "more": 1}, {"provider": ""}, "state"))
            part["metadata"] = {**part.get("metadata", {}), "opaque": opaque}
    return session


def history(seed: str) -> list[Any]:
    """Return messages, as they are read; most results answer the calls right before them."""
    maker, rng = Documents(seed), random.Random(seed)
    found: list[Any] = []
    for _ in range(rng.choice((1, 2, 3, 5))):
        document = maker.valid("message.Message")
        if rng.random() < 0.3:
            document["messageId"] = rng.choice(IDS)
        if rng.random() < 0.7 and document["role"] == "tool":
            document["role"], document["parts"] = "assistant", [_call(maker, rng)]
        if document["role"] == "assistant" and rng.random() < 0.5:
            document["parts"] += [_call(maker, rng) for _ in range(rng.choice((1, 1, 2, 3)))]
        if rng.random() < 0.4:
            _ask(document, rng)
        if not is_valid(document, "message.Message"):
            continue
        found.append(plain_value(read(document, "message.Message"))[0])
        calls = [part["payload"] for part in document["parts"] if part["kind"] == "tool_call"]
        if calls and rng.random() < 0.8:
            found += _answers(calls, maker, rng)
    return found


def _call(maker: Documents, rng: random.Random) -> Any:
    payload = maker.valid("message.ToolCallPayload")
    if rng.random() < 0.5:
        payload.pop("rawArgsText", None)
    return {"kind": "tool_call", "payload": payload}


def _ask(document: Any, rng: random.Random) -> None:
    """Let an assistant's message ask about its calls, beside or behind them."""
    asked: list[Any] = []
    for part in document["parts"]:
        asked.append(part)
        if part["kind"] == "tool_call" and rng.random() < 0.8:
            call = part["payload"]["toolCallId"]
            asked.append(
                _approval("request", call, rng, ("reason", "choices", "requestedAt", "opaque"))
            )
    if rng.random() < 0.2:
        asked.sort(key=lambda part: str(part["kind"]) == "approval_request")
    document["parts"] = asked


def _approval(kind: str, call: str, rng: random.Random, names: tuple[str, ...]) -> Any:
    values = {
        "choices": [{"id": "once"}],
        "requestedAt": TIME,
        "decidedAt": TIME,
        "arguments": {"a": 1},
    }
    values["opaque"] = STATE
    given = {name: values.get(name, "words") for name in names if rng.random() < 0.4}
    payload = {"approvalId": f"apr {call}", "toolCallId": call, **given}
    return {"kind": f"approval_{kind}", "payload": payload}


def _answer(call: str, rng: random.Random) -> Any:
    names = ("choice", "reason", "decidedBy", "decidedAt", "arguments")
    part = _approval("response", call, rng, names)
    part["payload"]["decision"] = rng.choice(("approved", "denied", "expired"))
    return part


def _answers(calls: list[Any], maker: Documents, rng: random.Random) -> list[Any]:
    results = []
    for call in calls:
        if rng.random() < 0.4:
            results.append(_answer(call["toolCallId"], rng))
        if rng.random() < 0.2:
            continue
        result = maker.valid("message.ToolResult")
        result["toolCallId"] = call["toolCallId"] if rng.random() < 0.95 else "another"
        if rng.random() < 0.3:
            result.update(isError=True, outcome="denied")
        results.append({"kind": "tool_result", "payload": result})
    if rng.random() < 0.2:
        rng.shuffle(results)
    cut = rng.randrange(len(results) + 1) if rng.random() < 0.2 else 0
    made = []
    for parts in (results[:cut], results[cut:]):
        answered = {part["kind"] for part in parts} == {"approval_response"}
        role = "user" if answered and rng.random() < 0.7 else "tool"
        one = {**maker.valid("message.Message"), "role": role, "parts": parts}
        if is_valid(one, "message.Message") and (parts or rng.random() < 0.1):
            made.append(plain_value(read(one, "message.Message"))[0])
    return made
