"""What the AsyncAPI document says of the queue messages."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from jsonschema import Draft7Validator
from msgspec.structs import replace

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle, interface
from partwire.envelope import check_reply
from partwire.errors import UsageError
from partwire.reading.pipeline import read, validate
from tests.cli.runner import run
from tests.envelope.queue_directions import (
    DIRECTIONS,
    NAMES,
    REPLIES,
    Json,
    directions_of,
    document,
    sorted_receivers,
)
from tests.fixture_cases import documents

__all__ = ["document"]

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "python" / "partwire" / "interfaces" / "asyncapi.json"

# --- what the document says -----------------------------------------------------------------------


def test_every_message_has_one_channel(document: Json) -> None:
    named = [name for each in document["channels"].values() for name in each["messages"]]
    assert sorted(named) == sorted(NAMES)
    addresses = [each["address"] for each in document["channels"].values()]
    assert max(Counter(addresses).values()) == 1
    assert all(re.fullmatch(r"partwire\.[a-z]+(?:-[a-z]+)*", each) for each in addresses)


def last(reference: Json) -> str:
    return str(reference["$ref"].rpartition("/")[2])


def operations_in(document: Json) -> list[Json]:
    return [
        {
            "action": each["action"],
            "roles": [last(tag) for tag in each["tags"]],
            "messages": [last(message) for message in each["messages"]],
        }
        for each in document["operations"].values()
    ]


def test_every_message_is_sent_once_and_received_by_whom_the_contract_says(document: Json) -> None:
    operations = operations_in(document)
    assert len(operations) == sum(1 + len(others) for _, others in DIRECTIONS.values())
    assert sorted_receivers(directions_of(operations)) == sorted_receivers(DIRECTIONS)


def test_the_directions_are_those_of_the_schemas_own_words() -> None:
    """The schemas say it in a sentence: ``From the agent to the context service.``"""
    definitions = bundle("envelope")["$defs"]
    for name, (sender, others) in DIRECTIONS.items():
        said = re.search(r"From (?:the |a )?(.+?) to (.+?)\.", definitions[name]["description"])
        assert said is not None, name
        receivers = re.sub(r"\b(?:the|a) ", "", said[2]).split(" and ")
        words = [said[1], *receivers]
        assert [word.replace(" ", "-") for word in words] == [sender, *others], name


def test_operations_are_named_by_role_action_and_message(document: Json) -> None:
    for key, operation in document["operations"].items():
        role, message = last(operation["tags"][0]), last(operation["messages"][0])
        words = role.split("-")
        camel = words[0] + "".join(word.title() for word in words[1:])
        assert key == f"{camel}{operation['action'].title()}s{message}"
        assert operation["title"].endswith(f": {operation['action']} {message}")
        channel = document["channels"][last(operation["channel"])]
        assert message in channel["messages"]


def test_both_ends_of_a_request_know_its_answer(document: Json) -> None:
    for key, operation in document["operations"].items():
        message = last(operation["messages"][0])
        if message not in REPLIES:
            assert "reply" not in operation, key
            continue
        answers = [last(each) for each in operation["reply"]["messages"]]
        assert answers == [REPLIES[message]]
        channel = document["channels"][last(operation["reply"]["channel"])]
        assert REPLIES[message] in channel["messages"]


def test_an_answer_is_told_by_what_its_request_has_too(document: Json) -> None:
    components = document["components"]
    schemas = components["schemas"]
    for name in NAMES:
        message = components["messages"][name]
        where = components["correlationIds"][last(message["correlationId"])]["location"]
        member = where.removeprefix("$message.payload#/")
        assert member in schemas[f"envelope.{name}"]["properties"], name
        if name in REPLIES:
            answer = components["messages"][REPLIES[name]]
            assert answer["correlationId"] == message["correlationId"], name


def test_pairs_that_the_document_has_are_replies_to_us(document: Json) -> None:
    messages = document["components"]["messages"]
    for name, reply in REPLIES.items():
        first, second = (
            read(messages[each]["examples"][-1]["payload"], f"envelope.{each}")
            for each in (name, reply)
        )
        second = replace(second, message_id="00000000-0000-4000-8000-000000000000")
        rules = {finding.rule for finding in check_reply(first, second)}
        assert rules <= {"envelope/trace-mismatch"}, name


def test_a_payload_says_which_message_it_is(document: Json) -> None:
    for name in NAMES:
        message = document["components"]["messages"][name]
        assert (message["name"], message["title"]) == (name, name)
        assert last(message["payload"]) == f"envelope.{name}"
        assert "schemaFormat" not in message
        schema = document["components"]["schemas"][f"envelope.{name}"]
        assert schema["properties"]["message_type"]["const"] == name


def test_examples_are_valid_and_there(document: Json) -> None:
    for name in NAMES:
        examples = document["components"]["messages"][name]["examples"]
        assert len(examples) >= 2
        assert any(each["payload"].get("message_type") == name for each in examples)
        for each in examples:
            assert validate(each["payload"], f"envelope.{name}") == [], name


def payload_schema(document: Json, name: str) -> Json:
    """Return the schema of a payload as its own document, as a tool takes it out."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": f"#/components/schemas/envelope.{name}",
        "components": {"schemas": document["components"]["schemas"]},
    }


OTHERS: Final[tuple[Any, ...]] = (None, 7, -1, "", "x", [], {}, True)


def spoilt(value: Any) -> Iterator[Any]:
    """Documents that lack a member, or have something else there."""
    for name in value if isinstance(value, dict) else ():
        yield {key: inner for key, inner in value.items() if key != name}
        for other in OTHERS:
            yield {**value, name: other}


@pytest.mark.parametrize("name", NAMES)
def test_payloads_have_the_verdicts_of_the_contract(document: Json, name: str) -> None:
    """Draft-07 here, 2020-12 in the contract: on every fixture of the type, and on what becomes of
    it where a member is spoilt, they agree.
    """
    schema = payload_schema(document, name)
    Draft7Validator.check_schema(schema)
    slow, fast = Draft7Validator(schema), jsonschema_rs.Draft7Validator(schema)
    ours = jsonschema_rs.Draft202012Validator({**bundle("envelope"), "$ref": f"#/$defs/{name}"})
    mine = [each for each in documents() if each.type == f"envelope.{name}"]
    verdicts: Counter[bool] = Counter()
    for each in mine:
        for value in (json.loads(each.data), *spoilt(json.loads(each.data))):
            expected = ours.is_valid(value)
            assert (slow.is_valid(value), fast.is_valid(value)) == (expected, expected), value
            verdicts[expected] += 1
    assert verdicts[True] >= 4
    assert verdicts[False] >= 4


def test_nothing_in_it_leads_outside(document: Json) -> None:
    text = FILE.read_text("utf-8")
    references = set(re.findall(r'"\$ref": "([^"]*)"', text))
    assert references
    for reference in references:
        found: Any = document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
    assert '"$id"' not in text
    assert document["info"]["version"] == LATEST_VERSION


def test_the_command_line_prints_it(document: Json) -> None:
    assert json.loads(run("schema", "interface", "asyncapi").stdout) == document
    refused = run("schema", "interface", "nope")
    assert (refused.exit_code, "usage/invalid-argument" in refused.stderr) == (2, True)


def test_an_interface_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        interface("asyncapi2")
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert "asyncapi" in str(finding.expected)
