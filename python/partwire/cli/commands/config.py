"""``partwire config``: what the configuration says, and which type it gives to a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ...errors import UsageError, counted
from ...reporting.json_form import json_text
from ...reporting.words import one_line
from ..config.configured import configured_files
from ..config.paths import Config, load_config, shown_path
from ..config.shape import config_schema
from ..options import text_or_json
from ..report.render import EXIT_FINDINGS, emit_json

__all__ = ["config"]


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@text_or_json("Text for people, or one JSON document.")
@click.option(
    "--schema", "wants_schema", is_flag=True, help="Print the configuration's schema, for editors."
)
@click.pass_context
def config(
    ctx: click.Context, files: tuple[str, ...], output_format: str, wants_schema: bool
) -> None:
    """Check the configuration and show it; with FILEs, show the type that it gives to each.

    Exit status: 0 fine, 1 a FILE without a type, 2 a configuration with faults.

    \b
    Examples:
      partwire config
      partwire config logs/today.jsonl
    """
    if wants_schema:
        emit_json(json.dumps(config_schema(), indent=2, ensure_ascii=False).encode())
        return
    found = load_config(Path())
    shown = _of_files(found, files) if files else _whole(found)
    if output_format == "json":
        emit_json(json_text(shown).encode())
    else:
        for line in _file_lines(shown["files"]) if files else _lines(shown):
            click.echo(one_line(line))
    if files and any(row["type"] is None for row in shown["files"]):
        ctx.exit(EXIT_FINDINGS)


def _of_files(config: Config, files: tuple[str, ...]) -> dict[str, Any]:
    rows = []
    for name in files:
        row = config.row_of(Path(name))
        rows.append(
            {
                "file": name,
                "type": row.type if row else None,
                "version": config.version_of(row) if row else None,
                "glob": row.glob if row else None,
                "unknown-members": config.unknown_members_of(row) if row else None,
            }
        )
    return {"files": rows}


def _file_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        if row["type"] is None:
            yield f"{row['file']}: no type: excluded, or no row fits"
        else:
            yield f"{row['file']}: {row['type']} {row['version']}, by {row['glob']}"


def _whole(config: Config) -> dict[str, Any]:
    counts = _counts(config)
    return {
        "file": None if config.file is None else shown_path(config.file.path),
        "contract": config.version_of(None),
        "format": config.format,
        "baseline": None if config.baseline is None else shown_path(config.baseline),
        "unknown-members": config.unknown_members_of(None),
        "paths": [
            {
                "glob": row.glob,
                "type": row.type,
                "version": config.version_of(row),
                "unknown-members": config.unknown_members_of(row),
                "files": counts.get(row.glob, 0),
            }
            for row in config.paths
        ],
        "exclude": list(config.exclude),
        "schemas": list(config.schemas),
        "ignore": [
            {
                "rule": each.rule,
                "paths": list(each.paths),
                "reason": each.reason,
                "until": None if each.until is None else each.until.isoformat(),
            }
            for each in config.ignores
        ],
    }


def _counts(config: Config) -> dict[str, int]:
    """Return how many files each row decides on: a row of none may be a slip of the pen."""
    counts: dict[str, int] = {}
    try:
        files = configured_files(config)
    except UsageError:  # none at all
        return counts
    for path in files:
        if (row := config.row_of(path)) is not None:
            counts[row.glob] = counts.get(row.glob, 0) + 1
    return counts


def _lines(shown: dict[str, Any]) -> Iterator[str]:
    if shown["file"] is None:
        yield "no configuration: no partwire.toml or pyproject.toml here or above"
    else:
        yield shown["file"]
    for name in ("contract", "format", "baseline"):
        if shown[name] is not None:
            yield f"  {name:<9} {shown[name]}"
    for row in shown["paths"]:
        files = counted(row["files"], "file")
        yield f"  {'paths':<9} {row['glob']}: {row['type']} {row['version']}, {files}"
    for name in ("exclude", "schemas"):
        for each in shown[name]:
            yield f"  {name:<9} {each}"
    for row in shown["ignore"]:
        where = f" in {', '.join(row['paths'])}" if row["paths"] else ""
        until = f" until {row['until']}" if row["until"] else ""
        yield f"  {'ignore':<9} {row['rule']}{where}{until}: {row['reason']}"
