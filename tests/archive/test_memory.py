"""``--memory`` is kept: what all processes of a run take together, whatever comes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec
import pytest

from partwire.archive.readers import SUMMARY, Summary
from tests.archive.driver import begin, children_of, end

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


def _held(pid: int) -> int:
    """Return the memory of a process in bytes; what several share counts once in all."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def peak_of(source: Path, target: Path, **options: object) -> tuple[int, Summary]:
    """Return how much all processes of a run took at the most, and what came of it."""
    run = begin(source, target, task_bytes=None, **options)
    peak = 0
    while run.poll() is None:
        peak = max(peak, sum(map(_held, (run.pid, *children_of(run.pid)))))
        time.sleep(0.02)
    status, said = end(run)
    assert status == 0, said
    return peak, msgspec.json.decode((target / SUMMARY).read_bytes(), type=Summary)


@pytest.mark.parametrize("order", ["in order", "shuffled", "hot"])
@pytest.mark.parametrize("size", [40 * _MB, 120 * _MB], ids=["40MB", "120MB"])
def test_memory_is_kept(tmp_path: Path, order: str, size: int) -> None:
    streams = _write(tmp_path / "a.jsonl", size, order)
    peak, summary = peak_of(tmp_path / "a.jsonl", tmp_path / "out", memory=150 * _MB)
    assert summary.totals.made == streams
    assert summary.totals.quarantined == 0
    assert peak < 150 * _MB
