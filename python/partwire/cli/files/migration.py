"""The documents of one source on their way to another version: counted, changed, reported."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from ...convert import MIGRATION_LOSSES, TextMigrator
from ...convert.lost import LostValue, lost_values
from ...errors import (
    Finding,
    FramingError,
    PartwireError,
    ReadError,
    Severity,
    UsageError,
    printable,
)
from ...files.documents import Entries, Piece
from ...losses import MAX_PER_CODE, Loss
from ..report.render import render_finding

__all__ = ["Converter", "Reporter", "lost_rows"]


# --- what is left out -----------------------------------------------------------------------------


def lost_rows(piece: Piece, losses: Sequence[Loss]) -> bytes:
    """Return a line of JSON for each place from which something is lost, with all that is there.

    ``line`` is that of the document, where the file is lines; ``pointer`` leads from there, or
    through the whole file. A document of which not every loss is known is there as a whole.
    """
    return b"".join(_row(piece, lost) for lost in lost_values(piece.text, losses))


def _row(piece: Piece, lost: LostValue) -> bytes:
    row: dict[str, Any] = {} if piece.line is None else {"line": piece.line}
    row |= {**lost.to_wire(), "pointer": f"{piece.pointer}{lost.pointer}"}
    return msgspec.json.encode(row) + b"\n"


# --- the migration --------------------------------------------------------------------------------

_indented: Final = re.compile(rb"(\r?\n)([ \t]+)").search
_line_begins: Final = re.compile(rb"\n( *)").sub


class Reporter:
    """Prints findings and losses as they come; of one code and source the first 100 losses."""

    def __init__(self, output_format: str, *, err: bool) -> None:
        self.format = output_format
        self.err = err

    def finding(self, finding: Finding) -> None:
        """Print a finding."""
        render_finding(finding, self.format, err=self.err)

    def loss(self, loss: Loss, label: str, line: int | None) -> None:
        """Print a loss, with its place."""
        if self.format == "json":
            place = {"source": label} if line is None else {"source": label, "line": line}
            self.json({**loss.to_wire(), **place})
            return
        severity: Severity = "info" if loss.severity == "info" else "warning"
        self.finding(
            Finding(loss.code, loss.detail, loss.pointer, severity, source=label, line=line)
        )

    def json(self, value: Any) -> None:
        """Print one line of JSON."""
        click.echo(printable(json.dumps(value, ensure_ascii=False)).encode(), err=self.err)


class Converter:
    """Takes the texts of one source to the version of ``migrator``, and keeps count."""

    def __init__(self, migrator: TextMigrator, reporter: Reporter, label: str) -> None:
        self.label = label
        self.documents = self.changed = self.bad = 0
        self.losses: Counter[str] = Counter()
        self.keep_lost: Callable[[bytes], None] | None = None
        """Takes the lines that say what is lost, as they come."""
        self.was_bad = False
        """Whether the last piece could not be migrated."""
        self.is_ready = self.is_written = self.is_refused = False
        self.state: tuple[int, ...] | None = None
        """What the system says of the file, before it is read."""
        self.kept: Path | None = None
        """The file that keeps what is lost."""
        self._migrator = migrator
        self._reporter = reporter

    def tally(self) -> dict[str, Any]:
        """Return the counts, as the journal keeps them."""
        return {
            "documents": self.documents,
            "changed": self.changed,
            "losses": dict(sorted(self.losses.items())),
        }

    def go_on(self, tally: dict[str, Any]) -> None:
        """Take over the counts of an earlier run."""
        self.documents, self.changed = tally["documents"], tally["changed"]
        self.losses = Counter(tally["losses"])

    def pieces(self, entries: Entries) -> Iterator[tuple[Piece, bytes]]:
        """Yield each piece and what it becomes; what cannot be migrated is reported, and stays."""
        try:
            for piece in entries.pieces():
                bad = self.bad
                made = self._made(piece)
                self.was_bad = self.bad > bad
                yield piece, made
        except (FramingError, ReadError) as error:
            self._refuse(error, None)

    def _made(self, piece: Piece) -> bytes:
        if piece.fault is not None:
            self.documents += piece.line is None
            self._refuse(piece.fault, piece.line)
            return piece.raw
        if not piece.text:
            return piece.raw
        made = self._migrated(piece)
        if made is piece.text:
            return piece.raw
        if piece.line is None:
            made = _laid_out(made, piece)
        return piece.raw[: piece.at] + made + piece.raw[piece.at + len(piece.text) :]

    def lossy(self) -> dict[str, int]:
        """Return how often each code was seen that says that something is lost."""
        seen = sorted(self.losses.items())
        return {code: count for code, count in seen if MIGRATION_LOSSES[code][0] == "lossy"}

    def _migrated(self, piece: Piece) -> bytes:
        text, line, pointer = piece.text, piece.line, piece.pointer
        self.documents += 1
        try:
            made, losses = self._migrator.run(text)
        except UsageError:
            raise
        except PartwireError as error:
            self._refuse(error, line, pointer)
            return text
        for loss in losses:
            self.losses[loss.code] += 1
            if self.losses[loss.code] <= MAX_PER_CODE:
                told = loss._replace(pointer=f"{pointer}{loss.pointer}")
                self._reporter.loss(told, self.label, line)
        if self.keep_lost is not None and (rows := lost_rows(piece, losses)):
            self.keep_lost(rows)
        self.changed += made is not text
        return made

    def _refuse(self, error: PartwireError, line: int | None, pointer: str = "") -> None:
        self.bad += 1
        for each in error.findings:
            place = f"{pointer}{each.pointer}"
            line = each.line if line is None else line
            expected = each.expected
            if each.rule == "migrate/invalid-record" and not each.pointer:
                expected = f"{expected} (of a stored record); bare documents need --type and --from"
            self._reporter.finding(
                each._replace(source=self.label, line=line, pointer=place, expected=expected)
            )


def _laid_out(made: bytes, piece: Piece) -> bytes:
    """Return a document that takes the place of the piece's, in the layout that that had."""
    if b"\n" not in piece.text:
        return made
    lead = piece.raw[: piece.at].rpartition(b"\n")[2]
    base = lead if lead.isspace() else b""
    found = _indented(piece.text)
    step = (found[2].removeprefix(base) if found else b"") or b"  "
    end = found[1] if found else b"\n"
    return _line_begins(
        lambda begin: end + base + step * len(begin[1]), msgspec.json.format(made, indent=1)
    )
