"""The AsyncAPI document: what it says of the queue messages, and what the official parser reads.

The parser is a package of Node's, pinned in ``tests/asyncapi`` and installed into ``.cache`` when
it is first needed. Without Node its tests are skipped, and say so; with CI set nothing is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from jsonschema import Draft7Validator
from msgspec.structs import replace

from partwire.envelope import MESSAGE_TYPES, check_reply
from partwire.errors import UsageError
from partwire.reading import read, validate
from partwire.resources import LATEST_VERSION, bundle, interface
from tests.cli_runner import run
from tests.fixture_cases import documents

ROOT = Path(__file__).resolve().parent.parent
PARSER = ROOT / "tests" / "asyncapi"
FILE = ROOT / "python" / "partwire" / "interfaces" / "asyncapi.json"

Json = dict[str, Any]

NAMES: Final = tuple(each.removeprefix("envelope.") for each in MESSAGE_TYPES)

# Who sends what to whom: requirements S004-10, S004-13 to S004-24, in their order.
DIRECTIONS: Final = {
    "TaskEvent": ("event-queue", ("agent",)),
    "GetContextRequest": ("agent", ("context-service",)),
    "PromptBlocksResponse": ("context-service", ("agent",)),
    "ToolCallRequest": ("agent", ("tool",)),
    "ToolCallResponse": ("tool", ("agent",)),
    "ReportResultRequest": ("agent", ("context-service",)),
    "EvaluationRequest": ("context-service", ("review-model",)),
    "EvaluationResponse": ("review-model", ("result-store", "event-queue")),
    "RetryEvent": ("review-model", ("event-queue",)),
}
REPLIES: Final = {
    "GetContextRequest": "PromptBlocksResponse",
    "ToolCallRequest": "ToolCallResponse",
}


@pytest.fixture(scope="module")
def document() -> Json:
    return interface("asyncapi")


# --- what the document says -----------------------------------------------------------------------


def test_every_message_has_one_channel(document: Json) -> None:
    named = [name for each in document["channels"].values() for name in each["messages"]]
    assert sorted(named) == sorted(NAMES)
    addresses = [each["address"] for each in document["channels"].values()]
    assert max(Counter(addresses).values()) == 1
    assert all(re.fullmatch(r"partwire\.[a-z]+(?:-[a-z]+)*", each) for each in addresses)


def directions_of(operations: list[Json]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return message → (who sends it, who receives it), from operations of one message each."""
    found = {}
    for name in NAMES:
        mine = [each for each in operations if each["messages"] == [name]]
        sends = [each["roles"] for each in mine if each["action"] == "send"]
        receives = [each["roles"] for each in mine if each["action"] == "receive"]
        assert len(sends) == 1
        assert len(sends) + len(receives) == len(mine)
        found[name] = (*sends[0], tuple(role for roles in receives for role in roles))
    return found


def sorted_receivers(
    directions: dict[str, tuple[str, tuple[str, ...]]],
) -> dict[str, tuple[str, list[str]]]:
    return {name: (sender, sorted(others)) for name, (sender, others) in directions.items()}


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
    """Return the schema of a payload as a document of its own, as a tool takes it out."""
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


# --- the official parser --------------------------------------------------------------------------


def need_node() -> None:
    """Skip where Node or npm is missing; fail where nothing may be skipped."""
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    if missing:
        reason = f"AsyncAPI's own parser is left out: no {', no '.join(missing)} on this machine"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def installed(package: Path = PARSER, cache: Path = ROOT / ".cache") -> Path:
    """Return the folder with the parser in it; installed where the lock has not been before."""
    lock = (package / "package-lock.json").read_bytes()
    folder = cache / f"asyncapi-{hashlib.sha256(lock).hexdigest()[:12]}"
    if not (folder / "installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(package / name, folder)
        # No scripts: one of the packages would report its installation to its author.
        done = subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        (folder / "installed").touch()
    shutil.copy(package / "parse.mjs", folder)
    return folder


def misspelt_type(document: Json) -> None:
    document["components"]["schemas"]["envelope.TaskEvent"]["type"] = "objekt"


def message_of_another_channel(document: Json) -> None:
    operation = document["operations"]["agentReceivesTaskEvent"]
    operation["messages"] = [{"$ref": "#/channels/retries/messages/RetryEvent"}]


def no_action(document: Json) -> None:
    del document["operations"]["agentReceivesTaskEvent"]["action"]


def channel_that_is_not_there(document: Json) -> None:
    document["operations"]["agentReceivesTaskEvent"]["channel"]["$ref"] = "#/channels/nothing"


def correlation_without_place(document: Json) -> None:
    del document["components"]["correlationIds"]["task"]["location"]


def unknown_member(document: Json) -> None:
    document["components"]["messages"]["TaskEvent"]["direction"] = "agent"


SPOILT: Final[tuple[Callable[[Json], None], ...]] = (
    misspelt_type,
    message_of_another_channel,
    no_action,
    channel_that_is_not_there,
    correlation_without_place,
    unknown_member,
)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What the parser says of our document, and of each spoilt one, in one run of it."""
    need_node()
    folder = installed()
    files = [FILE]
    for spoil in SPOILT:
        document = deepcopy(interface("asyncapi"))
        spoil(document)
        files.append(tmp_path_factory.mktemp("spoilt") / f"{spoil.__name__}.json")
        files[-1].write_text(json.dumps(document), "utf-8")
    done = subprocess.run(
        ["node", "parse.mjs", *map(str, files)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    results: list[Json] = json.loads(done.stdout)
    assert len(results) == len(files)
    return results


@pytest.mark.xdist_group("asyncapi")
def test_the_parser_takes_the_document(parsed: list[Json]) -> None:
    """Beside a hint that 3.1.0 is out: every tool for AsyncAPI 3 reads 3.0.0."""
    assert [each["code"] for each in parsed[0]["diagnostics"]] == ["asyncapi-latest-version"]
    assert parsed[0]["operations"]


@pytest.mark.xdist_group("asyncapi")
def test_the_parser_reads_what_the_document_means(parsed: list[Json], document: Json) -> None:
    operations = parsed[0]["operations"]
    assert sorted_receivers(directions_of(operations)) == sorted_receivers(DIRECTIONS)
    addresses = {
        name: channel["address"]
        for channel in document["channels"].values()
        for name in channel["messages"]
    }
    for each in operations:
        (message,) = each["messages"]
        assert each["addresses"] == [addresses[message]], each["id"]
        replies = [REPLIES[message]] if message in REPLIES else []
        assert each["replies"] == replies, each["id"]
        assert each["replyAddresses"] == [addresses[name] for name in replies], each["id"]
    messages = {each["id"]: each for each in parsed[0]["messages"]}
    assert sorted(messages) == sorted(NAMES)
    for name, each in messages.items():
        assert each["messageType"] == name
        assert each["correlation"].removeprefix("$message.payload#/") in each["members"]
        assert len(each["examples"]) >= 2


@pytest.mark.xdist_group("asyncapi")
@pytest.mark.parametrize("number", range(len(SPOILT)), ids=[each.__name__ for each in SPOILT])
def test_the_parser_sees_what_is_wrong(parsed: list[Json], number: int) -> None:
    """Also within payloads: a parser that would not look there would take the first of these."""
    wrong = [each for each in parsed[1 + number]["diagnostics"] if each["severity"] == 0]
    assert wrong


def test_a_missing_node_is_said_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no node, no npm"):
        need_node()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no node, no npm"):
        need_node()


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((PARSER / "package-lock.json").read_bytes())
    assert lock["packages"][""]["dependencies"] == {"@asyncapi/parser": "3.6.3"}
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
