"""What the helpers of ``partwire_testing`` accept, and the words in which they refuse."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from partwire import MessageAssembler, PartwireError, UsageError, WriteError, assemble, read
from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.models.message import Message as MessageModel
from partwire.message.assembler.limits import Limits
from partwire.message.assembler.lines import read_delta_line
from partwire_testing import (
    FixtureCase,
    ReplayFactory,
    assert_compatible,
    assert_conforms,
    partwire_cases,
)
from partwire_testing.conformance import (
    NOT_PORTABLE,
    all_cases,
    run_operation,
    suite_names,
    versions,
)
from partwire_testing.plain_json import plain

MESSAGE: dict[str, Any] = {
    "runId": "run_1",
    "role": "user",
    "timestamp": "2026-01-02T03:04:05Z",
    "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
}


def words(call: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        call(*args, **options)
    return str(caught.value)


# --- assert_conforms ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        MESSAGE,
        json.dumps(MESSAGE).encode(),
        read(MESSAGE, "message.Message"),
        MessageModel.model_validate(MESSAGE),
    ],
    ids=["value", "text", "struct", "model"],
)
def test_what_is_valid_conforms(value: Any) -> None:
    assert_conforms(value, "message.Message")


def test_what_is_wrong_is_told_with_place_expected_and_actual() -> None:
    said = words(assert_conforms, {**MESSAGE, "role": "robot", "runId": 7}, "message.Message")
    assert said == (
        f"no message.Message of {LATEST_VERSION}: 2 findings\n"
        "Not a string but a number [shape/type]\n"
        "  at        /runId\n"
        "  expected  a string\n"
        "  actual    7\n"
        "None of the allowed values [shape/enum]\n"
        "  at        /role\n"
        "  expected  system, user, assistant, tool\n"
        '  actual    "robot"'
    )


def test_text_that_is_no_json_and_values_that_are_none_are_told() -> None:
    assert "[document/invalid-json]" in words(assert_conforms, b"{", "message.Message")
    with pytest.raises(UsageError, match="not a document"):
        assert_conforms(object(), "message.Message")
    struct = replace(read(MESSAGE, "message.Message"), role="robot")
    assert "at        /role" in words(assert_conforms, struct, "message.Message")


def test_many_findings_are_cut() -> None:
    said = words(assert_conforms, {**MESSAGE, "parts": [7] * 300}, "message.Message")
    assert said.endswith("\nand 280 more")


def test_each_version_has_its_own_types() -> None:
    media = {"kind": "media", "payload": {"mimeType": "a/b", "source": {"kind": "url", "url": "u"}}}
    document = {**MESSAGE, "parts": [media]}
    assert_conforms(document, "message.Message")
    assert "of v0.1" in words(assert_conforms, document, "message.Message", version="v0.1")
    with pytest.raises(UsageError) as caught:
        assert_conforms(document, "message.Massage")
    assert caught.value.rule == "usage/unknown-type"


def test_warnings_do_not_fail() -> None:
    time = {"created": 2, "completed": 1}
    assert_conforms(time, "session.MessageTime")


# --- assert_compatible ----------------------------------------------------------------------------

OLD = {"type": "object", "properties": {"status": {"enum": ["running", "error"]}}}
NEW = {"type": "object", "properties": {"status": {"enum": ["running", "failed"]}}}
WIDER = {"type": "object", "properties": {"status": {"enum": ["running", "error", "failed"]}}}


class Old(BaseModel):
    name: str


class New(BaseModel):
    name: str
    age: int


def test_what_breaks_nobody_is_compatible() -> None:
    assert_compatible(OLD, OLD, direction="full")
    assert_compatible(OLD, WIDER)
    assert_compatible(WIDER, OLD, direction="forward")
    assert_compatible(False, {"not": {}})


def test_a_proof_about_no_document_is_told() -> None:
    said = words(assert_compatible, False, True)
    assert said.endswith("the schema: no-documents, backward\n  the writer's schema allows none")


def test_a_break_is_told_with_a_witness() -> None:
    said = words(assert_compatible, OLD, NEW)
    assert said.startswith(
        "old -> new is not compatible (backward)\nthe schema: breaking, backward"
    )
    assert '"error" [compat/enum-value-removed] at #/properties/status/enum' in said
    assert '  witness   {"status": "error"}' in said
    assert "  refused   by new at /status: 'error' is not one of ['running', 'failed']" in said


def test_each_direction_has_its_reader() -> None:
    said = words(assert_compatible, OLD, WIDER, direction="forward")
    assert "refused   by old at /status: 'failed'" in said
    assert "breaking, forward" in words(assert_compatible, OLD, WIDER, direction="full")


def test_models_files_and_versions_are_compared(tmp_path: Path) -> None:
    assert "  witness   {" in words(assert_compatible, Old, New)
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(OLD))
    new.write_text(json.dumps(NEW))
    assert f"{old} -> {new} is not compatible" in words(assert_compatible, old, str(new))
    assert_compatible("v0.2/session", "v0.2/session")


def test_what_is_no_schema_is_refused() -> None:
    for old, new in ((7, OLD), (OLD, None), (OLD, {"enum": {1, 2}}), ({"type": "objekt"}, OLD)):
        with pytest.raises(PartwireError) as caught:
            assert_compatible(old, new)
        assert caught.value.rule in ("usage/invalid-argument", "compat/invalid-schema")
    with pytest.raises(UsageError) as refused:
        assert_compatible(OLD, OLD, direction="sideways")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert refused.value.findings[0].expected == "backward, forward or full"


def test_what_is_not_proved_fails() -> None:
    old = {"type": "string", "pattern": "^(a*)b\\1$"}
    new = {"type": "string", "pattern": "^(b|a+ba+)$"}
    said = words(assert_compatible, old, new)
    assert "the schema: unproven, backward\n  open      the root: " in said


# --- cases ----------------------------------------------------------------------------------------


def own_outcome(case: FixtureCase) -> dict[str, Any]:
    """Return what partwire's own assembler makes of a stream."""
    options = case.options
    limits = Limits(**options.get("limits", {}))
    assembler = MessageAssembler(options.get("run_id"), limits)
    told: dict[str, Any] = {}
    try:
        for number, line in enumerate(case.input, 1):
            told = {"line": number}
            assembler.consume(read_delta_line(line, options.get("mode", "strict")))
        told = {}
        assembler.close()
        return {"message": assembler.build_final_message()}
    except PartwireError as error:
        return {"error": {"rule": error.rule, **told}}


