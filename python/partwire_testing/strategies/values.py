"""JSON values of every kind, as free members and unknown members hold them."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

__all__ = ["json_objects", "json_values", "member_names", "texts"]

_MAX_INTEGER: Final = 2**53 - 1

member_names: Final = st.text(st.characters(codec="utf-8"), max_size=5)
"""Names of members that nobody declared."""

_scalars: Final[st.SearchStrategy[Any]] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-_MAX_INTEGER, _MAX_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=8),
)

json_values: Final[st.SearchStrategy[Any]] = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(member_names, inner, max_size=3),
    max_leaves=6,
)
"""JSON values as every language can read them: finite, whole integers up to 2^53, no lone
surrogates.
"""

json_objects: Final[st.SearchStrategy[dict[str, Any]]] = st.dictionaries(
    member_names, json_values, max_size=3
)
"""JSON objects of such values."""


def texts(least: int = 0, most: int | None = None) -> st.SearchStrategy[str]:
    """Return texts of well-formed Unicode; ``least`` and ``most`` count code points."""
    top = least + 40 if most is None else most
    return st.text(st.characters(codec="utf-8"), min_size=least, max_size=top)
