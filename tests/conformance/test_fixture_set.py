"""What the fixtures have to be among themselves: well-formed, complete, and every rule hit."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from partwire.conformance.suites import all_cases
from partwire.contract.resources import LATEST_VERSION, read_catalog, read_rules
from partwire.providers.requests import ENCODERS
from tests.fixture_cases import FIXTURES, ROOT, Case, case_files, cases, documents
from tests.house.rule_coverage import HITS

Json = dict[str, Any]

# Types that every program meets: more of their edges are shown.
CENTRAL = {
    "message.Message",
    "message.MessageDelta",
    "session.WithParts",
    "session.ToolState",
    "blocks.StreamChunk",
}

SUITE_SCHEMAS = {
    "documents": "DocumentCases",
    "documents-raw": "RawDocumentCase",
    "reading": "ReadingCase",
    "streams": "StreamCase",
    "providers": "ProviderCase",
    "requests": "RequestCase",
    "histories": "HistoryCase",
    "transitions": "TransitionCase",
    "session-builds": "SessionBuildCase",
    "bridges": "BridgeCase",
    "chunks": "ChunkCase",
    "envelopes": "EnvelopeCase",
    "cloudevents": "CloudEventCase",
    "migrations": "MigrationCase",
    "compat": "CompatCase",
}

# What stands beside case.json whatever comes out; streams and providers have deltas.
OWN_FILES = {
    "documents-raw": ("input.json",),
    "reading": ("input.json",),
    "histories": ("messages.jsonl",),
    "transitions": (),
    "session-builds": (),
    "bridges": ("from.json",),
    "chunks": (),
    "envelopes": (),
    "cloudevents": (),
    "migrations": (),
    "compat": ("old.json", "new.json", "witness.json"),
}


@pytest.fixture(scope="module")
def case_schema() -> Json:
    schema: Json = json.loads((FIXTURES / "case.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    return schema


@pytest.mark.parametrize("suite", SUITE_SCHEMAS)
def test_cases_are_what_the_schema_says(suite: str, case_schema: Json) -> None:
    whole = Draft202012Validator(case_schema)
    # The definition itself says what is wrong; the union over all suites only that something is.
    part = Draft202012Validator(
        {"$ref": f"#/$defs/{SUITE_SCHEMAS[suite]}", "$defs": case_schema["$defs"]}
    )
    wrong = [
        f"{path.relative_to(FIXTURES)}: {error.json_path}: {error.message}"
        for path, spec in case_files()
        if spec["suite"] == suite
        for error in (*part.iter_errors(spec), *whole.iter_errors(spec))
    ]
    assert wrong == []


@pytest.mark.parametrize("case", cases("requests"), ids=lambda case: case.id)
def test_request_files_are_what_the_schema_says(case: Case, case_schema: Json) -> None:
    def errors(definition: str, file: str) -> list[str]:
        part = {"$ref": f"#/$defs/{definition}", "$defs": case_schema["$defs"]}
        found = Draft202012Validator(part).iter_errors(case.value(file))
        return [f"{file}: {error.json_path}: {error.message}" for error in found]

    wrong = errors("RequestInput", "input.json")
    for file in bodies_of(case.path, case.spec):
        wrong += errors("RequestBody", file)
    assert wrong == []


def purposes() -> Counter[str]:
    singles = [spec["purpose"] for _, spec in case_files() if "purpose" in spec]
    return Counter([*singles, *(document.spec["purpose"] for document in documents())])


def test_purposes_are_unique() -> None:
    assert [purpose for purpose, count in purposes().items() if count > 1] == []


def test_cases_stand_where_they_say() -> None:
    wrong = []
    for path, spec in case_files():
        parts = path.parent.relative_to(FIXTURES).parts
        # What a comparison of schemas finds is the same in every version of the contract.
        version, suite, *folders = parts if "version" in spec else ("", *parts)
        named = spec["type"].split(".") if suite == "documents" else [spec["name"]]
        if suite == "providers":
            named.insert(0, spec["api"])
        if (version, suite, folders) != (spec.get("version", ""), spec["suite"], named):
            wrong.append(path.as_posix())
    assert wrong == []


def bodies_of(folder: Path, spec: Json) -> set[str]:
    """Return the files of a request's dialects: those that exist, or one at least."""
    if "expect" in spec:
        return set()
    there = {f"{dialect}.json" for dialect in ENCODERS if (folder / f"{dialect}.json").exists()}
    return there or {"<dialect>.json"}


def files_of(path: Path, spec: Json) -> set[str]:
    """Return the files that a case.json or cases.json speaks of, itself included."""
    if spec["suite"] == "documents":
        return {"cases.json", *(each["file"] for each in spec["cases"])}
    if spec["suite"] == "requests":
        return {"case.json", "input.json", *bodies_of(path.parent, spec)}
    expect = spec["expect"]
    files = {"case.json", *OWN_FILES.get(spec["suite"], ("deltas.jsonl",))}
    beside = ("input", "reply", "snapshots", "progress", "http", "kafka")
    files |= {spec[name] for name in beside if name in spec}
    files |= {spec.get("repair", {}).get("messages", "case.json")}
    files |= {spec["collected"]} if isinstance(spec.get("collected"), str) else set()
    if isinstance(expect, str):
        return files | {expect}
    files |= {expect["partial"]} if "partial" in expect else set()
    resumed = expect.get("resumed", {})
    return files | {resumed[name] for name in ("message", *beside) if name in resumed}


