"""Times of OpenAI's dialects: seconds since the epoch."""

from __future__ import annotations

from partwire.contract.times import LAST_MS, text_of

from ..core.reading import Members

__all__ = ["time_of"]


def time_of(body: Members, name: str) -> str | None:
    """Take a time, as the contract writes one."""
    given = body.number(name, most=LAST_MS // 1000)
    return None if given is None else text_of(int(given * 1000))
