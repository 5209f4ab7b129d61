"""The tables of a run, for the terminal and for docs/bench.md."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.archive.contestants import CONTESTANTS
from bench.compat_tables import compat_tables
from bench.content import MIXES
from bench.contestants import distribution_version
from bench.measure import Cell
from bench.ours import CHUNKS
from bench.providers import LONG_EVENTS, CostRow, ProviderRow
from bench.results import Results
from bench.tables import Table, markdown
from bench.targets import Verdict, judge
from bench.validate_tables import validate_tables
from bench.ways import LEFT_OUT, WAYS
from partwire import native

__all__ = ["page", "replaced", "tables"]

_TARGETS: Final = "Targets"
_ARCHIVE_TARGETS: Final = "Archives: targets"
_FACTS: Final = "Versions and machine"
_WHOLE_RUNS: Final = (_TARGETS, _FACTS)
_COMPARED: Final = (
    "ag-ui-protocol", "pydantic-ai-slim", "langchain-core", "anthropic", "openai", "jiter",
    "pydantic", "mcp", "a2a-sdk", "google-genai", "cohere", "jsonschema", "jsonschema-rs",
    "sourcemeta-jsonschema", "check-jsonschema", "msgspec", "duckdb", "polars", "daft",
    "pyspark",
)  # fmt: skip
_VALUES: Final = (
    "Values in memory, µs for each; the floor is what msgspec alone takes for encoding or decoding "
    "the same."
)
_FOLD: Final = (
    "A message of each of many streams whose lines are mixed, by StreamsAssembler, µs per line; "
    "the floor is typed decoding of the same lines."
)
_ARCHIVE: Final = (
    "An archive of JSON Lines in which many runs are mixed, some of them cut, failed, repeated or "
    "in another order, read from files and written as a message of each stream; all messages are "
    "compared with what the archive was made of. Whole commands, from their start to their end: "
    "seconds of the processor of all processes of each, and the peak of what they hold together, a "
    "page that several share counted once. No output is compressed. Scripts run once, ours as "
    "often as there are rounds; those that hold all of an archive do not take the large ones."
)
_PLANNED: Final = (
    "What `archive plan assemble` says, which tries a part of 64 MB at most, beside what the run "
    "with one process took."
)
_SCALED: Final = (
    "A model: each task was timed alone, and is taken by the first process that is free, in the "
    "order of the tasks; what the driver does between them is done by one process. All processes "
    "have a core, memory and disk are as fast for many as for one. With one and two processes, "
    "what was measured by the clock of this machine is beside it."
)
_MESSAGES: Final = (
    "Messages as JSON Lines, in one process; the ratio is to `partwire validate` of the same "
    "round, and the size that of the tables, as a share of the messages compressed by zst."
)
_FORMATS: Final = (
    "A history of an agent's work, read as messages, with everything that is not in them reported; "
    "against the official library's own parse of the same text into its types, where there is one. "
    "Ratios are of the same rounds, ours to theirs; doubled is time(2n) / time(n)."
)
_WRITERS: Final = (
    "Deltas of one stream as adapters give them, written as events, to the end and the losses."
)
_SESSIONS: Final = (
    "`partwire convert --to message` of a session on disk, a whole process: its peak of memory."
)
_SERVICE: Final = "The contract service, beside a minimal service of Starlette and jsonschema-rs."


def tables(results: Results) -> list[Table]:
    """Return a table per section that ran."""
    verdicts = judge(results)
    return [
        _targets_table(_TARGETS, [each for each in verdicts if not _is_of_archives(each)]),
        *(_mix_table(results, mix) for mix in results.mixes()),
        *_tables_of_rows(results),
        *compat_tables(results.compat, ran=results.compat_ran),
        *(Table(title, about, []) for title, about in results.languages.items()),
        _facts_table(results),
    ]


def _tables_of_rows(results: Results) -> Iterator[Table]:
    if results.growth:
        yield _growth_table(results)
    if results.memory:
        yield _memory_table(results)
    if results.providers:
        yield _providers_table(results.providers)
    if results.costs:
        yield _costs_table(results.costs)
    if results.validated is not None:
        yield from validate_tables(results.validated)
    if results.imports:
        rows = [[row.code, f"{row.ms:.1f} ms", f"{row.bare_ms:.1f} ms"] for row in results.imports]
        about = "Time of the processor, median of fresh interpreters."
        yield Table("Import", about, [["code", "beyond a bare one", "a bare one"], *rows])
    if results.values:
        yield _tuples_table("Values in memory", _VALUES, results.values)
    if results.service:
        yield _tuples_table("Service", _SERVICE, results.service)
    for title, about, found in (
        ("Formats: histories that are read", _FORMATS, results.formats),
        ("Formats: streams that are written", _WRITERS, results.format_writers),
        ("Formats: sessions on disk", _SESSIONS, results.sessions),
    ):
        if found:
            yield _tuples_table(title, about, found)
    if results.archive:
        yield from _archive_tables(results)
    if results.fold:
        yield _tuples_table("Many mixed streams", _FOLD, results.fold)


def _is_of_archives(verdict: Verdict) -> bool:
    """Tell whether a target is in a table that is written with its section, not by whole runs."""
    return verdict.target.sentence.startswith("archive ")


def _targets_table(title: str, verdicts: list[Verdict]) -> Table:
    rows = [["target", "way", "", "must", "aim", "measured (the worst)", "where", ""]]
    for verdict in verdicts:
        target, worst = verdict.target, verdict.worst
        limits = ("–" if limit is None else f"{limit:g}" for limit in (target.must, target.aim))
        left_out = LEFT_OUT if verdict.way not in WAYS else "not measured"
        value = "–" if worst is None else f"{worst.value:.2f} {target.unit}"
        place = "" if worst is None else worst.place
        state = left_out if worst is None else _state(verdict)
        rows.append([target.sentence, verdict.way, target.bound, *limits, value, place, state])
    about = (
        "Each by its worst case; in brackets how many of the measured cases miss it. Native is "
        "with the native core, plain is without."
    )
    return Table(title, about, rows)


def _state(verdict: Verdict) -> str:
    target = verdict.target
    if verdict.missed:
        return f"**not met** ({verdict.missed} of {verdict.cases})"
    if target.aim is None:
        return "met"
    if target.must is not None and verdict.missed_aim:
        return f"met, aim not ({verdict.missed_aim} of {verdict.cases})"
    return "aim not met" if verdict.missed_aim else "aim met"


def _mix_table(results: Results, mix: str) -> Table:
    cells = [cell for cell in results.cells if cell.mix == mix]
    sizes = list(dict.fromkeys(cell.size for cell in cells))
    rows = [["times the floor", *(f"{size:,}" for size in sizes)]]
    notes: dict[str, None] = {}
    for key in dict.fromkeys(cell.contestant.key for cell in cells):
        own = [cell for cell in cells if cell.contestant.key == key]
        rows.append([own[0].contestant.label, *(_cell_text(cell) for cell in own)])
        for cell in own:
            if cell.note:
                notes[f"{cell.contestant.label} at {cell.size:,}: {cell.note}."] = None
    floor = [cell for cell in cells if cell.contestant.kind == "floor"]
    rows.append(["floor, µs per delta", *(f"{cell.us_per_delta or 0:.3f}" for cell in floor)])
    missing = (f"{name}: {reason}." for name, reason in results.missing.items())
    about = (
        "Median of the rounds' ratios (least – most; one figure: one round). "
        "Columns: content deltas in the stream."
    )
    return Table(f"Times: {MIXES[mix]}", " ".join([about, *notes, *missing]), rows)


def _cell_text(cell: Cell) -> str:
    if cell.ratio is None:
        return {"capped": f"> {cell.cap_s:g} s", "skipped": "not tried"}.get(cell.state, cell.state)
    if cell.contestant.kind == "floor":
        return "1"
    digits = 2 if cell.ratio < 5 else 1 if cell.ratio < 100 else 0
    if len(cell.ratios) == 1:
        return f"{cell.ratio:,.{digits}f}"
    return f"{cell.ratio:,.{digits}f} ({_span(cell.ratios, digits)})"


def _span(values: list[float], digits: int) -> str:
    return f"{min(values):,.{digits}f} – {max(values):,.{digits}f}"


def _growth_table(results: Results) -> Table:
    sizes = sorted({size for row in results.growth for size in row.seconds})
    header = ["µs per delta", "way", "mix", *(f"{size:,}" for size in sizes)]
    rows = [[*header, "largest time(2n)/time(n)"]]
    for row in results.growth:
        costs = [f"{row.seconds[n] / n * 1e6:.2f}" if n in row.seconds else "–" for n in sizes]
        worst = max(row.doublings, default=0.0)
        rows.append([row.work.label, row.way, row.mix, *costs, f"{worst:.2f}"])
    about = (
        "Columns are content deltas, each twice the one before. The best of a few runs counts. "
        "Reading all text again and again costs its length each time and is not made for large "
        "sizes; the 64 open calls are all reported by every progress()."
    )
    return Table("Growth", about, rows)


def _memory_table(results: Results) -> Table:
    rows = [["mix", "deltas", "assembled MiB", "peak MiB", "share of 3 × assembled + 1 MiB"]]
    for row in results.memory:
        sizes = (f"{size / 2**20:.2f}" for size in (row.assembled_bytes, row.peak_bytes))
        rows.append([row.mix, f"{row.deltas:,}", *sizes, f"{row.share_of_limit:.2f}"])
    about = (
        "tracemalloc, from the first line to the built message, delta by delta, with lines that "
        "are made when they are asked for."
    )
    return Table("Peak memory", about, rows)


def _archive_tables(results: Results) -> Iterator[Table]:
    verdicts = [each for each in judge(results) if _is_of_archives(each)]
    yield _targets_table(_ARCHIVE_TARGETS, verdicts)
    yield _archive_table(results)
    yield _tuples_table("Archives: plans", _PLANNED, results.archive_planned)
    yield _tuples_table("Archives: more processes", _SCALED, results.archive_scaled)
    yield _tuples_table("Archives: messages", _MESSAGES, results.archive_messages)


def _archive_table(results: Results) -> Table:
    header = ["archive", "lines", "what", "way", "processes", "µs per line", "× floor"]
    rows = [[*header, "CPU s", "wall s", "peak MiB"]]
    for row in results.archive:
        figures = (f"{row.us_per_line:.2f}", f"{row.ratio:.2f}", f"{row.cpu_s:.1f}")
        peak = "–" if row.peak_mib is None else f"{row.peak_mib:,.0f}"
        what = [row.archive, f"{row.lines:,}", row.what, row.way or "–", str(row.jobs)]
        rows.append([*what, *figures, f"{row.wall_s:.1f}", peak])
    labels = tuple(each.label for each in CONTESTANTS)
    notes = [f"{what}: {why}." for what, why in results.missing.items() if what.startswith(labels)]
    return Table("Archives", " ".join([_ARCHIVE, *notes]), rows)


def _tuples_table(title: str, about: str, found: list[Any]) -> Table:
    """Return named tuples as they are: words, figures, and None for what was left out."""
    rows = [[name.replace("_", " ") for name in each._fields] for each in found[:1]]
    rows += [[*map(_figure, row)] for row in found]
    return Table(title, about, rows)


def _figure(value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _providers_table(rows: list[ProviderRow]) -> Table:
    """Return a row per dialect, cut and way: how many times faster than the official one."""
    header = ["dialect", "chunks", "way", "streams", "compared", "median", "least"]
    table = [[*header, f"least, over {LONG_EVENTS} events", "official, no result or another"]]
    dialects = dict.fromkeys(row.dialect for row in rows)
    for dialect, chunks, way in ((d, c, w) for d in dialects for c in CHUNKS for w in WAYS):
        own = [row for row in rows if (row.dialect, row.chunks) == (dialect, chunks)]
        ratios = [row.ratios[way] for row in own if row.ratios]
        long = [row.ratios[way] for row in own if row.ratios and row.events > LONG_EVENTS]
        notes = Counter(row.note for row in own if row.note)
        figures = [statistics.median(ratios), min(ratios)] if ratios else [None, None]
        table.append(
            [
                *(dialect, chunks, way, str(len(own)), str(len(ratios))),
                *(f"{x:.1f} ×" if x else "–" for x in (*figures, min(long, default=None))),
                ", ".join(f"{count} {note}" for note, count in notes.most_common()) or "none",
            ]
        )
    about = (
        "Bytes → Message, `assemble(adapt(…))` with the clock of the machine, against the official "
        "client's framing and accumulator, over the same bytes; how many times faster ours is. "
        "Streams are the recordings, where they are to be had, and the fixtures."
    )
    return Table("Provider streams", about, table)


def _costs_table(rows: list[CostRow]) -> Table:
    table = [["dialect", "chunks", "side", "µs per stream", "µs per event"]]
    for row in rows:
        figures = f"{row.stream_us:,.1f}", f"{row.event_us:,.2f}"
        table.append([row.dialect, row.chunks, row.side, *figures])
    about = "The line through two lengths of the same text: what begins and ends, and each event."
    return Table("Provider streams: fixed cost and cost per event", about, table)


def _facts_table(results: Results) -> Table:
    rows = [["fact", "value"]]
    rows.append(["Python", f"{platform.python_implementation()} {platform.python_version()}"])
    rows.append(["machine", f"{_cpu()}, {os.cpu_count()} cores, {platform.system()}"])
    rows.append(["partwire-native", native or LEFT_OUT])
    rows += [[name, distribution_version(name)] for name in _COMPARED]
    rows.append(["rounds", str(results.settings.rounds)])
    rows.append(["time cap per run", f"{results.settings.cap_s:g} s"])
    rows.append(["the whole run", f"{results.seconds:.0f} s"])
    return Table(_FACTS, "", rows)


def _cpu() -> str:
    """Return the name of the processor, or only its architecture."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text("utf-8"), re.MULTILINE)
        if found:
            return f"{found[1].strip()} ({platform.machine()})"
    return platform.machine()


