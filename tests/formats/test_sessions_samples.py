"""Sessions of others beside independent readings of them: the vendor's SDK, or rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest

from partwire import formats, to_wire
from tests.formats.agreement import Agreement
from tests.formats.samples import Sample, ids, load_text
from tests.formats.sessions import streamed

Item = tuple[Any, ...]

# Samples of which the oracle says otherwise, and why.
_OTHERWISE = {
    "claude-code/agentsview-valid": "no uuid",
    "claude-code/stage0-small": "same uuids",
    "claude-code/test-edge-cases": "no parents",
    "claude-code/test-representative-messages": "no parents",
    "codex/agent-sessions-codex-schema-drift": "older lines",
    "codex/agent-sessions-codex-small": "same texts",
    "codex/agent-sessions-session-branch": "older lines",
    "codex/agent-sessions-session-simple": "older lines",
    "codex/agentsview-function-calls": "no arguments",
    "gemini-cli/agent-sessions-schema-drift": "not a session",
    "opencode/message-v2-filters-out-messages-with-only-ignored-parts": "hidden",
    "opencode/message-v2-converts-pending-running-tool-calls-to-error-results-to-prevent-dangl": (
        "open call"
    ),
}


def _load(name: str) -> Sample:
    """Return a sample: lines as text, else the document."""
    text, expected = load_text(name)
    try:
        document = json.loads(text)
    except ValueError:
        document = text
    return Sample(name, document, expected)


def _samples(*names: str) -> list[str]:
    return [each for name in names for each in ids(name)]


def _ours(messages: Iterable[Any]) -> list[Item]:
    found: list[Item] = []
    for message in messages:
        for part in to_wire(message)["parts"]:
            kind, payload = part["kind"], part["payload"]
            if kind in ("text", "thinking"):
                found.append((kind, payload["text"]))
            elif kind == "tool_call":
                raw = payload.get("rawArgsText")
                found.append(
                    (kind, _call_id(payload), payload["toolName"], raw or payload["arguments"])
                )
            elif kind == "tool_result":
                found.append((kind, payload["toolCallId"]))
            else:
                found.append(("media",))
    return found


def _call_id(payload: Any) -> str | None:
    data = payload.get("opaque", {}).get("data", {})
    found: str | None = data.get("toolCallId", payload["toolCallId"])
    return found


def _theirs(expected: Any) -> list[Item]:
    rows = expected.get("items")
    if rows is None:
        rows = [item for message in expected["messages"] for item in message["items"]]
    found: list[Item] = []
    for item in rows:
        kind = item["kind"]
        if kind == "thinking" and "summary" in item:
            found += [(kind, text) for text in item["summary"]]
        elif kind in ("text", "thinking"):
            found.append((kind, item.get("text")))
        elif kind in ("tool_call", "tool"):
            given = next((item[n] for n in ("arguments", "rawInput", "input") if n in item), None)
            given = item["argumentsText"] if given is None and "argumentsText" in item else given
            found.append(("tool_call", item.get("id"), item.get("name"), given))
            if item.get("status") in ("completed", "error"):
                found.append(("tool_result", item.get("id")))
        elif kind == "tool_result":
            found.append((kind, item.get("id")))
        elif kind in ("file", "image", "media"):
            found.append(("media",))
    return found


def _ordered(items: list[Item]) -> list[Item]:
    """Return items with results behind what is said between them and what follows.

    An answer is one message, and its results come behind it, where lines mix them.
    """
    kept = [item for item in items if item not in (("thinking", ""), ("thinking", None))]
    results = sorted((item for item in kept if item[0] == "tool_result"), key=str)
    others: list[Item] = []
    for kind, group in groupby((each for each in kept if each[0] != "tool_result"), _kind):
        run = list(group)
        others += run if kind in ("tool_call", "media") else _joined(kind, run)
    return [*others, *results]


def _kind(item: Item) -> str:
    kind: str = item[0]
    return kind


def _joined(kind: str, run: list[Item]) -> list[Item]:
    """Return texts behind each other as one: one answer may say them in several lines."""
    return [(kind, [text for _, text in run])]


def _is_same(ours: Any, theirs: Any) -> bool:
    """Return whether values are the same; long texts of theirs are lengths and beginnings."""
    if isinstance(theirs, dict) and theirs.keys() == {"length", "head"} and isinstance(ours, str):
        return len(ours) == theirs["length"] and ours.startswith(theirs["head"])
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return theirs.keys() == ours.keys() and all(_is_same(ours[n], theirs[n]) for n in theirs)
    if isinstance(theirs, (list, tuple)) and isinstance(ours, (list, tuple)):
        if ours and theirs and ours[0] in ("text", "thinking"):
            return bool(ours[0] == theirs[0]) and _is_same_text(ours[1], theirs[1])
        return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))
    return bool(ours == theirs)


def _is_same_text(ours: list[Any], theirs: list[Any]) -> bool:
    if len(ours) == len(theirs) and all(map(_is_same, ours, theirs)):
        return True
    lengths = [each["length"] if isinstance(each, dict) else len(each) for each in theirs]
    text = "".join(ours)
    if len(text) != sum(lengths):
        return False
    at = 0
    for each, length in zip(theirs, lengths, strict=True):
        if not _is_same(text[at : at + length], each):
            return False
        at += length
    return True


def _read(sample: Sample) -> formats.FormatResult:
    return formats.read(sample.name.partition("/")[0], sample.document)


@pytest.mark.parametrize("format_name", ["claude-code", "codex", "gemini-cli", "opencode"])
def test_samples_agree_with_others(format_name: str) -> None:
    agreement = Agreement(format_name)
    for name in ids(format_name):
        sample = _load(name)
        theirs = _ordered(_theirs(sample.expected))
        if _OTHERWISE.get(name) == "not a session":
            agreement.otherwise(_OTHERWISE[name], len(theirs))
            continue
        ours = _ordered(_ours(_read(sample).messages))
        same = [
            other if _is_same(one, other) or _is_without_id(one, other) else one
            for one, other in zip(ours, theirs, strict=False)
        ]
        reason = _OTHERWISE.get(name)
        agreement.sample(name, [*same, *ours[len(theirs) :]], theirs, lambda *_, say=reason: say)
    agreement.check()


def _is_without_id(ours: Item, theirs: Item) -> bool:
    """Return whether a call or a result without an id got one, or none for the provider."""
    return theirs[1:2] == (None,) and (ours[0], *ours[2:]) == (theirs[0], *theirs[2:])


@pytest.mark.parametrize("name", _samples("claude-code"))
def test_an_answer_has_the_usage_of_its_last_line(name: str) -> None:
    sample = _load(name)
    if name in _OTHERWISE:
        return
    made = {
        message.message_id: to_wire(message).get("meta", {}).get("usage", {})
        for message in _read(sample).messages
        if message.role == "assistant"
    }
    for own, usage in sample.expected["usageByMessage"].items():
        cached = ("cache_read_input_tokens", "cache_creation_input_tokens")
        fresh = usage["input_tokens"] + sum(usage.get(each) or 0 for each in cached)
        found = made[own].get("inputTokens"), made[own].get("outputTokens")
        assert found == (fresh, usage["output_tokens"])


@pytest.mark.parametrize("name", _samples("claude-code", "codex", "gemini-cli"))
def test_samples_grow_to_what_they_are(name: str) -> None:
    sample = _load(name)
    if not isinstance(sample.document, str):
        return
    data = sample.document.encode()
    chunks = [data[at : at + 5000] for at in range(0, len(data), 5000)]
    messages, losses = streamed(name.partition("/")[0], chunks)
    result = _read(sample)
    assert [to_wire(each) for each in messages] == [to_wire(each) for each in result.messages]
    assert set(losses) == set(result.losses)


@pytest.mark.parametrize("name", _samples("claude-code", "codex", "gemini-cli", "opencode"))
def test_samples_show_what_they_are(name: str) -> None:
    document = _load(name).document
    if isinstance(document, str):
        document = [json.loads(row) for row in document.splitlines() if _is_json(row)]
    shown = formats.sniff(document)
    if shown and shown[0].place:
        assert [each.format for each in shown] == [name.partition("/")[0]]


def _is_json(row: str) -> bool:
    try:
        json.loads(row)
    except ValueError:
        return False
    return True
