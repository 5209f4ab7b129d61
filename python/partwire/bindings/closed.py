"""Struct types that refuse unknown members: nothing of what they decode has been passed over."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

__all__ = ["closed"]


def closed(kind: Any) -> Any:
    """Return the type ``kind`` with copies of its structs that know no other members.

    What a copy takes, the struct takes too, and msgspec has looked at every byte of it. Copies
    hold no cycles, so the collector need not know them. Raises RecursionError for a struct that
    holds itself.
    """
    return _closed(kind, {}, frozenset())


def _closed(kind: Any, made: dict[Any, Any], around: frozenset[Any]) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in around:
            raise RecursionError(f"{kind.__name__} holds itself")
        if kind not in made:
            made[kind] = _copy(kind, made, around | {kind})
        return made[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (None, Literal):
        return kind
    if origin is Annotated:
        return Annotated[_closed(arguments[0], made, around), *kind.__metadata__]
    inner = tuple(_closed(each, made, around) for each in arguments)
    return Union[inner] if origin in (Union, UnionType) else origin[inner]  # noqa: UP007


def _copy(kind: type[msgspec.Struct], made: dict[Any, Any], around: frozenset[Any]) -> Any:
    config = kind.__struct_config__
    return msgspec.defstruct(
        kind.__name__,
        [
            (
                field.name,
                _closed(field.type, made, around),
                msgspec.field(
                    name=field.encode_name,
                    default=msgspec.NODEFAULT if field.required else msgspec.UNSET,
                ),
            )
            for field in msgspec.structs.fields(kind)
        ],
        tag_field=config.tag_field,
        tag=config.tag,
        kw_only=True,
        forbid_unknown_fields=True,
        eq=False,
        gc=False,
    )
