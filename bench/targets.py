"""What partwire wants to reach, as data; every run prints each target with what was measured."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from bench.archive.messages import MessagesRow
from bench.archive.rows import ArchiveRow
from bench.content import MIXES
from bench.formats import FormatRow, WriterRow
from bench.imports import PACKAGE
from bench.ours import AS_THEY_COME, CHUNKS, FORMS
from bench.providers import LONG_EVENTS
from bench.results import Results
from bench.validate import TODAY
from bench.ways import WAYS, Way

__all__ = ["TARGETS", "Target", "Verdict", "judge"]

_BUFFER: Final = ("assemble_buffer",)
_WHOLE: Final = (*_BUFFER, "assemble_lines")
_ASSEMBLE: Final = (*_BUFFER, *AS_THEY_COME)
_CONSUME: Final = ("consume",)
_ALL_MIXES: Final = tuple(MIXES)
_AT_100: Final = (100,)
_FROM_1K: Final = (1_000, 10_000, 100_000)
_ALL_SIZES: Final = (*_AT_100, *_FROM_1K)


class Measured(NamedTuple):
    """A figure and where it was found."""

    value: float
    place: str


Measure = Callable[[Results, Way], Iterable[Measured]]


class Target(NamedTuple):
    """One target: every measured value is at most (or at least) ``must``, and better ``aim``."""

    ways: tuple[Way, ...]
    sentence: str
    bound: Literal["at most", "at least"]
    must: float | None
    aim: float | None
    unit: str
    measure: Measure


class Verdict(NamedTuple):
    """The worst value of a target on one way, None where nothing was measured.

    ``missed`` are how many of the cases miss what must be reached, ``missed_aim`` the aim.
    """

    target: Target
    way: Way
    worst: Measured | None
    cases: int
    missed: int
    missed_aim: int

    @property
    def met(self) -> bool | None:
        """Whether every case meets what must be; None where nothing was measured."""
        return None if self.worst is None else not self.missed


def judge(results: Results) -> list[Verdict]:
    """Return a verdict for each target and way, in the order of the table."""
    return [_judged(target, way, results) for target in TARGETS for way in target.ways]


def _judged(target: Target, way: Way, results: Results) -> Verdict:
    sign = 1 if target.bound == "at most" else -1
    measured = target.measure(results, way) if way in WAYS else ()
    found = sorted(measured, key=lambda each: each.value * sign)
    missed, missed_aim = (
        0 if limit is None else sum(each.value * sign > limit * sign for each in found)
        for limit in (target.must, target.aim)
    )
    return Verdict(target, way, found[-1] if found else None, len(found), missed, missed_aim)


# --- where the figures are found ----------------------------------------------------------------


def _keys(names: Iterable[str], way: str) -> tuple[str, ...]:
    return tuple(f"{name}, {way}" for name in names)


def _floor(names: tuple[str, ...], mixes: tuple[str, ...], sizes: tuple[int, ...]) -> Measure:
    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for cell, ratio in results.measured(_keys(names, way), mixes, sizes):
            yield Measured(ratio, f"{cell.contestant.label}, {cell.mix}, {cell.size:,}")

    return measure


def _forms(against: Literal["plain", "bare"]) -> Measure:
    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for form in FORMS:
            key = f"buffer_{form}"
            other = _keys([key], "plain") if against == "plain" else _keys(_BUFFER, way)
            for cell, ratio in results.measured(_keys([key], way), _ALL_MIXES, _FROM_1K):
                for _, base in results.measured(other, (cell.mix,), (cell.size,)):
                    yield Measured(ratio / base, f"{FORMS[form]}, {cell.mix}, {cell.size:,}")

    return measure


def _ahead_of(
    names: tuple[str, ...], kinds: tuple[str, ...], sizes: tuple[int, ...] = _FROM_1K
) -> Measure:
    """Measure how many times faster than each peer; peers beyond the time cap are no danger."""

    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for peer in results.cells:
            if peer.contestant.kind not in kinds or peer.size not in sizes or peer.ratio is None:
                continue
            for own, ratio in results.measured(_keys(names, way), (peer.mix,), (peer.size,)):
                place = (
                    f"{own.contestant.label} and {peer.contestant.key}, {peer.mix}, {peer.size:,}"
                )
                yield Measured(peer.ratio / ratio, place)

    return measure


def _doubling(results: Results, way: Way) -> Iterator[Measured]:
    for row in results.growth:
        if row.way == way and row.work.reads != "all text":
            for size, factor in zip(list(row.seconds)[1:], row.doublings, strict=True):
                yield Measured(factor, f"{row.work.label}, {row.mix}, {size:,}")


def _memory(results: Results, _way: Way) -> Iterator[Measured]:
    for row in results.memory:
        yield Measured(row.share_of_limit, f"{row.mix}, {row.deltas:,}")


def _imports(results: Results, _way: Way) -> Iterator[Measured]:
    for row in results.imports:
        if row.code == PACKAGE:
            yield Measured(row.ms, row.code)


def _providers(dialects: tuple[str, ...]) -> Measure:
    """Measure the median of all streams, in each cut."""

    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for dialect in dialects:
            for chunks in CHUNKS:
                rows = [r for r in results.providers if (r.dialect, r.chunks) == (dialect, chunks)]
                ratios = [row.ratios[way] for row in rows if row.ratios]
                if ratios:
                    place = f"{dialect}, {chunks}, {len(ratios)} streams"
                    yield Measured(statistics.median(ratios), place)

    return measure


def _long_streams(dialects: tuple[str, ...]) -> Measure:
    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for row in results.providers:
            if row.ratios and row.events > LONG_EVENTS and row.dialect in dialects:
                yield Measured(row.ratios[way], f"{row.dialect}, {row.chunks}, {row.name}")

    return measure


def _validate(peer: str, files: tuple[str, ...], *, today: bool = False) -> Measure:
    """Measure how many times faster than a peer, or how many times as far ahead as before."""

    def measure(results: Results, way: Way) -> Iterator[Measured]:
        found = results.validated
        for case in ((file, processes) for file in files for processes in (1, 2)):
            ratio = None if found is None else found.ratio(peer, *case, way)
            if ratio is not None:
                place = f"{case[0]} lines, processes: {case[1]}"
                yield Measured(ratio / TODAY[case] if today else ratio, place)

    return measure


def _check_jsonschema(results: Results, way: Way) -> Iterator[Measured]:
    ratio = None if results.validated is None else results.validated.check_ratio(way)
    if ratio is not None:
        yield Measured(ratio, "one process, its start left out")


def _validate_memory(results: Results, way: Way) -> Iterator[Measured]:
    if results.validated is not None:
        for (own, file, processes), peak in results.validated.peak_mib.items():
            if own == way:
                yield Measured(peak, f"{file} lines, processes: {processes}")


def _validate_start(results: Results, way: Way) -> Iterator[Measured]:
    seconds = [] if results.validated is None else results.validated.start_s.get(way, [])
    if seconds:
        # Whatever else the machine does can only add to it.
        yield Measured(min(seconds), "the least disturbed of whole commands")


_VALUES_TODAY: Final = {
    "validate, dicts": 60.7,
    "check_history, dicts": 193.7,
    "migrate down, deltas": 50.5,
    "migrate down, deltas with ids": 334.5,
    "migrate down, delta dicts": 123.2,
    "migrate down, structs": 54.3,
    "migrate down, structs with ids": 389.8,
    "migrate down, dicts": 127.8,
    "migrate down, dicts with ids": 207.9,
    "migrate down, JSON text": 20.9,
    "migrate up, dicts": 126.6,
    "migrate up, JSON text": 20.7,
    "convert, messages to session": 653.0,
    "convert, session to messages": 581.1,
    "convert, messages to blocks": 434.4,
    "convert, blocks to messages": 252.3,
    "convert, dicts to session": 514.4,
    "dump, structs": 24.7,
    "dump, dicts": 126.9,
}  # fmt: skip
"""Times the floor before there was a native core, by what ``bench/values.py`` measures: the same
program with the package of then, the least of three runs."""

_LINES_TODAY: Final = {"validate, per line": 10.2, "assemble, per line": 11.8}
"""The service's lines, times the floor of typed decoding, before there was a native core."""


