"""Frames of AWS event streams, and what AWS's Python client makes of them, through adapters."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from botocore.eventstream import EventStream
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.parsers import EventStreamJSONParser

from partwire import dump, read, to_wire
from partwire_testing.conformance.drawn.aws_frames import (
    chunk_frame,
    converse_frames,
    event_frame,
    exception_frame,
    frame,
    text_header,
)
from tests.providers.converse_events import (
    API,
    START,
    begin,
    call,
    ends,
    metadata,
    piece,
    reasoning,
    run,
    stop,
    text,
)
from tests.providers.provider_streams import assembled, run_bytes, run_events, state_of

# --- frames --------------------------------------------------------------------------------------


def test_an_exception_frame_is_an_error_in_every_dialect() -> None:
    """SSE-06: the name of the exception is in a header."""
    exception = exception_frame("modelStreamErrorException", {"message": "Oh.", "p": "abc"})
    ran = run_bytes(API, [converse_frames([START, text(0, "x")]) + exception])
    assert ran.kinds == ["start", "text", "error"]
    assert ran.end["errorCode"] == "provider_internal"
    assert ran.adapter.error is not None
    assert ran.adapter.error.code == "modelStreamErrorException"
    begun = chunk_frame({"type": "message_start", "message": {"id": "m", "model": "c"}})
    for name, code in (("throttlingException", "rate_limited"), ("x", "unknown")):
        other = run_bytes("anthropic-messages", [begun + exception_frame(name, b"not JSON")])
        assert (other.end["errorCode"], other.end["message"]) == (code, "not JSON")


def test_an_error_frame_is_an_error() -> None:
    headers = [
        text_header(":message-type", "error"),
        text_header(":error-code", "InternalFailure"),
        text_header(":error-message", "An internal error occurred."),
    ]
    ran = run_bytes(API, [converse_frames([START]) + frame(headers)])
    assert ran.end["message"] == "An internal error occurred."
    assert ran.end["errorCode"] == "provider_internal"


def test_an_error_after_the_end_is_passed_over() -> None:
    good = converse_frames([START, ends(), metadata()])
    ran = run_bytes(API, [good + exception_frame("throttlingException", {})])
    assert ran.kinds[-1] == "done"
    assert ran.rules == ["adapter/after-end"]


def test_a_damaged_frame_ends_the_stream_and_names_the_byte() -> None:
    good = converse_frames([START, text(0, "x")])
    bad = bytearray(converse_frames([ends()]))
    bad[-6] ^= 1
    ran = run_bytes(API, [good + bytes(bad)])
    assert ran.kinds == ["start", "text", "error"]
    assert (ran.end["errorCode"], ran.end["retryable"]) == ("connection", True)
    assert ran.rules == ["framing/checksum-mismatch"]
    assert f"byte {len(good)} " in ran.adapter.findings[0].message


def test_a_cut_frame_is_a_cut_unless_the_message_is_whole() -> None:
    """SSE-07."""
    good = converse_frames([START, text(0, "x"), ends()])
    last = converse_frames([metadata()])
    for length in range(1, len(last)):
        ran = run_bytes(API, [good + last[:length]])
        assert ran.end == {"finishReason": "stop"}
        assert ran.rules == ["adapter/invalid-event"]
    cut = run_bytes(API, [good[:-1]])
    assert cut.end["errorCode"] == "truncated_stream"
    assert cut.rules == ["adapter/invalid-event"]


@pytest.mark.parametrize(
    ("payload", "rules"),
    [
        (b"", ["adapter/unknown-event"]),
        (b"{}", ["adapter/unknown-event"]),
        (b"[1]", ["adapter/unknown-event"]),
    ],
)
def test_frames_of_unknown_events_are_passed_over(payload: bytes, rules: list[str]) -> None:
    data = converse_frames([START]) + event_frame("initial-response", payload)
    ran = run_bytes(API, [data + converse_frames([ends()])])
    assert ran.end == {"finishReason": "stop"}
    assert ran.rules == rules


def test_a_frame_without_a_name_is_passed_over() -> None:
    for headers in ([], [(":event-type", 4, b"\0\0\0\1")], [text_header(":message-type", "x")]):
        ran = run_bytes(API, [frame(headers, b"{}") + converse_frames([START, ends()])])
        assert ran.end == {"finishReason": "stop"}
        assert ran.rules == ["adapter/unknown-event"]


def test_payloads_that_are_no_json_or_no_utf8_end_the_stream() -> None:
    ran = run_bytes(API, [event_frame("contentBlockDelta", b'{"contentBlock')])
    assert ran.end["errorCode"] == "truncated_stream"
    for payload in (b"\xff", b'{"a":"\xc3"}'):
        data = converse_frames([START]) + event_frame("contentBlockDelta", payload)
        ran = run_bytes(API, [data + data])
        assert ran.kinds == ["start", "error"]
        assert ran.rules == ["framing/invalid-utf8"]


@pytest.mark.parametrize("data", [{}, {"bytes": 5}, {"bytes": "?"}, {"bytes": "/w=="}, [], "x"])
def test_chunks_that_carry_nothing_are_said(data: Any) -> None:
    for dialect in (API, "anthropic-messages"):
        ran = run_bytes(dialect, [event_frame("chunk", json.dumps(data).encode())])
        assert ran.rules == ["adapter/invalid-event"]
        assert ran.end["errorCode"] == "truncated_stream"


def test_a_frame_larger_than_the_limit_ends_the_stream() -> None:
    ran = run_bytes(API, [b"\x05" + bytes(11)], "eventstream")
    assert ran.rules == ["framing/checksum-mismatch"]
    assert run_bytes(API, [b""], "eventstream").rules == []


def test_raw_events_of_frames_are_json() -> None:
    events = [START, reasoning(0, redactedContent=b"\x00\xff"), ends()]
    ran = run(*events, keep_raw=True)
    raw = [event for delta in ran.deltas for event in (delta.provider_raw or {}).get("events", ())]
    assert raw[1] == reasoning(0, redactedContent="AP8=")
    exception = exception_frame("throttlingException", {"message": "Slow."})
    framed = run_bytes(API, [converse_frames([START]) + exception], keep_raw=True)
    assert to_wire(framed.deltas[-1])["providerRaw"] == {
        "events": [{"code": "throttlingException", "message": "Slow."}]
    }


# --- AWS's Python client -------------------------------------------------------------------------


def _boto3_events(data: bytes) -> list[Any]:
    """Return what the client's parser makes of the frames of a Converse stream."""

    class Stream:
        def stream(self) -> list[bytes]:
            return [data]

        def close(self) -> None:
            pass

    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    shape: Any = model.shape_for("ConverseStreamOutput")
    return list(EventStream(Stream(), shape, EventStreamJSONParser(), "ConverseStream"))


