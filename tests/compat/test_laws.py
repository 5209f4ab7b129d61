"""What holds of any schemas whatever: laws of inclusion, and no proof that a document refutes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import jsonschema_rs
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from partwire.compat import CompatError, Verdict, compare
from partwire.compat.logic.compiler import Compiler
from partwire.compat.logic.evaluation import Evaluator
from partwire.compat.logic.linker import link
from partwire.compat.logic.shapes import Shapes
from partwire.compat.logic.terms import Terms
from partwire.compat.logic.values import freeze
from partwire.compat.sources.schemas import SchemaSet
from tests.compat.builders import PROVED
from tests.compat.schemas import DOCUMENTS, SCHEMAS

LAWS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def verdict_of(old: Any, new: Any, **options: Any) -> Verdict:
    try:
        return compare(old, new, **{"reading": "exact", **options})
    except CompatError:
        assume(False)  # an enum may name a value twice, which the draft refuses
        raise


def never_breaks(old: Any, new: Any) -> None:
    assert verdict_of(old, new).status in PROVED
    assert verdict_of(old, new, reading="declared").status in PROVED


def agrees(document: Any, schema: Any) -> bool | None:
    """What both validators say; None where one of them falls over."""
    try:
        python: bool = jsonschema.Draft202012Validator(schema).is_valid(document)
        rust = jsonschema_rs.Draft202012Validator(schema).is_valid(document)
    except Exception:  # noqa: BLE001
        return None
    return python if python is rust else None


@LAWS
@given(SCHEMAS)
def test_a_schema_is_compatible_with_itself(schema: Any) -> None:
    never_breaks(schema, schema)
    never_breaks(schema, json.loads(json.dumps(schema)))


@LAWS
@given(SCHEMAS, SCHEMAS)
def test_more_alternatives_allow_more_and_more_demands_allow_less(one: Any, other: Any) -> None:
    never_breaks(one, {"anyOf": [other, one]})
    never_breaks({"allOf": [one, other]}, other)
    never_breaks({"allOf": [one, {"not": one}]}, other)


@LAWS
@given(SCHEMAS)
def test_what_says_the_same_is_the_same(schema: Any) -> None:
    for wrapped in (
        {"oneOf": [schema]},
        {"anyOf": [schema]},
        {"allOf": [schema]},
        {"$ref": "#/$defs/it", "$defs": {"it": schema}},
        {"not": {"not": schema}},
        {"if": True, "then": schema},
    ):
        assert verdict_of(schema, wrapped).status in PROVED
        assert verdict_of(wrapped, schema).status in PROVED


@LAWS
@given(SCHEMAS, st.randoms(use_true_random=False))
def test_order_does_not_matter(schema: Any, random: Any) -> None:
    def shuffled(part: Any, keyword: str = "") -> Any:
        if isinstance(part, dict):
            names = list(part)
            random.shuffle(names)
            return {name: shuffled(part[name], name) for name in names}
        if isinstance(part, list) and keyword in ("anyOf", "oneOf", "allOf", "enum", "required"):
            return random.sample(part, len(part))
        return part

    never_breaks(schema, shuffled(schema))


@LAWS
@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_inclusion_is_transitive(first: Any, second: Any, third: Any) -> None:
    second, third = {"anyOf": [first, second]}, {"anyOf": [second, first, third]}
    assert verdict_of(first, second).status in PROVED
    assert verdict_of(first, third).status in PROVED


@LAWS
@given(SCHEMAS, SCHEMAS, st.lists(DOCUMENTS, max_size=20))
def test_no_document_refutes_a_proof(old: Any, new: Any, documents: list[Any]) -> None:
    verdict = verdict_of(old, new)
    if verdict.status in PROVED:
        for document in documents:
            assert not (agrees(document, old) is True and agrees(document, new) is False)
    elif verdict.status == "breaking":
        assert agrees(verdict.witness, old) is True
        assert agrees(verdict.witness, new) is False


@LAWS
@given(SCHEMAS, st.lists(DOCUMENTS, min_size=1, max_size=10))
def test_documents_are_read_as_validators_read_them(schema: Any, documents: list[Any]) -> None:
    """The terms into which a schema is compiled say what the schema says."""
    terms = Terms()
    shapes = Shapes(terms)
    schemas = SchemaSet()
    compiler = Compiler(schemas, terms, shapes)
    literal, _ = compiler.compile(schemas.add(schema))
    (literal,) = link(terms, shapes, compiler.bodies, [literal])
    for document in documents:
        expected = agrees(document, schema)
        if expected is not None:
            assert Evaluator(terms, shapes).holds(literal, freeze(document)) is expected
