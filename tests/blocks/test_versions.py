"""Chunks beside v0.2's deltas: ids that are given, and structs of older versions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from msgspec import UNSET

from partwire import MessageAssembler, StreamProtocolError, UsageError, read, to_wire
from partwire.blocks import (
    ChunkCollector,
    ChunksToDeltas,
    DeltasToChunks,
    StreamingResponse,
    collect,
)
from partwire.contract.current import blocks as current
from tests.blocks.chunk_streams import AT, END, chunks, codes, to_chunks, to_deltas
from tests.message.delta_streams import stream

STREAM = chunks(
    ("start", 0), ("delta", 0, "a"), ("stop", 0), ("tool", "c1", "f", {"a": [1]}), END
)  # fmt: skip
FAILED = chunks(("start", 0), ("delta", 0, "a"), ("error", "No."))


def of_v0_1(stream_of: list[Any], type_name: str) -> list[Any]:
    older = [read(to_wire(each, type_name), type_name, version="v0.1") for each in stream_of]
    assert {type(each).__module__.split(".")[1] for each in older} == {"v0_1"}
    return older


# --- ids -----------------------------------------------------------------------------------------


def test_ids_that_are_given_stand_on_every_delta() -> None:
    deltas, converter = to_deltas(STREAM, message_id="msg_1", turn_id="turn_1")
    assert {(each.message_id, each.turn_id) for each in deltas} == {("msg_1", "turn_1")}
    assembler = MessageAssembler()
    for each in deltas:
        assembler.consume(each)
    message = assembler.build_final_message()
    assert (message.message_id, message.turn_id) == ("msg_1", "turn_1")
    assert {"message-id", "turn-id"} & set(codes(converter)) == set()
    assert [code for code in codes(to_chunks(deltas)[1]) if code.endswith("-id")] == [
        *("message-id", "turn-id", "run-id"),
    ]


def test_ids_that_are_not_given_are_invented_nowhere() -> None:
    deltas, converter = to_deltas(STREAM, turn_id="turn_1")
    assert {(each.message_id, each.turn_id) for each in deltas} == {(UNSET, "turn_1")}
    assert "turn-id" not in codes(converter)
    plain, _ = to_deltas(STREAM)
    assert {(each.message_id, each.turn_id) for each in plain} == {(UNSET, UNSET)}


@pytest.mark.parametrize("name", ["message_id", "turn_id"])
@pytest.mark.parametrize("wrong", ["", 7, "x" * 600, "\ud800", b"msg"])
def test_an_id_that_no_delta_can_have_is_refused(name: str, wrong: Any) -> None:
    given: dict[str, Any] = {name: wrong}
    with pytest.raises(UsageError) as caught:
        ChunksToDeltas("run_1", lambda: AT, **given)
    assert caught.value.findings[0].message == f"{name} is wrong"


# --- older versions ------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [STREAM, FAILED], ids=["done", "failed"])
def test_chunks_of_v0_1_become_deltas(given: list[Any]) -> None:
    older = of_v0_1(given, "blocks.StreamChunk")
    assert to_deltas(older)[0] == to_deltas(given)[0]


def test_chunks_of_v0_1_are_collected() -> None:
    collector = ChunkCollector()
    for each in of_v0_1(STREAM, "blocks.StreamChunk"):
        collector.feed(each)
    response = collector.close()
    assert type(response.usage) is current.TokenUsage
    assert to_wire(response)["usage"] == {
        "input_tokens": 12, "output_tokens": 7, "total_tokens": 19,
    }  # fmt: skip


def test_chunks_of_v0_1_are_sent_as_ours() -> None:
    async def go() -> Any:
        sender, response = StreamingResponse.channel(16)
        async with sender:
            for each in of_v0_1(STREAM, "blocks.StreamChunk"):
                await sender.send(each)
            with pytest.raises(StreamProtocolError):
                await sender.send(STREAM[0])  # the stream has ended
        return [each async for each in response]

    assert anyio.run(go) == STREAM


def test_a_stream_of_chunks_of_v0_1_is_read_no_further_than_its_end() -> None:
    async def source() -> AsyncIterator[Any]:
        for each in of_v0_1(STREAM, "blocks.StreamChunk"):
            yield each
        raise AssertionError("nobody asks for more")

    async def go() -> Any:
        return await collect(source())

    assert len(anyio.run(go).content) == 2


def test_deltas_of_v0_1_become_chunks() -> None:
    documents = stream("start", ("text", "a"), ("usage", 1, 2, 3), "done")
    given = [read(each, "message.MessageDelta") for each in documents]
    older = of_v0_1(given, "message.MessageDelta")
    assert to_chunks(older)[0] == to_chunks(given)[0]


def test_what_is_wrong_with_an_older_chunk_is_said() -> None:
    older = of_v0_1(STREAM, "blocks.StreamChunk")
    for taker in (ChunkCollector(), ChunksToDeltas("run_1", lambda: AT)):
        with pytest.raises(StreamProtocolError) as caught:
            taker.feed(older[1])
        assert caught.value.rule == "blocks/block-not-open"
    with pytest.raises(StreamProtocolError) as caught:
        DeltasToChunks().feed(older[0])
    assert caught.value.rule == "stream/invalid-delta"
