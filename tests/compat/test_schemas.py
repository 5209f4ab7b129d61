"""Loading: dialects, references and sets of documents; what is not a schema gets no verdict."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from unittest.mock import patch

import pytest

from partwire.compat import Comparison, CompatError, SchemaSet, compare
from partwire.compat.logic.oracle import Oracle
from partwire.compat.logic.values import freeze
from partwire.errors import PartwireError, UsageError

INVALID: list[tuple[Any, str]] = [
    ({"type": "text"}, "/type"),
    ({"allOf": [""]}, "/allOf/0"),
    ({"maxLength": None}, "/maxLength"),
    ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
    ({"$schema": "https://example.test/other"}, "/$schema"),
    ({"$schema": 1}, "/$schema"),
    ({"$defs": {"a": {"required": "a"}}}, "/$defs/a/required"),
    ({"properties": {"a": {"pattern": "(a"}}}, "/properties/a"),
    ({"patternProperties": {"[b-a]": {}}}, ""),
    ({"$ref": "#/x/a", "x": {"a": {"minimum": "1"}}}, "/x/a"),
    ({"$ref": "#/x/a", "x": {"a": 1}}, "/x/a"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "/$defs/a"),
    ({"$defs": {"a": {"not": {"$ref": "#"}}}, "allOf": [{"$ref": "#/$defs/a"}]}, ""),
    ({"minimum": float("inf")}, "/minimum"),
    ({"const": {1: 2}}, "/const"),
    ({"const": {"a": {1, 2}}}, "/const/a"),
    ("string", ""),
    (None, ""),
]
DANGLING: list[Any] = [
    {"$ref": "#/$defs/gone"},
    {"$ref": "#gone"},
    {"$ref": "https://example.test/gone"},
    {"$ref": "other.json"},
    {"$ref": "#/properties/a/1", "properties": {"a": {}}},
    {"properties": {"deep": {"items": {"$ref": "#/$defs/gone"}}}},
    {"$dynamicRef": "#gone"},
]


@pytest.mark.parametrize(("schema", "pointer"), INVALID, ids=lambda part: str(part)[:40])
def test_an_invalid_schema_gets_no_verdict(schema: Any, pointer: str) -> None:
    pairs: list[tuple[Any, Any]] = [(schema, {}), ({}, schema), (schema, schema)]
    for pair in pairs:
        with pytest.raises(CompatError) as caught:
            compare(*pair)
        assert caught.value.rule == "compat/invalid-schema"
        found = caught.value.findings[0]
        assert found.pointer.startswith(pointer)
        assert found.expected


@pytest.mark.parametrize("schema", DANGLING, ids=lambda part: str(part)[:40])
def test_a_dangling_reference_gets_no_verdict(schema: Any) -> None:
    pairs: list[tuple[Any, Any]] = [(schema, {}), ({}, schema)]
    for pair in pairs:
        with pytest.raises(CompatError) as caught:
            compare(*pair)
        assert caught.value.rule == "compat/dangling-reference"
        assert caught.value.findings[0].actual


NO_URI = "http://[::1"


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$id": NO_URI}, ""),
        ({"$ref": f"{NO_URI}#x"}, ""),
        ({"$defs": {"a": {"$id": NO_URI}}, "$ref": "#/$defs/a"}, "/$defs/a"),
        ({"$id": "https://x.test/a", "properties": {"b": {"$ref": NO_URI}}}, "/properties/b"),
    ],
    ids=["id", "ref", "embedded", "joined"],
)
def test_a_uri_that_nobody_can_read_gets_no_verdict(schema: Any, pointer: str) -> None:
    with pytest.raises(CompatError) as caught:
        compare({}, schema)
    assert caught.value.rule == "compat/invalid-schema"
    assert caught.value.findings[0].pointer == pointer
    assert caught.value.findings[0].actual is not None
    assert NO_URI in caught.value.findings[0].actual


@pytest.mark.parametrize("schema", [{"const": "\ud83d"}, {"$anchor": "\udc00"}, {"\ud800": 1}])
def test_half_a_surrogate_pair_gets_no_verdict(schema: Any) -> None:
    with pytest.raises(CompatError) as caught:
        compare({}, schema)
    assert caught.value.rule == "compat/invalid-schema"


def test_a_finding_says_in_which_document_it_is() -> None:
    schemas = SchemaSet()
    place = schemas.add({"properties": {"a": {"$ref": "gone.json"}}}, "folder/one.json")
    with pytest.raises(CompatError) as caught:
        Comparison(schemas, schemas, [(place, place)])
    assert caught.value.findings[0].source == "folder/one.json"
    assert caught.value.findings[0].pointer == "/properties/a"


def test_documents_refer_to_one_another_by_path_and_by_id() -> None:
    schemas = SchemaSet()
    root = schemas.add(
        {"properties": {"a": {"$ref": "parts/b.json#/$defs/x"}, "c": {"$ref": "https://x.test/c"}}},
        "schemas/root.json",
    )
    schemas.add({"$defs": {"x": {"$ref": "../d.json"}}}, "schemas/parts/b.json")
    schemas.add({"$id": "https://x.test/c", "type": "integer"}, "schemas/c.json")
    schemas.add({"type": "string"}, "schemas/d.json")
    plain = SchemaSet()
    flat = plain.add({"properties": {"a": {"type": "string"}, "c": {"type": "integer"}}})
    comparison = Comparison(schemas, plain, [(root, flat)])
    assert comparison.verdict(reading="exact").status == "compatible"
    forward = comparison.verdict(reading="exact", direction="forward")
    assert forward.status == "compatible"


def test_a_witness_is_found_across_documents() -> None:
    schemas = SchemaSet()
    root = schemas.add({"$ref": "parts/b.json"}, "schemas/root.json")
    schemas.add({"type": ["string", "null"]}, "schemas/parts/b.json")
    plain = SchemaSet()
    flat = plain.add({"type": "string"})
    verdict = Comparison(schemas, plain, [(root, flat)]).verdict()
    assert (verdict.status, verdict.witness) == ("breaking", None)
    assert verdict.has_witness


def test_each_document_speaks_its_own_draft() -> None:
    old = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "number",
        "minimum": 0,
        "exclusiveMinimum": True,
    }
    new = {"$schema": "https://json-schema.org/draft/2020-12/schema", "exclusiveMinimum": 0}
    assert compare(old, new).status == "compatible"
    assert compare(new, old).status == "breaking"


def test_an_embedded_resource_may_speak_another_draft() -> None:
    old = {
        "$id": "https://x.test/root",
        "$ref": "old",
        "$defs": {
            "old": {
                "$id": "old",
                "$schema": "http://json-schema.org/draft-07/schema#",
                "items": [{"type": "string"}],
            }
        },
    }
    assert compare(old, {"prefixItems": [{"type": "string"}]}, reading="exact").status == (
        "compatible"
    )


def test_two_schemas_of_one_uri_are_refused() -> None:
    schemas = SchemaSet()
    schemas.add({"type": "string"}, "a.json")
    schemas.add({"type": "string"}, "a.json")
    with pytest.raises(CompatError, match="one URI"):
        schemas.add({"type": "integer"}, "a.json")


def test_a_schema_may_refer_to_its_own_draft() -> None:
    schema = {"properties": {"schema": {"$ref": "http://json-schema.org/draft-07/schema#"}}}
    assert compare(schema, schema).status == "compatible"
    stricter = compare(schema, {"properties": {"schema": {"type": "object"}}}, reading="exact")
    assert stricter.status == "breaking"
    assert stricter.witness["schema"] in (True, False)


def test_shared_python_objects_are_no_trouble() -> None:
    part: dict[str, Any] = {"type": "string"}
    schema = {"properties": {"a": part, "b": part}}
    assert compare(schema, {"properties": {"a": {}, "b": part}}).status == "compatible"


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        compare({}, {}, dialect="draft-99")
    assert caught.value.rule == "usage/unknown-dialect"
    for options in ({"reading": "loose"}, {"direction": "sideways"}):
        with pytest.raises(UsageError) as caught:
            compare({}, {}, **options)  # type: ignore[arg-type]
        assert caught.value.rule == "usage/invalid-argument"


def test_the_extra_is_named_where_it_is_missing() -> None:
    code = (
        "import sys; sys.modules['jsonschema_rs'] = None\n"
        "from partwire.compat import compare\n"
        "from partwire.errors import UsageError\n"
        "try: compare({}, {})\n"
        "except UsageError as error: print(error.rule, error.findings[0].expected)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == 'usage/missing-extra pip install "partwire[compat]"'


def test_importing_partwire_does_not_bring_the_room() -> None:
    code = (
        "import sys, partwire\n"
        "print([m for m in sys.modules if m.startswith(('partwire.compat', 'jsonschema'))])\n"
        "import partwire.compat\n"
        "print([m for m in sys.modules if m.startswith('jsonschema')])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["[]", "[]"]


def test_a_validator_that_falls_over_confirms_nothing() -> None:
    """Without two validators there is no witness, and so no break; nor is there a proof."""
    with patch("partwire.compat.logic.oracle.Oracle.agree", return_value=None):
        verdict = compare({"type": "string"}, {"type": "integer"})
    assert verdict.status == "unproven"
    assert verdict.tried > 0
    assert any("validators" in found.reason for found in verdict.open)


@pytest.mark.parametrize(
    "reader",
    [
        {"patternProperties": {"\\p{Script=Greek}": {}, "^a": False}},
        {"additionalProperties": {"type": "number"}, "propertyNames": {"pattern": "(?<=a+)b"}},
        {"minLength": 4, "pattern": "\\p{Script=Greek}"},
    ],
    ids=str,
)
def test_a_pattern_that_a_validator_cannot_read_ends_in_a_verdict(reader: Any) -> None:
    for writer in ({"required": ["a"]}, {"type": "string"}, {}):
        for direction in ("backward", "forward"):
            assert compare(writer, reader, direction=direction).status in (
                "breaking",
                "unproven",
                "compatible",
            )


def test_only_our_own_errors_come_out() -> None:
    schemas: list[Any] = [[], 1, "x", {"$ref": 1}, {"enum": 1}, {"properties": []}]
    for schema in schemas:
        with pytest.raises(PartwireError):
            compare({}, schema)


def test_one_validator_is_not_enough() -> None:
    class Says:
        def __init__(self, answer: bool) -> None:
            self.answer = answer

        def is_valid(self, _document: Any) -> bool:
            return self.answer

    schemas = SchemaSet()
    place = schemas.add({})
    for python, rust in ((True, False), (False, True)):
        oracle = Oracle(schemas)
        with patch.object(oracle, "_validators", return_value=(Says(python), Says(rust))):
            assert oracle.agree(place, 1) is None
    assert Oracle(schemas).agree(place, 1) is True


def test_a_witness_keeps_to_the_reading() -> None:
    """A document with names that its writer does not declare shows nothing there."""
    old = {"type": "object", "properties": {"a": {"type": "string"}}}
    schemas = SchemaSet()
    place = schemas.add(old)
    comparison = Comparison(schemas, schemas, [(place, place)])
    evaluator = comparison.solver.evaluator
    shapes = frozenset((comparison.pairs[0][0].shape,))
    assert evaluator.conforms(shapes, freeze({"a": "x"}))
    assert not evaluator.conforms(shapes, freeze({"a": "x", "b": 1}))
    assert evaluator.conforms(frozenset(), freeze({"b": 1}))


@pytest.mark.parametrize("dialect", ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"])
def test_formats_are_annotations_of_schemas_too(dialect: str) -> None:
    """Generators write references that are not URIs, and everybody follows them."""
    holder = {"$ref": "#/definitions/Page<Pet>"}
    old = {"properties": {"a": holder}, "definitions": {"Page<Pet>": {"type": "string"}}}
    new = {**old, "definitions": {"Page<Pet>": {"type": "integer"}}}
    verdict = compare(old, new, dialect=dialect)
    assert verdict.witness == {"a": ""}
    assert compare(old, old, dialect=dialect).status == "compatible"
