"""Exceptions of clients in log records: their words may hold a key, an address or a header."""

from __future__ import annotations

import traceback

from .credential_forms import without_keys

__all__ = ["Shown"]


class Shown:
    """An exception with its traceback, as text without credentials; made only where it is asked."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __str__(self) -> str:
        return without_keys("".join(traceback.format_exception(self._error)))
