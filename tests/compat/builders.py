"""Short ways to write schemas down, for tables of pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["PROVED", "B", "I", "N", "O", "Pair", "Row", "S", "arr", "num", "obj", "text"]

Row = tuple[Any, Any, str]
"""Old, new, and "=" or "!" for each direction, backward first."""

PROVED = ("compatible", "no-documents")
"""Of no document at all everything is true; that is not called compatible."""


class Pair(NamedTuple):
    name: str
    old: Any
    new: Any
    backward: bool
    forward: bool
    dialect: str = "2020-12"


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, **more}
    return schema | {"required": list(required)} if required else schema


def arr(**keywords: Any) -> dict[str, Any]:
    return {"type": "array", **keywords}


def num(**keywords: Any) -> dict[str, Any]:
    return {"type": "number", **keywords}


def text(**keywords: Any) -> dict[str, Any]:
    return {"type": "string", **keywords}


S: dict[str, Any] = {"type": "string"}
I: dict[str, Any] = {"type": "integer"}  # noqa: E741
N: dict[str, Any] = {"type": "number"}
B: dict[str, Any] = {"type": "boolean"}
O: dict[str, Any] = {"type": "object"}  # noqa: E741