def _values(*prefixes: str) -> Measure:
    """Measure how many times faster than before, against the same floor."""

    def measure(results: Results, _way: Way) -> Iterator[Measured]:
        for row in results.values:
            if row.what in _VALUES_TODAY and row.what.startswith(prefixes):
                yield Measured(_VALUES_TODAY[row.what] / row.ratio, row.what)

    return measure


def _service_document(results: Results, way: Way) -> Iterator[Measured]:
    for row in results.service:
        if row.way == way and row.what.startswith("one document"):
            yield Measured(row.ratio, f"{row.what}, {row.peer}")


def _service_lines(results: Results, way: Way) -> Iterator[Measured]:
    """Measure how many times as many lines per second as before, against the same floor."""
    floors = [cell.us_per_delta for cell, _ in results.measured(("floor",), ("text",), _FROM_1K)]
    floor = min((figure for figure in floors if figure), default=None)
    for row in results.service:
        if floor is not None and row.way == way and row.what in _LINES_TODAY:
            yield Measured(_LINES_TODAY[row.what] * floor / row.ours_us, row.what)


def _formats_read(results: Results, way: Way) -> Iterator[Measured]:
    for row in results.formats:
        if row.way == way and row.against is not None:
            yield Measured(row.against, f"{row.format}, {row.library}")


