"""``partwire convert``: documents of one family, or of a format of others, as another."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from ...convert import VERSIONS, source_types
from ...convert import convert as convert_value
from ...convert.families.context import accepted_codes, given_by
from ...convert.families.conversion import BridgeResult, strictly
from ...errors import Finding, PartwireError, ReadError, UsageError, clip
from ...files.inputs import Source, expand, read_chunks
from ...files.names import stem_named
from ...formats import FORMATS, Sniffed, format_of, sniff
from ...formats import read as read_format
from ...formats import write as write_format
from ...json.text import decode_json, json_text
from ...losses import Loss
from ...reading.pipeline import to_wire, unknown_members, validate_value
from ..files.foreign import foreign_hint
from ..files.sessions import follow_session, print_session, session_of
from ..files.streams import located
from ..report.render import EXIT_FINDINGS, emit_json, want_json
from ..terminal.results import Results

__all__ = ["context_options", "convert"]

_MESSAGE = "message.Message"
_BLOCKS = "blocks.Message"
_MOST_POINTERS = 5
"""How many unknown members a message names."""
_CONTEXT = (
    ("run-id", "Run of the messages; else that in FILE, or the name of FILE."),
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


def context_options(*left_out: str) -> Callable[[Any], Any]:
    """Add an option for each value that a source may lack, but those of some names."""

    def add(command: Any) -> Any:
        for name, words in reversed(_CONTEXT):
            if name not in left_out:
                command = click.option(f"--{name}", metavar="TEXT", help=words)(command)
        return command

    return add


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FAMILY|FORMAT",
    help="message, session, blocks or envelope; a type of it; or a format (partwire formats).",
)
@click.option(
    "--to-version",
    metavar="FORMAT-VERSION",
    help="Version of the format that is written, of those that partwire formats lists.",
)
@click.option(
    "--from",
    "source_kind",
    metavar="FAMILY|TYPE|FORMAT",
    help="Family, type or format of the documents; else the one that fits.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "lines", "json"]),
    default="text",
    show_default=True,
    help="On a terminal messages and losses as people read them, else lines; a line of JSON for "
    "each, losses on stderr; or one JSON document with both.",
)
@click.option("--strict", is_flag=True, help="Refuse where something would be lost.")
@click.option(
    "--accept",
    multiple=True,
    metavar="CODE",
    help="With --strict: a loss that is taken all the same (partwire explain CODE).",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Wait for more lines of an agent's session, and print each message when it is whole.",
)
@context_options()
@click.option(
    "--keep-ignored", is_flag=True, help="Make parts of text that a session hides from the model."
)
@click.pass_context
def convert(  # noqa: PLR0913 - one for each option
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    target: str,
    to_version: str | None,
    source_kind: str | None,
    strict: bool,
    accept: tuple[str, ...],
    follow: bool,
    output_format: str,
    **context: str | bool | None,
) -> None:
    """Convert the documents of FILEs to another family or format, one line of JSON each.

    What others have stored is read as messages, and messages are written as others store them;
    partwire formats lists which. FILEs may be globs, folders, or - for stdin. All documents of
    one FILE are one history: JSON, an array, JSON Lines (.jsonl, .ndjson) or YAML (.yaml, .yml),
    each also with .gz or .zst behind it. What the conversion loses goes to stderr, one JSON object
    per line, or on a terminal as a table of codes; pointers lead into FILE, as an array where it
    holds several, and line says in which line of JSON Lines. With a member "of" they lead into the
    messages on the way. The run of messages of which neither FILE nor --run-id says one is the name
    of FILE without folders and endings, or all of the name where several have the same; of stdin it
    is "run".

    Sessions of agents (claude-code, codex, gemini-cli) may be of any size, and be followed while
    they grow: --follow prints messages until Ctrl-C, and where the session goes back, on stderr,
    {"branch": {"after": n}}: the next message follows the one printed as number n, from 0.

    Exit status: 0 converted, 1 the documents of a FILE are invalid, or --strict and something would
    be lost, 2 usage or unreadable input, 130 left by Ctrl-C.

    \b
    Examples:
      partwire convert --to session history.jsonl
      partwire convert --to blocks --strict --accept run-id --accept timestamp message.json
      partwire convert --to message sessions/2026.json.zst
      partwire convert --from openai-chat --to message chat.json
      partwire convert --from openai-chat --to anthropic-messages chat.json
      partwire convert --from openai-chat --to finetune --to-version sharegpt chat.json
      partwire convert --from claude-code --to message --follow session.jsonl
    """
    if output_format == "json":
        want_json(ctx)
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
    for name in filter(None, (target, source_kind)):
        _check_name(name)
    accepted_codes(accept)
    given = dict(given_by(options))
    version = _version_of(target, to_version)
    # Text is for a terminal; a pipe has always had lines.
    results = Results(None if output_format == "text" else output_format)
    as_document = output_format == "json"
    sources = expand(files)
    runs = _runs(sources)
    asked = _Asked(target, version, source_kind, strict, accept, given, runs, as_document, results)
    if follow:
        _follow(sources, asked)
        return
    is_bad = False
    for source in sources:
        is_bad |= not _convert(ctx, source, asked, several=len(sources) > 1)
    ctx.exit(EXIT_FINDINGS if is_bad else 0)


def _check_name(name: str) -> None:
    if name.partition(".")[0] not in _FAMILIES and format_of(name) is None:
        expected = f"{', '.join(_FAMILIES)}; a type of them; or a format: {', '.join(FORMATS)}"
        raise UsageError(
            Finding(
                "bridge/unsupported",
                "No such family or format",
                expected=expected,
                actual=clip(name),
            )
        )


def _runs(sources: Sequence[Source]) -> dict[str, str]:
    """Return the run of messages that say none, for each file by its name: no two share one."""
    names = [each.name for each in sources if each.path is not None]
    stems = {name: stem_named(name) for name in names}
    counts = Counter(stems.values())
    runs = {
        name: stem if counts[stem] == 1 and stem not in stems else name
        for name, stem in stems.items()
    }
    # The name of a file need not be text.
    return {name: os.fsencode(run).decode("utf-8", "replace") for name, run in runs.items()}


_FAMILIES = ("message", "session", "blocks", "envelope")


def _version_of(target: str, asked: str | None) -> str | None:
    """Return the version of the format that is written; None for its default, and for families."""
    if asked is None:
        return None
    name = format_of(target)
    if name is None:
        raise click.UsageError("--to-version is for a format, and --to is not one.")
    FORMATS[name].check("write")
    return FORMATS[name].version_of(asked)


def _follow(sources: Sequence[Source], asked: _Asked) -> None:
    if len(sources) != 1 or asked.strict or asked.as_document or not asked.to_messages:
        raise click.UsageError("--follow prints the messages of one FILE: --to message.")
    (source,) = sources
    name = asked.session_format(source)
    if name is None:
        raise click.UsageError(f"--follow is for sessions: --from {', '.join(_SESSIONS)}.")
    follow_session(source, name, asked.of_reading(source), asked.results)


_SESSIONS = tuple(name for name, each in FORMATS.items() if each.is_session)


class _Asked(NamedTuple):
    """What was asked for, but for the files."""

    target: str
    to_version: str | None
    source_kind: str | None
    strict: bool
    accept: tuple[str, ...]
    given: dict[str, Any]
    runs: Mapping[str, str]
    """The run that is made up for each file, by its name."""
    as_document: bool
    results: Results

    @property
    def to_messages(self) -> bool:
        """Whether messages are asked for."""
        return self.target in ("message", _MESSAGE)

    def of_reading(self, source: Source) -> dict[str, Any]:
        """Return the arguments for a reader of a format."""
        given = {each: self.given.get(each) for each in ("run_id", "timestamp")}
        return {**given, "invented_run_id": self.runs.get(source.name)}

    def session_format(self, source: Source) -> str | None:
        """Return the format of an agent's session that a source has; None for anything else."""
        if self.source_kind is None:
            return session_of(source)
        name = format_of(self.source_kind)
        return name if name in _SESSIONS else None


