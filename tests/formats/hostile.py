"""Values that are not JSON, or nested without end; streams of any events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from partwire import formats
from partwire.errors import PartwireError, ReadError
from tests.formats.laws import read_given

__all__ = ["refuses_what_is_not_json", "survives_events"]


def refuses_what_is_not_json(format: str, wrap: Callable[[Any], Any]) -> None:  # noqa: A002
    """What is not JSON, or nested without end, is refused; ``wrap`` puts it into a document."""
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for odd in (float("nan"), endless, deep, "\ud800", {1: 2}, object(), {"a": {3}}):
        with pytest.raises(ReadError):
            read_given(format, wrap(odd))


def survives_events(format: str, events: list[Any]) -> None:  # noqa: A002
    """Whatever comes, an event is refused, or each item of it is one that a run takes."""
    reader = formats.reader(format)
    run = formats.RunAssembler()
    for event in events:
        try:
            items = reader.feed(event)
        except PartwireError:
            continue
        run.feed_all(items)
    run.feed_all(reader.finish())
    run.finish()
