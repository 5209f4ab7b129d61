"""Structs of older contract versions, as those of the current one.

Known by the names of modules, so that no older version has to be imported.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .current import LATEST_VERSION
from .versions import generated_module, module_name

__all__ = ["is_older", "moved"]


def is_older(value: Any, family: str) -> bool:
    """Return whether a value is a struct of ``family``, but of another version than the current."""
    return _is_older(type(value).__module__, family)


@cache  # asked for every struct of a stream; modules are few
def _is_older(module: str, family: str) -> bool:
    now = module_name(LATEST_VERSION, "structs", family)
    # Both are "partwire.v<version>.structs.<family>".
    return (
        module != now
        and module.startswith(now.partition(".")[0] + ".v")
        and module.partition(".structs.")[2] == family
    )


def moved(struct: Any, family: str) -> Any:
    """Return a struct as the current one of its name; its members are taken as they are."""
    members = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return getattr(generated_module(LATEST_VERSION, "structs", family), type(struct).__name__)(
        **members
    )
