"""JSON text and JSON values: what every document has to be before a schema looks at it.

The rules are those of I-JSON (RFC 7493): UTF-8, well-formed Unicode, finite numbers. They hold
for text and for values alike, so that both ways in give the same verdict.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from itertools import accumulate
from typing import Any

import msgspec

from ..errors import Finding, ReadError, clip
from ..tables.limits import MAX_DEPTH
from .pointer import escape_pointer

__all__ = [
    "MAX_DEPTH",
    "are_documents",
    "decode_json",
    "is_document",
    "json_text",
    "value_findings",
]

"""How deep arrays and objects may be nested in a document."""

FEWEST_BYTES = 309
"""Bytes that a document has at least if it passes a limit."""

_decode = msgspec.json.Decoder().decode
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def decode_json(data: bytes) -> Any:
    """Return the JSON value that ``data`` holds; of duplicate member names the last wins.

    Raises ReadError: ``document/empty``, ``document/invalid-utf8``, ``document/too-deep``,
    ``document/invalid-json``, ``document/lone-surrogate`` or ``document/not-finite``. Text in which
    brackets are nested too deep is that before all else, JSON or not: how far a reader sees into it
    depends on its stack.
    """
    try:
        value = _decode(data)
    except (ValueError, RecursionError) as error:
        raise ReadError(_text_finding(data, error)) from None
    if _brackets_beyond(data) and _is_beyond(_brackets_of(data)):
        raise ReadError(_too_deep())
    if _may_hold_long_integer(data) and (found := value_findings(value)):
        raise ReadError(*found)
    return value


def json_text(value: Any) -> str:
    """Return a JSON value as compact text, which escapes no more than JSON demands."""
    return _write(value)


def is_document(data: bytes) -> bool:
    """Tell whether :func:`decode_json` takes ``data``, of which a typed decode has taken its part.

    A typed decode takes any nesting and integers of any size, and in members that it skips it
    looks neither at the encoding nor at the size of numbers.
    """
    if (
        _brackets_beyond(data)
        or _may_hold_long_integer(data)
        or _exponent(data)
        or _capital_exponent(data)
    ):
        try:
            decode_json(data)
        except ReadError:
            return False
        return True
    return data.isascii() or _encoding_finding(data) is None


def are_documents(text: bytes, lines: list[bytes]) -> bool:
    """Tell whether :func:`is_document` holds for each of the ``lines`` that ``text`` is made of."""
    if not text.isascii() and _encoding_finding(text) is not None:
        return False
    if _exponent(text) or _capital_exponent(text) or _may_hold_long_integer(text):
        return all(map(is_document, lines))
    return max(map(len, lines), default=0) <= MAX_DEPTH or all(
        is_document(line) for line in lines if len(line) > MAX_DEPTH
    )


# A number beyond the largest double has either 309 digits or an exponent of three, and ends where
# the digits do: what is in an id does not. Two searches, because each begins with a fixed letter,
# which is found fast.
_exponent = re.compile(rb"e[+0-9][0-9][0-9][0-9]*(?:[],}\s]|\Z)").search
_capital_exponent = re.compile(rb"E[+0-9][0-9][0-9][0-9]*(?:[],}\s]|\Z)").search
_DIGITS = b"0" * 19
_AS_DIGIT = bytes(ord("0") if byte in b"0123456789" else 0 for byte in range(256))
_long_integer = re.compile(rb"(?<![0-9])[0-9]{309}").search


_string = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_BRACKETS = b"[]{}"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_NOT_OF_STRINGS = bytes(set(range(256)) - set(_BRACKETS + rb'"\/bfnrtu'))
_NO_BRACKETS_NO_QUOTES = bytes(set(_NO_BRACKETS) - {ord('"')})
_STEPS = {byte: 1 if byte in b"[{" else -1 for byte in _BRACKETS}


def _may_hold_long_integer(data: bytes) -> bool:
    """Return whether ``data`` has digits enough in a row to pass the largest double."""
    if len(data) < FEWEST_BYTES:
        return False
    # Of 309 digits in a row, 19 are in the sample, and stand there in a row.
    return _DIGITS in data[::16].translate(_AS_DIGIT) and _long_integer(data) is not None


def _brackets_beyond(data: bytes) -> bool:
    """Return whether ``data`` has brackets enough to be nested too deep."""
    return len(data) > MAX_DEPTH and data.count(b"{") + data.count(b"[") > MAX_DEPTH


def _is_too_deep(data: bytes) -> bool:
    """Return whether brackets outside strings are nested too deep; the text need not be JSON."""
    if not _brackets_beyond(data):
        return False
    return _is_beyond(_string.sub(b"", data).translate(None, _NO_BRACKETS))


def _brackets_of(data: bytes) -> bytes:
    """Return the brackets outside strings of what is JSON: for this no pattern has to run."""
    # Only some bytes can follow a backslash; without all others it is far shorter.
    bare = data.translate(None, _NOT_OF_STRINGS).replace(b"\\\\", b"").replace(b'\\"', b"")
    # Two quotes side by side leave what is between other quotes inside or outside, as it was.
    bare = bare.translate(None, _NO_BRACKETS_NO_QUOTES).replace(b'""', b"")
    return b"".join(bare.split(b'"')[::2])


def _is_beyond(brackets: bytes) -> bool:
    """Return whether brackets are nested too deep.

    Most are not by far, which shows when the innermost ones are taken off a few times.
    """
    left = brackets
    for levels in range(0, 16, 2):  # [{}] is two, and is gone at once
        if len(left) + levels <= MAX_DEPTH:
            return False
        left = left.replace(b"{}", b"").replace(b"[]", b"")
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH


def _encoding_finding(data: bytes) -> Finding | None:
    try:
        data.decode()
    except UnicodeDecodeError as cause:
        is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return Finding(
            "document/invalid-utf8",
            f"Not UTF-8 at byte {cause.start}",
            expected="UTF-8, and not UTF-16, which this seems to be" if is_utf16 else "UTF-8",
            actual=f"0x{data[cause.start]:02x}",
        )
    return None


def _text_finding(data: bytes, error: Exception) -> Finding:
    """Say why ``data`` is not an acceptable JSON text: msgspec's words do not name every cause."""
    if not data.strip():
        return Finding("document/empty", "There is no JSON value", expected="a JSON value")
    if bad_text := _encoding_finding(data):
        return bad_text
    if isinstance(error, RecursionError) or _is_too_deep(data):
        return _too_deep()
    text = data.decode()
    if text.startswith("\ufeff"):
        return _invalid_json("A byte order mark before the JSON text", text)
    try:
        value = json.loads(text)
    except RecursionError:
        return _too_deep()
    except json.JSONDecodeError as cause:
        return _syntax_finding(cause, text)
    except ValueError:  # an integer of more digits than CPython converts
        return _long_integer_finding(text)
    found = value_findings(value)
    return found[0] if found else _invalid_json(str(error), text)


