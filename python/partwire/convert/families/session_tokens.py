"""Figures of sessions, which are disjoint, and those of messages, which hold their parts.

A session counts ``input`` without what the cache read and wrote, and ``output`` without reasoning;
``inputTokens`` and ``outputTokens`` of a message are with them. Older writers of sessions counted
reasoning in ``output``: a ``total`` tells which of the two it is.
"""

from __future__ import annotations

from typing import Final

from .conversion import Json, Work

__all__ = ["COUNTS", "tokens_of", "usage_of"]

_MAX_COUNT: Final = 2**53 - 1
COUNTS: Final = ("reasoningTokens", "cacheReadTokens", "cacheWriteTokens")
"""The counts of a usage that a provider may leave out, and a session may not."""


def usage_of(info: Json, place: str, work: Work) -> Json:
    """Return the usage that the tokens at ``place`` and the cost of an assistant's info are."""
    tokens = info["tokens"]
    cache, reasoning = tokens["cache"], tokens["reasoning"]
    given = min(tokens["input"] + cache["read"] + cache["write"], _MAX_COUNT)
    apart = _is_apart(tokens, given)
    if apart is None:
        work.note("reasoning-apart", f"{place}/reasoning")
    written = tokens["output"] if apart is False else tokens["output"] + reasoning
    written = min(written, _MAX_COUNT)
    return {
        "inputTokens": given,
        "outputTokens": written,
        "totalTokens": tokens.get("total", min(given + written, _MAX_COUNT)),
        "reasoningTokens": reasoning,
        "cacheReadTokens": cache["read"],
        "cacheWriteTokens": cache["write"],
        "cost": info["cost"],
    }


def _is_apart(tokens: Json, given: int) -> bool | None:
    """Tell whether ``output`` is without reasoning; None where the tokens do not tell."""
    output, reasoning = tokens["output"], tokens["reasoning"]
    if reasoning == 0 or reasoning > output or tokens.get("total") == given + output + reasoning:
        return True
    return False if tokens.get("total") == given + output else None


def tokens_of(usage: Json, place: str, work: Work) -> Json:
    """Return the tokens of a session that the usage at ``place`` is, and note what that loses."""
    for name in COUNTS:
        if name not in usage:
            work.note("counts-invented", f"{place}/{name}")
    read, write = usage.get("cacheReadTokens", 0), usage.get("cacheWriteTokens", 0)
    reasoning = usage.get("reasoningTokens", 0)
    given = max(usage["inputTokens"], read + write)
    written = max(usage["outputTokens"], reasoning)
    for name, count in (("inputTokens", given), ("outputTokens", written)):
        if usage[name] != count:
            work.note("usage-parts", f"{place}/{name}")
    if usage["totalTokens"] != min(given + written, _MAX_COUNT):
        work.note("usage-total", f"{place}/totalTokens")
    return {
        "input": given - read - write,
        "output": written - reasoning,
        "reasoning": reasoning,
        "cache": {"read": read, "write": write},
    }
