"""The schema files: inside the dialect, documented, exemplified, and one verdict in every form."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from pydantic import TypeAdapter
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from codegen.load import load_contract, versions
from codegen.model import TypeDef
from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle, read_catalog, read_rules
from partwire.contract.versions import generated_module

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
CONTRACTS = {version: load_contract(SCHEMAS, version) for version in versions(SCHEMAS)}
FILES = {version: sorted((SCHEMAS / version).rglob("*.json")) for version in CONTRACTS}
CONTRACT = CONTRACTS[LATEST_VERSION]


class Type(NamedTuple):
    """A type of one version of the contract."""

    version: str
    family: str
    name: str

    @property
    def definition(self) -> TypeDef:
        return CONTRACTS[self.version].families[self.family].types[self.name]

    def generated(self, kind: str) -> Any:
        return generated_module(self.version, kind, self.family)


TYPES = [
    Type(version, family.name, name)
    for version, contract in CONTRACTS.items()
    for family in contract.families.values()
    for name in family.types
]
EXAMPLES = [
    pytest.param(of, example, id=f"{of.version}-{of.family}.{of.name}-{index}")
    for of in TYPES
    for index, example in enumerate(of.definition.examples)
]
LINT_CASES = sorted((Path(__file__).parents[1] / "data" / "lint").glob("*.json"))
DIALECT = json.loads((SCHEMAS / "dialect.schema.json").read_text("utf-8"))


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def file_id(path: Path) -> str:
    return path.relative_to(SCHEMAS).as_posix()


def test_the_families_of_the_catalog_are_there() -> None:
    assert SCHEMAS == SCHEMAS
    assert list(CONTRACTS) == list(read_catalog())
    assert list(CONTRACTS)[-1] == LATEST_VERSION
    for version, contract in CONTRACTS.items():
        assert versions(SCHEMAS)[version] == tuple(contract.families)
        for family in contract.families.values():
            assert any(definition.entrypoint for definition in family.types.values()), family.name


# --- the dialect ----------------------------------------------------------------------------------


def test_the_dialect_is_a_schema() -> None:
    Draft202012Validator.check_schema(DIALECT)
    jsonschema_rs.Draft202012Validator(DIALECT)


@pytest.mark.parametrize("path", [path for each in FILES.values() for path in each], ids=file_id)
def test_file_is_inside_the_dialect(path: Path) -> None:
    document = read(path)
    found = [
        f"{list(e.path)}: {e.message}" for e in Draft202012Validator(DIALECT).iter_errors(document)
    ]
    assert found == []
    assert jsonschema_rs.Draft202012Validator(DIALECT).is_valid(document)
    Draft202012Validator.check_schema(document)


@pytest.mark.parametrize("path", LINT_CASES, ids=lambda path: path.stem)
def test_the_dialect_refuses_what_one_place_shows(path: Path) -> None:
    """What needs more than one place of a file, or a look into a pattern, is the linter's alone."""
    case = read(path)
    document = case.get("document", {**read(FILES[LATEST_VERSION][0]), "$defs": case.get("defs")})
    accepted = case["dialect"] == "accepts"
    assert Draft202012Validator(DIALECT).is_valid(document) is accepted
    assert jsonschema_rs.Draft202012Validator(DIALECT).is_valid(document) is accepted


