"""Tables: the same ones for the terminal and for docs/bench.md."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bench.compat_tables import compat_tables
from bench.content import MIXES
from bench.contestants import distribution_version
from bench.extras import ExtraRow
from bench.measure import Cell
from bench.providers import LONG_EVENTS, ProviderRow
from bench.results import Results
from bench.tables import Table
from bench.targets import Verdict, judge
from bench.validate_tables import validate_tables

__all__ = ["Table", "markdown", "replaced", "tables", "text"]

_TARGETS: Final = "Targets"
_FACTS: Final = "Versions and machine"
_WHOLE_RUNS: Final = (_TARGETS, _FACTS)
_COMPARED: Final = (
    "ag-ui-protocol", "pydantic-ai-slim", "langchain-core", "anthropic", "openai", "jiter",
    "pydantic", "jsonschema", "jsonschema-rs", "sourcemeta-jsonschema", "check-jsonschema",
    "msgspec",
)  # fmt: skip


def tables(results: Results) -> list[Table]:
    """Return a table per section that ran."""
    made = [_targets_table(judge(results))]
    made += [_mix_table(results, mix) for mix in results.mixes()]
    if results.cost:
        made.append(_cost_table(results))
    if results.growth:
        made.append(_growth_table(results))
    if results.memory:
        made.append(_memory_table(results))
    if results.import_time is not None or results.framing:
        rows = [*([results.import_time] if results.import_time else []), *results.framing]
        made.append(_extras_table("Import and framing", "", rows))
    if results.validation:
        about = "One Message document of four parts, from JSON bytes to the verdict."
        made.append(_extras_table("Validation", about, results.validation))
    if results.validated is not None:
        made += validate_tables(results.validated)
    if results.providers:
        made.append(_providers_table(results.providers))
    if results.compat_ran:
        made += compat_tables(results.compat)
    made.append(_facts_table(results))
    return made


def _targets_table(verdicts: list[Verdict]) -> Table:
    rows = [["target", "limit", "measured (the worst)", "where", ""]]
    for verdict in verdicts:
        target, worst, cases, missed = verdict
        limit = f"{target.bound} {target.limit:g} {target.unit}"
        if worst is None:
            rows.append([target.sentence, limit, "–", "", "not measured"])
            continue
        value = f"{worst.value:.2f} {target.unit}"
        state = "met" if verdict.met else f"**not met** ({missed} of {cases})"
        rows.append([target.sentence, limit, value, worst.place, state])
    about = "Each by its worst case; in brackets how many of the measured cases miss it."
    return Table(_TARGETS, about, rows)


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


def _cost_table(results: Results) -> Table:
    keys = list(dict.fromkeys(row.contestant.label for row in results.cost))
    mixes = list(dict.fromkeys(row.mix for row in results.cost))
    found = {(row.contestant.label, row.mix): row for row in results.cost}
    rows = [["times the cost per delta", *(MIXES[mix] for mix in mixes)]]
    for label in keys:
        cells = [found[label, mix] for mix in mixes]
        rows.append([label, *(f"{c.ratio:.2f} ({_span(c.ratios, 2)})" for c in cells)])
    first = results.cost[0]
    about = (
        f"Cost per delta of {first.large:,} content deltas against {first.small:,}, both in turn: "
        "median of the rounds (least – most). The floor shows what the memory of the machine adds."
    )
    return Table("Cost per delta, large against small", about, rows)


def _span(values: list[float], digits: int) -> str:
    return f"{min(values):,.{digits}f} – {max(values):,.{digits}f}"


def _growth_table(results: Results) -> Table:
    sizes = sorted({size for row in results.growth for size in row.seconds})
    rows = [["µs per delta", "mix", *(f"{size:,}" for size in sizes), "largest time(2n)/time(n)"]]
    for row in results.growth:
        costs = [f"{row.seconds[n] / n * 1e6:.2f}" if n in row.seconds else "–" for n in sizes]
        worst = max(row.doublings, default=0.0)
        rows.append([row.way.label, row.mix, *costs, f"{worst:.2f}"])
    about = (
        "Delta by delta but for the first row; columns are content deltas, each twice the one "
        "before. The best of a few runs counts. Reading all text again and again costs its length "
        "each time and is not made for large sizes; the 64 open calls are all reported by every "
        "progress()."
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


def _extras_table(title: str, about: str, extras: Iterable[ExtraRow]) -> Table:
    rows = [["what", "figure", "note"]]
    for extra in extras:
        value = "–" if extra.value is None else f"{extra.value:,.1f} {extra.unit}"
        rows.append([extra.label, value, extra.note])
    return Table(title, about, rows)


def _providers_table(rows: list[ProviderRow]) -> Table:
    """Return a row per dialect: how many times faster than the official accumulator."""
    header = ["dialect", "streams", "compared", "median", "least", "least, over 50 events", "ours"]
    table = [[*header, "official, no result or another"]]
    for dialect in dict.fromkeys(row.dialect for row in rows):
        own = [row for row in rows if row.dialect == dialect]
        ratios = [row.ratio for row in own if row.ratio is not None]
        long = [r.ratio for r in own if r.ratio is not None and r.events > LONG_EVENTS]
        per_event = [row.ours / row.events * 1e6 for row in own if row.ours is not None]
        notes = Counter(row.note for row in own if row.note)
        table.append(
            [
                dialect,
                str(len(own)),
                str(len(ratios)),
                *(f"{found:.1f} ×" if found else "–" for found in _least(ratios, long)),
                f"{statistics.median(per_event):.1f} µs per event" if per_event else "–",
                ", ".join(f"{count} {note}" for note, count in notes.most_common()) or "none",
            ]
        )
    about = (
        "Bytes → Message: framing, adapter and assembler against the official client's framing "
        "and accumulator, over the same bytes; how many times faster ours is. Streams are the "
        "recordings, where they are to be had, and the fixtures."
    )
    return Table("Provider streams", about, table)


def _least(ratios: list[float], long: list[float]) -> tuple[float | None, ...]:
    median = statistics.median(ratios) if ratios else None
    return median, min(ratios, default=None), min(long, default=None)


def _facts_table(results: Results) -> Table:
    rows = [["fact", "value"]]
    rows.append(["Python", f"{platform.python_implementation()} {platform.python_version()}"])
    rows.append(["machine", f"{_cpu()}, {os.cpu_count()} cores, {platform.system()}"])
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


def text(table: Table) -> str:
    """Render for the terminal."""
    rows = [[cell.replace("**", "") for cell in row] for row in table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [table.title, "=" * len(table.title), *([table.about] if table.about else [])]
    for number, row in enumerate(rows):
        lines.append("  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join([*lines, ""])


_INTRODUCTION: Final = """\
# Speed, growth and memory

