"""What a line of many mixed streams costs, native and plain, beside typed decoding of it."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from bench.content import make_content
from bench.ours import lines_of
from partwire import native_core
from partwire.message import LineAssembler, StreamsAssembler
from partwire.types import MessageDelta

__all__ = ["FoldRow", "measure_fold"]

_CHUNK_BYTES: Final = 64 * 1024
_SEED: Final = 20261128
_decode_lines: Final = msgspec.json.Decoder(MessageDelta).decode_lines

_MIXES: Final = {"short": ("text", 60), "text": ("text", 1_000), "args": ("args", 1_000)}
"""The content of a stream, and how many of its deltas carry it."""


class FoldRow(NamedTuple):
    """One way in which streams are mixed: microseconds of CPU per line, and ratios to the floor."""

    what: str
    lines: int
    open_streams: int
    """How many are open at once."""
    native: float | None
    """None where the native core is not installed."""
    plain: float
    one_by_one: float
    """The same streams one after the other, each by a LineAssembler, on the native way if there is
    one."""
    floor: float
    """Typed decoding of the same lines, in the same chunks."""

    @property
    def ratio(self) -> float | None:
        """The native way to the floor."""
        return None if self.native is None else self.native / self.floor

    @property
    def plain_ratio(self) -> float:
        """The plain way to the floor."""
        return self.plain / self.floor


def measure_fold(lines: int = 200_000, rounds: int = 5) -> Iterator[FoldRow]:
    """Yield a row for each mix and number of open streams; medians of ``rounds``."""
    for mix, (content, size) in _MIXES.items():
        for open_streams in (10, 1_000):
            streams = list(_streams(content, size, max(lines // size, open_streams)))
            yield _measure(f"{mix}, {open_streams:,} open", streams, open_streams, rounds)


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
        "plain": lambda: _plainly(lambda: _fold(text, len(streams))),
        "one_by_one": lambda: _assemble(alone),
        "floor": lambda: _floor(text),
    }
    if native_core.native is None:
        del ways["native"]
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            gc.collect()
            begin = time.process_time()
            run()
            seconds[name].append(time.process_time() - begin)
    per_line = {name: statistics.median(times) / count * 1e6 for name, times in seconds.items()}
    return FoldRow(
        what,
        count,
        most,
        native=per_line.get("native"),
        plain=per_line["plain"],
        one_by_one=per_line["one_by_one"],
        floor=per_line["floor"],
    )


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


def _plainly(run: Callable[[], None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_core, "_core", None)
        run()


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


if __name__ == "__main__":
    for row in measure_fold():
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        print(f"{row}\n  native {ratio} x floor, plain {row.plain_ratio:.2f} x floor")
