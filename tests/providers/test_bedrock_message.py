"""The Converse adapter: ends, usage, whole responses and errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.loaders import Loader

from partwire import to_wire
from partwire.providers import OpaqueItem, open_adapter
from tests.providers.converse_events import (
    API,
    START,
    USAGE,
    begin,
    call,
    ends,
    metadata,
    piece,
    run,
    stop,
    text,
)
from tests.providers.provider_streams import RUN, fixed_clock, run_bytes

# --- the message ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "due"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        ("malformed_model_output", "error"),
        ("malformed_tool_use", "error"),
        ("refusal", "refusal"),
        ("pause_turn", "pause"),
        ("of_its_own", "unknown"),
        (None, "unknown"),
        (5, "unknown"),
    ],
)
def test_stop_reasons(reason: Any, due: str) -> None:
    ran = run(START, text(0, "x"), ends(reason), metadata())
    assert ran.end == {"finishReason": due}
    assert ("adapter/unknown-finish-reason" in ran.rules) == (due == "unknown")


def test_arguments_that_are_empty_part_no_text() -> None:
    """No delta comes of them, so an assembler goes on with the part that it has."""
    source = {"title": "t"}
    empty = piece(1, toolUse={"input": ""})
    ran = run(
        *(START, call(1), text(0, "a"), empty, text(0, "b"), piece(0, citation=source), stop(0)),
        *(piece(1, toolUse={"input": "{}"}), stop(1), ends("tool_use"), metadata()),
    )
    assert [part["kind"] for part in ran.parts] == ["tool_call", "text"]
    payload = ran.parts[1]["payload"]
    assert payload["text"] == "ab"
    (citation,) = payload["citations"]
    assert (citation["start"], citation["end"]) == (0, 2)
    assert ran.adapter.opaque == [OpaqueItem("citation", source, 1)]


def test_an_empty_stop_reason_is_none() -> None:
    assert run(START, ends("")).rules == ["adapter/unknown-finish-reason"]


def test_an_end_alone_is_no_message() -> None:
    alone: dict[str, Any] = {"messageStop": {}}
    for events in ((alone,), (alone, metadata()), (metadata(), alone)):
        ran = run(*events)
        assert (ran.end["errorCode"], ran.rules) == ("truncated_stream", [])
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    adapter.identify("model", "request")  # the caller's words are not a message
    assert [d.kind for d in [*adapter.feed(alone), *adapter.close()]] == ["error"]
    assert run(START, alone).end == {"finishReason": "unknown"}
    assert run(text(0, "a"), alone).end == {"finishReason": "unknown"}
    fields = {"messageStop": {"additionalModelResponseFields": {"a": 1}}}
    assert run(fields).end == {"finishReason": "unknown"}
    assert run(ends()).end == {"finishReason": "stop"}


def test_blocks_of_a_whole_response_that_are_none_are_said() -> None:
    ran = run({"output": {"message": {"content": [5, {"text": "x"}]}}, "stopReason": "end_turn"})
    found = [(finding.rule, finding.pointer) for finding in ran.adapter.findings]
    assert found[1:] == [("adapter/invalid-event", "/0/output/message/content/0")]
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]


def test_every_published_stop_reason_and_exception_is_known() -> None:
    shapes = Loader().load_service_model("bedrock-runtime", "service-2")["shapes"]
    for reason in shapes["StopReason"]["enum"]:
        assert run(START, ends(reason)).rules == []
    names = [
        name
        for shape in ("ConverseStreamOutput", "ResponseStream")
        for name, member in shapes[shape]["members"].items()
        if shapes[member["shape"]].get("exception")
    ]
    assert len(names) == 11
    for name in names:
        ran = run(START, {name: {"message": "x"}})
        assert ran.end["errorCode"] != "unknown", name


def test_done_comes_with_the_usage_or_at_the_end() -> None:
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    for event in (START, text(0, "x"), stop(0), ends()):
        assert all(delta.kind != "done" for delta in adapter.feed(event))
    assert [delta.kind for delta in adapter.feed(metadata())] == ["usage", "done"]
    assert adapter.feed(metadata({"inputTokens": 1, "outputTokens": 1})) == []
    assert adapter.findings == []
    early = run(START, metadata(), text(0, "x"), ends())
    assert early.kinds == ["start", "usage", "text", "done"]
    assert early.rules == []
    without = run(START, text(0, "x"), ends())
    assert without.kinds == ["start", "text", "done"]


def test_later_metadata_erases_nothing() -> None:
    """FIN-09."""
    ran = run(START, metadata(), {"metadata": {"metrics": {"latencyMs": 9}}}, ends())
    assert ran.usage == {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}
    after = run(START, ends(), {"metadata": {"metrics": {"latencyMs": 9}}}, metadata())
    assert after.usage == ran.usage


@pytest.mark.parametrize(
    ("usage", "due"),
    [
        ({"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}, (5, 7, 12)),
        ({"inputTokens": 5, "outputTokens": 7}, (5, 7, 12)),
        ({"outputTokens": 7}, (0, 7, 7)),
        (
            {
                "inputTokens": 5,
                "outputTokens": 7,
                "totalTokens": 142,
                "cacheReadInputTokens": 100,
                "cacheWriteInputTokens": 30,
            },
            (135, 7, 142),
        ),
        (
            {"inputTokens": 5, "outputTokens": 7, "cacheReadInputTokenCount": 3},
            (8, 7, 15),
        ),
        (  # the total leaves no room: the cached ones are among the others
            {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12, "cacheReadInputTokens": 3},
            (5, 7, 12),
        ),
        (  # more of them than of all
            {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12, "cacheReadInputTokens": 9},
            (14, 7, 12),
        ),
    ],
)
def test_usage(usage: dict[str, int], due: tuple[int, int, int]) -> None:
    ran = run(START, ends(), metadata(usage))
    assert tuple(ran.usage.values()) == due


def test_usage_that_says_nothing_is_said() -> None:
    assert run(START, ends(), metadata({"totalTokens": 3})).rules == ["adapter/incomplete-usage"]
    assert run(START, ends(), metadata({})).rules == []
    odd = run(START, ends(), metadata({"inputTokens": "5", "outputTokens": 7}))
    assert odd.rules == ["adapter/invalid-event"]


def test_figures_of_invoke_model_fill_in() -> None:
    metrics = {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 3, "outputTokenCount": 4}}
    assert run(START, ends(), metrics).usage == {
        "inputTokens": 3,
        "outputTokens": 4,
        "totalTokens": 7,
    }
    both = {**metadata(), **metrics}
    assert run(START, ends(), both).usage == {
        "inputTokens": 5,
        "outputTokens": 7,
        "totalTokens": 12,
    }


def test_members_beside_an_event_are_read() -> None:
    ran = run(
        {**START, "p": "abc"},
        {**text(0, "x"), "amazon-bedrock-guardrailAction": "INTERVENED"},
        {**ends(), "amazon-bedrock-trace": {"guardrail": {}}},
        {**text(1, "y"), "surprise": 1},
    )
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]
    assert ran.rules == ["adapter/after-end", "adapter/unknown-event"]


def test_the_guardrails_trace_is_not_kept() -> None:
    """It holds the model's output before it was masked."""
    trace = {"guardrail": {"modelOutput": ["Ann lives at 5 High Street."]}}
    ran = run(START, text(0, "{NAME} lives at {ADDRESS}."), ends(), metadata(trace=trace))
    assert ran.adapter.opaque == []
    assert ran.rules == []


