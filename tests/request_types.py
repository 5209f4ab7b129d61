"""The official clients' request types as strict checks: no unknown member, no lazy list.

The clients publish bodies as TypedDicts. Pydantic would check their iterables only once they are
read, and would pass over unknown members; here both are errors. Python objects that the clients
take beside JSON (files, response models) are left out.
"""

from __future__ import annotations

import collections.abc
import types
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import TypedDict, get_type_hints, is_typeddict

__all__ = ["members_of", "strict_adapter"]

_make: Any = TypedDict  # called with a name that is no literal
_SCALARS = (str, int, float, bool, types.NoneType, object, Any)


@cache
def strict_adapter(published: Any) -> TypeAdapter[Any]:
    """Return a strict check of a published TypedDict, or union of them."""
    return TypeAdapter(_strict(published, {}))


def members_of(published: Any) -> frozenset[str]:
    """Return the names of a TypedDict's members."""
    return frozenset(get_type_hints(published))


def _strict(found: Any, seen: dict[Any, Any]) -> Any:
    if is_typeddict(found):
        return _strict_dict(found, seen)
    origin, arguments = get_origin(found), get_args(found)
    if origin is Annotated:
        return _strict(arguments[0], seen)
    if origin in (Union, types.UnionType):
        kept = [made for each in arguments if (made := _strict(each, seen)) is not None]
        return Union[tuple(kept)]  # noqa: UP007 - made at run time
    if origin is Literal or found in _SCALARS:
        return found
    if origin in (collections.abc.Iterable, collections.abc.Sequence, list) or (
        origin is not None and origin.__name__ == "SequenceNotStr"
    ):
        return list[_strict(arguments[0], seen)]  # type: ignore[misc]
    if origin in (dict, collections.abc.Mapping):
        return dict[str, _strict(arguments[1], seen)]  # type: ignore[misc]
    return None  # a class of Python's own: no JSON


def _strict_dict(found: Any, seen: dict[Any, Any]) -> Any:
    if found in seen:
        return seen[found]
    seen[found] = dict[str, object]  # where a type holds itself
    hints = get_type_hints(found)
    members: dict[str, Any] = {}
    for name, hint in hints.items():
        made = _strict(hint, seen)
        is_required = name in found.__required_keys__
        members[name] = Required[made] if is_required else NotRequired[made]
    strict = _make(found.__name__, members)
    extra = getattr(found, "__pydantic_config__", {}).get("extra", "forbid")
    strict.__pydantic_config__ = ConfigDict(extra=extra, strict=True)
    seen[found] = strict
    return strict
