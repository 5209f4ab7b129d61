"""JSON text and JSON values: what every document has to be before a schema looks at it.

The rules are those of I-JSON (RFC 7493): UTF-8, well-formed Unicode, finite numbers. They hold
for text and for values alike, so that both ways in give the same verdict.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec

from .errors import Finding, ReadError, clip, printable

__all__ = ["MAX_DEPTH", "decode_json", "escape_pointer", "needs_a_look", "value_findings"]

MAX_DEPTH = 512
"""How deep arrays and objects may be nested in a document."""

_decode = msgspec.json.Decoder().decode


def escape_pointer(name: str) -> str:
    """Return ``name`` as one reference token of a JSON Pointer (RFC 6901)."""
    return printable(name).replace("~", "~0").replace("/", "~1")


def decode_json(data: bytes) -> Any:
    """Return the JSON value that ``data`` holds; of duplicate member names the last wins.

    Raises ReadError: ``document/empty``, ``document/invalid-utf8``, ``document/invalid-json``,
    ``document/lone-surrogate``, ``document/not-finite`` or ``document/too-deep``.
    """
    try:
        value = _decode(data)
    except (ValueError, RecursionError) as error:
        raise ReadError(_text_finding(data, error)) from None
    if needs_a_look(data):
        if refused := _encoding_finding(data) or _depth_finding(value):
            raise ReadError(refused)
        if _long_integer(data) and (found := value_findings(value)):
            raise ReadError(*found)
    return value


def needs_a_look(data: bytes) -> bool:
    """Return whether decoding ``data`` may let something pass that no document may hold.

    Decoding takes any nesting and an integer of any size, and of members that it skips it does
    not look at the encoding.
    """
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH:
        return True
    # Of 309 digits in a row, which an integer beyond the largest double has, two are in the sample.
    if len(data) > 309 and _two_digits(data[::128]) and _long_integer(data):
        return True
    return not data.isascii() and _encoding_finding(data) is not None


_two_digits = re.compile(rb"[0-9]{2}").search
_long_integer = re.compile(rb"(?<![0-9])[0-9]{309}").search


def _encoding_finding(data: bytes) -> Finding | None:
    try:
        data.decode()
    except UnicodeDecodeError as cause:
        return Finding(
            "document/invalid-utf8",
            f"Not UTF-8 at byte {cause.start}",
            expected="UTF-8",
            actual=f"0x{data[cause.start]:02x}",
        )
    return None


def _text_finding(data: bytes, error: Exception) -> Finding:
    """Say why ``data`` is no acceptable JSON text: msgspec's words do not name every cause."""
    if not data.strip():
        return Finding("document/empty", "There is no JSON value", expected="a JSON value")
    if isinstance(error, RecursionError):
        return _too_deep("")
    if bad_text := _encoding_finding(data):
        return bad_text
    text = data.decode()
    if text.startswith("\ufeff"):
        return _invalid_json("A byte order mark stands before the JSON text", text)
    try:
        value = json.loads(text)
    except RecursionError:
        return _too_deep("")
    except json.JSONDecodeError as cause:
        place = f"line {cause.lineno} column {cause.colno}"
        said = cause.msg.removesuffix(" at")
        return _invalid_json(f"{said} at {place}", text[cause.pos :])
    except ValueError:  # an integer of more digits than CPython converts
        return Finding("document/not-finite", "A number has too many digits", expected="a double")
    found = value_findings(value)
    return found[0] if found else _invalid_json(str(error), text)


def _invalid_json(message: str, text: str) -> Finding:
    return Finding(
        "document/invalid-json",
        message,
        expected="JSON text",
        actual=clip(text) if text else "the end of the text",
    )


def _too_deep(pointer: str) -> Finding:
    return Finding(
        "document/too-deep",
        f"Nested deeper than {MAX_DEPTH}",
        pointer,
        expected=f"at most {MAX_DEPTH} levels",
    )


def _depth_finding(value: Any) -> Finding | None:
    """Return a finding if ``value`` is nested beyond the limit; cheap for shallow values."""
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return _too_deep("")
        below: list[Any] = []
        for node in level:
            members = node.values() if type(node) is dict else node
            below += [member for member in members if type(member) is dict or type(member) is list]
        level = below
    return None


def value_findings(value: Any) -> list[Finding]:
    """Return what keeps a Python value from being a JSON value; empty if nothing does.

    JSON values are None, bool, int, float, str, list and dict with str keys. The walk keeps its
    own stack: nesting cannot exhaust the interpreter's.
    """
    found: list[Finding] = []
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack:
        pointer, node, depth = stack.pop()
        kind = type(node)
        if kind is str:
            if not node.isascii():
                _check_text(node, pointer, found)
        elif kind is float or kind is int:
            if not _is_finite(node):
                found.append(_not_finite(pointer, node))
        elif kind is dict or kind is list:
            if depth >= MAX_DEPTH:
                found.append(_too_deep(pointer))
                continue
            stack.extend(reversed(_children(node, pointer, depth + 1, found)))
        elif not (node is None or kind is bool):
            found.append(_no_json(pointer, node))
    return found


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
                f"A lone surrogate stands at character {cause.start}",
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
    return Finding(
        "document/not-finite",
        "The number is not finite",
        pointer,
        expected="a finite number",
        actual=clip(node) if isinstance(node, int) else str(node),
    )


def _no_json(pointer: str, node: Any, expected: str = "a JSON value") -> Finding:
    return Finding("shape/type", "Not a JSON value", pointer, expected=expected, actual=clip(node))
