"""Laws of readers of formats."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from partwire import formats
from partwire.errors import PartwireError
from partwire.json.pointer import escape_pointer

__all__ = ["leaf_law", "read_given"]


def read_given(format: str, document: Any) -> formats.FormatResult:  # noqa: A002 - as in read
    """Read a document; what formats do not say is given."""
    return formats.read(format, document, run_id="run_1", timestamp="2026-01-02T03:04:05Z")


def leaf_law(format: str, document: Any) -> None:  # noqa: A002 - as in read
    """Nothing is lost in silence: of a leaf that changes, the result says so or a loss names it."""
    before = read_given(format, document)
    lost = {loss.pointer for loss in before.losses if loss.severity == "lossy"}
    silent = []
    for pointer, changed in _changed(document):
        try:
            after = read_given(format, changed)
        except PartwireError:
            continue
        named = any(pointer == each or pointer.startswith(f"{each}/") for each in lost)
        if after == before and not named:
            silent.append(pointer)
    assert not silent, silent


def _changed(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield the place of each leaf, and a copy of the document in which it is another value."""
    todo: list[tuple[str, tuple[Any, ...]]] = [("", ())]
    while todo:
        pointer, steps = todo.pop()
        value = document
        for step in steps:
            value = value[step]
        if isinstance(value, dict) and value:
            todo += ((f"{pointer}/{escape_pointer(name)}", (*steps, name)) for name in value)
        elif isinstance(value, list) and value:
            todo += ((f"{pointer}/{at}", (*steps, at)) for at in range(len(value)))
        elif steps:
            changed = copy.deepcopy(document)
            holder = changed
            for step in steps[:-1]:
                holder = holder[step]
            holder[steps[-1]] = _other(value)
            yield pointer, changed


def _other(value: Any) -> Any:
    """Return another value of the same type; null, and what is empty, becomes something."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, bytes):
        return value + b"other"
    if isinstance(value, str):
        return f"{value}other"
    return {"other": 1} if value == {} else ["other"] if value == [] else "other"
