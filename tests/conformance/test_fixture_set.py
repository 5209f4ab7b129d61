"""What the fixtures have to be among themselves: well-formed, complete, and every rule hit."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_catalog, read_rules
from partwire.providers.requests import ENCODERS
from partwire_testing.conformance import judge, run_operation, runs_of
from partwire_testing.conformance.suites import Case as SuiteCase
from partwire_testing.conformance.suites import all_cases
from tests.fixture_cases import FIXTURES, ROOT, Case, cases, documents
from tests.fixture_cases import all_cases as written
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
    "documents-raw": "RawDocumentCases",
    "reading": "ReadingCases",
    "streams": "StreamCases",
    "providers": "ProviderCases",
    "requests": "RequestCases",
    "histories": "HistoryCases",
    "transitions": "TransitionCases",
    "session-builds": "SessionBuildCases",
    "bridges": "BridgeCases",
    "chunks": "ChunkCases",
    "envelopes": "EnvelopeCases",
    "cloudevents": "CloudEventCases",
    "migrations": "MigrationCases",
    "compat": "CompatCases",
    "formats": "FormatCases",
}
# Files whose cases are not those of their suite.
SCHEMAS: dict[str, str] = {
    "formats/signs.json": "SignCases",
    "formats/signs-shown.json": "SignCases",
}


@cache
def files() -> dict[str, bytes]:
    """Return every file of the fixtures, those in archives too, by its path."""
    found: dict[str, bytes] = {}
    for path in sorted(path for path in FIXTURES.rglob("*") if path.is_file()):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                found |= {name: archive.read(name) for name in archive.namelist()}
        else:
            found[path.relative_to(FIXTURES).as_posix()] = path.read_bytes()
    return found


def topics(suite: str) -> dict[str, Json]:
    """Return the files of a suite's cases."""
    return {
        name: json.loads(data)
        for name, data in files().items()
        if name.endswith(".json") and name.split("/")[-2:-1] == [suite]
    }


@pytest.fixture(scope="module")
def case_schema() -> Json:
    schema: Json = json.loads((FIXTURES / "case.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    return schema


@pytest.mark.parametrize("suite", SUITE_SCHEMAS)
def test_cases_are_what_the_schema_says(suite: str, case_schema: Json) -> None:
    whole = Draft202012Validator(case_schema)
    found = topics(suite)
    wrong = []
    for name, topic in found.items():
        # The definition itself says what is wrong; the union over all only that something is.
        own = f"#/$defs/{SCHEMAS.get(name, SUITE_SCHEMAS[suite])}"
        part = Draft202012Validator({"$ref": own, "$defs": case_schema["$defs"]})
        wrong += [
            f"{name}: {error.json_path}: {error.message}"
            for error in (*part.iter_errors(topic), *whole.iter_errors(topic))
        ]
    assert found
    assert wrong == []


@pytest.mark.parametrize("case", cases("requests"), ids=lambda case: case.id)
def test_requests_are_for_dialects_that_there_are(case: Case) -> None:
    assert set(case.expect.get("bodies", ())) <= set(ENCODERS)


def purposes() -> Counter[str]:
    return Counter(case.spec["purpose"] for case in written())


def test_purposes_are_unique() -> None:
    assert [purpose for purpose, count in purposes().items() if count > 1] == []


def test_names_are_unique_in_suite_and_version() -> None:
    names = Counter((case.version, case.key) for case in written())
    assert [name for name, count in names.items() if count > 1] == []


def test_names_say_the_type_and_the_api() -> None:
    for case in (*cases("documents"), *cases("providers"), *cases("formats")):
        named = (case.spec[name] for name in ("type", "api", "format") if name in case.spec)
        shared = next(named, "signs")
        assert case.name.startswith(f"{shared}/")
        # What is long is parted: the streams of a format have a file to themselves.
        files = [f"{shared}{more}.json" for more in ("", "-streams", "-shown")]
        assert case.source.rpartition("/")[2] in files


def test_every_file_is_spoken_of() -> None:
    named = {case.source for case in written()}
    for case in written():
        folder = case.source.rpartition("/")[0]
        named |= {f"{folder}/{file}" for name, file in case.spec.items() if name[-5:] == "_file"}
    loose = [path.name for path in FIXTURES.iterdir() if path.is_dir()]
    released = [name for name, row in read_catalog().items() if row["status"] == "released"]
    named |= {"README.md", "case.schema.json"}
    named |= {f"{name}.sha256" for name in released if name in loose}
    named |= {f"{name}/suite.json" for name in list(read_catalog())[1:]}
    assert set(files()) - named == set()
    assert named - set(files()) == set()


def test_there_are_few_files() -> None:
    assert len([path for path in FIXTURES.rglob("*") if path.is_file()]) < 500


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
    own = {case.key for case in mine if case.source.startswith(f"{version}/")}
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
    refused = [case for case in streams if not case.result]
    assert len(streams) >= 60
    assert len(refused) * 2 >= len(streams)


def test_the_documents_example_is_there_verbatim() -> None:
    name = "envelope.TaskEvent/valid/document-example"
    (document,) = (each for each in documents() if (each.version, each.id) == ("v0.1", name))
    assert json.loads(document.data) == {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": "v0.1",
        "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "payload": {"agent_id": "sop agent"},
        "retry_count": 0,
        "max_attempts": 3,
    }


def test_the_example_of_the_readme_is_a_case_that_passes(case_schema: Json) -> None:
    (block,) = re.findall(
        r"```json\n(.*?)```", (FIXTURES / "README.md").read_text("utf-8"), re.DOTALL
    )
    example = json.loads(block)
    part = {"$ref": "#/$defs/StreamCase", "$defs": case_schema["$defs"]}
    assert [error.message for error in Draft202012Validator(part).iter_errors(example)] == []
    assert example["name"] not in {case.name for case in cases("streams")}
    (run,) = runs_of(SuiteCase("v0.2", "streams", example["name"], example, "", FIXTURES))
    assert judge(run, run_operation(run.operation, "v0.2", run.given)) is None


# --- rules --------------------------------------------------------------------------------------


def rules_in(value: Any) -> set[str]:
    """Return every value of a member ``rule`` in a case."""
    if isinstance(value, dict):
        mine = {value["rule"]} if isinstance(value.get("rule"), str) else set()
        return mine.union(*map(rules_in, value.values()))
    return set().union(*map(rules_in, value)) if isinstance(value, list) else set()


def fixture_rules() -> set[str]:
    expected = ("expect", "findings", "warnings", "repair", "collected", "losses", "mirror")
    found = [case.spec[name] for case in written() for name in expected if name in case.spec]
    return rules_in(found)


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
