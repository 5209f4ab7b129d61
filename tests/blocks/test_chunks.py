"""Chunks to deltas and to a response: laws over streams of every order, and hostile orders."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from partwire import MessageAssembler, StreamFailed, StreamProtocolError, validate
from partwire.blocks import ChunkCollector, ChunksToDeltas, collect_chunks
from partwire.contract.current.blocks import (
    ContentBlockDeltaChunk,
    ErrorChunk,
    Message,
    MessageStopChunk,
    StreamChunk,
)
from partwire.contract.current.message import ErrorDelta
from tests.blocks.chunk_streams import (
    AT,
    END,
    chunks,
    codes,
    content_of,
    joined,
    plainly,
    refused_by_reference,
    streams,
    to_chunks,
    to_deltas,
)

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