_SAID = {
    "Expecting ',' delimiter": "A comma or a closing bracket is missing",
    "Expecting ':' delimiter": "A colon is missing",
    "Expecting value": "A value is missing",
    "Expecting property name enclosed in double quotes": "A name in double quotes is missing",
    "Extra data": "Text follows the end of the JSON value",
    "Unterminated string starting": "A string has no end; it begins",
}
"""Words of Python's parser → what they mean."""

_is_file_name = re.compile(
    r"[^\n\"{}\[\]]{1,255}\.(jsonl?|ndjson|ya?ml|sse)(\.gz|\.zst)?"
).fullmatch


def _syntax_finding(cause: json.JSONDecodeError, text: str) -> Finding:
    place = f"column {cause.colno}"
    if "\n" in text.rstrip():
        place = f"line {cause.lineno} {place}"
    said = cause.msg.removesuffix(" at")
    said = _SAID.get(said, said)
    finding = _invalid_json(f"{said} at {place}", text[cause.pos :])
    if _is_file_name(text):
        expected = "JSON text; of a file its content, as in Path(name).read_bytes()"
        return finding._replace(expected=expected)
    return finding


def _long_integer_finding(text: str) -> Finding:
    """Say what is wrong first with text that has an integer of thousands of digits."""
    try:
        json.loads(text, parse_int=float)
    except RecursionError:
        return _too_deep()
    except json.JSONDecodeError as cause:
        return _syntax_finding(cause, text)
    message = "A number is beyond the largest double"
    return Finding("document/not-finite", message, expected="a finite number")


