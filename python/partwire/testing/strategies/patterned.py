"""Strings of a pattern: drawn as what they mean where that is known, else letter by letter.

A time that is drawn as a number shrinks to a readable one, and costs a tenth of a time that is
drawn from its regular expression.
"""

from __future__ import annotations

import base64
import re
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from hypothesis import strategies as st

__all__ = ["strings_of"]

_START: Final = datetime(2000, 1, 1)
_SECONDS: Final = 365 * 24 * 3600
_DAYS: Final = datetime.max.toordinal()
_FRACTIONS: Final = ("", ".5", ".25", ".123456789", ".000")
_ZONES: Final = ("Z", "+00:00", "-11:30", "+23:59")
_EDGES: Final = ("0000-02-29T23:59:59.999999999-23:59", "9999-12-31T00:00:00Z")


def _time(number: int) -> str:
    """Return the time that a number stands for, 0 for the plainest.

    A time is one number and not a draw for each of its parts, since hypothesis leaves whole
    objects out of a failing case only where few draws stand in them.
    """
    number, kind = divmod(number, 10)
    if kind == 9:
        return _EDGES[number % len(_EDGES)]
    number, fraction = divmod(number, len(_FRACTIONS))
    number, zone = divmod(number, len(_ZONES))
    if kind < 5:
        at = _START + timedelta(seconds=number % _SECONDS)
    else:
        at = datetime.min + timedelta(days=number % _DAYS, seconds=number % 86_400)
    return at.isoformat() + _FRACTIONS[fraction] + _ZONES[zone]


_times: Final = st.integers(0, 2**40).map(_time)


def _capitals(value: object) -> str:
    return str(value).upper()


_FORMS: Final[tuple[tuple[str, st.SearchStrategy[str]], ...]] = (
    ("2024-02-29T23:59:59.123456789+23:59", _times),
    ("0197c6f0-5A00-7000-8000-00000000000f", st.uuids().map(str) | st.uuids().map(_capitals)),
    ("0" * 62 + "0f", st.binary(min_size=32, max_size=32).map(bytes.hex)),
    ("AA+/", st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())),
)
"""A string that only one kind of pattern takes, and strings of this kind."""


@cache
def strings_of(pattern: str) -> st.SearchStrategy[str]:
    """Return strings that a pattern of a schema matches as a whole: ``^…$``."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        raise NotImplementedError(f"generate strings for {pattern} too")
    # Python's $ stands before a line break at the end too, that of JSON Schema does not.
    whole = pattern[:-1] + r"\Z"
    for probe, strings in _FORMS:
        if re.match(whole, probe):
            return strings
    return st.from_regex(whole)
