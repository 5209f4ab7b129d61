"""Chunks to deltas, to chunks, and to a response: laws, hostile orders, hostile values."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from partwire import (
    Limits,
    MessageAssembler,
    StreamFailed,
    StreamProtocolError,
    Unknown,
    UsageError,
    read,
    to_wire,
    validate,
)
from partwire.blocks import (
    ChunkCollector,
    ChunksToDeltas,
    DeltasToChunks,
    collect_chunks,
)
from partwire.losses import MAX_PER_CODE
from partwire.providers import RETRYABLE
from partwire.v0_1.structs.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    Message,
    MessageStopChunk,
    StreamChunk,
    TextBlock,
    TokenUsage,
    ToolUseBlock,
    ToolUseChunk,
)
from partwire.v0_1.structs.message import (
    ErrorDelta,
    ErrorDeltaPayload,
    TextDelta,
    TextDeltaPayload,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UsageDelta,
    UsageSummary,
)
from tests.chunk_streams import (
    AT,
    END,
    PARAMETERS,
    chunk,
    chunks,
    codes,
    streams,
    to_chunks,
    to_deltas,
)
from tests.delta_streams import stream, struct

ALWAYS = ["no-model-id", "no-request-id"]
# What is gone when chunks come back from deltas; each says what differs.
CHANGES = {
    "block-boundary",
    "block-end",
    "block-index",
    "empty-block",
    "empty-delta",
    "held-back",
    "no-total-tokens",
    "truncated",
    "unknown-chunk",
}


# --- a reference, as plainly as it goes -----------------------------------------------------------


def content_of(stream: list[StreamChunk]) -> list[Any]:
    """Return the content of a stream: texts as str, tool uses as chunks."""
    content: list[Any] = []
    places: dict[int, int] = {}
    for each in stream:
        if isinstance(each, ContentBlockStartChunk):
            places[each.index] = len(content)
            content.append("")
        elif isinstance(each, ContentBlockDeltaChunk):
            content[places[each.index]] += each.delta
        elif isinstance(each, ToolUseChunk):
            content.append(each)
    return [each for each in content if each != ""]


def plainly(blocks: list[Any]) -> list[Any]:
    """Return blocks or parts as the reference has them; thinking is left out."""
    found: list[Any] = []
    for each in blocks:
        if isinstance(each, TextBlock):
            found.append(each.text)
        elif isinstance(each, TextPart):
            found.append(each.payload.text)
        elif isinstance(each, ToolUseBlock):
            found.append(
                ToolUseChunk(
                    tool_use_id=each.tool_use_id,
                    tool_name=each.tool_name,
                    parameters=each.parameters,
                )
            )
        elif isinstance(each, ToolCallPart):
            call = each.payload
            found.append(
                ToolUseChunk(
                    tool_use_id=call.tool_call_id,
                    tool_name=call.tool_name,
                    parameters=call.arguments,
                )
            )
        else:
            assert isinstance(each, ThinkingPart)
    return found


def joined(content: list[Any]) -> list[Any]:
    """Return content with adjacent texts joined."""
    out: list[Any] = []
    for is_text, group in groupby(content, lambda each: isinstance(each, str)):
        items = list(group)
        out += ["".join(items)] if is_text else items
    return out


def refused_by_reference(stream: list[StreamChunk]) -> tuple[int, str] | None:
    """Return the first chunk that the rules refuse, and the rule."""
    opened: set[int] = set()
    last, ids, ended = -1, set(), False
    for number, each in enumerate(stream):
        rule = None
        if ended:
            rule = "blocks/after-terminal"
        elif isinstance(each, ContentBlockStartChunk):
            if each.index <= last:
                rule = "blocks/index-not-increasing"
            last = max(last, each.index)
            opened.add(each.index)
        elif isinstance(each, ContentBlockDeltaChunk | ContentBlockStopChunk):
            if each.index not in opened:
                rule = "blocks/block-not-open"
            elif isinstance(each, ContentBlockStopChunk):
                opened.remove(each.index)
        elif isinstance(each, ToolUseChunk):
            if each.tool_use_id in ids:
                rule = "blocks/duplicate-tool-use"
            ids.add(each.tool_use_id)
        elif isinstance(each, MessageStopChunk) and opened:
            rule = "blocks/block-open"
        if rule is not None:
            return number, rule
        ended = isinstance(each, MessageStopChunk | ErrorChunk)
    return None


# --- laws ---------------------------------------------------------------------------------------


@given(streams(plain=True))
def test_plain_chunks_come_back_as_they_were(given_chunks: list[StreamChunk]) -> None:
    deltas, there = to_deltas(given_chunks)
    back, _ = to_chunks(deltas)
    assert back == given_chunks
    ends = ["no-error-code"] if isinstance(given_chunks[-1], ErrorChunk) else ["no-finish-reason"]
    assert codes(there) == ALWAYS + ends


@given(streams())
@settings(max_examples=300)
def test_what_comes_back_changed_was_reported(given_chunks: list[StreamChunk]) -> None:
    deltas, there = to_deltas(given_chunks)
    back, _ = to_chunks(deltas)
    changes = CHANGES & set(codes(there))
    assert (back == given_chunks) or changes
    assert joined(content_of(back)) == joined(content_of(given_chunks))
    if not changes & {"block-boundary"}:
        assert content_of(back) == content_of(given_chunks)
    if not changes & {"held-back", "empty-delta"}:
        texts = [each.delta for each in given_chunks if isinstance(each, ContentBlockDeltaChunk)]
        assert texts == [each.delta for each in back if isinstance(each, ContentBlockDeltaChunk)]
    if isinstance(last := given_chunks[-1] if given_chunks else None, MessageStopChunk):
        assert isinstance(back[-1], MessageStopChunk)
        assert replace(back[-1].usage, total_tokens=UNSET) == replace(
            last.usage, total_tokens=UNSET
        )
        assert "no-total-tokens" in changes or back[-1] == last


@given(streams())
def test_what_comes_back_is_stable(given_chunks: list[StreamChunk]) -> None:
    """The second time there is nothing left to lose but names, codes and the end of a block."""
    first, _ = to_chunks(to_deltas(given_chunks)[0])
    deltas, there = to_deltas(first)
    assert to_chunks(deltas)[0] == first
    assert set(codes(there)) <= {*ALWAYS, "no-finish-reason", "no-error-code"}


@given(streams())
@settings(max_examples=300)
def test_the_assembler_takes_the_deltas_of_every_stream(given_chunks: list[StreamChunk]) -> None:
    converter = ChunksToDeltas("run_1", lambda: AT)
    assembler = MessageAssembler("run_1")
    for each in given_chunks:
        for delta in converter.feed(each):
            assembler.consume(delta)
    for delta in converter.close():
        assembler.consume(delta)
    assembler.close()
    ended = isinstance(given_chunks[-1], MessageStopChunk) if given_chunks else False
    message = assembler.build_final_message() if ended else assembler.build_partial()
    assert validate(message, "message.Message") == []
    assert plainly(message.parts) == joined(content_of(given_chunks))


@given(streams(), st.data())
def test_a_cut_stream_is_never_a_finished_one(
    given_chunks: list[StreamChunk], data: st.DataObject
) -> None:
    ends = bool(given_chunks) and isinstance(given_chunks[-1], MessageStopChunk | ErrorChunk)
    length = data.draw(st.integers(0, len(given_chunks) - ends))
    cut = given_chunks[:length]
    deltas, there = to_deltas(cut)
    assert isinstance(deltas[-1], ErrorDelta)
    assert deltas[-1].payload.error_code == "truncated_stream"
    assert codes(there)[-1] == "truncated"
    with pytest.raises(StreamProtocolError) as caught:
        collect_chunks(cut)
    assert caught.value.rule == "blocks/truncated"
    deltas_cut = deltas[:-1]
    back, again = to_chunks(deltas_cut)
    assert isinstance(back[-1], ErrorChunk)
    assert codes(again)[-1] == "truncated"


@given(streams())
def test_a_response_is_what_the_reference_says(given_chunks: list[StreamChunk]) -> None:
    collector = ChunkCollector()
    for each in given_chunks:
        collector.feed(each)
    assert plainly(collector.content()) == content_of(given_chunks)
    last = given_chunks[-1] if given_chunks else None
    if isinstance(last, MessageStopChunk):
        response = collector.close()
        assert validate(response, "blocks.ModelResponse") == []
        assert plainly(response.content) == content_of(given_chunks)
        assert response.usage == last.usage
        assert response.model is UNSET
        assert response.stop_reason is UNSET
    elif isinstance(last, ErrorChunk):
        with pytest.raises(StreamFailed) as caught:
            collector.close()
        assert caught.value.rule == "blocks/failed"
        assert caught.value.error == last
        assert isinstance(caught.value.partial, Message)
        assert plainly(list(caught.value.partial.content)) == content_of(given_chunks)
        assert validate(caught.value.partial, "blocks.Message") == []


# Few values, so that streams go wrong in every way.
_rows: st.SearchStrategy[tuple[Any, ...]] = st.one_of(
    st.builds(lambda index: ("start", index), st.integers(0, 3)),
    st.builds(lambda index, text: ("delta", index, text), st.integers(0, 3), st.just("a")),
    st.builds(lambda index: ("stop", index), st.integers(0, 3)),
    st.builds(lambda name: ("tool", name, "f", {}), st.sampled_from(["a", "b"])),
    st.sampled_from([END, ("error", "Gone.")]),
)


@given(st.lists(_rows, max_size=12))
@settings(max_examples=500)
def test_hostile_orders_are_refused_as_the_rules_say(rows: list[tuple[Any, ...]]) -> None:
    given_chunks = chunks(*rows)
    for taker in (ChunksToDeltas("run_1", lambda: AT), ChunkCollector()):
        found = None
        for each in given_chunks:
            try:
                taker.feed(each)
            except StreamProtocolError as error:
                found = error.seq, error.rule
                break
        assert found == refused_by_reference(given_chunks)


@given(st.lists(_rows, max_size=20))
def test_a_refused_chunk_changes_nothing(rows: list[tuple[Any, ...]]) -> None:
    given_chunks = chunks(*rows)
    converter, collector = ChunksToDeltas("run_1", lambda: AT), ChunkCollector()
    deltas, taken, refusals = [], [], []
    for each in given_chunks:
        try:
            deltas += converter.feed(each)
            taken.append(each)
        except StreamProtocolError as error:
            refusals.append(error.findings)
        try:
            collector.feed(each)
        except StreamProtocolError as error:
            refusals.append(error.findings)
    assert refusals[::2] == refusals[1::2]
    assert refused_by_reference(taken) is None
    assert deltas + converter.close() == to_deltas(taken)[0]
    assert plainly(collector.content()) == content_of(taken)


# --- deltas to chunks -----------------------------------------------------------------------------


@st.composite
def delta_rows(draw: st.DrawFn) -> list[Any]:
    """Draw the rows of a delta stream whose calls are open at once, with every kind of delta."""
    rows: list[Any] = ["start"]
    opened: list[str] = []
    texts = st.sampled_from(["", "a", "b", "世"])
    for number in range(draw(st.integers(0, 14))):
        step = draw(
            st.sampled_from(["text", "thinking", "call", "args", "end", "usage", "unknown"])
        )
        if step in ("text", "thinking"):
            rows.append((step, draw(texts)))
        elif step == "call":
            opened.append(f"call_{number}")
            rows.append(("tool_call_start", opened[-1], "f"))
        elif step == "usage":
            rows.append(("usage", 1, number, 1 + number))
        elif step == "unknown":
            rows.append("unknown")
        elif opened:
            call_id = draw(st.sampled_from(opened))
            if step == "args":
                rows.append(("tool_call_args", call_id, draw(st.sampled_from(["{}", " ", "[1]"]))))
            else:
                opened.remove(call_id)
                rows.append(("tool_call_end", call_id))
    ending = draw(st.sampled_from(["done", "error", "cut"]))
    if ending == "done":
        rows += [("tool_call_end", call_id) for call_id in opened] + ["done"]
    elif ending == "error":
        rows.append(("error", "timeout", "Slow."))
    return rows


def deltas_of(rows: list[Any]) -> list[Any]:
    documents = stream(*[("text", "") if row == "unknown" else row for row in rows])
    for row, document in zip(rows, documents, strict=True):
        if row == "unknown":
            document |= {"kind": "citation", "payload": {"url": "https://example.com"}}
    return [struct(document) for document in documents]


@given(delta_rows())
@settings(max_examples=400)
def test_chunks_are_the_parts_of_the_message(rows: list[Any]) -> None:
    deltas = deltas_of(rows)
    made, converter = to_chunks(deltas)
    assembler = MessageAssembler()
    for each in deltas:
        assembler.consume(each)
    done = assembler.status == "done"
    message = assembler.build_final_message() if done else assembler.build_partial()
    collector = ChunkCollector()
    for chunk_made in made:
        collector.feed(chunk_made)
        assert validate(chunk_made, "blocks.StreamChunk") == []
    assert plainly(collector.content()) == plainly(message.parts)
    assert isinstance(made[-1], MessageStopChunk) is done
    # The index of a block is its place.
    starts = [each.index for each in made if isinstance(each, ContentBlockStartChunk)]
    texts = [n for n, each in enumerate(collector.content()) if isinstance(each, TextBlock)]
    assert starts == texts
    thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
    assert codes(converter).count("thinking") == len(thoughts)
    assert codes(converter).count("unknown-delta") == rows.count("unknown")
    errors = message.meta.get("toolCallParseErrors", []) if message.meta is not UNSET else []
    assert codes(converter).count("arguments-text") == len(errors)


@given(delta_rows())
def test_deltas_come_back_as_the_same_text_and_calls(rows: list[Any]) -> None:
    made, _ = to_chunks(deltas_of(rows))
    again, _ = to_chunks(to_deltas(made)[0])
    assert joined(content_of(again)) == joined(content_of(made))


@given(delta_rows(), st.data())
def test_a_refused_delta_changes_nothing_in_chunks(rows: list[Any], data: st.DataObject) -> None:
    deltas = deltas_of(rows)
    at = data.draw(st.integers(0, len(deltas)))
    converter = DeltasToChunks()
    out: list[Any] = []
    for number, each in enumerate([*deltas[:at], deltas[0], *deltas[at:]]):
        if number == at and at > 0:
            with pytest.raises(StreamProtocolError):
                converter.feed(each)
        elif not (number == at + 1 and at == 0):
            out += converter.feed(each)
    assert out + converter.close() == to_chunks(deltas)[0]


@pytest.mark.parametrize(
    ("delta", "rule"),
    [
        (
            TextDelta(
                run_id="run_1", seq=1, payload=TextDeltaPayload(text_delta="\ud800"), timestamp=AT
            ),
            "document/lone-surrogate",
        ),
        (
            TextDelta(run_id="run_1", seq=1, payload=None, timestamp=AT),  # type: ignore[arg-type]
            "stream/invalid-delta",
        ),
        (
            TextDelta(
                run_id="run_1",
                seq=1,
                payload=TextDeltaPayload(text_delta=7),  # type: ignore[arg-type]
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        (
            UsageDelta(
                run_id="run_1",
                seq=1,
                payload=UsageSummary(input_tokens=-1, output_tokens=0, total_tokens=0),
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        (
            ErrorDelta(
                run_id="run_1",
                seq=1,
                payload=ErrorDeltaPayload(error_code="x", message="\udc00"),
                timestamp=AT,
            ),
            "stream/invalid-delta",
        ),
        ({"kind": "text"}, "stream/invalid-delta"),
        (None, "stream/invalid-delta"),
    ],
)
def test_deltas_that_no_reader_lets_pass_are_refused(delta: Any, rule: str) -> None:
    converter = DeltasToChunks()
    converter.feed(struct(stream("start")[0]))
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(delta)
    assert caught.value.rule == rule
    assert [to_wire(each)["type"] for each in converter.close()] == ["error"]


def test_nothing_follows_a_closed_delta_stream() -> None:
    converter = DeltasToChunks()
    assert len(converter.close()) == 1
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(struct(stream("start")[0]))
    assert caught.value.rule == "stream/after-terminal"
    assert converter.close() == []


def test_cost_that_was_reported_once_is_missed() -> None:
    rows: list[Any] = ["start", ("usage", 1, 2, 3, 0.5), ("usage", 1, 3, 4), "done"]
    made, converter = to_chunks([struct(each) for each in stream(*rows)])
    assert to_wire(made[-1])["usage"] == {"input_tokens": 1, "output_tokens": 3, "total_tokens": 4}
    assert [loss.pointer for loss in converter.losses if loss.code == "cost"] == ["/2/payload/cost"]


def test_run_and_limits_are_the_assemblers() -> None:
    with pytest.raises(StreamProtocolError) as caught:
        DeltasToChunks("run_2").feed(struct(stream("start")[0]))
    assert caught.value.rule == "stream/run-id-mismatch"
    rows: list[Any] = ["start", ("tool_call_start", "a", "f"), ("tool_call_args", "a", '{"x":[1]}')]
    converter = DeltasToChunks(limits=Limits(arguments_depth=1))
    for each in stream(*rows):
        converter.feed(struct(each))
    with pytest.raises(StreamProtocolError) as caught:
        converter.feed(struct(stream(("tool_call_end", "a"), first=3)[0]))
    assert caught.value.rule == "stream/limit-exceeded"


# --- hostile values -------------------------------------------------------------------------------


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
