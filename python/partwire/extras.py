"""Packages that an extra brings, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import Finding, UsageError

__all__ = ["import_extra"]


def import_extra(name: str, extra: str, who: str) -> Any:
    """Import a module that an extra brings; ``who`` needs it: "A comparison of schemas".

    Raises UsageError ``usage/missing-extra``, which names what is missing and how it is installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                f"{who} needs {error.name or name}, which is not installed",
                expected=f'pip install "partwire[{extra}]"',
            )
        ) from None