def _formats_doubled(results: Results, way: Way) -> Iterator[Measured]:
    rows: list[FormatRow | WriterRow] = [*results.formats, *results.format_writers]
    for row in rows:
        if row.way == way:
            yield Measured(row.doubled, row.format)


def _formats_written(results: Results, way: Way) -> Iterator[Measured]:
    for row in results.format_writers:
        if row.way == way:
            yield Measured(row.us_per_delta, f"{row.format}, {row.mix}")


def _sessions_memory(results: Results, _way: Way) -> Iterator[Measured]:
    """Measure how much more the larger file takes than the smaller: of each line its id is kept."""
    for name in dict.fromkeys(row.format for row in results.sessions):
        peaks = [row.peak_mib for row in results.sessions if row.format == name]
        yield Measured(max(peaks) - min(peaks), name)


_MANY_MESSAGES: Final = 100_000
_SCRIPT: Final = "dict_of_lists"
_SCRIPTS: Final = ("duckdb_partitions", "duckdb_list", "polars_group", "daft_group")


def _archives(results: Results, way: Way) -> Iterator[ArchiveRow]:
    """Yield our own rows of archives that are large enough that the start does not count."""
    for row in results.archive:
        if row.way == way and row.lines > 1_000_000:
            yield row


def _archive_floor(results: Results, way: Way) -> Iterator[Measured]:
    for row in _archives(results, way):
        if "shuffled" not in row.archive:
            yield Measured(row.ratio, f"{row.archive}, processes: {row.jobs}")


def _archive_against(
    peers: tuple[str, ...], figure: Callable[[ArchiveRow], float | None]
) -> Measure:
    """Measure how many times as much the least of these peers takes, on each archive."""

    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for row in _archives(results, way):
            own = figure(row)
            others = [
                (value, other.what)
                for other in results.archive
                if other.archive == row.archive and other.key in peers and (value := figure(other))
            ]
            if own and others:
                least, name = min(others)
                yield Measured(least / own, f"{name}, {row.archive}, processes: {row.jobs}")

    return measure


def _cpu_s(row: ArchiveRow) -> float | None:
    return row.cpu_s


def _peak_mib(row: ArchiveRow) -> float | None:
    return row.peak_mib


def _ratio(row: MessagesRow) -> float | None:
    return row.ratio


def _us_per_message(row: MessagesRow) -> float | None:
    return row.us_per_message


def _size(row: MessagesRow) -> float | None:
    return row.size


def _archive_memory(*, shuffled: bool) -> Measure:
    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for row in _archives(results, way):
            if row.peak_mib and ("shuffled" in row.archive) is shuffled:
                yield Measured(row.peak_mib, f"{row.archive}, processes: {row.jobs}")

    return measure


def _archive_planned(results: Results, way: Way) -> Iterator[Measured]:
    """Measure how far a plan is off, as a factor, whichever of both is more."""
    large = {row.archive for row in _archives(results, way)}
    for row in results.archive_planned:
        if row.way == way and row.archive in large and row.ratio > 0:
            yield Measured(max(row.ratio, 1 / row.ratio), f"{row.what}, {row.archive}")


_VALIDATE: Final = "archive validate"
_STATISTICS: Final = "archive statistics"
_PARQUET: Final = "archive to-parquet"


