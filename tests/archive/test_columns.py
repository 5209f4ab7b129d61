"""Documents as rows of a table: what is written is read back, whatever it is."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import ReadError, UsageError
from partwire.archive.columns import MORE, WHOLE, Object, columns_of
from partwire.contract.current import FAMILIES
from partwire.contract.schemas import describe_types
from partwire.json.equality import same_json
from partwire_testing.strategies import documents, json_objects

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from partwire.archive.columns import arrow_schema  # noqa: E402
from partwire.archive.parquet import (  # noqa: E402
    from_table,
    read_parquet,
    to_table,
    write_parquet,
)

PUBLIC = [
    (row.type, version) for version in FAMILIES for row in describe_types(version) if row.public
]
MESSAGE = "message.Message"
KEPT = Path(__file__).with_name("columns.txt")


def there_and_back(values: list[Any], kind: str, version: str | None = None) -> list[Any]:
    """What is read of a Parquet file that the documents were written to."""
    file = io.BytesIO()
    texts = [json.dumps(value, ensure_ascii=False).encode() for value in values]
    assert write_parquet(texts, file, kind, version) == len(values)
    table = to_table(texts, kind, version)
    table.validate(full=True)
    assert pq.read_table(file).equals(table)
    return list(read_parquet(file))


# One document of every public type in a draw: a hundred types, and not a hundred times as many.
@given(st.data())
def test_every_document_is_read_back(data: st.DataObject) -> None:
    kind, version = data.draw(st.sampled_from(PUBLIC))
    unknown = data.draw(st.booleans())
    of_type = documents(kind, version, unknown_members=unknown)
    values = data.draw(st.lists(of_type, max_size=4))
    assert same_json(there_and_back(values, kind, version), values)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A message in which one value is any other one."""
    value: Any = draw(documents(MESSAGE))
    other = draw(json_objects).get("x") if draw(st.booleans()) else draw(ANYTHING)
    holder = value
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return value
        key = draw(st.sampled_from(keys))
        if not isinstance(holder[key], (dict, list)) or draw(st.booleans()):
            holder[key] = other
            return value
        holder = holder[key]


ANYTHING = st.sampled_from(
    [None, True, False, 0, 1.0, 1.5, -0.0, 2**53 + 1, 2**63, -(2**63), 10**30, 1e300, "", "x", [], {}]
    + [[None], [1], [{}], [[]], {"kind": None}, {"_more": None}, {"a/b~c": [None]}]
)


@given(st.lists(damaged(), min_size=1, max_size=4))
def test_what_does_not_fit_is_read_back(values: list[Any]) -> None:
    assert same_json(there_and_back(values, MESSAGE), values)


@given(st.lists(json_objects, max_size=4))
def test_every_object_is_read_back(values: list[Any]) -> None:
    assert same_json(there_and_back(values, MESSAGE), values)
