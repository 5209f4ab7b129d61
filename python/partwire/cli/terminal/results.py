"""What commands on streams and documents print: for people on a terminal, else lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click

from ...errors import Finding, PartwireError
from ...json.text import decode_json, json_text
from ...reporting.cells import wrapped
from ...reporting.text import spot_lines, styled
from ..report.render import emit_json, is_terminal, render_finding, stdout_encoding
from .deltas import delta_line
from .follow import Follower
from .layout import Layout, layout_of
from .messages import message_lines

__all__ = ["Results", "results_option"]


results_option: Final = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    help="For people, or a line of JSON for each.  [default: text on a terminal, else json]",
)


class Results:
    """Writes results to stdout, findings and losses to stderr. ``output_format`` is what was asked
    for: ``text`` is for people, None for people where a terminal is, anything else is JSON.
    ``shows``: what goes to stdout is for people in any case.
    """

    def __init__(self, output_format: str | None = None, *, shows: bool = False) -> None:
        self.for_people, self.finds_for_people = (
            is_terminal(err=err) if output_format is None else output_format == "text"
            for err in (False, True)
        )
        self.for_people = self.for_people or shows
        self.above: Callable[[str], None] | None = None
        """Writes above what is drawn on stderr, while anything is."""
        self._layout: Layout | None = None
        self._printed = 0
        self._start: str | None = None

    @property
    def layout(self) -> Layout:
        """How to write to stdout."""
        if self._layout is None:
            self._layout = layout_of(err=False)
        return self._layout

    # --- stdout -----------------------------------------------------------------------------------

    def message(self, data: bytes) -> None:
        """Print a message, given as JSON."""
        if self.for_people:
            self._paragraph(message_lines(decode_json(data), self.layout))
        else:
            emit_json(data)

    def delta(self, data: bytes) -> None:
        """Print a delta, or a whole message among deltas, given as JSON."""
        if not self.for_people:
            emit_json(data)
            return
        value = decode_json(data)
        if "parts" in value:
            self._paragraph(message_lines(value, self.layout))
            return
        self._start = self._start or value.get("timestamp")
        click.echo(delta_line(value, self._start, self.layout), color=True)
        self._printed = 0

    def document(self, data: bytes, *, is_message: bool) -> None:
        """Print what a conversion has made, given as JSON."""
        if not self.for_people:
            emit_json(data)
        elif is_message and "parts" in decode_json(data):
            self.message(data)
        else:
            text = json.dumps(decode_json(data), ensure_ascii=False, indent=2)
            wide = self.layout._replace(width=1 << 30)
            self._paragraph(wide.clipped(line) for line in text.split("\n"))

    def _paragraph(self, lines: Iterable[str]) -> None:
        if self._printed:
            click.echo()
        for line in lines:
            click.echo(line, color=True)
        self._printed += 1

    @contextmanager
    def drawn_over(self, follower: Follower) -> Iterator[None]:
        """Write findings above what a follower draws, while it does."""
        self.above = follower.say if follower.is_drawn else None
        try:
            yield
        finally:
            self.above = None

    # --- stderr -----------------------------------------------------------------------------------

    def finding(self, finding: Finding) -> None:
        """Print a finding; for people with its line, where the file is there to be read again."""
        if self.above is not None:
            self.above(f"{finding.sentence()} [{finding.rule}]")
            return
        if not self.finds_for_people:
            render_finding(finding, "json", err=True)
            return
        from ..report.locator import Locator  # noqa: PLC0415 - only findings need it

        spot = Locator().locate(finding) if finding.source is not None and finding.line else None
        render_finding(finding, err=True, spot=spot)
        if spot is not None:
            for line in spot_lines(spot, layout_of(err=True).width, stdout_encoding()):
                click.echo(line, err=True)

    def error(self, error: PartwireError) -> None:
        """Print the findings of an error."""
        for finding in error.findings:
            self.finding(finding)

    def losses(self, losses: Sequence[Mapping[str, Any]]) -> None:
        """Print what was lost: a line of JSON for each, or for people a table, by code."""
        if not self.finds_for_people:
            for told in losses:
                click.echo(json_text(told), err=True)
        elif losses:
            for line in _loss_lines(losses, layout_of(err=True)):
                click.echo(line, err=True, color=True)


def _loss_lines(losses: Sequence[Mapping[str, Any]], layout: Layout) -> Iterator[str]:
    """Yield a table of losses, most first: how many have a code and severity, and what it says."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in losses:
        groups.setdefault((str(each.get("code")), str(each.get("severity"))), []).append(each)
    rows = sorted(groups.items(), key=lambda row: (-len(row[1]), row[0]))
    wide = max(len("count"), *(len(f"{len(each):,}") for _, each in rows))
    name_wide = max(len(code) for (code, _), _ in rows)
    number = len(losses)
    yield layout.clipped(f"{number:,} {'loss' if number == 1 else 'losses'}:", "head")
    head = f"{'count':>{wide}}  severity  {'code':<{name_wide}}  first at"
    yield layout.clipped(head, "dim")
    for (code, severity), found in rows:
        place = _place(found[0])
        line = layout.clipped(f"{len(found):>{wide},}  {severity:<8}  {code:<{name_wide}}  {place}")
        colour = "info" if severity == "info" else "warning"
        yield line.replace(severity, styled(severity, colour, colour=layout.colour), 1)
        for _, shown in wrapped(str(found[0].get("detail") or ""), layout.room, layout.encoding):
            yield layout.styled(f"{'':>{wide}}  {shown}", "dim")
    yield layout.clipped(f"partwire explain {rows[0][0][0]} says what that means", "dim")


def _place(loss: Mapping[str, Any]) -> str:
    """Return where the first loss of a code is."""
    of = f" of the {loss['of']}" if loss.get("of") else ""
    line = f", line {loss['line']}" if loss.get("line") else ""
    source = f"{loss['source']} " if loss.get("source") else ""
    return f"{source}{loss.get('pointer') or '/'}{of}{line}"
