"""Responses requests: the published types, and items that go back as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as Params

from partwire import to_wire
from partwire.providers.requests import encode_request
from tests.fixture_cases import Case, cases
from tests.providers import recordings as recorded
from tests.providers.request_round_trip import CONFIG, answer, provider_texts, sent_back
from tests.providers.request_types import faults, members_of

Json = dict[str, Any]

API: Final = "openai-responses"
CASES = [case for case in cases("requests") if API in case.expect.get("bodies", ())]
STREAMS = provider_texts(API)
RECORDINGS = recorded.ids(API)
# Built-in tools that wait for the caller: a request of ours has no output for them.
WAITING: Final = frozenset(
    {"computer_call", "local_shell_call", "apply_patch_call", "tool_search_call", "shell_call"}
)


def published_faults(body: Json) -> list[str]:
    """Return what the official client's types refuse."""
    names = members_of(Params)
    return faults(Params, {k: v for k, v in body.items() if k in names})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_bodies_are_what_the_provider_publishes(case: Case) -> None:
    body = case.expect["bodies"][API]["body"]
    assert published_faults(body) == []
    unknown = set(body) - members_of(Params)
    assert unknown <= set(case.value("input")["config"])


@pytest.mark.parametrize(
    "body",
    [
        {"input": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]},
        {"input": [{"role": "user", "content": "a", "name": "b"}]},
        {"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}]},
        {"input": [{"type": "function_call_output", "call_id": "c"}]},
        {"input": [{"type": "reasoning", "id": "r", "summary": [], "content": None}]},
        {"max_output_tokens": "9"},
        {"tool_choice": "any"},
        {"tools": [{"type": "function", "name": "f", "parameters": {}}]},
        {"stream": False},
    ],
)
def test_the_check_sees_what_is_not_published(body: Json) -> None:
    good = {"model": "m", "input": [], "stream": True}
    assert published_faults(good) == []
    assert published_faults({**good, **body})


# --- answers go back as they came ----------------------------------------------------------------


def came(texts: list[str]) -> list[Json]:
    """Return the provider's items of a stream that can go back, as a request has them."""
    events = [json.loads(text) for text in texts if text.startswith("{")]
    items = [e["item"] for e in events if e.get("type") == "response.output_item.done"]
    if not items:
        items = [i for e in events for i in (e.get("response") or {}).get("output") or ()]
    items = [_as_sent(item) for item in items if not _waits(item, items)]
    while items and items[-1]["type"] == "reasoning":
        items.pop()
    return items


def _waits(item: Json, items: list[Json]) -> bool:
    if item["type"] not in WAITING or item.get("execution") == "server":
        return False
    outputs = {each.get("call_id") for each in items if each["type"].endswith("_output")}
    return item["call_id"] not in outputs


def _as_sent(item: Json) -> Json:
    made = {name: value for name, value in item.items() if value is not None}
    if made["type"] == "custom_tool_call" and not made["call_id"].startswith("xs_"):
        made.pop("status", None)
    if made["type"] == "message":
        parts = [{k: v for k, v in part.items() if k != "logprobs"} for part in made["content"]]
        made["content"] = parts
    return made


def _sent(texts: list[str]) -> list[Json]:
    """Return the items that an answer becomes, behind the question."""
    items: list[Json] = sent_back(API, answer(API, texts)).body["input"]
    return items[1:]


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_items_go_back_as_they_came(name: str, recordings: Path) -> None:
    """BLK-11: every item of the answer, in order, under its own id."""
    recording = recorded.load()[name]
    sent, due = _sent(recording.texts), came(recording.texts)
    # An output whose call another response had goes back with that, and not alone.
    calls = {item.get("call_id") for item in due if item["type"] == "program"}
    due = [i for i in due if i["type"] != "program_output" or i["call_id"] in calls]
    if "message text: deltas != done" in recording.entry["quirks"]:
        # What was streamed counts, whatever the item said in the end.
        for item in (*sent, *due):
            item["content"] = item.get("content") and recording.entry["id"]
    assert sent == due


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_answers_are_published_input(name: str, recordings: Path) -> None:
    """But for members that the types lack: kinds of sources of a web search."""
    items = _sent(recorded.load()[name].texts)
    for item in items:
        if item["type"] == "web_search_call":
            item["action"].pop("sources", None)
    assert published_faults({"model": "m", "stream": True, "input": items}) == []


