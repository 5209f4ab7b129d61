"""Migration: every case, and that the cases show every loss."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from partwire import PartwireError, validate
from partwire.contract.schemas import standalone_schema
from partwire.convert import (
    MIGRATION_LOSSES,
    VERSIONS,
    DeltaDowngrade,
    Migrated,
    load,
    migrate,
    migrate_record,
    negotiate,
    store,
)
from partwire.reading.pipeline import read, to_wire
from tests.fixture_cases import ROOT, SCHEMAS, Case, cases

Json = dict[str, Any]
ALL = cases("migrations")


def ids(case: Case) -> str:
    return f"{case.spec['version']}/{case.id}"


def named(call: str) -> pytest.MarkDecorator:
    """Return the cases of a call that have a result."""
    found = [case for case in ALL if case.spec["call"] == call and case.result]
    return pytest.mark.parametrize("case", found, ids=ids)


def known(version: str) -> tuple[str, ...]:
    return VERSIONS[: VERSIONS.index(version) + 1]


def run(case: Case) -> Migrated | str:
    """Do what a case asks for."""
    spec = case.spec
    if spec["call"] == "negotiate":
        return negotiate(spec["offers"], spec.get("supported", known(spec["version"])))
    if spec["call"] == "deltas":
        older = DeltaDowngrade(spec["to"])
        made = [each for line in case.lines("deltas") for each in older.feed(json.loads(line))]
        assert not older.left_out
        return Migrated(made, older.losses, spec["to"])
    strict = spec.get("strict", False)
    given = case.value("input")
    if spec["call"] == "record":
        made_record = migrate_record(given, spec["to"], strict=strict)
        return made_record._replace(value=json.loads(json.dumps(wire(made_record.value))))
    return migrate(given, spec["to"], spec["type"], spec["from"], strict=strict)


def wire(record: Any) -> Json:
    return {name: getattr(record, name) for name in ("contract", "version", "type", "data")}


def outcome(case: Case) -> Any:
    try:
        result = run(case)
    except PartwireError as error:
        first = error.findings[0]
        return {"error": {"rule": first.rule, "pointer": first.pointer}}
    if isinstance(result, str):
        return {"version": result}
    losses = [(loss.pointer, loss.code, loss.severity) for loss in result.losses]
    return {"value": result.value, "losses": sorted(losses)}


@pytest.mark.parametrize("case", ALL, ids=ids)
def test_cases(case: Case) -> None:
    expected = case.expect
    if case.result:
        value = expected[case.result]
        losses = case.spec.get("losses", ())
        expected = {
            "value": value,
            "losses": sorted((each["pointer"], each["code"], each["severity"]) for each in losses),
        }
    assert outcome(case) == expected


@named("migrate")
def test_results_are_valid(case: Case) -> None:
    to = case.spec["to"]
    assert not [
        f for f in validate(case.value("value"), case.spec["type"], to) if f.severity == "error"
    ]
    schema = standalone_schema(case.spec["type"], to)
    Draft202012Validator(schema).validate(case.value("value"))


@named("migrate")
def test_what_goes_up_comes_down_the_same(case: Case) -> None:
    old, new = case.spec["from"], case.spec["to"]
    if VERSIONS.index(new) <= VERSIONS.index(old):
        return
    back = migrate(case.value("value"), old, case.spec["type"], new).value
    gone = {each["pointer"] for each in case.spec.get("losses", ())}
    if gone:
        assert back == migrate(back, old, case.spec["type"], old).value
    else:
        assert back == case.value("input")


@named("migrate")
def test_text_and_structs_migrate_as_values(case: Case) -> None:
    spec, expected = case.spec, case.value("value")
    text = migrate(case.data("input"), spec["to"], spec["type"], spec["from"])
    assert json.loads(text.value) == expected
    given = read(case.value("input"), spec["type"], "strict", spec["from"])
    if isinstance(given, dict):  # an extensible type, which does not say what it is
        return
    struct = migrate(given, spec["to"])
    module = f"partwire.{spec['to'].replace('.', '_')}.structs."
    assert type(struct.value).__module__.startswith(module)
    assert to_wire(struct.value) == expected


@named("deltas")
def test_streams_of_structs_go_down_as_values(case: Case) -> None:
    older = DeltaDowngrade(case.spec["to"])
    deltas = [read(line, "message.MessageDelta") for line in case.lines("deltas")]
    made = [each for delta in deltas for each in older.feed(delta)]
    assert [to_wire(each) for each in made] == case.expect["deltas"]
    assert len(older.losses) == len(case.spec.get("losses", ()))


@named("record")
def test_records_are_what_their_schema_says(case: Case) -> None:
    schema = json.loads((SCHEMAS / "stored-record.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema)
    check.validate(case.value("value"))
    check.validate(case.value("input"))
    for example in schema["examples"]:
        check.validate(example)
        assert store(load(example)) == json.dumps(example, separators=(",", ":")).encode()


def test_the_schema_of_records_refuses_what_reading_refuses() -> None:
    check = Draft202012Validator(json.loads((SCHEMAS / "stored-record.schema.json").read_bytes()))
    refused = [
        case.id
        for case in ALL
        if case.spec["call"] == "record"
        and not case.result
        and not check.is_valid(case.value("input"))
    ]
    assert refused == [
        "record-of-another-contract",
        "record-with-another-member",
        "record-without-type",
    ]


def test_every_loss_has_a_case() -> None:
    shown = {
        (each["code"], each["severity"]) for case in ALL for each in case.spec.get("losses", ())
    }
    assert shown == {(code, severity) for code, (severity, _) in MIGRATION_LOSSES.items()}


def test_the_documents_table_of_losses_is_this_one() -> None:
    text = (ROOT / "docs" / "migrate.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+) \|$", text, re.MULTILINE)
    assert rows == [(code, *row) for code, row in MIGRATION_LOSSES.items()]
