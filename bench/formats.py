"""Formats of others: histories against their official libraries, stream writers, large sessions."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench.content import make_content
from bench.format_documents import DOCUMENTS, document
from bench.measure import ended, frozen, process_seconds
from bench.ours import decode, lines_of
from bench.peers import histories
from bench.ways import WAYS, Way, take
from partwire import formats
from partwire.formats import FORMATS

__all__ = [
    "FormatRow",
    "SessionRow",
    "WriterRow",
    "measure_formats",
    "measure_sessions",
    "measure_writers",
]

_WHEN: Final = "2026-01-02T03:04:05Z"
_SESSIONS: Final = ("claude-code", "codex")
_MIXES: Final = {"text": "text", "args": "one call, long arguments"}
_ROOT: Final = Path(__file__).resolve().parent.parent
_MEASURED: Final = """
import os, sys
from partwire.cli import main
sys.stdout = open(os.devnull, "w")
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""
"""Not getrusage: that has what the process took that this one was forked from."""


class FormatRow(NamedTuple):
    """One format and way: MB per second, and the official library's time in the same rounds.

    ``against`` is our time as a multiple of the library's, the median of the rounds; ``doubled`` is
    time(2n) / time(n), of the whole document and half of it.
    """

    format: str
    way: Way
    mb: float
    mb_s: float
    library: str
    library_mb_s: float | None
    against: float | None
    doubled: float


class WriterRow(NamedTuple):
    """One stream writer, way and mix: microseconds of CPU per delta, and time(2n) / time(n)."""

    format: str
    way: Way
    mix: str
    deltas: int
    us_per_delta: float
    doubled: float


class SessionRow(NamedTuple):
    """A session on disk, converted by the command: MB per second, and the peak of its memory."""

    format: str
    mb: float
    mb_s: float
    peak_mib: float


# --- histories ------------------------------------------------------------------------------------


def measure_formats(rounds: int, size: int, missing: dict[str, str]) -> Iterator[FormatRow]:
    """Yield a row for each format and way; ``missing`` gets what is not installed, and why."""
    for name in DOCUMENTS:
        turns = _turns(name, size)
        half, whole = document(name, turns // 2), document(name, turns)
        runs: dict[str, Callable[[], object]] = {}
        try:
            peer = histories.load(name)
        except ImportError as error:
            missing[histories.PARSERS[name][0]] = f"not installed ({error})"
            peer = None
        if peer is not None:
            runs["library"] = partial(peer[1], whole)
        for way in WAYS:
            runs[f"{way} half"] = partial(_read, name, half)
            runs[way] = partial(_read, name, whole)
        if len(formats.read(name, whole).messages) < turns:
            raise ValueError(f"{name}: messages are missing")
        seconds = _rounds(runs, rounds)
        for way in WAYS:
            ours = statistics.median(seconds[way])
            theirs = seconds.get("library")
            yield FormatRow(
                name,
                way,
                len(whole) / 1e6,
                len(whole) / 1e6 / ours,
                peer[0] if peer else "none",
                len(whole) / 1e6 / statistics.median(theirs) if theirs else None,
                _ratio(seconds[way], theirs) if theirs else None,
                min(seconds[way]) / min(seconds[f"{way} half"]) * (turns // 2 * 2) / turns,
            )


def _turns(name: str, size: int) -> int:
    """Return how many turns take that many bytes."""
    few = 50
    return max(2, size * few // len(document(name, few)))


def _read(name: str, text: bytes) -> object:
    return formats.read(name, text, run_id="run_1", timestamp=_WHEN)


def _rounds(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each, in turn, round after round."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    with frozen():
        for _ in range(rounds):
            for name, run in runs.items():
                take("plain" if name.startswith("plain") else "native")
                seconds[name].append(_seconds(run))
    return seconds


def _seconds(run: Callable[[], object]) -> float:
    return process_seconds(lambda _given: run(), None, 1)


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(own / other for own, other in zip(ours, theirs, strict=True))


# --- streams that are written ---------------------------------------------------------------------


def measure_writers(rounds: int, size: int) -> Iterator[WriterRow]:
    """Yield a row for each stream writer, way and mix."""
    writers = [name for name, each in FORMATS.items() if each.can("writer")]
    for name in writers:
        for mix, words in _MIXES.items():
            streams = [_structs(mix, count) for count in (size, size // 2)]
            for way in WAYS:
                take(way)
                whole, half = (
                    [_written(name, stream) for _ in range(rounds)] for stream in streams
                )
                count = len(streams[0])
                per_delta = statistics.median(whole) / count * 1e6
                yield WriterRow(name, way, words, count, per_delta, min(whole) / min(half))


def _structs(mix: str, count: int) -> list[object]:
    """Return deltas as adapters give them."""
    return [decode(line) for line in lines_of(make_content(mix, count))]


def _written(name: str, stream: list[object]) -> float:
    """Return the seconds that a writer takes for a stream, to its end and its losses."""
    writer = formats.writer(name)
    gc.collect()
    begin = time.process_time()
    for delta in stream:
        writer.feed(delta)
    writer.finish()
    seconds = time.process_time() - begin
    if any(loss.severity == "lossy" and "text" in loss.pointer for loss in writer.losses):
        raise ValueError(f"{name}: {writer.losses[:3]}")
    return seconds


# --- sessions on disk -----------------------------------------------------------------------------


def measure_sessions(sizes: tuple[int, ...]) -> Iterator[SessionRow]:
    """Yield a row for each format and size: ``partwire convert`` in a process of its own.

    No row where nothing says what a process took.
    """
    if not Path("/proc/self/status").exists():
        return
    environment = {**os.environ, "PYTHONPATH": str(_ROOT / "python")}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "session.jsonl"
        for name in _SESSIONS:
            for size in sizes:
                path.write_bytes(document(name, _turns(name, size)))
                options = ["convert", "--from", name, "--to", "message", str(path)]
                process = subprocess.Popen(
                    [sys.executable, "-c", _MEASURED, *options],
                    stderr=subprocess.PIPE,
                    env=environment,
                )
                told = process.stderr.read() if process.stderr else b""
                seconds = ended(process)
                if process.returncode:
                    raise subprocess.CalledProcessError(process.returncode, options, stderr=told)
                mb, peak = path.stat().st_size / 1e6, int(told.split()[-1]) / 1024
                yield SessionRow(name, mb, mb / seconds, peak)
