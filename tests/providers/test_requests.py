"""Requests: every fixture, and what holds for the encoders of all dialects."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from partwire import PartwireError, UsageError, read
from partwire.contract.resources import read_rules
from partwire.providers.request_core.notes import Notes
from partwire.providers.request_core.turn_reader import read_turns
from partwire.providers.request_core.turns import ToolTurn
from partwire.providers.requests import ENCODERS, encode_request, encode_request_text
from partwire.reading import read_value
from partwire.severities import SEVERITIES
from tests.cost import costs_at_most
from tests.fixture_cases import Case, cases
from tests.providers.request_round_trip import encode

Json = dict[str, Any]

CASES = cases("requests")
BODIES = [
    (case, dialect)
    for case in CASES
    for dialect in ENCODERS
    if dialect in case.expect.get("bodies", ())
]
AT = "2026-01-02T03:04:05Z"
CONFIG = {"modelId": "m", "maxTokens": 9}


def as_structs(given: Json) -> Json:
    """Return the same input, of structs where it is valid to the last member."""
    made = dict(given)
    made["messages"] = [read(each, "message.Message", "tolerant") for each in given["messages"]]
    made["toolSpecs"] = tuple(read(s, "message.ToolSpec") for s in given.get("toolSpecs", ()))
    if "toolChoice" in given:
        made["toolChoice"] = read_value(given["toolChoice"], "message.ToolChoice")
    if "systemPromptContent" in given:
        parts = [read(part, "message.TextPart") for part in given["systemPromptContent"]]
        made["systemPromptContent"] = parts
    return made


def places(findings: list[Any]) -> list[tuple[str, str]]:
    return sorted((finding.rule, finding.pointer) for finding in findings)


def due(case: Case, dialect: str) -> tuple[Json, list[tuple[str, str]]]:
    value = case.expect["bodies"][dialect]
    return value["body"], sorted((each["rule"], each["pointer"]) for each in value["findings"])


def message(role: str, *parts: Json, **members: Any) -> Json:
    return {"runId": "run_1", "role": role, "parts": list(parts), "timestamp": AT, **members}


def text(value: str) -> Json:
    return {"kind": "text", "payload": {"text": value}}


# --- fixtures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "dialect"), BODIES, ids=[f"{c.id}/{d}" for c, d in BODIES])
def test_case(case: Case, dialect: str) -> None:
    given = case.value("input")
    before = copy.deepcopy(given)
    encoded = encode(dialect, given)
    body, findings = due(case, dialect)
    assert encoded.body == body
    assert places(encoded.findings) == findings
    assert given == before
    assert json.loads(json.dumps(encoded.body)) == encoded.body
    # What the reader notes of an unknown part, it notes of JSON values only.
    own = [place for place in findings if place[0].startswith("encode/")]
    again = encode(dialect, as_structs(given))
    assert (again.body, places(again.findings)) == (body, own)


@pytest.mark.parametrize("case", [c for c in CASES if "error" in c.expect], ids=lambda c: c.id)
@pytest.mark.parametrize("dialect", ENCODERS)
def test_refusal(case: Case, dialect: str) -> None:
    with pytest.raises(PartwireError) as caught:
        encode(dialect, case.value("input"))
    first = caught.value.findings[0]
    assert {"rule": first.rule, "pointer": first.pointer} == case.expect["error"]


@pytest.mark.parametrize("dialect", ENCODERS)
def test_there_are_enough_cases(dialect: str) -> None:
    """Of the conversations that several dialects share."""
    mine = [case for case, other in BODIES if other == dialect]
    shared = [case for case in mine if sum(c is case for c, _ in BODIES) > 1]
    assert len(shared) >= 14


def test_rules_have_the_severities_of_the_table() -> None:
    for rule, row in read_rules().items():
        if rule.startswith("encode/"):
            notes = Notes()
            notes.add(rule, "A finding", "")
            assert notes.findings[0].severity == row["severity"]


# --- every dialect -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [c for c in CASES if "bodies" in c.expect], ids=lambda c: c.id)
@pytest.mark.parametrize("dialect", ENCODERS)
def test_every_conversation_goes_to_every_dialect(case: Case, dialect: str) -> None:
    """Whether a body was written by hand or not: no error, and findings of the table."""
    given = case.value("input")
    encoded = encode(dialect, given)
    assert json.loads(json.dumps(encoded.body)) == encoded.body
    for finding in encoded.findings:
        assert finding.rule.startswith("read/") or finding.severity == SEVERITIES[finding.rule]
        assert _leads(given, finding.pointer), finding
        assert len(finding.actual or "") <= 80


def _leads(value: Any, pointer: str) -> bool:
    """Return whether a pointer leads to something."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, ValueError, TypeError):
            return False
    return True


