"""``partwire explain ID``: what a rule asks for, why, and how it looks; or what a loss says."""

from __future__ import annotations

import difflib
import json
from typing import Final

import click
from click.shell_completion import CompletionItem

from ...contract.resources import read_loss_texts, read_rules
from ...errors import Finding, UsageError
from ...files.inputs import Source
from ...tables.losses import CHUNK_LOSSES, DELTA_LOSSES, FORMAT_LOSSES, LOSSES, MIGRATION_LOSSES
from ..files.foreign import foreign_hint
from ..options import text_or_json
from ..report.explain import (
    Language,
    Row,
    as_typed,
    language_option,
    loss_lines,
    rule_lines,
    rule_row,
)
from ..report.render import emit_json, has_colour, terminal_width, want_json

__all__ = ["LOSS_TABLES", "explain"]


LOSS_TABLES: Final = {
    "losses": LOSSES,
    "chunk_losses": CHUNK_LOSSES,
    "delta_losses": DELTA_LOSSES,
    "migration_losses": MIGRATION_LOSSES,
    "format_losses": FORMAT_LOSSES,
}
"""Table of ``schemas/tables/losses.json`` → its losses: one code may be in several."""

_CONVERTS: Final = {
    "losses": "documents",
    "chunk_losses": "chunks to deltas",
    "delta_losses": "deltas to chunks",
    "migration_losses": "versions",
    "format_losses": "formats of others to messages",
}


def _complete(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _known() if name.startswith(incomplete)]


@click.command(short_help="Explain a rule or a loss by its id.")
@click.argument("name", metavar="RULE|CODE", shell_complete=_complete)
@language_option
@text_or_json("Text for people, or one JSON object.")
@click.pass_context
def explain(ctx: click.Context, name: str, language: Language, output_format: str) -> None:
    """Explain RULE, the id in square brackets behind a finding, or CODE, that of a loss.

    Of a rule: what it says, why it is there, an example that it reports, and one that is fine.
    `partwire rules` lists all rules, and `partwire rules PATTERN` those that fit.

    \b
    Examples:
      partwire explain stream/tool-call-closed
      partwire explain --lang zh shape/required
      partwire explain result-layout
    """
    if output_format == "json":
        want_json(ctx)
    rules = read_rules()
    if name in rules:
        row = rule_row(name, rules[name], language)
        lines = rule_lines
    elif meanings := _meanings(name, language):
        row = {"loss": name, "lang": language, "meanings": meanings}
        lines = loss_lines
    else:
        raise _unknown(name)
    if output_format == "json":
        emit_json(json.dumps(row, ensure_ascii=False).encode())
        return
    width = terminal_width()
    for line in lines(row, language, colour=has_colour(err=False), width=width):
        click.echo(line, color=True)


def _meanings(code: str, language: Language) -> list[Row]:
    """Return what a loss of this code says, by what converts."""
    chinese = read_loss_texts() if language == "zh" else {}
    return [
        {
            "conversion": _CONVERTS[name],
            "severity": table[code][0],
            "detail": chinese[name][code] if chinese else table[code][1],
        }
        for name, table in LOSS_TABLES.items()
        if code in table
    ]


def _known() -> list[str]:
    codes = dict.fromkeys(code for table in LOSS_TABLES.values() for code in table)
    return [*read_rules(), *codes]


def _unknown(name: str) -> UsageError:
    known, shown = _known(), as_typed(name)
    near = [each for each in known if name.casefold() == each.partition("/")[2]]
    near += [each for each in difflib.get_close_matches(shown, known, n=3) if each not in near]
    hint = foreign_hint(Source(name)) if not near else None
    return UsageError(
        Finding(
            "usage/unknown-rule",
            f"There is no rule and no loss {shown}",
            expected=" or ".join(near) or hint or "an id that `partwire rules` lists",
            actual=shown,
        )
    )
