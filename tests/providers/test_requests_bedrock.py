"""Converse requests: what AWS's own client takes, and what its streams left goes back as it was."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from partwire import to_wire
from partwire.contract.current.message import Message
from partwire.providers import ByteAdapter, open_adapter
from partwire.providers.requests import bedrock_arguments, encode_request
from partwire_testing.conformance.drawn.aws_frames import converse_frames
from tests.fixture_cases import Case
from tests.providers import recordings as recorded
from tests.providers.converse_events import (
    API,
    START,
    begin,
    call,
    ends,
    piece,
    reasoning,
    stop,
    text,
)
from tests.providers.provider_streams import ODD, RUN, assembled, broken_copies, fixed_clock
from tests.providers.request_round_trip import encode
from tests.providers.test_fixtures import CASES as STREAMS
from tests.providers.test_requests import CASES, CONFIG, message
from tests.providers.test_requests import text as said

Json = dict[str, Any]

CONVERSATIONS = [case for case in CASES if "error" not in case.expect]
_SHAPE: Final[Any] = (
    ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    .operation_model("ConverseStream")
    .input_shape
)
_NAMED: Final = {"modelId", "temperature", "maxTokens", "topP", "stopSequences", "cacheConfig"}


def problems(body: Json) -> list[str]:
    """Return what AWS's client and the constraints of its model have against a body."""
    arguments = bedrock_arguments(body)
    report = ParamValidator().validate(arguments, _SHAPE)
    found = [report.generate_report()] if report.has_errors() else []
    return found + list(_beyond(arguments, _SHAPE, ""))


def _beyond(value: Any, shape: Any, place: str) -> list[str]:
    """Return what breaks an enum, pattern, length or range: the client leaves those to AWS."""
    found: list[str] = []
    if shape.type_name == "structure" and isinstance(value, dict):
        if getattr(shape, "is_document_type", False):
            return []
        for name, member in value.items():
            if name in shape.members:
                found += _beyond(member, shape.members[name], f"{place}/{name}")
        return found
    if shape.type_name == "list" and isinstance(value, list):
        items = [_beyond(item, shape.member, f"{place}/{n}") for n, item in enumerate(value)]
        return [problem for item in items for problem in item]
    limits = shape.metadata
    if shape.type_name == "string" and isinstance(value, str):
        wrong = "enum" in limits and value not in limits["enum"]
        wrong = wrong or ("pattern" in limits and not re.fullmatch(limits["pattern"], value))
        wrong = wrong or len(value) > limits.get("max", len(value))
        if wrong:
            found.append(f"{place}: {value!r} is not {limits}")
    if shape.type_name in ("integer", "float") and value > limits.get("max", value):
        found.append(f"{place}: {value} is beyond {limits}")
    return found


@pytest.mark.parametrize("case", CONVERSATIONS, ids=lambda case: case.id)
def test_every_body_is_one_that_aws_takes(case: Any) -> None:
    given = case.value("input")
    if not case.id.startswith("converse-"):  # what else a config holds is another provider's
        given["config"] = {k: v for k, v in given["config"].items() if k in _NAMED}
    body = encode(API, given).body
    assert problems(body) == []
    roles = [each["role"] for each in body["messages"]]
    assert all(a != b for a, b in pairwise(roles))


def test_the_check_finds_what_is_wrong() -> None:
    good = encode(API, {"messages": [message("user", said("Hi"))], "config": CONFIG}).body
    assert problems(good) == []
    for spoilt in (
        {**good, "messages": [{"role": "robot", "content": []}]},
        {**good, "messages": [{"role": "user", "content": [{"text": 5}]}]},
        {**good, "surprise": 1},
        {**good, "inferenceConfig": {"temperature": 2.0}},
        {**good, "messages": [{"role": "user", "content": [{"toolUse": {"toolUseId": "a b"}}]}]},
    ):
        assert problems(spoilt)


# --- what a stream left goes back ----------------------------------------------------------------


def _message(adapter: Any, chunks: list[bytes]) -> Message:
    reader = ByteAdapter(adapter)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()
    return assembled(deltas)