# Streams of the fixtures whose answer is not what the provider's items say.
OTHERWISE: Final = {
    "arguments-only-at-the-end": "one item comes with the response alone",
    "call-id-late-or-never": "the call got an id of ours",
    "call-id-used-before": "the run of the stream has used the id, this one has not",
    "call-name-never": "what cannot be called is left out",
    "calls-interleaved": "calls stand as they began, not as they ended",
    "cancelled": "the item was cut",
    "failed": "the item was cut",
    "final-says-something-else": "what was streamed stands",
    "resumed": "the item came twice",
    "resumed-in-the-middle": "half of the text came on another stream",
    "second-response": "the second response is not read",
    "text-after-its-item": "the item grew after its end",
    "unknown-events": "one item comes with the response alone",
}


@pytest.mark.parametrize("name", sorted(STREAMS))
def test_answers_of_the_fixtures_go_back_as_they_came(name: str) -> None:
    items, due = _sent(STREAMS[name]), came(STREAMS[name])
    if name not in OTHERWISE:
        assert items == due
    known = [item for item in items if item.get("type") != "hologram"]
    for item in known:
        if str(item.get("call_id")).startswith("xs_"):
            del item["status"]  # the vendor's own call: the types lack it
    assert published_faults({"model": "m", "stream": True, "input": known}) == []


def test_a_conversation_of_answers_goes_back_whole() -> None:
    """TCI-06: two answers, with the result of a call between."""
    texts = STREAMS["reasoning-and-call"], STREAMS["server-tools"]
    encoded = sent_back(API, answer(API, texts[0]), _result("call_1"), answer(API, texts[1]))
    output = {"type": "function_call_output", "call_id": "call_1", "output": "Rain"}
    assert encoded.body["input"][1:] == [*came(texts[0]), output, *came(texts[1])]
    assert encoded.findings == []


def _result(call_id: str) -> Json:
    payload = {"toolCallId": call_id, "isError": False, "content": "Rain"}
    part = {"kind": "tool_result", "payload": payload}
    return {"runId": "run_1", "role": "tool", "parts": [part], "timestamp": "2026-01-02T03:04:05Z"}


# --- messages that have changed ------------------------------------------------------------------


def _changed(name: str, part: int, **payload: Any) -> tuple[list[Json], list[str]]:
    """Return the items, and the rules, of an answer of which one part has been changed."""
    message = to_wire(answer(API, STREAMS[name]))
    message["parts"][part]["payload"] |= payload
    encoded = encode_request(API, [message], config=CONFIG)
    return encoded.body["input"], [finding.rule for finding in encoded.findings]


def test_text_that_was_cut_goes_without_its_message() -> None:
    items, rules = _changed("text", 0, text="Bergen")
    assert items == [{"role": "assistant", "content": "Bergen"}]
    assert rules == ["encode/malformed-state"]


def test_text_of_another_wording_goes_in_its_message() -> None:
    items, rules = _changed("text", 0, text="Ber\u2026 lies by the sea.")
    assert rules == ["encode/malformed-state"]
    items, rules = _changed("text", 0, text="OSLO!! lies by the sea.")
    (part,) = items[0]["content"]
    assert (items[0]["id"], part["text"], rules) == ("msg_1", "OSLO!! lies by the sea.", [])


