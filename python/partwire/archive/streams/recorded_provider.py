"""The message of a provider's stream, and from which line on it could not be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...contract.current.message import MessageDelta
from ...errors import Finding, StreamProtocolError
from ...message import MessageAssembler
from ...providers import ByteAdapter, ProviderAdapter
from ...reading.pipeline import dump
from .file_lines import FileLines, SeenLine

__all__ = ["StreamTaken", "take_stream"]


class StreamTaken(NamedTuple):
    """What has come of a stream."""

    message: bytes | None
    """As JSON text, marked as incomplete if it was cut or has failed; None for none at all."""
    is_nothing: bool
    """Whether it has no parts, though the provider has not said that it failed."""
    wrong: tuple[SeenLine, Finding] | None
    """The first line that is not in the message, with those behind it, and why."""
    warned: set[str]
    """The rules by which something that was read is odd."""


def take_stream(
    chunks: Iterable[bytes], lines: FileLines, adapter: ProviderAdapter, most_bytes: int
) -> StreamTaken:
    """Read a stream to its end; ``most_bytes`` is how long an event may be."""
    stream = _Stream(lines, adapter, most_bytes)
    for chunk in chunks:
        for piece in lines.pieces(chunk):
            stream.feed(piece)
    return stream.end()


class _Stream:
    def __init__(self, lines: FileLines, adapter: ProviderAdapter, most_bytes: int) -> None:
        self._lines = lines
        self._adapter = adapter
        self._reader = ByteAdapter(adapter, max_event_bytes=most_bytes)
        self._assembler = MessageAssembler()
        self._wrong: tuple[SeenLine, Finding] | None = None
        self._warned: set[str] = set()

    def feed(self, piece: bytes) -> None:
        """Take a line, or a part of one."""
        if self._wrong is None:  # else it is counted alone
            self._take(self._reader.feed(piece))

    def end(self) -> StreamTaken:
        """Return what has come of it."""
        if self._wrong is None:
            self._take(self._reader.close())
        assembler = self._assembler
        if assembler.status == "idle":
            return StreamTaken(None, True, self._wrong, self._warned)
        if assembler.status == "done":
            message = assembler.build_final_message()
        else:
            message = assembler.build_partial(
                "truncated" if assembler.status == "started" else None
            )
        is_nothing = (
            assembler.status == "error" and not message.parts and self._adapter.error is None
        )
        return StreamTaken(dump(message), is_nothing, self._wrong, self._warned)

    def _take(self, deltas: list[MessageDelta]) -> None:
        try:
            for delta in deltas:
                self._assembler.consume(delta)
        except StreamProtocolError as error:
            self._wrong = self._lines.here, error.findings[0]
            return
        findings = self._adapter.findings
        if findings:
            self._note(list(findings))
            findings.clear()  # the log is bounded, and none may be missed

    def _note(self, findings: list[Finding]) -> None:
        # A stream that ends by what was found, and not by what the provider has said, ends in
        # what cannot be read; and what comes behind an end is in no message.
        has_failed = self._assembler.status == "error" and self._adapter.error is None
        for finding in findings:
            if has_failed or finding.rule == "adapter/after-end":
                if self._wrong is None:
                    self._wrong = self._lines.here, finding
            elif finding.severity != "info":
                self._warned.add(finding.rule)
