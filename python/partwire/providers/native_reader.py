"""Bytes of a response → deltas, or its message, by the native core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import astuple

from ..contract.clock import now
from ..contract.current import LATEST_VERSION
from ..contract.current.message import MessageDelta
from ..message.assembler.limits import Limits, native_limits
from ..message.assembler.lines import decode_lines
from ..native_core import core
from .byte_adapter import ByteAdapter, Framing
from .core.stream_words import given_words
from .registry import open_adapter

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
    if native is None or options["version"] != LATEST_VERSION:
        return None
    words = given_words(options["author"], options["format"])
    given: Callable[[], str] = options["clock"]
    # The clock of this machine is read where the deltas are made.
    clock = None if given is now else _Clock(given)
    used = set(options["used_tool_call_ids"])
    ids = options["message_id"], options["turn_id"]
    said = map(_given, words)
    try:
        made = native.Response(
            dialect, run_id, framing, clock, used, ids, *said, options["keep_raw"]
        )
    except (ValueError, TypeError):  # to be refused in the package's own words
        return None

    def open_plain() -> ByteAdapter:
        again = options if clock is None else {**options, "clock": clock.again()}
        return ByteAdapter(open_adapter(dialect, run_id, **again), framing)

    return NativeReader(made, open_plain)


def _given(struct: Struct | UnsetType) -> tuple[Any, ...] | None:
    """Return the members of an author or a format, None for what is not given."""
    if struct is UNSET:
        return None
    return tuple(None if member is UNSET else member for member in astuple(struct))


class _Clock:
    """A caller's clock, and what it has shown: deltas that are made again have the same times."""

    def __init__(self, clock: Callable[[], str]) -> None:
        self._clock = clock
        self._shown: list[str] = []

    def __call__(self) -> str:
        self._shown.append(shown := self._clock())
        return shown

    def again(self) -> Callable[[], str]:
        """Return a clock that shows the same times, and goes on from there."""
        return partial(next, chain(self._shown, iter(self._clock, None)))


class NativeReader:
    """Bytes in, deltas out, as :class:`~.byte_adapter.ByteAdapter`; it tells no findings.

    The core rounds integers beyond 64 bits. Where it would give one, all is read again by a
    ``ByteAdapter``, which gives the deltas from there on.
    """

    __slots__ = ("_open_plain", "_plain", "_response")

    def __init__(self, response: Any, open_plain: Callable[[], ByteAdapter]) -> None:
        self._response = response
        self._open_plain = open_plain
        self._plain: ByteAdapter | None = None

    def feed(self, chunk: bytes) -> list[MessageDelta]:
        """Return the deltas that ``chunk`` completes."""
        if self._plain is not None:
            return self._plain.feed(chunk)
        read = self.read(iter((chunk,)))
        return [] if read is None else read[0]

    def read(self, chunks: Iterator[Any]) -> tuple[list[MessageDelta], Any] | None:
        """Read chunks until deltas come of them, and return these; None at the end of the chunks.

        Without deltas comes a chunk that has not been read: one that is not bytes, or any one
        after an integer that the core rounds.
        """
        while self._plain is None:
            read = self._response.read(chunks)
            if read is None:
                return None
            lines, odd, rest = read
            deltas = decode_lines(lines) if lines else []
            if rest is None:
                return deltas, odd
            if deltas := deltas + self._read_again(*rest):
                return deltas, None
        return next((([], chunk) for chunk in chunks), None)

    def close(self) -> list[MessageDelta]:
        """Say that the input has ended; return the last deltas."""
        if self._plain is not None:
            return self._plain.close()
        lines, rest = self._response.close()
        deltas = decode_lines(lines) if lines else []
        return deltas if rest is None else deltas + self._read_again(*rest, is_end=True)

    def _read_again(
        self, seq: int, seen: list[bytes], *, is_end: bool = False
    ) -> list[MessageDelta]:
        """Return the deltas from ``seq`` on of the chunks seen, and of their end."""
        self._plain = plain = self._open_plain()
        deltas = [delta for chunk in seen for delta in plain.feed(chunk)]
        if is_end:
            deltas += plain.close()
        return [delta for delta in deltas if delta.seq >= seq]

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
