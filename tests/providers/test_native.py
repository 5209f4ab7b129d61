"""Responses read by the native core: the deltas and the message are those of the adapters.

Each fixture and each recording, in chunks of every size that a network or a file has; with fuzz,
``tests/fuzz/providers.py``.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from partwire import UsageError, assemble
from partwire.contract.current.message import MessageDelta
from partwire.providers import (
    ADAPTERS,
    ByteAdapter,
    adapt_bytes,
    adapt_bytes_async,
    open_adapter,
)
from tests.fixture_cases import Case, cases
from tests.fuzz import providers as fuzz
from tests.fuzz.providers import outcome
from tests.fuzz.runner import main
from tests.providers import recordings as recorded
from tests.providers.provider_streams import RUN, fixed_clock, step_clock

SIZES = (1, 7, 200, 64 * 1024)


def in_chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def check(
    dialect: str, data: bytes, clock: Callable[[], Callable[[], str]], **options: Any
) -> None:
    adapter = open_adapter(dialect, RUN, clock=clock(), **options)
    reader = ByteAdapter(adapter)
    due = reader.feed(data) + reader.close()
    message = outcome(partial(assemble, due))
    for size in SIZES if len(data) < 20_000 else SIZES[2:]:
        chunks = in_chunks(data, size)
        assert list(adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)) == due, size
        source = adapt_bytes(dialect, chunks, RUN, clock=clock(), **options)
        assert outcome(partial(assemble, source)) == message, size


@pytest.mark.parametrize("case", cases("providers"), ids=lambda case: f"{case.version}/{case.name}")
def test_a_fixture(case: Case) -> None:
    spec = case.spec
    options = {
        "used_tool_call_ids": frozenset(spec.get("used_tool_call_ids", ())),
        "keep_raw": spec.get("keep_raw", False),
        "message_id": spec.get("message_id"),
        "turn_id": spec.get("turn_id"),
        "author": spec.get("author"),
        "format": spec.get("format"),
    }
    check(spec["api"], case.data("input"), lambda: step_clock(**spec["clock"]), **options)


@pytest.mark.parametrize("name", recorded.ids(*ADAPTERS))
def test_a_recording(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    for data in filter(None, (recording.sse, recording.raw_sse)):
        check(recording.dialect, data, lambda: fixed_clock)
        check(recording.dialect, data, lambda: fixed_clock, keep_raw=True)


@pytest.mark.parametrize("cases", [200, pytest.param(3_000, marks=pytest.mark.slow)])
def test_any_bytes(cases: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([fuzz.TARGET], ["--n", str(cases)]) == 0, capsys.readouterr().out


# --- integers beyond 64 bits, which the core rounds -----------------------------------------------

WIDE = "12345678901234567890123"
NUMBERS = [
    *(WIDE, f"-{WIDE}", "1767323045999999999999999999999999999999", "9" * 400),
    *("9" * 19, f"-{'9' * 19}", "9" * 20, f"{WIDE}.5", "1e22"),
    *("18446744073709551615", "18446744073709551616"),
    *("-9223372036854775808", "-9223372036854775809"),
]


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)


def anthropic(*pieces: str, **block: Any) -> list[dict[str, Any]]:
    """A block that is kept whole, between two texts."""
    blocks = [
        {"type": "text", "text": "Before"},
        {"type": "server_tool_use", "id": "s", "name": "w", **block},
        {"type": "text", "text": "After"},
    ]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "model": "c", "usage": {}}}
    ]
    for index, each in enumerate(blocks):
        at: dict[str, Any] = {"index": index}
        events.append({"type": "content_block_start", "content_block": each, **at})
        for piece in pieces if index == 1 else ():
            delta = {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "delta": delta, **at})
        events.append({"type": "content_block_stop", **at})
    events.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    return [*events, {"type": "message_stop"}]


def with_number(number: str) -> dict[str, tuple[str, bytes, bool]]:
    """Streams that keep a number: the dialect, the bytes, whether only raw events have it."""
    given = sse(*anthropic(input={"a": 7777777})).replace(b"7777777", number.encode())
    half = len(number) // 2
    joined = sse(*anthropic(f'{{"a":{number[:half]}', number[half:] + "}"))
    inside = [base64.b64encode(line[6:]).decode() for line in given.splitlines() if line]
    chunks = "".join(json.dumps({"chunk": {"bytes": each}}) + "\n" for each in inside).encode()
    delta = '{"index":0,"delta":{"content":"Hi"},"finish_reason":%s}'
    chat = "".join(
        f'data: {{"id":"q","model":"m","n":{number if at == 2 else at},"choices":[{choice}]}}\n\n'
        for at, choice in enumerate([delta % "null"] * 4 + [delta % '"stop"'])
    )
    candidate = '{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}'
    gemini = f'{{"candidates":[{candidate}],\r\n"x":[{number}]}}'
    return {
        "given": ("anthropic-messages", given, False),
        "joined": ("anthropic-messages", joined, False),
        "base64": ("anthropic-messages", chunks, False),
        "chat": ("openai-chat", chat.encode(), True),
        "array": ("gemini", f"[{gemini}]".encode(), True),
        "read at the end": ("gemini", gemini.encode(), True),
    }


def cuts(data: bytes, number: str) -> list[list[bytes]]:
    """Every cut in two around the number, or near the middle; all of it, and single bytes."""
    found = data.find(number.encode())
    at = found if found >= 0 else len(data) // 2
    around = range(max(at - 3, 1), min(at + min(len(number), 40) + 3, len(data)))
    return [[data], in_chunks(data, 1), *([data[:cut], data[cut:]] for cut in around)]


def shown(deltas: list[MessageDelta]) -> tuple[str, bytes]:
    """All that is seen of deltas: an integer equals its double, but is not the same."""
    return repr(deltas), msgspec.json.encode(deltas)


async def read_async(
    dialect: str | None, chunks: list[bytes], **options: Any
) -> list[MessageDelta]:
    async def source() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    deltas = adapt_bytes_async(dialect, source(), RUN, **options)
    return [delta async for delta in deltas]


@pytest.mark.parametrize("name", with_number("0"))
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:24]}-{len(number)}")
def test_a_wide_integer(name: str, number: str) -> None:
    dialect, data, is_raw = with_number(number)[name]
    for keep_raw in (True,) if is_raw else (False, True):
        clock = partial(step_clock, "2026-01-02T03:04:05Z", 1000)
        reader = ByteAdapter(open_adapter(dialect, RUN, clock=clock(), keep_raw=keep_raw))
        deltas = reader.feed(data) + reader.close()
        due, message = shown(deltas), outcome(partial(assemble, deltas))
        if number.isdecimal() and len(number) < 300:  # a longer one is null in raw events
            assert number in due[0]
        for cut in cuts(data, number):
            assert (
                shown(list(adapt_bytes(dialect, cut, RUN, clock=clock(), keep_raw=keep_raw))) == due
            ), cut
            assert (
                shown(asyncio.run(read_async(dialect, cut, clock=clock(), keep_raw=keep_raw)))
                == due
            ), cut
            source = adapt_bytes(dialect, cut, RUN, clock=clock(), keep_raw=keep_raw)
            assert outcome(partial(assemble, source)) == message, cut
        if not is_raw and name != "base64":
            assert (
                shown(list(adapt_bytes(None, [data], RUN, clock=clock(), keep_raw=keep_raw))) == due
            )


def test_after_a_wide_integer_chunks_are_bytes_as_before() -> None:
    dialect, data, _ = with_number(WIDE)["given"]
    at = data.index(b"After")
    chunks: list[Any] = [data[:at], bytearray(data[at:]), None]
    deltas = adapt_bytes(dialect, chunks, RUN, clock=fixed_clock)
    due = list(adapt_bytes(dialect, data, RUN, clock=fixed_clock))
    assert [next(deltas) for _ in due] == due
    with pytest.raises(UsageError, match="Not what a response comes in"):
        next(deltas)


# --- numbers, and what is none --------------------------------------------------------------------


def gemini(*parts: dict[str, Any], **beside: Any) -> bytes:
    events = [{"candidates": [{"content": {"parts": [part]}, **beside}]} for part in parts]
    return sse(*events, {"candidates": [{"finishReason": "STOP"}]})


def chat(cost: Any = None, **delta: Any) -> bytes:
    choice = {"delta": {"content": "Hi", **delta}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "cost": cost}
    return sse({"id": "q", "model": "m", "choices": [choice], "usage": usage})


def flagged() -> dict[str, tuple[str, bytes]]:
    """Streams with 7777777 for what ``true`` alone switches on: the dialect and the bytes."""

    def call(**said: Any) -> dict[str, Any]:
        return {"functionCall": {"name": "f", **said}}

    piece = {"jsonPath": "$.a", "stringValue": "x"}
    more = call(willContinue=True, partialArgs=[{**piece, "willContinue": 7777777}])
    summary = [{"type": "summary_text", "text": "Hm"}]
    reasoning = {"type": "reasoning", "id": "rs", "summary": summary}
    responses = sse(
        {"type": "response.created", "response": {"id": "r", "model": "m", "store": 7777777}},
        {"type": "response.output_item.done", "output_index": 0, "item": reasoning},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "Hi"},
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
    )
    return {
        "thought": ("gemini", gemini({"text": "Hm", "thought": 7777777})),
        "call": ("gemini", gemini(call(willContinue=7777777), {"text": "Hi"})),
        "call again": ("gemini", gemini(call(id="i"), call(id="i", willContinue=7777777))),
        "piece": ("gemini", gemini(more, call(partialArgs=[piece]))),
        "store": ("openai-responses", responses),
    }


def read(dialect: str, data: bytes) -> list[MessageDelta]:
    """Return the deltas, which are the same by every way."""
    data += b"data: [DONE]\n\n"
    check(dialect, data, lambda: fixed_clock, keep_raw=True)
    deltas = list(adapt_bytes(dialect, data, RUN, clock=fixed_clock))
    reader = ByteAdapter(open_adapter(dialect, RUN, clock=fixed_clock))
    assert shown(reader.feed(data) + reader.close()) == shown(deltas)
    return deltas


@pytest.mark.parametrize("name", flagged())
def test_1_is_not_true(name: str) -> None:
    dialect, data = flagged()[name]
    flags = ("true", "false", "1", "1.0")
    on, *off = [read(dialect, data.replace(b"7777777", flag.encode())) for flag in flags]
    assert all(each == off[0] for each in off)
    assert on != off[0]


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        *[("1", "1.0", 1), ("[1e0]", "[1]", 1), ("1", "true", 2), ('{"b":0}', '{"b":false}', 2)],
        ('"\\ud83d"', '"\\ufffd"', 2),
    ],
)
def test_what_is_repeated_is_kept_once(one: str, other: str, count: int) -> None:
    texts = {"text": "a"}, {"text": "b"}
    data = gemini(*texts, citationMetadata={"a": 7777777})
    for value in (one, other):
        data = data.replace(b"7777777", value.encode(), 1)
    *_, sealed, _ = read("gemini", data)
    assert msgspec.json.encode(sealed).count(b"citationMetadata") == count


@pytest.mark.parametrize("member", ["index", "type"])
@pytest.mark.parametrize(("other", "count"), [("1", 1), ("1.0", 1), ("true", 2)])
def test_a_detail_goes_on_with_its_own_number(member: str, other: str, count: int) -> None:
    details = [{"type": "t", "text": "a", member: 1}, {"type": "t", "text": "b", member: 7777777}]
    data = chat(reasoning_details=details).replace(b"7777777", other.encode())
    told = msgspec.json.encode(read("openai-chat", data))
    assert told.count(b'"text":') == count


@pytest.mark.parametrize(
    ("given", "cost"),
    [
        *[("0", 0.0), ("2", 2.0), (WIDE, float(WIDE)), ("9" * 45, 1e45)],
        *[("9" * 400, None), ("-1", None), ("true", None)],
    ],
    ids=lambda each: str(each)[:24],
)
def test_a_price_is_a_double(given: str, cost: float | None) -> None:
    data = chat(cost=7777777).replace(b"7777777", given.encode())
    usage = next(delta for delta in read("openai-chat", data) if delta.kind == "usage")
    told = msgspec.json.decode(msgspec.json.encode(usage))["payload"].get("cost")
    assert repr(told) == repr(cost)
