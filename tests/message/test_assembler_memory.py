"""What an assembler holds: the text that has come, joined as it comes, and no delta."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import msgspec
import pytest

from partwire import to_wire
from partwire.contract.current.message import MessageDelta
from tests.message.delta_streams import CALL, delta, fed, struct


@pytest.mark.parametrize("kind", ["text", "arguments"])
@pytest.mark.parametrize("by", ["consume", "batch"])
def test_memory_is_that_of_the_text(kind: str, by: str) -> None:
    """PRF-01, PRF-02, PRF-06: no delta is kept, and pieces are joined as they come."""
    count, piece = 60_000, "words "
    decode = msgspec.json.Decoder(MessageDelta).decode
    encode = msgspec.json.Encoder().encode

    def made(seq: int) -> Any:
        if kind == "text":
            return decode(encode(delta("text", seq, {"textDelta": piece})))
        shown = '{"content":"' if seq == 2 else '"}' if seq == count else piece
        body = {"toolCallId": "a", "argsTextDelta": shown}
        return decode(encode(delta("tool_call_args", seq, body)))

    assembler = fed("start", CALL)
    gc.collect()
    tracemalloc.start()
    try:
        for begin in range(2, count, 100):
            seqs = range(begin, min(begin + 100, count + 1))
            if by == "batch":
                assembler.consume_batch(map(made, seqs), 100 * 150)
            else:
                for seq in seqs:
                    assembler.consume(made(seq))
        assembler.consume(struct(delta("tool_call_end", count + 2, {"toolCallId": "a"})))
        assembler.consume(struct(delta("done", count + 3, {"finishReason": "stop"})))
        message = assembler.build_final_message()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assembled = count * len(piece)
    assert sum(len(str(to_wire(part))) for part in message.parts) > assembled
    assert peak <= 3 * assembled + 2**20
