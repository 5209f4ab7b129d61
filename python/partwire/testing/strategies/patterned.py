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
_DAYS_BEFORE: Final = 1999 * 365
_DAYS_AFTER: Final = 7999 * 365

_usual: Final = st.integers(0, _SECONDS).map(lambda seconds: _START + timedelta(seconds=seconds))
_any_day: Final = st.integers(-_DAYS_BEFORE, _DAYS_AFTER).map(
    lambda days: _START + timedelta(days=days, seconds=abs(days) % 86_400)
)
_times: Final = st.builds(
    lambda at, fraction, zone: at.isoformat() + fraction + zone,
    _usual | _any_day,
    st.sampled_from(["", ".5", ".25", ".123456789", ".000"]),
    st.sampled_from(["Z", "+00:00", "-11:30", "+23:59"]),
) | st.sampled_from(["0000-02-29T23:59:59.999999999-23:59", "9999-12-31T00:00:00Z"])


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
