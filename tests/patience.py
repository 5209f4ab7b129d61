"""How long tests wait for what has to come: until it does, and not for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

__all__ = ["PATIENCE", "until"]

PATIENCE: Final = 120.0
"""Seconds after which what has not come is a failure; a busy machine takes some of them."""


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition, and return what it gives; fail if it does not come."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)
    return found
