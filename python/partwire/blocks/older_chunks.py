"""Chunks of older contract versions, as structs of this one."""

from __future__ import annotations

from typing import Any

import msgspec

from ..contract.older import is_older, moved

__all__ = ["upgraded"]


def upgraded(chunk: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's chunks are chunks of the next one. What is wrong with one made in Python is
    found where it is taken.
    """
    if not is_older(chunk, "blocks"):
        return chunk
    made = moved(chunk, "blocks")
    usage = getattr(made, "usage", None)
    if is_older(usage, "blocks"):
        return msgspec.structs.replace(made, usage=moved(usage, "blocks"))
    return made
