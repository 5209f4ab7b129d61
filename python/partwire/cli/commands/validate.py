"""``partwire validate``: hold files against the contract."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from ...errors import Finding, ReadError, UsageError
from ...files.inputs import Source, as_file, expand
from ...json.text import decode_json
from ...reading.guess import fitting_types, guess_type
from ...reading.pipeline import Binding
from ...reading.undeclared import UNKNOWN_MEMBERS, UnknownMembers
from ..config.configured import configured_files
from ..config.paths import contract_option, contract_version, load_config, shown_path
from ..files.foreign import foreign_hint
from ..files.validation import Asked, jobs_for, validate_sources
from ..options import gathered, jobs_option
from ..report.alike import Alike
from ..report.options import ReportOptions, report_options

__all__ = ["validate"]

_DELTA = "message.MessageDelta"


@dataclass(frozen=True)
class _Asked:
    """What is validated, and how."""

    files: tuple[str, ...]
    type_name: str | None
    configured_only: bool
    contract: str | None
    jobs: int | None
    max_findings: int
    unknown_members: UnknownMembers | None
    stream: bool


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--type",
    "type_name",
    metavar="TYPE",
    help="Type of the documents, such as message.Message; else the configuration names it by path.",
)
@click.option(
    "--configured-only",
    is_flag=True,
    help="Leave out FILEs to which neither --type nor the configuration gives a type.",
)
@contract_option
@jobs_option("one for each core, as far as they have enough to do")
@click.option(
    "--max-findings",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    envvar="PARTWIRE_MAX_FINDINGS",
    show_envvar=True,
    help="Findings that are reported of one document; where it has more, the report says so.",
)
@click.option(
    "--unknown-members",
    type=click.Choice(UNKNOWN_MEMBERS),
    envvar="PARTWIRE_UNKNOWN_MEMBERS",
    show_envvar=True,
    help="What a member is that the type does not name: an error, a warning, or nothing.  "
    "[default: the configuration's unknown-members, else warn]",
)
@click.option(
    "--stream",
    is_flag=True,
    help="Hold each file against the grammar of streams too: the deltas of one run or of many (the "
    "type, where none is named), or the chunks of one response. Tells of every breach.",
)
@report_options()
@click.pass_context
@gathered(_Asked)
def validate(ctx: click.Context, asked: _Asked, reporting: ReportOptions) -> None:
    """Validate FILEs: files, folders, globs, or - for stdin.

    A .json file holds one document or an array of them, .jsonl and .ndjson are JSON Lines, .yaml
    and .yml YAML documents, each also with .gz or .zst behind it; anything else is what it begins
    as. Without FILEs, all that the configuration names by path.

    Exit status: 0 valid, 1 findings of severity error, 2 usage or unreadable input.

    \b
    Examples:
      partwire validate --type message.Message message.json
      partwire validate --type message.MessageDelta logs 'old/**/*.jsonl.gz'
      partwire validate --stream today.jsonl
      partwire validate

    \b
    Types by path, in pyproject.toml (partwire.toml without tool.partwire); the first row that
    fits decides:
      [[tool.partwire.paths]]
      glob = "logs/**/*.jsonl"
      type = "message.MessageDelta"
    """
    config = reporting.config or load_config(Path())
    configured = () if asked.files else configured_files(config)
    named = asked.files or tuple(as_file(shown_path(path)) for path in configured)
    type_name, contract = asked.type_name, asked.contract
    if type_name is not None:  # said once, and not of every file
        Binding.of(type_name, contract_version(contract, config))
    sources = given = expand(named)
    if asked.configured_only and type_name is None:
        sources = [source for source in given if config.row_of(source.path) is not None]

    alike = Alike()

    def asked_of(source: Source) -> Asked:
        row = config.row_of(source.path) if type_name is None else None
        version = contract_version(contract, config, row)
        known = row.type if row else type_name or (_DELTA if asked.stream else None)
        if known is None:
            raise _ambiguous(source, version)
        unknown = asked.unknown_members or config.unknown_members_of(row)
        alike.expects(source, known, version)
        return Asked(Binding.of(known, version), asked.max_findings, unknown)

    with reporting.open(contract_version(contract, config)) as report:
        report.alike = alike
        if asked.stream:
            from ..files.stream_check import check_streams  # noqa: PLC0415 - it needs the assembler

            check_streams(sources, asked_of, report)
        else:
            validate_sources(sources, asked_of, report, asked.jobs or jobs_for(sources))
    if len(sources) < len(given) and reporting.format == "text":
        left_out = len(given) - len(sources)
        click.echo(f"left out, since no row names a type: {left_out:,}", err=True)
    if report.totals.errors and reporting.format == "text":
        for hint in alike.hints():
            click.echo(hint, err=True)
    ctx.exit(report.status)


def _ambiguous(source: Source, version: str) -> UsageError:
    """Say which types the first document could be: the choice is the caller's."""
    fitting: list[str] = []
    guess = None
    first = next(source.documents(), None)
    if first is not None:
        with suppress(ReadError):  # not JSON: then it is of no type
            value = decode_json(first.data)
            fitting, guess = fitting_types(value, version), guess_type(value, version)
    none = f"a type of `partwire schema list`; the first document is none of {version}'s"
    known = f"one of {', '.join(fitting)}" if fitting else ""
    fits = f"--type {guess}, which it looks like" if guess else known
    hint = None if fitting and not guess else foreign_hint(source)
    return UsageError(
        Finding(
            "usage/ambiguous-type",
            "The type is not known: give --type, or a row under paths in the configuration",
            expected="; or: ".join(filter(None, (fits, hint))) or none,
            source=source.label,
        )
    )
