"""``partwire explain RULE``: what a rule asks for, and where it comes from."""

from __future__ import annotations

import difflib
import json

import click

from ..errors import Finding, UsageError
from ..resources import read_rules
from .render import emit_json

__all__ = ["explain"]


@click.command(short_help="Explain a rule by its id.")
@click.argument("rule")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or one JSON object.",
)
def explain(rule: str, output_format: str) -> None:
    """Explain RULE, the id in square brackets behind a finding.

    \b
    Example:
      partwire explain stream/tool-call-closed
    """
    rules = read_rules()
    row = rules.get(rule)
    if row is None:
        near = difflib.get_close_matches(rule, rules, n=3)
        raise UsageError(
            Finding(
                "usage/unknown-rule",
                f"There is no rule {rule}",
                expected=" or ".join(near) if near else "a rule id such as shape/required",
                actual=rule,
            )
        )
    if output_format == "json":
        emit_json(json.dumps({"rule": rule, **row}, ensure_ascii=False).encode())
        return
    click.echo(f"{rule}  ({row['severity']})")
    click.echo(f"  {row['summary']}")
    if row["requirements"]:
        click.echo(f"  Source: requirements {', '.join(row['requirements'])}")
