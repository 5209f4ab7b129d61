"""The Gemini adapter: candidates, names, usage, errors, bytes, odd input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.providers import ByteAdapter, open_adapter
from partwire.tables import finish_reasons
from tests.providers import recordings as recorded
from tests.providers.gemini_events import API, NAMES, SIG, STOP, call, event, piece, raw_args, run
from tests.providers.provider_streams import (
    ODD,
    RUN,
    broken_copies,
    fixed_clock,
    run_bytes,
    run_events,
)

# --- candidates, names, ends ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        ([None, None], "0"),
        ([1, None], "1"),
        ([None, 1], "0"),
        ([0, 1], "0"),
        ([1, 0], "1"),
        ([1, 2], ""),
        (["x", 1], "0"),
    ],
)
def test_a_candidate_without_an_index_is_the_first(indexes: list[Any], text: str) -> None:
    candidates = [
        {"content": {"parts": [{"text": str(at)}]}} | ({} if index is None else {"index": index})
        for at, index in enumerate(indexes)
    ]
    ran = run({"candidates": candidates, **NAMES}, STOP)
    assert "".join(part["payload"]["text"] for part in ran.parts) == text


@pytest.mark.parametrize("missing", [{"modelVersion"}, {"responseId"}, set(NAMES)])
def test_names_that_never_come_are_unknown(missing: set[str]) -> None:
    names = {k: v for k, v in NAMES.items() if k not in missing}
    ran = run({"candidates": [{"content": {"parts": [{"text": "a"}]}}], **names}, STOP)
    assert ran.start == {
        "modelId": names.get("modelVersion", "unknown"),
        "requestId": names.get("responseId", "unknown"),
    }


def test_the_client_names_no_reason_that_the_tables_lack() -> None:
    types = pytest.importorskip("google.genai.types")
    reasons = {reason.value for reason in types.FinishReason} - {"FINISH_REASON_UNSPECIFIED"}
    assert reasons == set(finish_reasons.GEMINI)
    for blocked in types.BlockedReason:
        ran = run({"promptFeedback": {"blockReason": blocked.value}, **NAMES})
        is_none = blocked.value == "BLOCKED_REASON_UNSPECIFIED"
        assert ran.end.get("finishReason") == (None if is_none else "content_filter")


def test_reasons_are_read_in_any_case_and_the_unspecified_one_is_none() -> None:
    assert run(event({"text": "a"}, finishReason="max_tokens")).end == {"finishReason": "length"}
    for nothing in ("FINISH_REASON_UNSPECIFIED", "", None, 1):
        ran = run(event({"text": "a"}, finishReason=nothing))
        assert ran.end["errorCode"] == "truncated_stream"


def test_a_block_reason_beside_a_finish_reason_does_not_hide_it() -> None:
    ran = run({**event(finishReason="OTHER"), "promptFeedback": {"blockReason": "SAFETY"}})
    assert ran.end == {"finishReason": "unknown"}


def test_a_mark_of_other_dialects_ends_nothing() -> None:
    assert run(event({"text": "a"}), "[DONE]").end["errorCode"] == "truncated_stream"
    assert run(event({"text": "a"}), json.dumps(STOP), "[DONE]").end == {"finishReason": "stop"}


def test_wrapped_events_are_unwrapped() -> None:
    wrapped = [{"response": one, "traceId": "t"} for one in (event({"text": "a"}), STOP)]
    ran = run(*wrapped, {"response": {"response": {}}})
    assert (ran.parts[0]["payload"]["text"], ran.end) == ("a", {"finishReason": "stop"})
    assert ran.rules == ["adapter/unknown-event"]


@pytest.mark.parametrize(
    ("other", "dialect"),
    [
        ({"choices": []}, "openai-chat"),
        ({"type": "message_start", "message": {}}, "anthropic-messages"),
        ({"type": "response.created", "response": {"id": "r"}}, "openai-responses"),
        ({"type": "message-start", "id": "m"}, "cohere-v2"),
        ({"messageStart": {"role": "assistant"}}, "bedrock-converse"),
    ],
)
def test_another_dialect_is_told_at_once(other: dict[str, Any], dialect: str) -> None:
    """SSE-20, but only before anything of this one has come."""
    ran = run(other)
    assert ran.rules == ["adapter/wrong-dialect"]
    assert ran.adapter.findings[0].actual == dialect
    assert run(event({"text": "a"}), other, STOP).rules == ["adapter/unknown-event"]


# --- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "figures"),
    [
        ({"promptTokenCount": 5, "totalTokenCount": 5}, (5, 0, 5)),
        ({"promptTokenCount": 5, "candidatesTokenCount": 2}, (5, 2, 7)),
        ({"promptTokenCount": 5, "candidatesTokenCount": 2.0, "thoughtsTokenCount": 3}, (5, 5, 10)),
        (
            {
                "promptTokenCount": 5,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 3,
                "toolUsePromptTokenCount": 4,
                "cachedContentTokenCount": 1,
                "totalTokenCount": 14,
            },
            (5, 5, 14),
        ),
        ({"candidatesTokenCount": 2}, (0, 2, 2)),
        ({"promptTokenCount": 5, "toolUsePromptTokenCount": 4}, (5, 0, 9)),
        ({"trafficType": "ON_DEMAND"}, None),
        ({"promptTokenCount": -1, "candidatesTokenCount": True}, None),
    ],
)
def test_usage(given: dict[str, Any], figures: tuple[int, int, int] | None) -> None:
    """FIN-07, FIN-10."""
    ran = run({**event({"text": "a"}), "usageMetadata": given}, STOP)
    due = figures and dict(
        zip(("inputTokens", "outputTokens", "totalTokens"), figures, strict=True)
    )
    assert ran.usage == due


def test_what_the_last_usage_leaves_out_is_nothing() -> None:
    """FIN-09 the other way: Google says all of it, every time."""
    full = {"promptTokenCount": 50, "candidatesTokenCount": 3, "thoughtsTokenCount": 20}
    ran = run(
        {**event({"text": "a"}), "usageMetadata": full},
        {**STOP, "usageMetadata": {"promptTokenCount": 60}},
    )
    assert ran.usage == {"inputTokens": 60, "outputTokens": 0, "totalTokens": 60}


def test_names_with_underscores_stay_so_for_the_stream() -> None:
    ran = run(
        {"candidates": [{"content": {"parts": [{"text": "a"}]}}], "model_version": "m"},
        {"candidates": [{"content": {"parts": [call()]}, "finish_reason": "STOP"}]},
    )
    assert ran.end == {"finishReason": "stop"}


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        ("INVALID_ARGUMENT", "Request contains an invalid argument.", "invalid_request"),
        ("INVALID_ARGUMENT", "API key expired. Please renew the API key.", "authentication"),
        (
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            "context_length_exceeded",
        ),
        ("FAILED_PRECONDITION", "User location is not supported.", "invalid_request"),
        ("UNAUTHENTICATED", "Request had invalid credentials.", "authentication"),
        ("PERMISSION_DENIED", "Permission denied.", "permission_denied"),
        ("NOT_FOUND", "models/x is not found.", "not_found"),
        ("RESOURCE_EXHAUSTED", "Resource exhausted. Try again later.", "rate_limited"),
        ("RESOURCE_EXHAUSTED", "You exceeded your current quota.", "quota_exceeded"),
        (
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota. Please retry in 3s.",
            "rate_limited",
        ),
        ("CANCELLED", "The operation was cancelled.", "cancelled"),
        ("INTERNAL", "An internal error has occurred.", "provider_internal"),
        ("UNAVAILABLE", "The model is overloaded.", "overloaded"),
        ("DEADLINE_EXCEEDED", "Deadline expired.", "timeout"),
        ("ABORTED", "x", "provider_internal"),
        ("DATA_LOSS", "x", "provider_internal"),
        ("OUT_OF_RANGE", "x", "invalid_request"),
        ("UNIMPLEMENTED", "x", "invalid_request"),
    ],
)
def test_errors_by_their_canonical_names(status: str, message: str, code: str) -> None:
    """SSE-03: in an event, as a body, in an array."""
    error = {"error": {"message": message, "status": status, "details": [{"@type": "t"}]}}
    for data in (
        f"data: {json.dumps(error)}\n\n",
        json.dumps(error, indent=2),
        json.dumps([error]),
    ):
        ran = run_bytes(API, [data.encode()])
        assert ran.end["errorCode"] == code
        assert ran.end["message"] == message
        assert ran.adapter.error is not None
        assert ran.adapter.error.type == status


def test_an_error_beside_candidates_counts() -> None:
    ran = run({**event({"text": "a"}), "error": {"code": 500, "message": "oops"}})
    assert ran.kinds == ["start", "text", "error"]
    assert ran.end["errorCode"] == "provider_internal"


# --- bytes ---------------------------------------------------------------------------------------


def test_elements_of_an_array_come_as_they_arrive() -> None:
    reader = ByteAdapter(open_adapter(API, RUN, clock=fixed_clock))
    chunks = ("[", json.dumps(event({"text": "a"})), "\n,\n", json.dumps(STOP), "]")
    seen = [[delta.kind for delta in reader.feed(chunk.encode())] for chunk in chunks]
    assert seen == [[], ["start", "text"], [], [], []]
    assert [delta.kind for delta in reader.close()] == ["done"]


def test_a_broken_element_is_said_at_once() -> None:
    reader = ByteAdapter(open_adapter(API, RUN, clock=fixed_clock))
    assert [delta.kind for delta in reader.feed(b'[{"candidates" []},')] == ["start", "error"]


# --- odd input -----------------------------------------------------------------------------------

RICH = [
    event({"text": "a", "thought": True, **SIG}, {"text": "b", **SIG}, {"text": "", **SIG}),
    event(
        {**call(name="f", id="i", args={"a": 1}), **SIG},
        call(name="g", willContinue=True),
        call(
            partialArgs=[piece("$.a[0].b", stringValue="x", willContinue=True)], willContinue=True
        ),
        call(partialArgs=[piece("$.a[0].b", stringValue="y"), piece("$.c", nullValue=None)]),
    ),
    event({"executableCode": {"code": "1"}}, {"toolCall": {"toolType": "S", "args": {"a": 1}}}),
    event(
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"toolResponse": {"toolType": "S", "id": "s1", "response": {"hits": [1]}}, **SIG},
    ),
    event(
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}, **SIG},
        {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}},
        {"fileData": {"mimeType": "audio/wav", "fileUri": "files/a"}},
        groundingMetadata={"g": 1},
    ),
    {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}},
    {**event(finishReason="STOP", index=0), "usageMetadata": {"candidatesTokenCount": 4}},
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_values_anywhere_leave_a_stream(odd: Any) -> None:
    copies = list(broken_copies(RICH, odd))
    assert len(copies) > 90
    for events in copies:
        run(*events)


@pytest.mark.parametrize("name", ["snake", "camel"])
def test_deep_values_are_read(name: str) -> None:
    deep: Any = {}
    for _ in range(60):
        deep = {"a_b": [deep]}
    names = NAMES if name == "camel" else {"model_version": "m"}
    parts = [{"functionCall": {"name": "f", "args": deep}}, {"x_y": deep}]
    ran = run({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], **names})
    assert ran.end == {"finishReason": "stop"}
    assert raw_args(ran)[0].count("a_b") == 60


# --- recordings ----------------------------------------------------------------------------------

IDS = recorded.ids(API)


@pytest.mark.parametrize("name", IDS)
def test_an_array_of_the_recorded_events_says_the_same(name: str, recordings: Path) -> None:
    texts = recorded.load()[name].texts
    due = run_events(API, texts)
    for between, indent in ((",", None), ("\n,\r\n", 2)):
        parts = [json.dumps(json.loads(text), indent=indent, ensure_ascii=False) for text in texts]
        data = f"[{between.join(parts)}\n]".encode()
        ran = run_bytes(API, [data[at : at + 97] for at in range(0, len(data), 97)])
        assert ran.deltas == due.deltas
        assert ran.adapter.opaque == due.adapter.opaque


def _found(value: Any, name: str) -> list[Any]:
    if isinstance(value, list):
        return [hit for item in value for hit in _found(item, name)]
    if not isinstance(value, dict):
        return []
    hits = [value[name]] if name in value else []
    return hits + [hit for member in value.values() for hit in _found(member, name)]


@pytest.mark.parametrize("name", IDS)
def test_all_state_of_the_recorded_parts_is_kept(name: str, recordings: Path) -> None:
    """Every signature and server-side call, unchanged and in order; images are parts."""
    recording = recorded.load()[name]
    events = [json.loads(text) for text in recording.texts]
    ran = run_events(API, events)
    kept = [{item.kind: item.data} for item in ran.adapter.opaque]
    for member in ("thoughtSignature", "executableCode", "toolCall"):
        assert _found(kept, member) == _found(events, member)
    media = [part["payload"] for part in ran.whole if part["kind"] == "media"]
    images = [{"mimeType": each["mimeType"], "data": each["source"]["data"]} for each in media]
    assert images == _found(events, "inlineData")
    server = recording.expected["serverToolCalls"]
    assert len(_found(kept, "executableCode") + _found(kept, "toolCall")) == len(server)


@pytest.mark.parametrize("name", IDS)
def test_server_tools_of_the_recordings_are_parts_with_their_results(
    name: str, recordings: Path
) -> None:
    recording = recorded.load()[name]
    parts = run_events(API, recording.texts).parts
    calls = [part["payload"] for part in parts if part["kind"] == "server_tool_call"]
    results = [p["payload"]["toolCallId"] for p in parts if p["kind"] == "server_tool_result"]
    due = recording.expected["serverToolCalls"]
    names = {"executableCode": "code_execution"}
    assert [(call["toolName"], call["arguments"]) for call in calls] == [
        (names.get(call["name"], call["name"]), call["arguments"] or {}) for call in due
    ]
    ids = [call["toolCallId"] for call in calls]
    assert results == ids
    assert all(mine in (call["id"], f"srv_{mine[4:]}") for mine, call in zip(ids, due, strict=True))


@pytest.mark.parametrize("name", IDS)
def test_grounding_of_the_recordings_is_found_in_the_text(name: str, recordings: Path) -> None:
    """Each chunk of each support, with the words that its segment says."""
    recording = recorded.load()[name]
    ran = run_events(API, recording.texts)
    due = [
        support["segment"]["text"]
        for metadata in _found([json.loads(text) for text in recording.texts], "groundingMetadata")
        for support in metadata.get("groundingSupports", ())
        for _ in support["groundingChunkIndices"]
    ]
    cited = [
        part["payload"]["text"][citation["start"] : citation["end"]]
        for part in ran.whole
        for citation in part["payload"].get("citations", ())
        if "start" in citation
    ]
    assert cited == due