def test_every_file_is_spoken_of() -> None:
    named = {path.parent / name for path, spec in case_files() for name in files_of(path, spec)}
    there = {path for path in FIXTURES.rglob("*") if path.is_file()}
    released = [name for name, row in read_catalog().items() if row["status"] == "released"]
    others = {"README.md", "case.schema.json", *(f"{name}.sha256" for name in released)}
    others |= {f"{name}/suite.json" for name in list(read_catalog())[1:]}
    assert there - named == {FIXTURES / name for name in others}
    assert named - there == set()


@pytest.mark.parametrize("version", list(read_catalog())[1:])
def test_a_version_inherits_what_it_does_not_except(version: str, case_schema: Json) -> None:
    spec = json.loads((FIXTURES / version / "suite.json").read_bytes())
    part = {"$ref": "#/$defs/Inheritance", "$defs": case_schema["$defs"]}
    assert [error.message for error in Draft202012Validator(part).iter_errors(spec)] == []
    older = all_cases(spec["inherits"])
    suites = {f"{case.suite}/*" for case in older}
    assert sorted(spec["except"]) == list(spec["except"])
    assert set(spec["except"]) <= {case.key for case in older} | suites
    gone = {case.key for case in older if {case.key, f"{case.suite}/*"} & set(spec["except"])}
    mine = all_cases(version)
    own = {case.key for case in mine if (FIXTURES / version) in case.path.parents}
    assert {case.key for case in older} - {case.key for case in mine} == gone - own


def entrypoints() -> dict[str, Json]:
    found = {}
    for path in (ROOT / "schemas" / LATEST_VERSION).rglob("*.schema.json"):
        definitions = json.loads(path.read_bytes())["$defs"]
        for name, schema in definitions.items():
            if schema.get("x-entrypoint"):
                found[f"{path.parent.name}.{name}"] = schema
    return found


@pytest.mark.parametrize("name", sorted(entrypoints()))
def test_every_public_type_has_documents(name: str) -> None:
    mine = [document for document in documents() if document.type == name]
    valid = [document for document in mine if document.valid]
    reasons = {document.findings[0] for document in mine if not document.valid}
    central = name in CENTRAL or "message_id" in entrypoints()[name].get("required", ())
    assert len(valid) >= (4 if central else 1)
    assert len(reasons) >= (6 if central else 2)


def test_documents_are_of_public_types() -> None:
    assert {document.type for document in documents()} == set(entrypoints())


def test_streams_are_many_and_half_of_them_refusals() -> None:
    streams = cases("streams")
    refused = [case for case in streams if not isinstance(case.expect, str)]
    assert len(streams) >= 60
    assert len(refused) * 2 >= len(streams)


def test_the_documents_example_is_there_verbatim() -> None:
    path = FIXTURES / "v0.1/documents/envelope/TaskEvent/valid/document-example.json"
    assert json.loads(path.read_bytes()) == {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": "v0.1",
        "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "payload": {"agent_id": "sop agent"},
        "retry_count": 0,
        "max_attempts": 3,
    }


# --- rules --------------------------------------------------------------------------------------


def rules_in(value: Any) -> set[str]:
    """Return every value of a member ``rule`` in a case."""
    if isinstance(value, dict):
        mine = {value["rule"]} if isinstance(value.get("rule"), str) else set()
        return mine.union(*map(rules_in, value.values()))
    return set().union(*map(rules_in, value)) if isinstance(value, list) else set()


def fixture_rules() -> set[str]:
    bodies = [
        case.value(file)["findings"]
        for case in cases("requests")
        for file in bodies_of(case.path, case.spec)
    ]
    return rules_in(bodies).union(*(rules_in(spec) for _, spec in case_files()))


def known_rules() -> set[str]:
    return set(read_rules())


def shown_rules() -> set[str]:
    """Return the rules about calls that an example shows; house/test_rules.py runs all of them.

    What an operation of the conformance protocol shows is for a fixture to show: all languages
    run those.
    """
    examples = {rule: row["examples"].get("bad", ()) for rule, row in read_rules().items()}
    return {rule for rule, bad in examples.items() if bad and "operation" not in bad}


def test_every_rule_is_hit() -> None:
    assert known_rules() - fixture_rules() - set(HITS) - shown_rules() == set()


def test_fixtures_name_known_rules_only() -> None:
    assert fixture_rules() - known_rules() == set()


def test_other_hits_are_needed() -> None:
    assert set(HITS) & fixture_rules() == set()
    assert set(HITS) - known_rules() == set()


@pytest.mark.parametrize("rule", HITS)
def test_rule_is_hit_by_a_call(rule: str) -> None:
    assert rule in HITS[rule]()
