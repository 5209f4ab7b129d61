"""Small arrays, all of them tried: no verdict that one of them refutes."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import jsonschema_rs
import pytest

from partwire.compat import compare
from tests.compat.builders import PROVED

VALUES: list[Any] = ["a", None, 1, 2, True]
ARRAYS = [list(items) for size in range(5) for items in product(VALUES, repeat=size)]

FEW = {"type": "array", "items": {"enum": ["a", None, 1]}, "uniqueItems": True, "minItems": 3}


@pytest.mark.parametrize("most", [1, 2, 3])
def test_where_other_values_run_out_those_that_count_are_taken(most: int) -> None:
    """Three different items of three values: one of them is the integer, which may be there."""
    writer = {**FEW, "contains": {"type": "integer"}, "minContains": 0, "maxContains": most}
    verdict = compare(writer, False, reading="exact")
    assert verdict.status == "breaking"
    assert sorted(map(str, verdict.witness)) == ["1", "None", "a"]


def test_where_none_may_count_there_is_no_such_array() -> None:
    writer = {**FEW, "contains": {"type": "integer"}, "minContains": 0, "maxContains": 0}
    assert compare(writer, False, reading="exact").status == "no-documents"
    two = {**FEW, "contains": {"type": ["integer", "null"]}, "maxContains": 1}
    assert compare(two, False, reading="exact").status == "no-documents"
    assert compare({**two, "maxContains": 2}, False, reading="exact").status == "breaking"


TWO_NUMBERS = {
    "type": "array",
    "items": {"type": ["integer", "null"]},
    "contains": {"enum": [1, None]},
    "maxContains": 2,
    "minContains": 0,
}


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        (
            {
                "contains": {"type": "null"},
                "minContains": 2,
                "anyOf": [{"contains": {"enum": [None, True]}, "minContains": 3}],
            },
            TWO_NUMBERS,
        ),
        (
            {"prefixItems": [True, {"type": ["integer", "null"]}], "contains": {"const": 1}}
            | {"minContains": 2, "maxContains": 3},
            {"type": "array", "contains": {"const": 2}, "minContains": 4},
        ),
        (
            {"items": {"type": "number"}, "contains": {"const": 2}, "minContains": 3}
            | {"maxContains": 3, "allOf": [{"contains": {"enum": [True, 2]}, "minContains": 2}]},
            {"contains": {"enum": [1, 2]}, "maxContains": 1},
        ),
    ],
)
def test_of_few_values_there_are_not_many_different_items(writer: Any, reader: Any) -> None:
    unique = {"type": "array", "uniqueItems": True, **writer}
    assert compare(unique, reader, reading="exact").status in PROVED


def _kind(rng: random.Random) -> Any:
    return rng.choice(
        [
            {"enum": rng.sample(VALUES, rng.randint(1, 3))},
            {"type": rng.choice(["string", "null", "integer", "boolean"])},
            {"not": {"enum": rng.sample(VALUES, 2)}},
            {"type": ["integer", "null"]},
            True,
        ]
    )


def _schema(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for keyword in ("minItems", "maxItems", "minContains", "maxContains"):
        if rng.random() < 0.4:
            made[keyword] = rng.randint(0, 3)
    if rng.random() < 0.4:
        made["uniqueItems"] = True
    if rng.random() < 0.4:
        made["prefixItems"] = [_kind(rng) for _ in range(rng.randint(1, 3))]
    for keyword in ("items", "contains"):
        if rng.random() < 0.6:
            made[keyword] = _kind(rng)
    if depth == 0 and rng.random() < 0.4:
        keyword = rng.choice(["not", "anyOf", "oneOf", "allOf"])
        parts = [_schema(rng, 1) for _ in range(2)]
        made[keyword] = parts[0] if keyword == "not" else parts
    return made


@pytest.mark.parametrize("seed", [45, 59, 113, 115])
def test_no_small_array_refutes_a_verdict(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        old = {"type": "array", **_schema(rng)}
        new = {"type": "array", **old, **_schema(rng)}
        valid = {}
        for name, schema in (("old", old), ("new", new)):
            allows = jsonschema_rs.Draft202012Validator(schema).is_valid
            valid[name] = [allows(document) for document in ARRAYS]
        for writer, reader in (("old", "new"), ("new", "old")):
            pair = (old, new) if writer == "old" else (new, old)
            status = compare(*pair, reading="exact").status
            both = zip(ARRAYS, valid[writer], valid[reader], strict=True)
            refuting = [document for document, here, there in both if here and not there]
            assert status != "compatible" or not refuting, (pair, refuting[:3])
