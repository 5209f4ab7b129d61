"""Checks that stop at so many findings: what they return, and that they stop."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from partwire import validate
from partwire.errors import Finding, UsageError
from partwire.reading.pipeline import Binding
from partwire.service.jobs import COUNTED, JOBS
from partwire.v0_2.checks.message import CHECKS
from tests.fixture_cases import case_of
from tests.strategies import TYPES, Documents, as_input
from tests.ways import way

pytestmark = pytest.mark.usefixtures("untraced")  # the same lines over and over

__all__ = ["way"]

USER = {"runId": "run_1", "role": "user", "timestamp": "2026-01-02T03:04:05Z"}
CALL = {"kind": "tool_call", "payload": {"toolCallId": "c", "toolName": "n", "arguments": {}}}
SESSION = case_of("v0.1/documents/session.WithParts/valid/assistant").value("document")
LATE = {
    "id": "prt_1",
    "type": "text",
    "text": "a",
    "time": {"start": 2, "end": 1},
    "sessionID": SESSION["parts"][0]["sessionID"],
    "messageID": SESSION["info"]["id"],
}


class Counted(list[Any]):
    """An array that counts how many of its items are looked at."""

    seen = 0

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self.seen += 1
            yield item


def repeated(value: Any) -> Any:
    """Return a value in which every array is seven times in a row, so that much is wrong."""
    if isinstance(value, list):
        return [repeated(item) for item in value] * 7
    if isinstance(value, dict):
        return {name: repeated(member) for name, member in value.items()}
    return value


def errors(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.severity == "error"]


@pytest.mark.parametrize("type_name", TYPES)
def test_a_bounded_check_returns_the_first_findings_of_the_whole_one(type_name: str) -> None:
    made = Documents(type_name)
    binding = Binding.of(type_name)
    for _ in range(60):
        document = repeated(made.mutated(type_name))
        for level in ("all", "shape"):
            everything = binding.check_within(document, None, level)[0]
            for most in (1, 2, 3, 10, len(everything), len(everything) + 1):
                if not most:
                    continue
                expected = everything[:most]
                if len(everything) > most and errors(everything) and not errors(expected):
                    expected[-1] = errors(everything)[0]
                told = binding.check_within(document, most, level)
                assert told == (expected, len(everything) > most)
        assert validate(as_input(document), type_name) == binding.check(document)


@pytest.mark.parametrize("wrong", [{"text": 0}, {"id": "prt_2", "type": "patch"}])
def test_what_is_cut_holds_an_error_if_the_document_has_one(wrong: dict[str, Any]) -> None:
    """A thousand warnings must not hide that the document is wrong."""
    binding = Binding.of("session.WithParts")
    late = [{**LATE, "id": f"prt_{number}"} for number in range(100, 200)]
    found, is_cut = binding.check_within({**SESSION, "parts": late}, 10)
    assert is_cut
    assert [each.rule for each in found] == ["session/time-order"] * 10
    document = {**SESSION, "parts": [*late, {**LATE, **wrong}]}
    first = errors(binding.check(document))[0]
    for most in (1, 2, 10, 100):
        found, is_cut = binding.check_within(document, most)
        assert is_cut
        assert [each.rule for each in found[:-1]] == ["session/time-order"] * (most - 1)
        assert found[-1] == first
        assert validate(document, "session.WithParts", max_findings=most) == found


@pytest.mark.parametrize("part", [0, {"kind": "text", "payload": {"text": 0}}])
def test_a_bounded_check_stops(part: Any) -> None:
    binding = Binding.of("message.Message")
    parts = Counted([part] * 1000)
    found, is_cut = binding.check_within({**USER, "parts": parts}, 5)
    assert (len(found), is_cut) == (5, True)
    assert parts.seen <= 6
    # And the next one, which has no bound, does not.
    assert len(binding.check({**USER, "parts": parts})) == 1000
    assert len(CHECKS["Message"]({**USER, "parts": parts}) or ()) == 1000


def test_rules_about_all_items_stop_too() -> None:
    parts = Counted([CALL] * 1000)
    document = {**USER, "role": "assistant", "parts": parts}
    found, is_cut = Binding.of("message.Message").check_within(document, 5)
    assert ([each.rule for each in found], is_cut) == (["message/duplicate-tool-call"] * 5, True)
    # Whether rules hold is looked at in full; who breaks them, as far as it is reported.
    again = Counted([CALL] * 1000)
    Binding.of("message.Message").check({**document, "parts": again})
    assert again.seen - parts.seen > 900


def test_a_check_that_is_too_deep_leaves_no_bound_behind() -> None:
    binding = Binding.of("message.Message")

    class Endless(dict[str, Any]):
        def get(self, name: str, default: Any = None) -> Any:
            raise RecursionError

    found, is_cut = binding.check_within(Endless(), 3)
    assert ([each.rule for each in found], is_cut) == (["document/too-deep"], False)
    assert len(CHECKS["Message"]({**USER, "parts": [0] * 9}) or ()) == 9


def test_validate_stops_where_it_is_told_to() -> None:
    document = {**USER, "parts": [0] * 9}
    everything = validate(document, "message.Message")
    for most in range(1, 12):
        expected = everything[:most]
        assert validate(document, "message.Message", max_findings=most) == expected
        text = json.dumps(document).encode()
        assert validate(text, "message.Message", max_findings=most) == expected


def test_what_is_no_json_is_bounded_as_well() -> None:
    values = {**USER, "parts": [math.nan, "\ud800", {1: 2, 3: 4}, object()] * 9}
    everything = validate(values, "message.Message")
    assert len(everything) == 45
    for most in (1, 2, 3, 4, 44, 45, 46):
        assert validate(values, "message.Message", max_findings=most) == everything[:most]
    digits = b"1" * 400
    text = b"[" + b",".join([digits] * 9) + b"]"
    everything = validate(text, "message.Message")
    assert len(everything) == 9
    assert validate(text, "message.Message", max_findings=2) == everything[:2]


@pytest.mark.parametrize("bound", [0, -1, True, 1.0, "3", math.nan])
def test_what_is_no_bound(bound: Any) -> None:
    with pytest.raises(UsageError) as error:
        validate(b'"auto"', "message.ToolChoice", max_findings=bound)
    (finding,) = error.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.expected == "an integer of at least 1, or None"


@pytest.mark.parametrize("level", ["meaning", "shape"])
def test_the_service_counts_so_many_and_no_more(level: str) -> None:
    text = json.dumps({**USER, "parts": [0] * (COUNTED * 3)}).encode()
    options = {
        "type": "message.Message",
        "version": "v0.2",
        "level": level,
        "unknown": "warn",
        "findings": 3,
        "depth": 512,
        "line": False,
    }
    done = JOBS["validate"](text, options)
    answer = json.loads(done.body)
    assert (answer["errors"], answer["truncated"], len(answer["findings"])) == (COUNTED, True, 3)
    assert done.rules == {"shape/type": COUNTED}
    more = json.loads(JOBS["validate"](text, {**options, "findings": COUNTED * 2}).body)
    assert (len(more["findings"]), more["truncated"]) == (COUNTED * 2, True)
