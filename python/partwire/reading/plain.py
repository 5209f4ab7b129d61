"""Structs, models and what holds them, as the plain JSON values that they are written as.

Nothing is converted that is not JSON: where msgspec would write a tuple as an array, a date as a
string or NaN as null, the value stays as it is, for :func:`partwire.json.text.value_findings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from ..contract.versions import type_of
from ..errors import Finding, WriteError, clip
from ..json.pointer import escape_pointer
from ..json.text import MAX_DEPTH
from .exact import is_exact
from .tolerant import SafeDefault, Unknown

__all__ = ["plain_value", "whole_number"]

_LEAVES = frozenset({str, int, float, bool, type(None)})


def whole_number(value: Any) -> int | None:
    """Return a JSON integer that a double holds exactly, and which may be written 1.0.

    None for any other value: no other language would see the same.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and -(2**53) < value < 2**53 else None


def plain_value(value: Any, *, defaults: bool = False) -> tuple[Any, set[str]]:
    """Return ``value`` as JSON value, and the pointers where an Unknown or SafeDefault stood.

    What those keep stands there again; with ``defaults`` a safe default stays what it is taken
    for. ``value`` may be or hold structs and models; it is copied as far as it is nested.
    Raises WriteError ``document/too-deep`` (a value may hold itself) and ``shape/type``.
    """
    if is_exact(value, type_of(value)):
        with suppress(RecursionError):
            return msgspec.to_builtins(value), set()
    root = [value]
    unknown: set[str] = set()
    todo: list[tuple[list[Any] | dict[Any, Any], Any, str, int]] = [(root, 0, "", 0)]
    while todo:
        holder, key, pointer, depth = todo.pop()
        node = holder[key]
        if isinstance(node, Unknown):
            unknown.add(pointer)
            holder[key] = node.document
            continue
        if isinstance(node, SafeDefault):
            holder[key] = str(node) if defaults else node.raw
            if not defaults:
                unknown.add(pointer)
            continue
        made = _opened(node)
        if made is None:
            continue
        if depth >= MAX_DEPTH:
            message = f"Nested deeper than {MAX_DEPTH} levels, or without end"
            raise WriteError(Finding("document/too-deep", message, actual=clip(value)))
        holder[key] = made
        if not isinstance(made, (dict, list)):  # of a model that is one value
            continue
        members = made.items() if isinstance(made, dict) else enumerate(made)
        for name, member in members:
            if type(member) not in _LEAVES:
                step = escape_pointer(name) if isinstance(name, str) else name
                todo.append((made, name, f"{pointer}/{step}", depth + 1))
    return root[0], unknown


def _opened(node: Any) -> Any:
    """Return what ``node`` holds, for the most part a new dict or list; None for a leaf."""
    if isinstance(node, Mapping):
        return dict(node)
    if isinstance(node, list):
        return list(node)
    if isinstance(node, msgspec.Struct):
        return _members(node)
    # Of the type: an object may answer to any name, or raise.
    if callable(getattr(type(node), "model_dump", None)):
        try:
            return node.model_dump(by_alias=True, warnings=False)
        except Exception as error:  # noqa: BLE001 - a model computes members by any code
            message = f"The model cannot be written: {error}"
            raise WriteError(Finding("shape/type", message, actual=clip(node))) from None
    return None


def _members(struct: msgspec.Struct) -> dict[str, Any]:
    config = struct.__struct_config__
    made: dict[str, Any] = {}
    if config.tag_field is not None:
        made[config.tag_field] = config.tag
    for attribute, name in zip(
        struct.__struct_fields__, struct.__struct_encode_fields__, strict=True
    ):
        member = getattr(struct, attribute)
        if member is not msgspec.UNSET:
            made[name] = member
    return made
