"""Gemini requests: the published types, and answers that go back as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from google.genai import types
from pydantic import TypeAdapter

from partwire import to_wire
from partwire.providers.requests import encode_request
from tests.fixture_cases import Case, cases
from tests.providers import recordings as recorded
from tests.providers.provider_streams import run_events
from tests.providers.request_round_trip import ASKED, CONFIG, answer, provider_texts, sent_back

Json = dict[str, Any]

API: Final = "gemini"
CASES = [case for case in cases("requests") if API in case.expect.get("bodies", ())]
STREAMS = provider_texts(API)
RECORDINGS = recorded.ids(API)
# Members of the body, each with the client's type for it.
PUBLISHED: Final[dict[str, Any]] = {
    "contents": TypeAdapter(list[types.Content]),
    "systemInstruction": TypeAdapter(types.Content),
    "tools": TypeAdapter(list[types.Tool]),
    "toolConfig": TypeAdapter(types.ToolConfig),
    "generationConfig": TypeAdapter(types.GenerationConfig),
    "safetySettings": TypeAdapter(list[types.SafetySetting]),
    "cachedContent": TypeAdapter(str),
    "continuationToken": TypeAdapter(str),
    "labels": TypeAdapter(dict[str, str]),
    "model": TypeAdapter(str),
}


def check_published(body: Json) -> None:
    """Assert that the official client's types take a body, and lose nothing of it."""
    for name in PUBLISHED.keys() & body.keys():
        adapter = PUBLISHED[name]
        read = adapter.validate_json(json.dumps(body[name]))
        written = adapter.dump_python(read, mode="json", by_alias=True, exclude_none=True)
        assert _plain(written) == _plain(body[name])


