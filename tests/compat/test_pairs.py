"""Every small pair: the verdict is right, and what breaks shows a document that breaks."""

from __future__ import annotations

from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from partwire.compat import Direction, Reading, compare
from tests.compat.builders import PROVED, Pair
from tests.compat.pairs import DECLARED_PAIRS, PAIRS

RUST = {
    "draft-04": jsonschema_rs.Draft4Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
}
PYTHON: dict[str, Any] = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-07": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}


def check(pair: Pair, reading: Reading, direction: Direction) -> None:
    verdict = compare(
        pair.old, pair.new, reading=reading, direction=direction, dialect=pair.dialect
    )
    expected = pair.backward if direction == "backward" else pair.forward
    assert verdict.status in (PROVED if expected else ("breaking",)), verdict
    assert verdict.has_witness is not expected
    if not expected:
        writer, reader = pair.old, pair.new
        if direction == "forward":
            writer, reader = reader, writer
        for drafts in (PYTHON, RUST):
            assert drafts[pair.dialect](writer).is_valid(verdict.witness)
            assert not drafts[pair.dialect](reader).is_valid(verdict.witness)
        assert verdict.failures


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_exact_verdict_is_right(pair: Pair, direction: Direction) -> None:
    check(pair, "exact", direction)


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("pair", DECLARED_PAIRS, ids=lambda pair: pair.name)
def test_the_declared_verdict_is_right(pair: Pair, direction: Direction) -> None:
    check(pair, "declared", direction)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_what_is_compatible_exactly_is_compatible_as_declared(pair: Pair) -> None:
    if pair.backward:
        verdict = compare(pair.old, pair.new, reading="declared", dialect=pair.dialect)
        assert verdict.status in PROVED


FREE = [pair for pair in PAIRS if "$ref" not in str(pair) and "Ref" not in str(pair)]
"""Without references, which are relative to the whole document; booleans are not draft-04."""


@pytest.mark.parametrize("pair", FREE, ids=lambda pair: pair.name)
def test_below_a_member_the_verdict_is_the_same(pair: Pair) -> None:
    """The same change deep in a larger schema, in a required member of an item."""

    def wrap(schema: Any) -> Any:
        inner = {"type": "object", "properties": {"m": schema}, "required": ["m"]}
        return {"type": "array", "items": inner, "minItems": 1}

    nested = pair._replace(old=wrap(pair.old), new=wrap(pair.new))
    check(nested, "exact", "backward")
    check(nested, "exact", "forward")
