"""What is published to a registry, and how it is planned: the client's mock, a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from partwire.contract.current import FAMILIES, LATEST_VERSION
from partwire.contract.resources import read_rules
from partwire.contract.schemas import describe_types
from partwire.errors import UsageError
from partwire.registry import Registry, plan, publish, wanted_subjects
from tests.cli.runner import run
from tests.fixture_cases import ROOT, documents
from tests.registry.runs import closed, connected, listening, looser, mock, one, server
from tests.registry.server import LocalRegistry

__all__ = ["closed", "listening", "mock", "server"]

Json = dict[str, Any]
DRAFTS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
}
VALIDATORS: dict[str, Any] = {
    "2020-12": jsonschema_rs.Draft202012Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
}


# --- schemas and names ----------------------------------------------------------------------------


def test_all_public_types_are_published_where_none_is_named() -> None:
    wanted = wanted_subjects()
    public = [row.type for row in describe_types() if row.public]
    assert [each.type for each in wanted] == public
    assert [each.subject for each in wanted] == [f"partwire.{name}-value" for name in public]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


@pytest.mark.parametrize("version", list(FAMILIES))
@pytest.mark.parametrize("draft", ["2020-12", "draft-07"])
def test_a_schema_stands_alone_and_names_its_draft(draft: Any, version: str) -> None:
    for wanted in wanted_subjects(version=version, draft=draft):
        schema = wanted.schema
        assert json.loads(wanted.text) == schema
        assert list(schema)[:2] == ["$schema", "title"]
        assert (schema["$schema"], schema["title"]) == (DRAFTS[draft], wanted.type)
        keyword = "$defs" if draft == "2020-12" else "definitions"
        held = schema.get(keyword, {})
        found = {each.removeprefix(f"#/{keyword}/") for each in references(schema)}
        assert found == set(held), wanted.type
        assert '"$id"' not in wanted.text
        assert '"x-entrypoint"' not in wanted.text


@pytest.mark.parametrize("draft", ["2020-12", "draft-07"])
def test_published_schemas_have_the_verdicts_of_the_contract(draft: Any) -> None:
    wanted = {each.type: VALIDATORS[draft](each.schema) for each in wanted_subjects(draft=draft)}
    tried = [each for each in documents() if each.version != "v0.1" and each.type in wanted]
    wrong = [
        each.id
        for each in tried
        if wanted[each.type].is_valid(json.loads(each.data)) != each.valid_shape
    ]
    assert wrong == []
    assert len(tried) > 50


def test_families_and_single_types_can_be_chosen() -> None:
    names = [each.type for each in wanted_subjects(["envelope.*", "message.ToolCall"])]
    assert names[0] == "message.ToolCall"
    assert {name.partition(".")[0] for name in names[1:]} == {"envelope"}
    assert len(names) == len(set(names)) == 12
    assert [each.type for each in wanted_subjects(["message.TextPart"])] == ["message.TextPart"]


@pytest.mark.parametrize(
    ("subject_format", "subject"),
    [
        ("{type}", "message.ToolSpec"),
        ("{family}/{name}", "message/ToolSpec"),
        ("partwire.{major}.{type}-value", "partwire.v0.message.ToolSpec-value"),
        ("{version}:{name}", f"{LATEST_VERSION}:ToolSpec"),
        ("{{{name}}}", "{ToolSpec}"),
    ],
)
def test_subjects_are_named_as_asked(subject_format: str, subject: str) -> None:
    assert one(subject_format=subject_format).subject == subject


@pytest.mark.parametrize(
    ("types", "subject_format", "said"),
    [
        ([], "{name}", "Two types have one subject: message.Message and blocks.Message"),
        ([], "all", "Two types have one subject"),
        (["message.ToolSpec"], "", "No name for a subject"),
        (["message.ToolSpec"], "{name", "No format for subjects"),
        (["message.ToolSpec"], "{other}", "No such field"),
        (["message.ToolSpec"], "{}", "No such field"),
        (["message.ToolSpec"], "{0}", "No such field"),
        (["message.ToolSpec"], "{name.__class__}", "No such field"),
        (["message.ToolSpec"], "{name!r}", "No such field"),
        (["message.ToolSpec"], "{name:>400}", "No such field"),
        (["message.ToolSpec"], "{name}" + "x" * 300, "No name for a subject"),
        (["message.ToolSpec"], "{name}\n", "No name for a subject"),
    ],
)
def test_formats_that_name_nothing(types: list[str], subject_format: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        wanted_subjects(types, subject_format=subject_format)
    assert caught.value.rule == "usage/invalid-argument"
    assert caught.value.findings[0].message.startswith(said)


@pytest.mark.parametrize("name", ["message.Nope", "nope", "nope.*", "message.**x"])
def test_types_that_are_not_there(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        wanted_subjects([name])
    assert caught.value.rule == "usage/unknown-type"


def test_a_type_that_did_not_change_has_the_same_schema_in_all_versions() -> None:
    old = {each.type: each.text for each in wanted_subjects(version="v0.1")}
    new = {each.type: each.text for each in wanted_subjects()}
    assert old["message.ToolSpec"] == new["message.ToolSpec"]
    assert old["message.Message"] != new["message.Message"]


# --- the client's own mock ------------------------------------------------------------------------


def test_the_mock_takes_everything_once(mock: Registry) -> None:
    wanted = wanted_subjects(["envelope.*"])
    first = plan(mock, wanted)
    assert {each.action for each in first} == {"new"}
    outcome = publish(mock, first)
    assert (list(outcome.published), outcome.error) == ([each.subject for each in wanted], None)
    assert {each.version for each in outcome.published.values()} == {1}
    again = plan(mock, wanted, level="FULL")
    assert {(each.action, each.level, each.set_level) for each in again} == {("same", "FULL", None)}
    assert publish(mock, again).published == {}


def test_what_is_published_serves_the_clients_serialisers(mock: Registry) -> None:
    """A message written and read through the registry, as programs with Kafka do it."""
    wanted = one("envelope.TaskEvent", subject_format="tasks-value")
    publish(mock, plan(mock, [wanted]))
    client = mock._client
    document = next(
        json.loads(each.data)
        for each in documents()
        if each.type == "envelope.TaskEvent" and each.version == "v0.2" and each.valid
    )
    settings = {"auto.register.schemas": False, "use.latest.version": True}
    context = SerializationContext("tasks", MessageField.VALUE)
    # What makes their instances is hidden from checkers of types.
    serializer: Any = JSONSerializer
    deserializer: Any = JSONDeserializer
    write = serializer(wanted.text, client, conf=settings)
    data = write(document, context)
    assert data is not None
    assert data[:1] == b"\0"
    read = deserializer(wanted.text, schema_registry_client=client)
    assert read(data, context) == document
    with pytest.raises(Exception, match="max_attempts"):
        write({k: v for k, v in document.items() if k != "max_attempts"}, context)


def test_an_older_schema_is_not_the_newest_again(mock: Registry) -> None:
    old, new = one("message.Message", version="v0.1"), one("message.Message")
    for wanted in (old, new):
        publish(mock, plan(mock, [wanted]))
    (back,) = plan(mock, [old])
    assert (back.action, back.changes) == ("older", False)
    assert [each.rule for each in back.findings] == ["registry/older-version"]
    assert publish(mock, [back]).published == {}


# --- plans against a server -----------------------------------------------------------------------


def test_plan_writes_nothing_and_publish_writes_once(server: LocalRegistry) -> None:
    wanted = wanted_subjects(["message.*"], version="v0.1")
    registry = connected(server.url)
    plans = plan(registry, wanted, level="FULL")
    assert server.writes == []
    assert {(each.action, each.level, each.set_level) for each in plans} == {
        ("new", "FULL", "FULL")
    }
    outcome = publish(registry, plans)
    assert outcome.error is None
    assert set(outcome.published) == set(outcome.levels) == set(server.subjects)
    assert {server.levels[each] for each in server.subjects} == {"FULL"}
    assert server.latest("partwire.message.Message-value") == wanted[2].schema
    # The level comes first: it is what the registry checks the schema by.
    assert server.writes[:2] == [
        "PUT /config/partwire.message.UsageSummary-value",
        "POST /subjects/partwire.message.UsageSummary-value/versions",
    ]
    written = len(server.writes)
    fresh = connected(server.url)
    again = plan(fresh, wanted, level="FULL")
    assert {(each.action, each.changes) for each in again} == {("same", False)}
    publish(fresh, again)
    assert len(server.writes) == written


def test_a_new_version_is_compared_with_the_registered_one(server: LocalRegistry) -> None:
    old = wanted_subjects(["message.Message", "message.ToolSpec"], version="v0.1")
    publish(connected(server.url), plan(connected(server.url), old))
    new = wanted_subjects(["message.Message", "message.ToolSpec"])
    message, spec = plan(connected(server.url), new)
    assert (message.action, spec.action) == ("changed", "same")
    (compared,) = message.compared
    assert (compared.version, compared.report.old) == (
        1,
        "partwire.message.Message-value version 1",
    )
    assert [each.status for each in compared.report.verdicts] == ["compatible"]
    assert message.registry_accepts is True
    assert spec.registry_accepts is None


@pytest.mark.parametrize(
    ("level", "statuses"),
    [
        ("BACKWARD", ["breaking"]),
        ("FORWARD", ["compatible"]),
        ("FULL", ["breaking", "compatible"]),
        ("NONE", ["breaking"]),
    ],
)
def test_the_level_chooses_the_direction(
    server: LocalRegistry, level: Any, statuses: list[str]
) -> None:
    wanted = one()
    server.put(wanted.subject, looser(wanted))
    (planned,) = plan(connected(server.url), [wanted], level=level)
    (compared,) = planned.compared
    assert [each.status for each in compared.report.verdicts] == statuses
    server.level = level
    (left,) = plan(connected(server.url), [wanted])
    assert left.set_level is None
    assert [each.status for each in left.compared[0].report.verdicts] == statuses


def test_a_transitive_level_compares_with_every_version(server: LocalRegistry) -> None:
    wanted = one()
    server.put(wanted.subject, looser(wanted))
    server.put(wanted.subject, {**wanted.schema, "description": "Another one."})
    (last,) = plan(connected(server.url), [wanted], level="BACKWARD")
    (every,) = plan(connected(server.url), [wanted], level="BACKWARD_TRANSITIVE")
    assert [each.version for each in last.compared] == [2]
    assert [each.version for each in every.compared] == [1, 2]
    verdicts = [each.report.verdicts[0].status for each in every.compared]
    assert verdicts == ["breaking", "compatible"]


def test_a_level_of_the_subject_goes_before_the_common_one(server: LocalRegistry) -> None:
    wanted = one()
    server.levels[wanted.subject] = "FORWARD"
    (left,) = plan(connected(server.url), [wanted])
    assert (left.level, left.set_level) == ("FORWARD", None)
    (same,) = plan(connected(server.url), [wanted], level="FORWARD")
    assert (same.level, same.set_level) == ("FORWARD", None)
    (other,) = plan(connected(server.url), [wanted], level="FULL")
    assert (other.level, other.set_level) == ("FULL", "FULL")


def test_what_the_registry_itself_says_is_told(server: LocalRegistry) -> None:
    wanted = one()
    server.put(wanted.subject, looser(wanted))
    (planned,) = plan(connected(server.url), [wanted])
    assert planned.registry_accepts is False


OTHER = {"name": "other.json", "subject": "other", "version": 1}


@pytest.mark.parametrize(
    ("schema", "more", "said"),
    [
        ('"string"', {"schemaType": "AVRO"}, "kind AVRO"),
        ({"$ref": "other.json"}, {"references": [OTHER]}, "refers to other subjects"),
        ("{", {}, "no schema"),
        ({"type": 1}, {}, "no schema"),
        ({"$ref": "other.json"}, {}, "no schema"),
    ],
)
def test_schemas_of_others_are_nothing_to_compare_with(
    server: LocalRegistry, schema: Any, more: Json, said: str
) -> None:
    wanted = one()
    server.put(wanted.subject, schema, **more)
    (planned,) = plan(connected(server.url), [wanted])
    assert planned.action == "foreign"
    (finding,) = planned.findings
    assert finding.rule == "registry/foreign-schema"
    assert said in str(finding.actual)


def test_a_registered_schema_without_a_draft_is_draft_07(server: LocalRegistry) -> None:
    """There ``$ref`` hides what is beside it, so the old schema allows everything."""
    wanted = one("message.ToolChoice")
    old = {"$ref": "#/definitions/any", "const": "auto", "definitions": {"any": {}}}
    server.put(wanted.subject, old)
    (planned,) = plan(connected(server.url), [wanted])
    (verdict,) = planned.compared[0].report.verdicts
    assert verdict.status == "breaking"


def test_a_registry_that_tells_the_id_alone(server: LocalRegistry) -> None:
    server.tells_version = False
    registry = connected(server.url)
    outcome = publish(registry, plan(registry, [one()]))
    assert outcome.published[one().subject].version == 1


# --- the server itself ----------------------------------------------------------------------------


def test_the_server_answers_the_official_client_as_registries_do(server: LocalRegistry) -> None:
    with SchemaRegistryClient({"url": server.url}) as client:
        use(client)


def use(client: Any) -> None:
    schema = Schema('{"type": "object"}', "JSON")
    assert client.get_subjects() == []
    first = client.register_schema("a-b", schema)
    assert client.register_schema("a-b", schema) == first
    assert client.get_versions("a-b") == [1]
    assert client.get_compatibility() == "BACKWARD"
    client.set_compatibility("a-b", "full")
    assert client.get_compatibility("a-b") == "FULL"
    stricter = Schema('{"required": ["a"]}', "JSON")
    assert client.test_compatibility("a-b", stricter) is False
    with pytest.raises(Exception, match="HTTP status code 409"):
        client.register_schema("a-b", stricter)


def test_the_page_is_true() -> None:
    page = (ROOT / "docs" / "publish.md").read_text("utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    exec(code, {})
    rules = {rule for rule in read_rules() if rule.startswith("registry/")}
    assert {rule for rule in rules if f"| `{rule}` |" in page} == rules
    help_text = run("publish", "--help").stdout
    for name in ("USER", "PASSWORD", "TOKEN", "CA_FILE"):
        assert f"`PARTWIRE_REGISTRY_{name}`" in page
        assert f"PARTWIRE_REGISTRY_{name}" in help_text
