"""Values that are not JSON, or nested without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from partwire.errors import ReadError
from tests.formats.laws import read_given

__all__ = ["refuses_what_is_not_json"]


def refuses_what_is_not_json(format: str, wrap: Callable[[Any], Any]) -> None:  # noqa: A002
    """What is not JSON, or nested without end, is refused; ``wrap`` puts it into a document."""
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for odd in (float("nan"), endless, deep, "\ud800", {1: 2}, object(), {"a": {3}}):
        with pytest.raises(ReadError):
            read_given(format, wrap(odd))
