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

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict, get_type_hints, is_typeddict

__all__ = ["faults", "members_of"]

_make: Any = TypedDict  # called with a name that is not a literal
_SCALARS = (str, int, float, bool, types.NoneType, object, Any)


@cache
def _adapter(published: Any) -> TypeAdapter[Any]:
    return TypeAdapter(_strict(published, {}))


def faults(published: Any, body: Any) -> list[str]:
    """Return what keeps ``body`` from being what a TypedDict publishes: the deepest five faults.

    Of a union, pydantic says what is wrong with each of its types; the deepest is the nearest.
    """
    try:
        _adapter(published).validate_python(body)
    except ValidationError as error:
        found = sorted(error.errors(), key=lambda each: -len(each["loc"]))
        return [f"{'.'.join(map(str, each['loc']))[-160:]}: {each['msg']}" for each in found[:5]]
    return []


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
        return Union[tuple(kept)] if kept else None  # noqa: UP007 - made at run time
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
    members: dict[str, Any] = {}
    for name, hint in get_type_hints(found, include_extras=True).items():
        # The class itself does not know: its annotations are text, which it does not read.
        origin: Any = get_origin(hint)
        is_required = origin is Required or (
            origin is not NotRequired and name in found.__required_keys__
        )
        inner = get_args(hint)[0] if origin in (Required, NotRequired) else hint
        made = _strict(inner, seen)
        members[name] = Required[made] if is_required else NotRequired[made]
    strict = _make(found.__name__, members)
    extra = getattr(found, "__pydantic_config__", {}).get("extra", "forbid")
    strict.__pydantic_config__ = ConfigDict(extra=extra, strict=True)
    seen[found] = strict
    return strict
