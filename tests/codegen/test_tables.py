"""Tables as code: one set of values in every language, and a wrong table is refused by place."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codegen.problems import LintError
from codegen.targets.tables import rooms
from partwire.contract.current import LATEST_VERSION

ROOT = Path(__file__).resolve().parents[2]
RUST, TYPESCRIPT = "rust/src/generated/tables", "typescript/src/generated/tables"

TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "$schema": TEXT,
        "title": TEXT,
        "description": TEXT,
        "codes": {
            "description": "By number.",
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]+$"},
            "additionalProperties": {"$ref": "#/$defs/Colour"},
        },
        "rows": {
            "description": "Of a type.",
            "type": "object",
            "additionalProperties": {"$ref": "#/$defs/Row"},
        },
        "pairs": {"type": "array", "items": {"type": "array", "prefixItems": [TEXT, TEXT]}},
        "one": {"type": "array", "items": {**TEXT, "x-field-name": True}},
        "codes_of": {
            "description": "By code.",
            "type": "object",
            "x-keys": "Code",
            "additionalProperties": {"$ref": "#/$defs/Entry"},
        },
        "most": {"type": "integer"},
        "here": {"type": "string", "x-languages": ["python"]},
    },
    "required": ["title", "description"],
    "additionalProperties": False,
    "$defs": {
        "Colour": {"description": "A colour.", "enum": ["red", "green"]},
        "Weight": {
            "description": "A weight.",
            "oneOf": [
                {"const": "light", "description": "Not much."},
                {"const": "very-heavy", "description": "Much."},
            ],
        },
        "Entry": {
            "type": "array",
            "prefixItems": [{"$ref": "#/$defs/Weight"}, TEXT, {**TEXT, "x-languages": []}],
        },
        "Row": {
            "description": "A row.",
            "type": "object",
            "properties": {
                "colour": {"$ref": "#/$defs/Colour"},
                "mostChars": {"type": "integer"},
                "words": {"type": "string", "x-languages": ["python"]},
            },
            "required": ["colour"],
            "additionalProperties": False,
        },
    },
}
DATA: dict[str, Any] = {
    "title": "A sample.",
    "description": "For tests.",
    "codes": {"7": "red", "400": "green"},
    "rows": {"a": {"colour": "red", "mostChars": 3}, 'quote"\\': {"colour": "green", "words": "ö"}},
    "pairs": [["x", "y"], ["long " * 12, "text " * 12]],
    "one": ["standsAlone"],
    "codes_of": {"a-b": ["light", "words", "字"], "c": ["very-heavy", "word " * 20, "字"]},
    "most": 5,
    "here": "only",
}


def write(folder: Path, data: Any, schema: Any = SCHEMA) -> Path:
    tables = folder / "tables"
    tables.mkdir()
    (tables / "sample.json").write_text(json.dumps(data), "utf-8")
    (tables / "sample.schema.json").write_text(json.dumps(schema), "utf-8")
    return folder


def python_module(folder: Path, text: str) -> ModuleType:
    path = folder / "sample_table.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("sample_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_python_has_the_values(tmp_path: Path) -> None:
    made = rooms(write(tmp_path, DATA))
    module = python_module(tmp_path, made["python/partwire/tables"]["sample.py"])
    assert module.CODES == {7: "red", 400: "green"}
    assert tuple(map(tuple, DATA["pairs"])) == module.PAIRS
    assert module.ONE == ("stands_alone",)
    assert module.CODES_OF == {"a-b": ("light", "words"), "c": ("very-heavy", "word " * 20)}
    assert (module.MOST, module.HERE) == (5, "only")
    assert {
        "a": module.Row("red", 3, None),
        'quote"\\': module.Row(colour="green", most_chars=None, words="ö"),
    } == module.ROWS


def test_typescript_has_the_values(tmp_path: Path) -> None:
    made = rooms(write(tmp_path, DATA))
    compiler = ROOT / "typescript" / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        pytest.skip("npm ci in typescript/ first")
    typed = 'const codes: Code[] = ["a-b", "c"]; const weight: Weight = CODES_OF.c[0];\n'
    text = made[TYPESCRIPT]["sample.ts"] + typed
    (tmp_path / "sample.ts").write_text(text, "utf-8")
    subprocess.run(
        [compiler, "--strict", "--target", "es2022", "--module", "es2022", tmp_path / "sample.ts"],
        check=True,
    )
    (tmp_path / "sample.js").rename(tmp_path / "sample.mjs")
    show = """
        import * as t from "./sample.mjs";
        const shown = Object.entries(t).map(([name, value]) =>
            [name, value instanceof Map ? [...value] : value]);
        console.log(JSON.stringify(Object.fromEntries(shown)));
    """
    (tmp_path / "show.mjs").write_text(show, "utf-8")
    shown = subprocess.run(
        ["node", tmp_path / "show.mjs"], check=True, capture_output=True, text=True
    )
    assert json.loads(shown.stdout) == {
        "CODES": [[7, "red"], [400, "green"]],
        "ROWS": [
            ["a", {"colour": "red", "mostChars": 3}],
            ['quote"\\', {"colour": "green", "mostChars": None}],
        ],
        "PAIRS": DATA["pairs"],
        "ONE": ["standsAlone"],
        "CODES_OF": {"a-b": ["light", "words"], "c": ["very-heavy", "word " * 20]},
        "MOST": 5,
    }


def test_rust_has_the_values(tmp_path: Path) -> None:
    text = rooms(write(tmp_path, DATA))[RUST]["sample.rs"]
    assert 'pub const CODES: &[(i64, Colour)] = &[\n    (7, "red"),' in text
    assert "    pub most_chars: Option<i64>,\n}" in text
    assert '    ("a", Row { colour: "red", most_chars: Some(3) }),' in text
    assert '    ("quote\\"\\\\", Row { colour: "green", most_chars: None }),' in text
    assert "    /// Much.\n    VeryHeavy,\n}" in text
    assert '            Self::VeryHeavy => "very-heavy",' in text
    assert "pub const CODES_OF: &[(&str, Weight, &str)] = &[" in text
    assert '    ("a-b", Weight::Light, "words"),' in text
    assert "HERE" not in text


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"codes": {"7": "blue"}}, "/codes/7"),
        ({"codes": {"seven": "red"}}, "/codes"),
        ({"rows": {"a/b": {"mostChars": 3}}}, "/rows/a~1b"),
        ({"more": 1}, ""),
        ({"most": "5"}, "/most"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(LintError) as refused:
        rooms(write(tmp_path, DATA | change))
    (problem,) = refused.value.problems
    assert (problem.file, problem.pointer) == ("../tables/sample.json", pointer)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 1}', None])
def test_a_table_needs_a_schema_that_can_be_read(tmp_path: Path, text: str | None) -> None:
    schema = write(tmp_path, DATA) / "tables" / "sample.schema.json"
    if text is None:
        schema.unlink()
    else:
        schema.write_text(text, "utf-8")
    with pytest.raises(LintError) as refused:
        rooms(tmp_path)
    assert refused.value.problems[0].file == "../tables/sample.schema.json"


def test_words_of_the_contract_are_those_of_its_version() -> None:
    common = ROOT / "schemas" / LATEST_VERSION / "message" / "common.schema.json"
    contract = json.loads(common.read_text("utf-8"))["$defs"]
    asked = set()
    for path in (ROOT / "schemas" / "tables").glob("*.schema.json"):
        for name, schema in json.loads(path.read_text("utf-8")).get("$defs", {}).items():
            if of := schema.get("x-known-values-of"):
                assert schema["enum"] == contract[of]["x-known-values"], (path.name, name)
                asked.add(of)
    assert asked >= {"ErrorCode", "FinishReason"}