@pytest.mark.parametrize(
    "state",
    [
        {"kind": "content_part", "data": {"type": "output_audio"}, "start": 0, "end": 3},
        {"kind": "content_part", "data": 5, "start": 0, "end": 3},
        {"kind": "hologram", "data": {}, "start": 0, "end": 3},
        {"kind": "audio", "data": {}, "start": 3, "end": 3},
    ],
)
def test_state_that_no_request_has_is_told(state: Json) -> None:
    head = {"kind": "message", "data": {"id": "m"}, "start": 0, "end": 3}
    for items in ([head, state], [state]):
        meta = {"opaque": {"dialect": API, "parts": {"0": items}}}
        part = {"kind": "text", "payload": {"text": "Hi."}}
        said = {**_result("c"), "role": "assistant", "parts": [part], "meta": meta}
        encoded = encode_request(API, [said], config=CONFIG)
        assert [finding.rule for finding in encoded.findings] == ["encode/response-only-state"]
        (item,) = encoded.body["input"]
        texts = item["content"] if isinstance(item["content"], str) else item["content"][0]["text"]
        assert texts == "Hi."


def test_reasoning_under_a_message_that_is_none_is_told() -> None:
    meta = {"opaque": {"dialect": API, "parts": {"0": [{"kind": "message", "data": 5}]}}}
    part = {"kind": "thinking", "payload": {"text": "Hm."}}
    said = {**_result("c"), "role": "assistant", "parts": [part], "meta": meta}
    encoded = encode_request(API, [said], config=CONFIG)
    rules = [finding.rule for finding in encoded.findings]
    assert rules == ["encode/malformed-state", "encode/thinking-left-out"]


def test_arguments_that_were_changed_count() -> None:
    items, rules = _changed("reasoning-and-call", 1, arguments={"city": "Bergen"})
    assert items[1]["arguments"] == '{"city":"Bergen"}'
    assert (items[1]["id"], rules) == ("fc_1", [])


def test_reasoning_goes_back_as_its_item_says() -> None:
    """BLK-11: it is never made anew."""
    items, _ = _changed("reasoning-and-call", 0, text="x" * 40)
    assert items[0] == came(STREAMS["reasoning-and-call"])[0]


def test_a_call_id_that_two_answers_have_is_sent_once() -> None:
    """TCI-06, TCI-07."""
    message = answer(API, STREAMS["call-id-used-before"])
    assert to_wire(message)["parts"][0]["payload"]["toolCallId"] == "call_0"
    encoded = sent_back(API, message, _result("call_0"), {**to_wire(message), "runId": "run_2"})
    ids = [item["call_id"] for item in encoded.body["input"] if "call_id" in item]
    assert ids[0] == ids[1] == "call_0"
    assert ids[2] != "call_0"


@pytest.mark.parametrize("name", ["reasoning-and-call", "server-tools"])
def test_an_answer_that_stands_there_twice_has_its_ids_once(name: str) -> None:
    message = answer(API, STREAMS[name])
    once, encoded = sent_back(API, message), sent_back(API, message, message)
    count = len(once.body["input"])
    assert encoded.body["input"][:count] == once.body["input"]
    again = encoded.body["input"][count:]
    assert again
    assert [item for item in again if "id" in item or item.get("type") == "reasoning"] == []
    rules = {finding.rule for finding in encoded.findings}
    assert rules - {finding.rule for finding in once.findings} >= {"encode/repeated-state"}
    assert published_faults(encoded.body) == []


def test_members_of_the_provider_alone_are_the_configurations() -> None:
    extra = {"instructions": "Hi", "previous_response_id": "resp_0", "tools": [{"type": "mcp"}]}
    body = encode_request(API, [], config={**CONFIG, **extra}, system_prompt="Be brief.").body
    assert {name: body[name] for name in extra} == extra
    assert body["input"] == [{"role": "system", "content": "Be brief."}]


@pytest.mark.parametrize(("strict", "due"), [(True, True), (False, False), (None, False)])
def test_functions_are_strict_where_they_say_so(strict: bool | None, due: bool) -> None:
    """The provider's default is strict."""
    spec: Json = {"name": "f", "parameterSchema": {"type": "object"}}
    if strict is not None:
        spec["strict"] = strict
    body = encode_request(API, [], [spec], config=CONFIG).body
    assert [tool["strict"] for tool in body["tools"]] == [due]
