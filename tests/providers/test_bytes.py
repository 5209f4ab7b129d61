"""From bytes to deltas: framings, bodies, cuts, limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import UsageError, to_wire
from partwire.providers import ByteAdapter, adapt_bytes, open_adapter
from tests.providers.provider_streams import RUN, fixed_clock, run_bytes

CHAT = "openai-chat"
HELLO = '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
BODY = {
    "id": "c",
    "model": "m",
    "choices": [{"index": 0, "message": {"content": "Hi\n"}, "finish_reason": "stop"}],
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("lead", ["", "\ufeff", " \r\n\t", "\ufeff\n"])
def test_a_json_body_may_stand_on_many_lines(indent: int | None, lead: str) -> None:
    data = (lead + json.dumps(BODY, indent=indent)).encode()
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        ran = run_bytes(CHAT, chunks)
        assert ran.parts == [{"kind": "text", "payload": {"text": "Hi\n"}}]
        assert ran.end == {"finishReason": "stop"}


def test_a_cut_body_is_truncated() -> None:
    data = json.dumps(BODY, indent=2).encode()
    for length in range(len(data)):
        assert run_bytes(CHAT, [data[:length]]).end["errorCode"] == "truncated_stream"


def test_lines_after_a_broken_first_line_are_passed_over() -> None:
    ran = run_bytes(CHAT, [f'{{"broken\n{HELLO}\n{STOP}\n'.encode()])
    assert ran.end["errorCode"] == "truncated_stream"
    assert ran.rules == ["adapter/invalid-event", "adapter/after-end"]


def test_what_cannot_be_read_on_is_said_at_once() -> None:
    for data in (f"{HELLO}\n{{torn\n", f"data: {HELLO}\n\ndata: \udcff\n\n"):
        reader = ByteAdapter(open_adapter(CHAT, RUN, clock=fixed_clock))
        deltas = reader.feed(data.encode("utf-8", "surrogateescape"))
        assert [delta.kind for delta in deltas] == ["start", "text", "error"]
        assert reader.close() == []


def test_several_events_may_come_in_an_array() -> None:
    ran = run_bytes(CHAT, [f"[{HELLO},{STOP}]".encode()])
    assert ran.kinds == ["start", "text", "done"]
    assert run_bytes(CHAT, [b"data: [1]\n\ndata: []\n\n"]).rules == ["adapter/invalid-event"] * 2


@pytest.mark.parametrize(
    ("tail", "end"),
    [
        (f"\ndata: {STOP}\ndata: [DONE]\n\n", "done: stop"),
        (f"\n\ndata: {STOP}\ndata: [DONE]", "done: stop"),
        ("\ndata: [DONE]\n\n", "done: unknown"),
        ("\nevent: error\ndata: [DONE]\n\n", "done: unknown"),
        (f"\ndata: [DONE]\ndata: {STOP}\n\n", "done: unknown"),
        ('\nevent: error\ndata: {"code": 503}\n\n', "error: overloaded"),
        ('\nevent: error\ndata: {"error": {"code": 503}}\ndata: [DONE]\n\n', "error: overloaded"),
        (f"\ndata: {STOP[:-9]}", "error: truncated_stream"),
        ("\ndata: {\ndata: }\n\n", "error: truncated_stream"),
    ],
)
def test_one_line_end_may_part_two_events(tail: str, end: str) -> None:
    for line_end in ("\n", "\r\n"):
        ran = run_bytes(CHAT, [f"data: {HELLO}{tail}".replace("\n", line_end).encode()])
        reason = ran.end.get("finishReason") or ran.end.get("errorCode")
        assert f"{ran.kinds[-1]}: {reason}" == end
        text = [] if "{\n" in tail else [{"kind": "text", "payload": {"text": "Hi"}}]
        assert ran.parts == text


def test_what_one_line_end_parts_is_raw_event_by_event() -> None:
    data = f"event: x\ndata: {HELLO}\nevent: error\ndata: {STOP}\ndata: [DONE]\n\n"
    ran = run_bytes(CHAT, [data.encode()], keep_raw=True)
    assert ran.parts == [{"kind": "text", "payload": {"text": "Hi"}}]
    assert [delta.provider_raw for delta in ran.deltas if delta.provider_raw] == [
        {"events": [json.loads(HELLO)]},
        {"events": [json.loads(STOP), "[DONE]"]},
    ]


def test_half_a_character_of_a_raw_event_can_be_written() -> None:
    figures = f'"\\ude00":NaN,"n":{"9" * 400},"id"'
    hello = HELLO.replace("Hi", "\\ud83d").replace('"id"', figures)
    ran = run_bytes(CHAT, [f"data: {hello}\n\ndata: {STOP}\n\n".encode()], keep_raw=True)
    (first, *_) = [to_wire(delta)["providerRaw"] for delta in ran.deltas if delta.provider_raw]
    assert first["events"][0]["choices"][0]["delta"] == {"content": "\ufffd"}
    assert (first["events"][0]["\ufffd"], first["events"][0]["n"]) == (None, None)


@pytest.mark.parametrize(
    "data",
    [
        b"data: " + HELLO.replace("Hi", "H\xff").encode("latin-1") + b"\n\n",
        HELLO.replace("Hi", "H\xff").encode("latin-1") + b"\n",
    ],
)
def test_bytes_that_are_no_utf8_end_the_stream(data: bytes) -> None:
    """SSE-10: nothing is replaced, least of all inside tool arguments."""
    for chunks in ([data, STOP.encode()], [data[at : at + 1] for at in range(len(data))]):
        ran = run_bytes(CHAT, chunks)
        assert ran.kinds == ["start", "error"]
        assert ran.end["errorCode"] == "unknown"
        assert ran.rules == ["framing/invalid-utf8"]


def test_a_character_that_the_end_cuts_off_is_a_cut() -> None:
    """SSE-10."""
    data = HELLO.replace("Hi", "ø").encode()
    cut = data[: data.index(b"\xb8")]
    for prefix in (b"", b"data: "):
        ran = run_bytes(CHAT, [prefix + cut])
        assert ran.end["errorCode"] == "truncated_stream"
        assert ran.rules == ["adapter/invalid-event"]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"data: " + b"x" * 300 + b"\n\n", "framing/event-too-large"),
        (b'{"a":"' + b"x" * 300 + b'"}\n', "framing/line-too-long"),
        (b'{"a":\n' + b"1,\n" * 100 + b"1}", "framing/event-too-large"),
    ],
)
def test_events_beyond_the_limit_end_the_stream(data: bytes, rule: str) -> None:
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        adapter = open_adapter(CHAT, RUN, clock=fixed_clock)
        reader = ByteAdapter(adapter, max_event_bytes=200)
        deltas = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()
        assert [delta.kind for delta in deltas] == ["start", "error"]
        assert [finding.rule for finding in adapter.findings] == [rule]


def test_one_framing_error_is_enough() -> None:
    data = b'{"a":"\xff"}\n' + b"x" * 300
    adapter = open_adapter(CHAT, RUN, clock=fixed_clock)
    reader = ByteAdapter(adapter, "jsonl", max_event_bytes=200)
    assert [delta.kind for delta in reader.feed(data) + reader.close()] == ["start", "error"]
    assert [finding.rule for finding in adapter.findings] == ["framing/invalid-utf8"]


def test_what_came_before_a_framing_error_is_kept() -> None:
    data = f"data: {HELLO}\n\n".encode()
    ran = run_bytes(CHAT, [data + b"data: \xff\n\n"])
    assert ran.kinds == ["start", "text", "error"]
    done = run_bytes(
        CHAT, [data + f"data: {STOP}\n\ndata: [DONE]\n\ndata: ".encode() + b"\xff\n\n"]
    )
    assert done.kinds == ["start", "text", "done"]
    assert done.rules == ["framing/invalid-utf8"]


BUSY = {"error": {"code": 503, "message": "Too busy", "status": "UNAVAILABLE"}}


@pytest.mark.parametrize(
    ("indent", "tail"), [(None, ""), (None, "\n"), (None, "\n\n: bye\n"), (2, ""), (2, "\n\n")]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_an_error_may_stand_bare_amid_events(indent: int | None, line_end: str, tail: str) -> None:
    bare = json.dumps(BUSY, indent=indent)
    data = f": hello\n\ndata: {HELLO}\n\n{bare}{tail}".replace("\n", line_end).encode()
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        ran = run_bytes(CHAT, chunks, keep_raw=True)
        assert ran.kinds == ["start", "text", "error"]
        assert ran.end["errorCode"] == "overloaded"
        assert ran.end["message"] == "Too busy"
        assert ran.deltas[-1].provider_raw == {"events": [BUSY]}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_an_error_that_stands_bare_before_the_mark_is_one(
    indent: int | None, line_end: str
) -> None:
    bare = json.dumps(BUSY, indent=indent)
    data = f"data: {HELLO}\n\n{bare}\n\ndata: [DONE]\n\n".replace("\n", line_end).encode()
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        ran = run_bytes(CHAT, chunks)
        assert ran.kinds == ["start", "text", "error"]
        assert (ran.end["errorCode"], ran.end["message"]) == ("overloaded", "Too busy")
        assert ran.rules == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "lead", ["", "{junk\n", "{junk\n\n", '{"a":\n[1],\n', "junk\n", '{"a":1}\n']
)
@pytest.mark.parametrize("head", [f"data: {HELLO}", f"data: {STOP}", "data: [DONE]"])
def test_an_error_that_stands_bare_is_one_wherever_the_stream_goes_on(
    head: str, lead: str, line_end: str
) -> None:
    """Neither what is read before it nor what is before it on another line hides it."""
    bare = lead + json.dumps(BUSY)
    data = f"data: {HELLO}\n\n{head}\n\n{bare}\n\ndata: [DONE]\n\n".replace("\n", line_end).encode()
    for chunks in ([data], [data[at : at + 1] for at in range(len(data))]):
        ran = run_bytes(CHAT, chunks)
        assert (ran.end["errorCode"], ran.end["message"]) == ("overloaded", "Too busy")
        assert ran.rules == []


@pytest.mark.parametrize(
    ("bare", "is_lost"),
    [({"choices": []}, False), ([1], False), ("{", True), ({"error": "x" * 70_000}, True)],
)
def test_what_stands_bare_and_is_no_error_is_a_finding_and_no_content(
    bare: Any, is_lost: bool
) -> None:
    """What begins like JSON and is not, or is too long to be read, may have been an error."""
    line = bare if isinstance(bare, str) else json.dumps(bare)
    whole = run_bytes(CHAT, [f"data: {STOP}\n\n{line}\n\ndata: [DONE]\n\n".encode()])
    assert whole.end == {"finishReason": "stop"}
    assert whole.rules == ["adapter/invalid-event"]
    unsaid = run_bytes(CHAT, [f"data: {HELLO}\n\n{line}\n\ndata: [DONE]\n\n".encode()])
    assert unsaid.end.get("finishReason", "lost") == ("lost" if is_lost else "unknown")
    cut = run_bytes(CHAT, [f"data: {HELLO}\n\n{line}\n\n".encode()])
    assert cut.end["errorCode"] == "truncated_stream"
    late = run_bytes(CHAT, [f"data: {STOP}\n\ndata: [DONE]\n\n{json.dumps(BUSY)}".encode()])
    assert late.end == {"finishReason": "stop"}
    assert late.rules == ["adapter/after-end"]


def test_a_framing_may_be_given() -> None:
    assert run_bytes(CHAT, [f"{HELLO}\n".encode()], "sse").kinds == ["start", "error"]
    assert run_bytes(CHAT, [f"{HELLO}\n{STOP}".encode()], "jsonl").kinds[-1] == "done"
    with pytest.raises(UsageError) as caught:
        run_bytes(CHAT, [], "xml")  # type: ignore[arg-type]
    assert caught.value.rule == "usage/invalid-argument"


def test_white_space_alone_is_an_empty_stream() -> None:
    for data in (b"", b"\n \r\n", b"\xef\xbb", b"\n" * 5000, b"<html>502</html>"):
        assert run_bytes(CHAT, [data]).kinds == ["start", "error"]


def test_adapt_bytes_yields_as_it_reads() -> None:
    chunks = iter([f"data: {HELLO}\n\n".encode(), b"data: [DONE]\n\n"])
    deltas = adapt_bytes(CHAT, chunks, RUN, clock=fixed_clock)
    assert next(deltas).kind == "start"
    assert next(deltas).kind == "text"
    assert next(chunks) == b"data: [DONE]\n\n"  # not read yet
    assert [delta.kind for delta in deltas] == ["error"]


def test_unknown_dialects_and_runs_are_refused() -> None:
    dialects: list[Any] = ["morse", None, [], {}]
    for dialect in dialects:
        with pytest.raises(UsageError) as caught:
            list(adapt_bytes(dialect, [], RUN, clock=fixed_clock))
        assert caught.value.rule == "usage/unknown-dialect"
    for run_id in ("", 5, "\ud83d"):
        with pytest.raises(UsageError) as caught:
            open_adapter(CHAT, run_id, clock=fixed_clock)  # type: ignore[arg-type]
        assert caught.value.rule == "usage/invalid-argument"
