"""How time and memory of our own assembler grow with the number of deltas."""

from __future__ import annotations

import gc
import itertools
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import msgspec

from bench.content import make_content
from bench.contestants import Contestant
from bench.measure import process_seconds
from bench.ours import contestants, lines_of
from partwire.convert import downgrade, migrate
from partwire.message import MessageAssembler, assemble
from partwire.message.assembler.snapshot import Progress
from partwire.providers.requests import encode_request
from partwire.reading.pipeline import read
from partwire.types import Message, MessageDelta, TextDelta, TextPart

__all__ = [
    "CostRow",
    "GrowthRow",
    "MemoryRow",
    "Way",
    "measure_cost",
    "measure_growth",
    "measure_memory",
]

READ_EVERY: Final = 100
_MESSAGE: Final = "message.Message"
_decode: Final = msgspec.json.Decoder(MessageDelta).decode


class Way(NamedTuple):
    """One way of reading along.

    ``reads``: ``"all text"`` asks for work that grows with the text, again and again, so that no
    doubling limit applies; larger sizes are left out.
    """

    label: str
    run: Callable[[list[bytes]], Message]
    reads: Literal["nothing", "partial arguments", "all text"] = "nothing"
    largest: int | None = None
    """Larger sizes are left out: no message of one part per delta is so large."""


@dataclass(frozen=True)
class GrowthRow:
    """One way and mix: seconds by number of content deltas, each twice the one before."""

    way: Way
    mix: str
    seconds: dict[int, float]

    @property
    def doublings(self) -> list[float]:
        """time(2n) / time(n), in order of n."""
        times = list(self.seconds.values())
        return [after / before for before, after in itertools.pairwise(times)]


@dataclass(frozen=True)
class CostRow:
    """Cost per delta of a large stream as a multiple of that of a small one, per round."""

    contestant: Contestant
    mix: str
    small: int
    large: int
    ratios: list[float]

    @property
    def ratio(self) -> float:
        """Median of the rounds."""
        return statistics.median(self.ratios)


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


