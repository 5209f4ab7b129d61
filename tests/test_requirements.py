"""The table of requirements leads somewhere: every number to files that exist, or to a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

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


def problems(row: Row) -> Iterator[str]:
    """Say what is wrong with a row: a dead link, or neither a test nor a reason."""
    for cell in (row.schema, row.code, row.test):
        for target in re.findall(r"\]\(([^)#]+)", cell):
            if not (ROOT / "docs" / target).resolve().exists():
                yield f"{target} does not exist"
    if row.reason:
        return
    if not (row.schema or row.code):
        yield "leads to no schema, no code and no reason"
    if "(../tests/" not in row.test:
        yield "leads to no test and no reason"


def cited() -> set[str]:
    """Return every requirement that a fixture names."""
    found: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            found.update(node.get("requirements", ()))
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    for path in (ROOT / "fixtures").rglob("case*.json"):
        if path.name != "case.schema.json":
            walk(json.loads(path.read_bytes()))
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
    bad = parse("| S000-01 | x | [a](../schemas/none.json) |  |  |  |\n| C-01 | y |  |  |  |  |")
    assert [list(problems(row)) for row in bad] == [
        ["../schemas/none.json does not exist", "leads to no test and no reason"],
        ["leads to no schema, no code and no reason", "leads to no test and no reason"],
    ]


def test_fixtures_name_what_the_table_says_they_cover() -> None:
    covered = cited()
    rows = [row.number for row in ROWS if "test_fixtures.py" in row.test and not row.reason]
    assert [number for number in rows if number not in covered] == []


def test_rules_and_fixtures_name_numbers_that_exist() -> None:
    known = {row.number for row in ROWS}
    from_rules = {number for rule in read_rules().values() for number in rule["requirements"]}
    assert (cited() | from_rules) - known == set()
