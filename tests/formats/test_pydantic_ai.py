"""Histories of pydantic-ai are read as messages."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import pytest

from partwire import formats
from partwire.errors import ReadError
from partwire.formats import sniff
from partwire.providers import encode_request
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives, wire
from tests.formats.oracles import Item
from tests.formats.pydantic_ai_documents import (
    DOCUMENTS,
    T1,
    T2,
    request,
    response,
    returned,
    text,
    user,
)

FORMAT = "pydantic-ai"
SAMPLES = samples.ids(FORMAT)

Json = dict[str, Any]


def read(document: Any) -> list[Json]:
    return wire(read_given(FORMAT, document))


def lost(document: Any) -> list[tuple[str, str]]:
    found = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in found if loss.severity == "lossy"]


def own(message: Json) -> Json:
    kept: Json = message.get("meta", {}).get(FORMAT, {})
    return kept


# --- what is read ---------------------------------------------------------------------------------


def test_a_request_is_a_message_for_each_role() -> None:
    made = read(DOCUMENTS["requests"][:1])
    assert [each["role"] for each in made] == ["system", "system", "user", "user"]
    assert made[0]["parts"][0]["payload"]["text"] == "Answer in one word."
    assert len(made[1]["parts"]) == 2
    assert made[0]["runId"] == "r1"
    assert {each["timestamp"] for each in made} == {T1}


def test_results_stand_before_instructions() -> None:
    made = read(DOCUMENTS["calls"])
    roles = ["user", "assistant", "tool", "system", "user"]
    assert [each["role"] for each in made][:5] == roles


def test_instructions_are_said_once() -> None:
    said = {"instructions": "Be brief."}
    document = [request(user("a"), **said), response(text("b")), request(user("c"), **said)]
    assert [each["role"] for each in read(document)] == ["system", "user", "assistant", "user"]
    losses = read_given(FORMAT, document).losses
    assert [(loss.code, loss.pointer) for loss in losses] == [
        ("role-form", "/0/instructions"),
        ("duplicate-text", "/2/instructions"),
    ]


def test_a_response_says_its_model_its_usage_and_why_it_ended() -> None:
    meta = dict(read(DOCUMENTS["calls"])[1]["meta"])
    kept = meta.pop(FORMAT)
    assert meta == {
        "modelId": "m1",
        "requestId": "resp_1",
        "finishReason": "tool_calls",
        "providerFinishReason": "tool_use",
        "usage": {
            "inputTokens": 10,
            "outputTokens": 4,
            "totalTokens": 14,
            "reasoningTokens": 1,
            "cacheReadTokens": 2,
            "cacheWriteTokens": 3,
            "cost": 0.0001,
        },
    }
    assert kept["usage"] == {
        "cache_write_1h_tokens": 1,
        "audio_seconds": 0.5,
        "details": {"x": 1},
        "cost": "0.00010",
    }


def test_calls_have_text_or_values_as_arguments() -> None:
    parts = read(DOCUMENTS["calls"])[1]["parts"]
    calls = [part["payload"] for part in parts if part["kind"] == "tool_call"]
    assert [each["arguments"] for each in calls] == [{"x": [1]}, {"y": None}, {}, {}, {}]
    assert [each.get("rawArgsText") for each in calls] == [None, None, "no JSON", None, None]
    assert calls[3]["toolCallId"] == "d"
    assert calls[4]["toolCallId"] != "d"


def test_results_say_how_the_call_came_out() -> None:
    message = read(DOCUMENTS["calls"])[2]
    results = [part["payload"] for part in message["parts"]]
    assert [(each["isError"], each["outcome"]) for each in results] == [
        (False, "success"),
        (True, "error"),
        (True, "denied"),
        (True, "interrupted"),
        (True, "retried"),
    ]
    assert [each["content"] for each in results] == [
        {"temp": 4},
        '[1,"two"]',
        "null",
        "2.5",
        "done",
    ]
    assert results[1]["structured"] == [1, "two"]


def test_bytes_have_the_standard_alphabet() -> None:
    (message,) = read([request(user([{"kind": "binary", "data": "-_8_", "media_type": "a/b"}]))])
    assert message["parts"][0]["payload"]["source"] == {"kind": "inline", "data": "+/8/"}


def test_a_mapping_that_looks_like_a_file_is_data() -> None:
    page = {"kind": "document-url", "url": "https://example.org/b.pdf"}
    document = [request(returned("a", "f", page, content_file_digests=[]))]
    assert read(document)[0]["parts"][0]["payload"]["content"] == page
    document = [request(returned("a", "f", page))]
    assert read(document)[0]["parts"][0]["payload"]["content"][0]["kind"] == "media"


def test_what_1_x_stored_is_read_as_2_x_reads_it() -> None:
    made = read(DOCUMENTS["old"])
    roles = ["system", "user", "assistant", "tool", "user", "user", "user"]
    assert [each["role"] for each in made] == roles
    payload = made[3]["parts"][0]["payload"]
    assert payload["toolCallId"] == made[2]["parts"][0]["payload"]["toolCallId"]
    assert (payload["isError"], payload["outcome"]) == (True, "retried")
    assert made[2]["meta"]["requestId"] == "v1"
    assert made[2]["meta"]["usage"] == {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}
    assert own(made[4])["part"]["retry"] == {"cause": "model_retry"}


def test_state_goes_back_to_the_provider_that_it_came_from() -> None:
    messages = read_given(FORMAT, DOCUMENTS["state"]).messages
    config = {"provider": "any", "modelId": "any", "maxTokens": 1}
    body = encode_request("openai-responses", [messages[0]], config=config).body
    assert body["input"][:2] == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [
                {"type": "summary_text", "text": "One."},
                {"type": "summary_text", "text": "Two."},
            ],
            "encrypted_content": "enc",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "So.", "annotations": []}],
        },
    ]
    body = encode_request("bedrock-converse", [messages[1]], config=config).body
    assert "c2ln" in json.dumps(body)
    assert "cmVk" in json.dumps(body)
    assert (
        json.dumps(encode_request("gemini", [messages[2]], config=config).body).count("c2ln") == 2
    )
    messages = read_given(FORMAT, DOCUMENTS["server"]).messages
    body = encode_request("anthropic-messages", messages, config=config).body
    kinds = [block["type"] for block in body["messages"][0]["content"]]
    assert kinds[:4] == [
        "server_tool_use",
        "web_search_tool_result",
        "server_tool_use",
        "bash_code_execution_tool_result",
    ]


def test_a_response_that_was_cut_is_incomplete() -> None:
    made = read(DOCUMENTS["calls"])
    assert [each["meta"].get("incomplete") for each in made[5:]] == [
        {"ending": "cancelled", "openToolCallIds": []},
        None,
        {"ending": "truncated", "openToolCallIds": []},
    ]


# --- what is not read -----------------------------------------------------------------------------


LOST: dict[str, list[tuple[str, str]]] = {
    "requests": [
        ("foreign-member", "/0/odd"),
        ("foreign-part", "/0/parts/3/content/11"),
        ("foreign-part", "/0/parts/3/content/12"),
        ("foreign-member", "/0/parts/3/odd"),
        ("foreign-message", "/4"),
        ("foreign-part", "/4/parts/0"),
    ],
    "calls": [
        ("result-null", "/2/parts/2/content"),
        ("foreign-part", "/3/parts/0"),
        ("foreign-part", "/3/parts/1"),
        ("foreign-member", "/5/finish_reason"),
        ("foreign-member", "/5/odd"),
    ],
    "files": [("foreign-part", "/2/parts/2"), ("foreign-part", "/2/parts/5")],
    "state": [("foreign-member", "/3/parts/0/citations/3")],
    "server": [],
    "old": [
        ("foreign-member", "/0/parts/1/timestamp"),
        ("foreign-member", "/2/parts/2/tool_call_id"),
    ],
    "one": [],
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_message_has_no_place_for_is_named(name: str) -> None:
    assert lost(DOCUMENTS[name]) == LOST[name]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        (5, ""),
        ({}, "/kind"),
        ([5], "/0"),
        ([{"kind": "odd"}], "/0/kind"),
        ([{"kind": "request"}], "/0/parts"),
        ([{"kind": "response", "parts": {}}], "/0/parts"),
        ([{"kind": "response", "parts": [5]}], "/0/parts/0"),
    ],
)
def test_what_is_not_of_the_format_is_refused(source: Any, place: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("format/wrong-shape", place)


# --- laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in sniff(DOCUMENTS[name])] == [FORMAT]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_in_a_document(name: str) -> None:
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: [request(user("x"), y=odd)])


# --- samples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, samples.load(name).document)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "no-samples"])
def test_samples_show_the_format(name: str) -> None:
    assert [found.format for found in sniff(samples.load(name).document)] == [FORMAT]


def test_samples_agree_with_the_library() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        sample = samples.load(name)
        ours, theirs = _items_of(read(sample.document)), _wanted(sample.expected)
        agreement.sample(name, ours, theirs, _framed)
    agreement.check()


def _framed(ours: Item | None, theirs: Item | None) -> str | None:
    """Name feedback that the library frames for the model."""
    if ours is None or theirs is None or theirs[:2] != ("user", "text"):
        return None
    is_framed = "<pyai:retry_feedback>" in theirs[2] and ours[2] in theirs[2]
    return "framed" if is_framed else None


def _items_of(messages: list[Json]) -> list[Item]:
    found: list[Item] = []
    for message in messages:
        is_said = message["role"] == "assistant"
        for number, part in enumerate(message["parts"]):
            kind, payload = part["kind"], part["payload"]
            kept = own(message).get("parts", {}).get(str(number), {})
            if kept.get("part_kind") == "speech":
                found.append((message["role"], "speech"))
            elif kind in ("text", "thinking"):
                found.append((message["role"], kind, payload["text"]))
            elif kind in ("tool_call", "server_tool_call"):
                raw = payload.get("rawArgsText")
                said = payload["arguments"] if raw is None else {"INVALID_JSON": raw}
                arguments = json.dumps(said, sort_keys=True)
                own_id = kept.get("tool_call_id", payload["toolCallId"])
                found.append((message["role"], "call", own_id, payload["toolName"], arguments))
            elif kind == "tool_result":
                found.append(("tool", payload["outcome"], payload["toolCallId"]))
            elif kind == "server_tool_result":
                found.append(("assistant", "result", payload["toolCallId"]))
            else:
                found.append((message["role"], "media"))
        if is_said:
            found.append(("end",))
    return _joined(found)


def _wanted(expected: Json) -> list[Item]:
    found: list[Item] = []
    instructions = None
    for message in expected["messages"]:
        parts = list(message["parts"])
        for part in [each for each in parts if each["kind"] == "instructions"]:
            parts.remove(part)
            if part["text"] != instructions:  # they are said once, behind the results
                instructions = part["text"]
                at = next(
                    (n for n, p in enumerate(parts) if p["kind"] != "tool_result"), len(parts)
                )
                parts.insert(at, {"kind": "system", "text": instructions})
        for part in parts:
            found += _wanted_item(part)
        if message["kind"] == "response":
            found.append(("end",))
    return _joined(found)


def _wanted_item(part: Json) -> list[Item]:
    kind = part["kind"]
    if kind == "user" and "items" in part:
        return [("user", each["kind"], *_texts(each)) for each in part["items"]]
    if kind in ("system", "user", "retry-feedback"):
        return [("system" if kind == "system" else "user", "text", part["text"])]
    if kind in ("text", "thinking"):
        return [("assistant", kind, part["text"])]
    if kind in ("tool-call", "builtin-tool-call"):
        arguments = part["arguments"]
        arguments = {} if arguments is None else arguments
        arguments = json.dumps(arguments, sort_keys=True)
        return [("assistant", "call", part["toolCallId"], part["toolName"], arguments)]
    if kind == "tool_result":
        outcome = {"failed": "error"}.get(part["outcome"], part["outcome"])
        return [("tool", outcome, part["toolCallId"])]
    if kind == "builtin-tool-return":
        return [("assistant", "result", part["toolCallId"])]
    if kind == "speech":
        return [("assistant", "speech")]
    assert kind == "tool-availability-delta", kind  # of the library's own: reported
    return []


def _texts(item: Json) -> list[str]:
    return [item["text"]] if item["kind"] == "text" else []


def _joined(items: list[Item]) -> list[Item]:
    """Join thinking that stands together: summaries of one item of reasoning are one part."""
    found: list[Item] = []
    for is_thinking, group in groupby(items, lambda item: item[1:2] == ("thinking",)):
        several = list(group)
        if is_thinking:
            several = [("assistant", "thinking", "".join(str(item[2]) for item in several))]
        found += several
    return found


def test_time_and_run_are_the_source_s() -> None:
    made = formats.read(FORMAT, [response(text("x"))])
    assert (made.messages[0].run_id, made.messages[0].timestamp) == ("r1", T2)
    assert made.losses == []