def test_additional_response_fields_are_kept() -> None:
    fields = {"delta": {"stop_sequence": "###"}}
    ran = run(START, text(0, "x"), ends(additionalModelResponseFields=fields), metadata())
    assert ran.adapter.opaque == [OpaqueItem("additionalModelResponseFields", fields, 0, 1, 1)]


def test_a_second_message_ends_the_stream() -> None:
    server = begin(0, toolUse={"toolUseId": "s", "name": "n", "type": "server_tool_use"})
    for before in ((text(0, "x"),), (text(0, "x"), stop(0)), (call(0),), (server,)):
        ran = run(START, *before, START, ends())
        assert ran.end["errorCode"] == "provider_internal"
        assert ran.rules[-2:] == ["adapter/spliced-message", "adapter/after-end"]
    for events in ((START, START), (text(0, "x"), START)):
        ran = run(*events, text(0, "y"), ends())
        assert ran.kinds[-1] == "done"
        assert ran.rules == ["adapter/block-order"]


def test_what_follows_the_stop_is_passed_over() -> None:
    """FIN-16."""
    late = (text(0, "y"), call(1), START, ends("max_tokens"))
    ran = run(START, text(0, "x"), ends(), *late, metadata())
    assert ran.parts == [{"kind": "text", "payload": {"text": "x"}}]
    assert ran.end == {"finishReason": "stop"}
    assert set(ran.rules) == {"adapter/after-end"}


