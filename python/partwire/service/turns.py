"""Long loops give others their turn."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final

__all__ = ["Turns"]

_SECONDS: Final = 0.005


class Turns:
    """Lets a loop run for 5 ms at a time."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = monotonic() + _SECONDS

    async def give(self) -> None:
        """Let others run, if it is time."""
        if monotonic() >= self._until:
            await asyncio.sleep(0)
            self._until = monotonic() + _SECONDS
