"""``partwire history``: tool calls and results over a whole history, and their repair."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import msgspec
from click.core import ParameterSource

from ...errors import Finding, PartwireError, ReadError, UsageError, printable
from ...files.inputs import Source, expand
from ...message import REPAIRS, HistoryChange, HistoryChecker, repair_history
from ...tables.limits import DEFAULT_REMEMBERED
from ..config.paths import contract_option, contract_version, load_config
from ..files.foreign import tell_of_formats
from ..report.options import CommandReport, ReportOptions, report_options
from ..report.render import EXIT_FINDINGS, emit_json, render_finding

__all__ = ["history"]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--repair",
    is_flag=True,
    help="Print the repaired history in the form of FILE, and what was changed on stderr.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="DEFECT=ACTION",
    help="With --repair: what to do about a defect. The first action is the default: "
    + "; ".join(f"{name}={'|'.join(actions)}" for name, actions in REPAIRS.items())
    + ".",
)
@click.option(
    "--ongoing", is_flag=True, help="The history goes on: calls at its end may wait for results."
)
@click.option(
    "--all-ids",
    is_flag=True,
    help="Remember every call, so that an id is missed by no distance: memory grows with calls.",
)
@contract_option
@report_options()
@click.pass_context
def history(
    ctx: click.Context,
    files: tuple[str, ...],
    repair: bool,
    policies: tuple[str, ...],
    ongoing: bool,
    all_ids: bool,
    contract: str | None,
    reporting: ReportOptions,
) -> None:
    """Check FILEs, each one history: lines, an array or YAML documents of messages.

    FILEs may be globs, folders, or - for stdin; .jsonl and .ndjson are JSON Lines, .json is one
    message or an array of them, .yaml and .yml are YAML, each also with .gz or .zst behind it.
    Anything else is what it begins as. An array has to be all that its FILE holds.

    Exit status: 0 no error (or repaired), 1 findings of severity error (or not repairable), 2
    usage or unreadable input.

    \b
    Examples:
      partwire history session.jsonl messages.json archive/2026.jsonl.gz
      partwire history --repair session.jsonl > repaired.jsonl
    """
    sources = expand(files)
    config = reporting.config or load_config(Path())
    remember = None if all_ids else DEFAULT_REMEMBERED

    def options_of(source: Source) -> _Options:
        row = config.row_of(source.path)
        return _Options(ongoing, remember, contract_version(contract, config, row))

    if repair:
        if len(sources) != 1:
            raise _bad_argument("--repair takes one history", "one file", str(len(sources)))
        output_format = _printed_format(ctx, reporting)
        _repair(ctx, sources[0], _policy(policies), options_of(sources[0]), output_format)
    elif policies:
        raise _bad_argument("--policy is for --repair", "--repair", None)
    else:
        with reporting.open(contract_version(contract, config)) as report:
            _check(sources, options_of, report)
        if report.totals.errors and reporting.format == "text":
            tell_of_formats(sources)
        ctx.exit(report.status)


_REPAIR_FORMATS: Final = ("text", "json", "github")


class _Options(NamedTuple):
    """The options of :class:`HistoryChecker`, by its names."""

    ongoing: bool
    remember: int | None
    version: str


def _check(
    sources: list[Source], options_of: Callable[[Source], _Options], report: CommandReport
) -> None:
    for source in sources:
        try:
            _check_source(source, options_of(source), report)
        except PartwireError as error:
            # One unreadable file must not hide what is wrong with the others.
            report.cannot_read(error)


def _check_source(source: Source, options: _Options, report: CommandReport) -> None:
    checker = HistoryChecker(**options._asdict())
    report.begin_source(source.label)
    try:
        for document in source.documents():
            report.totals.documents += 1
            for finding in checker.add(document.data, document.line):
                report.add(finding._replace(source=source.label))
    except ReadError as error:  # it can be read, and is not what it should be
        for finding in error.findings:
            report.add(finding)
        return
    for finding in checker.close():
        report.add(finding._replace(source=source.label))


def _printed_format(ctx: click.Context, reporting: ReportOptions) -> str:
    """Return how repairs are reported, beside the repaired history; refuse options of reports."""
    for name in ("output_file", "baseline", "baseline_update", "statistics", "exit_zero"):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise _bad_argument("--repair makes no report", f"no {option}", option)
    if reporting.format in _REPAIR_FORMATS:
        return reporting.format
    if ctx.get_parameter_source("output_format") is not ParameterSource.COMMANDLINE:
        return "text"
    raise _bad_argument(
        "--repair tells its changes on stderr", ", ".join(_REPAIR_FORMATS), reporting.format
    )


def _policy(policies: tuple[str, ...]) -> dict[str, str]:
    policy = {}
    for each in policies:
        name, equals, action = each.partition("=")
        if not equals:
            raise _bad_argument("Not a policy", "DEFECT=ACTION", each)
        policy[name] = action
    return policy


def _repair(
    ctx: click.Context,
    source: Source,
    policy: dict[str, str],
    options: _Options,
    output_format: str,
) -> None:
    lines: list[int | None] = []
    messages: list[Any] = []
    try:
        with source.entries() as entries:
            for document in entries.documents():
                lines.append(document.line)
                messages.append(document.data)
    except ReadError as error:
        for finding in error.findings:
            render_finding(finding, output_format, err=True)
        ctx.exit(EXIT_FINDINGS)

    def place(pointer: str) -> dict[str, Any]:
        return {"source": source.label, "line": lines[int(pointer.split("/")[1])]}

    try:
        repaired, changes = repair_history(
            messages, policy, ongoing=options.ongoing, version=options.version
        )
    except UsageError:
        raise
    except PartwireError as error:
        for finding in error.findings:
            located = finding._replace(**place(finding.pointer))
            render_finding(located, output_format, err=True)
        if output_format == "text":
            tell_of_formats([source])
        ctx.exit(EXIT_FINDINGS)
    # A document, or an item of an array, may have line ends between its tokens.
    texts = [
        msgspec.json.format(text, indent=-1) if b"\n" in text else text.strip() for text in repaired
    ]
    if entries.is_array:
        emit_json(b"[" + b",".join(b"\n" + text for text in texts) + b"\n]" if texts else b"[]")
    else:
        for text in texts:
            emit_json(text)
    for change in changes:
        _show_change(change, place(change.pointer), output_format)


def _show_change(change: HistoryChange, place: dict[str, Any], output_format: str) -> None:
    """Print a change on stderr; as JSON with all that it took out."""
    if output_format == "json":
        wire = {**change.to_wire(), **{name: value for name, value in place.items() if value}}
        click.echo(printable(json.dumps(wire, ensure_ascii=False)).encode(), err=True)
    else:
        finding = Finding(change.rule, change.message, change.pointer, "info", **place)
        render_finding(finding, output_format, err=True)


def _bad_argument(message: str, expected: str, actual: str | None) -> UsageError:
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))
