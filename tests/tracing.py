"""Coverage, switched off for a while."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_tracing"]


@contextmanager
def without_tracing() -> Iterator[None]:
    """Measure no coverage meanwhile."""
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracer)
