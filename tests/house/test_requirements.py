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
from typing import Any, get_type_hints

import pytest

from codegen.requirements import FILE, page
from partwire.contract.resources import read_rules
from partwire.model import Model, ModelStream
from tests.fixture_cases import all_cases

ROOT = Path(__file__).parents[2]
Row = dict[str, Any]
COUNTS = {"C": 8, "S000": 65, "S001": 86, "S002": 78, "S003": 27, "S004": 29}


DOCUMENTS = json.loads((ROOT / "docs" / "requirements.json").read_bytes())["documents"]
ROWS: list[Row] = [row for document in DOCUMENTS for row in document["rows"]]


def problems(row: Row) -> Iterator[str]:
    """Say what is wrong with a row: a path that is not there, or neither a test nor a note."""
    for path in (*row.get("schemas", ()), *row.get("code", ())):
        if not (ROOT / path).exists():
            yield f"{path} does not exist"
    for test in row.get("tests", ()):
        path, _, name = test.partition("::")
        if not (ROOT / path).exists():
            yield f"{path} does not exist"
        elif name not in names_in(ROOT / path):
            yield f"{path} has no {name}"
    for case in row.get("cases", ()):
        if case not in cited().get(row["number"], ()):
            yield f"{case} does not name {row['number']}"
    if row["status"] == "met" and not (row.get("tests") or row.get("cases")):
        yield "is met, and leads to no test"
    if not ("note" in row or row.get("schemas") or row.get("code")):
        yield "leads to no schema, no code and no note"
    if row["status"] == "outside" and "note" not in row:
        yield "is outside, and has no note"


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
    for case in all_cases():
        for number in case.spec.get("requirements", ()):
            found[number].add(f"{case.version}/{case.key}" if case.version else case.key)
    return found


def test_every_number_is_in_the_table_once_and_in_order() -> None:
    expected = [
        f"{document}-{number:02d}"
        for document, count in COUNTS.items()
        for number in range(1, count + 1)
    ]
    assert [row["number"] for row in ROWS] == expected


def test_a_row_has_only_these_members() -> None:
    needed = {"number", "requirement", "status"}
    allowed = needed | {"schemas", "code", "tests", "cases", "note"}
    assert [row["number"] for row in ROWS if not needed <= set(row) <= allowed] == []
    assert {row["status"] for row in ROWS} == {"met", "outside"}


def test_the_page_says_what_the_data_say() -> None:
    text = page(ROOT)
    assert (ROOT / "docs" / FILE).read_text("utf-8") == text
    assert re.findall(r'^\| <a id="([^"]+)"></a>\1 \|', text, re.MULTILINE) == [
        row["number"] for row in ROWS
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["number"])
def test_a_number_leads_to_what_exists(row: Row) -> None:
    assert list(problems(row)) == []


def test_a_row_that_leads_to_nothing_is_caught() -> None:
    rows: list[Row] = [
        {"number": "S000-01", "status": "met", "schemas": ["schemas/none.json"]},
        {"number": "C-01", "status": "outside"},
        {
            "number": "C-02",
            "status": "met",
            "code": ["README.md"],
            "tests": [
                "tests/house/test_requirements.py::test_no_such_test",
                "tests/test_none.py::test_a",
            ],
        },
        {"number": "C-03", "status": "met", "code": ["README.md"], "cases": ["v0.1/streams/text"]},
    ]
    assert [list(problems(row)) for row in rows] == [
        ["schemas/none.json does not exist", "is met, and leads to no test"],
        ["leads to no schema, no code and no note", "is outside, and has no note"],
        [
            "tests/house/test_requirements.py has no test_no_such_test",
            "tests/test_none.py does not exist",
        ],
        ["v0.1/streams/text does not name C-03"],
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
    known = {row["number"] for row in ROWS}
    from_rules = {number for rule in read_rules().values() for number in rule["requirements"]}
    assert (set(cited()) | from_rules) - known == set()
