"""One stream on its way to a message: bytes in, deltas into the assembler."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from ..errors import Finding, PartwireError
from ..framing import JSONLinesDecoder, RawLine
from ..message import MessageAssembler
from ..message.delta_lines import read_delta_line
from ..providers import ByteAdapter, Framing, open_adapter
from ..reading import Binding, Mode, dump, read

__all__ = ["FRAMINGS", "Assembly"]

FRAMINGS: Final[dict[str, Framing]] = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "text/event-stream": "sse",
    "application/vnd.amazon.eventstream": "eventstream",
}
"""Content type → how a stream is cut into events."""

_DELTA: Final = "message.MessageDelta"


def now() -> str:
    """Return the present instant as the contract writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Assembly:
    """Feeds one assembler from the bytes of a body, deltas or a provider's own stream.

    Every step is a generator that yields after each delta how many bytes it took, more or less, so
    that the caller may look at the message in between. Raises PartwireError for what is refused;
    of deltas it names the line.
    """

    def __init__(self, dialect: str | None, mode: Mode, run_id: str | None) -> None:
        self.assembler = MessageAssembler(run_id if dialect is None else None)
        self._mode: Mode = mode
        self._dialect = dialect
        self._run_id = run_id or "run"
        self._reader: ByteAdapter | None = None
        self._lines: JSONLinesDecoder | None = None

    def open(self, framing: Framing, max_event_bytes: int) -> None:
        """Say how the body is cut; raises UsageError for a run that no message can have."""
        if self._dialect is None:
            self._lines = JSONLinesDecoder(max_event_bytes)
            return
        adapter = open_adapter(self._dialect, self._run_id, clock=now)
        self._reader = ByteAdapter(adapter, framing, max_event_bytes)

    @property
    def findings(self) -> list[Finding]:
        """What did not fit and stopped nothing."""
        adapter = [] if self._reader is None else self._reader.adapter.findings
        return [*adapter, *self.assembler.findings]

    def feed(self, piece: bytes) -> Iterator[int]:
        """Take a piece of the body."""
        if self._reader is not None:
            return self._consume(self._reader.feed(piece), len(piece))
        assert self._lines is not None
        return self._consume_lines(self._lines.feed(piece))

    def close(self) -> Iterator[int]:
        """Say that the body has ended; raises ``stream/truncated`` where the stream has not."""
        if self._reader is not None:
            yield from self._consume(self._reader.close(), 0)
        elif self._lines is not None:
            yield from self._consume_lines(self._lines.close())
        self.assembler.close()

    def message(self) -> bytes:
        """Return the finished message as JSON text; raises StreamFailed after an error delta."""
        return dump(self.assembler.build_final_message())

    def _consume_lines(self, lines: list[RawLine]) -> Iterator[int]:
        for line in lines:
            try:
                self.assembler.consume(_delta(line.data, self._mode))
            except PartwireError as error:
                error.findings = tuple(
                    each._replace(line=each.line or line.number) for each in error.findings
                )
                raise
            yield len(line.data)

    def _consume(self, deltas: list[Any], size: int) -> Iterator[int]:
        for delta in deltas:
            self.assembler.consume(delta)
            yield size // len(deltas)


def _delta(line: bytes, mode: Mode) -> Any:
    """Return the delta of a line.

    Strictly, it is what the schema says, to the form of a time that goes nowhere: that is what the
    service's description promises of its body, and more than the assembler itself asks for.
    """
    if mode != "strict":
        return read_delta_line(line, mode)
    delta = Binding.of(_DELTA).decode_valid(line)
    return read(line, _DELTA) if delta is None else delta
