"""The documents of one source on their way to another version: counted, changed, reported."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import click
import msgspec

from ..documents import decode_json
from ..errors import Finding, PartwireError, ReadError, Severity, UsageError, printable
from ..framing.feeder import DEFAULT_LIMIT_BYTES
from ..losses import MAX_PER_CODE, Loss
from ..migrate import TextMigrator
from .inputs import unreadable
from .render import render_finding

__all__ = ["Converter", "Entries", "Reporter", "text_of_line"]

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")
_decode_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_indented: Final = re.compile(rb"\n( +)").search


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

    def line(self, raw: bytes, number: int) -> bytes:
        """Return a line with its line end, which stays; and so does what changes nothing."""
        text = text_of_line(raw, number)
        if not text and not _is_cut(raw):
            return raw
        if len(text) > DEFAULT_LIMIT_BYTES or _is_cut(raw):
            limit = f"at most {DEFAULT_LIMIT_BYTES} bytes"
            rule = "framing/line-too-long"
            self._refuse(ReadError(Finding(rule, "The line is too long", expected=limit)), number)
            return raw
        made = self._migrated(text, number, "")
        if made is text:
            return raw
        at = raw.index(text)
        return raw[:at] + made + raw[at + len(text) :]

    def whole(self, raw: bytes) -> bytes:
        """Return one document, or an array of documents, laid out as it was."""
        head = _BOM if raw.startswith(_BOM) else b""
        text = raw[len(head) :].strip(_BLANK)
        items = _items(text)
        if items is None:
            made = self._migrated(text, None, "")
        else:
            all_made = [self._migrated(item, None, f"/{n}") for n, item in enumerate(items)]
            same = all(made is item for made, item in zip(all_made, items, strict=True))
            made = text if same else b"[" + b",".join(all_made) + b"]"
        if made is text or self.bad:
            return raw
        if b"\n" in text:
            found = _indented(text)
            made = msgspec.json.format(made, indent=len(found[1]) if found else 2)
        at = raw.index(text)
        return raw[:at] + made + raw[at + len(text) :]

    def count(self, raw: bytes) -> int:
        """Return how many documents a whole text holds."""
        items = _items(raw.removeprefix(_BOM).strip(_BLANK))
        return 1 if items is None else len(items)

    def _migrated(self, text: bytes, line: int | None, pointer: str) -> bytes:
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
        self.changed += made is not text
        return made

    def _refuse(self, error: PartwireError, line: int | None, pointer: str = "") -> None:
        self.bad += 1
        for each in error.findings:
            place = f"{pointer}{each.pointer}"
            self._reporter.finding(each._replace(source=self.label, line=line, pointer=place))


class Entries:
    """What a source holds: ``lines`` tells lines from one whole document.

    Files named ``.jsonl`` or ``.ndjson`` are lines, ``.json`` is whole, anything else is lines if
    its first line alone is a JSON value. Raises UsageError ``usage/unreadable-input``.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._head: list[bytes] = []
        lower = name.lower()
        self.lines = lower.endswith(_LINE_SUFFIXES)
        if not self.lines and not lower.endswith(".json"):
            self.lines = self._sniff()

    def _sniff(self) -> bool:
        text = line = b""
        while not text and (line := self._readline()):
            self._head.append(line)
            text = text_of_line(line, len(self._head))
            if _is_cut(line):
                break
        try:
            decode_json(text)
        except PartwireError:
            return not line
        return True

    def raw_lines(self) -> Iterator[bytes]:
        """Yield the lines with their ends, from where the source stands.

        A line beyond the limit is cut off: its first piece, which is refused, stands for all of it.
        """
        while line := self._head.pop(0) if self._head else self._readline():
            yield line
            while _is_cut(line):
                line = self._readline()

    def raw_whole(self) -> bytes:
        """Return all bytes."""
        try:
            return b"".join((*self._head, self._file.read()))
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None

    def rewind(self, position: int) -> None:
        """Forget what was looked at: the source stands at ``position`` again."""
        self._head.clear()
        self._file.seek(position)

    def _readline(self) -> bytes:
        try:
            return self._file.readline(_piece_bytes())
        except OSError as error:
            raise unreadable(self._name, error.strerror or str(error)) from None


def _piece_bytes() -> int:
    """Return how much of a line is read at once: a document within the limit, and some blanks."""
    return DEFAULT_LIMIT_BYTES + 1024


def _is_cut(line: bytes) -> bool:
    """Return whether a line, as it was read, goes on."""
    return len(line) >= _piece_bytes() and not line.endswith(b"\n")


def text_of_line(raw: bytes, number: int) -> bytes:
    """Return the document of a line, empty if it has none; line 1 may begin with a BOM."""
    return (raw.removeprefix(_BOM) if number == 1 else raw).strip(_BLANK)


def _items(text: bytes) -> list[bytes] | None:
    """Return the texts of the items of an array; None for anything else."""
    if not text.startswith(b"["):
        return None
    try:
        decode_json(text)
        return [bytes(item) for item in _decode_items(text)]
    except (PartwireError, ValueError, RecursionError):  # whoever reads the document says why
        return None