class _Made(NamedTuple):
    """What the documents of a source became, and the losses as JSON."""

    documents: list[Any]
    losses: list[dict[str, Any]]


def _convert(ctx: click.Context, source: Source, asked: _Asked, *, several: bool) -> bool:
    """Convert one history, and print what it becomes; return whether it could be."""
    lines: list[int | None] = []
    try:
        session = asked.session_format(source)
        if session and asked.to_messages and not (asked.strict or asked.as_document):
            context = asked.of_reading(source)
            print_session(source, session, context, asked.results, several=several)
            return True
        values = _lines(source, lines) if session else _documents(source, lines)
        documents, losses = _converted(values, asked, source, session)
    except UsageError:
        raise
    except PartwireError as error:
        if ctx.find_root().params.get("debug") or error.rule == "bridge/unsupported":
            raise
        error.findings = tuple(
            each._replace(line=each.line or _line(each.pointer, lines)) for each in error.findings
        )
        asked.results.error(located(_with_hint(error, source, asked), source, None))
        return False
    for told in losses:
        line = None if "of" in told else _line(told["pointer"], lines)
        if line is not None:
            told["line"] = line
        if several:
            told["source"] = source.label
    if asked.as_document:
        name = "messages" if asked.target.partition(".")[0] == "message" else "documents"
        emit_json(json_text({name: documents, "losses": losses}).encode())
        return True
    for document in documents:
        text = json_text(document).encode()
        asked.results.document(text, is_message=asked.to_messages)
    asked.results.losses(losses)
    return True


