"""``--memory`` is kept: what all processes of a run take together, whatever comes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.archive.memory import peak_of

pytestmark = [
    pytest.mark.early,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc"),
]

_MB = 1 << 20
_LINE = (
    '{"kind":"%s","runId":"run-%s","messageId":"msg-%d","seq":%d,"payload":{%s},'
    '"timestamp":"2026-11-01T00:00:00Z","providerRaw":{"id":"chatcmpl-9f2c1","choices":[{"index":0}]}}\n'
)


def _stream(run: int | str, message: int, texts: int) -> Iterator[str]:
    yield _LINE % ("start", run, message, 1, f'"modelId":"m","requestId":"r-{message}"')
    for seq in range(2, texts + 2):
        yield _LINE % (
            "text",
            run,
            message,
            seq,
            f'"textDelta":"piece {seq * message % 9973} of it "',
        )
    yield _LINE % ("done", run, message, texts + 2, '"finishReason":"stop"')


def _write(path: Path, size: int, order: str) -> int:
    """Write an archive of about a size: in order (many open streams), shuffled, or of a hot run."""
    rng = Random(size)
    written = count = lines = 0
    with path.open("w") as file:
        while written < size:
            streams = []
            for _ in range(500):
                is_hot = order == "hot" and rng.random() < 0.3
                streams.append(_stream("hot" if is_hot else count, count, rng.randint(4, 40)))
                count += 1
            while streams:
                left = []
                for each in streams:
                    line = next(each, None)
                    if line is not None:
                        written += file.write(line)
                        lines += 1
                        left.append(each)
                streams = left
    if order == "shuffled":
        rows = path.read_bytes().splitlines(keepends=True)
        rng.shuffle(rows)
        path.write_bytes(b"".join(rows))
    return count


@pytest.mark.parametrize(
    ("order", "size"),
    [("in order", 40 * _MB), ("in order", 120 * _MB), ("hot", 120 * _MB), ("shuffled", 40 * _MB)],
    ids=lambda each: each if isinstance(each, str) else f"{each // _MB}MB",
)
def test_memory_is_kept(tmp_path: Path, order: str, size: int) -> None:
    streams = _write(tmp_path / "a.jsonl", size, order)
    peak, summary = peak_of(tmp_path / "a.jsonl", tmp_path / "out", memory=150 * _MB)
    assert summary.totals.made == streams
    assert summary.totals.quarantined == 0
    assert peak < 150 * _MB
    print(f"{summary.seconds} s, {peak // _MB} MB")
