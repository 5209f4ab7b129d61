"""What a whole answer of OpenAI's dialects says of itself: its time, and its usage."""

from __future__ import annotations

from typing import Final

from partwire.contract.times import LAST_MS, text_of
from partwire.tables import usage_figures

from ..core.reading import Json, Members, Reading

__all__ = ["note_lost_usage", "time_of", "usage_of"]


def time_of(body: Members, name: str) -> str | None:
    """Take a time in seconds since the epoch, as the contract writes one."""
    given = body.number(name, most=LAST_MS // 1000)
    return None if given is None else text_of(int(given * 1000))


_COUNTED: Final = (
    *usage_figures.OPENAI,
    *usage_figures.OPENAI_CACHE_READ,
    *usage_figures.OPENAI_CACHE_WRITE,
    *usage_figures.OPENAI_REASONING,
    "cost",
)


def usage_of(body: Members, reading: Reading) -> Json | None:
    """Take the usage, and report what in it an adapter does not count; 0 says nothing."""
    place, usage = body.at("usage"), body.object("usage")
    if usage is None:
        return None
    counted = Members(usage, place, reading)
    for name, counts in usage_figures.OPENAI_DETAILS.items():
        at, given = counted.at(name), counted.object(name)
        if given is not None:
            details = Members(given, at, reading)
            for count in counts:
                details.value(count)
            for other in given:
                details.skip(other, 0)
            details.close()
    at, price = counted.at("cost"), counted.object("cost")  # Perplexity; others say a number
    if price is not None:
        cost = Members(price, at, reading)
        cost.value("total_cost")
        cost.close()
    for name in _COUNTED:
        counted.value(name)
    counted.close()
    return usage


def note_lost_usage(usage: Json | None, message: Json, reading: Reading) -> None:
    """Report the usage of a whole answer whose figures are too few to be one."""
    if usage and "usage" not in message.get("meta", {}):
        reading.note("foreign-member", "/usage")
