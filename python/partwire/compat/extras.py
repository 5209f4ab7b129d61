"""What the extra ``compat`` brings, imported when it is needed."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import Finding, UsageError

__all__ = ["package"]


def package(name: str) -> Any:
    """Import a module of the extra. Raises UsageError ``usage/missing-extra``."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                f"A comparison of schemas needs {name}, which is not installed",
                expected='pip install "partwire[compat]"',
            )
        ) from None
