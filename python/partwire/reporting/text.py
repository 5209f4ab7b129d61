"""Findings for people: each with its place, like ones together, and no more than can be read."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from ..errors import Finding, counted
from .cells import is_encodable
from .excerpt import excerpt
from .form import Form, Head, Totals
from .items import Item, Rows, Spot
from .words import one_line

__all__ = [
    "Text",
    "finding_sentence",
    "finding_text",
    "likeness",
    "spot_lines",
    "statistics_text",
    "styled",
    "summary_text",
]

_COLOURS: Final = {"error": 31, "warning": 33, "info": 34}
_LISTED: Final = 8
"""So many places of findings that are like one that is shown."""
_FILES: Final = 3
"""So many files show findings of one kind; those of others are counted."""
_NAMES: Final = 8
"""So many kinds of one file differ in their pointers alone; others count as one more."""
_NUMBERED: Final = re.compile(r"(?<![\w-])[A-Za-z_-]*[0-9][\w-]*", re.ASCII)
"""A number, or an id: a word with a digit in it."""


def styled(text: str, severity: str, *, colour: bool) -> str:
    """Return ``text`` in the colour of a severity, if ``colour`` is wanted."""
    return f"\x1b[{_COLOURS[severity]}m{text}\x1b[0m" if colour else text


def finding_text(
    finding: Finding, rows: Rows = (), *, colour: bool = False, spot: Spot | None = None
) -> str:
    """Return a finding as people read it: a line, and one for each of its members."""
    line, column = (spot or Spot(finding.line))[:2]
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
        self._line = first.spot.line

    def add(self, item: Item) -> None:
        self.count += 1
        if len(self.others) < _LISTED:
            self.others.append(item)
            _ = item.spot  # looked for now: places of a file are found in order, once through it

    def more(self, remark: str | None) -> str:
        """Return how many more there are, where, and what is to be said of so many."""
        lines = dict.fromkeys(each.spot.line for each in self.others)
        lines.pop(self._line, None)
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
        if remark:
            return f"  … and {self.count:,} more like {like}, {noun} {told}{rest}: {remark}\n"
        return f"  … and {self.count:,} more like {like}: {noun} {told}{rest}\n"


class _Kind:
    """Findings that are alike in several files: which files show them, and what others have."""

    def __init__(self, first: Finding) -> None:
        self.first = first
        self._shown = {first.source}
        self.count = self._files = 0
        self._other: str | None = None
        self._last: str | None = None

    def is_shown_in(self, source: str | None) -> bool:
        """Return whether findings of a file are shown."""
        if len(self._shown) < _FILES:
            self._shown.add(source)
        return source in self._shown

    def add(self, source: str | None) -> None:
        """Count a finding of another file; files come one after the other."""
        self.count += 1
        if source != self._last:
            self._files, self._last = self._files + 1, source
            self._other = self._other or source

    def more(self, remark: str | None) -> str:
        """Return how many more there are in other files, and what is to be said of so many."""
        finding = self.first
        files = f"{counted(self._files, 'file')}, such as {one_line(self._other or '')}"
        place = f" at {finding.pointer}" if finding.pointer else ""
        told = f"{one_line(finding.message + place)} [{finding.rule}]"
        ending = f": {remark}" if remark else ""
        return f"… and {self.count:,} more in {files}: {told}{ending}\n"


class Text(Form):
    """Findings as people read them, ``head.most`` of them.

    Like ones are reported once in a file, behind the first of them, and in the first files that
    have them; how many there are in others stands at the end. Of what is not a file, such as stdin,
    findings are written as they come, and what repeats at the end.
    """

    encoded = False

    def __init__(self, write: Any, head: Head) -> None:
        super().__init__(write, head)
        self._groups: dict[Hashable, _Group] = {}
        self._kinds: dict[Hashable, _Kind] = {}
        self._names: Counter[Hashable] = Counter()
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
        key = self._key(item)
        if key in self._groups:
            self._groups[key].add(item)
            return
        kind = None if self._is_live else self._kinds.get(key)
        if kind is not None and not kind.is_shown_in(item.finding.source):
            kind.add(item.finding.source)
        elif self._shown == self.head.most:
            self._hidden += 1
        else:
            self._shown += 1
            self._groups[key] = _Group(item, is_shown=self._is_live)
            if self._is_live:
                self._write(item)
            elif kind is None:
                self._kinds[key] = _Kind(item.finding)

    def _key(self, item: Item) -> Hashable:
        """Return what like findings have in common; where names of members are like data, many
        kinds differ in their pointers alone, and are one.
        """
        finding = item.finding
        rest = (item.rows, item.given, finding.source if self._is_live else None)
        key = (likeness(finding), rest)
        if key in self._groups or key in self._kinds:
            return key
        wide = (likeness(finding._replace(pointer="")), rest, "any pointer")
        if self._names[wide] == _NAMES:
            return wide
        self._names[wide] += 1
        return key

    def _write(self, item: Item) -> None:
        head = self.head
        told = finding_text(item.finding, item.rows, colour=head.colour, spot=item.spot)
        shown = spot_lines(item.spot, head.width, head.encoding) if head.context else []
        self.write("\n".join([told, *shown]) + "\n")

    def _flush(self) -> None:
        groups, self._groups = self._groups, {}
        for group in groups.values():
            if not group.is_shown:
                self._write(group.first)
            if group.count:
                self._say(group.more(self.remark(group.first.finding)))
        self._names.clear()

    def _say(self, text: str) -> None:
        self.write(text if is_encodable("…", self.head.encoding) else text.replace("…", "..."))

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write what is left; the summary goes to stderr."""
        self._flush()
        for kind in self._kinds.values():
            if kind.count:
                self._say(kind.more(self.remark(kind.first, on_all=True)))
        if self._hidden:
            more = counted(self._hidden, "more finding")
            self._say(f"… and {more}, not shown: --max-shown 0 shows all\n")

    def close(self) -> None:
        """Write what was found before the run broke off."""
        self._flush()


def spot_lines(spot: Spot, width: int, encoding: str) -> list[str]:
    """Return the line of a place, and a caret below it; nothing where the place is not known."""
    if spot.text is None or spot.line is None or spot.column is None:
        return []
    return excerpt(spot.text, spot.line, spot.column, width, encoding, missing=spot.missing)


def likeness(finding: Finding) -> Hashable:
    """Return what like findings share: all that is said of them but their file, numbers, ids, and
    the values that were found.
    """
    rule, message, pointer, severity, expected, *_ = finding
    return rule, severity, _unnumbered(f"{pointer}\n{message}\n{expected}")


@lru_cache(maxsize=4096)
def _unnumbered(text: str) -> str:
    return _NUMBERED.sub("0", text)
