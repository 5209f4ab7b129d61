"""Places that a log may name: as far as the contract names them, for all else is somebody's data.

A member of a free object, and whatever stands where the contract has no members at all, may be
called after a person, a path or a key.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Final

import msgspec.inspect as shape

from partwire.v0_2.structs import session

__all__ = ["is_member_name", "known_place"]

_ROOTS: Final = (session.WithParts, session.Part, session.ToolState)
"""What a finding's pointer may start at."""


def known_place(pointer: str) -> str:
    """Return ``pointer`` up to the last step that the contract names."""
    kinds: list[shape.Type] = list(_roots())
    known = ""
    for step in pointer.split("/")[1:]:
        found = [each for kind in kinds for each in _below(kind, step)]
        if not found:
            break
        known, kinds = f"{known}/{step}", found
    return known or "the whole"


def is_member_name(name: str) -> bool:
    """Tell whether a part, or what it holds, has a member or an attribute of this name."""
    return name in _names()


@functools.cache
def _roots() -> tuple[shape.Type, ...]:
    return shape.multi_type_info(_ROOTS)


@functools.cache
def _names() -> frozenset[str]:
    names: set[str] = set()
    seen: set[int] = set()
    todo = list(_roots())
    while todo:
        kind = todo.pop()
        if id(kind) in seen:
            continue
        seen.add(id(kind))
        if isinstance(kind, shape.UnionType):
            todo += kind.types
        elif isinstance(kind, shape.ListType):
            todo.append(kind.item_type)
        elif isinstance(kind, shape.StructType):
            names.update({kind.tag_field} if kind.tag_field else ())
            for field in kind.fields:
                names |= {field.name, field.encode_name}
                todo.append(field.type)
    return frozenset(names)


def _below(kind: shape.Type, step: str) -> Iterator[shape.Type]:
    """Give what may stand at ``step`` in a value of this type."""
    if isinstance(kind, shape.UnionType):
        for each in kind.types:
            yield from _below(each, step)
    elif isinstance(kind, shape.ListType):
        if step.isdecimal() and step.isascii():
            yield kind.item_type
    elif isinstance(kind, shape.StructType):
        if step == kind.tag_field:
            yield shape.StrType()
        yield from (field.type for field in kind.fields if field.encode_name == step)
