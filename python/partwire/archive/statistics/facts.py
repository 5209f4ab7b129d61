"""What tables ask of a document: the names and the values of its row."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from ...contract import times
from ...json.pointer import names
from .measures import By, Of
from .sketches import bucket_of

__all__ = ["Document", "clipped", "getter", "key_of", "value_of"]

_LONGEST: Final = 128
_DAY_MS: Final = 86_400_000

Document: TypeAlias = tuple[bytes, Any]
"""JSON text, and its value."""


def getter(pointer: str) -> Callable[[Any], Any]:
    """Return what gets the value at a pointer without arrays; None if nothing is there."""
    path = names(pointer)

    def get(value: Any) -> Any:
        for name in path:
            if type(value) is not dict:
                return None
            value = value.get(name)
        return value

    return get


def key_of(by: By) -> Callable[[Document], Any]:
    """Return what gives the name that a document has by this."""
    get = getter(by.pointer)
    if by.kind == "size":
        return lambda document: bucket_of(len(document[0]))
    if not by.pointer:
        return lambda _: None
    if by.kind == "text":

        def text(document: Document) -> str | None:
            value = get(document[1])
            return clipped(value) if type(value) is str else None

        return text
    if by.kind == "amount":
        integer = _integer_at(by.pointer)

        def amount(document: Document) -> int | None:
            number = integer(document[1])
            return None if number is None else bucket_of(number)

        return amount
    begin, end = _ms_at(by.pointer), _ms_at(by.end)
    if by.kind == "day":

        def day(document: Document) -> str | None:
            ms = begin(document[1])
            return None if ms is None else _day_of(ms)

        return day

    def span(document: Document) -> int | None:
        first, last = begin(document[1]), end(document[1])
        if first is None or last is None:
            return None
        return bucket_of(last - first) if last >= first else -1

    return span


def value_of(of: Of) -> Callable[[Document], Any]:
    """Return what gives the value that a document has of this; None where it has none."""
    get = getter(of.pointer)
    if of.where is not None:
        found, texts = getter(of.where[0]), of.where[1]
        inner = value_of(of._replace(where=None))
        return lambda document: inner(document) if found(document[1]) in texts else None
    if of.kind == "one":
        return lambda _: 1
    if of.kind == "bytes":
        return lambda document: len(document[0])
    if of.kind == "time":
        ms = _ms_at(of.pointer)
        return lambda document: ms(document[1])
    if of.kind == "integer":
        integer = _integer_at(of.pointer)
        return lambda document: integer(document[1])

    def billionths(document: Document) -> int | None:
        value = get(document[1])
        if type(value) in (int, float) and 0 <= value < 1e9:
            return round(float(value) * 1e9)
        return None

    return billionths


def _integer_at(pointer: str) -> Callable[[Any], int | None]:
    """Return what gets the integer from 0 on at a pointer; None if none is there."""
    get = getter(pointer)

    def integer(value: Any) -> int | None:
        number = get(value)
        if type(number) is float and number.is_integer():
            number = int(number)
        return number if type(number) is int and 0 <= number < 1 << 53 else None

    return integer


def _ms_at(pointer: str) -> Callable[[Any], int | None]:
    """Return what gets the time at a pointer, in milliseconds since 1970; None if none is there."""
    get = getter(pointer)

    def of_text(value: Any) -> int | None:
        text = get(value)
        return _ms_of(text) if type(text) is str else None

    def of_number(value: Any) -> int | None:
        ms = get(value)
        if type(ms) is float and ms.is_integer():
            ms = int(ms)
        return ms if type(ms) is int and 0 <= ms <= times.LAST_MS else None

    return of_number if "/time/" in pointer else of_text


@lru_cache(maxsize=256)  # several tables ask for the times of a document
def _ms_of(text: str) -> int | None:
    if not times.is_timestamp(text):
        return None
    ms = times.instant_of(text).ms
    return ms if 0 <= ms <= times.LAST_MS else None


def _day_of(ms: int) -> str:
    return _text_of_day(ms // _DAY_MS)


@lru_cache(maxsize=256)
def _text_of_day(day: int) -> str:
    return times.text_of(day * _DAY_MS)[:10]


def clipped(text: str) -> str:
    """Return a text as it is counted: at most 128 characters of it."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
