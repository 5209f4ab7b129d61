"""Documents of every type for Hypothesis, and values that only look like JSON.

What shrinks, and promises to be valid or to be refused, is `partwire_testing.strategies`.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from partwire.contract.schemas import describe_types
from partwire_testing.conformance.drawn.meaning import at, settle
from partwire_testing.conformance.drawn.schemas import (
    Schema,
    at_least_one_of,
    definitions,
    exactly_one_groups,
    resolve,
)
from partwire_testing.conformance.drawn.values import TEXTS, Documents, edited

__all__ = [
    "FAMILIES",
    "PUBLIC_TYPES",
    "TYPES",
    "Documents",
    "Schema",
    "as_input",
    "at",
    "at_least_one_of",
    "definitions",
    "documents",
    "edited",
    "exactly_one_groups",
    "json_values",
    "python_values",
    "resolve",
    "settle",
]

FAMILIES = ("message", "session", "blocks", "envelope")
TYPES = [row.type for row in describe_types()]
PUBLIC_TYPES = [row.type for row in describe_types() if row.public]

_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(alphabet=st.characters(), max_size=8),
    st.sampled_from([*TEXTS, "\ud83d", "a\udc00", 10**400, -(10**4000), float("nan")]),
)
_names = st.one_of(st.text(max_size=5), st.sampled_from(["kind", "type", "payload", "parts", "id"]))

json_values: st.SearchStrategy[Any] = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_names, inner, max_size=4)
)
"""JSON values, and what only looks like one: NaN, lone surrogates, integers without end."""

python_values: st.SearchStrategy[Any] = st.recursive(
    _scalars | st.binary(max_size=4) | st.sampled_from([object(), ..., int, 1j, range(3)]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(_names | st.integers() | st.none(), inner, max_size=3),
        st.sets(st.integers(), max_size=2),
    ),
)
"""Any Python values."""


def as_input(document: Any) -> Any:
    """Return a document as an entrance takes it: a str would be taken for JSON text."""
    return json.dumps(document) if isinstance(document, str) else document


@st.composite
def documents(draw: st.DrawFn, types: list[str] = TYPES) -> tuple[str, Any]:
    """Draw a type and a document that is meant to be one, right or nearly so."""
    type_name = draw(st.sampled_from(types))
    maker = Documents(draw(st.integers(0, 2**32)))
    return type_name, (maker.valid if draw(st.booleans()) else maker.mutated)(type_name)
