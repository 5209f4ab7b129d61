"""How much memory all processes of a run take together."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import msgspec

from partwire.archive.readers import SUMMARY, Summary
from tests.archive.driver import begin, children_of, end

__all__ = ["peak_of"]


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
