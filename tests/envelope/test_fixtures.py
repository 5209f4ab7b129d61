"""The queue messages of the fixtures: read, distinguished, answered, and what their texts hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from partwire.envelope import (
    check_reply,
    check_tool_results,
    decode_prompt_block,
    parse,
    parse_allowed_tools,
    parse_with_findings,
    retry_event,
    sniff,
)
from partwire.errors import Finding, PartwireError, ReadError
from partwire.reading.pipeline import read, to_wire
from partwire_testing.conformance.values import served
from tests.fixture_cases import Case, cases
from tests.strategies import as_input

CASES = cases("envelopes")
CALLS: dict[str, tuple[Case, ...]] = {
    call: tuple(case for case in CASES if case.spec["call"] == call)
    for call in sorted({case.spec["call"] for case in CASES})
}

Outcome = dict[str, Any]


def places(findings: Any) -> list[dict[str, str]]:
    return [{"rule": each.rule, "pointer": each.pointer} for each in findings]


def outcome(call: Callable[[], Outcome]) -> Outcome:
    """What a call returns, or its refusal as data; anything but ours fails the test."""
    try:
        return call()
    except PartwireError as error:
        return {"error": places(error.findings)}


def expected(case: Case) -> Outcome:
    if case.result:
        return {"value": case.expect[case.result]}
    if "error" in case.expect:
        return {"error": [case.expect["error"]]}
    return dict(case.expect)


def message(case: Case, file: str = "input", named: str = "type") -> Any:
    return read(case.data(file), case.spec[named], "tolerant")


def by_place(findings: list[dict[str, str]]) -> list[tuple[str, str]]:
    return sorted((each["rule"], each["pointer"]) for each in findings)


def named(case: Case) -> str:
    return f"{case.spec['version']}/{case.id}"


def of(call: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CALLS[call], ids=[named(case) for case in CALLS[call]])


def test_every_call_has_cases() -> None:
    counts = {call: len(of_call) for call, of_call in CALLS.items()}
    assert all(count >= 7 for count in counts.values()), counts
    assert sum(counts.values()) == len(CASES) > 100


@pytest.mark.parametrize("form", ["text", "value"])
@of("parse")
def test_parse(case: Case, form: str) -> None:
    data = case.data("input")
    given = data if form == "text" else json.loads(data)
    mode = case.spec.get("mode", "tolerant")
    found: list[Finding] = []

    def call() -> Outcome:
        result = parse_with_findings(case.spec["type"], given, mode)
        found.extend(result.findings)
        return {"value": to_wire(result.value)}

    assert outcome(call) == expected(case)
    assert by_place(places(found)) == by_place(case.spec.get("findings", []))
    assert all(finding.severity != "error" for finding in found)


@of("parse")
def test_parse_is_tolerant_unless_it_is_told(case: Case) -> None:
    data = case.data("input")
    default = outcome(lambda: {"value": to_wire(parse(case.spec["type"], data))})
    tolerant = outcome(lambda: {"value": to_wire(parse(case.spec["type"], data, "tolerant"))})
    assert default == tolerant


@pytest.mark.parametrize("form", ["text", "value"])
@of("sniff")
def test_sniff(case: Case, form: str) -> None:
    data = case.data("input")
    given = data if form == "text" else as_input(json.loads(data))
    assert {"types": sniff(given)} == expected(case)


@of("retry")
def test_retry(case: Case) -> None:
    sent = case.spec["sent"]
    task = message(case)
    before = to_wire(task)

    def call() -> Outcome:
        event = retry_event(task, clock=lambda: sent["sent_at"], make_id=lambda: sent["message_id"])
        return {"value": served(event, case.spec["version"])}

    assert outcome(call) == expected(case)
    assert to_wire(task) == before


@of("reply")
def test_reply(case: Case) -> None:
    first, reply = message(case), message(case, "reply", "reply_type")
    found = check_reply(first, reply)
    assert {"findings": places(found)} == expected(case)
    severities = [finding.severity for finding in found]
    assert severities == sorted(severities)


@of("tool-results")
def test_tool_results(case: Case) -> None:
    found = check_tool_results(message(case), case.spec["invocation_ids"])
    assert {"findings": places(found)} == expected(case)


@of("allowed-tools")
def test_allowed_tools(case: Case) -> None:
    result = outcome(lambda: {"tools": parse_allowed_tools(case.spec["text"])})
    assert result == expected(case)


@of("prompt-block")
def test_prompt_block(case: Case) -> None:
    result = outcome(lambda: {"text": decode_prompt_block(case.spec["text"])})
    assert result == expected(case)


@pytest.mark.parametrize(
    "text",
    ['- "\\UFFFFFFFF"', "%YAML 1." + "9" * 5000 + "\n---\n- a", '- "\\uD800"'],
    ids=["code point beyond Unicode", "version of 5,000 digits", "half a pair"],
)
def test_yaml_that_its_parser_stumbles_over_is_refused(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_allowed_tools(text)
    assert caught.value.rule == "envelope/allowed-tools"
