"""What the command line prints beside reports: single findings, errors, JSON, and exit statuses."""

from __future__ import annotations

import os
import shutil
import sys
from io import TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ...errors import Finding, PartwireError, UsageError
from ...reporting.github import github_annotation
from ...reporting.items import Spot
from ...reporting.json_form import json_text
from ...reporting.text import finding_text
from ...reporting.words import safe_text

if TYPE_CHECKING:
    from .options import CommandReport

__all__ = [
    "EXIT_FINDINGS",
    "EXIT_INTERRUPTED",
    "EXIT_USAGE",
    "colour_choice",
    "emit_json",
    "emit_problems",
    "has_colour",
    "is_terminal",
    "keep_problem",
    "prepare_streams",
    "register_report",
    "render_error",
    "render_finding",
    "report_of",
    "safe_text",
    "safe_words",
    "stdout_encoding",
    "terminal_width",
    "unwritable",
    "want_json",
    "wants_json",
]

EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_REPORT: Final = "partwire.report"
_JSON: Final = "partwire.json"
_WORDS: Final = ("message", "expected", "actual", "source")


def render_finding(
    finding: Finding,
    output_format: str = "text",
    *,
    err: bool = False,
    spot: Spot | None = None,
) -> None:
    """Print ``finding``: ``json`` is one object per line, ``github`` one annotation."""
    if output_format == "json":
        # JSON is UTF-8, whatever the terminal speaks.
        click.echo(json_text(finding.to_wire()).encode(), err=err)
    elif output_format == "github":
        click.echo(github_annotation(finding), err=err)
    else:
        click.echo(finding_text(finding, colour=has_colour(err=err), spot=spot), err=err)


def render_error(error: PartwireError, output_format: str = "text") -> None:
    """Print all findings of ``error`` on stderr."""
    for finding in error.findings:
        render_finding(finding, output_format, err=True)


def emit_json(data: bytes) -> None:
    """Print one line of JSON on stdout, byte for byte."""
    click.echo(data)


# --- colour -------------------------------------------------------------------------------------


def colour_choice() -> bool | None:
    """Return what the environment says of colour; None leaves it to the terminal.

    ``NO_COLOR`` and ``FORCE_COLOR`` count when they are not empty, the first before the other.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def has_colour(*, err: bool) -> bool:
    """Return whether stderr, or stdout, is to be coloured."""
    choice = colour_choice()
    return is_terminal(err=err) if choice is None else choice


def is_terminal(*, err: bool) -> bool:
    """Return whether stderr, or stdout, is a terminal."""
    try:
        return (sys.stderr if err else sys.stdout).isatty()
    except ValueError:  # closed
        return False


def terminal_width() -> int:
    """Return how many columns there are: COLUMNS, the terminal's own, or 80."""
    return shutil.get_terminal_size((80, 24)).columns


def stdout_encoding() -> str:
    """Return what stdout can show."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


# --- errors ---------------------------------------------------------------------------------------


def want_json(ctx: click.Context) -> None:
    """Have all problems of this run reported in one line of JSON."""
    ctx.meta[_JSON] = []


def wants_json(ctx: click.Context) -> bool:
    """Return whether the problems of this run are reported in JSON."""
    return _JSON in ctx.meta


def safe_words(text: str) -> str:
    """Return what is said of wrong usage without credentials: an address may have been given."""
    from ...model.credentials import without_keys  # noqa: PLC0415 - where something is wrong

    return without_keys(text)


def _without_credentials(finding: Finding) -> Finding:
    told: dict[str, Any] = {
        name: safe_words(value) for name, value in finding.to_wire().items() if name in _WORDS
    }
    return finding._replace(**told)


def keep_problem(error: PartwireError) -> None:
    """Say on stderr what is wrong; with ``--format json`` when the command has ended."""
    error = PartwireError(*map(_without_credentials, error.findings))
    ctx = click.get_current_context(silent=True)
    if ctx is not None and wants_json(ctx):
        ctx.meta[_JSON] += error.findings
    else:
        render_error(error)


def emit_problems(ctx: click.Context, status: int = EXIT_USAGE) -> None:
    """Print the problems that were kept, all in one line of JSON on stderr, with the status."""
    if ctx.meta.get(_JSON):
        findings = [finding.to_wire() for finding in ctx.meta[_JSON]]
        line = json_text({"status": status, "findings": findings})
        click.echo(line.encode(), err=True)
        ctx.meta[_JSON] = []


def register_report(ctx: click.Context, report: CommandReport) -> None:
    """Remember the report of the command that runs, for who catches what interrupts it."""
    ctx.meta[_REPORT] = report


def report_of(ctx: click.Context) -> CommandReport | None:
    """Return the report of the command that has run under ``ctx``, if it makes one."""
    report: CommandReport | None = ctx.meta.get(_REPORT)
    return report


def unwritable(error: OSError) -> UsageError:
    """Return the error that says that the output cannot be written."""
    is_closed = isinstance(error, UnsupportedOperation)  # see prepare_streams
    why = "stdout is closed" if is_closed else error.strerror or str(error)
    name = "<stdout>" if error.filename is None else os.fsdecode(error.filename)
    finding = Finding("usage/unwritable-output", f"Cannot be written: {why}", source=name)
    expected = "an output that is open, and has space for all of it"
    return UsageError(finding._replace(expected=expected, actual=name))


def prepare_streams() -> None:
    """Make stdout and stderr take whatever is to be said.

    A character that their encoding lacks is spelled out. A closed stderr takes all, and a closed
    stdout refuses all: a result that reaches nobody is not a success.
    """
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.writable():
            stream.reconfigure(errors="backslashreplace")
