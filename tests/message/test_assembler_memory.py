"""What an assembler holds: the text that has come, joined as it comes, and no delta."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import msgspec
import pytest

from partwire import to_wire
from partwire.contract.current.message import MessageDelta
from partwire.message.assemble import LineAssembler
from tests.message.delta_streams import CALL, delta, stream
from tests.ways import way

__all__ = ["way"]


@pytest.mark.parametrize("kind", ["text", "arguments"])
@pytest.mark.parametrize("by", ["consume", "lines"])
def test_memory_is_that_of_the_text(kind: str, by: str) -> None:
    """PRF-01, PRF-02, PRF-06: no delta is kept, and pieces are joined as they come."""
    count, piece = 60_000, "words "
    decode = msgspec.json.Decoder(MessageDelta).decode
    encode = msgspec.json.Encoder().encode

    def line(document: dict[str, Any]) -> bytes:
        return encode(document) + b"\n"

    def made(seq: int) -> bytes:
        if kind == "text":
            return line(delta("text", seq, {"textDelta": piece}))
        shown = '{"content":"' if seq == 2 else '"}' if seq == count else piece
        body = {"toolCallId": "a", "argsTextDelta": shown}
        return line(delta("tool_call_args", seq, body))

    reader = LineAssembler()
    for each in stream("start", CALL):
        reader.feed(line(each))
    gc.collect()
    tracemalloc.start()
    try:
        for begin in range(2, count, 100):
            seqs = range(begin, min(begin + 100, count + 1))
            if by == "lines":
                reader.feed(b"".join(made(seq) for seq in seqs))
            else:
                for seq in seqs:
                    reader.assembler.consume(decode(made(seq)))
        reader.feed(line(delta("tool_call_end", count + 2, {"toolCallId": "a"})))
        reader.feed(line(delta("done", count + 3, {"finishReason": "stop"})))
        message = reader.finish()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assembled = count * len(piece)
    assert sum(len(str(to_wire(part))) for part in message.parts) > assembled
    assert peak <= 3 * assembled + 2**20
