"""The tables of failures and of quirks lead somewhere: every row to what shows it, or a reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any, NamedTuple

import pytest

from partwire.contract.resources import read_catalog
from partwire.providers import ADAPTERS
from tests.fixture_cases import ROOT, all_cases

GROUPS = ("TCI", "ARG", "BLK", "FIN", "SSE", "ORD")
_ID = re.compile(rf"\b(?:{'|'.join(GROUPS)})-\d\d\b")
_CELLS = re.compile(r"(?<!\\)\|")


class Row(NamedTuple):
    key: str
    what: str
    here: str

    @property
    def places(self) -> list[str]:
        """The fixtures and tests before the reason, as they are written."""
        listed = re.match(r"(?:`[^`]+`(?:, )?)*", self.here)
        return re.findall(r"`([^`]+)`", listed[0]) if listed else []

    @property
    def reason(self) -> str:
        """What is behind the places."""
        return re.sub(r"^(?:`[^`]+`(?:, )?)*\.? ?", "", self.here)


def parse(name: str) -> list[Row]:
    """Return the rows of the tables of a document, heads left out."""
    lines = (ROOT / "docs" / name).read_text("utf-8").splitlines()
    tables = [line for line in lines if re.match(r"\| (?!id \||quirk \|)", line)]
    rows = [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in tables]
    return [Row(*cells) if len(cells) == 3 else Row(cells[0], cells[0], cells[1]) for cells in rows]


FAILURES = parse("failures.md")


@cache
def provenances() -> dict[str, str]:
    """Return the provenance of every fixture by its place below the folder of a version.

    Of a place that several versions have, the oldest one counts.
    """
    found: dict[str, str] = {}
    for version in read_catalog():
        for case in (each for each in all_cases() if each.version == version):
            found.setdefault(case.key, case.spec.get("provenance", ""))
    return found


@cache
def definitions(name: str) -> dict[str, str]:
    """Return the source of everything that a test module defines, by name."""
    path = ROOT / "tests" / name
    if not path.is_file():
        return {}
    source = path.read_text("utf-8")
    lines = source.splitlines(keepends=True)
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            first = node.lineno
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for each in targets if isinstance(each, ast.Name)]
        else:
            continue
        text = "".join(lines[first - 1 : node.end_lineno])
        found.update(dict.fromkeys(names, text))
    return found


def said_at(place: str) -> str | None:
    """Return what is at a place, where its ids would be; None if there is no such place."""
    if "::" in place:
        name, _, function = place.partition("::")
        return definitions(name).get(function)
    return provenances().get(place)


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", FAILURES, ids=[row.key for row in FAILURES])
def test_a_failure_leads_to_what_shows_it(row: Row) -> None:
    assert _ID.fullmatch(row.key)
    assert row.what.endswith(".")
    assert row.places or row.reason.endswith(".")
    said = {place: said_at(place) for place in row.places}
    assert [place for place, text in said.items() if text is None] == []
    assert [place for place, text in said.items() if row.key not in _ID.findall(text or "")] == []


def test_every_failure_has_one_row_in_its_groups_order() -> None:
    keys = [row.key for row in FAILURES]
    assert keys == sorted(set(keys), key=lambda key: (GROUPS.index(key[:3]), key))


def test_no_fixture_and_no_test_cites_what_is_not_in_the_table() -> None:
    known = {row.key for row in FAILURES}
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "python").rglob("*.py")]
    texts = {path.name: path.read_text("utf-8") for path in files} | provenances()
    cited = {place: set(_ID.findall(text)) - known for place, text in texts.items()}
    assert {place: ids for place, ids in cited.items() if ids} == {}


def test_every_entry_of_the_catalogue_has_a_row(catalogue: list[dict[str, Any]]) -> None:
    ids = [entry["id"] for entry in catalogue if entry["group"] in GROUPS]
    assert sorted(row.key for row in FAILURES) == sorted(ids)


# --- quirks --------------------------------------------------------------------------------------

QUIRKS = parse("quirks.md")


@pytest.mark.parametrize("row", QUIRKS, ids=[f"quirk {at}" for at in range(len(QUIRKS))])
def test_a_quirk_leads_to_what_shows_it(row: Row) -> None:
    assert row.places
    assert [place for place in row.places if said_at(place) is None] == []


def test_every_dialect_has_quirks_and_none_stands_twice() -> None:
    heads = re.findall(r"(?m)^## (.+)$", (ROOT / "docs" / "quirks.md").read_text("utf-8"))
    assert set(ADAPTERS) <= set(heads)
    assert len({row.key for row in QUIRKS}) == len(QUIRKS) >= len(heads)
