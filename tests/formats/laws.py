"""Laws that hold for every format."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from partwire import formats, to_wire
from partwire.errors import ReadError
from partwire.json.pointer import escape_pointer

__all__ = ["GIVEN", "changed", "leaf_law", "leaves", "outcome", "survives", "wire"]

GIVEN: dict[str, str] = {"run_id": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
"""What the caller says, so that nothing of it is made up."""

_JUNK: tuple[Any, ...] = (None, True, 0, 2**60, 0.5, "", "x", "data:,", [], [[]], {}, {"type": "x"})


def wire(result: formats.FormatResult) -> list[Any]:
    """Return messages as JSON values."""
    return [to_wire(message) for message in result.messages]


def outcome(format: str, document: Any) -> tuple[Any, Any]:  # noqa: A002 - as the callee calls it
    """Return the messages and losses of a document, or the rule and place of its refusal."""
    try:
        result = formats.read(format, document, **GIVEN)
    except ReadError as error:
        return [(each.rule, each.pointer) for each in error.findings], None
    return wire(result), result.losses


def leaf_law(format: str, document: Any) -> None:  # noqa: A002
    """Assert that nothing is lost in silence.

    Each leaf is changed by itself: what is read changes as well, or a loss of the document names
    the place, or what it stands in.
    """
    messages, losses = outcome(format, document)
    assert losses is not None, f"the document is refused: {messages}"
    lossy = [loss.pointer for loss in losses if loss.severity == "lossy" and loss.pointer]
    silent = [
        (pointer, value, other)
        for pointer, value in leaves(document)
        if not any(pointer == place or pointer.startswith(f"{place}/") for place in lossy)
        for other in _others(value)
        if outcome(format, changed(document, pointer, other)) == (messages, losses)
    ]
    assert not silent, silent


def survives(format: str, document: Any) -> None:  # noqa: A002
    """Assert that no junk in any place raises anything but a refusal of this package."""
    for pointer in ["", *(pointer for pointer, _ in _nodes(document))]:
        for junk in _JUNK:
            hostile = changed(document, pointer, junk)
            before = copy.deepcopy(hostile)
            with suppress(ReadError):
                formats.read(format, hostile, **GIVEN)
            assert hostile == before, (pointer, junk)


def leaves(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield each value that is neither an array nor an object, with its place."""
    for pointer, value in _nodes(document):
        if not isinstance(value, (dict, list)):
            yield pointer, value


def changed(document: Any, pointer: str, value: Any) -> Any:
    """Return a copy of a document with another value at a place."""
    if not pointer:
        return copy.deepcopy(value)
    made = copy.deepcopy(document)
    node = made
    *way, last = (token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])
    for token in way:
        node = node[int(token) if isinstance(node, list) else token]
    node[int(last) if isinstance(node, list) else last] = copy.deepcopy(value)
    return made


def _others(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str):
        return (f"{value}x", f"x{value}", *(("",) if value else ()))
    if isinstance(value, bool):
        return (not value,)
    return (value + 1,) if isinstance(value, (int, float)) else ("x",)


def _nodes(node: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    if pointer:
        yield pointer, node
    if isinstance(node, dict):
        for name, member in node.items():
            yield from _nodes(member, f"{pointer}/{escape_pointer(name)}")
    elif isinstance(node, list):
        for number, item in enumerate(node):
            yield from _nodes(item, f"{pointer}/{number}")
