"""``partwire validate``: hold files against the contract."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from ..contract import describe_types
from ..errors import Finding, PartwireError, UsageError
from ..reading import Binding
from ..reading import validate as validate_document
from .config import contract_option, contract_version, load_config, shown_path
from .configured import configured_files
from .inputs import Document, Source, expand
from .report_options import CommandReport, ReportOptions, report_options

__all__ = ["validate"]

_PROGRESS_FROM_BYTES = 8 << 20


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
@report_options()
@click.pass_context
def validate(
    ctx: click.Context,
    files: tuple[str, ...],
    type_name: str | None,
    configured_only: bool,
    contract: str | None,
    reporting: ReportOptions,
) -> None:
    """Validate FILEs: JSON, JSON Lines (.jsonl, .ndjson), globs, or - for stdin.

    Without FILEs, all that the configuration names by path.

    Exit status: 0 valid, 1 findings of severity error, 2 usage or unreadable input.

    \b
    Examples:
      partwire validate --type message.Message message.json
      partwire validate --type message.MessageDelta 'logs/**/*.jsonl'
      partwire validate

    \b
    Types by path, in pyproject.toml (partwire.toml without tool.partwire); the first row that
    fits decides:
      [[tool.partwire.paths]]
      glob = "logs/**/*.jsonl"
      type = "message.MessageDelta"
    """
    config = reporting.config or load_config(Path())
    if not files:
        files = tuple(shown_path(path) for path in configured_files(config))
    left_out = 0
    with reporting.open(contract_version(contract, config)) as report:
        for source in expand(files):
            row = config.row_of(source.path) if type_name is None else None
            given = row.type if row else type_name
            if given is None and configured_only:
                left_out += 1
                continue
            version = contract_version(contract, config, row)
            try:
                if given is None:
                    raise _ambiguous(source, version)
                _validate_source(source, given, version, report)
            except PartwireError as error:
                # One unreadable file must not hide what is wrong with the others.
                report.cannot_read(error)
    if left_out and reporting.format == "text":
        click.echo(f"left out, since no row names a type: {left_out:,}", err=True)
    ctx.exit(report.status)


def _ambiguous(source: Source, version: str) -> UsageError:
    """Say which types the first document could be: the choice is the caller's."""
    first = next(source.documents(), None)
    fitting = (
        []
        if first is None
        else [
            row.type
            for row in describe_types(version)
            if row.public and not _errors(first.data, row.type, version)
        ]
    )
    return UsageError(
        Finding(
            "usage/ambiguous-type",
            "The type is not known: give --type, or a row under paths in the configuration",
            expected=f"one of {', '.join(fitting)}"
            if fitting
            else f"a type of `partwire schema list`; the first document is none of {version}'s",
            source=source.label,
        )
    )


def _errors(data: bytes, type_name: str, version: str) -> list[Finding]:
    found = validate_document(data, type_name, version)
    return [finding for finding in found if finding.severity == "error"]


def _validate_source(source: Source, type_name: str, version: str, report: CommandReport) -> None:
    binding = Binding.of(type_name, version)
    decode_valid = binding.decode_valid
    report.begin_source(source.label)
    for document in _with_progress(source):
        report.totals.documents += 1
        if decode_valid(document.data) is not None:
            continue
        for finding in binding.findings(document.data):
            report.add(finding._replace(source=source.label, line=document.line))


def _with_progress(source: Source) -> Iterator[Document]:
    """Yield the documents; for a large file on a terminal, with a progress bar on stderr."""
    size = source.size_bytes()
    if size is None or size < _PROGRESS_FROM_BYTES or not sys.stderr.isatty():
        yield from source.documents()
        return
    with click.progressbar(length=size, label=source.label, file=sys.stderr) as bar:
        pending = 0
        for document in source.documents():
            pending += len(document.data) + 1
            if pending >= _PROGRESS_FROM_BYTES >> 4:
                bar.update(pending)
                pending = 0
            yield document
        bar.update(pending)
