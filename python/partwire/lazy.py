"""Public names that are imported when they are asked for: nobody waits for a room that is not used.

A package says each name twice: to type checkers, under ``TYPE_CHECKING``, and here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["attach"]


def attach(
    package: str, homes: Mapping[str, Sequence[str]], below: str | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``homes`` maps a module below the package (``"errors"``, ``"core.adapter"``), or below the other
    one that ``below`` names, to the names that it is the home of. A name is kept once it has been
    asked for.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name in home:
            value = getattr(import_module(f".{home[name]}", below or package), name)
        elif name in homes:
            value = import_module(f".{name}", below or package)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home, *homes})

    return get, names, sorted(home)
