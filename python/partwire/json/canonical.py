"""The canonical form of a JSON value, RFC 8785: equal values are equal bytes in every language.

Numbers are binary64, written as ECMAScript does; members are in the order of their names' UTF-16
code units; only what has to be escaped is.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from ..errors import Finding, WriteError, clip

__all__ = ["canonical", "number_text"]

_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}
_ESCAPED: Final = re.compile('["\\\\\\x00-\\x1f]')
_MAX_POINT: Final = 21
"""Most digits before the point that ECMAScript writes without an exponent."""
_MIN_POINT: Final = -6
"""Most zeros behind the point that it writes so."""


def canonical(value: Any) -> bytes:
    """Return the canonical JSON text of a value.

    Raises WriteError for what is not a JSON value or has no such form: ``document/not-finite``,
    ``document/lone-surrogate`` or ``shape/type``. Source: RFC 8785, section 3.2.
    """
    out: list[str] = []
    todo: list[Any] = [_Value(value)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
        else:
            todo += reversed(_opened(item.value))
    try:
        return "".join(out).encode("utf-8")
    except UnicodeEncodeError:
        raise _refused("document/lone-surrogate", "Half a surrogate pair has no UTF-8") from None


class _Value:
    """A value that is still to be written, beside text that is not."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _opened(value: Any) -> list[Any]:
    """Return a value as text, and values that are still to be written."""
    if isinstance(value, dict):
        parts: list[Any] = ["{"]
        for name in sorted(value, key=_utf16):
            parts += ["," if len(parts) > 1 else "", _string(name), ":", _Value(value[name])]
        return [*parts, "}"]
    if isinstance(value, list):
        parts = ["["]
        for item in value:
            parts += ["," if len(parts) > 1 else "", _Value(item)]
        return [*parts, "]"]
    return [_leaf(value)]


def _leaf(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return number_text(value)
    raise _refused("shape/type", "Not a JSON value", value)


def _utf16(name: Any) -> bytes:
    if not isinstance(name, str):
        raise _refused("shape/type", "The name of a member is not a string", name)
    return name.encode("utf-16-be", "surrogatepass")


def _string(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


def number_text(number: int | float) -> str:
    """Return a number as ECMAScript writes it, as binary64; raises as :func:`canonical`."""
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise _refused("document/not-finite", "Not a finite binary64 number", number)
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    # repr gives the shortest digits that read back as the same number, as ECMAScript asks.
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    return sign + _placed(digits.rstrip("0"), point)


def _placed(digits: str, point: int) -> str:
    """Return digits with the decimal point behind the ``point``-th of them."""
    if len(digits) <= point <= _MAX_POINT:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _MAX_POINT:
        return f"{digits[:point]}.{digits[point:]}"
    if _MIN_POINT < point <= 0:
        return "0." + "0" * -point + digits
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _refused(rule: str, message: str, actual: Any = None) -> WriteError:
    return WriteError(Finding(rule, message, actual=clip(actual)))
