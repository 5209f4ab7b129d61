"""Findings on their way out: text for people, JSON for programs, annotations for GitHub."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

import click

from ..errors import Finding, PartwireError, UsageError, printable

__all__ = [
    "EXIT_FINDINGS",
    "EXIT_INTERRUPTED",
    "EXIT_USAGE",
    "FORMATS",
    "Report",
    "emit_json",
    "prepare_streams",
    "render_error",
    "render_finding",
    "report_of",
    "safe_text",
    "unwritable",
]

EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def _as_text(finding: Finding) -> str:
    place = ":".join(str(part) for part in (finding.source, finding.line) if part is not None)
    head = f"{_one_line(place)}: " if place else ""
    rule = click.style(f"[{finding.rule}]", fg=_COLOURS[finding.severity])
    lines = [f"{head}{_one_line(finding.message)} {rule}"]
    rows = (
        ("at", finding.pointer),
        ("expected", finding.expected),
        ("actual", finding.actual),
    )
    lines += [f"  {name:<9} {_one_line(value)}" for name, value in rows if value]
    return "\n".join(lines)


def _as_json(finding: Finding) -> str:
    return printable(json.dumps(finding.to_wire(), ensure_ascii=False))


_GITHUB_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def _as_github(finding: Finding) -> str:
    """Write one workflow command; its escapes are those of GitHub's own toolkit."""
    fields = [("file", finding.source), ("line", finding.line), ("title", finding.rule)]
    head = ",".join(
        f"{name}={_escape(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in fields
        if value is not None
    )
    text = finding.message
    if finding.pointer:
        text += f" at {finding.pointer}"
    if finding.expected:
        text += f"; expected {finding.expected}"
    if finding.actual:
        text += f"; actual {finding.actual}"
    return f"::{_GITHUB_LEVELS[finding.severity]} {head}::{_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def safe_text(text: str) -> str:
    """Spell out control characters: what a document holds must not steer the terminal."""
    return _CONTROLS.sub(lambda match: repr(match[0])[1:-1], text)


def _one_line(text: str) -> str:
    return safe_text(text).replace("\n", "\\n").replace("\t", "\\t")


FORMATS: dict[str, Callable[[Finding], str]] = {
    "text": _as_text,
    "json": _as_json,
    "github": _as_github,
}


def render_finding(finding: Finding, output_format: str = "text", *, err: bool = False) -> None:
    """Print ``finding``: ``json`` is one object per line, ``github`` one annotation."""
    text = FORMATS[output_format](finding)
    # JSON is UTF-8, whatever the terminal speaks.
    click.echo(text.encode() if output_format == "json" else text, err=err)


def render_error(error: PartwireError, output_format: str = "text") -> None:
    """Print all findings of ``error`` on stderr."""
    for finding in error.findings:
        render_finding(finding, output_format, err=True)


def emit_json(data: bytes) -> None:
    """Print one line of JSON on stdout, byte for byte."""
    click.echo(data)


def prepare_streams() -> None:
    """Make stdout and stderr take whatever is to be said.

    A character that their encoding lacks is spelled out. A closed stderr takes all, and a closed
    stdout refuses all: a result that reaches nobody is no success.
    """
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.writable():
            stream.reconfigure(errors="backslashreplace")


def unwritable(error: OSError) -> UsageError:
    """Return the error that says that the output cannot be written."""
    why = error.strerror or str(error)
    return UsageError(Finding("usage/unwritable-output", f"Cannot be written: {why}"))


_REPORT = "partwire.report"


def report_of(ctx: click.Context) -> Report | None:
    """Return the report of the command that has run under ``ctx``, if it makes one."""
    report: Report | None = ctx.meta.get(_REPORT)
    return report


class Report:
    """Findings of one run, printed as they come: a million lines need no memory.

    ``json`` is one document: ``findings``, and the counts ``sources``, ``documents``, ``errors``
    and ``unreadable``.
    """

    def __init__(self, output_format: str) -> None:
        self.format = output_format
        self.sources = self.documents = self.errors = self.unreadable = self._printed = 0
        if (ctx := click.get_current_context(silent=True)) is not None:
            ctx.meta[_REPORT] = self

    def add(self, finding: Finding) -> None:
        """Print ``finding`` and count it."""
        self.errors += finding.severity == "error"
        if self.format == "json":
            head = '{"findings": [\n ' if not self._printed else ",\n "
            click.echo((head + _as_json(finding)).encode(), nl=False)
        else:
            render_finding(finding, self.format)
        self._printed += 1

    def end(self) -> None:
        """Print what comes after the last finding: the rest of the document, or a summary."""
        if self.format == "json":
            counts = {
                name: getattr(self, name)
                for name in ("sources", "documents", "errors", "unreadable")
            }
            head = '{"findings": [' if not self._printed else "\n"
            click.echo(f"{head}], {json.dumps(counts)[1:]}")
        elif self.format == "text":
            others = self._printed - self.errors
            good = "no errors" if self.unreadable else "valid"
            found = _count(self.errors, "error") if self.errors else good
            if others:
                found += f", {_count(others, 'warning')}"
            if self.unreadable:
                found += f", {_count(self.unreadable, 'unreadable source')}"
            read = f"{_count(self.documents, 'document')} in {_count(self.sources, 'source')}"
            click.echo(f"{read}: {found}", err=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
