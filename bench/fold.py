"""What a line of many mixed streams costs, native and plain, beside typed decoding of it."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from bench.content import make_content
from bench.ours import lines_of
from bench.ways import WAYS, take
from partwire.message import LineAssembler, StreamsAssembler
from partwire.types import MessageDelta

__all__ = ["FoldRow", "measure_fold"]

_CHUNK_BYTES: Final = 64 * 1024
_SEED: Final = 20261128
_decode_lines: Final = msgspec.json.Decoder(MessageDelta).decode_lines

_CASES: Final = (("text", 60, 10), ("text", 60, 1_000), ("text", 1_000, 10), ("args", 1_000, 10))
"""The content of a stream, how many of its deltas carry it, and how many are open at once."""


class FoldRow(NamedTuple):
    """One way in which streams are mixed: microseconds of CPU per line, and ratios to the floor."""

    what: str
    native_us: float | None
    """None where the native core is not installed."""
    plain_us: float
    one_by_one_us: float
    """The same streams one after the other, each by a LineAssembler, natively where that is had."""
    floor_us: float
    """Typed decoding of the same lines, in the same chunks."""
    native_ratio: float | None
    plain_ratio: float


def measure_fold(rounds: int, lines: int = 60_000) -> Iterator[FoldRow]:
    """Yield a row for each mix and number of open streams; medians of ``rounds``."""
    for mix, size, most in _CASES:
        streams = list(_streams(mix, size, max(lines // size, most)))
        yield _measure(f"{mix}, {size:,} deltas each, {most:,} open", streams, most, rounds)


def _streams(mix: str, size: int, count: int) -> Iterator[list[bytes]]:
    rows = lines_of(make_content(mix, size))
    for index in range(count):
        yield [row.replace(b'"run-1"', b'"run-%d"' % index) for row in rows]


def _measure(what: str, streams: list[list[bytes]], most: int, rounds: int) -> FoldRow:
    text = b"".join(_mixed(streams, most))
    count = sum(map(len, streams))
    alone = [b"".join(row + b"\n" for row in rows) for rows in streams]
    ways: dict[str, Callable[[], Any]] = {
        "native": lambda: _fold(text, len(streams)),
        "plain": lambda: _fold(text, len(streams)),
        "one_by_one": lambda: _assemble(alone),
        "floor": lambda: _floor(text),
    }
    if "native" not in WAYS:
        del ways["native"]
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            take("plain" if name == "plain" else "native")
            gc.collect()
            begin = time.process_time()
            run()
            seconds[name].append(time.process_time() - begin)
    per_line = {name: statistics.median(times) / count * 1e6 for name, times in seconds.items()}
    native, plain, floor = per_line.get("native"), per_line["plain"], per_line["floor"]
    ratio = None if native is None else native / floor
    return FoldRow(what, native, plain, per_line["one_by_one"], floor, ratio, plain / floor)


def _mixed(streams: list[list[bytes]], most: int) -> Iterator[bytes]:
    """Yield the lines of all streams, of which ``most`` are open at a time, in any order."""
    rng, waiting = random.Random(_SEED), iter(streams)
    running = [iter(rows) for _, rows in zip(range(most), waiting, strict=False)]
    while running:
        at = rng.randrange(len(running))
        line = next(running[at], None)
        if line is not None:
            yield line + b"\n"
            continue
        following = next(waiting, None)
        if following is None:
            running[at] = running[-1]
            running.pop()
        else:
            running[at] = iter(following)


def _chunks(text: bytes) -> Iterator[bytes]:
    for begin in range(0, len(text), _CHUNK_BYTES):
        yield text[begin : begin + _CHUNK_BYTES]


def _fold(text: bytes, expected: int) -> None:
    """Take all messages as JSON text: what an archive writes."""
    reader, messages = StreamsAssembler(), 0
    for chunk in _chunks(text):
        messages += sum(bool(each.message_json) for each in reader.feed(chunk))
    if reader.finish() or messages != expected:
        raise ValueError(f"{messages} messages of {expected} streams")


def _assemble(streams: list[bytes]) -> None:
    for stream in streams:
        reader = LineAssembler()
        reader.feed(stream)
        reader.finish()


def _floor(text: bytes) -> int:
    begin, count = 0, 0
    while begin < len(text):
        end = text.find(b"\n", begin + _CHUNK_BYTES) + 1 or len(text)
        count += len(_decode_lines(text[begin:end]))
        begin = end
    return count
