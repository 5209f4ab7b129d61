"""Code points of the Unicode properties that patterns name, as far as Python's own tables go."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import Final

__all__ = ["property_intervals"]

Intervals = tuple[tuple[int, int], ...]

_LONG: Final = {
    "Cased_Letter": "LC",
    "Close_Punctuation": "Pe",
    "Connector_Punctuation": "Pc",
    "Control": "Cc",
    "Currency_Symbol": "Sc",
    "Dash_Punctuation": "Pd",
    "Decimal_Number": "Nd",
    "Enclosing_Mark": "Me",
    "Final_Punctuation": "Pf",
    "Format": "Cf",
    "Initial_Punctuation": "Pi",
    "Letter": "L",
    "Letter_Number": "Nl",
    "Line_Separator": "Zl",
    "Lowercase_Letter": "Ll",
    "Mark": "M",
    "Math_Symbol": "Sm",
    "Modifier_Letter": "Lm",
    "Modifier_Symbol": "Sk",
    "Nonspacing_Mark": "Mn",
    "Number": "N",
    "Open_Punctuation": "Ps",
    "Other": "C",
    "Other_Letter": "Lo",
    "Other_Number": "No",
    "Other_Punctuation": "Po",
    "Other_Symbol": "So",
    "Paragraph_Separator": "Zp",
    "Private_Use": "Co",
    "Punctuation": "P",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Spacing_Mark": "Mc",
    "Surrogate": "Cs",
    "Symbol": "S",
    "Titlecase_Letter": "Lt",
    "Unassigned": "Cn",
    "Uppercase_Letter": "Lu",
    "digit": "Nd",
    "punct": "P",
}
_GROUPS: Final = {"LC": ("Lu", "Ll", "Lt")}


def property_intervals(name: str) -> Intervals | None:
    """Return the code points of a property, as between the braces of ``\\p{…}``; None: unknown.

    Known are general categories, ``Any`` and ``ASCII``; scripts are not in Python's tables.
    """
    if name in ("Any", "ASCII"):
        return ((0, 0x10FFFF if name == "Any" else 0x7F),)
    key, equals, value = name.partition("=")
    if equals and key not in ("General_Category", "gc"):
        return None
    wanted = _LONG.get(value or key, value or key)
    names = _GROUPS.get(wanted, (wanted,))
    found = [
        span
        for category, spans in _categories().items()
        if category in names or (len(wanted) == 1 and category.startswith(wanted))
        for span in spans
    ]
    return _joined(found) if found else None


def _joined(spans: list[tuple[int, int]]) -> Intervals:
    result: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if result and low == result[-1][1] + 1:
            result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    """Every general category with its spans of code points; a look at all of Unicode, once."""
    found: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 2):
        category = unicodedata.category(chr(code)) if code <= sys.maxunicode else ""
        if category != current:
            found.setdefault(current, []).append((start, code - 1))
            start, current = code, category
    return found
