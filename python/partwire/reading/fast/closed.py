"""Struct types that refuse unknown members: nothing of what they decode has been passed over."""

from __future__ import annotations

from contextlib import suppress
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

__all__ = ["closed"]


def closed(kind: Any, *, bounded: bool = False) -> Any:
    """Return the type ``kind`` with copies of its structs that know no other members.

    What a copy takes, the struct takes too, and msgspec has looked at every byte of it. Copies
    hold no cycles, so the collector need not know them. Raises RecursionError for a struct that
    holds itself.

    ``bounded`` leaves out members and variants that hold any JSON value, or integers of any size:
    what is taken then is nested no deeper than its type, and no number is beyond a double. Raises
    TypeError where nothing would be left.
    """
    return _Closing(bounded).closed(kind, frozenset())


class _Closing:
    """The copies that are made for one type."""

    def __init__(self, bounded: bool) -> None:
        self._bounded = bounded
        self._left_out = (_NoBoundsError,) if bounded else ()
        self._made: dict[Any, Any] = {}

    def closed(self, kind: Any, around: frozenset[Any]) -> Any:
        """Return ``kind`` with copies; ``around`` are the structs that hold it."""
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            if kind in around:
                raise RecursionError(f"{kind.__name__} holds itself")
            if kind not in self._made:
                self._made[kind] = self._copy(kind, around | {kind})
            return self._made[kind]
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Literal or kind in _LIMITED or _has_limits(kind):
            return kind
        if origin is None:
            if self._bounded:
                raise _NoBoundsError
            return kind
        if origin is Annotated:
            return Annotated[self.closed(arguments[0], around), *kind.__metadata__]
        if origin in (Union, UnionType):
            return self._union(arguments, around)
        return origin[tuple(self.closed(each, around) for each in arguments)]

    def _union(self, variants: tuple[Any, ...], around: frozenset[Any]) -> Any:
        kept = []
        for each in variants:
            with suppress(*self._left_out):
                kept.append(self.closed(each, around))
        if set(kept) <= {msgspec.UnsetType}:
            raise _NoBoundsError
        return Union[tuple(kept)]  # noqa: UP007

    def _copy(self, kind: type[msgspec.Struct], around: frozenset[Any]) -> Any:
        members = []
        for field in msgspec.structs.fields(kind):
            default = msgspec.NODEFAULT if field.required else msgspec.UNSET
            told = msgspec.field(name=field.encode_name, default=default)
            with suppress(*(() if field.required else self._left_out)):
                members.append((field.name, self.closed(field.type, around), told))
        return _struct(kind, members)


class _NoBoundsError(TypeError):
    """A type that takes values of any depth or size."""


_LIMITED: Final = (str, float, bool, type(None), msgspec.UnsetType)


def _has_limits(kind: Any) -> bool:
    """Tell whether a type is that of integers within limits."""
    if get_origin(kind) is not Annotated or get_args(kind)[0] is not int:
        return False
    limits = [meta for meta in kind.__metadata__ if isinstance(meta, msgspec.Meta)]
    return any(meta.ge is not None for meta in limits) and any(
        meta.le is not None for meta in limits
    )


def _struct(kind: type[msgspec.Struct], members: list[tuple[str, Any, Any]]) -> Any:
    config = kind.__struct_config__
    return msgspec.defstruct(
        kind.__name__,
        members,
        tag_field=config.tag_field,
        tag=config.tag,
        kw_only=True,
        forbid_unknown_fields=True,
        eq=False,
        gc=False,
    )
