"""``partwire formats``: the formats of others that are read and written."""

from __future__ import annotations

import json

import click

from ...formats import FORMATS
from ..options import text_or_json
from ..report.render import emit_json, want_json

__all__ = ["formats"]


@click.command()
@text_or_json("A line for each format, or one JSON array.")
@click.pass_context
def formats(ctx: click.Context, output_format: str) -> None:
    """List the formats of others that are read as messages, and that messages are written as.

    \b
    Examples:
      partwire formats
      partwire convert --from openai-chat --to message chat.json
    """
    if output_format == "json":
        want_json(ctx)
        rows = [
            {"format": each.name, "title": each.title, "written": each.can("write")}
            | {"streams": each.can("reader"), "versions": list(each.versions)}
            for each in FORMATS.values()
        ]
        emit_json(json.dumps(rows, ensure_ascii=False).encode())
        return
    width = max(map(len, FORMATS))
    for each in FORMATS.values():
        only = "" if each.can("write") else " (only read)"
        versions = f" (--to-version {', '.join(each.versions)})" if each.versions else ""
        click.echo(f"{each.name:{width}}  {each.title}{only}{versions}")
