"""The table of requirements leads somewhere: every number to files that exist, or to a reason."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, get_type_hints

import pytest

from partwire.model import Model, ModelStream
from partwire.resources import read_rules

ROOT = Path(__file__).parent.parent
COUNTS = {"C": 8, "S000": 65, "S001": 86, "S002": 78, "S003": 27, "S004": 29}


class Row(NamedTuple):
    number: str
    requirement: str
    schema: str
    code: str
    test: str
    reason: str


def parse(text: str) -> list[Row]:
    cells = re.compile(r"(?<!\\)\|")
    return [
        Row(*(cell.strip() for cell in cells.split(line)[1:-1]))
        for line in text.splitlines()
        if re.match(r"\| (?:S\d{3}|C)-\d\d \|", line)
    ]


ROWS = parse((ROOT / "docs" / "requirements.md").read_text("utf-8"))


LINK = re.compile(r"\[([^]]+)\]\(([^)#]+)")


def problems(row: Row) -> Iterator[str]:
    """Say what is wrong with a row: a dead link, or neither a test nor a reason."""
    for cell in (row.schema, row.code, row.test):
        for _, target in LINK.findall(cell):
            if not (ROOT / "docs" / target).resolve().exists():
                yield f"{target} does not exist"
    for label, target in LINK.findall(row.test):
        yield from problems_of_a_test(row.number, label, target)
    if row.reason:
        return
    if not (row.schema or row.code):
        yield "leads to no schema, no code and no reason"
    if not row.test:
        yield "leads to no test and no reason"


def problems_of_a_test(number: str, label: str, target: str) -> Iterator[str]:
    """Say what is wrong with ``room: name`` of a test, or with a golden case."""
    path = (ROOT / "docs" / target).resolve()
    if target.startswith("../fixtures/"):
        if target.removeprefix("../fixtures/").removesuffix(".json") not in cited().get(number, ()):
            yield f"{target} does not name {number}"
        return
    name = label.partition(": ")[2]
    if path.is_file() and f"test_{name}" not in names_in(path):
        yield f"{target} has no test_{name}"


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the tests of a module."""
    body = ast.parse(path.read_bytes()).body
    return frozenset(
        each.name for each in body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


@cache
def cited() -> dict[str, set[str]]:
    """Return the requirements that fixtures name, with the cases that name them."""
    found: dict[str, set[str]] = defaultdict(set)
    fixtures = ROOT / "fixtures"
    for path in fixtures.rglob("case*.json"):
        if path.name == "case.schema.json":
            continue
        spec = json.loads(path.read_bytes())
        folder = path.parent.relative_to(fixtures).as_posix()
        for number in spec.get("requirements", ()):
            found[number].add(folder)
        for case in spec.get("cases", ()):
            for number in case.get("requirements", ()):
                found[number].add(f"{folder}/{case['file'].removesuffix('.json')}")
    return found


def test_every_number_stands_in_the_table_once() -> None:
    expected = [
        f"{document}-{number:02d}"
        for document, count in COUNTS.items()
        for number in range(1, count + 1)
    ]
    assert sorted(row.number for row in ROWS) == sorted(expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_number_leads_to_what_exists(row: Row) -> None:
    assert list(problems(row)) == []


def test_a_row_that_leads_to_nothing_is_caught() -> None:
    rows = (
        "| S000-01 | x | [a](../schemas/none.json) |  |  |  |",
        "| C-01 | y |  |  |  |  |",
        "| C-02 | z |  | [c](../README.md) | [a: no_such_test](../tests/test_ids.py) |  |",
        "| C-03 | z |  | [c](../README.md) | [streams/text](../fixtures/v0.1/streams/text) |  |",
    )
    assert [list(problems(row)) for row in parse("\n".join(rows))] == [
        ["../schemas/none.json does not exist", "leads to no test and no reason"],
        ["leads to no schema, no code and no reason", "leads to no test and no reason"],
        ["../tests/test_ids.py has no test_no_such_test"],
        ["../fixtures/v0.1/streams/text does not name C-03"],
    ]


# --- what no other test asks ----------------------------------------------------------------------


def test_the_top_level_is_as_asked() -> None:
    folders = ("schemas", "python", "codegen", "fixtures", "tests")
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    assert [
        name for name in ("pyproject.toml", "CHANGELOG.md") if not (ROOT / name).is_file()
    ] == []


def test_the_packages_that_were_chosen_are_used() -> None:
    chosen = {
        "jsonschema",
        "datamodel_code_generator",
        "pydantic",
        "msgspec",
        "pytest",
        "schemathesis",
    }
    imported = {
        line.split()[1].partition(".")[0]
        for folder in ("python", "codegen", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.lstrip().startswith(("import ", "from "))
    }
    assert chosen - imported == set()


def test_a_model_has_no_other_way_to_answer_than_stream() -> None:
    public = {name for name in vars(Model) if not name.startswith("_")}
    assert public == {"get_config", "model_info", "stream", "update_config"}
    assert get_type_hints(Model.stream)["return"] is ModelStream


def test_coverage_below_eighty_percent_fails() -> None:
    report = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"][
        "report"
    ]
    assert report["fail_under"] >= 80


def test_the_change_log_has_the_first_version() -> None:
    assert "### Contract v0.1" in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()


def test_rules_and_fixtures_name_numbers_that_exist() -> None:
    known = {row.number for row in ROWS}
    from_rules = {number for rule in read_rules().values() for number in rule["requirements"]}
    assert (set(cited()) | from_rules) - known == set()
