"""``partwire convert``: documents of one family as those of another."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from ...convert import VERSIONS, source_types
from ...convert import convert as convert_value
from ...convert.families.context import accepted_codes, given_by
from ...errors import Finding, PartwireError, UsageError, clip
from ...json.text import decode_json
from ...reading.pipeline import dump, unknown_members, validate_value
from ..files.inputs import Source, expand
from ..files.streams import located
from ..report.render import EXIT_FINDINGS, emit_json, render_error

__all__ = ["convert"]

_MOST_POINTERS = 5
"""How many unknown members a message names."""
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
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
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
    help="With --strict: a loss that is taken all the same (partwire explain CODE).",
)
@_context_options
@click.option(
    "--keep-ignored", is_flag=True, help="Make parts of text that a session hides from the model."
)
@click.pass_context
def convert(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    target: str,
    type_name: str | None,
    strict: bool,
    accept: tuple[str, ...],
    **context: str | bool | None,
) -> None:
    """Convert the documents of FILEs to another family, one line of JSON each.

    FILEs may be globs, folders, or - for stdin. All documents of one FILE are one history: JSON,
    an array, JSON Lines (.jsonl, .ndjson) or YAML (.yaml, .yml), each also with .gz or .zst behind
    it. What the conversion loses goes to stderr, one JSON object per line; pointers lead into FILE,
    as an array where it holds several, and line says in which line of JSON Lines.

    Exit status: 0 converted, 1 the documents of a FILE are invalid, or --strict and something would
    be lost, 2 usage or unreadable input.

    \b
    Examples:
      partwire convert --to session history.jsonl
      partwire convert --to blocks --strict --accept run-id --accept timestamp message.json
      partwire convert --to message sessions/2026.json.zst
    """
    options: Any = context
    if target in VERSIONS:
        raise UsageError(
            Finding(
                "bridge/unsupported",
                "A version is not a family",
                expected=f"a family or type, or: partwire migrate --to {target}",
                actual=clip(target),
            )
        )
    accepted_codes(accept)
    asked = _Asked(target, type_name, strict, accept, dict(given_by(options)))
    sources = expand(files)
    is_bad = False
    for source in sources:
        is_bad |= not _convert(ctx, source, asked, several=len(sources) > 1)
    ctx.exit(EXIT_FINDINGS if is_bad else 0)


class _Asked(NamedTuple):
    """What was asked for, but for the files."""

    target: str
    type_name: str | None
    strict: bool
    accept: tuple[str, ...]
    given: dict[str, Any]


def _convert(ctx: click.Context, source: Source, asked: _Asked, *, several: bool) -> bool:
    """Convert one history, and print what it becomes; return whether it could be."""
    lines: list[int | None] = []
    try:
        values = _documents(source, lines)
        kind = asked.type_name or _fitting(values, asked.target, source)
        options: dict[str, Any] = {"strict": asked.strict, "accept": asked.accept, **asked.given}
        result = convert_value(values, asked.target, type=kind, **options)
    except UsageError:
        raise
    except PartwireError as error:
        if ctx.find_root().params.get("debug") or error.rule == "bridge/unsupported":
            raise
        error.findings = tuple(
            each._replace(line=each.line or _line(each.pointer, lines)) for each in error.findings
        )
        render_error(located(error, source, None), "json")
        return False
    for value in result.value if isinstance(result.value, list) else [result.value]:
        emit_json(dump(value))
    for loss in result.losses:
        line = _line(loss.pointer, lines)
        told = loss.to_wire() if line is None else {**loss.to_wire(), "line": line}
        if several:
            told["source"] = source.label
        click.echo(json.dumps(told, ensure_ascii=False), err=True)
    return True


def _documents(source: Source, lines: list[int | None]) -> Any:
    """Return the documents as a list, or the only one; ``lines`` gets the line of each."""
    values = []
    with source.entries() as entries:
        for document in entries.documents():
            try:
                values.append(decode_json(document.data))
            except PartwireError as error:
                line = document.line or document.position("").line
                raise located(error, source, line) from None
            lines.append(document.line)
    return values[0] if len(values) == 1 and not entries.is_array else values


def _line(pointer: str, lines: Sequence[int | None]) -> int | None:
    """Return the line of the document that a pointer leads into: a sole one is not an array."""
    if len(lines) == 1:
        return lines[0]
    index = re.match(r"/(\d+)", pointer)
    return lines[int(index[1])] if index and int(index[1]) < len(lines) else None


def _fitting(values: Any, target: str, source: Source) -> str | None:
    """Return the type that the first document is; None where nothing converts to ``target``.

    Where a sole type can be meant, it is: whoever reads the document says what is wrong with it.
    A type that does not name all members of all documents is never guessed.
    """
    types = source_types(target)
    if len(types) < 2:
        return types[0] if types else None
    if isinstance(values, list) and not values:
        raise _ambiguous("There is no document to tell the type by: give --from", types, source)
    first = values[0] if isinstance(values, list) else values
    fitting = [name for name in types if not _errors(first, name)]
    left_out = {name: _unknown_members(values, name) for name in fitting}
    known = [name for name in fitting if not left_out[name]]
    if len(known) == 1:
        return known[0]
    if fitting and not known:
        raise _ambiguous(_not_guessed(values, left_out), fitting, source)
    if not fitting:
        which = "The first document" if isinstance(values, list) else "The document"
        message = f"{which} fits none of {', '.join(types)}: give --from to see why"
        raise _ambiguous(message, types, source)
    raise _ambiguous("The document fits several types: give --from", known, source)


def _not_guessed(values: Any, left_out: Mapping[str, Sequence[str]]) -> str:
    """Say which types a document would be, but for members that they do not name."""
    which = "A document" if isinstance(values, list) else "The document"
    told = "; ".join(f"{name} does not name {_listed(each)}" for name, each in left_out.items())
    return f"{which} has unknown members ({told}): give --from to leave them out"


def _unknown_members(values: Any, type_name: str) -> list[str]:
    if not isinstance(values, list):
        return unknown_members(values, type_name)
    each = enumerate(values)
    return [f"/{n}{place}" for n, one in each for place in unknown_members(one, type_name)]


def _listed(pointers: Sequence[str]) -> str:
    more = len(pointers) - _MOST_POINTERS
    shown = ", ".join(map(clip, pointers[:_MOST_POINTERS]))
    return shown if more <= 0 else f"{shown} and {more} more"


def _ambiguous(message: str, types: Sequence[str], source: Source) -> UsageError:
    expected = f"one of {', '.join(types)}"
    return UsageError(
        Finding("usage/ambiguous-type", message, expected=expected, source=source.label)
    )


def _errors(document: Any, type_name: str) -> bool:
    return any(each.severity == "error" for each in validate_value(document, type_name))
