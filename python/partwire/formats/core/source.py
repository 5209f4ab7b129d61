"""What is read: a value of Python's as a JSON value, bounded in depth."""

from __future__ import annotations

import base64
from typing import Any, Final

from partwire.errors import ReadError, WriteError
from partwire.json.text import value_findings
from partwire.reading.plain import plain_value

__all__ = ["is_nested", "source_of"]

_LEAVES: Final = frozenset({str, int, float, bool, type(None)})


def source_of(value: Any) -> Any:
    """Return a copy of a value as JSON: models of providers' libraries opened, bytes as Base64.

    Of what is derived from text or a number, such as a member of an enumeration, it has the value.
    Raises ReadError for what is not JSON even so, for nesting without end among others.
    """
    try:
        opened, _ = plain_value(value)
    except WriteError as error:
        raise ReadError(*error.findings) from None
    made = _exact(opened)
    if found := value_findings(made):
        raise ReadError(*found)
    return made


def _exact(value: Any) -> Any:
    """Return a copy of a value in which what is JSON has exactly JSON's types.

    Without recursion: it is nested as deep as its reader lets it be.
    """
    root = [value]
    todo: list[Any] = [root]
    for holder in todo:  # it grows meanwhile
        for key, member in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if type(member) in _LEAVES:
                continue
            if isinstance(member, (dict, list)):
                holder[key] = member.copy()
                todo.append(holder[key])
            else:
                holder[key] = _leaf(member)
    return root[0]


def _leaf(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else value


def is_nested(value: Any, levels: int) -> bool:
    """Return whether a JSON value has arrays and objects nested deeper than ``levels``."""
    row = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        row = [
            each
            for holder in row
            for each in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(each, (dict, list))
        ]
        if not row:
            return False
    return True