def _plain(value: Any, name: str = "") -> Any:
    """Return a value with base64 in the alphabet of URLs, in which the client writes it."""
    if isinstance(value, dict):
        return {key: _plain(member, key) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if name in ("data", "thoughtSignature"):
        return value.replace("+", "-").replace("/", "_")
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_bodies_are_what_the_provider_publishes(case: Case) -> None:
    body = case.expect["bodies"][API]["body"]
    check_published(body)
    assert set(body) <= PUBLISHED.keys() | set(case.value("input")["config"])


@pytest.mark.parametrize(
    "body",
    [
        {"contents": [{"role": "user", "parts": [{"text": 5}]}]},
        {"contents": [{"role": "user", "parts": [{"text": "a", "x": 1}]}]},
        {"contents": [{"role": "user", "parts": [{"functionResponse": {"tool": "f"}}]}]},
        {"contents": [{"role": "user", "parts": [{"thoughtSignature": "*"}]}]},
        {"tools": [{"functionDeclarations": [{"parameters": 5}]}]},
        {"toolConfig": {"functionCallingConfig": {"modes": "ANY"}}},
        {"generationConfig": {"max_tokens": 5}},
    ],
)
def test_the_check_sees_what_is_not_published(body: Json) -> None:
    check_published({"contents": [{"role": "user", "parts": [{"text": "a"}]}]})
    with pytest.raises((ValueError, AssertionError)):
        check_published(body)


# --- answers go back as they came ----------------------------------------------------------------

# Streams whose parts do not go back as they came, each with the reason.
NOT_THE_SAME: Final = {
    "arguments-by-unreadable-path": "the arguments are lost, which a finding says",
    "arguments-cut-by-the-limit": "the same",
    "function-call-id-used-before": "two calls have one id",
    "names-with-underscores": "they go back without",
}
UNPUBLISHED: Final = "unknown-events-and-parts"
"""What the provider sends goes back to it, also where no client knows it yet."""


def due_back(texts: list[str], arguments: list[Json]) -> list[Json]:
    """Return the parts of a stream as one response would have them, for the next request.

    ``arguments`` are those of the calls, in order: pieces of them are the adapter's own tests'.
    """
    due: list[Json] = []
    for part in _parts(texts):
        call = part.get("functionCall")
        if call is not None and not call.get("name"):
            for last in due[-1:]:
                last.update({k: v for k, v in part.items() if k not in last})
        elif call is not None:
            own_id = {"id": call["id"]} if call.get("id") else {}
            body = {"name": call["name"], "args": arguments.pop(0), **own_id}
            due.append({**part, "functionCall": body})
        elif part.get("text") == "" and not part.keys() - {"text", "thought"}:
            continue
        elif due and _is_plain(part) and _is_plain(due[-1]) and part.keys() == due[-1].keys():
            due[-1] = {**part, "text": due[-1]["text"] + part["text"]}
        else:
            due.append({"text": "", **part} if part.keys() == {"thoughtSignature"} else part)
    return due


def _is_plain(part: Json) -> bool:
    return "text" in part and not part.keys() - {"text", "thought"}


def _parts(texts: list[str]) -> list[Json]:
    events = [json.loads(text) for text in texts if text.startswith("{")]
    candidates = [c for event in events for c in event.get("candidates") or ()]
    contents = [c.get("content") or {} for c in candidates if not c.get("index")]
    return [part for content in contents for part in content.get("parts") or ()]


def check_round_trip(texts: list[str]) -> None:
    message = answer(API, texts)
    encoded = sent_back(API, message)
    calls = [part.payload.arguments for part in message.parts if part.kind == "tool_call"]
    parts = [c["parts"] for c in encoded.body["contents"] if c["role"] == "model"]
    assert (parts[0] if parts else []) == due_back(texts, calls)
    rules = {finding.rule for finding in encoded.findings}
    assert rules <= {"encode/response-only-state", "encode/empty-message"}
    if texts != STREAMS[UNPUBLISHED]:
        check_published(encoded.body)


def _is_done(texts: list[str]) -> bool:
    return run_events(API, texts).deltas[-1].kind == "done"


DONE = [name for name, texts in STREAMS.items() if _is_done(texts)]


@pytest.mark.parametrize("name", [name for name in DONE if name not in NOT_THE_SAME])
def test_an_answer_goes_back_as_it_came(name: str) -> None:
    check_round_trip(STREAMS[name])


def test_the_exceptions_are_some() -> None:
    for name in NOT_THE_SAME:
        with pytest.raises(AssertionError):
            check_round_trip(STREAMS[name])
    assert len(DONE) >= 20


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recorded_answer_goes_back_as_it_came(name: str, recordings: Path) -> None:
    texts = recorded.load()[name].texts
    if not _is_done(texts):
        assert name == "firebase-vertex_success-quotes-escaped"  # it has no end
        return
    check_round_trip(texts)


@pytest.mark.parametrize("name", [name for name in STREAMS if name != UNPUBLISHED])
def test_what_came_of_a_failed_stream_goes_back_too(name: str) -> None:
    encoded = sent_back(API, answer(API, STREAMS[name]))
    check_published(encoded.body)


def test_several_turns_with_tools_go_back_as_they_came() -> None:
    """BLK-09, TCI-09: two calls without ids, results the other way round, and a signed one."""
    first = answer(API, STREAMS["function-calls-without-ids"])
    ids = [to_wire(part)["payload"]["toolCallId"] for part in first.parts]
    results = [_result(call_id, name) for call_id, name in zip(ids, "abc", strict=True)]
    second = answer(API, STREAMS["function-call-signed"])
    encoded = sent_back(API, first, *reversed(results), second, _result("fc-7Q", "d"))
    contents = encoded.body["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user", "model", "user"]
    assert contents[2]["parts"] == [
        {"functionResponse": {"name": name, "response": {"output": output}}}
        for name, output in (("tide", "a"), ("tide", "b"), ("clock", "c"))
    ]
    assert contents[4]["parts"][0]["functionResponse"]["id"] == "fc-7Q"
    assert "thoughtSignature" in contents[3]["parts"][1]
    assert [finding.rule for finding in encoded.findings] == ["encode/moved-tool-result"] * 2
    check_published(encoded.body)


def _result(call_id: str, content: str) -> Json:
    payload = {"toolCallId": call_id, "isError": False, "content": content}
    part = {"kind": "tool_result", "payload": payload}
    return {**ASKED, "role": "tool", "parts": [part]}


# --- what the fixtures leave out -----------------------------------------------------------------


def test_reasoning_without_state_of_this_provider_is_left_out() -> None:
    """BLK-13."""
    thinking = {"kind": "thinking", "payload": {"text": "Hm."}}
    said = {**ASKED, "role": "assistant", "parts": [thinking]}
    opaque = {"dialect": API, "parts": {}}
    ours = sent_back(API, {**said, "meta": {"opaque": opaque}})
    assert ours.body["contents"][1]["parts"] == [{"text": "Hm.", "thought": True}]
    theirs = sent_back(API, said)
    assert [finding.rule for finding in theirs.findings] == [
        "encode/thinking-left-out",
        "encode/empty-message",
    ]


def test_parts_of_the_message_stay_parts() -> None:
    texts = [{"kind": "text", "payload": {"text": text}} for text in "ab"]
    said = {**ASKED, "role": "assistant", "parts": texts}
    assert sent_back(API, said).body["contents"][1]["parts"] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("name", "sent"),
    [("a.b:c-d", "a.b:c-d"), ("_x", "_x"), ("9x", "_x"), ("", "x"), ("n" * 129, "n"), ("ø", "x")],
)
def test_names_of_called_tools_are_such_as_it_takes(name: str, sent: str) -> None:
    """TCI-20."""
    call = {"toolCallId": "c1", "toolName": name or "\u00a0", "arguments": {}}
    said = {**ASKED, "role": "assistant", "parts": [{"kind": "tool_call", "payload": call}]}
    contents = sent_back(API, said, _result("c1", "ok")).body["contents"]
    called = contents[1]["parts"][0]["functionCall"]["name"]
    assert called.startswith(sent)
    assert (called == name) == (sent == name)
    assert contents[2]["parts"][0]["functionResponse"]["name"] == called


def test_a_strict_tool_is_said() -> None:
    tools = [{"name": n, "strict": n == "b", "parameterSchema": {}} for n in "ab"]
    encoded = encode_request(API, [ASKED], tools, config=CONFIG)
    assert [finding.pointer for finding in encoded.findings] == ["/toolSpecs/1/strict"]


def test_a_sixth_stop_sequence_is_left_out() -> None:
    config = {**CONFIG, "stopSequences": list("abcdef")}
    encoded = encode_request(API, [ASKED], config=config)
    assert encoded.body["generationConfig"]["stopSequences"] == list("abcde")
    assert [finding.pointer for finding in encoded.findings] == ["/config/stopSequences/5"]


def test_a_token_of_the_configuration_wins() -> None:
    item = {"kind": "continuationToken", "data": "b2xk", "start": 1, "end": 1}
    said = {
        **ASKED,
        "role": "assistant",
        "parts": [{"kind": "text", "payload": {"text": "a"}}],
        "meta": {"opaque": {"dialect": API, "parts": {"0": [item]}}},
    }
    config = {**CONFIG, "continuationToken": "bmV3"}
    for given, token in ((CONFIG, "b2xk"), (config, "bmV3")):
        encoded = encode_request(API, [ASKED, said], config=given)
        assert encoded.body["continuationToken"] == token
        assert encoded.findings == []
