"""The one place where a tool call's argument text becomes a value."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

__all__ = ["ParseError", "ParsedArguments", "copy_object", "parse_arguments"]

ParseError = Literal["invalid_json", "not_an_object"]

_MAX_SAFE_INTEGER = 2**53 - 1
_INFINITE = 2**1024 - 2**970  # the least integer that rounds to infinity
_SHORT_TEXT = 512  # characters; values of less are looked through faster than their text
_decode = msgspec.json.Decoder().decode
_long_number = re.compile("[0-9]{16}").search
_two_digits = re.compile("[0-9]{2}").search
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
    Source: semantics, the assembler; requirements S000-52, S000-53.
    """
    try:
        value = _decode(text)
    except RecursionError:
        if not _passes_depth(text, max_depth):
            raise  # the caller's own stack is nearly full: nothing wrong with the text
        return None
    except ValueError:
        if _passes_depth(text, max_depth):
            return None
        if not text.strip(" \t\n\r"):
            return {}, False, None
        return {}, True, "invalid_json"
    if len(text) > max_depth and _passes_depth(text, max_depth):
        return None
    unsafe = (len(text) < _SHORT_TEXT or _long_number_in(text)) and _holds_unsafe(value)
    if unsafe and _holds_infinite(value):
        return {}, True, "invalid_json"
    if type(value) is not dict:
        return {}, True, "not_an_object"
    return value, unsafe, None


def copy_object(value: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its objects and arrays copied; strings and numbers are shared.

    Recursive: what :func:`parse_arguments` returns is no deeper than its limit allows.
    """
    copy = dict(value)
    for key, member in value.items():
        if type(member) is dict:
            copy[key] = copy_object(member)
        elif type(member) is list:
            copy[key] = _copy_array(member)
    return copy


def _copy_array(value: list[Any]) -> list[Any]:
    return [
        copy_object(item)
        if type(item) is dict
        else _copy_array(item)
        if type(item) is list
        else item
        for item in value
    ]


def _passes_depth(text: str, max_depth: int) -> bool:
    if text.count("{") + text.count("[") <= max_depth:
        return False
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


def _long_number_in(text: str) -> bool:
    """Return whether 16 digits stand in a row, as an integer beyond 2^53 - 1 needs.

    Every eighth of 16 characters in a row is two: looking at those first costs an eighth.
    """
    return _two_digits(text[::8]) is not None and _long_number(text) is not None


def _holds_unsafe(value: Any) -> bool:
    """Return whether an integer beyond ±(2^53 - 1) is in ``value``; recursive, depth is checked."""
    if type(value) is int:
        return not -_MAX_SAFE_INTEGER <= value <= _MAX_SAFE_INTEGER
    if type(value) is dict:
        return any(map(_holds_unsafe, value.values()))
    return type(value) is list and any(map(_holds_unsafe, value))


def _holds_infinite(value: Any) -> bool:
    """Return whether an integer is in ``value`` that is infinite as a double."""
    if type(value) is int:
        return abs(value) >= _INFINITE
    if type(value) is dict:
        return any(map(_holds_infinite, value.values()))
    return type(value) is list and any(map(_holds_infinite, value))
