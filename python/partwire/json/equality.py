"""Equality of JSON values."""

from __future__ import annotations

from typing import Any

__all__ = ["same_json"]


def same_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 is 1.0, true is not 1."""
    todo = [(one, other)]
    while todo:
        a, b = todo.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            todo.extend((member, b[name]) for name, member in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            todo.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) is not isinstance(b, bool) or a != b:
            return False
    return True
