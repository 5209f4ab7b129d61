"""The one place where a tool call's argument text becomes a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal

import msgspec

__all__ = ["ParseError", "ParsedArguments", "parse_again", "parse_arguments"]

ParseError = Literal["invalid_json", "not_an_object"]

_MAX_SAFE_INTEGER = 2**53 - 1
_INFINITE = 2**1024 - 2**970  # the least integer that rounds to infinity
_JSON_SPACE = " \t\n\r"
_PIECE_CHARS = 64 * 1024
_DIGIT = b"0"
_DIGITS_ALIKE = bytes.maketrans(b"123456789", _DIGIT * 9)
_CONTAINERS = frozenset({dict, list})
_SHORT_TEXT = 128  # characters
_decode = msgspec.json.Decoder().decode
_string_or_bracket = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL).finditer


ParsedArguments = tuple[dict[str, Any], bool, ParseError | None]
"""The arguments, whether the text says more than they do, and why they are a mere ``{}``."""


def parse_arguments(text: str, max_depth: int) -> ParsedArguments | None:
    """Parse the whole argument text of one call, once, strictly; None if it is nested too deep.

    Empty or JSON white space only is ``{}``. Everything that RFC 8259 refuses is
    ``invalid_json``: NaN, Infinity, trailing text, a byte order mark, control characters in
    strings. So are, since no document may hold them: a lone surrogate, raw or escaped, and a
    number beyond a double's range, written as integer or not. Of duplicate keys the last wins.
    An integer beyond ±(2^53 - 1), written without fraction and exponent, keeps the text beside
    the value. Depth counts brackets outside strings, whether or not the text is JSON.
    Source: semantics, the assembler.
    """
    try:
        source = _source(text)
        value = _decode(source)
    except RecursionError:
        if not _text_passes(text, max_depth):
            raise  # the caller's own stack is nearly full: nothing wrong with the text
        return None
    except ValueError:
        if _text_passes(text, max_depth):
            return None
        if not text.strip(_JSON_SPACE):
            return {}, False, None
        return {}, True, "invalid_json"
    if len(text) > max_depth and _value_passes(text, source, value, max_depth):
        return None
    # In short texts, looking through the value is faster than looking for digits.
    if (len(text) < _SHORT_TEXT or _long_number_in(source)) and _holds_unsafe(value):
        if _holds_infinite(value):
            return {}, True, "invalid_json"
        if type(value) is dict:
            return value, True, None
    return (value, False, None) if type(value) is dict else ({}, True, "not_an_object")


def parse_again(text: str) -> dict[str, Any]:
    """Return a new value of a text that :func:`parse_arguments` found to be an object."""
    value: dict[str, Any] = _decode(_source(text)) if text.strip(_JSON_SPACE) else {}
    return value


def _source(text: str) -> str | bytes:
    """Return what is fastest to look at: bytes, unless there is nothing to gain by a copy.

    msgspec would keep the encoded form of a str that is not ASCII with it, for as long as it
    lives. Raises UnicodeEncodeError for a lone surrogate.
    """
    if len(text) < _SHORT_TEXT or (len(text) > _PIECE_CHARS and text.isascii()):
        return text
    return text.encode()


def _value_passes(text: str, source: str | bytes, value: Any, max_depth: int) -> bool:
    """Return whether the text of ``value`` is nested deeper than ``max_depth``."""
    if isinstance(source, bytes):
        openings = source.count(b"{") + source.count(b"[")
    else:
        openings = source.count("{") + source.count("[")
    if openings <= max_depth:
        return False
    level, depth, count = _containers_in([[value]]), 0, 0
    while level and depth <= max_depth:
        count += len(level)
        level = _containers_in(level)
        depth += 1
    if depth > max_depth:
        return True
    # Others stand in strings, or in members whose name comes again: those count, too.
    return count < openings and _text_passes(text, max_depth)


def _containers_in(level: list[Any]) -> list[Any]:
    """Return the objects and arrays right inside those of ``level``."""
    only_objects = set(map(type, level)) == {dict}
    objects = level if only_objects else [each for each in level if type(each) is dict]
    arrays = [] if only_objects else [each for each in level if type(each) is list]

    def members() -> Iterator[Any]:
        return chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(arrays))

    # Most values have most of their members at the bottom: those are seen without a loop of ours.
    if _CONTAINERS.isdisjoint(map(type, members())):
        return []
    return [each for each in members() if type(each) is dict or type(each) is list]


def _text_passes(text: str, max_depth: int) -> bool:
    """Return whether brackets outside strings are nested deeper than ``max_depth``."""
    depth = 0
    for token in _string_or_bracket(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > max_depth:
                return True
        elif first in "]}":
            depth -= 1
    return False


def _long_number_in(source: str | bytes) -> bool:
    """Return whether 16 digits stand in a row, as an integer beyond 2^53 - 1 needs.

    Every fourth of 16 characters in a row is four: looking at those first costs a quarter.
    """
    for begin in range(0, len(source), _PIECE_CHARS):
        piece = source[begin : begin + _PIECE_CHARS + 15]
        if _DIGIT * 4 in _shape(piece[::4]) and _DIGIT * 16 in _shape(piece):
            return True
    return False


def _shape(piece: str | bytes) -> bytes:
    return (piece.encode() if isinstance(piece, str) else piece).translate(_DIGITS_ALIKE)


def _holds_unsafe(value: Any) -> bool:
    """Return whether an integer beyond ±(2^53 - 1) is in ``value``; recursive, depth is checked."""
    kind = type(value)
    if kind is int:
        return not -_MAX_SAFE_INTEGER <= value <= _MAX_SAFE_INTEGER
    if kind is not dict and kind is not list:
        return False
    for member in value.values() if kind is dict else value:
        if type(member) is not str and _holds_unsafe(member):
            return True
    return False


def _holds_infinite(value: Any) -> bool:
    """Return whether an integer is in ``value`` that is infinite as a double."""
    if type(value) is int:
        return abs(value) >= _INFINITE
    if type(value) is dict:
        return any(map(_holds_infinite, value.values()))
    return type(value) is list and any(map(_holds_infinite, value))
