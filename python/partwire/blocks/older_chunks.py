"""Chunks of older contract versions, as structs of this one."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ..v0_2.structs import blocks as current

__all__ = ["upgraded"]

_PACKAGE: Final = __name__.partition(".")[0]
_CURRENT: Final = current.__name__
_ROOM: Final = ".structs.blocks"


def upgraded(chunk: Any) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Every version's chunks are chunks of the next one. Told by name, so that no older version has
    to be imported; what is wrong with one made in Python is found where it is taken.
    """
    if not _is_older(chunk):
        return chunk
    made = _moved(chunk)
    usage = getattr(made, "usage", None)
    return msgspec.structs.replace(made, usage=_moved(usage)) if _is_older(usage) else made


def _is_older(value: Any) -> bool:
    module: str = type(value).__module__
    return module.endswith(_ROOM) and module.startswith(f"{_PACKAGE}.v") and module != _CURRENT


def _moved(struct: Any) -> Any:
    members = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return getattr(current, type(struct).__name__)(**members)