_INTRODUCTION: Final = """\
# Speed, growth and memory

{short}
Written by `make bench`, which measures everything below in one run. All contestants take the same
content, each in its own event format, one JSON event per line, from JSON bytes to the final
message; the result of each is compared with the content. They run in turn, round after round,
with a garbage collection before each; figures are CPU time, as a multiple of the **floor** of the
same round. **Native** is with the native core, **plain** without it, both in the same process and
round. The floor is msgspec decoding our lines into the generated structs, in chunks of
64 KiB: validated and typed, but nothing assembled.

![Time per delta by number of deltas](bench.png)
"""


def page(made: list[Table]) -> str:
    """Render the whole page."""
    return _headed({table.title: markdown(table) for table in made})


def _headed(sections: dict[str, str]) -> str:
    short = "".join(f"- {line}\n" for line in _in_short(sections))
    return "\n".join([_INTRODUCTION.format(short=short), *sections.values()])


def _in_short(sections: dict[str, str]) -> Iterator[str]:
    """Yield what most people want to know: a line for each of three sections that is there.

    It is read from the tables' text, as sections of an earlier run are text alone.
    """
    rows = {title: _rows(text) for title, text in sections.items()}
    if streams := [row for row in rows.get("Provider streams", ()) if row[4] != "0"]:
        spans = []
        for way in dict.fromkeys(row[2] for row in streams):
            medians = [float(row[5].split()[0]) for row in streams if row[2] == way]
            spans.append(f"{min(medians):.1f} to {max(medians):.1f} times ({way})")
        yield (
            f"**Streams of providers:** {' and '.join(spans)} as fast as the official clients, by "
            "the median of each provider."
        )
    if lines := {row[0]: row[1].split()[0] for row in rows.get("Validating JSON Lines", ())}:
        name = "partwire validate, "
        ours = [f"{n} ({of.removeprefix(name)})" for of, n in lines.items() if of.startswith(name)]
        yield (
            f"**Validation:** {' and '.join(ours)} lines per second on one core; "
            f"{lines['jsonschema-rs, a script']} with jsonschema-rs."
        )
    for row in rows.get("Schema changes", ()):
        if row[0] == "all, exact, backward":
            yield (
                f"**Schema changes:** of {row[1]} pairs from the tests of other projects, {row[2]} "
                f"are judged correctly, in {row[8]} each (median)."
            )


def _rows(section: str) -> list[list[str]]:
    """Return the cells of a section's table, without its head."""
    found = re.findall(r"^\| (.+) \|$", section, re.MULTILINE)
    return [row.split(" | ") for row in found[2:]]


def replaced(old: str, made: list[Table]) -> str:
    """Return a page with these sections anew and all others as they were; new ones come last.

    Targets, versions and machine speak of whole runs: they stay.
    """
    _, *blocks = old.split("\n## ")
    sections = {block.partition("\n")[0]: f"## {block.rstrip()}\n" for block in blocks}
    facts = sections.pop(_FACTS, None)
    sections |= {table.title: markdown(table) for table in made if table.title not in _WHOLE_RUNS}
    if facts is not None:
        sections[_FACTS] = facts
    return _headed(sections)
