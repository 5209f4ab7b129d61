"""Timing: all contestants in turn, round after round, each against the floor of the same round."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from bench.content import Content, make_content
from bench.contestants import Contestant, Kind
from bench.ways import take

__all__ = [
    "Cell",
    "Settings",
    "TimeCapReached",
    "ended",
    "frozen",
    "measure_mix",
    "process_seconds",
    "time_cap",
]

State = Literal["measured", "capped", "skipped", "wrong", "failed"]

_KINDS_WITH_ALL_ROUNDS: Final[tuple[Kind, ...]] = ("floor", "ours")
_CLIP: Final = 300


@dataclass(frozen=True)
class Settings:
    """How long to measure. Seconds, unless the name says otherwise."""

    sizes: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    rounds: int = 11
    cap_s: float = 15.0
    peer_budget_s: float = 1.2
    sample_s: float = 0.01


@dataclass
class Cell:
    """What was measured for one contestant, mix and size.

    ``size`` counts content deltas, ``deltas`` all of our own format. ``seconds`` and ``ratios``
    (to the floor of the same round) have one entry per round; ``note`` says why there are none;
    ``capped`` cells carry the cap, a lower bound, in ``cap_s``.
    """

    contestant: Contestant
    mix: str
    size: int
    deltas: int
    state: State = "measured"
    seconds: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    note: str = ""
    cap_s: float = 0.0

    @property
    def ratio(self) -> float | None:
        """Median of the ratios to the floor."""
        return statistics.median(self.ratios) if self.state == "measured" else None

    @property
    def us_per_delta(self) -> float | None:
        """Median microseconds per delta (for peers too: per delta of our own format)."""
        if self.state != "measured":
            return None
        return statistics.median(self.seconds) / self.deltas * 1e6


class TimeCapReached(BaseException):
    """Raised inside a run that takes too long; no peer may catch it as an ordinary error."""


@contextlib.contextmanager
def time_cap(seconds: float) -> Iterator[None]:
    """Interrupt the body after ``seconds`` of wall time, where the platform has such timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: object) -> None:
        raise TimeCapReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def frozen() -> Iterator[None]:
    """Keep the collector on, but let it not walk what is there already: inputs, and modules."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def measure_mix(
    mix: str, contestants: list[Contestant], settings: Settings
) -> Iterator[list[Cell]]:
    """Yield the cells of one mix, size by size; the floor must come first in ``contestants``."""
    given_up: dict[str, str] = {}
    for contestant in contestants:
        take(contestant.way)
        with contextlib.suppress(Exception):  # a warm-up; a real failure shows in the first cell
            contestant.run(contestant.encode(make_content(mix, 10)))
    for size in settings.sizes:
        cells = _measure_size(make_content(mix, size), contestants, given_up, settings)
        for cell in cells:
            if cell.state == "capped":
                given_up[cell.contestant.key] = f"not tried: {cell.note} at {size:,}"
            elif cell.state in ("wrong", "failed"):
                given_up[cell.contestant.key] = f"not tried: {cell.state} at {size:,}"
        yield cells


def _measure_size(
    content: Content,
    contestants: list[Contestant],
    given_up: dict[str, str],
    settings: Settings,
) -> list[Cell]:
    cells = [Cell(c, content.mix, content.size, content.deltas) for c in contestants]
    inputs: dict[str, Any] = {}
    encoded: dict[Callable[[Content], Any], Any] = {}  # both ways are given the same
    for cell in cells:
        key, encode = cell.contestant.key, cell.contestant.encode
        if key in given_up:
            cell.state, cell.note = "skipped", given_up[key]
            continue
        if encode not in encoded:
            encoded[encode] = encode(content)
        inputs[key] = encoded[encode]
    with frozen():
        first = {}
        for cell in cells:
            if cell.state == "measured":
                first[cell.contestant.key] = _first_run(cell, inputs, content, settings)
        _rounds([cell for cell in cells if cell.state == "measured"], inputs, first, settings)
    return cells


def _first_run(cell: Cell, inputs: dict[str, Any], content: Content, settings: Settings) -> float:
    """Run once under the cap, compare the result with the content; return the seconds."""
    contestant = cell.contestant
    given = inputs[contestant.key]
    take(contestant.way)
    gc.collect()
    try:
        with time_cap(settings.cap_s):
            start = time.process_time()
            final = contestant.run(given)
            seconds = time.process_time() - start
    except TimeCapReached:
        cell.state, cell.cap_s = "capped", settings.cap_s
        cell.note = f"did not finish within {settings.cap_s:g} s"
        return 0.0
    except Exception as error:  # noqa: BLE001  whatever a peer raises is reported, not fatal
        cell.state, cell.note = "failed", f"{type(error).__name__}: {error}"[:_CLIP]
        return 0.0
    try:
        right = contestant.outcome(given, final) == content.expected
    except Exception as error:  # noqa: BLE001  as above
        cell.state, cell.note = "failed", f"reading the result: {error!r}"[:_CLIP]
        return seconds
    if not right:
        cell.state, cell.note = "wrong", "the final message differs from the content"
    return seconds


def _rounds(
    cells: list[Cell], inputs: dict[str, Any], first: dict[str, float], settings: Settings
) -> None:
    """Fill the cells: A B C, A B C …; slow peers leave after their share of the time."""
    plan: dict[str, tuple[int, int]] = {}
    for cell in cells:
        seconds = max(first[cell.contestant.key], 1e-7)
        loops = max(1, round(settings.sample_s / seconds))
        rounds = settings.rounds
        if cell.contestant.kind not in _KINDS_WITH_ALL_ROUNDS:
            rounds = min(rounds, int(settings.peer_budget_s / (seconds * loops)))
        plan[cell.contestant.key] = (rounds, loops)
    floor: float | None = None
    for number in range(settings.rounds):
        for cell in cells:
            rounds, loops = plan[cell.contestant.key]
            take(cell.contestant.way)
            if number == 0 and rounds == 0:  # too slow for a second run: the first one counts
                seconds = first[cell.contestant.key]
            elif number < rounds:
                seconds = process_seconds(cell.contestant.run, inputs[cell.contestant.key], loops)
            else:
                continue
            if cell.contestant.kind == "floor":
                floor = seconds
            cell.seconds.append(seconds)
            if floor is not None:
                cell.ratios.append(seconds / floor)


def process_seconds(run: Callable[[Any], Any], given: Any, loops: int) -> float:
    """Return the CPU time of one run, as the mean of ``loops``; garbage is collected before."""
    gc.collect()
    start = time.process_time()
    for _ in range(loops):
        run(given)
    return (time.process_time() - start) / loops


def ended(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process; return the processor seconds of it and of its own processes."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime
