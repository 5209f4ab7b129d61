"""Identifiers that partwire makes itself, of clock and randomness.

Every function that needs an id takes an id maker, and has :func:`uuid7` where none is given.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final

__all__ = ["Uuid7Maker", "new_id", "uuid7"]

_COUNTER_BITS: Final = 42
_TAIL_BITS: Final = 32
_LAST_MS: Final = 2**48 - 1


class Uuid7Maker:
    """Makes UUIDs of version 7 (RFC 9562, section 5.7) that sort in the order of their making.

    ``now_ms`` gives milliseconds since the epoch, ``random_bits(n)`` an integer of n random bits.
    Within a millisecond, and while the clock goes back, a counter of 42 bits goes on; it starts
    at random, with its highest bit clear. One maker may be used by several threads at once.
    """

    def __init__(self, now_ms: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._now_ms = now_ms
        self._random_bits = random_bits
        self._lock = threading.Lock()
        self._ms = -1
        self._counter = 0

    def __call__(self) -> str:
        """Return the next UUID in text form: lower case, five groups."""
        with self._lock:
            ms, counter = self._next()
        high, low = counter >> 30, counter & (2**30 - 1)
        tail = self._random_bits(_TAIL_BITS)
        number = (ms << 80) | (7 << 76) | (high << 64) | (2 << 62) | (low << _TAIL_BITS) | tail
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _next(self) -> tuple[int, int]:
        now = self._now_ms() & _LAST_MS
        if now <= self._ms and self._counter + 1 < 2**_COUNTER_BITS:
            self._counter += 1
        else:
            self._ms = max(now, self._ms + 1)
            self._counter = self._random_bits(_COUNTER_BITS - 1)
        return self._ms, self._counter


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _random_bits(count: int) -> int:
    size = (count + 7) // 8
    return int.from_bytes(os.urandom(size), "big") >> (8 * size - count)


_make = Uuid7Maker(_now_ms, _random_bits)


def uuid7() -> str:
    """Return a new UUID of version 7; later ones of this process sort behind earlier ones."""
    return _make()


def new_id(prefix: str = "") -> str:
    """Return a new id: a UUID of version 7, behind ``prefix`` and ``_`` where that is given.

    Ids of one process sort in the order of their making. Without a prefix it is what the contract
    asks of ids that have to be UUIDs, those of sessions and queue messages.
    """
    return f"{prefix}_{uuid7()}" if prefix else uuid7()