def _with_hint(error: PartwireError, source: Source, asked: _Asked) -> PartwireError:
    """Return the error with the format that the file has, where it is another one."""
    first, *rest = error.findings
    hint = foreign_hint(source) if isinstance(error, ReadError) else None
    if hint is None or f"partwire convert --from {format_of(asked.source_kind or '')} " in hint:
        return error
    expected = "; ".join(filter(None, (first.expected, hint)))
    return ReadError(first._replace(expected=expected), *rest)


def _converted(values: Any, asked: _Asked, source: Source, session: str | None) -> _Made:
    """Convert by way of messages where a format is read or written."""
    kind = asked.source_kind or session
    if kind is None or kind in _FAMILIES:
        kind = _guessed(values, asked.target, source, kind)
    told: list[dict[str, Any]] = []
    target = format_of(asked.target)
    is_done = kind == _MESSAGE and target is not None
    if kind is not None and (name := format_of(kind)):
        values, losses = read_format(name, values, **asked.of_reading(source))
        told = _told(losses, asked)
        kind, is_done = _MESSAGE, target is not None or asked.to_messages
    if not is_done:
        options: dict[str, Any] = {"strict": asked.strict, "accept": asked.accept, **asked.given}
        family = _MESSAGE if target else asked.target
        values, losses = convert_value(values, family, type=kind, **options)
        told += _told(losses, asked, is_second=bool(told))
        if kind == _BLOCKS and "run_id" not in asked.given and source.name in asked.runs:
            values = [replace(each, run_id=asked.runs[source.name]) for each in values]
    values = values if isinstance(values, list) else [values]
    if target is None:
        return _Made([to_wire(each) for each in values], told)
    written = write_format(target, values, version=asked.to_version)
    made = written.document if FORMATS[target].is_lines else [written.document]
    return _Made(made, [*told, *_told(written.losses, asked, is_second=bool(told))])


