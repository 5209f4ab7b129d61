"""Runs with a baseline: what they tell, and what an update writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.cli.runner import lines, run
from tests.reporting.report_runs import SCHEMA, checked

__all__ = ["FILE", "VALIDATE", "numbers", "told", "update", "write"]

Json = dict[str, Any]
BASELINE: Final[Json] = {**SCHEMA["$defs"]["Baseline"], "$defs": SCHEMA["$defs"]}
VALIDATE: Final = ("validate", "--type", "message.MessageDelta")
FILE: Final = "accepted.json"


def told(words: tuple[str, ...], status: int, *options: str) -> Json:
    options = ("--format", "json", "--baseline", FILE, *options)
    result = run(words[0], *options, *words[1:])
    assert result.exit_code == status, result.output
    return checked(result.stdout_bytes.decode())


def update(words: tuple[str, ...]) -> list[Json]:
    assert told(words, 0, "--baseline-update")["findings"] == []
    rows: Any = checked(Path(FILE).read_text("utf-8"), BASELINE)
    return list(rows)


def write(rows: list[Json]) -> None:
    Path(FILE).write_text(json.dumps(rows))


def numbers(*values: Any) -> bytes:
    """Return lines that are each wrong in one place."""
    return lines([{"kind": value} for value in values])
