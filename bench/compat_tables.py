"""Tables of the checker of schema changes, beside what other tools score."""

from __future__ import annotations

from typing import Final

from bench.compat import BASELINES, BIGGEST, CompatRow, History
from bench.tables import Table

__all__ = ["compat_tables"]

_HEADER: Final = [
    *("", "pairs", "correct", "of answered", "false compatible", "false breaking", "unproven"),
    *("errors", "median", "99 %", "slowest"),
]
_ABOUT: Final = (
    "Pairs of schemas from the tests of other projects: is every document of the old schema one "
    "of the new? Suites: the exact reading, backward. The other tools' figures are of 1,909 pairs, "
    "of which these are a part, same question; they have no third answer, and were not timed."
)


def compat_tables(found: tuple[list[CompatRow], History] | None, *, ran: bool) -> list[Table]:
    """Return the tables of a section that ran; without pairs one that says so."""
    title = "Schema changes"
    if not ran:
        return []
    if found is None:
        about = "Skipped: there are no pairs. PARTWIRE_COMPAT names their folder."
        return [Table(title, about, [["", "pairs"], ["all", "none found"]])]
    rows, history = found
    table = [_HEADER, *(_row(row) for row in rows)]
    for tool in BASELINES:
        shares = [f"{share:.1f} %" for share in (tool.correct, tool.answered)]
        counts = [str(count) for count in (tool.false_compatible, tool.false_breaking)]
        table.append([tool.tool, "1,909", *shares, *counts, "–", str(tool.errors), "–", "–", "–"])
    return [Table(title, _ABOUT, table), _histories(history)]


def _row(row: CompatRow) -> list[str]:
    right = row.outcomes["right"]
    shares = [
        f"{100 * right / whole:.1f} %" if whole else "–" for whole in (row.total, row.answered)
    ]
    counts = [row.outcomes[name] for name in ("false compatible", "false breaking", "unproven")]
    times = [row.median, row.percentile(0.99), max(row.seconds)]
    return [
        *(row.name, f"{row.total:,}", *shares, *map(str, counts), str(row.errors)),
        *(f"{1000 * seconds:.1f} ms" for seconds in times),
    ]


def _histories(history: History) -> Table:
    series, old, new = BIGGEST
    wrong = f"; wrong: {', '.join(history.wrong[:3])}" if history.wrong else ""
    rows = [
        ["what", "figure"],
        ["claims of changelogs confirmed", f"{history.confirmed} of {history.claims}{wrong}"],
        ["pairs of versions that they speak of", str(history.versions)],
        ["verdicts on them, and unproven", f"{history.definitions:,}, {history.unproven}"],
        [f"{series} {old} to {new}, about 150 KB each", f"{history.biggest:.2f} s"],
    ]
    about = (
        "Versions of real protocols' schemas, definition by definition, both directions, the "
        "declared reading, against what their own changelogs say."
    )
    return Table("Schema histories", about, rows)
