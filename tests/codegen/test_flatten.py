"""Interface documents in one piece: references followed, names kept apart, what is wrong told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import main
from codegen.flatten import as_text, flatten, read_source
from codegen.generate import interface_files
from codegen.problems import LintError
from codegen.targets import asyncapi

Json = dict[str, Any]


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    """A folder of schemas: two families, something common, and its own document."""
    put(tmp_path / "v9.9/common/scalars.schema.json", Id={"type": "string", "minLength": 1})
    put(
        tmp_path / "v9.9/tree/tree.schema.json",
        Tree={
            "type": "object",
            "properties": {
                "id": {"$ref": "../common/scalars.schema.json#/$defs/Id", "description": "Its id."},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                "$ref": {"type": "string"},
                "leaf": {"$ref": "leaf.schema.json#/$defs/Leaf"},
            },
            "x-rules": [{"$ref": "stays"}],
            "examples": [{"$ref": "stays"}],
        },
    )
    put(
        tmp_path / "v9.9/tree/leaf.schema.json",
        Leaf={
            "oneOf": [{"$ref": "#/$defs/Green"}],
            "discriminator": {"propertyName": "c", "mapping": {"green": "#/$defs/Green"}},
        },
        Green={"properties": {"c": {"const": "green"}}, "x-known-values": ["green"]},
    )
    put(tmp_path / "v9.9/other/tree.schema.json", Tree={"type": "null"})
    report = {
        "$schema": "s",
        "$id": "i",
        "type": "object",
        "properties": {"finding": {"$ref": "#/$defs/Finding"}},
        "$defs": {"Finding": {"type": "string"}},
    }
    (tmp_path / "report.schema.json").write_text(json.dumps(report))
    return tmp_path


def put(path: Path, **definitions: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"$id": path.name, "$defs": definitions}))


def flat(schemas: Path, *references: str, **options: Any) -> Json:
    document = {"paths": [{"$ref": each} for each in references]}
    return flatten(document, schemas, name="api.src.json", **options)


def test_everything_that_is_referred_to_comes_along(schemas: Path) -> None:
    made = flat(schemas, "v9.9/tree/tree.schema.json#/$defs/Tree")
    assert made["paths"] == [{"$ref": "#/components/schemas/tree.Tree"}]
    held = made["components"]["schemas"]
    assert list(held) == ["common.Id", "tree.Green", "tree.Leaf", "tree.Tree"]
    tree = held["tree.Tree"]
    assert tree["properties"]["id"] == {
        "$ref": "#/components/schemas/common.Id",
        "description": "Its id.",
    }
    assert tree["properties"]["children"]["items"] == {"$ref": "#/components/schemas/tree.Tree"}
    assert held["tree.Leaf"]["discriminator"]["mapping"] == {
        "green": "#/components/schemas/tree.Green"
    }


def test_members_and_data_that_look_like_references_stay(schemas: Path) -> None:
    made = flat(schemas, "v9.9/tree/tree.schema.json#/$defs/Tree")
    tree = made["components"]["schemas"]["tree.Tree"]
    assert tree["properties"]["$ref"] == {"type": "string"}
    assert tree["examples"] == tree["x-rules"] == [{"$ref": "stays"}]
    document = {"examples": {"one": {"$ref": "stays"}}, "example": {"$ref": "stays"}}
    assert flatten(document, schemas, name="x")["examples"] == document["examples"]


def test_draft_07_has_nothing_beside_references(schemas: Path) -> None:
    made = flat(schemas, "v9.9/tree/tree.schema.json#/$defs/Tree", draft07=True)
    held = made["components"]["schemas"]
    assert held["tree.Tree"]["properties"]["id"] == {"$ref": "#/components/schemas/common.Id"}
    assert "discriminator" not in held["tree.Leaf"]
    assert not [key for each in held.values() for key in each if key.startswith("x-")]


def test_a_file_as_a_whole_and_its_parts(schemas: Path) -> None:
    made = flat(schemas, "report.schema.json", "report.schema.json#/$defs/Finding")
    assert made["paths"][0] == {"$ref": "#/components/schemas/report"}
    held = made["components"]["schemas"]
    assert held["report"] == {
        "type": "object",
        "properties": {"finding": {"$ref": "#/components/schemas/report.Finding"}},
    }
    assert held["report.Finding"] == {"type": "string"}


def test_what_the_source_has_itself_stays(schemas: Path) -> None:
    document = {
        "paths": {"$ref": "#/components/x"},
        "components": {"schemas": {"Own": {"$ref": "report.schema.json"}}, "x": 1},
    }
    made = flatten(document, schemas, name="api.src.json")
    assert made["paths"] == document["paths"]
    assert made["components"]["x"] == 1
    assert list(made["components"]["schemas"]) == ["Own", "report", "report.Finding"]


@pytest.mark.parametrize(
    ("references", "rule", "said"),
    [
        (["v9.9/tree/tree.schema.json#/$defs/None"], "lint/unresolved", "is not a schema"),
        (["v9.9/tree/tree.schema.json#/$defs/Tree/x-rules"], "lint/unresolved", "is not a schema"),
        (["v9.9/none.schema.json#/$defs/Tree"], "lint/unreadable", "none.schema.json"),
        (
            ["v9.9/tree/tree.schema.json#/$defs/Tree", "v8.8/tree/tree.schema.json#/$defs/Tree"],
            "lint/name-clash",
            "are both called tree.Tree",
        ),
    ],
)
def test_references_that_lead_nowhere(
    schemas: Path, references: list[str], rule: str, said: str
) -> None:
    with pytest.raises(LintError) as caught:
        flat(schemas, *references)
    assert [problem.rule for problem in caught.value.problems] == [rule]
    assert said in caught.value.problems[0].message


def test_a_name_of_the_source_is_taken(schemas: Path) -> None:
    document = {
        "paths": {"$ref": "report.schema.json#/$defs/Finding"},
        "components": {"schemas": {"report.Finding": {}}},
    }
    with pytest.raises(LintError, match="a schema file has this name"):
        flatten(document, schemas, name="api.src.json")


@pytest.mark.parametrize(("text", "rule"), [("{", "unreadable"), ("[]", "not-a-document")])
def test_a_source_that_is_none(tmp_path: Path, text: str, rule: str) -> None:
    source = tmp_path / "api.src.json"
    source.write_text(text)
    with pytest.raises(LintError, match=rule):
        read_source(source)


def test_a_folder_without_sources_has_no_documents(schemas: Path) -> None:
    assert interface_files(schemas) == {}


def test_the_text_says_what_it_is_made_from(schemas: Path) -> None:
    source = schemas / "api.src.json"
    one = json.loads(as_text({"info": {"title": "x"}, "$comment": "by hand"}, source))
    other = json.loads(as_text({"info": {"title": "y"}}, source))
    assert "$comment" not in one
    assert one["info"]["x-generated"].startswith("Generated from schemas/api.src.json (digest ")
    assert one["info"]["x-generated"] != other["info"]["x-generated"]


def test_problems_of_a_source_are_told_by_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "schemas"
    place.mkdir()
    (place / "catalog.json").write_text('{"versions": {}}')
    (place / asyncapi.SOURCE).write_text('{"$ref": "none.schema.json"}')
    assert main(["--schemas", str(place), "--output", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "asyncapi.src.json" in said
    assert "[lint/unreadable]" in said
