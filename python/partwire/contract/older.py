"""Structs of older contract versions, as those of the current one.

No older version is imported for it: a struct says by its module what it is.
"""

from __future__ import annotations

from typing import Any

from .current import LATEST_VERSION
from .versions import generated_module, room_of

__all__ = ["is_older", "moved"]


def is_older(value: Any, family: str) -> bool:
    """Return whether a value is a struct of ``family``, but of another version than the current."""
    room = room_of(type(value))
    return (
        room is not None
        and room.version != LATEST_VERSION
        and room.kind == "structs"
        and room.family == family
    )


def moved(struct: Any, family: str) -> Any:
    """Return a struct as the current one of its name; its members are taken as they are."""
    kind = getattr(generated_module(LATEST_VERSION, "structs", family), type(struct).__name__)
    return kind(**{name: getattr(struct, name) for name in struct.__struct_fields__})
