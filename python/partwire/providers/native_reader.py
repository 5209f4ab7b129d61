"""Bytes of a response → deltas, or its message, by the native core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..contract.clock import now
from ..contract.current.message import MessageDelta
from ..message.assembler.limits import Limits, native_limits
from ..message.assembler.lines import decode_lines
from ..native_core import core
from .byte_adapter import Framing

__all__ = ["NativeReader", "open_native"]


def open_native(
    dialect: str,
    run_id: str,
    framing: Framing,
    options: Mapping[str, Any],
) -> NativeReader | None:
    """Return a reader by the native core; None without one, and for what it does not do.

    ``options`` are those of :func:`~.registry.open_adapter`.
    """
    native = core()
    if native is None:
        return None
    clock: Callable[[], str] = options["clock"]
    used = set(options["used_tool_call_ids"])
    ids = options["message_id"], options["turn_id"]
    try:
        # The clock of this machine is read where the deltas are made.
        made = native.Response(
            dialect,
            run_id,
            framing,
            None if clock is now else clock,
            used,
            ids,
            options["keep_raw"],
        )
    except (ValueError, TypeError):  # to be refused in the package's own words
        return None
    return NativeReader(made)


class NativeReader:
    """Bytes in, deltas out, as :class:`~.byte_adapter.ByteAdapter`; it tells no findings."""

    __slots__ = ("_response",)

    def __init__(self, response: Any) -> None:
        self._response = response

    def feed(self, chunk: bytes) -> list[MessageDelta]:
        """Return the deltas that ``chunk`` completes."""
        read = self.read(iter((chunk,)))
        return [] if read is None else read[0]

    def read(self, chunks: Iterator[Any]) -> tuple[list[MessageDelta], Any] | None:
        """Read chunks until deltas come of them, and return these; None at the end of the chunks.

        Without deltas comes a chunk that is not bytes, which has not been read.
        """
        read = self._response.read(chunks)
        if read is None:
            return None
        lines, odd = read
        return (decode_lines(lines) if lines else []), odd

    def close(self) -> list[MessageDelta]:
        """Say that the input has ended; return the last deltas."""
        lines = self._response.close()
        return decode_lines(lines) if lines else []

    def begin_message(self, limits: Limits) -> None:
        """Keep the deltas back, and make their message, as long as nothing is odd.

        Of those that were kept back until then come fewer, which say the same.
        """
        self._response.assemble(native_limits(limits))

    def message_text(self) -> bytes | None:
        """Return the finished message as JSON text; None if its deltas have come, or will."""
        text: bytes | None = self._response.message()
        return text

    @property
    def kept_back(self) -> int:
        """How many deltas will never come."""
        count: int = self._response.kept_back
        return count
