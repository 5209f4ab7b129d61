"""``partwire explain ID``: what a rule asks for, or what a loss says."""

from __future__ import annotations

import difflib
import json
from typing import Any, Final

import click

from ..blocks.chunk_losses import CHUNK_LOSSES, DELTA_LOSSES
from ..bridges import LOSSES
from ..errors import Finding, UsageError
from ..migrate import MIGRATION_LOSSES
from ..resources import read_rules
from .render import emit_json

__all__ = ["explain"]


_CONVERSIONS: Final = {
    "documents": LOSSES,
    "chunks to deltas": CHUNK_LOSSES,
    "deltas to chunks": DELTA_LOSSES,
    "versions": MIGRATION_LOSSES,
}
"""What converts → its losses: one code may stand in several."""


@click.command()
@click.argument("name", metavar="RULE|CODE")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or one JSON object.",
)
def explain(name: str, output_format: str) -> None:
    """Explain RULE, the id in square brackets behind a finding, or CODE, that of a loss.

    \b
    Examples:
      partwire explain stream/tool-call-closed
      partwire explain result-layout
    """
    rules = read_rules()
    if name in rules:
        row: dict[str, Any] = {"rule": name, **rules[name]}
        lines = [f"{name}  ({row['severity']})", f"  {row['summary']}"]
        if row["requirements"]:
            lines.append(f"  Source: requirements {', '.join(row['requirements'])}")
    elif meanings := _meanings(name):
        row = {"loss": name, "meanings": meanings}
        lines = [name]
        for each in meanings:
            lines.append(f"  {each['conversion']}: {each['detail']}  ({each['severity']})")
    else:
        raise _unknown(name, rules)
    if output_format == "json":
        emit_json(json.dumps(row, ensure_ascii=False).encode())
        return
    for line in lines:
        click.echo(line)


def _meanings(code: str) -> list[dict[str, str]]:
    """Return what a loss of this code says, by what converts."""
    return [
        {"conversion": name, "severity": table[code][0], "detail": table[code][1]}
        for name, table in _CONVERSIONS.items()
        if code in table
    ]


def _unknown(name: str, rules: Any) -> UsageError:
    known = [*rules, *dict.fromkeys(code for table in _CONVERSIONS.values() for code in table)]
    near = difflib.get_close_matches(name, known, n=3)
    return UsageError(
        Finding(
            "usage/unknown-rule",
            f"There is no rule and no loss {name}",
            expected=" or ".join(near) if near else "a rule id such as shape/required",
            actual=name,
        )
    )
