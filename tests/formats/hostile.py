"""Documents that nobody sends: each value of one in turn is something else."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import pytest

from partwire.errors import ReadError
from tests.formats.laws import read_given

__all__ = ["odd_documents", "refuses_what_is_not_json", "survives"]

_ODD: Final = (None, True, 1.5, "", "x", [], {}, [[{}]], {"type": "text"})


def odd_documents(document: Any) -> Iterator[Any]:
    """Yield copies in which one value each is odd."""
    todo: list[tuple[Any, ...]] = [()]
    while todo:
        steps = todo.pop()
        value = document
        for step in steps:
            value = value[step]
        if isinstance(value, dict):
            todo += ((*steps, name) for name in value)
        elif isinstance(value, list):
            todo += ((*steps, at) for at in range(len(value)))
        if steps:
            yield from (_put(document, steps, odd) for odd in _ODD)


def survives(format: str, document: Any) -> None:  # noqa: A002
    """Whatever stands in a document, it is read or refused, and stays as it is."""
    for odd in odd_documents(document):
        before = copy.deepcopy(odd)
        rules = set()
        try:
            read_given(format, odd)
        except ReadError as error:
            rules = {finding.rule for finding in error.findings}
        assert rules <= {"format/wrong-shape"}, odd
        assert odd == before


def refuses_what_is_not_json(format: str, wrap: Any) -> None:  # noqa: A002
    """What is not JSON, or nested without end, is refused; ``wrap`` puts it where text may be."""
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for odd in (float("nan"), endless, deep, "\ud800", {1: 2}, object(), {"a": {3}}):
        with pytest.raises(ReadError):
            read_given(format, wrap(odd))


def _put(document: Any, steps: tuple[Any, ...], value: Any) -> Any:
    made = copy.deepcopy(document)
    holder = made
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = copy.deepcopy(value)
    return made