def _told(
    losses: Iterable[Loss], asked: _Asked, *, is_second: bool = False
) -> list[dict[str, Any]]:
    """Return losses as JSON; raise BridgeError for those that ``--strict`` does not take.

    Those of a second leg say that their pointers lead into the messages between the legs.
    """
    result = BridgeResult(None, list(losses))
    if asked.strict:
        strictly(result, asked.accept)
    between = {"of": "message"} if is_second else {}
    return [{**each.to_wire(), **between} for each in result.losses]


def _lines(source: Source, lines: list[int | None]) -> bytes:
    """Return the text of a session; ``lines`` gets the number of each line."""
    text = b"".join(read_chunks(source.name))
    lines.extend(range(1, max(2, text.count(b"\n") + 1) + 1))
    return text


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


def _is_plain(values: Any) -> bool:
    """Return whether documents are roles and texts, and nothing else."""
    rows = values if isinstance(values, list) else [values]
    return all(
        isinstance(row, dict) and row.keys() == {"role", "content"} and type(row["content"]) is str
        for row in rows
    )


def _guessed(values: Any, target: str, source: Source, family: str | None) -> str | None:
    """Return the type or the format that the documents have; None where nothing converts so.
    Where ``family`` is given, it is a type of that.

    Where a sole type can be meant, it is: whoever reads the document says what is wrong with it.
    A type that does not name all members of all documents is never guessed.
    """
    is_format = format_of(target) is not None
    types = [*source_types(_MESSAGE), _MESSAGE] if is_format else source_types(target)
    if family is not None:
        types = _of_family(types, family, target)
    if isinstance(values, list) and not values:
        if len(types) < 2:
            return types[0] if types else None
        raise _ambiguous("There is no document to tell the type by: give --from", types, source)
    first = values[0] if isinstance(values, list) else values
    fitting = [name for name in types if not _errors(first, name)]
    left_out = {name: _unknown_members(values, name) for name in fitting}
    known = [name for name in fitting if not left_out[name]]
    if len(known) == 1:
        is_open = family is None and _is_plain(values)
        others = [each.format for each in sniff(values)] if is_open else []
        if others:
            words = "Roles and texts alone: several formats have such; give --from"
            raise _ambiguous(words, [*known, *others], source)
        return known[0]
    formats = [] if known or family else sniff(values)
    if len(formats) == 1 and formats[0].place:
        return formats[0].format
    if len(types) < 2:
        return types[0] if types else None
    if fitting and not known:
        raise _ambiguous(_not_guessed(values, left_out), fitting, source)
    if not fitting:
        which = "The first document" if isinstance(values, list) else "The document"
        message = f"{which} fits none of {', '.join(types)}: give --from to see why"
        raise _ambiguous(message, types, source, formats)
    raise _ambiguous("The document fits several types: give --from", known, source)


def _of_family(types: Sequence[str], family: str, target: str) -> list[str]:
    """Return those of the types that are of a family; raises UsageError where none is."""
    found = [name for name in types if name.partition(".")[0] == family]
    if not found:
        families = dict.fromkeys(name.partition(".")[0] for name in types)
        message = f"There is no bridge from {family} to {target}"
        expected = f"--from {' or '.join(families)}, or a format (partwire formats)"
        finding = Finding("bridge/unsupported", message, expected=expected, actual=clip(family))
        raise UsageError(finding)
    return found


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


def _ambiguous(
    message: str, types: Sequence[str], source: Source, formats: Sequence[Sniffed] = ()
) -> UsageError:
    """Return the error; ``formats`` are those of others that the documents may have, and why."""
    expected = f"one of {', '.join(types)}, or a format (partwire formats)"
    if formats:
        shown = [f"{each.format} ({each.place or 'roles and texts'})" for each in formats]
        expected = f"--from with a format that fits: {', '.join(shown)}"
    return UsageError(
        Finding("usage/ambiguous-type", message, expected=expected, source=source.label)
    )


def _errors(document: Any, type_name: str) -> bool:
    return any(each.severity == "error" for each in validate_value(document, type_name))
