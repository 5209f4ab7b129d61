"""Chunks of older contract versions, as structs of this one."""

from __future__ import annotations

from typing import Any

import msgspec

from ..reading.older import is_older, moved
from ..v0_2.structs import blocks as current

__all__ = ["upgraded"]


def upgraded(chunk: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's chunks are chunks of the next one. What is wrong with one made in Python is
    found where it is taken.
    """
    if not is_older(chunk, current):
        return chunk
    made = moved(chunk, current)
    usage = getattr(made, "usage", None)
    if is_older(usage, current):
        return msgspec.structs.replace(made, usage=moved(usage, current))
    return made