def _with_partial_arguments(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    for line in lines:
        assembler.consume(_decode(line))
        for call in assembler.progress().open_calls:
            call.partial_arguments  # noqa: B018  reading is what costs
    return assembler.build_final_message()


def _with_progress_read(lines: list[bytes]) -> Message:
    assembler = MessageAssembler()
    for number, line in enumerate(lines):
        assembler.consume(_decode(line))
        progress = assembler.progress()
        if number % READ_EVERY == 0:
            read_all(progress)
    return assembler.build_final_message()


def _migrated(lines: list[bytes]) -> Message:
    """Take a message to v0.1 and back whose parts, one per delta, have provider state each."""
    opaque = {"provider": "bench", "data": {"items": [{"kind": "state", "start": 0, "end": 1}]}}
    parts = [
        {"kind": "text", "payload": {"text": each, "opaque": opaque}} for each in _texts_of(lines)
    ]
    older = downgrade(_message("assistant", parts), "v0.1", _MESSAGE).value
    message: Message = read(migrate(older, "v0.2", _MESSAGE, "v0.1").value, _MESSAGE)
    return message


def _encoded(lines: list[bytes]) -> Message:
    """Encode a history of one turn per delta, in which every call has the same id."""
    call = {"toolCallId": "call_1", "toolName": "find", "arguments": {}}
    result = {"toolCallId": "call_1", "isError": False, "content": "ok"}
    history = []
    for text in _texts_of(lines):
        said = [{"kind": "text", "payload": {"text": text}}, {"kind": "tool_call", "payload": call}]
        history.append(_message("assistant", said))
        history.append(_message("tool", [{"kind": "tool_result", "payload": result}]))
    body = encode_request("openai-chat", history, config={"modelId": "model-1"}).body
    texts = [each["content"] for each in body["messages"] if each["role"] == "assistant"]
    parts = [{"kind": "text", "payload": {"text": each}} for each in texts]
    message: Message = read(_message("assistant", parts), _MESSAGE)
    return message


def _texts_of(lines: list[bytes]) -> list[str]:
    return [d.payload.text_delta for d in map(_decode, lines) if isinstance(d, TextDelta)]


def _message(role: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    stamp = {"timestamp": "2026-01-02T03:04:05Z"}
    return {"runId": "run_1", "role": role, "parts": parts} | stamp


def read_all(progress: Progress) -> int:
    """Read what a user interface would draw; return the number of characters."""
    size = 0
    for part in progress.snapshot.parts:
        if isinstance(part, TextPart):
            size += len(part.payload.text)
    for call in progress.open_calls:
        size += len(call.raw_args_text)
    return size


_LARGEST_MIGRATED: Final = 125_000
_WAYS: Final = (
    Way("assemble(lines)", assemble),
    Way("consume", _plain),
    Way("consume, snapshot() after every delta", _with_snapshot),
    Way("consume, progress() after every delta", _with_progress),
    Way("progress(), partial arguments read", _with_partial_arguments, "partial arguments"),
    Way(f"progress(), all text read at every {READ_EVERY}th", _with_progress_read, "all text"),
    Way("migrate to v0.1 and back, a part per delta", _migrated, largest=_LARGEST_MIGRATED),
    Way("encode_request, a turn per delta, one call id", _encoded, largest=_LARGEST_MIGRATED),
)
_LARGEST_READING_ALL: Final = 125_000
_ONCE_IS_ENOUGH_S: Final = 2.0


def measure_growth(
    mixes: tuple[str, ...], largest: int, doublings: int, repeats: int
) -> Iterator[GrowthRow]:
    """Yield a row per mix and way, up to ``largest`` deltas; the best of ``repeats`` counts."""
    for mix in mixes:
        seconds: dict[Way, dict[int, float]] = {way: {} for way in _WAYS}
        for size in (largest >> shift for shift in range(doublings, -1, -1)):
            content = make_content(mix, size)
            lines = lines_of(content)
            chars = len(content.text)
            del content
            gc.collect()
            gc.freeze()
            for way in _WAYS:
                most = _LARGEST_READING_ALL if way.reads == "all text" else way.largest
                if most is None or size <= most:
                    seconds[way][size] = _best(way.run, lines, chars, repeats)
            gc.unfreeze()
        for way in _WAYS:
            yield GrowthRow(way, mix, seconds[way])


def _best(
    run: Callable[[list[bytes]], Message], lines: list[bytes], chars: int, repeats: int
) -> float:
    best = _timed(run, lines, chars)
    for _ in range(repeats - 1):
        if best > _ONCE_IS_ENOUGH_S:
            break
        best = min(best, _timed(run, lines, chars))
    return best


def _timed(run: Callable[[list[bytes]], Message], lines: list[bytes], chars: int) -> float:
    gc.collect()
    start = time.process_time()
    message = run(lines)
    took = time.process_time() - start
    found = sum(len(part.payload.text) for part in message.parts if isinstance(part, TextPart))
    if found != chars:
        raise ValueError(f"{found} characters of text were assembled, {chars} were sent")
    return took


def measure_cost(mixes: tuple[str, ...], small: int, large: int, rounds: int) -> Iterator[CostRow]:
    """Yield a row for the floor and each of ours; small and large streams run in turn."""
    for mix in mixes:
        contents = make_content(mix, small), make_content(mix, large)
        few, many = (content.deltas for content in contents)
        loops = large // small
        for contestant in contestants():
            run = contestant.run
            small_input, large_input = (contestant.encode(content) for content in contents)
            ratios = []
            gc.collect()
            gc.freeze()
            for _ in range(rounds):
                cost_small = process_seconds(run, small_input, loops) / few
                ratios.append(process_seconds(run, large_input, 1) / many / cost_small)
            gc.unfreeze()
            yield CostRow(contestant, mix, small, large, ratios)


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
