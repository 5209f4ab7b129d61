"""What ``archive plan``, or ``--dry-run``, says of a run beside what the run then takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bench.archive.contestants import COMMAND, environment_of
from bench.archive.run import Ran, run_measured
from bench.ways import Way

__all__ = ["PlannedRow", "measure_planned"]

_MIB: Final = 1 << 20


class PlannedRow(NamedTuple):
    """One figure of a plan, and of the run."""

    archive: str
    way: Way
    what: str
    planned: float
    measured: float
    ratio: float


def measure_planned(
    archive: str,
    way: Way,
    files: list[str],
    target: Path,
    ran: Ran,
    problems: list[str],
    cap_s: float,
) -> Iterator[PlannedRow]:
    """Plan what one process has done in ``ran``, and yield what the plan says beside that."""
    options = ("assemble", "--dry-run", "--jobs", "1", "--compress", "none", "--format", "json")
    argv = [*COMMAND, *options, *files, str(target / "planned")]
    found = run_measured(argv, environment_of(way), cap_s)
    if found.problem:
        problems.append(f"archive, plan, {way}, {archive}: {found.problem}")
        return
    cost: dict[str, Any] = msgspec.json.decode(found.output)
    done: dict[str, Any] = msgspec.json.decode(ran.output)
    results = sum(table["stored"] for table in done["tables"].values())
    for what, planned, measured in (
        ("million lines", cost["lines"] / 1e6, done["totals"]["lines"] / 1e6),
        ("results, MiB", cost["disk"] / _MIB, results / _MIB),
        ("disk while it runs, MiB", (cost["disk"] + cost["work"]) / _MIB, ran.disk / _MIB),
        ("CPU s", cost["core_hours"] * 3600, ran.cpu_s),
    ):
        yield PlannedRow(archive, way, what, planned, measured, planned / (measured or 1))