def _archive_messages(what: str, figure: Callable[[MessagesRow], float | None]) -> Measure:
    """Measure a figure of a command, over so many messages that the start does not count."""

    def measure(results: Results, way: Way) -> Iterator[Measured]:
        for row in results.archive_messages:
            value = figure(row)
            if row.what == what and row.way == way and row.messages >= _MANY_MESSAGES and value:
                yield Measured(value, f"{row.messages:,} messages")

    return measure


def _archive_spark(results: Results, _way: Way) -> Iterator[Measured]:
    """Measure what each line of a larger archive takes that a smaller one does not have."""
    found = sorted(
        (row.lines, row.cpu_s, row.archive)
        for row in results.archive
        if row.key == "spark" and "shuffled" not in row.archive
    )
    for (lines, cpu_s, name), (more, more_s, larger) in pairwise(found):
        yield Measured((more_s - cpu_s) / (more - lines) * 1e6, f"from {name} to {larger}")


# --- the table ------------------------------------------------------------------------------------

_NATIVE: Final[tuple[Way, ...]] = ("native",)
_PLAIN: Final[tuple[Way, ...]] = ("plain",)
_BOTH: Final = (*_NATIVE, *_PLAIN)
_FLOOR: Final = "× floor"
_PEERS: Final = ("assembles", "decodes")
_MIX_WORDS: Final = {"text": "text", "args": "one call", "parallel": "64 calls"}
_ANTHROPIC: Final = ("anthropic-messages",)
_OPENAI: Final = ("openai-chat", "openai-responses")


def _by_mix(
    sentence: str, names: tuple[str, ...], sizes: tuple[int, ...], *limits: tuple[float, float]
) -> Iterator[Target]:
    for (mix, words), (must, aim) in zip(_MIX_WORDS.items(), limits, strict=True):
        measure = _floor(names, (mix,), sizes)
        yield Target(_NATIVE, f"{sentence}, {words}", "at most", must, aim, _FLOOR, measure)


def _against(sentence: str, must: float | None, aim: float | None, measure: Measure,
             ways: tuple[Way, ...] = _NATIVE) -> Target:  # fmt: skip
    return Target(ways, sentence, "at least", must, aim, "×", measure)


