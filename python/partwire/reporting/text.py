"""Findings for people: each with its place, like ones together, and no more than can be read."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from ..errors import Finding, counted
from .excerpt import excerpt, is_encodable
from .form import Form, Head, Totals
from .items import Item, Rows, Spot
from .words import one_line

__all__ = [
    "Text",
    "finding_sentence",
    "finding_text",
    "likeness",
    "statistics_text",
    "styled",
    "summary_text",
]

_COLOURS: Final = {"error": 31, "warning": 33, "info": 34}
_LISTED: Final = 8
"""So many places of findings that are like one that is shown."""
_DIGITS: Final = re.compile("[0-9]+")


def styled(text: str, severity: str, *, colour: bool) -> str:
    """Return ``text`` in the colour of a severity, if ``colour`` is wanted."""
    return f"\x1b[{_COLOURS[severity]}m{text}\x1b[0m" if colour else text


def finding_text(
    finding: Finding, rows: Rows = (), *, colour: bool = False, spot: Spot | None = None
) -> str:
    """Return a finding as people read it: a line, and one for each of its members."""
    line, column, _ = spot or Spot(finding.line)
    place = ":".join(str(part) for part in (finding.source, line, column) if part is not None)
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
    text = finding.sentence()
    if rows:
        text += f" ({'; '.join(f'{name}: {value}' for name, value in rows)})"
    return text


def summary_text(totals: Totals) -> str:
    """Return what a run has come to, in one line."""
    others = totals.findings - totals.errors
    good = "no errors" if totals.unreadable else "valid"
    found = counted(totals.errors, "error") if totals.errors else good
    if others:
        found += f", {counted(others, 'warning')}"
    if totals.ignored:
        found += f", {totals.ignored:,} ignored"
    if totals.accepted:
        found += f", {totals.accepted:,} accepted"
    if totals.unreadable:
        found += f", {counted(totals.unreadable, 'unreadable source')}"
    documents, sources = counted(totals.documents, "document"), counted(totals.sources, "source")
    return f"{documents} in {sources}: {found}"


def statistics_text(totals: Totals) -> str:
    """Return how many findings of each rule were reported, most first; "" where there are none."""
    rows = sorted(totals.statistics.items(), key=lambda row: (-row[1], row[0]))
    width = max((len(f"{count:,}") for _, count in rows), default=0)
    return "".join(f"{count:>{width},}  {rule}\n" for rule, count in rows)


class _Group:
    """Findings that are alike: the first, the places of some others, and how many there are."""

    def __init__(self, first: Item, *, is_shown: bool) -> None:
        self.first = first
        self.is_shown = is_shown
        self.others: list[Item] = []
        self.count = 0

    def add(self, item: Item) -> None:
        self.count += 1
        if len(self.others) < _LISTED:
            self.others.append(item)

    def more(self) -> str:
        """Return how many more there are, and where."""
        lines = dict.fromkeys(each.spot.line for each in self.others)
        lines.pop(self.first.spot.line, None)
        if lines and None not in lines:
            noun = "line" if len(lines) == 1 else "lines"
            places: Iterable[object] = lines
        else:
            noun, places = "at", (each.finding.pointer for each in self.others)
        told = one_line(", ".join(map(str, places)))
        rest = ", …" if self.count > len(self.others) else ""
        like = "this"
        if self.is_shown:  # long ago
            first = self.first.finding
            like = f"{f'line {first.line}' if first.line else first.pointer} [{first.rule}]"
        return f"  … and {self.count:,} more like {like}: {noun} {told}{rest}\n"


class Text(Form):
    """Findings as people read them, ``head.most`` of them.

    Like ones are reported once in a file, behind the first of them. Of what is not a file, such as
    stdin, findings are written as they come, and what repeats at the end.
    """

    encoded = False

    def __init__(self, write: Any, head: Head) -> None:
        super().__init__(write, head)
        self._groups: dict[Hashable, _Group] = {}
        self._shown = self._hidden = 0
        self._is_live = True

    def source(self, label: str) -> None:
        """Write what is known of the source before."""
        self._flush()
        self._is_live = not os.path.isfile(label)  # noqa: PTH113 - any text may be a label

    def item(self, item: Item) -> None:
        """Write the finding, or keep it until its source ends."""
        if not self.head.most:
            self._write(item)
            return
        key = (likeness(item.finding), item.rows, item.given)
        if key in self._groups:
            self._groups[key].add(item)
        elif self._shown == self.head.most:
            self._hidden += 1
        else:
            self._shown += 1
            self._groups[key] = _Group(item, is_shown=self._is_live)
            if self._is_live:
                self._write(item)

    def _write(self, item: Item) -> None:
        line, column, text = item.spot
        told = finding_text(item.finding, item.rows, colour=self.head.colour, spot=item.spot)
        if self.head.context and text is not None and line is not None and column is not None:
            shown = excerpt(text, line, column, self.head.width, self.head.encoding)
            told = "\n".join([told, *shown])
        self.write(f"{told}\n")

    def _flush(self) -> None:
        groups, self._groups = self._groups, {}
        for group in groups.values():
            if not group.is_shown:
                self._write(group.first)
            if group.count:
                self._say(group.more())

    def _say(self, text: str) -> None:
        self.write(text if is_encodable("…", self.head.encoding) else text.replace("…", "..."))

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write what is left; the summary goes to stderr."""
        self._flush()
        if self._hidden:
            more = counted(self._hidden, "more finding")
            self._say(f"… and {more}, not shown: --max-shown 0 shows all\n")

    def close(self) -> None:
        """Write what was found before the run broke off."""
        self._flush()


def likeness(finding: Finding) -> Hashable:
    """Return what like findings of one file share: all that is said of them but numbers, and the
    values that were found.
    """
    told = f"{finding.pointer}\n{finding.message}\n{finding.expected}"
    return finding.source, finding.rule, finding.severity, _DIGITS.sub("0", told)
