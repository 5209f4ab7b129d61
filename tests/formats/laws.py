"""Laws that hold for every format."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from partwire import formats, to_wire
from partwire.errors import ReadError
from partwire.json.pointer import escape_pointer

__all__ = [
    "changed",
    "leaf_law",
    "leaves",
    "losses_are_real",
    "outcome",
    "read_given",
    "survives",
    "wire",
]

_JUNK: tuple[Any, ...] = (None, True, 2**60, "", "x", [[]], {"type": "x"})


_ABSENT: Any = object()


def read_given(format: str, document: Any) -> formats.FormatResult:  # noqa: A002 - as read calls it
    """Read a document; what formats do not say is given."""
    return formats.read(format, document, run_id="run_1", timestamp="2026-01-02T03:04:05Z")


def wire(result: formats.FormatResult) -> list[Any]:
    """Return messages as JSON values."""
    return [to_wire(message) for message in result.messages]


def outcome(format: str, document: Any) -> tuple[Any, Any]:  # noqa: A002
    """Return the messages and losses of a document, or the rule and place of its refusal."""
    try:
        result = read_given(format, document)
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


_LEFT_OUT = ("foreign-member", "foreign-part", "foreign-message", "request-member")


def losses_are_real(format: str, document: Any) -> None:  # noqa: A002
    """Assert that what is reported as left out is: without it, the messages are the same."""
    messages, losses = outcome(format, document)
    assert losses is not None, f"the document is refused: {messages}"
    unreal = [
        loss.pointer
        for loss in losses
        if loss.code in _LEFT_OUT
        and loss.pointer
        and outcome(format, changed(document, loss.pointer, _ABSENT))[0] != messages
    ]
    assert not unreal, unreal


def survives(format: str, document: Any) -> None:  # noqa: A002
    """Assert that a document with junk in any place, or without any, is read or refused."""
    for pointer in ["", *(pointer for pointer, _ in _nodes(document))]:
        for junk in (*_JUNK, *((_ABSENT,) if pointer else ())):
            hostile = changed(document, pointer, junk)
            before = copy.deepcopy(hostile)
            with suppress(ReadError):
                read_given(format, hostile)
            assert hostile == before, (pointer, junk)


def leaves(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield each value that holds no other, with its place: empty arrays and objects, too."""
    for pointer, value in _nodes(document):
        if not value or not isinstance(value, (dict, list)):
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
    key: Any = int(last) if isinstance(node, list) else last
    if value is _ABSENT:
        del node[key]
    else:
        node[key] = copy.deepcopy(value)
    return made


def _others(value: Any) -> tuple[Any, ...]:
    """Return other values of the same type; null becomes text."""
    if isinstance(value, str):
        return (f"{value}x", f"x{value}")
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, (int, float)):
        return (value + 1,)
    if isinstance(value, bytes):
        return (value + b"x",)
    if value in ([], {}):
        return (["x"] if value == [] else {"x": 1},)
    return ("x",)


def _nodes(node: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    if pointer:
        yield pointer, node
    if isinstance(node, dict):
        for name, member in node.items():
            yield from _nodes(member, f"{pointer}/{escape_pointer(name)}")
    elif isinstance(node, list):
        for number, item in enumerate(node):
            yield from _nodes(item, f"{pointer}/{number}")