@pytest.mark.parametrize("version", versions())
def test_the_own_assembler_passes_every_stream(version: str) -> None:
    cases = partwire_cases("streams", version=version)
    assert len(cases) > 150
    for case in cases:
        case.check(own_outcome(case))
    assert len({case.id for case in cases}) == len(cases)


def test_wrong_outcomes_are_told() -> None:
    counts: Counter[str] = Counter()
    for case in partwire_cases("streams"):
        right = own_outcome(case)
        if "message" in right:
            wrong = {"message": {**plain(right["message"]), "runId": "another"}}
            assert "message at /runId: expected" in words(case.check, wrong)
            assert "expected a message, got the error" in words(case.check, {"error": {}})
        else:
            assert "got a message" in words(case.check, {"message": MESSAGE})
            case.check({"error": {}})
            assert "error rule: expected" in words(case.check, {"error": {"rule": "no/rule"}})
            if "line" in right["error"]:
                line = {"rule": case.case.expect["error"]["rule"], "line": 99}
                assert "error line: expected" in words(case.check, {"error": line})
            if case.expectation.partial is not None:
                case.check({"error": {}, "partial": case.expectation.partial})
                assert "partial at" in words(case.check, {"error": {}, "partial": {}})
                counts["partial"] += 1
        counts[next(iter(right))] += 1
    assert min(counts["message"], counts["error"], counts["partial"]) > 10


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({}, 'one of the members "message" and "error"'),
        ({"message": MESSAGE, "error": {}}, 'one of the members "message" and "error"'),
        ({"error": "oh"}, '"error" is not an object'),
        ({"error": {"ruel": "x"}}, "a member ruel, which nothing is known of"),
    ],
)
def test_what_is_no_outcome_of_a_stream_is_told(outcome: dict[str, Any], said: str) -> None:
    case = next(case for case in partwire_cases("streams") if case.expectation.error)
    found = words(case.check, outcome)
    assert said in found
    assert found.startswith(f"{case.id}: {case.purpose}\n")


