"""Chunks that no reader lets pass, limits, and what is found beside the rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import (
    Limits,
    MessageAssembler,
    ReadError,
    StreamProtocolError,
    Unknown,
    UsageError,
    read,
    validate,
)
from partwire.blocks import ChunkCollector, ChunksToDeltas, collect_chunks
from partwire.contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    MessageStopChunk,
    StreamChunk,
    TokenUsage,
    ToolResultBlock,
    ToolUseBlock,
    ToolUseChunk,
)
from partwire.contract.current.message import ErrorDelta, TextDelta
from partwire.losses import MAX_PER_CODE
from partwire.providers import RETRYABLE
from tests.blocks.chunk_streams import (
    AT,
    END,
    PARAMETERS,
    chunk,
    chunks,
    codes,
    plainly,
    streams,
    to_chunks,
    to_deltas,
)
from tests.message.delta_streams import stream, struct


def tool(**fields: Any) -> ToolUseChunk:
    return ToolUseChunk(**{"tool_name": "f", "tool_use_id": "a", "parameters": {}, **fields})


def looped() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["x"] = made
    return made


BAD_CHUNKS: list[tuple[Any, str]] = [
    (None, ""),
    ({"type": "content_block_start", "index": 0}, ""),
    (b'{"type":"content_block_start","index":0}', ""),
    (TokenUsage(input_tokens=1, output_tokens=1), ""),
    (ContentBlockStartChunk(index=True), "/index"),
    (ContentBlockStartChunk(index=-1), "/index"),
    (ContentBlockStartChunk(index=2**53), "/index"),
    (ContentBlockStartChunk(index=1.0), "/index"),  # type: ignore[arg-type]
    (ContentBlockStartChunk(index=None), "/index"),  # type: ignore[arg-type]
    (ContentBlockDeltaChunk(index=0, delta=None), "/delta"),  # type: ignore[arg-type]
    (ContentBlockDeltaChunk(index=0, delta=b"a"), "/delta"),  # type: ignore[arg-type]
    (ContentBlockDeltaChunk(index=0, delta="a\ud800"), "/delta"),
    (tool(tool_use_id=""), "/tool_use_id"),
    (tool(tool_use_id=7), "/tool_use_id"),
    (tool(tool_use_id="\ud800"), "/tool_use_id"),
    (tool(tool_name=None), "/tool_name"),
    (tool(parameters=None), "/parameters"),
    (tool(parameters=[]), "/parameters"),
    (tool(parameters={"x": float("nan")}), "/parameters/x"),
    (tool(parameters={"x": 10**400}), "/parameters/x"),
    (tool(parameters={"x": {1, 2}}), "/parameters/x"),
    (tool(parameters={1: 2}), "/parameters"),
    (tool(parameters={"x": "\ud800"}), "/parameters/x"),
    (tool(parameters=looped()), ""),
    (MessageStopChunk(usage=None), "/usage"),  # type: ignore[arg-type]
    (MessageStopChunk(usage=TokenUsage(input_tokens=-1, output_tokens=0)), "/usage/input_tokens"),
    (ErrorChunk(message=None), "/message"),  # type: ignore[arg-type]
    (ErrorChunk(message="\udfff"), "/message"),
]


@pytest.mark.parametrize(("value", "pointer"), BAD_CHUNKS)
def test_what_is_no_chunk_is_refused(value: Any, pointer: str) -> None:
    for taker in (ChunksToDeltas("run_1", lambda: AT), ChunkCollector()):
        taker.feed(chunk("start", 0))
        with pytest.raises(StreamProtocolError) as caught:
            taker.feed(value)
        assert caught.value.rule == "blocks/invalid-chunk"
        assert caught.value.findings[0].pointer == pointer
        taker.feed(chunk("stop", 0))
        taker.feed(chunk(*END))


@pytest.mark.parametrize("index", [True, 0.0, None, "0", [0]])
def test_an_index_of_another_type_is_no_open_block(index: Any) -> None:
    collector = ChunkCollector()
    collector.feed(chunk("start", 0))
    collector.feed(chunk("start", 1))
    for each in (
        ContentBlockDeltaChunk(index=index, delta="a"),
        ContentBlockStopChunk(index=index),
    ):
        with pytest.raises(StreamProtocolError) as caught:
            collector.feed(each)
        assert caught.value.rule == "blocks/block-not-open"


@given(PARAMETERS)
def test_parameters_arrive_as_they_were(parameters: dict[str, Any]) -> None:
    given_chunks = chunks(("tool", "call_1", "f", parameters), END)
    deltas, _ = to_deltas(given_chunks)
    assert to_chunks(deltas)[0] == given_chunks
    block = collect_chunks(given_chunks).content[0]
    assert isinstance(block, ToolUseBlock)
    assert block.parameters == parameters
    assert list(block.parameters) == list(parameters)


def test_a_response_does_not_share_what_was_fed() -> None:
    each = tool(parameters={"list": [1]})
    response = collect_chunks([each, chunk(*END)])
    each.parameters["list"].append(2)
    assert plainly(response.content) == [tool(parameters={"list": [1]})]


def test_integers_beyond_doubles_keep_their_digits() -> None:
    given_chunks = [tool(parameters={"n": 2**64 + 1}), chunk(*END)]
    assert to_chunks(to_deltas(given_chunks)[0])[0] == given_chunks


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("run_id", ""),
        ("run_id", None),
        ("run_id", 7),
        ("run_id", "x" * 513),
        ("run_id", "\ud800"),
        ("model_id", ""),
        ("model_id", "x" * 513),
        ("request_id", 7),
        ("request_id", "\udc00"),
    ],
)
def test_names_that_no_delta_can_have_are_refused(name: str, value: Any) -> None:
    options: dict[str, Any] = {"run_id": "run_1", "model_id": "m", "request_id": "r", name: value}
    if value is None:
        options["model_id"] = None  # which is allowed
    with pytest.raises(UsageError) as caught:
        ChunksToDeltas(clock=lambda: AT, **options)
    assert caught.value.rule == "usage/invalid-argument"
    assert name in str(caught.value)


def test_limits_are_counted_before_text_is_taken() -> None:
    collector = ChunkCollector(Limits(text_bytes=4))
    collector.feed(chunk("start", 0))
    with pytest.raises(StreamProtocolError):
        collector.feed(chunk("delta", 0, "12345"))
    collector.feed(chunk("delta", 0, "é"))
    collector.feed(chunk("delta", 0, "12"))
    assert plainly(collector.content()) == ["é12"]


@given(streams(), st.integers(1, 6), st.integers(1, 3), st.integers(1, 20))
def test_an_assembler_of_the_same_limits_takes_the_deltas(
    given_chunks: list[StreamChunk], parts: int, calls: int, size: int
) -> None:
    limits = Limits(
        parts=parts,
        tool_calls=calls,
        text_bytes=size,
        arguments_bytes=size,
        arguments_depth=parts,
        id_chars=6,
    )
    converter = ChunksToDeltas("run_1", lambda: AT, limits=limits, model_id="m", request_id="r")
    assembler = MessageAssembler(limits=limits)
    deltas: list[Any] = []
    rules = set()
    for each in given_chunks:
        try:
            deltas += converter.feed(each)
        except StreamProtocolError as error:
            rules.add(error.rule)
    assert rules <= {"stream/limit-exceeded", "blocks/block-not-open"}
    for delta in deltas + converter.close():
        assembler.consume(delta)


# --- beside the rules -----------------------------------------------------------------------------


def test_unknown_chunks_are_counted_by_type() -> None:
    collector = ChunkCollector()
    for tag in ("citation", "citation", "ping"):
        collector.feed(read({"type": tag, "index": 0}, "blocks.StreamChunk", "tolerant"))
    assert [(found.rule, found.actual) for found in collector.findings] == [
        ("blocks/unknown-chunk", '"citation"'),
        ("blocks/unknown-chunk", '"ping"'),
    ]
    collector.feed(chunk(*END))
    with pytest.raises(StreamProtocolError) as caught:
        collector.feed(Unknown("type", "ping", {"type": "ping"}))
    assert caught.value.rule == "blocks/after-terminal"
    assert caught.value.actual == '"ping"'


def test_losses_of_endless_streams_are_bounded() -> None:
    rows: list[Any] = ["start"]
    for _ in range(3 * MAX_PER_CODE):
        rows += [("thinking", "x"), ("text", "y")]
    _, converter = to_chunks([struct(each) for each in stream(*rows, "done")])
    assert codes(converter).count("thinking") == MAX_PER_CODE
    assert converter.left_out == {"thinking": 2 * MAX_PER_CODE}
    blocks = [row for n in range(200) for row in (("start", n), ("stop", n))]
    _, there = to_deltas(chunks(*blocks, END))
    assert there.left_out == {"empty-block": 100}


def test_text_that_waits_keeps_its_order_whatever_its_pieces() -> None:
    pieces = [str(n) * (1 + n % 3) if n % 1500 else "x" * 2000 for n in range(5000)]
    rows = [("start", 0), ("start", 1), *(("delta", 1, piece) for piece in pieces), ("stop", 1)]
    given_chunks = chunks(*rows, ("delta", 0, "a"), ("stop", 0), END)
    deltas, there = to_deltas(given_chunks)
    texts = [each.payload.text_delta for each in deltas if isinstance(each, TextDelta)]
    assert texts == ["a", "".join(pieces)]
    assert codes(there).count("held-back") == 1
    response = collect_chunks(given_chunks)
    assert plainly(response.content) == texts


def test_error_codes_of_our_own_are_as_retryable_as_anywhere() -> None:
    failed, _ = to_deltas(chunks(("error", "Gone.")))
    cut, _ = to_deltas([])
    for last in (failed[-1], cut[-1]):
        assert isinstance(last, ErrorDelta)
        assert last.payload.retryable is RETRYABLE[last.payload.error_code]


def test_deltas_count_from_zero_and_take_the_clock() -> None:
    times = iter(f"2026-01-02T03:04:{second:02d}Z" for second in range(60))
    converter = ChunksToDeltas("run_1", lambda: next(times))
    deltas = converter.feed(chunk("start", 0)) + converter.feed(chunk("delta", 0, "a"))
    deltas += converter.feed(chunk("stop", 0)) + converter.feed(chunk(*END))
    assert [each.seq for each in deltas] == list(range(4))
    assert [each.timestamp[-3:] for each in deltas] == ["00Z", "01Z", "02Z", "03Z"]
    assert converter.ended


@pytest.mark.parametrize("version", ["v0.1", "v0.2"])
def test_whether_a_tool_failed_is_always_said(version: str) -> None:
    """S003-08: no reader, struct or model makes up that it has not."""
    block = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    [finding] = validate(block, "blocks.ContentBlock", version)
    assert finding.rule == "shape/required"
    with pytest.raises(ReadError, match="is_error"):
        read(block, "blocks.ContentBlock", "tolerant", version)
    with pytest.raises(TypeError, match="is_error"):
        ToolResultBlock(tool_use_id="a", content="ok")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
