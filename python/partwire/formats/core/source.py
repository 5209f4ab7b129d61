"""What is read: a value of Python's as a JSON value, bounded in depth."""

from __future__ import annotations

from typing import Any

from partwire.errors import ReadError, WriteError
from partwire.json.text import value_findings
from partwire.providers.bedrock.blocks import as_base64
from partwire.reading.plain import plain_value

__all__ = ["is_nested", "source_of"]


def source_of(value: Any) -> Any:
    """Return a copy of a value as JSON: models of providers' libraries opened, bytes as Base64.

    Raises ReadError for what is not JSON even so, for nesting without end among others.
    """
    try:
        opened, _ = plain_value(value)
    except WriteError as error:
        raise ReadError(*error.findings) from None
    made = as_base64(opened)
    if found := value_findings(made):
        raise ReadError(*found)
    return made


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
