"""What tests of archives share: an operation over some lines, and its tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from partwire.archive.operations import Options, operation_of
from partwire.archive.plan import make_plan
from partwire.archive.steps import Step, Totals, run_steps
from partwire.archive.store import Folder

__all__ = ["Outcome", "message", "over"]


class Outcome(NamedTuple):
    """What has come of an operation."""

    totals: Totals
    tables: dict[str, list[bytes]]
    """Rows by table, in the order of tasks; none of tables in Parquet."""

    def rows(self, table: str) -> list[Any]:
        """Return the rows of a table as JSON values."""
        return [json.loads(row) for row in self.tables.get(table, [])]


def over(
    options: Options,
    files: Sequence[Iterable[bytes]],
    folder: Path,
    *,
    task_bytes: int = 1 << 20,
    held_bytes: int = 1 << 20,
) -> Outcome:
    """Do an operation over files of lines, and hold it to what is true of every operation."""
    names = []
    for number, lines in enumerate(files):
        path = folder / f"in-{number}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        names.append(str(path))
    work = folder / "work"
    work.mkdir()
    target = Folder(folder / "target")
    said = msgspec.to_builtins(options)
    plan = make_plan(names, options.name, said, 1, task_bytes)

    def do(step: Step) -> list[Any]:
        """Do all tasks of a step; what comes of them is as another process would have it."""
        results = map(step.work, range(step.tasks))
        return [
            msgspec.json.decode(msgspec.json.encode(each), type=step.result) for each in results
        ]

    steps = operation_of(options, plan, target, work, held_bytes).steps()
    done, totals = run_steps(steps, do)
    tables: dict[str, list[bytes]] = {}
    for each in done:
        for file in each.files:
            if file["name"].endswith(".parquet"):
                continue  # whoever reads it needs pyarrow
            table = file["name"].partition("/")[0]
            rows = (folder / "target" / file["name"]).read_bytes().split(b"\n")[:-1]
            assert len(rows) == file["rows"]
            tables.setdefault(table, []).extend(rows)
    assert totals.lines == sum(name.read_bytes().count(b"\n") for name in map(Path, names))
    assert totals.lost == totals.given_on == 0
    assert len(tables.get("quarantine", [])) == totals.quarantined
    return Outcome(totals, tables)


def message(run: str, text: str = "Hi", *, at: int = 0, **members: Any) -> bytes:
    """Return a message of a run, ``at`` seconds after midnight, as a line."""
    return json.dumps(
        {
            "runId": run,
            "role": "user",
            "parts": [{"kind": "text", "payload": {"text": text}}],
            "timestamp": f"2026-01-02T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z",
            **members,
        }
    ).encode()
