"""``partwire convert``: documents of one family as those of another."""

from __future__ import annotations

import json
from typing import Any

import click

from ..bridges import LOSSES, source_types
from ..bridges import convert as convert_value
from ..documents import decode_json
from ..errors import Finding, PartwireError, UsageError
from ..reading import dump, validate
from .inputs import Source
from .render import EXIT_FINDINGS, emit_json, render_error
from .streams import located

__all__ = ["convert"]

_CONTEXT = (
    ("run-id", "Run of the messages."),
    ("timestamp", "Time where the source has none, RFC 3339."),
    ("session-id", "Session of the messages."),
    ("agent", "Agent of the messages."),
    ("provider-id", "Provider of the model."),
    ("model-id", "Model that a user's message is for."),
    ("cwd", "Working folder of the agent."),
    ("root", "Root folder of the project."),
    ("tool-id", "Id of the tool in its registry."),
    ("trace-id", "Trace of the envelope."),
)


def _context_options(command: Any) -> Any:
    for name, words in reversed(_CONTEXT):
        command = click.option(f"--{name}", metavar="TEXT", help=words)(command)
    return command


@click.command()
@click.argument("file", metavar="FILE|-")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FAMILY",
    help="message, session, blocks or envelope; or a type of it.",
)
@click.option(
    "--from", "type_name", metavar="TYPE", help="Type of the documents; else the one that fits."
)
@click.option("--strict", is_flag=True, help="Refuse where something would be lost.")
@click.option(
    "--accept",
    multiple=True,
    metavar="CODE",
    type=click.Choice(list(LOSSES)),
    help="With --strict: a loss that is taken all the same.",
)
@_context_options
@click.pass_context
def convert(
    ctx: click.Context,
    /,
    file: str,
    target: str,
    type_name: str | None,
    strict: bool,
    accept: tuple[str, ...],
    **context: str | None,
) -> None:
    """Convert the documents of FILE (- for stdin) to another family, one line of JSON each.

    All documents of FILE, JSON or JSON Lines, are one history. What the conversion loses goes to
    stderr, one JSON object per line; pointers lead into FILE, as an array where it holds several.
    Exit status: 0 converted, 1 the documents are invalid, or --strict and something would be lost,
    2 usage or unreadable input.

    \b
    Examples:
      partwire convert --to session history.jsonl
      partwire convert --to blocks --strict --accept run-id --accept timestamp message.json
    """
    source = Source(file)
    given: Any = {name: value for name, value in context.items() if value is not None}
    try:
        values = _documents(source)
        kind = type_name or _fitting(values, target, source)
        result = convert_value(values, target, type=kind, strict=strict, accept=accept, **given)
    except UsageError:
        raise
    except PartwireError as error:
        if ctx.find_root().params.get("debug") or error.rule == "bridge/unsupported":
            raise
        render_error(located(error, source, None), "json")
        ctx.exit(EXIT_FINDINGS)
    for value in result.value if isinstance(result.value, list) else [result.value]:
        emit_json(dump(value))
    for loss in result.losses:
        click.echo(json.dumps(loss.to_wire(), ensure_ascii=False), err=True)


def _documents(source: Source) -> Any:
    """Return the documents as a list, or the only one."""
    values = []
    for document in source.documents():
        try:
            values.append(decode_json(document.data))
        except PartwireError as error:
            raise located(error, source, document.line) from None
    return values[0] if len(values) == 1 else values


def _fitting(values: Any, target: str, source: Source) -> str | None:
    """Return the type that the first document is; None where nothing converts to ``target``."""
    types = source_types(target)
    first = (values[0] if values else None) if isinstance(values, list) else values
    fitting = [name for name in types if not _errors(first, name)]
    if len(fitting) == 1 or not types:
        return fitting[0] if fitting else None
    raise UsageError(
        Finding(
            "usage/ambiguous-type",
            "The type is not known: give --from",
            expected=f"one of {', '.join(fitting or types)}",
            source=source.label,
        )
    )


def _errors(document: Any, type_name: str) -> bool:
    return any(each.severity == "error" for each in validate(document, type_name))
