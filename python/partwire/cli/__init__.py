"""The command line: ``partwire``. One file per command; everything is rendered in render.py."""

import gc

_collects = gc.isenabled()
gc.disable()  # nothing that is imported is garbage, and to look for some takes a tenth of the start
from .main import main  # noqa: E402

if _collects:
    gc.enable()

__all__ = ["main"]