def _invalid_json(message: str, text: str) -> Finding:
    return Finding(
        "document/invalid-json",
        message,
        expected="JSON text",
        actual=clip(text) if text else "the end of the text",
    )


def _too_deep() -> Finding:
    # Without a pointer: it would be longer than all that is said.
    return Finding(
        "document/too-deep",
        f"Nested deeper than {MAX_DEPTH} levels",
        expected=f"at most {MAX_DEPTH} levels",
    )


def value_findings(value: Any, most: int = sys.maxsize) -> list[Finding]:
    """Return what keeps a Python value from being a JSON value, at most ``most`` findings; empty
    if nothing does.

    JSON values are None, bool, int, float, str, list and dict with str keys, and what is derived
    from them. The walk keeps its own stack: nesting cannot exhaust the interpreter's. It ends
    where the nesting is too deep, because a value may hold itself.
    """
    found: list[Finding] = []
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack and len(found) < most:
        pointer, node, depth = stack.pop()
        kind = type(node)
        if kind is str or isinstance(node, str):
            if not node.isascii():
                _check_text(node, pointer, found)
        elif kind is bool or node is None:
            continue
        elif kind is int or isinstance(node, (int, float)):
            if not _is_finite(node):
                found.append(_not_finite(pointer, node))
        elif isinstance(node, (dict, list)):
            if depth >= MAX_DEPTH:
                return [_too_deep()]
            stack.extend(reversed(_children(node, pointer, depth + 1, found)))
        else:
            found.append(_no_json(pointer, node))
    return found[:most]


def _children(
    node: dict[Any, Any] | list[Any], pointer: str, depth: int, found: list[Finding]
) -> list[tuple[str, Any, int]]:
    if isinstance(node, list):
        return [(f"{pointer}/{index}", item, depth) for index, item in enumerate(node)]
    children: list[tuple[str, Any, int]] = []
    for name, member in node.items():
        if not isinstance(name, str):
            found.append(_no_json(pointer, name, "a string as member name"))
            continue
        place = f"{pointer}/{escape_pointer(name)}"
        if not name.isascii():
            _check_text(name, place, found)
        children.append((place, member, depth))
    return children


def _check_text(text: str, pointer: str, found: list[Finding]) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as cause:
        found.append(
            Finding(
                "document/lone-surrogate",
                f"A lone surrogate at character {cause.start}",
                pointer,
                expected="well-formed Unicode",
                actual=f"U+{ord(text[cause.start]):04X}",
            )
        )


def _is_finite(node: float) -> bool:
    try:
        return math.isfinite(node)
    except OverflowError:  # an int beyond the largest double
        return False


def _not_finite(pointer: str, node: float) -> Finding:
    whole = isinstance(node, int)
    return Finding(
        "document/not-finite",
        "The number is beyond the largest double" if whole else "The number is not finite",
        pointer,
        expected="a finite number",
        actual=clip(node) if whole else str(node),
    )


def _no_json(pointer: str, node: Any, expected: str = "a JSON value") -> Finding:
    kind = type(node).__name__
    message = f"Python's {kind} is not a JSON value"
    if expected != "a JSON value":
        message = f"A member name is a string, and not Python's {kind}"
    return Finding("shape/type", message, pointer, expected=expected, actual=clip(node))