def sent_back(data: bytes) -> list[Json]:
    """Return the content with which an answer goes back, results of its calls behind it."""
    answer = _message(open_adapter(API, RUN, clock=fixed_clock), [data])
    parts = to_wire(answer)["parts"]
    calls = [part["payload"]["toolCallId"] for part in parts if part["kind"] == "tool_call"]
    results = [
        {"kind": "tool_result", "payload": {"toolCallId": each, "isError": False, "content": "ok"}}
        for each in calls
    ]
    history = [message("user", said("Go.")), answer, message("tool", *results)]
    body = encode_request(API, history, config=CONFIG).body
    assert problems(body) == []
    content: list[Json] = body["messages"][1]["content"]
    sent = [block["toolUse"] for block in content if "toolUse" in block]
    answered = body["messages"][2]["content"] if calls else []
    assert [block["toolResult"]["toolUseId"] for block in answered] == [
        each["toolUseId"] for each in sent if "type" not in each
    ]
    return content


REDACTED = base64.b64encode(b"\x00\xff").decode()
CITATION = {"title": "a", "sourceContent": [{"text": "b"}]}
SERVER = {"toolUseId": "s1", "name": "n", "type": "server_tool_use"}
RESULT = {"toolUseId": "s1", "type": "r", "status": "success"}
EVERY_BLOCK = converse_frames(
    [
        START,
        reasoning(0, text="Hm "),
        reasoning(0, text="ø"),
        reasoning(0, signature="c2lnMQ=="),
        stop(0),
        reasoning(1, text="So"),
        reasoning(1, signature="c2lnMg=="),
        stop(1),
        reasoning(2, redactedContent=REDACTED),
        stop(2),
        text(3, "I look. "),
        stop(3),
        begin(4, toolUse=SERVER),
        piece(4, toolUse={"input": '{"q":1}'}),
        stop(4),
        begin(5, toolResult=RESULT),
        piece(5, toolResult=[{"text": "x"}]),
        stop(5),
        piece(6, citation=CITATION),
        text(6, "It is."),
        stop(6),
        text(7, " And:"),
        reasoning(8, signature="c2lnMw=="),
        stop(8),
        call(9, "t1"),
        piece(9, toolUse={"input": '{"a":"b"}'}),
        stop(9),
        call(10, ""),
        stop(10),
        ends("tool_use"),
    ]
)


def test_every_block_of_a_stream_goes_back_in_its_place() -> None:
    """BLK-03, BLK-04, BLK-05, BLK-24: nothing is hoisted, joined or lost."""

    def signed(words: str, signature: str) -> Json:
        return {"reasoningContent": {"reasoningText": {"text": words, "signature": signature}}}

    assert sent_back(EVERY_BLOCK) == [
        signed("Hm ø", "c2lnMQ=="),
        signed("So", "c2lnMg=="),
        {"reasoningContent": {"redactedContent": REDACTED}},
        {"text": "I look. "},
        {"toolUse": {**SERVER, "input": {"q": 1}}},
        {"toolResult": {**RESULT, "content": [{"text": "x"}]}},
        {"citationsContent": {"content": [{"text": "It is."}], "citations": [CITATION]}},
        {"text": " And:"},
        signed("", "c2lnMw=="),
        {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": "b"}}},
        {"toolUse": {"toolUseId": "call_run_1_1", "name": "f", "input": {}}},
    ]


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: f"{case.version}/{case.name}")
def test_every_stream_of_the_fixtures_goes_back(case: Case) -> None:
    """Whatever an adapter makes of a stream, with or without an end, AWS takes it again."""
    adapter = open_adapter(case.spec["api"], RUN, clock=fixed_clock)
    answer = _message(adapter, [case.data("input")])
    history = [message("user", said("Go.")), answer, message("user", said("Go on."))]
    encoded = encode_request(API, history, config=CONFIG)
    assert problems(encoded.body) == []
    rules = {finding.rule for finding in encoded.findings}
    kept = ["opaque" in part["payload"] for part in to_wire(answer)["parts"]]
    assert ("encode/foreign-state" in rules) == (case.spec["api"] != API and any(kept))


