"""Values as the JSON text that says exactly the same.

Text is quickly looked at, whoever looks (:mod:`.verdict`). An encoder writes more than JSON values,
though: a tuple as an array, NaN as null, a date as a string. So only what is exactly a JSON value,
or a struct of the contract, becomes text here; all else is for those who say what is wrong with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from ..contract.versions import TypeName, generated_module
from ..json.text import MAX_DEPTH
from ..native_core import core

__all__ = ["exact_text", "is_exact", "native_exact"]

_encode = msgspec.json.Encoder().encode
_WORD: Final = 2**63


def exact_text(value: Any, holder: TypeName | None = None) -> bytes | None:
    """Return a value as its text if :func:`is_exact`; None may be a JSON value all the same."""
    try:
        if core() is None:
            return _encode(value) if is_exact(value, holder) else None
        text: bytes | None = native_exact(holder).text_of(value)
    except RecursionError:
        return None
    return text


def is_exact(value: Any, holder: TypeName | None = None) -> bool:
    """Tell whether a value is a JSON value; with ``holder``, it may hold structs of that type's
    family.

    False for what is derived from such a value, for integers beyond 64 bits, and for what is nested
    too deep, beside all that is not JSON.
    """
    if core() is None:
        return _is_exact(value, _attributes(holder))
    found: bool = native_exact(holder).is_exact(value)
    return found


@cache
def _attributes(holder: TypeName | None) -> Mapping[type, tuple[str, ...]]:
    """Return the structs of a family, and the names of their attributes."""
    if holder is None:
        return {}
    return {
        kind: kind.__struct_fields__
        for kind in vars(generated_module(holder.version, "structs", holder.family)).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    }


@cache
def native_exact(holder: TypeName | None) -> Any:
    """Return the native core's ``Exact``, which answers as the functions of this module."""
    return core().Exact(list(_attributes(holder).items()), msgspec.UNSET, _encode)


def _is_exact(value: Any, attributes: Mapping[type, tuple[str, ...]]) -> bool:
    todo: list[tuple[Collection[Any], int]] = [((value,), 0)]
    while todo:
        members, depth = todo.pop()
        if depth > MAX_DEPTH:
            return False  # a value may hold itself
        for member in members:
            kind = type(member)
            if kind is str:
                if not (member.isascii() or _has_text(member)):
                    return False
            elif kind in _LEAVES:
                if not _LEAVES[kind](member):
                    return False
            else:
                below = _below(member, kind, attributes)
                if below is None:
                    return False
                todo.append((below, depth + 1))
    return True


def _below(
    holder: Any, kind: type, attributes: Mapping[type, tuple[str, ...]]
) -> Collection[Any] | None:
    """Return what is in a list, dict or struct; None for anything else."""
    if kind is dict:
        for name in holder:
            if type(name) is not str or not (name.isascii() or _has_text(name)):
                return None
        values: Collection[Any] = holder.values()
        return values
    if kind is list:
        items: list[Any] = holder
        return items
    if kind not in attributes:
        return None
    members = [getattr(holder, name) for name in attributes[kind]]
    return [member for member in members if member is not msgspec.UNSET]


def _has_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


def _is_word(number: int) -> bool:
    return -_WORD <= number < _WORD


def _always(_: object) -> bool:
    return True


_LEAVES: Final[Mapping[type, Callable[[Any], bool]]] = {
    int: _is_word,
    float: math.isfinite,
    bool: _always,
    type(None): _always,
}
