"""What a newcomer asks, and the clicks from the first page of the site to the answer."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any, Final

import pytest

from codegen.site.gather import all_pages
from codegen.site.markdown import Page
from codegen.site.navigation import in_order
from tests.fixture_cases import ROOT

FIRST: Final = "index.md"
MOST_CLICKS: Final = 3
QUESTIONS: Final[list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("newcomers.json").read_bytes()
)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    """All pages of the site by their paths."""
    return {page.path: page for page in all_pages(ROOT)}


def reached(pages: dict[str, Page], path: str) -> set[str]:
    """Return what a click leads to: links of the page, tabs of sections, pages of its section."""
    addresses = re.findall(r"\]\(([^)\s#]+)", pages[path].markdown)
    folder = posixpath.dirname(path)
    found = {posixpath.normpath(posixpath.join(folder, each)) for each in addresses}
    for section in in_order(pages).values():
        found.update(section if path in section else section[:1])
    return found


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["steps"][-1])
def test_a_question_is_answered_within_three_clicks(
    row: dict[str, Any], pages: dict[str, Page]
) -> None:
    assert 1 <= len(row["steps"]) <= MOST_CLICKS
    for before, step in zip([FIRST, *row["steps"]], row["steps"], strict=False):
        assert step in reached(pages, before), f"{before} has no link to {step}"
    assert row["answer"] in pages[row["steps"][-1]].markdown


def test_there_are_ten_questions() -> None:
    assert len({row["question"] for row in QUESTIONS}) == len(QUESTIONS) >= 10
