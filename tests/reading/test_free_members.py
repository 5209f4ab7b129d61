"""Members of open objects hold any value: nobody takes them for what they are elsewhere.

Migration and bridges look at members by name (`meta`, `opaque`, `usage` …). Where an object is
open, such a member may hold anything, and every language has to pass over what is not meant for it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from partwire.convert import DeltaDowngrade, downgrade, migrate
from partwire.errors import PartwireError
from partwire.reading.pipeline import validate
from partwire_testing.conformance.drawn.request import Request
from partwire_testing.conformance.drawn.run import run
from partwire_testing.conformance.respondent import Driver
from tests.differential.toolchains import QUICK, start

NAMES = (
    *("meta", "opaque", "usage", "session", "blocks", "completedAt", "modelId", "incomplete"),
    *("toolCallParseErrors", "parts", "role", "runId", "messageId", "turnId", "payload", "kind"),
    *("schema_version", "message_type", "metadata", "info", "system", "__proto__", "toString"),
)
STATE_NAMES = (
    *("dialect", "parts", "toolCallIds", "provider", "data", "items", "start", "end"),
    *("partOffset", "toolCallId", "0", "1", "2", "info", "id", "type", "state", "attachments"),
)
LEAVES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.5, 2**40, "", "opaque", "text", "0", "openai-chat"),
    *([], {}, [None], ["opaque"], [{}], {"opaque": 1}, {"0": []}, {"meta": {}}),
)
COUNT = 400
CONTEXT = {"session_id": "6f1f0c1e-7a0b-4c66-9f1c-2f1a3b4c5d6e", "run_id": "run_1"}


def drawn(rng: random.Random, depth: int = 0) -> Any:
    """Return any JSON value, often of members that others look for."""
    if depth > 3 or rng.random() < 0.45:
        return rng.choice(LEAVES)
    if rng.random() < 0.3:
        return [drawn(rng, depth + 1) for _ in range(rng.randrange(3))]
    return members(rng, (*STATE_NAMES, *NAMES), depth + 1)


def members(rng: random.Random, names: tuple[str, ...], depth: int = 0) -> dict[str, Any]:
    """Return an object of some of ``names``, with any values."""
    return {name: drawn(rng, depth) for name in rng.sample(names, rng.randrange(1, 4))}


def state(rng: random.Random) -> dict[str, Any]:
    """Return provider state of any version that is at most nearly of a form that adapters write."""
    items = [members(rng, STATE_NAMES) for _ in range(rng.randrange(3))]
    said = {"items": items, "dialect": "gemini", "parts": {"0": items, "9": items}}
    return {**{name: said[name] for name in rng.sample(sorted(said), 2)}, **members(rng, NAMES)}


def message(rng: random.Random) -> dict[str, Any]:
    """Return a message whose free members hold anything; most are valid."""
    call = {"toolCallId": "c", "toolName": "t", "arguments": members(rng, NAMES)}
    parts: list[Any] = [
        {"kind": "text", "payload": {"text": "a"}},
        {"kind": "thinking", "payload": {"text": ""}},
        {"kind": "tool_call", "payload": call},
    ]
    for part in parts:
        if rng.random() < 0.5:
            part["payload"]["opaque"] = {"provider": "gemini", "data": state(rng)}
    meta = members(rng, NAMES)
    if rng.random() < 0.4:
        meta["opaque"] = {"dialect": "gemini", "parts": {}, **state(rng)}
    head = {"runId": "run_1", "role": "assistant", "timestamp": "2026-01-02T03:04:05Z"}
    return {**head, "parts": rng.sample(parts, rng.randrange(4)), "meta": meta}


def model_config(rng: random.Random) -> dict[str, Any]:
    """Return a ModelConfig with members that it does not know."""
    return {"modelId": "a", **members(rng, tuple(sorted({*NAMES} - {"modelId"})))}


def delta(rng: random.Random) -> dict[str, Any]:
    """Return a delta with the state of a provider, and members that no version knows."""
    payload = {"textDelta": "a", "opaque": {"provider": "gemini", "data": state(rng)}}
    head = {"runId": "run_1", "seq": 1, "timestamp": "2026-01-02T03:04:05Z"}
    others = members(rng, ("meta", "session", "usage"))
    return {**others, **head, "kind": "text", "payload": payload}


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield valid documents of both versions, and their types."""
    rng = random.Random("free members")
    makers = {
        "message.ModelConfig": model_config,
        "message.Message": message,
        "message.MessageDelta": delta,
    }
    for number in range(COUNT):
        for name, make in makers.items():
            if number % 4 == 0 or name == "message.Message":
                yield name, make(rng)


def test_the_documents_are_worth_it() -> None:
    valid = [name for name, each in documents() if not validate(each, name, "v0.2")]
    for name in ("message.ModelConfig", "message.Message", "message.MessageDelta"):
        assert valid.count(name) > 50, name


@pytest.mark.parametrize("name", [each for each in NAMES if each != "modelId"])
def test_a_model_config_keeps_every_member(name: str) -> None:
    for value in LEAVES:
        config = {"modelId": "a", name: value}
        assert downgrade(config, "v0.1", "message.ModelConfig") == (config, [], "v0.1")
        assert migrate(config, "v0.2", "message.ModelConfig", "v0.1") == (config, [], "v0.2")


def test_no_value_of_a_free_member_breaks_a_migration() -> None:
    for name, document in documents():
        if validate(document, name, "v0.2"):
            continue
        made = downgrade(document, "v0.1", name, "v0.2")
        assert not [f for f in validate(made.value, name, "v0.1") if f.severity == "error"]
        lifted = migrate(made.value, "v0.2", name, "v0.1")
        assert not [f for f in validate(lifted.value, name, "v0.2") if f.severity == "error"]
        if name == "message.MessageDelta":
            DeltaDowngrade().feed(document)


def requests() -> Iterator[Request]:
    """Yield what is asked of every language about each document."""
    for name, document in documents():
        text = json.dumps(document)
        for source, target in (("v0.2", "v0.1"), ("v0.1", "v0.2")):
            given = {"call": "migrate", "document": text, "type": name}
            yield Request("migrate", "v0.2", {**given, "from": source, "to": target})
        if name == "message.Message":
            for to in ("session", "blocks"):
                asked = {"document": f"[{text}]", "type": name, "to": to, "context": CONTEXT}
                yield Request("convert", "v0.2", asked)


@pytest.mark.slow
def test_every_language_says_the_same_of_them() -> None:
    there = [each for each in QUICK if each.missing(build=True) is None]
    drivers: list[Driver] = [start(each) for each in there]
    try:
        outcome = run(drivers, requests())
        for driver in drivers:
            asked = list(requests())
            broken = [each for each in driver.ask(asked) if each.status != "result"]
            assert broken == [], driver.name
    finally:
        for driver in drivers:
            driver.close()
    assert not outcome.found, "\n\n".join(map(str, outcome.found))


def test_what_is_no_json_value_is_refused_by_name() -> None:
    with pytest.raises(PartwireError):
        downgrade({"modelId": "a", "meta": float("nan")}, "v0.1", "message.ModelConfig")