def test_the_caller_names_model_and_request() -> None:
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    (start,) = adapter.identify("amazon.nova-1", "req-1")
    assert to_wire(start)["payload"] == {"modelId": "amazon.nova-1", "requestId": "req-1"}
    kinds = [delta.kind for event in (START, call(0, ""), ends()) for delta in adapter.feed(event)]
    assert kinds == ["tool_call_start", "tool_call_end"]
    assert list(adapter.provider_ids) == ["call_req-1_0"]
    adapter.close()
    assert adapter.identify("other", "other") == []
    part = open_adapter(API, RUN, clock=fixed_clock)
    assert part.identify("amazon.nova-1") == []
    assert to_wire(part.feed(START)[0])["payload"] == {
        "modelId": "amazon.nova-1",
        "requestId": "unknown",
    }


# --- bodies and errors ---------------------------------------------------------------------------


CITATION = {"title": "a", "location": {"web": {"url": "https://a.example"}}}
RESULT = {"toolUseId": "s", "content": [{"text": "4"}], "status": "success"}
SERVER = {"toolUseId": "s", "name": "n", "type": "server_tool_use", "input": {"q": 1}}
CONTENT = [
    {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "c2ln"}}},
    {"reasoningContent": {"redactedContent": "AAE="}},
    {"text": "One"},
    {"citationsContent": {"content": [{"text": " two"}], "citations": [CITATION]}},
    {"toolUse": SERVER},
    {"toolResult": RESULT},
    {"toolUse": {"toolUseId": "t", "name": "f", "input": {"x": 1}}},
    {"image": {"format": "png", "source": {"bytes": "AAE="}}},
    5,
]


