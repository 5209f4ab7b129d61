"""Tables of ``partwire validate`` beside what people validate JSON Lines with."""

from __future__ import annotations

import statistics
from typing import Final

from bench.tables import Table
from bench.validate import CONTESTANTS, OURS, Validated

__all__ = ["validate_tables"]

_TITLE: Final = "Validating JSON Lines"
_COLUMNS: Final = (("valid", 1), ("valid", 2), ("invalid", 1), ("invalid", 2))


def validate_tables(found: Validated) -> list[Table]:
    """Return the table of speeds and that of memory and start."""
    rows = [
        [
            "lines per second of each process (× slower than our first row; by the clock)",
            *("valid, 1 process", "valid, 2 processes"),
            *("1 in 100 invalid, 1 process", "1 in 100 invalid, 2 processes"),
        ]
    ]
    for contestant in CONTESTANTS:
        if found.cell(contestant.key, "valid", 1) is not None:
            speeds = [_speed(found, contestant.key, *column) for column in _COLUMNS]
            rows.append([contestant.label, *speeds])
    check = found.check_ratio()
    if found.check_per_s is not None and check is not None:
        speed = f"{found.check_per_s:,.0f} ({check:,.0f} ×)"
        rows.append(["check-jsonschema", speed, "–", "–", "–"])
    small, large = found.check_sizes
    missing = (f"{name}: {reason}." for name, reason in found.missing.items())
    busy = "" if found.load is None else f" The load average was {found.load:.1f}."
    about = (
        f"{found.count:,} lines of MessageDelta, whole commands from their start to their end, in "
        "turn: medians of the rounds. Each prints what is wrong with each invalid line, and all "
        "name the same lines. Of two processes, a peer's take half of the file each; ours are "
        "`--jobs 2`. Times are those of the processors, of all processes of a command; what the "
        f"clock says depends on what else the machine does.{busy} check-jsonschema reads no JSON "
        "Lines: its documents stand in one array, and its speed is the difference between "
        f"{large:,} and {small:,} of them, so that its start is left out; ours is in."
    )
    return [Table(_TITLE, " ".join([about, *missing]), rows), _second(found)]


def _speed(found: Validated, key: str, file: str, processes: int) -> str:
    cell, ratio = found.cell(key, file, processes), found.ratio(key, file, processes)
    clock = found.ratio(key, file, processes, by_clock=True)
    if cell is None or ratio is None:
        return "–"
    speed = f"{found.count / statistics.median(cell.cpu_s):,.0f}"
    return speed if key == OURS[0].key else f"{speed} ({ratio:.1f} ×; {clock:.1f} ×)"


def _second(found: Validated) -> Table:
    rows = [["partwire validate", "figure"]]
    for (way, file, processes), peak in found.peak_mib.items():
        words = "valid lines" if file == "valid" else "1 in 100 invalid"
        rows.append([f"peak memory, {words}, processes: {processes}, {way}", f"{peak:.0f} MiB"])
    for way, seconds in found.start_s.items():
        start = f"{min(seconds):.2f} s, median {statistics.median(seconds):.2f} s"
        rows.append([f"a small file with one finding, by the clock, {way}", start])
    about = (
        "Memory is the sum of what is resident in all processes of the command, pages that they "
        "share counted in each, read every 10 ms from /proc."
    )
    return Table(f"{_TITLE}: memory and start", about, rows)