@pytest.mark.parametrize("version", versions())
def test_every_case_of_every_suite_has_its_parts(version: str) -> None:
    for suite in suite_names(version):
        cases = partwire_cases(suite, version=version)
        assert [case.case for case in cases] == [
            case for case in all_cases(version) if case.suite == suite
        ]
        for case in cases:
            assert case.purpose
            assert case.__name__ == case.id == f"{version}/{suite}/{case.name}"
            assert all(type(data) is bytes for data in case.files.values())
            assert json.loads(case.files["case.json"])["name"] == case.name
            assert case.input is not None
            assert {"suite", "expect", "purpose"}.isdisjoint(case.options)
            value, error, _ = case.expectation
            assert (error is None) or (value is None and "rule" in error)


@pytest.mark.parametrize("suite", sorted({*suite_names("v0.2")} - set(NOT_PORTABLE)))
def test_results_of_operations_are_checked(suite: str) -> None:
    for case in partwire_cases(suite)[::7]:
        for run in case.runs:
            result = run_operation(run.operation, case.version, run.given)
            case.check(result, step=run.step)
            assert words(case.check, {}, step=run.step)
    case = partwire_cases(suite)[0]
    with pytest.raises(UsageError) as caught:
        case.check({}, step="no such")
    assert caught.value.rule == "usage/invalid-argument"


def test_unknown_suites_and_versions_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        partwire_cases("stream")
    assert "streams" in (caught.value.findings[0].expected or "")
    with pytest.raises(UsageError) as caught:
        partwire_cases("streams", version="v9.9")
    assert caught.value.rule == "usage/unknown-version"


# --- replays and plain values ---------------------------------------------------------------------


def test_replays_are_found_beside_the_test_and_among_the_fixtures(tmp_path: Path) -> None:
    (case,) = [case for case in partwire_cases("streams") if case.name == "text"]
    (tmp_path / "talk.jsonl").write_bytes(b"\n".join(case.input) + b"\n")
    factory = ReplayFactory(tmp_path)
    expected = plain(assemble(case.input))["parts"]
    for source in ("talk.jsonl", tmp_path / "talk.jsonl", case, "streams/text", case.id):
        message = asyncio.run(factory(source).stream([MESSAGE]).message())
        assert plain(message)["parts"] == expected
    twice = factory(["talk.jsonl", "streams/text"], all_played=True)
    assert twice.remaining == 2
    asyncio.run(twice.stream([MESSAGE]).message())
    assert "streams/text']: 1" in words(factory.finish)
    asyncio.run(twice.stream([MESSAGE]).message())
    factory.finish()
    with pytest.raises(UsageError) as caught:
        factory("no/such")
    assert caught.value.rule == "usage/unreadable-input"


def test_plain_values() -> None:
    struct, model = read(MESSAGE, "message.Message"), MessageModel.model_validate(MESSAGE)
    held = {"all": (struct, model, json.dumps(MESSAGE).encode())}
    assert plain(held) == {"all": [MESSAGE] * 3}
    assembler = MessageAssembler()
    for line in partwire_cases("streams")[0].input[:2]:
        assembler.consume(read_delta_line(line, "strict"))
    assert plain(assembler.snapshot()) == plain(assembler.snapshot().to_message())
    for bad in (object(), float("nan"), {"a": {1, 2}}):
        with pytest.raises(WriteError):
            plain(bad)
