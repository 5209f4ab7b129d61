"""What partwire wants to reach, as data; every run prints each target with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from bench.providers import LONG_EVENTS
from bench.results import OURS, Results

__all__ = ["TARGETS", "Target", "Verdict", "judge"]

_ASSEMBLE: Final = ("assemble_buffer", "assemble_lines")
_CONSUME: Final = ("consume",)
_FEW_CALLS: Final = ("text", "args")
_MANY_CALLS: Final = ("parallel",)
_ALL_MIXES: Final = (*_FEW_CALLS, *_MANY_CALLS)
_FROM_1K: Final = (1_000, 10_000, 100_000)
_ALL_SIZES: Final = (100, *_FROM_1K)


class Measured(NamedTuple):
    """A figure and where it was found."""

    value: float
    place: str


Measure = Callable[[Results], Iterable[Measured]]


class Target(NamedTuple):
    """One target: every measured value is at most (or at least) ``limit``."""

    sentence: str
    bound: Literal["at most", "at least"]
    limit: float
    unit: str
    measure: Measure


class Verdict(NamedTuple):
    """The worst value of a target, None where nothing was measured, and how many cases miss it."""

    target: Target
    worst: Measured | None
    cases: int
    missed: int

    @property
    def met(self) -> bool | None:
        """Whether every case meets the target; None where nothing was measured."""
        return None if self.worst is None else not self.missed


def judge(results: Results) -> list[Verdict]:
    """Return a verdict for each target, in the order of the table."""
    verdicts = []
    for target in TARGETS:
        sign = 1 if target.bound == "at most" else -1
        found = sorted(target.measure(results), key=lambda measured: measured.value * sign)
        missed = [m for m in found if m.value * sign > target.limit * sign]
        verdicts.append(Verdict(target, found[-1] if found else None, len(found), len(missed)))
    return verdicts


def _floor_ratio(keys: tuple[str, ...], mixes: tuple[str, ...], sizes: tuple[int, ...]) -> Measure:
    def measure(results: Results) -> Iterator[Measured]:
        for key in keys:
            for cell in results.measured(key):
                if cell.mix in mixes and cell.size in sizes and cell.ratio is not None:
                    yield Measured(cell.ratio, f"{key}, {cell.mix}, {cell.size:,}")

    return measure


def _cost_of_large(results: Results) -> Iterator[Measured]:
    for row in results.cost:
        if row.contestant.kind == "ours":
            yield Measured(row.ratio, f"{row.contestant.key}, {row.mix}")


def _ahead_of(ours: tuple[str, ...], kinds: tuple[str, ...], sizes: tuple[int, ...]) -> Measure:
    """Measure how many times faster than each peer; peers beyond the time cap are no danger."""

    def measure(results: Results) -> Iterator[Measured]:
        for peer in results.cells:
            if peer.contestant.kind not in kinds or peer.size not in sizes or peer.ratio is None:
                continue
            for key in ours:
                own = results.cell(key, peer.mix, peer.size)
                if own is not None and own.ratio is not None:
                    place = f"{key} and {peer.contestant.key}, {peer.mix}, {peer.size:,}"
                    yield Measured(peer.ratio / own.ratio, place)

    return measure


def _doubling(reads: str) -> Measure:
    def measure(results: Results) -> Iterator[Measured]:
        for row in results.growth:
            if row.way.reads == reads:
                sizes = list(row.seconds)[1:]
                for size, factor in zip(sizes, row.doublings, strict=True):
                    yield Measured(factor, f"{row.way.label}, {row.mix}, {size:,}")

    return measure


def _memory(results: Results) -> Iterator[Measured]:
    for row in results.memory:
        yield Measured(row.share_of_limit, f"{row.mix}, {row.deltas:,}")


def _import_time(results: Results) -> Iterator[Measured]:
    if results.import_time is not None and results.import_time.value is not None:
        yield Measured(results.import_time.value, "median of fresh interpreters")


def _provider_median(results: Results) -> Iterator[Measured]:
    """Measure the recordings alone: fixtures are short on purpose."""
    for dialect in dict.fromkeys(row.dialect for row in results.providers):
        rows = [row for row in results.providers if row.dialect == dialect]
        ratios = [r.ratio for r in rows if r.ratio is not None and r.is_recording]
        if ratios:
            yield Measured(statistics.median(ratios), f"{dialect}, {len(ratios)} recordings")


def _long_streams(results: Results) -> Iterator[Measured]:
    for row in results.providers:
        if row.ratio is not None and row.events > LONG_EVENTS:
            yield Measured(row.ratio, f"{row.dialect}, {row.name}")


def _validate_ahead_of(peer: str, file: str) -> Measure:
    def measure(results: Results) -> Iterator[Measured]:
        found = results.validated
        for processes in (1, 2):
            ratio = None if found is None else found.ratio(peer, file, processes)
            if ratio is not None:
                yield Measured(ratio, f"processes: {processes}")

    return measure


def _check_jsonschema(results: Results) -> Iterator[Measured]:
    ratio = None if results.validated is None else results.validated.check_ratio
    if ratio is not None:
        yield Measured(ratio, "one process, its start left out")


def _validate_memory(results: Results) -> Iterator[Measured]:
    if results.validated is not None:
        for (file, processes), peak in results.validated.peak_mib.items():
            yield Measured(peak, f"{file} lines, processes: {processes}")


def _validate_start(results: Results) -> Iterator[Measured]:
    if results.validated is not None and results.validated.start_s:
        # Whatever else the machine does can only add to it.
        yield Measured(min(results.validated.start_s), "the least disturbed of whole commands")


_PEERS: Final = ("assembles", "decodes")
_X_FLOOR: Final = "× floor"

TARGETS: Final[tuple[Target, ...]] = (
    Target(
        "assemble, 1,000 deltas and more, text or one call",
        "at most", 1.5, _X_FLOOR, _floor_ratio(_ASSEMBLE, _FEW_CALLS, _FROM_1K),
    ),
    Target(
        "assemble, 1,000 deltas and more, 64 calls",
        "at most", 1.8, _X_FLOOR, _floor_ratio(_ASSEMBLE, _MANY_CALLS, _FROM_1K),
    ),
    Target(
        "consume delta by delta, 1,000 to 10,000 deltas",
        "at most", 2.1, _X_FLOOR, _floor_ratio(_CONSUME, _ALL_MIXES, (1_000, 10_000)),
    ),
    Target(
        "assemble, 100 deltas",
        "at most", 3.0, _X_FLOOR, _floor_ratio(_ASSEMBLE, _ALL_MIXES, (100,)),
    ),
    Target(
        "consume delta by delta, 100 deltas",
        "at most", 4.0, _X_FLOOR, _floor_ratio(_CONSUME, _ALL_MIXES, (100,)),
    ),
    Target(
        "cost per delta at 100,000 deltas, against 1,000",
        "at most", 1.2, "×", _cost_of_large,
    ),
    Target(
        "faster than every peer, every size, every mix",
        "at least", 1.0, "×", _ahead_of(OURS, _PEERS, _ALL_SIZES),
    ),
    Target(
        "assemble against the fastest peer that assembles, from 1,000",
        "at least", 5.0, "×", _ahead_of(_ASSEMBLE, ("assembles",), _FROM_1K),
    ),
    Target(
        "consume against the fastest peer that assembles, from 1,000",
        "at least", 5.0, "×", _ahead_of(_CONSUME, ("assembles",), _FROM_1K),
    ),
    Target(
        "all of ours against AG-UI's decoding alone, from 1,000",
        "at least", 2.0, "×", _ahead_of(OURS, ("decodes",), _FROM_1K),
    ),
    Target(
        "time(2n) / time(n), also with snapshot() or progress() after every delta",
        "at most", 2.2, "×", _doubling("nothing"),
    ),
    Target(
        "time(2n) / time(n), partial arguments read after every delta",
        "at most", 2.2, "×", _doubling("partial arguments"),
    ),
    Target(
        "peak memory, share of 3 × the assembled bytes + 1 MiB",
        "at most", 1.0, "×", _memory,
    ),
    Target(
        "adapter and assembler against the official accumulator, median of the recordings",
        "at least", 5.0, "×", _provider_median,
    ),
    Target(
        "adapter and assembler against the official accumulator, over 50 events",
        "at least", 1.0, "×", _long_streams,
    ),
    *(
        Target(f"validate, {words}, against {peer}", "at least", limit, "×",
               _validate_ahead_of(peer, file))
        for file, words, limits in (
            ("valid", "valid lines", (3.0, 2.5, 9.0)),
            ("invalid", "one line in a hundred invalid", (2.0, 1.7, 6.0)),
        )
        for peer, limit in zip(("jsonschema-rs", "ajv", "sourcemeta"), limits, strict=True)
    ),
    Target(
        "validate, valid documents, against check-jsonschema",
        "at least", 400.0, "×", _check_jsonschema,
    ),
    Target("validate, peak memory of all processes", "at most", 200.0, "MiB", _validate_memory),
    Target("validate, start to the end of a small file", "at most", 0.25, "s", _validate_start),
    Target("import partwire", "at most", 100.0, "ms", _import_time),
)  # fmt: skip
