"""The smallest input that still shows a difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from partwire.json.text import json_text

from ..values import Json, bytes_of, text_of
from .request import Request

__all__ = ["shrunk"]

_LINES: Final = ("deltas", "messages", "lines", "chunks")
_TEXTS: Final = ("document", "input", "reply", "text")
_SIMPLE: Final[tuple[Any, ...]] = (None, 0, "", {}, [])


def shrunk(request: Request, shows: Callable[[Request], bool], asks: int = 800) -> Request:
    """Return a smaller request for which ``shows`` still holds; it is asked ``asks`` times.

    What comes back shows it too, and none of the steps that are tried here makes it smaller, if
    there were enough of them.
    """
    again = True
    while again and asks > 0:
        again = False
        for smaller in _smaller(request):
            asks -= 1
            if shows(smaller):
                request, again = smaller, True
                break
            if asks <= 0:
                break
    return request


def _smaller(request: Request) -> Iterator[Request]:
    given = request.given
    if request.operation == "transition":
        for name in ("fields", "state"):
            for value in _smaller_values(given[name]):
                if isinstance(value, dict):
                    yield request._replace(given=given | {name: value})
        return
    for name in sorted(set(given) - {"type", *_LINES, *_TEXTS}):
        yield request._replace(given={k: v for k, v in given.items() if k != name})
    for name in _LINES:
        if name in given:
            for lines in _smaller_lines(given[name]):
                yield request._replace(given=given | {name: lines})
    for name in _TEXTS:
        if name in given:
            for text in _smaller_texts(given[name]):
                yield request._replace(given=given | {name: text})
    for steps in _smaller_values(given.get("steps", [])):
        yield request._replace(given=given | {"steps": steps})


def _smaller_lines(lines: list[Any]) -> Iterator[list[Any]]:
    yield from (lines[:start] + lines[end:] for start, end in _chunks(len(lines)))
    for at, line in enumerate(lines):
        for text in _smaller_texts(line):
            yield [*lines[:at], text, *lines[at + 1 :]]


def _smaller_texts(text: Any) -> Iterator[Any]:
    """Yield texts that hold less: as values, if it is JSON, and as bytes."""
    data = bytes_of(text)
    try:
        value = json.loads(data)
        plain = json_text(value).encode()
    except (ValueError, RecursionError):
        pass
    else:
        for each in _smaller_values(value):
            yield text_of(json_text(each).encode())
        if len(plain) < len(data):
            yield text_of(plain)
    yield from (text_of(data[:start] + data[end:]) for start, end in _chunks(len(data)))


def _chunks(length: int) -> Iterator[tuple[int, int]]:
    """Yield pieces to leave out: big ones first, then smaller ones."""
    size = length
    while size > 0:
        yield from ((start, min(start + size, length)) for start in range(0, length, size))
        size = size // 2 if size > 1 else 0


def _smaller_values(value: Any) -> Iterator[Any]:
    """Yield values with one place less or one place simpler; outer places first."""
    keys = list(value) if isinstance(value, dict) else range(len(_items(value)))
    for key in keys:
        if isinstance(value, dict):
            yield {name: member for name, member in value.items() if name != key}
        else:
            yield value[:key] + value[key + 1 :]
    for key in keys:
        for each in _simpler(value[key]):
            yield _with(value, key, each)


def _simpler(value: Any) -> Iterator[Any]:
    if value in _SIMPLE or isinstance(value, bool):
        return
    if isinstance(value, (dict, list)):
        yield type(value)()
        yield from _smaller_values(value)
    elif isinstance(value, str):
        yield from (value[:start] + value[end:] for start, end in _chunks(min(len(value), 40)))
    else:
        yield 0
        yield 1


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _with(value: Any, key: Any, new: Any) -> Any:
    if isinstance(value, list):
        return [*value[:key], new, *value[key + 1 :]]
    copy: Json = {**value, key: new}
    return copy