@pytest.mark.parametrize("dialect", ENCODERS)
def test_the_body_is_the_callers_own(dialect: str) -> None:
    """Whatever is done to a body, what it was made of stays as it was."""
    for case in CASES:
        if "error" in case.expect:
            continue
        given = case.value("input")
        before = copy.deepcopy(given)
        _spoil(encode(dialect, given).body)
        assert given == before
        structs = as_structs(given)
        body = encode(dialect, structs).body
        kept = copy.deepcopy(body)
        _spoil(body)
        assert encode(dialect, structs).body == kept


def _spoil(value: Any) -> None:
    members = list(value.values()) if isinstance(value, dict) else value
    for member in members:
        if isinstance(member, (dict, list)):
            _spoil(member)
    value.clear()


@pytest.mark.parametrize("dialect", ENCODERS)
def test_ids_stay_while_a_conversation_grows(dialect: str) -> None:
    """A prompt cache lives on what does not change."""
    given = next(case for case in CASES if case.id == "call-ids").value("input")
    whole = json.dumps(_said(encode(dialect, given).body))
    for count in range(1, len(given["messages"])):
        part = {**given, "messages": given["messages"][:count]}
        said = json.dumps(_said(encode(dialect, part).body)[0])
        assert whole.startswith(f"[{said[:-3]}")


def _said(body: Json) -> list[Any]:
    """Return the conversation, under the name that the provider has for it."""
    (name,) = {"messages", "contents", "input"} & body.keys()
    said: list[Any] = body[name]
    return said


def test_an_unknown_dialect_is_refused() -> None:
    dialects: list[Any] = ["morse", "", None, 7, [], {}]
    for dialect in dialects:
        with pytest.raises(UsageError) as caught:
            encode_request(dialect, [], config=CONFIG)
        assert caught.value.rule == "usage/unknown-dialect"


@pytest.mark.parametrize("dialect", ENCODERS)
@pytest.mark.parametrize(
    ("given", "rule", "pointer"),
    [
        ({"messages": [7]}, "shape/type", "/messages/0"),
        ({"messages": "hello"}, "usage/invalid-argument", "/messages"),
        ({"toolSpecs": {"name": "f"}}, "usage/invalid-argument", "/toolSpecs"),
        ({"systemPrompt": b"x"}, "usage/invalid-argument", "/systemPrompt"),
        ({"systemPrompt": "\ud800"}, "document/lone-surrogate", "/systemPrompt"),
        ({"systemPromptContent": text("x")}, "usage/invalid-argument", "/systemPromptContent"),
        ({"config": None}, "shape/null", "/config"),
        ({"config": {"modelId": "m", "x": float("nan")}}, "document/not-finite", "/config/x"),
        ({"toolChoice": 5}, "shape/union-type", "/toolChoice"),
    ],
)
def test_what_the_contract_refuses(dialect: str, given: Json, rule: str, pointer: str) -> None:
    with pytest.raises(PartwireError) as caught:
        encode(dialect, {"messages": [], "config": CONFIG, **given})
    first = caught.value.findings[0]
    assert (first.rule, first.pointer) == (rule, pointer)


@pytest.mark.parametrize("dialect", ENCODERS)
def test_a_struct_that_is_no_message_is_refused(dialect: str) -> None:
    """Structs are not checked when they are made."""
    good = read(message("user", text("x")), "message.Message")
    bad = type(good)(run_id="", role="user", parts=good.parts, timestamp=AT)
    with pytest.raises(PartwireError) as caught:
        encode(dialect, {"messages": [good, bad], "config": CONFIG})
    assert caught.value.findings[0].pointer == "/messages/1/runId"


