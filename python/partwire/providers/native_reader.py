"""Bytes of a response → deltas by the native core, as long as nothing is odd.

What is odd, a finding or an error, is for :class:`~.byte_adapter.ByteAdapter` to say: it reads the
response from its beginning, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

import msgspec
from msgspec import structs

from ..contract.clock import now
from ..contract.current.message import MessageDelta
from ..message.assembler.limits import Limits
from ..native_core import core
from .byte_adapter import ByteAdapter, Framing

__all__ = ["NativeReader", "open_native"]

_MOST_HELD_BYTES: Final = 4 * 1024 * 1024
"""What is kept of a response in case that it turns odd; beyond it, the native core says why."""

_decode_lines = msgspec.json.Decoder(MessageDelta).decode_lines

OpenPlain = Callable[[Callable[[], str]], ByteAdapter]
"""Returns what reads without the native core, by a clock."""


def open_native(
    dialect: str,
    run_id: str,
    framing: Framing,
    clock: Callable[[], str],
    options: dict[str, Any],
    open_plain: OpenPlain,
) -> NativeReader | None:
    """Return a reader by the native core; None without one, and for what it does not do."""
    native = core()
    if native is None or options["keep_raw"]:
        return None
    recorded = _Recorded(clock)
    used = set(options["used_tool_call_ids"])
    ids = options["message_id"], options["turn_id"]
    # The clock of this machine is asked where the deltas are made.
    asked = None if clock is now else recorded.tell
    try:
        response = native.Response(dialect, run_id, framing, asked, used, ids)
    except (ValueError, TypeError):  # refused in the package's own words
        return None
    return NativeReader(response, lambda: open_plain(recorded.again()))


class NativeReader:
    """Bytes in, deltas out; as :class:`~.byte_adapter.ByteAdapter`, which it may turn into."""

    def __init__(self, response: Any, open_plain: Callable[[], ByteAdapter]) -> None:
        self._response = response
        self._open_plain = open_plain
        self._plain: ByteAdapter | None = None
        self._held: list[bytes] | None = []
        self._held_bytes = 0
        self._given = 0  # deltas

    def feed(self, chunk: bytes) -> list[MessageDelta]:
        """Return the deltas that ``chunk`` completes."""
        if self._plain is not None:
            return self._plain.feed(chunk)
        if self._held is not None:
            self._held.append(chunk)
            self._held_bytes += len(chunk)
            if self._held_bytes > _MOST_HELD_BYTES:
                self._held = None
        return self._read(chunk)

    def close(self) -> list[MessageDelta]:
        """Say that the input has ended; return the last deltas."""
        return self._read(None) if self._plain is None else self._plain.close()

    def _read(self, chunk: bytes | None) -> list[MessageDelta]:
        lines = self._response.read(chunk, self._held is None)
        if lines is None:
            deltas = self._leave()
            if chunk is None and self._plain is not None:
                deltas += self._plain.close()
            return deltas[self._given :]
        deltas = _decode_lines(lines) if lines else []
        self._given += len(deltas)
        return deltas

    def _leave(self) -> list[MessageDelta]:
        """Return the deltas of all that has come, read without the native core."""
        self._plain = plain = self._open_plain()
        held, self._held = self._held or [], []
        return [delta for chunk in held for delta in plain.feed(chunk)]

    def message_text(
        self, chunks: Iterable[bytes], limits: Limits
    ) -> tuple[bytes | None, Iterator[bytes]]:
        """Read the whole response; return its message as JSON text.

        Returns None with the response, to be read from its beginning, if anything is odd.
        """
        self._response.assemble([min(figure, 2**63) for figure in structs.astuple(limits)])
        held: list[bytes] = []
        rest = iter(chunks)
        for chunk in rest:
            held.append(chunk)
            if self._response.read(chunk, False) is None:
                break
        else:
            if self._response.read(None, False) is not None:
                text: bytes | None = self._response.message()
                if text is not None:
                    return text, iter(())
        self._plain = self._open_plain()
        return None, chain(held, rest)


class _Recorded:
    """A clock whose times can be told again."""

    def __init__(self, clock: Callable[[], str]) -> None:
        self._clock = clock
        self._times: list[str] = []

    def tell(self) -> str:
        """Return the clock's time."""
        time = self._clock()
        self._times.append(time)
        return time

    def again(self) -> Callable[[], str]:
        """Return a clock that tells the same times once more, and goes on."""
        told = iter(self._times)
        return lambda: next(told, None) or self._clock()
