"""Structs of older contract versions, as those of another one.

Told by the names of modules, so that no older version has to be imported.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, Final

__all__ = ["is_older", "moved"]

_PACKAGE: Final = f"{__name__.partition('.')[0]}.v"


def is_older(value: Any, current: ModuleType) -> bool:
    """Tell whether a value is a struct of the family of ``current``, but of another version."""
    return _is_older(type(value).__module__, current.__name__)


@cache  # asked for every struct of a stream; modules are few
def _is_older(module: str, current: str) -> bool:
    if not module.startswith(_PACKAGE) or module == current:
        return False
    return module.partition(".structs.")[2] == current.partition(".structs.")[2]


def moved(struct: Any, current: ModuleType) -> Any:
    """Return a struct as the one of its name in ``current``; its members are taken as they are."""
    members = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return getattr(current, type(struct).__name__)(**members)
