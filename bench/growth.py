"""How time and memory grow with the number of deltas, native and plain."""

from __future__ import annotations

import gc
import itertools
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import msgspec

from bench import ways
from bench.content import Content, ToolUse, make_content
from bench.measure import frozen
from bench.ours import (
    CHUNKS,
    assemble_chunks,
    assemble_lines,
    consume_lines,
    cut,
    decode,
    deltas,
    lines_of,
)
from bench.ways import WAYS
from partwire.convert import downgrade, migrate
from partwire.message import LineAssembler, MessageAssembler, assemble
from partwire.message.assembler.snapshot import Progress
from partwire.providers.requests import encode_request
from partwire.reading.pipeline import read
from partwire.types import Message, TextDelta, TextPart

__all__ = ["GrowthRow", "MemoryRow", "Work", "measure_growth", "measure_memory"]

READ_EVERY: Final = 100
_MESSAGE: Final = "message.Message"


class Work(NamedTuple):
    """What is done with a stream; it takes lines, or with ``size`` the stream in such chunks.

    ``reads``: ``"all text"`` asks for work that grows with the text, again and again, so that no
    doubling limit applies.
    """

    label: str
    run: Callable[[Any], Message]
    ways: tuple[ways.Way, ...]
    size: int | None = None
    largest: int | None = None
    """Larger streams are left out: no message of one part per delta is so large."""
    reads: Literal["no more than is new", "all text"] = "no more than is new"


@dataclass(frozen=True)
class GrowthRow:
    """One work, way and mix: seconds by number of content deltas, each twice the one before."""

    work: Work
    way: ways.Way
    mix: str
    seconds: dict[int, float]

    @property
    def doublings(self) -> list[float]:
        """time(2n) / time(n), in order of n."""
        return [after / before for before, after in itertools.pairwise(self.seconds.values())]


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


def _reading(look: Callable[[MessageAssembler, int], object]) -> Callable[[list[bytes]], Message]:
    """Return what takes delta by delta, and looks after each."""

    def run(lines: list[bytes]) -> Message:
        assembler = MessageAssembler()
        for number, line in enumerate(lines):
            assembler.consume(decode(line))
            look(assembler, number)
        return assembler.build_final_message()

    return run


def _reading_fed(lines: list[bytes]) -> Message:
    """Feed line by line, and read the partial arguments after each."""
    stream = LineAssembler()
    for line in lines:
        stream.feed(line)
        stream.feed(b"\n")
        _partial_arguments(stream.assembler)
    return stream.finish()


def _partial_arguments(assembler: MessageAssembler, _number: int = 0) -> None:
    for call in assembler.progress().open_calls:
        call.partial_arguments  # noqa: B018  reading is what costs


def _all_text(assembler: MessageAssembler, number: int) -> None:
    progress = assembler.progress()
    if number % READ_EVERY == 0:
        read_all(progress)


def read_all(progress: Progress) -> int:
    """Read what a user interface would draw; return the number of characters."""
    parts = progress.snapshot.parts
    size = sum(len(part.payload.text) for part in parts if isinstance(part, TextPart))
    return size + sum(len(call.raw_args_text) for call in progress.open_calls)


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
    return [d.payload.text_delta for d in map(decode, lines) if isinstance(d, TextDelta)]


def _message(role: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    stamp = {"timestamp": "2026-01-02T03:04:05Z"}
    return {"runId": "run_1", "role": role, "parts": parts} | stamp


_PLAIN: Final[tuple[ways.Way, ...]] = ("plain",)
_BIG: Final = 2**62
_LARGEST_MIGRATED: Final = 125_000
_WORKS: Final = (
    Work("assemble(buffer)", lambda chunks: assemble(chunks[0]), WAYS, _BIG),
    Work("assemble(lines)", assemble_lines, WAYS),
    *(Work(f"feed, {label}", assemble_chunks, WAYS, size) for label, size in CHUNKS.items()),
    Work("feed, partial arguments read after every line", _reading_fed, WAYS),
    Work("consume", consume_lines, _PLAIN),
    Work("consume, snapshot() after every delta", _reading(lambda a, _: a.snapshot()), _PLAIN),
    Work("consume, progress() after every delta", _reading(lambda a, _: a.progress()), _PLAIN),
    Work("consume, partial arguments read after every delta", _reading(_partial_arguments), _PLAIN),
    Work(
        f"consume, progress(), all text read at every {READ_EVERY}th", _reading(_all_text), _PLAIN,
        None, 125_000, "all text",
    ),
    Work("migrate to v0.1 and back, a part per delta", _migrated, WAYS, None, _LARGEST_MIGRATED),
    Work("encode_request, a turn per delta", _encoded, WAYS[:1], None, _LARGEST_MIGRATED),
)  # fmt: skip
_ONCE_IS_ENOUGH_S: Final = 1.0


def measure_growth(mix: str, largest: int, doublings: int, repeats: int) -> Iterator[GrowthRow]:
    """Yield a row per work and way, up to ``largest`` deltas; the best of ``repeats`` counts."""
    rows = [GrowthRow(work, way, mix, {}) for work in _WORKS for way in work.ways]
    for size in (largest >> shift for shift in range(doublings, -1, -1)):
        content = make_content(mix, size)
        lines, chars = lines_of(content), len(content.text)
        del content
        whole = b"\n".join([*lines, b""])
        with frozen():
            for row in rows:
                if row.work.largest is None or size <= row.work.largest:
                    given = lines if row.work.size is None else cut(whole, row.work.size)
                    ways.take(row.way)
                    row.seconds[size] = _best(row.work.run, given, chars, repeats)
    yield from rows


def _best(run: Callable[[Any], Message], given: list[bytes], chars: int, repeats: int) -> float:
    best = _timed(run, given, chars)
    for _ in range(repeats - 1):
        if best > _ONCE_IS_ENOUGH_S:
            break
        best = min(best, _timed(run, given, chars))
    return best


def _timed(run: Callable[[Any], Message], given: list[bytes], chars: int) -> float:
    gc.collect()
    start = time.process_time()
    message = run(given)
    took = time.process_time() - start
    found = sum(len(part.payload.text) for part in message.parts if isinstance(part, TextPart))
    if found != chars:
        raise ValueError(f"{found} characters of text were assembled, {chars} were sent")
    return took


def measure_memory(sizes: tuple[int, ...]) -> Iterator[MemoryRow]:
    """Yield the peak for text and for one call's arguments; lines are made one at a time."""
    encode = msgspec.json.Encoder().encode
    for mix in ("text", "args"):
        for size in sizes:
            content = _one_string(mix, size)
            gc.collect()
            tracemalloc.start()
            try:
                assembler = MessageAssembler()
                for delta in deltas(content):
                    assembler.consume(decode(encode(delta)))
                message = assembler.build_final_message()
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            payload: Any = message.parts[0].payload
            text = payload.text if mix == "text" else payload.arguments["content"]
            yield MemoryRow(mix, size, len(text), peak)


_WORDS: Final = ("the ", "stream ", "of ", "deltas ", "is ", "never ", "kept, ", "only joined; ")


def _one_string(mix: str, size: int) -> Content:
    """Return content that is one string, whose characters take one byte each."""
    words = [_WORDS[number % len(_WORDS)] for number in range(size)]
    if mix == "text":
        return Content(mix, (), tuple((-1, word) for word in words))
    pieces = ['{"content":"', *words[1:-1], '"}']
    call = ToolUse("call_1", "write_file", "".join(pieces))
    return Content(mix, (call,), tuple((0, piece) for piece in pieces))
