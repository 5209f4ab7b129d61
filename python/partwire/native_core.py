"""The native core, where it is installed: the distribution ``partwire-native``.

It gives the same answers faster, and knows no errors: whatever is odd is left to the code in
Python, which does without it. ``PARTWIRE_NATIVE=0`` in the environment switches it off.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from .version import __version__

__all__ = ["core", "native"]


def _load() -> Any:
    if os.environ.get("PARTWIRE_NATIVE") == "0":
        return None
    try:
        found = import_module("partwire_native")
    except ImportError:
        return None
    # One of another version may answer as that version does.
    return found if found.__version__ == __version__ else None


_core = _load()

native: str | None = None if _core is None else __version__
"""The version of the native core that is used, which is the package's own; None without one."""


def core() -> Any:
    """Return the module of the native core; None where there is none."""
    return _core
