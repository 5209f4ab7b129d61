"""What it costs to count, validate and tabulate messages, beside ``partwire validate`` of them."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import zstandard

from bench.archive.contestants import ROOT, Argv, environment_of
from bench.archive.run import Ran, run_measured
from bench.archive.streams import canonical, make_stream, message_of
from bench.ways import WAYS, Way

__all__ = ["QUICK", "TABLE", "WHOLE", "MessagesRow", "make_messages", "measure_messages"]

WHOLE: Final = 200_000
"""So many messages that the start of a command is little."""
QUICK: Final = 2_000
_SEED: Final = 20261129
_CAP_S: Final = 1_800.0
_PER_HOUR: Final = 60
_LEVEL: Final = 3
_TYPE: Final = ("--type", "message.Message")
_COMMAND: Final = (sys.executable, "-c", "from partwire.cli import main; main()")


class MessagesRow(NamedTuple):
    """One command over the messages: medians of the rounds, of the processor time."""

    what: str
    way: Way
    messages: int
    us_per_message: float
    ratio: float
    """To ``partwire validate`` of the same round and way."""
    cpu_s: float
    wall_s: float
    peak_mib: float | None
    size: float | None
    """Of the tables, as a share of the messages in zst; None for a command that makes none."""


class _Made(NamedTuple):
    path: Path
    messages: int
    packed: int
    """Bytes of the messages in zst."""


def _archive(name: str, *more: str) -> Argv:
    said = ("archive", name, *_TYPE, *more, "--jobs", "1", "--format", "json")
    return lambda target, files: [*_COMMAND, *said, *files, str(target)]


_VALIDATE: Final = "partwire validate"
TABLE: Final = "archive to-parquet"
_COMMANDS: Final[dict[str, Argv]] = {
    _VALIDATE: lambda _, files: [*_COMMAND, "validate", *_TYPE, "--jobs", "1", *files],
    "archive validate": _archive("validate"),
    "archive statistics": _archive("statistics"),
    TABLE: _archive("to-parquet"),
    "archive to-parquet --flat": _archive("to-parquet", "--flat"),
}


def make_messages(path: Path, count: int) -> int:
    """Write the messages of made streams as JSON Lines; return how many bytes they are in zst."""
    rng = Random(_SEED)
    packed = zstandard.ZstdCompressor(_LEVEL).compressobj()
    size = 0
    with path.open("wb") as file:
        for number in range(count):
            stream = make_stream(
                rng,
                number,
                number // 3,
                number // _PER_HOUR,
                length=min(5 + int(rng.expovariate(1 / 59)), 480),
                is_agents=rng.random() < 0.3,
                has_id=True,
                raw=0,
            )
            end = stream.stamps[len(stream.deltas) - 1]
            text = canonical(message_of(stream, stream.deltas, "done", end)) + b"\n"
            file.write(text)
            size += len(packed.compress(text))
    return size + len(packed.flush())


def measure_messages(count: int, rounds: int, problems: list[str]) -> Iterator[MessagesRow]:
    """Yield a row for each command and way; all run in turn, each in a new process."""
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="bench-messages-") as name:
        folder = Path(name)
        path = folder / "messages.jsonl"
        made = _Made(path, count, make_messages(path, count))
        for way in WAYS:
            ran: dict[str, list[Ran]] = {label: [] for label in _COMMANDS}
            sizes: dict[str, float] = {}
            for _ in range(rounds):
                for label, argv in _COMMANDS.items():
                    found = _run(label, argv, made, folder / "made", way, sizes)
                    if found.problem:
                        problems.append(f"archive, {label}, {way}: {found.problem}")
                    else:
                        ran[label].append(found)
            yield from _rows(ran, sizes, count, way)


def _run(
    label: str, argv: Argv, made: _Made, target: Path, way: Way, sizes: dict[str, float]
) -> Ran:
    found = run_measured(argv(target, [str(made.path)]), environment_of(way), _CAP_S)
    if label == TABLE:
        files = (target / "documents").glob("*")
        sizes[label] = sum(each.stat().st_size for each in files) / made.packed
    shutil.rmtree(target, ignore_errors=True)
    return found


def _rows(
    ran: dict[str, list[Ran]], sizes: dict[str, float], count: int, way: Way
) -> Iterator[MessagesRow]:
    base = [each.cpu_s for each in ran[_VALIDATE]]
    for label, found in ran.items():
        if not found or len(found) != len(base):
            continue
        cpu_s = statistics.median(each.cpu_s for each in found)
        yield MessagesRow(
            what=label,
            way=way,
            messages=count,
            us_per_message=cpu_s / count * 1e6,
            ratio=statistics.median(a.cpu_s / b for a, b in zip(found, base, strict=True)),
            cpu_s=cpu_s,
            wall_s=statistics.median(each.wall_s for each in found),
            peak_mib=max((each.peak_mib for each in found if each.peak_mib), default=None),
            size=sizes.get(label),
        )