TARGETS: Final[tuple[Target, ...]] = (
    *_by_mix("assemble from a buffer, 1,000 and more", _BUFFER, _FROM_1K,
             (0.30, 0.20), (0.60, 0.40), (0.95, 0.60)),
    *_by_mix("assemble from a buffer, 100", _BUFFER, _AT_100,
             (0.6, 0.4), (1.0, 0.7), (2.8, 2.0)),
    *_by_mix("lines or chunks as they come, 1,000 and more", AS_THEY_COME, _FROM_1K,
             (0.9, 0.7), (1.3, 1.0), (1.6, 1.3)),
    Target(_NATIVE, "with providerRaw, ids, spaces of json.dumps, against plain",
           "at most", 1.0, None, "×", _forms("plain")),
    Target(_NATIVE, "with providerRaw, ids, spaces of json.dumps, against the bare form",
           "at most", None, 1.5, "×", _forms("bare")),
    Target(_PLAIN, "assemble a buffer or lines, 1,000 and more",
           "at most", 2.2, None, _FLOOR, _floor(_WHOLE, _ALL_MIXES, _FROM_1K)),
    Target(_PLAIN, "consume delta by delta, 1,000 and more",
           "at most", 2.4, None, _FLOOR, _floor(_CONSUME, _ALL_MIXES, _FROM_1K)),
    *(
        target
        for ways, names in ((_NATIVE, _ASSEMBLE), (_PLAIN, (*_WHOLE, *_CONSUME)))
        for target in (
            _against("faster than every peer, every size, every mix", 1.0, None,
                     _ahead_of(names, _PEERS, _ALL_SIZES), ways),
            _against("against the fastest peer that assembles, from 1,000", 5.0, None,
                     _ahead_of(names, ("assembles",)), ways),
        )
    ),
    _against("assemble against AG-UI's decoding alone, from 1,000", 2.0, None,
             _ahead_of(_ASSEMBLE, ("decodes",)), _NATIVE),
    Target(_BOTH, "time(2n) / time(n), also with partial arguments read after every delta",
           "at most", 2.2, 2.1, "×", _doubling),
    Target(_PLAIN, "peak memory, share of 3 × the assembled bytes + 1 MiB",
           "at most", 1.0, None, "×", _memory),
    _against("Anthropic stream against the official accumulator, median", 15.0, 25.0,
             _providers(_ANTHROPIC)),
    _against("Anthropic stream against the official accumulator, over 50 events", 8.0, None,
             _long_streams(_ANTHROPIC)),
    _against("OpenAI stream against the official accumulator, median", 45.0, 80.0,
             _providers(_OPENAI)),
    _against("OpenAI stream against the official accumulator, over 50 events", 10.0, None,
             _long_streams(_OPENAI)),
    _against("any stream against the official accumulator, over 50 events", 1.0, None,
             _long_streams((*_ANTHROPIC, *_OPENAI)), _PLAIN),
    _against("validate, as far ahead of jsonschema-rs as before", 1.0, 2.0,
             _validate("jsonschema-rs", ("valid", "invalid"), today=True)),
    *(
        _against(f"validate, {words}, against {peer}", must, None, _validate(peer, (file,)))
        for file, words, limits in (
            ("valid", "valid lines", (3.0, 2.5, 9.0)),
            ("invalid", "one line in a hundred invalid", (2.0, 1.7, 6.0)),
        )
        for peer, must in zip(("jsonschema-rs", "ajv", "sourcemeta"), limits, strict=True)
    ),
    _against("validate, valid documents, against check-jsonschema", 400.0, None, _check_jsonschema),
    Target(_BOTH, "validate, peak memory of all processes",
           "at most", 200.0, None, "MiB", _validate_memory),
    Target(_BOTH, "validate, start to the end of a small file",
           "at most", 0.25, None, "s", _validate_start),
    Target(_NATIVE, "service, one document, against a minimal service",
           "at most", 1.5, 1.0, "×", _service_document),
    _against("service, lines per second, against before", 4.0, 8.0, _service_lines),
    *(
        _against(f"{words}, against before", 3.0, 8.0, _values(*prefixes))
        for words, prefixes in (
            ("validate and check_history on dicts", ("validate", "check_history")),
            ("migrate", ("migrate",)), ("bridges", ("convert",)), ("dump", ("dump",)),
        )
    ),
    Target(_BOTH, "formats, a history against its official library",
           "at most", 1.0, None, "×", _formats_read),
    Target(_BOTH, "formats, time(2n) / time(n)", "at most", 2.3, None, "×", _formats_doubled),
    Target(_BOTH, "formats, a stream that is written, per delta",
           "at most", 5.0, None, "µs", _formats_written),
    Target(_NATIVE, "formats, a session of ten times the size, memory beyond the smaller",
           "at most", 40.0, None, "MiB", _sessions_memory),
    Target(_PLAIN, "archive assemble, per line", "at most", 6.0, None, _FLOOR, _archive_floor),
    Target(_NATIVE, "archive assemble, per line", "at most", 2.0, None, _FLOOR, _archive_floor),
    *(
        _against(f"archive assemble, {words}, against {whose}", must, None,
                 _archive_against(peers, figure))
        for peers, whose, limits in (
            ((_SCRIPT,), "a dict of lists", (4.0, 20.0)),
            (_SCRIPTS, "the best of DuckDB, Polars and Daft", (1.3, 8.0)),
        )
        for words, figure, must in zip(("CPU", "memory"), (_cpu_s, _peak_mib), limits, strict=True)
    ),
    Target(_BOTH, "archive assemble, peak memory of all processes",
           "at most", 150.0, None, "MiB", _archive_memory(shuffled=False)),
    Target(_BOTH, "archive assemble, peak memory with all lines shuffled",
           "at most", 512.0, None, "MiB", _archive_memory(shuffled=True)),
    Target(_BOTH, "archive plan, against the run, whichever is more",
           "at most", 1.3, None, "×", _archive_planned),
    *(
        Target(_BOTH, f"{what}, {words}", "at most", must, None, unit,
               _archive_messages(what, figure))
        for what, words, must, unit, figure in (
            (_VALIDATE, "against partwire validate", 1.2, "×", _ratio),
            (_STATISTICS, "against partwire validate", 2.0, "×", _ratio),
            (_PARQUET, "per message", 10.0, "µs", _us_per_message),
            (_PARQUET, "against zst NDJSON, size", 1.0, "×", _size),
        )
    ),
    Target(_NATIVE, "archive assemble on Spark, each further line",
           "at most", 5.0, None, "µs", _archive_spark),
    Target(_NATIVE, "import partwire, CPU", "at most", 30.0, 20.0, "ms", _imports),
)  # fmt: skip
