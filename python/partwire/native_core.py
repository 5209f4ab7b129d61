"""The native core, where it is installed: the distribution ``partwire-native``.

It gives the same answers faster, and knows no errors: whatever is odd is left to the code in
Python, which does without it. ``PARTWIRE_NATIVE=0`` in the environment switches it off.
"""

from __future__ import annotations

import os
from types import ModuleType

from .version import __version__

__all__ = ["core", "native"]


def _load() -> ModuleType | None:
    if os.environ.get("PARTWIRE_NATIVE") == "0":
        return None
    try:
        import partwire_native  # noqa: PLC0415
    except ImportError:
        return None
    # One of another version may answer as that version does.
    return partwire_native if partwire_native.__version__ == __version__ else None


core: ModuleType | None = _load()
"""The module of the native core; None where there is none."""

native: str | None = None if core is None else __version__
"""The version of the native core that is used, which is the package's own; None without one."""
