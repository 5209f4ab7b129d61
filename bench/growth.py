"""How time and memory of our own assembler grow with the number of deltas."""

from __future__ import annotations

import gc
import itertools
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from partwire.message.assembler import MessageAssembler, assemble

from bench.content import make_content
from bench.ours import lines_of
from partwire.v0_1.structs.message import Message, MessageDelta

__all__ = [
    "GrowthRow",
    "MemoryRow",
    "measure_growth",
    "measure_memory",
]

READ_EVERY: Final = 100
_decode: Final = msgspec.json.Decoder(MessageDelta).decode


@dataclass(frozen=True)
class GrowthRow:
    """One way of reading along, one mix: seconds by number of deltas, each twice the one before.

    ``reads`` says that the way itself asks for work that grows with the text (reading all of it
    again and again), so that no doubling limit applies.
    """

    way: str
    mix: str
    seconds: dict[int, float]
    reads: bool = False

    @property
    def doublings(self) -> list[float]:
        """time(2n) / time(n), in order of n."""
        times = list(self.seconds.values())
        return [after / before for before, after in itertools.pairwise(times)]


@dataclass(frozen=True)
class MemoryRow:
    """Peak of traced memory while one stream is consumed and its final message built."""

    mix: str
    deltas: int
    assembled_bytes: int
    peak_bytes: int

    @property
    def share_of_limit(self) -> float:
        """Peak as a share of what is allowed: three times the assembled bytes and 1 MiB."""
        return self.peak_bytes / (3 * self.assembled_bytes + 2**20)


def _plain(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    consume = assembler.consume
    for line in lines:
        consume(_decode(line))
    return assembler.build_final_message()


def _with_snapshot(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    for line in lines:
        assembler.consume(_decode(line))
        assembler.snapshot()
    return assembler.build_final_message()


def _with_progress(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    for line in lines:
        assembler.consume(_decode(line))
        assembler.progress()
    return assembler.build_final_message()


def _with_progress_read(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    for number, line in enumerate(lines):
        assembler.consume(_decode(line))
        progress = assembler.progress()
        if number % READ_EVERY == 0:
            read_all(progress)
    return assembler.build_final_message()


def read_all(progress: Any) -> int:
    """Read what a user interface would draw; return the number of characters."""
    size = 0
    for part in progress.message.parts:
        if part.kind in ("text", "thinking"):
            size += len(part.payload.text)
    for call in progress.open_calls:
        size += len(call.raw_args_text)
    return size


_WAYS: Final[tuple[tuple[str, Callable[[list[bytes]], Message], bool], ...]] = (
    ("assemble(lines)", assemble, False),
    ("consume", _plain, False),
    ("consume, snapshot() after every delta", _with_snapshot, False),
    ("consume, progress() after every delta", _with_progress, False),
    (f"the same, all text read at every {READ_EVERY}th", _with_progress_read, True),
)


def measure_growth(
    mixes: tuple[str, ...], largest: int, doublings: int, repeats: int
) -> Iterator[GrowthRow]:
    """Yield a row per mix and way, up to ``largest`` deltas; the best of ``repeats`` counts."""
    sizes = [largest >> shift for shift in range(doublings, -1, -1)]
    for mix in mixes:
        seconds: dict[str, dict[int, float]] = {way: {} for way, _, _ in _WAYS}
        for size in sizes:
            content = make_content(mix, size)
            lines = lines_of(content)
            expected_chars = len(content.text)
            del content
            gc.collect()
            gc.freeze()
            for _ in range(repeats):
                for way, run, _reads in _WAYS:
                    took = _timed(run, lines, expected_chars)
                    seconds[way][size] = min(seconds[way].get(size, took), took)
            gc.unfreeze()
        for way, _, reads in _WAYS:
            yield GrowthRow(way, mix, seconds[way], reads)


def _timed(run: Callable[[list[bytes]], Message], lines: list[bytes], chars: int) -> float:
    gc.collect()
    start = time.process_time()
    message = run(lines)
    took = time.process_time() - start
    found = sum(len(part.payload.text) for part in message.parts if part.kind == "text")
    if found != chars:
        raise ValueError(f"{found} characters of text were assembled, {chars} were sent")
    return took


def measure_memory(sizes: tuple[int, ...]) -> Iterator[MemoryRow]:
    """Yield the peak for text and for one call's arguments; lines are made one at a time."""
    for mix in ("text", "args"):
        for size in sizes:
            gc.collect()
            tracemalloc.start()
            try:
                message = _consume_lazily(_lazy_lines(mix, size))
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            yield MemoryRow(mix, size, _assembled_bytes(mix, message), peak)


def _consume_lazily(lines: Iterator[bytes]) -> Message:
    assembler = MessageAssembler()
    for line in lines:
        assembler.consume(_decode(line))
    return assembler.build_final_message()


_WORDS: Final = ("the ", "stream ", "of ", "deltas ", "is ", "never ", "kept, ", "only joined; ")


def _lazy_lines(mix: str, size: int) -> Iterator[bytes]:
    """Yield the lines of a stream, each made when it is asked for (ASCII: one byte a character)."""
    encode = msgspec.json.Encoder().encode

    def line(seq: int, kind: str, payload: dict[str, Any]) -> bytes:
        stamp = {"timestamp": "2026-11-03T10:00:00.000Z"}
        return encode({"kind": kind, "runId": "run-1", "seq": seq, "payload": payload} | stamp)

    yield line(1, "start", {"modelId": "model-1", "requestId": "request-1"})
    if mix == "text":
        for number in range(size):
            yield line(2 + number, "text", {"textDelta": _WORDS[number % len(_WORDS)]})
    else:
        call = {"toolCallId": "call_1"}
        yield line(2, "tool_call_start", {**call, "toolName": "write_file"})
        for number in range(size):
            piece = _WORDS[number % len(_WORDS)]
            if number in (0, size - 1):
                piece = '"}' if number else '{"content":"'
            yield line(3 + number, "tool_call_args", {**call, "argsTextDelta": piece})
        yield line(3 + size, "tool_call_end", call)
    yield line(4 + size, "done", {"finishReason": "stop"})


def _assembled_bytes(mix: str, message: Message) -> int:
    """Return the bytes of the text, or of the arguments' long string, that the stream carried."""
    payload: Any = message.parts[0].payload
    return len(payload.text if mix == "text" else payload.arguments["content"])
