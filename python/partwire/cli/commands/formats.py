"""``partwire formats``: the formats of others that are read and written."""

from __future__ import annotations

import json

import click

from ...formats import FORMATS, Format
from ..options import text_or_json
from ..report.render import emit_json, want_json

__all__ = ["formats"]


_COLUMNS = ("format", "document", "stream", "--to-version", "what")


@click.command()
@text_or_json("A table, or one JSON array.")
@click.pass_context
def formats(ctx: click.Context, output_format: str) -> None:
    """List the formats of others that are read as messages, and that messages are written as.

    A document is what convert takes, a stream what assemble and deltas take. A session on disk is
    a document, and its lines are read while they come: convert --follow.

    \b
    Examples:
      partwire formats
      partwire convert --from openai-chat --to message chat.json
    """
    if output_format == "json":
        want_json(ctx)
        rows = [
            {"format": each.name, "title": each.title}
            | _does(each)
            | {"versions": list(each.versions)}
            for each in FORMATS.values()
        ]
        emit_json(json.dumps(rows, ensure_ascii=False).encode())
        return
    lines = [_COLUMNS, *map(_row, FORMATS.values())]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _row(each: Format) -> tuple[str, ...]:
    versions = ", ".join(each.versions) or "-"
    return each.name, _document(each), _stream(each), versions, each.title


def _does(each: Format) -> dict[str, bool]:
    """Return what is done with a format; the reader of a session reads lines, not a stream."""
    return {
        "read": each.can("read"),
        "written": each.can("write"),
        "streamRead": each.can("reader") and not each.is_session,
        "streamWritten": each.can("writer"),
        "sessionLines": each.is_session,
    }


def _document(each: Format) -> str:
    return "read, written" if each.can("write") else "read"


def _stream(each: Format) -> str:
    does = _does(each)
    if does["sessionLines"]:
        return "lines"
    words = {"read": does["streamRead"], "written": does["streamWritten"]}
    return ", ".join(word for word, is_so in words.items() if is_so) or "-"
