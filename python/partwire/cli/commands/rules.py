"""``partwire rules [PATTERN]``: the rules by their ids, with what they say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import click

from ...contract.resources import read_rules
from ...errors import Finding, UsageError
from ..options import text_or_json
from ..report.explain import Language, as_typed, language_option, rule_row, rule_table
from ..report.render import emit_json, has_colour, is_terminal, terminal_width, want_json

__all__ = ["rules"]

_GLOB = frozenset("*?[")
_MEMBERS = ("rule", "lang", "severity", "summary", "url")


@click.command(short_help="List the rules, by severity and what they say.")
@click.argument("pattern", required=False)
@language_option
@text_or_json("A line for each rule, or one JSON array.")
@click.pass_context
def rules(ctx: click.Context, pattern: str | None, language: Language, output_format: str) -> None:
    """List the rules whose ids or summaries hold PATTERN, or whose ids fit it as a glob.

    `partwire explain RULE` says why a rule is there, and shows examples.

    \b
    Examples:
      partwire rules
      partwire rules 'stream/*'
      partwire rules tool-call --lang zh
    """
    if output_format == "json":
        want_json(ctx)
    rows = [
        row
        for name, rule in read_rules().items()
        if _fits(row := rule_row(name, rule, language), pattern, rule)
    ]
    if not rows:
        raise _none(pattern)
    if output_format == "json":
        told = [{name: row[name] for name in _MEMBERS} for row in rows]
        emit_json(json.dumps(told, ensure_ascii=False).encode())
        return
    # What is piped is for other programs, which may look for words.
    width = terminal_width() if is_terminal(err=False) else 1_000
    for line in rule_table(rows, language, colour=has_colour(err=False), width=width):
        click.echo(line, color=True)


def _fits(row: Mapping[str, Any], pattern: str | None, rule: Mapping[str, Any]) -> bool:
    if pattern is None:
        return True
    name, sought = row["rule"], pattern.casefold()
    if _GLOB & set(pattern):
        return fnmatchcase(name, sought)
    texts = (name, row["summary"], rule["summary"])
    return any(sought in text.casefold() for text in texts)


def _none(pattern: str | None) -> UsageError:
    shown = as_typed(pattern or "")
    return UsageError(
        Finding(
            "usage/unknown-rule",
            f"No rule fits {shown}",
            expected="a part of an id or summary, or a glob such as 'stream/*'; "
            "`partwire rules` lists all",
            actual=shown,
        )
    )
