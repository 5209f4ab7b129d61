"""JSON Pointers (RFC 6901): reference tokens, written and read."""

from __future__ import annotations

from typing import Any

from ..errors import printable

__all__ = ["escape", "escape_pointer", "names", "unescape", "value_at"]


def escape(name: str) -> str:
    """Return ``name`` as one reference token."""
    return name.replace("~", "~0").replace("/", "~1")


def escape_pointer(name: str) -> str:
    """Return ``name`` as one reference token that can be encoded: lone surrogates spelled out."""
    is_plain = name.isascii() and (name.isidentifier() or name.isdecimal())
    return name if is_plain else escape(printable(name))


def unescape(token: str) -> str:
    """Return the name that a reference token stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def names(pointer: str) -> list[str]:
    """Return the names that ``pointer`` leads through, from the root down."""
    return [unescape(token) for token in pointer.split("/")[1:]]


def value_at(value: Any, pointer: str) -> Any:
    """Return what is at ``pointer`` in a JSON value.

    Raises KeyError, IndexError, TypeError or ValueError where that is nothing.
    """
    for name in names(pointer):
        value = value[int(name) if isinstance(value, list) else name]
    return value