@pytest.mark.parametrize("name", recorded.ids(API))
def test_recorded_answers_go_back_block_by_block(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    due = _blocks([json.loads(line) for line in recording.texts])
    seen = sent_back("".join(f"{line}\n" for line in recording.texts).encode())
    assert seen == due


def _blocks(events: list[Json]) -> list[Json]:
    """Return the blocks of recorded events, put together plainly; text in a row is one."""
    made: dict[int, Json] = {}
    for event in events:
        for name, body in event.items():
            if name in ("contentBlockStart", "contentBlockDelta"):
                block = made.setdefault(body["contentBlockIndex"], {})
                for kind, value in body.get("start", body.get("delta")).items():
                    _add(block, kind, value)
    blocks: list[Json] = []
    for block in made.values():
        _finish(block)
        if list(block) == ["text"] and blocks and list(blocks[-1]) == ["text"]:
            blocks[-1]["text"] += block["text"]
        elif block != {"text": ""}:
            blocks.append(block)
    return blocks


def _add(block: Json, kind: str, value: Any) -> None:
    if kind == "text":
        block["text"] = block.get("text", "") + value
    elif kind == "citation":
        block.setdefault("citations", []).append(value)
    elif kind == "reasoningContent":
        for name, more in value.items():
            mine = block.setdefault(kind, {})
            mine[name] = mine.get(name, "") + more
    elif isinstance(value, list):
        block["toolResult"].setdefault("content", []).extend(value)
    elif "input" in value:
        block["toolUse"]["input"] = block["toolUse"].get("input", "") + value["input"]
    else:
        block[kind] = dict(value)


def _finish(block: Json) -> None:
    if "toolUse" in block:
        block["toolUse"]["input"] = json.loads(block["toolUse"].get("input") or "{}")
        if block["toolUse"].get("type") == "tool_use":
            del block["toolUse"]["type"]  # no type of the published format
    elif "reasoningContent" in block and "redactedContent" not in block["reasoningContent"]:
        block["reasoningContent"] = {"reasoningText": block["reasoningContent"]}
    elif "citations" in block:
        cited = {"content": [{"text": block.pop("text")}], "citations": block.pop("citations")}
        block["citationsContent"] = cited


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_state_never_raises(odd: Any) -> None:
    """What a store kept may be anything; the body stays one that AWS takes."""
    for case in CONVERSATIONS:
        if not case.id.startswith("converse-"):
            continue
        given = case.value("input")
        for number, each in enumerate(given["messages"]):
            if "meta" not in each:
                continue
            for (opaque,) in broken_copies([each["meta"]["opaque"]], odd):
                messages = [*given["messages"]]
                messages[number] = {**each, "meta": {"opaque": opaque}}
                body = encode(API, {**given, "messages": messages, "config": CONFIG}).body
                assert problems(_without_free_state(body)) == []


def _without_free_state(body: Json) -> Json:
    """Return a body without what goes back unread: results, citations and images."""
    kept = [
        {**each, "content": [b for b in each["content"] if not _is_free(b)]}
        for each in body["messages"]
    ]
    return {**body, "messages": kept}


def _is_free(block: Json) -> bool:
    unread = ("toolResult", "citationsContent", "image")
    return any(name in block for name in unread) or "type" in block.get("toolUse", {})


def test_reasoning_at_the_end_of_an_answer_stays_out() -> None:
    events = [
        reasoning(0, text="a", signature="c2ln"),
        text(1, "x"),
        reasoning(2, text="b", signature="c2ln"),
        stop(2),
        reasoning(3, redactedContent="AA=="),
    ]
    content = sent_back(converse_frames([START, *events, ends()]))
    assert [list(block) for block in content] == [["reasoningContent"], ["text"]]


def test_state_of_a_call_goes_back_in_no_request() -> None:
    part = {"kind": "tool_call", "payload": {"toolCallId": "t", "toolName": "f", "arguments": {}}}
    opaque = {"dialect": API, "parts": {"0": [{"kind": "mood", "data": {"mood": {}}}]}}
    given = message("assistant", part, meta={"opaque": opaque})
    encoded = encode(API, {"messages": [given], "config": CONFIG})
    assert ("encode/response-only-state", "/messages/0/meta/opaque/parts/0/0") in [
        (finding.rule, finding.pointer) for finding in encoded.findings
    ]
    assert problems(encoded.body) == []


@pytest.mark.parametrize(("chars", "kept"), [(64, True), (65, False)])
def test_ids_and_names_are_as_long_as_aws_takes_them(chars: int, kept: bool) -> None:
    name = "n" * chars
    part = {
        "kind": "tool_call",
        "payload": {"toolCallId": "i.:-" + "x" * (chars - 4), "toolName": name, "arguments": {}},
    }
    body = encode(API, {"messages": [message("assistant", part)], "config": CONFIG}).body
    sent = body["messages"][0]["content"][0]["toolUse"]
    assert (sent["toolUseId"] == part["payload"]["toolCallId"]) is kept  # type: ignore[index]
    assert (sent["name"] == name) is kept
    assert problems(body) == []


def test_tools_of_the_configuration_that_are_no_list_are_a_conflict() -> None:
    spec = {"name": "f", "parameterSchema": {"type": "object"}}
    given = {"messages": [], "toolSpecs": [spec], "config": {**CONFIG, "toolConfig": {"tools": 5}}}
    encoded = encode(API, given)
    assert [tool["toolSpec"]["name"] for tool in encoded.body["toolConfig"]["tools"]] == ["f"]
    assert [(f.rule, f.pointer) for f in encoded.findings] == [
        ("encode/config-conflict", "/config/toolConfig/tools")
    ]


# --- bytes for the client ------------------------------------------------------------------------


IMAGE = {"image": {"format": "png", "source": {"bytes": "AP8="}}}
WITH_BYTES: Json = {
    "modelId": "m",
    "messages": [
        {
            "role": "user",
            "content": [
                IMAGE,
                {"document": {"format": "txt", "name": "a", "source": {"bytes": "AP8="}}},
                {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://abc/d"}}}},
                {"toolResult": {"toolUseId": "t", "content": [IMAGE, {"json": IMAGE}]}},
                {"guardContent": IMAGE},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"redactedContent": "AP8="}},
                {"toolUse": {"toolUseId": "t", "name": "f", "input": IMAGE}},
                {"text": "AP8="},
            ],
        },
    ],
    "additionalModelRequestFields": IMAGE,
}


