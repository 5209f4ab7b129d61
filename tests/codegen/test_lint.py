"""The linter of the schemas: what the dialect forbids is refused, with file, pointer and rule.

Each file of ``tests/data/lint`` holds one small bad schema and every problem that it has to give.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import main
from codegen.load import load_contract
from codegen.patterns import PatternError, check_pattern
from codegen.problems import LintError, Problem
from partwire.contract.resources import read_rules

CASES = sorted((Path(__file__).parents[1] / "data" / "lint").glob("*.json"))
SCHEMAS = Path(__file__).parents[2] / "schemas" / "v0.1"
REAL = sorted((SCHEMAS / "message").glob("*.json"))
REAL_RULES = {"rules": read_rules()}
COMMON = SCHEMAS / "common" / "scalars.schema.json"
GOOD = {"Thing": {"type": "string", "description": "A text.", "examples": ["x"]}}
FILE = "sample/thing.schema.json"


def schema_file(defs: Any, file: str = FILE) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://partwire.dev/schemas/v0.1/{file}",
        "title": "Things",
        "description": "Things.",
        "$defs": defs,
    }


def schemas(
    folder: Path,
    files: dict[str, Any],
    families: tuple[str, ...] = ("sample",),
    rules: Any = None,
) -> Path:
    """Write a schemas folder with one version; a str is written as it is."""
    catalog = {"versions": {"v0.1": {"status": "draft", "families": families}}}
    rule = {"severity": "warning", "summary": "A rule.", "requirements": ["C-02"]}
    rules = rules or {"rules": {"sample/rule": rule}}
    rooms = {rule.partition("/")[0] for rule in rules["rules"]}
    documents = {"catalog.json": catalog}
    for room in rooms:
        own = {rule: row for rule, row in rules["rules"].items() if rule.startswith(f"{room}/")}
        documents[f"rules/{room}.json"] = {"rules": own}
    for name, document in {**documents, **{f"v0.1/{k}": v for k, v in files.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, "utf-8")
    return folder


def problems(folder: Path, files: dict[str, Any], **options: Any) -> list[Problem]:
    schemas(folder, files, **options)
    try:
        load_contract(folder, "v0.1")
    except LintError as error:
        return error.problems
    return []


def test_the_cases_are_there() -> None:
    assert len(CASES) > 80


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_bad_schema(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    document = case["document"] if "document" in case else schema_file(case["defs"])
    found = problems(tmp_path, {FILE: document})
    assert sorted((each.rule, each.pointer) for each in found) == sorted(
        (each["rule"], each["pointer"]) for each in case["expect"]
    )
    assert {each.file for each in found} == {FILE}
    assert all(each.message for each in found)


def test_a_good_schema_has_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, {FILE: schema_file(GOOD)}) == []


@pytest.mark.parametrize("text", ["", "{", "\ufeff{}", '{"a": 1, "a": 2}', "\udcff"])
def test_unreadable_file(text: str, tmp_path: Path) -> None:
    schemas(tmp_path, {FILE: ""})
    (tmp_path / "v0.1" / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(LintError) as caught:
        load_contract(tmp_path, "v0.1")
    assert [(each.file, each.rule) for each in caught.value.problems] == [(FILE, "lint/unreadable")]


def test_a_family_without_schemas(tmp_path: Path) -> None:
    found = problems(tmp_path, {FILE: schema_file(GOOD)}, families=("sample", "more"))
    assert [(each.file, each.rule) for each in found] == [("../catalog.json", "lint/empty-family")]
    assert "more" in found[0].message


def test_a_family_refers_to_itself_and_to_common_alone(tmp_path: Path) -> None:
    foreign = "other/thing.schema.json"
    reference = {
        "Holder": {
            "type": "array",
            "description": "Things.",
            "items": {"$ref": "../other/thing.schema.json#/$defs/Thing"},
            "examples": [[]],
        }
    }
    found = problems(
        tmp_path,
        {FILE: schema_file(reference), foreign: schema_file(GOOD, foreign)},
        families=("sample", "other"),
    )
    assert [(each.file, each.rule) for each in found] == [(foreign, "lint/foreign-ref")]


def test_names_are_unique_within_a_family(tmp_path: Path) -> None:
    second = "sample/zoo.schema.json"
    found = problems(tmp_path, {FILE: schema_file(GOOD), second: schema_file(GOOD, second)})
    assert [(each.file, each.rule) for each in found] == [(second, "lint/name-clash")]


def test_all_problems_come_at_once_and_once(tmp_path: Path) -> None:
    bad = {"type": "string", "description": "A text.", "pattern": "a", "format": "x"}
    found = problems(tmp_path, {FILE: schema_file({"Thing": bad, "Other": bad})})
    assert len(found) == len(set(found)) == 6


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield container and key of everything inside a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from places(inner)


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "/a",
    [],
    {},
    [1],
    [[]],
    {"a": 1},
    [{}],
    {"$ref": 5},
]


@pytest.mark.slow
def test_nothing_but_problems_comes_of_a_broken_schema(tmp_path: Path) -> None:
    """Any value anywhere: a refusal or a contract, never an exception of another kind."""
    chance = random.Random(1)
    good = [json.loads(path.read_text("utf-8")) for path in REAL]
    common = json.loads(COMMON.read_text("utf-8"))
    verdicts = set()
    for _ in range(120):
        documents = copy.deepcopy(good)
        container, key = chance.choice(list(places(chance.choice(documents))))
        container[key] = copy.deepcopy(chance.choice(ODD))
        files = {"message/" + p.name: d for p, d in zip(REAL, documents, strict=True)}
        files["common/scalars.schema.json"] = common
        verdicts.add(bool(problems(tmp_path, files, families=("message",), rules=REAL_RULES)))
    assert verdicts == {True, False}


def test_the_command_line_names_file_pointer_and_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = schemas(tmp_path / "schemas", {FILE: schema_file({"Thing": {"type": "string"}})})
    output = tmp_path / "out"
    assert main(["--schemas", str(folder), "--output", str(output)]) == 1
    said = capsys.readouterr().err
    assert f"{FILE}#/$defs/Thing: every type says what it is [lint/missing-description]" in said
    assert "2 problem(s)" in said
    assert not output.exists()


@pytest.mark.parametrize(
    "pattern",
    [
        "^$",
        "^[a-z]+/[a-z0-9.+-]+$",
        "^(?:a|b){2,3}$",
        "^(?:[0-9]{4})*$",
        "^\\^\\$\\.\\*\\/$",
        "^[^\\]\\-]{0,5}$",
        "^a{3,}b+$",
    ],
)
def test_good_pattern(pattern: str) -> None:
    check_pattern(pattern)


@pytest.mark.parametrize("pattern", ["^[$", "^[]$", "^a{2", "^(a$", "^a)$", "^*$", "^a**$", "^\\$"])
def test_pattern_that_ends_too_early(pattern: str) -> None:
    with pytest.raises(PatternError):
        check_pattern(pattern)