Written by `make bench`, which measures everything below in one run. All contestants take the same
content, each in its own event format, one JSON event per line, from JSON bytes to the final
message; the result of each is compared with the content. They run in turn, round after round,
with a garbage collection before each; figures are CPU time, as a multiple of the **floor** of the
same round. The floor is msgspec decoding our lines into the generated structs, in chunks of
64 KiB: validated and typed, but nothing assembled.

![Time per delta by number of deltas](bench.png)
"""


def markdown(made: list[Table]) -> str:
    """Render the whole page."""
    return "\n".join([_INTRODUCTION, *(_block(table) for table in made)])


def _block(table: Table) -> str:
    lines = [f"## {table.title}", ""]
    if table.about:
        lines += [table.about, ""]
    header, *rows = table.rows
    lines.append("| " + " | ".join(header) + " |")
    lines.append("|" + " --- |" * len(header))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, ""])


def replaced(page: str, made: list[Table]) -> str:
    """Return a page with these sections anew and all others as they were; new ones come last.

    Targets, versions and machine speak of whole runs: they stay.
    """
    head, *blocks = page.split("\n## ")
    sections = {block.partition("\n")[0]: f"## {block.rstrip()}\n" for block in blocks}
    facts = sections.pop(_FACTS, None)
    sections |= {table.title: _block(table) for table in made if table.title not in _WHOLE_RUNS}
    if facts is not None:
        sections[_FACTS] = facts
    return "\n".join([head.rstrip() + "\n", *sections.values()])
