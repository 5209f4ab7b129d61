"""What it costs to put an archive together, ours beside the floor and what people would write."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.archive.contestants import CONTESTANTS, ROOT, Contestant, environment_of, why_not
from bench.archive.make import HARMLESS, Options, Truth, make_archive
from bench.archive.outcome import outcome_of
from bench.archive.planned import PlannedRow, measure_planned
from bench.archive.run import Ran, run_measured
from bench.archive.scaled import ScaledRow, measure_scaled
from bench.ways import WAYS, Way

__all__ = ["ARCHIVES", "QUICK", "Archive", "ArchiveRow", "Found", "measure_archive"]

_SEED: Final = 20261129
_CAP_S: Final = 1_800.0
_COUNTS: Final = {
    "lines": "lines",
    "blank": "blank",
    "used": "in_messages",
    "quarantined": "quarantined",
    "repeats": "repeats",
    "made": "messages",
}
"""Our counts by name, and those of the truth."""


class Archive(NamedTuple):
    """An archive that is made.

    ``is_large``: ours run once, as often as scripts. ``is_scaled``: its tasks are timed, for the
    model of more processes.
    """

    name: str
    lines: int
    is_large: bool = False
    shuffled: bool = False
    is_scaled: bool = False

    def options(self) -> Options:
        """Return what it is like: every script can take it, and its lines have about 276 bytes."""
        return Options(faults=HARMLESS, garbage=0, raw=0.45, shuffled=self.shuffled)


ARCHIVES: Final = (
    Archive("1.2 GB", 4_300_000),
    Archive("1.2 GB, shuffled", 4_300_000, shuffled=True, is_large=True),
    Archive("3 GB", 11_000_000, is_large=True),
    Archive("6 GB", 22_000_000, is_large=True, is_scaled=True),
)
QUICK: Final = (Archive("small", 60_000, is_scaled=True),)


class ArchiveRow(NamedTuple):
    """One contestant on one archive: medians of the rounds; peers have one."""

    archive: str
    lines: int
    key: str
    what: str
    way: Way | None
    jobs: int
    us_per_line: float
    """Processor time."""
    ratio: float
    """To the floor of the same round."""
    cpu_s: float
    wall_s: float
    peak_mib: float | None
    """Of all processes together."""


@dataclass
class Found:
    """All that was found out: rows of three tables, and what is missing and went wrong."""

    missing: dict[str, str]
    problems: list[str]
    rows: list[ArchiveRow] = field(default_factory=list)
    planned: list[PlannedRow] = field(default_factory=list)
    scaled: list[ScaledRow] = field(default_factory=list)


def measure_archive(
    archives: Iterable[Archive], rounds: int, found: Found, *, peers: bool = True
) -> None:
    """Add a row for each contestant on each archive, what was planned, and the model.

    All run in turn, peers in the first round alone. A contestant that fails has no row, and is a
    problem if it is ours.
    """
    running = []
    for contestant in CONTESTANTS:
        if contestant.is_peer and not peers:
            continue
        why = why_not(contestant)
        if why is None:
            running.append(contestant)
        else:
            found.missing[contestant.label] = why
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    for archive in archives:
        with tempfile.TemporaryDirectory(dir=cache, prefix="bench-archive-") as name:
            _measure(archive, Path(name), running, 1 if archive.is_large else rounds, found)


def _measure(
    archive: Archive, folder: Path, running: list[Contestant], rounds: int, found: Found
) -> None:
    truth = make_archive(folder, archive.lines, _SEED, archive.options())
    files = [str(folder / name) for name in truth.files]
    chosen = [each for each in running if archive.lines in each.takes]
    if archive.shuffled:  # it is about our memory: to scripts that hold all, order is the same
        chosen = [each for each in chosen if not each.is_peer]
    ran: dict[str, list[Ran]] = {each.key: [] for each in chosen}
    for number in range(rounds):
        # A script takes long, and how far ahead ours is does not depend on a tenth of it.
        for each in chosen if number == 0 else (c for c in chosen if c.way or c.makes is None):
            problem = _round(each, folder, truth, ran[each.key])
            _say(archive, each, problem or f"{ran[each.key][-1].cpu_s:.0f} CPU s")
            if problem and each.is_peer:
                found.missing[f"{each.label}, {archive.name}"] = problem
            elif problem:
                found.problems.append(f"archive, {each.key}, {archive.name}: {problem}")
    rows = list(_rows(archive, chosen, truth, ran))
    found.rows += rows
    said = found.problems, _CAP_S
    for way in WAYS:
        if alone := ran.get(f"{way}, 1"):
            given = archive.name, way, files, folder, alone[-1]
            found.planned += measure_planned(*given, *said)
    if archive.is_scaled:
        clock = {(str(row.way), row.jobs): row.wall_s for row in rows if row.way}
        found.scaled += measure_scaled(archive.name, truth.lines, files, folder, clock, *said)


def _say(archive: Archive, contestant: Contestant, what: str) -> None:
    """Say how far it is: all of it takes an hour."""
    print(f"  {archive.name}, {contestant.key}: {what}", file=sys.stderr, flush=True)


def _round(contestant: Contestant, folder: Path, truth: Truth, ran: list[Ran]) -> str:
    """Run a contestant and note what it took; return what was wrong."""
    target = folder / "made"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    command = contestant.argv(target, [str(folder / name) for name in truth.files])
    found = run_measured(command, environment_of(contestant.way), _CAP_S, target)
    problem = found.problem or _wrong(contestant, target, truth, found)
    shutil.rmtree(target)
    if not problem:
        ran.append(found)
    return problem


def _wrong(contestant: Contestant, target: Path, truth: Truth, found: Ran) -> str:
    """Return in what the outcome differs from the truth; "" if it is the same."""
    if contestant.makes is None:
        lines = truth.lines - truth.blank
        return "" if found.output == str(lines) else f"{found.output} lines, not {lines}"
    made = outcome_of(sorted(target.glob(contestant.makes)))
    if (made.messages, made.digest) != (truth.messages, truth.digest):
        return f"other messages: {made.messages} for {truth.messages}"
    if contestant.is_ours:
        counts = msgspec.json.decode(found.output)["totals"]
        due = msgspec.structs.asdict(truth)
        for name, other in _COUNTS.items():
            if counts[name] != due[other]:
                return f"{name}: {counts[name]} for {due[other]}"
    return ""


def _rows(
    archive: Archive, chosen: list[Contestant], truth: Truth, ran: dict[str, list[Ran]]
) -> Iterator[ArchiveRow]:
    floors = [each.cpu_s for each in ran["floor"]]
    for contestant in chosen:
        found = ran[contestant.key]
        if not found or len(found) > len(floors):
            continue
        cpu_s = statistics.median(each.cpu_s for each in found)
        ratios = [each.cpu_s / floor for each, floor in zip(found, floors, strict=False)]
        yield ArchiveRow(
            archive=archive.name,
            lines=truth.lines,
            key=contestant.key,
            what=contestant.label,
            way=contestant.way,
            jobs=contestant.jobs,
            us_per_line=cpu_s / truth.lines * 1e6,
            ratio=statistics.median(ratios),
            cpu_s=cpu_s,
            wall_s=statistics.median(each.wall_s for each in found),
            peak_mib=max((each.peak_mib for each in found if each.peak_mib), default=None),
        )
