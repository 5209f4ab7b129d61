"""Findings for people, and as annotations for GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..errors import Finding
from .form import Form, Totals
from .items import Item, Rows
from .words import one_line, safe_text

__all__ = [
    "GitHub",
    "Text",
    "finding_sentence",
    "finding_text",
    "github_annotation",
    "statistics_text",
    "styled",
    "summary_text",
]

_COLOURS: Final = {"error": 31, "warning": 33, "info": 34}
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def styled(text: str, severity: str, *, colour: bool) -> str:
    """Return ``text`` in the colour of a severity, if ``colour`` is wanted."""
    return f"\x1b[{_COLOURS[severity]}m{text}\x1b[0m" if colour else text


def finding_text(finding: Finding, rows: Rows = (), *, colour: bool = False) -> str:
    """Return a finding as people read it: a line, and one for each of its members."""
    place = ":".join(str(part) for part in (finding.source, finding.line) if part is not None)
    # A file may be named like a workflow command, which GitHub takes from any line's beginning.
    place = f"./{place}" if place.lstrip().startswith("::") else place
    head = f"{one_line(place)}: " if place else ""
    rule = styled(f"[{finding.rule}]", finding.severity, colour=colour)
    lines = [f"{head}{one_line(finding.message)} {rule}"]
    members = (
        ("at", finding.pointer),
        ("expected", finding.expected),
        ("actual", finding.actual),
    )
    lines += [f"  {name:<9} {one_line(value)}" for name, value in members if value]
    lines += [f"  {name:<9} {one_line(value)}" for name, value in rows]
    return "\n".join(lines)


def finding_sentence(finding: Finding, rows: Rows = ()) -> str:
    """Return all that a finding says, but its place among the files, in one go."""
    text = finding.message
    if finding.pointer:
        text += f" at {finding.pointer}"
    if finding.expected:
        text += f"; expected {finding.expected}"
    if finding.actual:
        text += f"; actual {finding.actual}"
    if rows:
        text += f" ({'; '.join(f'{name}: {value}' for name, value in rows)})"
    return text


def github_annotation(finding: Finding, rows: Rows = ()) -> str:
    """Return one workflow command; its escapes are those of GitHub's own toolkit."""
    fields = [("file", finding.source), ("line", finding.line), ("title", finding.rule)]
    head = ",".join(
        f"{name}={_escape(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in fields
        if value is not None
    )
    return f"::{_LEVELS[finding.severity]} {head}::{_escape(finding_sentence(finding, rows))}"


def _escape(text: str) -> str:
    for sign, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, escape)
    return safe_text(text)


def summary_text(totals: Totals) -> str:
    """Return what a run has come to, in one line."""
    others = totals.findings - totals.errors
    good = "no errors" if totals.unreadable else "valid"
    found = _count(totals.errors, "error") if totals.errors else good
    if others:
        found += f", {_count(others, 'warning')}"
    if totals.ignored:
        found += f", {totals.ignored:,} ignored"
    if totals.accepted:
        found += f", {totals.accepted:,} accepted"
    if totals.unreadable:
        found += f", {_count(totals.unreadable, 'unreadable source')}"
    return f"{_count(totals.documents, 'document')} in {_count(totals.sources, 'source')}: {found}"


def statistics_text(totals: Totals) -> str:
    """Return how many findings of each rule were reported, most first; "" where there are none."""
    rows = sorted(totals.statistics.items(), key=lambda row: (-row[1], row[0]))
    width = max((len(f"{count:,}") for _, count in rows), default=0)
    return "".join(f"{count:>{width},}  {rule}\n" for rule, count in rows)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class Text(Form):
    """One finding after the other, as people read them."""

    encoded = False
    places_findings = False

    def item(self, item: Item) -> None:
        """Write the finding."""
        self.write(finding_text(item.finding, item.rows, colour=self.head.colour) + "\n")

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write nothing: the summary goes to stderr."""


class GitHub(Form):
    """One annotation per finding; GitHub shows the first ten of each level and step."""

    encoded = False

    def item(self, item: Item) -> None:
        """Write the annotation, placed by the path in the repository."""
        place = self.head.in_checkout(item.place)
        finding = item.finding._replace(source=place or item.finding.source, line=item.line)
        self.write(github_annotation(finding, item.rows) + "\n")

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write nothing."""
