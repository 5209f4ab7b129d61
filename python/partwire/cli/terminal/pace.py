"""How fast a stream comes: tokens, by its usage or estimated, and the pauses between its deltas."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Final

__all__ = ["STALL_SECONDS", "Pace"]

STALL_SECONDS: Final = 2.0
"""A longer pause is a stall."""
_BYTES_PER_TOKEN: Final = 4
_LEAST_SECONDS: Final = 0.2
"""A stream that took less was recorded without its times, or says nothing of speed."""


class Pace:
    """The times of a stream, which are those in its deltas: a recording keeps its own.
    ``is_paced``: it is played at another pace, and the times are those at which it comes.
    """

    def __init__(self, *, is_paced: bool = False) -> None:
        self._is_paced = is_paced
        self.deltas = 0
        self.bytes = 0
        self.usage: Any = None
        self.stalls = 0
        self.longest = 0.0
        self.longest_seq = 0
        """The seq of the delta behind the longest pause."""
        self._first: float | None = None
        self._last = 0.0

    def note(self, delta: Any, text: str) -> None:
        """Take a delta, and the text that it adds."""
        self.deltas += 1
        self.bytes += len(text.encode("utf-8", "surrogatepass"))
        if delta.kind == "usage":
            self.usage = delta.payload
        at = time.monotonic() if self._is_paced else _seconds(delta.timestamp)
        if at is None:
            return
        if self._first is None:
            self._first = self._last = at
        pause = at - self._last
        if pause > STALL_SECONDS:
            self.stalls += 1
        if pause > self.longest:
            self.longest, self.longest_seq = pause, delta.seq
        self._last = max(at, self._last)

    @property
    def seconds(self) -> float:
        """From the first delta to the last one."""
        return 0.0 if self._first is None else self._last - self._first

    def tokens(self) -> tuple[int, bool]:
        """Return the tokens that were written, and whether that is known, not estimated."""
        known = getattr(self.usage, "output_tokens", 0)
        estimate = -(-self.bytes // _BYTES_PER_TOKEN)
        # Usage that comes first says what was read, and a token or two.
        if known and known * 3 >= estimate:
            return known, True
        return estimate, False

    def tokens_text(self) -> str:
        """Return the tokens in words; an estimate is marked by a tilde."""
        count, is_known = self.tokens()
        return f"{'' if is_known else '~'}{count:,} tokens"

    def rate_text(self) -> str | None:
        """Return tokens per second; None where the times do not say."""
        if self.seconds < _LEAST_SECONDS:
            return None
        count, is_known = self.tokens()
        return f"{'' if is_known else '~'}{count / self.seconds:,.1f} tokens/s"


def _seconds(timestamp: str) -> float | None:
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:  # a leap second
        return None
