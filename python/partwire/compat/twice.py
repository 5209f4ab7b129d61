"""A name that stands twice in one object: each reader keeps another one, so it is no schema."""

from __future__ import annotations

import json
from typing import Any

from ..documents import escape_pointer

__all__ = ["name_twice"]


class _Object:
    """An object as it stands in the text."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        self.members = members


def name_twice(data: bytes) -> str | None:
    """Return the pointer of the first name that an object of a JSON text has twice, or None.

    The text is valid JSON, and no deeper than a reader can follow.
    """
    repeats = False

    def watch(members: list[tuple[str, Any]]) -> None:
        nonlocal repeats
        repeats = repeats or len(members) != len(dict(members))

    json.loads(data, object_pairs_hook=watch)
    return _pointer(json.loads(data, object_pairs_hook=_Object)) if repeats else None


def _pointer(value: Any) -> str | None:
    if isinstance(value, _Object):
        seen: set[str] = set()
        for name, member in value.members:
            step = f"/{escape_pointer(name)}"
            if name in seen:
                return step
            seen.add(name)
            below = _pointer(member)
            if below is not None:
                return step + below
    elif isinstance(value, list):
        for number, item in enumerate(value):
            below = _pointer(item)
            if below is not None:
                return f"/{number}{below}"
    return None