@pytest.mark.parametrize("version", ["v0.2", "v0.3"])
def test_a_whole_response_is_read(version: str) -> None:
    body = {
        "output": {"message": {"role": "assistant", "content": CONTENT}},
        "stopReason": "tool_use",
        "usage": USAGE,
        "metrics": {"latencyMs": 3},
    }
    ran = run(body, version=version)
    text = {"text": "One two"}
    call = {
        "kind": "tool_call",
        "payload": {"toolCallId": "t", "toolName": "f", "arguments": {"x": 1}},
    }
    kinds = [part["kind"] for part in ran.parts]
    assert ran.parts[0] == {"kind": "thinking", "payload": {"text": "Hm"}}
    if version == "v0.2":
        assert ran.parts[1:] == [{"kind": "text", "payload": text}, call]
        rest = [
            OpaqueItem("citation", CITATION, 1, 3, 7),
            OpaqueItem("toolUse", CONTENT[4], 1, 7, 7),
            OpaqueItem("toolResult", CONTENT[5], 1, 7, 7),
            OpaqueItem("image", CONTENT[7], 3, 0, 0),
        ]
    else:
        server = ["server_tool_call", "server_tool_result"]
        assert kinds == ["thinking", "text", *server, "tool_call", "media"]
        assert ran.parts[4] == call
        rest = [
            OpaqueItem("citation", CITATION, 1),
            OpaqueItem("toolUse", CONTENT[4], 2),
            OpaqueItem("toolResult", CONTENT[5], 3),
        ]
    assert ran.end == {"finishReason": "tool_calls"}
    assert ran.usage == USAGE
    assert ran.adapter.opaque == [
        OpaqueItem("signature", "c2ln", 0, 0, 2),
        OpaqueItem("redactedContent", CONTENT[1], 0, 2, 2),
        *rest,
    ]
    assert ran.rules[0] == "adapter/whole-body"
    whole = run_bytes(API, [json.dumps(body, indent=1).encode()], version=version)
    assert whole.deltas == ran.deltas
    assert run({**body, "stopReason": None}).end["errorCode"] == "truncated_stream"
    assert run(START, body).rules == ["adapter/unknown-event"]


@pytest.mark.parametrize(
    ("event", "code", "message"),
    [
        ({"throttlingException": {"message": "Slow."}}, "rate_limited", "Slow."),
        ({"modelStreamErrorException": {"message": "Oh."}}, "provider_internal", "Oh."),
        ({"internalServerException": {"Message": "Oh."}}, "provider_internal", "Oh."),
        ({"serviceUnavailableException": {}}, "overloaded", "serviceUnavailableException"),
        ({"modelTimeoutException": {"message": "Late."}}, "timeout", "Late."),
        ({"validationException": "No."}, "invalid_request", "No."),
        (
            {"validationException": {"message": "Input is too long for requested model."}},
            "context_length_exceeded",
            "Input is too long for requested model.",
        ),
        ({"newException": {"message": "?"}}, "unknown", "?"),
        (
            {"message": "The security token is invalid."},
            "unknown",
            "The security token is invalid.",
        ),
        (
            {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": "No."},
            "permission_denied",
            "No.",
        ),
        (
            {"Error": {"Code": "ExpiredTokenException", "Message": "Old."}, "ResponseMetadata": {}},
            "authentication",
            "Old.",
        ),
        ({"error": {"code": 429, "message": "Slow."}}, "rate_limited", "Slow."),
    ],
)
def test_errors_have_the_frameworks_code(event: Any, code: str, message: str) -> None:
    for events in ((event,), (START, text(0, "x"), event), (START, ends(), event)):
        ran = run(*events)
        assert (ran.end["errorCode"], ran.end["message"]) == (code, message)
    assert ran.adapter.error is not None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ServiceQuotaExceededException", "quota_exceeded"),
        ("ResourceNotFoundException", "not_found"),
        ("ModelNotReadyException", "overloaded"),
        ("ModelErrorException", "provider_internal"),
        ("UnrecognizedClientException", "authentication"),
        ("InvalidSignatureException", "authentication"),
        ("TooManyRequestsException", "rate_limited"),
    ],
)
def test_names_of_http_errors_are_known(name: str, code: str) -> None:
    assert run({"Error": {"Code": name, "Message": "x"}}).end["errorCode"] == code


@pytest.mark.parametrize(
    ("event", "dialect"),
    [
        ({"type": "message_start", "message": {}}, "anthropic-messages"),
        ({"choices": []}, "openai-chat"),
        ({"type": "response.created"}, "openai-responses"),
        ({"candidates": []}, "gemini"),
        ({"type": "message-start"}, "cohere-v2"),
    ],
)
def test_another_dialect_is_told(event: Any, dialect: str) -> None:
    ran = run(event)
    assert ran.rules == ["adapter/wrong-dialect"]
    assert dialect in ran.end["message"]
    assert run(START, event, ends()).rules == ["adapter/unknown-event"]
