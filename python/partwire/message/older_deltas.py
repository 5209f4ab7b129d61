"""Deltas of older contract versions, as structs of this one."""

from __future__ import annotations

from typing import Any, Final, get_args

import msgspec

from ..v0_2.structs import message as current

__all__ = ["upgraded"]

_PACKAGE: Final = __name__.partition(".")[0]
_CURRENT: Final = current.__name__
_ROOM: Final = ".structs.message"
_DELTAS: Final = frozenset(kind.__name__ for kind in get_args(current.MessageDelta))


def upgraded(delta: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's deltas are deltas of the next one. Members are taken over as they are: what
    is wrong with one made in Python is found where it is consumed. Told by name, so that no
    older version has to be imported.
    """
    if not (_is_older(delta) and type(delta).__name__ in _DELTAS):
        return delta
    made = _moved(delta)
    if _is_older(made.payload):
        return msgspec.structs.replace(made, payload=_moved(made.payload))
    return made


def _is_older(value: Any) -> bool:
    module: str = type(value).__module__
    return module.endswith(_ROOM) and module.startswith(f"{_PACKAGE}.v") and module != _CURRENT


def _moved(struct: Any) -> Any:
    members = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return getattr(current, type(struct).__name__)(**members)
