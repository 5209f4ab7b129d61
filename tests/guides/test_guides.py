"""docs/guides: what each guide shows is what comes of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.fixture_cases import ROOT
from tests.guides.walk import File, Guide, Step, fits, steps

GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guide:
    """A walk in an empty folder, which is the working folder."""
    folder, tools = tmp_path / "empty", tmp_path / "bin"
    folder.mkdir()
    tools.mkdir()
    monkeypatch.chdir(folder)
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    # A terminal of one width, without colours.
    for name, value in (("COLUMNS", "120"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    return Guide(folder, os.environ, tools)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_does_what_it_shows(page: Path, guide: Guide) -> None:
    with guide:
        for step in steps(page.read_text("utf-8")):
            guide.take(step)
        guide.end()
