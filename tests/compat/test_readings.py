"""Which documents a reading is about: names that count as declared, and readings without any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.compat import compare
from partwire.compat.comparison import check
from partwire.compat.sources.inputs import load_source
from tests.cli.runner import run
from tests.compat.builders import S, obj

TEXT: Any = {"type": "string"}
K = {"k": S}
LATE = {"type": "object", "properties": K, "required": ["k"]}

ASKED_FOR: dict[str, Any] = {
    "required": obj(K, "a"),
    "allOf": obj(K, allOf=[{"required": ["a"]}]),
    "anyOf": obj(K, anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
    "oneOf": obj(K, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
    "then": {**LATE, "if": {"required": ["k"]}, "then": {"required": ["a"]}},
    "else": {**LATE, "if": {"required": ["z"]}, "then": False, "else": {"required": ["a"]}},
    "dependentRequired": {**LATE, "dependentRequired": {"k": ["a"]}},
    "dependentSchemas": {**LATE, "dependentSchemas": {"k": {"required": ["a"]}}},
    "reference": obj(K, allOf=[{"$ref": "#/$defs/a"}], **{"$defs": {"a": {"required": ["a"]}}}),
    "const": obj(K, const={"a": 1}),
    "enum": obj(K, enum=[{"a": 1}, {"b": 1}]),
    "minProperties": obj(K, minProperties=2),
}


@pytest.mark.parametrize("name", ASKED_FOR)
@pytest.mark.parametrize("below", [False, True])
def test_what_a_schema_asks_for_was_written(name: str, below: bool) -> None:
    """A name that has to be there makes no document impossible because no member declares it."""
    old, new = ASKED_FOR[name], TEXT
    if below and name != "reference":
        old, new = (obj({"m": schema}, "m") for schema in (old, new))
    verdict = compare(old, new)
    assert verdict.status == "breaking"
    assert verdict.witness == compare(old, new, reading="exact").witness


def test_dependencies_of_older_drafts_are_names_as_well() -> None:
    old = {**LATE, "dependencies": {"k": ["a"]}}
    for dialect in ("draft-04", "draft-07"):
        assert compare(old, TEXT, dialect=dialect).witness == {"a": None, "k": ""}


def test_a_name_that_is_depended_on_may_be_there() -> None:
    stricter = obj(K, dependentRequired={"a": ["b"]})
    assert compare(obj(K, dependentRequired={"a": []}), stricter).witness == {"a": None}


def test_an_object_that_declares_nothing_is_free_whatever_it_asks_for() -> None:
    free = {"type": "object", "required": ["a"]}
    assert compare(free, obj({"b": S}, "a")).witness == {"a": None, "b": None}


EMPTY: dict[str, tuple[Any, Any, bool]] = {
    "false": (False, TEXT, False),
    "still false": (False, False, True),
    "in other words": (False, {"not": {}}, True),
    "contradiction": (obj(K, "a", additionalProperties=False), TEXT, False),
    "unchanged": (
        obj(K, "a", additionalProperties=False),
        obj(K, "a", additionalProperties=False),
        True,
    ),
    "undeclared names alone": (
        obj(K, propertyNames={"minLength": 2}, minProperties=1),
        TEXT,
        False,
    ),
    "the same names": (obj(K, propertyNames={"minLength": 2}, minProperties=1), {}, True),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_proof_about_no_document_is_none(name: str) -> None:
    old, new, harmless = EMPTY[name]
    verdict = compare(old, new)
    assert (verdict.status, verdict.harmless) == ("no-documents", harmless)


def test_a_definition_without_documents_is_named(tmp_path: Path) -> None:
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, never in zip(paths, ({"not": {}}, TEXT), strict=True):
        path.write_text(json.dumps({"$defs": {"Never": never, "None": False, "Text": TEXT}}))
    result = run("compat", *map(str, paths), "--direction", "full", "--format", "json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    verdicts = told["details"]["reports"][0]["verdicts"]
    found = {(each["entrypoint"], each["direction"]): each for each in verdicts}
    assert found["#Never", "backward"]["status"] == "no-documents"
    assert found["#Never", "backward"]["harmless"] is False
    assert found["#Never", "forward"]["status"] == "breaking"
    assert found["#None", "forward"] == {
        "entrypoint": "#None",
        "status": "no-documents",
        "direction": "forward",
        "reading": "declared",
        "harmless": True,
    }
    assert found["#Text", "backward"]["status"] == "compatible"


@pytest.mark.parametrize(
    ("new", "options", "status", "severity"),
    [
        (TEXT, (), 1, "error"),
        (TEXT, ("--unproven", "warn"), 0, "warning"),
        (False, (), 0, "info"),
    ],
)
def test_the_status_says_whether_anything_changed(
    tmp_path: Path, new: Any, options: tuple[str, ...], status: int, severity: str
) -> None:
    for name, schema in (("old", False), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(schema))
    words = [str(tmp_path / "old.json"), str(tmp_path / "new.json"), "--format", "json", *options]
    result = run("compat", *words)
    assert result.exit_code == status
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["rule"], finding["severity"]) == ("compat/no-documents", severity)


@pytest.mark.parametrize(
    ("old", "is_advised"),
    [
        (False, False),
        (obj(K, "a", additionalProperties=False), False),
        (obj(K, propertyNames={"minLength": 2}, minProperties=1), True),
    ],
)
def test_the_exact_reading_is_advised_where_it_finds_documents(
    tmp_path: Path, old: Any, is_advised: bool
) -> None:
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, schema in zip(paths, (old, TEXT), strict=True):
        path.write_text(json.dumps(schema))
    shown = run("compat", *map(str, paths))
    assert shown.exit_code == 1
    assert "allows no document" in shown.stdout
    assert ("--reading exact" in shown.stdout) is is_advised
    exact = run("compat", *map(str, paths), "--reading", "exact")
    assert ("allows no document" in exact.stdout) is not is_advised


OPEN = obj(K, additionalProperties=True)


@pytest.mark.parametrize(
    "old",
    [
        OPEN,
        obj(K, additionalProperties={}),
        obj(K, unevaluatedProperties=True),
        obj(K, allOf=[{"additionalProperties": True}]),
    ],
)
def test_an_optional_member_of_what_is_open_by_declaration_is_new(old: Any) -> None:
    new = {**OPEN, "properties": {"k": S, "n": S}}
    verdict = compare(old, new)
    assert verdict.status == "compatible"
    assert verdict.left_out == ({"n": None},)
    assert compare(old, new, reading="exact").status == "breaking"
    below = [{"type": "array", "items": obj({"m": schema})} for schema in (old, new)]
    assert compare(*below).left_out == ([{"m": {"n": None}}],)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OPEN, obj(K, additionalProperties=False)),
        (OPEN, obj(K, additionalProperties=S)),
        (OPEN, obj({"k": S, "n": S}, additionalProperties=False)),
        (OPEN, obj({"k": S, "n": S}, "n")),
        ({"type": "object", "additionalProperties": True}, obj({"n": S})),
        (obj(K, patternProperties={"^n": {}}, additionalProperties=True), obj({"k": S, "n": S})),
    ],
    ids=["closed", "narrowed", "added-and-closed", "demanded", "free", "by-pattern"],
)
def test_what_is_open_by_declaration_is_written_otherwise(old: Any, new: Any) -> None:
    assert compare(old, new).status == "breaking"


def test_a_proof_that_holds_in_every_reading_needs_no_note(tmp_path: Path) -> None:
    for name, more in (("old", {}), ("new", {"n": S}), ("any", {"n": {}})):
        schema = obj({"k": S, **more}, additionalProperties=True)
        (tmp_path / f"{name}.json").write_text(json.dumps(schema))
    old, new, every = (load_source(str(tmp_path / f"{n}.json")) for n in ("old", "new", "any"))
    said = [note for note in check(old, new).notes if note.rule == "compat/undeclared-left-out"]
    assert [(note.values, note.bump) for note in said] == [(("#", {"n": None}), "none")]
    rules = {note.rule for note in check(old, every).notes}
    assert "compat/undeclared-left-out" not in rules


NO_B: dict[str, Any] = {"not": {"type": "object", "required": ["b"]}}
CLOSED: dict[str, Any] = {"properties": {"a": True}}
"""It demands nothing, but in the declared reading its objects have no member beside "a"."""


def test_items_behind_those_that_declare_members_are_free() -> None:
    old = {"type": "array", "prefixItems": [CLOSED, CLOSED]}
    assert compare(old, {"items": NO_B}).witness == [None, None, {"b": None}]
    assert compare(old, {"prefixItems": [NO_B, NO_B]}).status == "compatible"


def test_members_beside_those_that_declare_members_are_free() -> None:
    old = {"type": "object", "properties": {"a": CLOSED}, "additionalProperties": True}
    assert compare(old, {"patternProperties": {"^a": NO_B}}).witness == {"aa": {"b": None}}
    assert compare(old, {"properties": {"a": NO_B}}).status == "compatible"


def test_members_beside_patterns_that_declare_members_are_free() -> None:
    old = {"type": "object", "patternProperties": {"^a": CLOSED}, "additionalProperties": True}
    old |= {"properties": {"z": True}}
    assert compare(old, {"patternProperties": {"^[ab]": NO_B}}).witness == {"b": {"b": None}}
