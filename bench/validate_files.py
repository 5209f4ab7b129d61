"""The files of the section on ``partwire validate``: streams of deltas, one after the other."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bench.content import make_content
from bench.ours import deltas
from partwire.contract.resources import bundle

__all__ = ["EVERY", "Files", "invalid_numbers", "make_files"]

EVERY: Final = 100
"""One line in so many is invalid in the second file."""

_SEED: Final = 20261122
_DAY_MS: Final = 86_400_000


class Files(NamedTuple):
    """The two files, each whole and as two halves, and the schemas of their lines.

    ``schema`` is the contract's own bundle, with a reference to the type; ``array`` is that of an
    array of the same.
    """

    valid: tuple[Path, Path, Path]
    invalid: tuple[Path, Path, Path]
    schema: Path
    array: Path
    lines: int


def make_files(folder: Path, count: int) -> Files:
    """Write the files: ``count`` lines of about 160 bytes each, the same at every run."""
    names = ("valid", "invalid")
    whole = {name: folder / f"{name}.jsonl" for name in names}
    halves = {name: (folder / f"{name}-1.jsonl", folder / f"{name}-2.jsonl") for name in names}
    with whole["valid"].open("wb") as valid, whole["invalid"].open("wb") as invalid:
        for number, line in enumerate(islice(_lines(), count), 1):
            valid.write(line)
            invalid.write(_broken(line, number) if not number % EVERY else line)
    for name in names:
        with whole[name].open("rb") as lines:
            for half, share in zip(halves[name], (count // 2, count - count // 2), strict=True):
                with half.open("wb") as target:
                    target.writelines(islice(lines, share))
    schema, array = _schemas(folder)
    made = [(whole[name], *halves[name]) for name in names]
    return Files(made[0], made[1], schema, array, count)


def invalid_numbers(count: int) -> set[int]:
    """Return the numbers of the invalid lines in the second file."""
    return set(range(EVERY, count + 1, EVERY))


def _lines() -> Iterator[bytes]:
    """Yield streams of 80 to 500 deltas of text and of arguments, each with its own run id."""
    chooser = random.Random(_SEED)
    mixes = {"text": (80, 200, 500), "args": (80, 200), "parallel": (200,)}
    made = {
        mix: [list(deltas(make_content(mix, n))) for n in sizes] for mix, sizes in mixes.items()
    }
    clock_ms = 0
    while True:
        (mix,) = chooser.choices([*mixes], [6, 3, 1])
        run_id = f"run_{uuid.UUID(int=chooser.getrandbits(128))}"
        for delta in chooser.choice(made[mix]):
            clock_ms += chooser.randrange(40)
            yield (
                msgspec.json.encode({**delta, "runId": run_id, "timestamp": _timestamp(clock_ms)})
                + b"\n"
            )


def _timestamp(clock_ms: int) -> str:
    seconds, ms = divmod(clock_ms, 1000)
    day, clock = 1 + clock_ms // _DAY_MS % 28, seconds % 86_400
    hour, minute, second = clock // 3600, clock // 60 % 60, clock % 60
    return f"2026-11-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"


_BREAKS: Final[tuple[Callable[[dict[str, Any]], dict[str, Any]], ...]] = (
    lambda delta: {**delta, "seq": -1},
    lambda delta: {**delta, "timestamp": "2026-02-30T00:00:00Z"},
    lambda delta: {name: value for name, value in delta.items() if name != "payload"},
    lambda delta: {**delta, "kind": "txt"},
    lambda delta: {**delta, "payload": dict.fromkeys(delta["payload"])},
    lambda delta: {**delta, "runId": ""},
)


def _broken(line: bytes, number: int) -> bytes:
    delta = _BREAKS[number // EVERY % len(_BREAKS)](msgspec.json.decode(line))
    return msgspec.json.encode(delta) + b"\n"


def _schemas(folder: Path) -> tuple[Path, Path]:
    whole = bundle("message")
    own: dict[str, Any] = {"$ref": "#/$defs/MessageDelta"}
    paths = (folder / "delta.schema.json", folder / "array.schema.json")
    for path, more in zip(paths, (own, {"type": "array", "items": own}), strict=True):
        path.write_text(json.dumps({**whole, **more}), encoding="utf-8")
    return paths
