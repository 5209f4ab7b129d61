"""Both ways of the package in one process: with the native core, and plain Python."""

from __future__ import annotations

from typing import Final, Literal

from partwire import native_core

__all__ = ["LEFT_OUT", "WAYS", "Way", "take"]

Way = Literal["native", "plain"]

_CORE: Final = native_core.core()
WAYS: Final[tuple[Way, ...]] = ("native", "plain") if _CORE else ("plain",)
LEFT_OUT: Final = "left out: no native core"


def take(way: Way | None) -> None:
    """Let what begins from now on go this way; None is for what knows no ways."""
    native_core._core = None if way == "plain" else _CORE
