"""The OpenAPI documents: valid, whole, and exactly as strict as the contract that they are from."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, OpenAPIV32SpecValidator

from partwire.contract.resources import read_catalog
from partwire.contract.schemas import describe_types
from partwire.convert import CONVERSIONS
from partwire.errors import Finding
from partwire.losses import Loss
from partwire.providers import ADAPTERS
from partwire.tables.event_dialects import ALIASES
from tests.codegen.openapi_documents import (
    EDITIONS,
    Example,
    contract_types,
    examples,
    openapi,
    operations,
    parameters,
    resolved,
    validator,
)
from tests.fixture_cases import documents
from tests.reference.schema_reference import from_bundle_rs, from_sources
from tests.strategies import FAMILIES, Documents, definitions

META: Final = {"3.1": OpenAPIV31SpecValidator, "3.2": OpenAPIV32SpecValidator}
VALID_OF_A_TYPE: Final = 80
MUTATED_OF_A_TYPE: Final = 240


def faults(document: Any, edition: str) -> list[str]:
    return [error.message for error in META[edition](document).iter_errors()]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


# --- the documents themselves -------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_official_meta_schema_takes_the_document(edition: str) -> None:
    assert openapi(edition)["openapi"].startswith(edition)
    assert faults(openapi(edition), edition) == []


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document["info"].pop("title"),
        lambda document: document["paths"]["/metrics"]["get"]["responses"].update(ok={}),
        lambda document: document["paths"]["/v1/compat"]["post"].update(operationId="getHealth"),
        lambda document: document["components"]["schemas"]["Loss"].update(type="objekt"),
        lambda document: document["components"]["parameters"]["type"].update({"in": "body"}),
    ],
    ids=["title", "status", "operation-id", "schema", "place"],
)
def test_the_official_meta_schema_sees_what_is_wrong(
    edition: str, spoil: Callable[[Any], Any]
) -> None:
    document = copy.deepcopy(openapi(edition))
    spoil(document)
    assert faults(document, edition)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_document_is_whole_and_holds_nothing_that_nobody_needs(edition: str) -> None:
    document = openapi(edition)
    text = json.dumps(document)
    assert '"$id": "' not in text
    found = set(references(document))
    assert all(each.startswith("#/components/") for each in found)
    for kind, group in document["components"].items():
        for name in group:
            assert f"#/components/{kind}/{name}" in found, f"nothing leads to {kind}/{name}"


def test_only_the_newer_edition_describes_items() -> None:
    assert "itemSchema" not in json.dumps(openapi("3.1"))
    described = {
        (operation.path, media_type)
        for operation in operations("3.2")
        for place in (operation.spec.get("requestBody", {}), *operation.spec["responses"].values())
        for media_type, spec in resolved(place, "3.2").get("content", {}).items()
        if "itemSchema" in spec
    }
    sequences = {"application/jsonl", "application/x-ndjson", "text/event-stream"}
    assert described == {("/v1/assemble", each) for each in sequences} | {
        ("/v1/validate", each) for each in sequences - {"text/event-stream"}
    }
    same = {name: set(openapi(name)["components"]["schemas"]) for name in EDITIONS}
    assert same["3.1"] == same["3.2"]


# --- as strict as the contract ------------------------------------------------------------------


def of_the_bundles(component: str) -> str:
    """The type of a bundle that a component is; scalars are in the bundles of who uses them."""
    family, _, name = component.partition(".")
    if family != "common":
        return component
    return next(f"{each}.{name}" for each in FAMILIES if name in definitions(each))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_flat_schema_gives_the_verdict_of_the_contract(edition: str) -> None:
    """On every fixture document, whatever type it is one of, and on documents made wrong."""
    fixtures = [json.loads(each.data) for each in documents()]
    assert len(fixtures) > 300
    count: Counter[bool] = Counter()
    for name in contract_types(edition):
        component = validator({"$ref": f"#/components/schemas/{name}"}, edition)
        of_contract = from_bundle_rs(of_the_bundles(name))
        made = Documents(f"openapi-{name}")
        values = fixtures + [made.valid(of_the_bundles(name)) for _ in range(VALID_OF_A_TYPE)]
        values += [made.mutated(of_the_bundles(name)) for _ in range(MUTATED_OF_A_TYPE)]
        for value in values:
            verdict = of_contract(value)
            count[verdict] += 1
            assert component(value) == verdict, (name, value)
    assert min(count.values()) > 10_000


def test_the_other_validator_on_the_source_files_agrees() -> None:
    """jsonschema follows the relative references of the files; fewer documents, it is slow."""
    count: Counter[bool] = Counter()
    for name in contract_types("3.2"):
        component = validator({"$ref": f"#/components/schemas/{name}"}, "3.2")
        of_contract = from_sources(of_the_bundles(name))
        made = Documents(f"openapi-sources-{name}")
        for number in range(24):
            make = made.valid if number < 6 else made.mutated
            value = make(of_the_bundles(name))
            verdict = of_contract(value)
            count[verdict] += 1
            assert component(value) == verdict, (name, value)
    assert sum(count.values()) > 2_500
    assert min(count.values()) > 500


# --- what is in the document because the code decides it --------------------------------------


def values_of(path: str, name: str) -> list[str]:
    (operation,) = (each for each in operations("3.2") if each.path == path)
    (found,) = (each for each in parameters(operation, "3.2") if each["name"] == name)
    values: list[str] = resolved(found["schema"], "3.2")["enum"]
    return values


def test_the_lists_are_those_of_the_code() -> None:
    assert values_of("/v1/validate", "version") == list(read_catalog())
    for version in read_catalog():
        public = [row.type for row in describe_types(version) if row.public]
        assert values_of("/v1/validate", "type") == public
    assert values_of("/v1/assemble", "from") == [*ADAPTERS, *ALIASES]
    sources = {source for source, _ in CONVERSIONS}
    targets = {target for _, target in CONVERSIONS}
    assert set(values_of("/v1/convert", "type")) == sources
    families = {each.partition(".")[0] for each in targets}
    assert set(values_of("/v1/convert", "to")) == families | targets
    components = openapi("3.2")["components"]["schemas"]
    documents_of = {each["$ref"] for each in components["ConvertibleDocument"]["anyOf"]}
    assert documents_of == {f"#/components/schemas/{each}" for each in sources}


@pytest.mark.parametrize(
    ("component", "fields"), [("Finding", Finding._fields), ("Loss", Loss._fields)]
)
def test_a_component_has_the_members_of_its_tuple(component: str, fields: tuple[str, ...]) -> None:
    assert tuple(openapi("3.2")["components"]["schemas"][component]["properties"]) == fields


# --- examples -------------------------------------------------------------------------------------


def every_example() -> Iterator[Any]:
    for edition in EDITIONS:
        for example in examples(edition):
            yield pytest.param(edition, example, id=f"{edition}-{example.id}")


@pytest.mark.parametrize(("edition", "example"), list(every_example()))
def test_an_example_is_one(edition: str, example: Example) -> None:
    assert validator(example.schema, edition)(example.value)
    if isinstance(example.value, list):
        assert [json.loads(line) for line in example.text.splitlines()] == example.value


def test_there_are_examples_of_every_body_that_has_a_form() -> None:
    with_examples = {each.operation.path for each in examples("3.2") if not each.status}
    with_body = {each.path for each in operations("3.2") if "requestBody" in each.spec}
    assert with_examples == with_body