def test_events_of_the_python_client_say_the_same() -> None:
    redacted = base64.b64encode(b"\x00\x01\xff").decode()
    events = [
        START,
        reasoning(0, text="Hm"),
        reasoning(0, signature="c2ln"),
        stop(0),
        reasoning(1, redactedContent=redacted),
        stop(1),
        text(2, "Hi ø"),
        stop(2),
        call(3),
        piece(3, toolUse={"input": '{"a":1}'}),
        stop(3),
        begin(4, toolResult={"toolUseId": "s", "type": "r", "status": "success"}),
        piece(4, toolResult=[{"json": {"b": [1, 2.5, None]}}]),
        stop(4),
        ends("tool_use", additionalModelResponseFields={"delta": {"stop_sequence": None}}),
        metadata(metrics={"latencyMs": 3}),
    ]
    data = converse_frames(events)
    decoded = _boto3_events(data)
    assert decoded[4]["contentBlockDelta"]["delta"]["reasoningContent"] == {
        "redactedContent": b"\x00\x01\xff"
    }
    ran, framed = run(*decoded), run_bytes(API, [data])
    assert ran.deltas == framed.deltas
    assert ran.adapter.opaque == framed.adapter.opaque
    assert ran.rules == framed.rules
    state = state_of(read(dump(assembled(ran.deltas)), "message.Message"))
    assert state[0][1]["data"] == {"reasoningContent": {"redactedContent": redacted}}


def test_chunks_of_the_python_client_are_unwrapped() -> None:
    for dialect, event in (
        (API, START),
        ("anthropic-messages", {"type": "message_start", "message": {"id": "m", "model": "c"}}),
    ):
        chunk = {"chunk": {"bytes": json.dumps(event).encode()}}
        assert run_events(dialect, [chunk]).deltas == run_events(dialect, [event]).deltas


def test_sse_with_the_events_name_is_read() -> None:
    lines = [
        f"event: {name}\ndata: {json.dumps(body)}\n\n"
        for event in (START, text(0, "x"), ends(), metadata())
        for name, body in event.items()
    ]
    ran = run_bytes(API, ["".join(lines).encode()])
    assert ran.deltas == run(START, text(0, "x"), ends(), metadata()).deltas
