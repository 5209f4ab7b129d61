"""Deltas of older contract versions, as structs of this one."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from ..bindings.older import is_older, moved
from ..v0_2.structs import message as current

__all__ = ["upgraded"]

_DELTAS: Final = frozenset(kind.__name__ for kind in get_args(current.MessageDelta))


def upgraded(delta: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's deltas are deltas of the next one. Members are taken over as they are: what
    is wrong with one made in Python is found where it is consumed.
    """
    if not (is_older(delta, current) and type(delta).__name__ in _DELTAS):
        return delta
    made = moved(delta, current)
    if is_older(made.payload, current):
        return msgspec.structs.replace(made, payload=moved(made.payload, current))
    return made
