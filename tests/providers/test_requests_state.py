"""Requests: provider state in the parts, in messages of every version, and as nobody kept it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from partwire import PartwireError, read
from partwire.convert import downgrade, migrate
from partwire.providers.requests import ENCODERS
from partwire.severities import SEVERITIES
from tests.fixture_cases import Case, cases
from tests.providers.request_round_trip import answer, encode, provider_texts, sent_back
from tests.providers.test_requests import due, places

Json = dict[str, Any]

CASES = [case for case in cases("requests") if "bodies" in case.expect]
WITH_STATE = [case for case in CASES if '"opaque"' in case.data("input").decode()]
OLD = [case for case in WITH_STATE if case.spec["version"] == "v0.1"]
NEW = [case for case in WITH_STATE if case.spec["version"] == "v0.2"]
# What is not as an adapter keeps it cannot be moved: it has no place to be moved to.
IN_ORDER = [case for case in OLD if "malformed" not in case.id]
PAIRS = [(case, api) for case in OLD for api in ENCODERS if api in case.expect["bodies"]]
ODD: list[Any] = [None, True, -1, 7, 2**60, 1.5, "", "x", [], ["x"], {}, {"type": 7}, {"id": []}]


def moved(message: Json) -> Json:
    """Return a message of v0.1 with its state in the parts."""
    opaque = message.get("meta", {}).get("opaque")
    if opaque is None:
        return message
    parts: list[Json] = copy.deepcopy(message["parts"])
    kept, ids = opaque.get("parts", {}), opaque.get("toolCallIds", {})
    if str(len(parts)) in kept:
        parts.append({"kind": "text", "payload": {"text": ""}})
    for number, part in enumerate(parts):
        data: Json = {"items": kept.get(str(number), [])}
        if part["kind"] == "tool_call" and part["payload"]["toolCallId"] in ids:
            data["toolCallId"] = ids[part["payload"]["toolCallId"]]
        if part["kind"] in ("text", "thinking", "tool_call"):
            part["payload"]["opaque"] = {"provider": opaque["dialect"], "data": data}
    meta = {name: value for name, value in message["meta"].items() if name != "opaque"}
    return {**message, "parts": parts, "meta": meta}


@pytest.mark.parametrize(
    ("case", "dialect"),
    [pair for pair in PAIRS if pair[0] in IN_ORDER],
    ids=[f"{c.id}/{d}" for c, d in PAIRS if c in IN_ORDER],
)
def test_state_in_the_parts_says_what_it_said_before(case: Case, dialect: str) -> None:
    given = case.value("input")
    messages = [moved(each) for each in given["messages"]]
    encoded = encode(dialect, {**given, "messages": messages})
    body, findings = due(case, dialect)
    assert messages != given["messages"]
    assert encoded.body == body
    assert {each.rule for each in encoded.findings} == {rule for rule, _ in findings}


@pytest.mark.parametrize(("case", "dialect"), PAIRS, ids=[f"{c.id}/{d}" for c, d in PAIRS])
def test_migrated_messages_say_what_they_said_before(case: Case, dialect: str) -> None:
    given = case.value("input")
    messages = [migrate(m, "v0.2", "message.Message", "v0.1").value for m in given["messages"]]
    encoded = encode(dialect, {**given, "messages": messages})
    body, findings = due(case, dialect)
    assert encoded.body == body
    assert {each.rule for each in encoded.findings} == {rule for rule, _ in findings}


@pytest.mark.parametrize("case", OLD, ids=lambda case: case.id)
@pytest.mark.parametrize("dialect", ENCODERS)
def test_structs_of_the_older_version_are_read(case: Case, dialect: str) -> None:
    given = case.value("input")
    old = [read(each, "message.Message", "tolerant", version="v0.1") for each in given["messages"]]
    encoded, again = encode(dialect, given), encode(dialect, {**given, "messages": old})
    assert again.body == encoded.body
    assert places(again.findings) == places(encoded.findings)


STREAMS = [
    (dialect, name, texts)
    for dialect in ENCODERS
    for name, texts in provider_texts(dialect).items()
]


@pytest.mark.parametrize(
    ("dialect", "name", "texts"), STREAMS, ids=[f"{dialect}/{name}" for dialect, name, _ in STREAMS]
)
def test_an_answer_goes_back_the_same_from_a_store_of_the_older_version(
    dialect: str, name: str, texts: list[str]
) -> None:
    stored = answer(dialect, texts, version="v0.2")
    old = downgrade(stored, "v0.1").value
    assert type(old) is not type(stored), name
    body = sent_back(dialect, stored).body
    assert sent_back(dialect, old).body == body
    assert sent_back(dialect, migrate(old).value).body == body


def variants(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, each with an odd value in another place."""
    members = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, member in members:
        for odd in ODD:
            yield _with(value, key, odd)
        if isinstance(member, (dict, list)):
            for each in variants(member):
                yield _with(value, key, each)


def _with(value: Any, key: Any, member: Any) -> Any:
    made = value.copy()
    made[key] = copy.deepcopy(member)
    return made


@pytest.mark.parametrize("case", NEW, ids=lambda case: case.id)
def test_no_state_breaks_a_request(case: Case) -> None:
    """Whatever is in ``data``: a body that is JSON, and findings of the table."""
    given = case.value("input")
    tried = 0
    for number, message in enumerate(given["messages"]):
        for place, part in enumerate(message["parts"]):
            opaque = part["payload"].get("opaque")
            if not isinstance(opaque, dict) or opaque["provider"] not in ENCODERS:
                continue
            for data in variants(opaque["data"]):
                tried += 1
                changed = copy.deepcopy(given)
                changed["messages"][number]["parts"][place]["payload"]["opaque"]["data"] = data
                encoded = encode(opaque["provider"], changed)
                json.dumps(encoded.body, allow_nan=False)
                assert {each.rule for each in encoded.findings} <= SEVERITIES.keys()
    assert tried or case.id == "state-of-others"


@pytest.mark.parametrize("dialect", ENCODERS)
def test_no_opaque_of_a_part_raises_more_than_the_contract_does(dialect: str) -> None:
    message: Json = {"runId": "r", "role": "assistant", "timestamp": "2026-01-02T03:04:05Z"}
    for odd in [*ODD, {"provider": dialect}, {"provider": 7, "data": {}}, {"data": {}}]:
        part = {"kind": "text", "payload": {"text": "x", "opaque": odd}}
        given = {"messages": [{**message, "parts": [part]}], "config": {"modelId": "m"}}
        if odd is None:  # tolerantly, null is absent
            assert next(each.rule for each in encode(dialect, given).findings).startswith("read/")
            continue
        with pytest.raises(PartwireError) as caught:
            encode(dialect, given)
        assert caught.value.findings[0].pointer.startswith("/messages/0/parts/0/payload/opaque")