def test_the_portable_subset_only() -> None:
    """What older tools misread does not occur, neither in sources nor in bundles.

    The dialect has ``anyOf`` for members alone of which one at least is present, as ``oneOf``.
    """
    forbidden = {"$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "if", "then", "else"}
    forbidden |= {"prefixItems", "unevaluatedProperties", "unevaluatedItems", "patternProperties"}
    forbidden |= {"not", "dependentRequired", "dependentSchemas", "format", "contains"}
    documents = [read(path) for each in FILES.values() for path in each]
    for version, contract in CONTRACTS.items():
        for family in contract.families:
            documents += [bundle(family, version), bundle(family, version, "draft-07")]
    for document in documents:
        assert keywords(document).isdisjoint(forbidden)


def keywords(schema: Any) -> set[str]:
    """Return all keywords of a schema; names of properties and definitions are none."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema))
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs", "definitions"):
            found |= set().union(*map(keywords, value.values()))
        elif keyword not in ("examples", "x-rules", "x-transitions", "discriminator"):
            found |= keywords(value)
    return found


# --- what the schemas say ------------------------------------------------------------------------


def test_every_rule_of_a_schema_is_explained() -> None:
    rules = read_rules()
    used = {
        rule.rule
        for family in CONTRACT.families.values()
        for definition in family.types.values()
        for rule in definition.rules
    }
    assert used
    assert used <= set(rules)
    assert all(rules[rule]["summary"] and rules[rule]["requirements"] for rule in used)


def test_safe_defaults_never_mean_success() -> None:
    """Source: requirements S004-28, and semantics on reading."""
    vocabulary = importlib.import_module("partwire.v0_2.vocabulary")
    assert vocabulary.SAFE_DEFAULTS["envelope.EvaluationResponse.status"] == "fail"
    assert vocabulary.SAFE_DEFAULTS["envelope.EvaluationResponse.next_action"] == "none"
    assert set(vocabulary.SAFE_DEFAULTS.values()).isdisjoint(
        {"pass", "stop", "completed", "success"}
    )
    assert set(vocabulary.UNKNOWN_VALUES.values()) == {"unknown"}
    assert vocabulary.known_finish_reason("max_tokens") == "unknown"
    assert vocabulary.known_finish_reason("length") == "length"


def test_the_tool_states_move_as_the_document_says() -> None:
    """Source: requirements S002-43."""
    vocabulary = importlib.import_module("partwire.v0_2.vocabulary")
    assert vocabulary.TRANSITIONS["session.ToolState"] == {
        "pending": ("running",),
        "running": ("completed", "error"),
        "completed": (),
        "error": (),
    }


def test_the_task_event_of_the_document_is_an_example() -> None:
    """Source: requirements S004-12."""
    event = {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": LATEST_VERSION,
        "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "payload": {"agent_id": "sop agent"},
        "retry_count": 0,
        "max_attempts": 3,
    }
    assert event in CONTRACT.families["envelope"].types["TaskEvent"].examples


# --- one verdict in every form --------------------------------------------------------------------


@cache
def validators(of: Type) -> dict[str, Any]:
    """Return validators of one type: source files and bundles, by two implementations."""
    version, family, name = of
    files = [read(path) for path in FILES[version]]
    resources = [(file["$id"], DRAFT202012.create_resource(file)) for file in files]
    source = {"$ref": f"https://partwire.dev/schemas/{version}/{of.definition.file}#/$defs/{name}"}
    new = {**bundle(family, version), "$ref": f"#/$defs/{name}"}
    # Draft-07 looks at nothing beside $ref.
    old = {**bundle(family, version, "draft-07"), "allOf": [{"$ref": f"#/definitions/{name}"}]}
    return {
        "source": Draft202012Validator(source, registry=Registry().with_resources(resources)),
        "2020-12": Draft202012Validator(new),
        "2020-12-rs": jsonschema_rs.Draft202012Validator(new),
        "draft-07": Draft7Validator(old),
        "draft-07-rs": jsonschema_rs.Draft7Validator(old),
    }


def verdicts(of: Type, document: Any) -> dict[str, bool]:
    """Return what each form says, and what the generated checks say of the shape."""
    found = {form: v.is_valid(document) for form, v in validators(of).items()}
    return {**found, "checks": of.generated("checks").check(of.name, document, "shape") == []}


@pytest.mark.parametrize(("of", "example"), EXAMPLES)
def test_example_is_valid_in_every_form(of: Type, example: Any) -> None:
    assert set(verdicts(of, example).values()) == {True}
    assert of.generated("checks").check(of.name, example) == []


@pytest.mark.parametrize(("of", "example"), EXAMPLES)
def test_example_goes_through_structs_and_models_unchanged(of: Type, example: Any) -> None:
    kind = getattr(of.generated("structs"), of.name)
    struct = msgspec.json.decode(json.dumps(example).encode(), type=kind)
    assert msgspec.to_builtins(struct) == example
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(of.generated("models"), of.name))
    assert adapter.dump_python(adapter.validate_python(example)) == example


@pytest.mark.parametrize(("of", "example"), EXAMPLES)
def test_example_with_one_thing_wrong_gets_one_verdict(of: Type, example: Any) -> None:
    """Every place of every example, with null, another type and nothing in its stead."""
    refused = 0
    for document in broken(example):
        seen = verdicts(of, document)
        assert len(set(seen.values())) == 1, (document, seen)
        refused += not seen["checks"]
    free = isinstance(of.definition.schema.get("additionalProperties"), dict)
    assert refused or free or example == {}


REPLACEMENTS: tuple[Any, ...] = (None, 7.5, [], {}, "")


def broken(example: Any) -> Iterator[Any]:
    yield from (None, 7.5)
    for path in paths(example):
        for replacement in REPLACEMENTS:
            document = copy.deepcopy(example)
            holder = document
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = replacement
            yield document
        if isinstance(path[-1], str):
            document = copy.deepcopy(example)
            holder = document
            for step in path[:-1]:
                holder = holder[step]
            del holder[path[-1]]
            yield document


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        pairs: Any = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    else:
        return
    for key, inner in pairs:
        yield (*here, key)
        yield from paths(inner, (*here, key))


# --- scalars --------------------------------------------------------------------------------------

TIMES = {
    "2025-07-15T02:03:04Z": True,
    "2025-07-15T02:03:04.123456789+14:00": True,
    "2024-02-29T00:00:00Z": True,
    "2000-02-29T00:00:00Z": True,
    "1900-02-29T00:00:00Z": False,
    "2025-02-29T00:00:00Z": False,
    "2025-02-30T00:00:00Z": False,
    "2025-04-31T00:00:00Z": False,
    "2025-13-01T00:00:00Z": False,
    "2025-07-15T24:00:00Z": False,
    "2025-07-15T02:03:04": False,
    "2025-07-15t02:03:04z": False,
    "2025-07-15 02:03:04Z": False,
    "2025-07-15T02:03:04.Z": False,
    "2025-07-15T02:03:04.1234567890Z": False,
    "2025-07-15T02:03:04Z\n": False,
    "٢٠٢٥-07-15T02:03:04Z": False,
    "": False,
}


@pytest.mark.parametrize(("text", "valid"), TIMES.items(), ids=repr)
def test_timestamp(text: str, valid: bool) -> None:
    checks = importlib.import_module("partwire.v0_2.checks.message")
    assert (checks.check("Timestamp", text) == []) is valid
    seen = verdicts(Type(LATEST_VERSION, "message", "Timestamp"), text)
    if text.endswith("\n"):  # jsonschema searches with Python's $, which takes a final newline
        seen = {
            form: v for form, v in seen.items() if form in ("2020-12-rs", "draft-07-rs", "checks")
        }
    assert set(seen.values()) == {valid}


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (0, None),
        (2**53 - 1, None),
        (1.0, None),
        (-0.0, None),
        (2**53, "shape/maximum"),
        (-1, "shape/minimum"),
        (1.5, "shape/integer"),
        (True, "shape/type"),
        ("1", "shape/type"),
        (None, "shape/null"),
        (10**400, "shape/maximum"),
    ],
    ids=repr,
)
def test_integer(value: Any, rule: str | None) -> None:
    checks = importlib.import_module("partwire.v0_2.checks.message")
    found = checks.check("Seq", value)
    assert [each.rule for each in found] == ([] if rule is None else [rule])
    assert set(verdicts(Type(LATEST_VERSION, "message", "Seq"), value).values()) == {rule is None}
