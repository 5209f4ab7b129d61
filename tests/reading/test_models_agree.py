"""Everything that says what a document is says the same, on fixtures and on made documents.

The verdict on a document's shape is asked of jsonschema (source files, bundle), of jsonschema-rs
(2020-12 and draft-07 bundle) and of the generated checks; the verdict on its meaning of the checks
and of a plain reading of ``x-rules``. Structs and models take every valid document and write it
back as it was; models refuse every other one. One stated difference: Python's ``$``, see the last
test.

PARTWIRE_SEED is the seed (default 1), PARTWIRE_DOCUMENTS the number of documents.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from partwire import native_core
from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_catalog
from partwire.contract.schemas import describe_types
from partwire.contract.versions import generated_module, parse_type
from partwire.errors import Finding, PartwireError
from partwire.reading.pipeline import (
    Binding,
    dump,
    read,
    read_value,
    validate,
    validate_value,
)
from tests.codegen.schema_walk import walk
from tests.fixture_cases import documents
from tests.reference import schema_reference as reference
from tests.reference.meaning_reference import meaning
from tests.strategies import PUBLIC_TYPES, TYPES, Documents, Schema, definitions
from tests.ways import way

__all__ = ["way"]

SEED = os.environ.get("PARTWIRE_SEED", "1")
COUNT = int(os.environ.get("PARTWIRE_DOCUMENTS", "24000"))
CHUNKS = 8
VERSIONS = tuple(read_catalog())

pytestmark = pytest.mark.early

VALIDATORS: dict[str, Callable[[str, str], reference.Verdict]] = {
    "jsonschema, source files": reference.from_sources,
    "jsonschema, bundle": reference.from_bundle,
    "jsonschema-rs, bundle": reference.from_bundle_rs,
    "jsonschema-rs, draft-07 bundle": reference.from_draft_07_rs,
}


class Type(NamedTuple):
    """A type of one version of the contract."""

    name: str
    version: str = LATEST_VERSION

    @property
    def schema(self) -> Schema:
        """Its definition."""
        return self.definitions[self.name.partition(".")[2]]

    @property
    def definitions(self) -> Mapping[str, Schema]:
        """All definitions of its family."""
        return definitions(self.name.partition(".")[0], self.version)


@cache
def rounds(version: str) -> tuple[str, ...]:
    """Return the types in the order in which documents are made; public types come four times."""
    rows = describe_types(version)
    return (*(row.type for row in rows), *[row.type for row in rows if row.public] * 3)


@cache
def adapter(of: Type) -> TypeAdapter[Any]:
    """Return what reads and writes a type as pydantic model."""
    family, _, name = of.name.partition(".")
    return TypeAdapter(getattr(generated_module(of.version, "models", family), name))


def check(of: Type, document: Any, level: str) -> list[Finding]:
    """Return what the generated checks find."""
    family, _, name = of.name.partition(".")
    found: list[Finding] = generated_module(of.version, "checks", family).check(
        name, document, level
    )
    return found


def differences(of: Type, document: Any, counts: Counter[str]) -> Iterator[str]:
    """Yield what does not agree about ``document``."""
    text = json.dumps(document).encode()
    valid = not check(of, document, "shape")
    counts["documents"] += 1
    counts["invalid"] += not valid
    # The native core is held against the generated checks; those are the same with it and without.
    for name, verdict in VALIDATORS.items() if native_core.core() is None else ():
        if verdict(*of)(document) is not valid:
            yield f"{name} says {'invalid' if valid else 'valid'}"
    found = check(of, document, "all")
    if validate(text, *of) != found or validate_value(document, *of) != found:
        yield "validate says something else than the checks"
    if (Binding.of(*of).decode_valid(text) is not None) > (not found):
        yield "the typed decode takes what the checks refuse"
    if valid:
        yield from meaning_differences(of, document, found)
    yield from model_differences(of, document, text, valid=valid)
    if valid and all(finding.severity == "warning" for finding in found):
        counts["round trips"] += 1
        yield from struct_differences(of, document, text, warned=bool(found))


def meaning_differences(of: Type, document: Any, found: list[Finding]) -> Iterator[str]:
    expected = meaning(document, of.schema, of.definitions)
    if sorted(expected) != sorted((finding.rule, finding.pointer) for finding in found):
        yield f"x-rules give {expected}"


def written(of: Type, document: Any) -> Any:
    return reference.as_written(document, of.schema, of.definitions)


@cache
def decoder(of: Type) -> Callable[[bytes], Any]:
    family, name, version = parse_type(*of)
    return msgspec.json.Decoder(getattr(generated_module(version, "structs", family), name)).decode


def struct_differences(of: Type, document: Any, text: bytes, *, warned: bool) -> Iterator[str]:
    """Read as struct, both ways and in both modes; write."""
    name, version = of
    value = read(text, name, version=version)
    decoded = read_value(document, name, version=version)
    if not value == decoded == read(text, name, "tolerant", version):
        yield "reading depends on where the document comes from"
    data = dump(value, *of)
    if not reference.same_json(written(of, document), msgspec.json.decode(data)):
        yield f"the struct is written as {data!r}"
    if read(data, name, version=version) != value:
        yield "what is written reads as another value"
    if decoder(of)(data) != value:
        yield "the struct refuses what is written"
    if (Binding.of(*of).decode_valid(data) is None) is not warned:
        yield "what is written is not read the quick way"


def model_differences(of: Type, document: Any, text: bytes, *, valid: bool) -> Iterator[str]:
    """Read as model, from text and from a value; write."""
    for read_as_model, given in (
        (adapter(of).validate_python, document),
        (adapter(of).validate_json, text),
    ):
        try:
            value = read_as_model(given)
        except ValidationError as error:
            if valid:
                yield f"the model refuses it: {error}"
                return
            continue
        if not valid:
            yield f"the model takes it as {value!r}"
            continue
        data = adapter(of).dump_json(value)
        if not reference.same_json(written(of, document), json.loads(data)):
            yield f"the model is written as {data!r}"


def look(made: Iterator[tuple[Type, Any]]) -> tuple[list[str], Counter[str], Counter[str]]:
    """Return the differences, counts, and documents per type."""
    found: list[str] = []
    counts: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for of, document in made:
        types[of.name] += 1
        shown = json.dumps(document)[:600]
        found += [f"{of}: {d}\n  {shown}" for d in differences(of, document, counts)]
    return found, counts, types


def made_documents(version: str, chunk: int) -> Iterator[tuple[Type, Any]]:
    maker = Documents(f"{SEED}:{chunk}", version)
    every = rounds(version)
    for number in range(chunk, COUNT, CHUNKS):
        name = every[number // CHUNKS % len(every)]
        make = maker.valid if maker.rng.random() < 0.2 else maker.mutated
        yield Type(name, version), make(name)


# A version that is frozen is generated by the same code: of its chunks, two will do.
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("version", "chunk"),
    [
        pytest.param(each, n, marks=() if n < 1 else pytest.mark.slow)
        for each in VERSIONS
        for n in range(CHUNKS if each == LATEST_VERSION else 2)
    ],
)
def test_made_documents(
    version: str, chunk: int, record_property: Callable[[str, object], None]
) -> None:
    found, counts, types = look(made_documents(version, chunk))
    record_property(f"agreement on made documents of {version} (seed {SEED})", dict(counts))
    assert not found, f"{len(found)} differences, seed {SEED}:\n" + "\n".join(found[:5])
    if COUNT >= 20_000:
        assert set(types) == set(rounds(version))
        assert 0.25 < counts["invalid"] / counts["documents"] < 0.75


def edge_documents() -> Iterator[tuple[Type, Any]]:
    """Every member of every type at its limits, and in wrong types."""
    maker = Documents(f"{SEED}:edges")
    for type_name in TYPES:
        for position in walk(type_name, across=False):
            for value in [*maker.near(position.schema), None, 0, "", {}, [], False]:
                yield Type(type_name), position.document(value)


@pytest.mark.usefixtures("untraced")
def test_edges(record_property: Callable[[str, object], None]) -> None:
    found, counts, types = look(edge_documents())
    record_property("agreement at the edges of every member", dict(counts))
    assert not found, f"{len(found)} differences, seed {SEED}:\n" + "\n".join(found[:5])
    assert set(types) == set(TYPES)
    assert counts["documents"] > 5_000


def test_enough_documents_are_made() -> None:
    """Looked at on every run: 20,000 documents, of every type some, of public types many."""
    every = rounds(LATEST_VERSION)
    types = Counter(every[number // CHUNKS % len(every)] for number in range(24_000))
    assert sum(types.values()) >= 20_000
    assert min(types[name] for name in TYPES) >= 75
    assert min(types[name] for name in PUBLIC_TYPES) >= 300


def test_fixtures(record_property: Callable[[str, object], None]) -> None:
    found, counts, types = look(
        (Type(each.type, each.version), json.loads(each.data)) for each in documents()
    )
    record_property("agreement on fixtures", dict(counts))
    assert not found, "\n".join(found[:5])
    assert counts["documents"] >= 200
    assert set(PUBLIC_TYPES) <= set(types)


def test_fixtures_have_the_verdict_that_they_state() -> None:
    wrong = [
        each.id
        for each in documents()
        if reference.from_sources(each.type, each.version)(json.loads(each.data))
        is not each.valid_shape
    ]
    assert not wrong


def test_reading_refuses_what_is_invalid() -> None:
    """Reading and checking are two ways: what one refuses, the other does."""
    maker = Documents(f"{SEED}:reading")
    refused = 0
    for type_name in rounds(LATEST_VERSION) * 4:
        document = maker.mutated(type_name)
        errors = [f for f in check(Type(type_name), document, "all") if f.severity == "error"]
        try:
            read(json.dumps(document).encode(), type_name)
            outcome = []
        except PartwireError as error:
            outcome = [f for f in error.findings if f.severity == "error"]
        assert outcome == errors
        refused += bool(errors)
    assert refused > 200


def test_python_reads_a_dollar_otherwise() -> None:
    """The stated difference: Python's ``$`` matches before a final line feed, ECMA-262's does not.

    Who validates with jsonschema as it comes lets one line feed through where a pattern is;
    fixtures with the tag ``trailing-newline`` show it.
    """
    edges = [each for each in documents() if "trailing-newline" in each.tags]
    differ = 0
    for each in edges:
        document = json.loads(each.data)
        assert not each.valid_shape
        assert not any(
            verdict(each.type, each.version)(document) for verdict in VALIDATORS.values()
        )
        differ += reference.from_sources_as_python(each.type, each.version)(document)
    assert differ >= 2