@pytest.mark.parametrize("dialect", ENCODERS)
def test_a_result_answers_the_call_of_its_run_and_else_of_any(dialect: str) -> None:
    """Ids are a run's own; a result that names another run is that of the only call there is."""

    def call(run: str, call_id: str) -> Json:
        payload = {"toolCallId": call_id, "toolName": f"of_{run}", "arguments": {}}
        return {**message("assistant", {"kind": "tool_call", "payload": payload}), "runId": run}

    def result(run: str, call_id: str, content: str) -> Json:
        payload = {"toolCallId": call_id, "isError": False, "content": content}
        return {**message("tool", {"kind": "tool_result", "payload": payload}), "runId": run}

    one, two = call("run_1", "c1"), call("run_2", "c1")
    given = [one, two, result("run_2", "c1", "second"), result("run_1", "c1", "first")]
    turns = read_turns(
        [read(each, "message.Message") for each in given],
        dialect,
        ENCODERS[dialect].forms,
        notes := Notes(),
    )
    rules = [finding.rule for finding in notes.findings]
    assert rules == ["encode/renamed-tool-call", "encode/moved-tool-result"]
    results = [turn.results[0] for turn in turns if isinstance(turn, ToolTurn)]
    assert [(each.name, each.content) for each in results] == [
        ("of_run_1", "first"),
        ("of_run_2", "second"),
    ]
    encoded = encode(dialect, {"messages": [one, result("run_9", "c1", "x")], "config": CONFIG})
    assert [f.rule for f in encoded.findings if "orphan" in f.rule] == []


# --- integers, and what comes again and again -----------------------------------------------------

RAW = '{"n": 12345678901234567890, "q": {"a": [-9007199254740993]}}'
OBJECTS = {"anthropic-messages", "bedrock-converse", "gemini"}


@pytest.mark.parametrize("dialect", ENCODERS)
def test_a_request_as_text_has_integers_as_they_were_written(dialect: str) -> None:
    payload = {"toolCallId": "a", "toolName": "t", "arguments": {}, "rawArgsText": RAW}
    given = [message("assistant", {"kind": "tool_call", "payload": payload})]
    encoded = encode_request(dialect, given, config=CONFIG)
    written = encode_request_text(dialect, given, config=CONFIG)
    assert json.loads(written.text) == encoded.body
    assert "12345678901234567890" in written.text
    assert "-9007199254740993" in written.text
    wide = [each for each in encoded.findings if each.rule == "encode/wide-integer"]
    assert len(wide) == (dialect in OBJECTS)
    assert written.findings == [each for each in encoded.findings if each not in wide]


def test_the_same_again_and_again_costs_no_square() -> None:
    """Ids, names of documents, names of tools and state that comes in pieces: twice as much
    takes no four times as long, and a few thousand take no time to speak of.
    """
    with costs_at_most(8):
        for dialect, given in repeated(2_000):
            encode_request(dialect, config=CONFIG, **given)


def repeated(count: int) -> Iterator[tuple[str, Json]]:
    payload = {"toolCallId": "a", "toolName": "t", "arguments": {}}
    answer = {"toolCallId": "a", "isError": False, "content": ""}
    turn = [
        message("assistant", {"kind": "tool_call", "payload": payload}),
        message("tool", {"kind": "tool_result", "payload": answer}),
    ]
    yield "anthropic-messages", {"messages": turn * count}
    file = {"path": "s3://abcd/x", "mimeType": "application/pdf"}
    files = [{"kind": "file_ref", "payload": file}] * count
    yield "bedrock-converse", {"messages": [message("user", *files)]}
    specs = [{"name": f"t{n}", "parameterSchema": {}, "strict": True} for n in range(count)]
    yield "gemini", {"messages": [message("user", text("Hi"))], "tool_specs": specs}
    blocks = [{"type": "thinking", "thinking": "and so on " * 10}] * count * 10
    item = {"kind": "thinking_blocks", "data": blocks, "start": 0, "end": 0}
    opaque = {"provider": "openai-chat", "data": {"items": [item]}}
    part = {"kind": "text", "payload": {"text": "Hi", "opaque": opaque}}
    yield "openai-chat", {"messages": [message("assistant", part)]}
    yield "anthropic-messages", {"messages": [message("user", text("Hi"))] * count}


def test_equal_tools_are_named_each_at_its_place() -> None:
    spec = {"name": "t", "parameterSchema": {}, "strict": True}
    encoded = encode_request("gemini", [], [spec, spec], config=CONFIG)
    assert [each.pointer for each in encoded.findings] == [
        "/toolSpecs/0/strict",
        "/toolSpecs/1/strict",
    ]