def test_bytes_stand_where_the_client_wants_them() -> None:
    before = json.dumps(WITH_BYTES)
    arguments = bedrock_arguments(WITH_BYTES)
    assert json.dumps(WITH_BYTES) == before
    user, assistant = (each["content"] for each in arguments["messages"])
    raw = b"\x00\xff"
    assert user[0]["image"]["source"]["bytes"] == raw
    assert user[1]["document"]["source"]["bytes"] == raw
    assert user[3]["toolResult"]["content"][0]["image"]["source"]["bytes"] == raw
    assert user[3]["toolResult"]["content"][1] == {"json": IMAGE}
    assert user[4]["guardContent"]["image"]["source"]["bytes"] == raw
    assert assistant[0]["reasoningContent"]["redactedContent"] == raw
    assert assistant[1]["toolUse"]["input"] == IMAGE
    assert assistant[2] == {"text": "AP8="}
    assert arguments["additionalModelRequestFields"] == IMAGE
    assert ParamValidator().validate(arguments, _SHAPE).generate_report() == ""


def test_arguments_of_odd_bodies_are_made_without_error() -> None:
    broken = {"image": {"source": {"bytes": "?"}}}
    for body in ({}, {"messages": [5, {"content": 5}, {"content": [5, {"image": 5}, broken]}]}):
        assert bedrock_arguments(body) == body
