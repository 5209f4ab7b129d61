"""Token figures of a provider: the last figure per field wins, nothing is ever added up twice."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from partwire.contract.current.message import UsageSummary

__all__ = ["Figures", "usage_summary"]

_MAX: Final = 2**50
"""Most tokens of one figure: what adapters add up is a count that the contract has, too."""


class Figures:
    """The figures of one stream as they stand: a later one replaces an earlier one of its name.

    A figure that is null, absent, or no figure at all never replaces one.
    """

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[str, int] = {}

    def take(self, usage: dict[str, Any], names: tuple[str, ...]) -> str | None:
        """Take the figures ``names`` out of ``usage``; return the name of a non-count."""
        bad: str | None = None
        for name in names:
            value = usage.get(name)
            if value is None:
                continue
            if type(value) is float and value.is_integer():
                value = int(value)
            if type(value) is int and 0 <= value <= _MAX:
                self._values[name] = value
            else:
                bad = name
        return bad

    def get(self, *names: str) -> int | None:
        """Return the figure of the first name that has one."""
        for name in names:
            if name in self._values:
                return self._values[name]
        return None

    def __getitem__(self, name: str) -> int:
        """Return a figure, 0 where there is none."""
        return self._values.get(name, 0)


def usage_summary(
    read: int,
    written: int,
    total: int,
    *,
    reasoning: int | None = None,
    cache_read: int | None = None,
    cache_write: int | None = None,
) -> UsageSummary:
    """Return a usage of tokens read and written, with those parts of them that are known.

    A part that is larger than its whole is none of it, and left out.
    """
    return UsageSummary(
        input_tokens=read,
        output_tokens=written,
        total_tokens=total,
        reasoning_tokens=UNSET if reasoning is None or reasoning > written else reasoning,
        cache_read_tokens=UNSET if cache_read is None or cache_read > read else cache_read,
        cache_write_tokens=UNSET if cache_write is None or cache_write > read else cache_write,
    )
