"""docs/guides: what each guide shows is what comes of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.differential.toolchains import LANGUAGES
from tests.fixture_cases import ROOT
from tests.guides.walk import File, Guide, Step, fits, steps
from tests.node_packages import need_node

PAGE = ROOT / "python" / "partwire" / "inspector" / "page.html"
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guide:
    """A walk in an empty folder, which is the working folder."""
    folder, tools = tmp_path / "empty", tmp_path / "bin"
    folder.mkdir()
    tools.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.com")
    # A terminal of one width, without colours.
    for name, value in (("COLUMNS", "120"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    # Some lines need no 200 partitions.
    few = ("spark.ui.enabled=false", "spark.sql.shuffle.partitions=2")
    said = [word for each in few for word in ("--conf", each)]
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", " ".join([*said, "pyspark-shell"]))
    at_a_desk = {name: value for name, value in os.environ.items() if name != "CI"}
    return Guide(folder, at_a_desk, tools)


def npm_install(folder: Path) -> None:
    """Put the TypeScript package where npm puts it; skip where its tools are missing."""
    need_node("a guide")
    (typescript,) = [each for each in LANGUAGES if each.name == "typescript"]
    assert typescript.missing(build=True) is None
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "partwire").symlink_to(ROOT / "typescript")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_does_what_it_shows(page: Path, guide: Guide) -> None:
    walk = list(steps(page.read_text("utf-8")))
    commands = [step.command for step in walk if isinstance(step, Step)]
    if "npm install partwire" in commands:
        npm_install(Path.cwd())
    if any(command.startswith("partwire inspect") for command in commands) and not PAGE.is_file():
        assert "CI" not in os.environ
        pytest.skip("the inspector's page is not built: make inspector")
    with guide:
        for step in walk:
            guide.take(step)
        guide.end()


def test_the_index_names_every_guide() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    section = index.split("\n## Guides\n")[1].split("\n## ")[0]
    named = re.findall(r"\]\(guides/([\w-]+)\.md\)", section)
    assert sorted(named) == [page.stem for page in GUIDES]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_is_short(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) <= 270


# --- the walk -------------------------------------------------------------------------------------

FENCE = "```"


def test_files_and_commands_come_in_order() -> None:
    page = f"""Say:

{FENCE}py title="a/b.py"
x = 1
{FENCE}

{FENCE}py
not a file
{FENCE}

{FENCE}console
$ one
1
$ two \\
    more
{FENCE}
"""
    assert list(steps(page)) == [
        File("a/b.py", "x = 1\n"),
        Step("one", "1\n"),
        Step("two more", ""),
    ]


def test_what_fits() -> None:
    assert fits("a … c\n…\nz\n", "a b c\nx\ny\nz\n")
    assert fits("…\nz\n", "z\n")
    assert not fits("a\n", "a\nb\n")
    assert not fits("a…\n", "a\nb\n")
    assert not fits("", "a\n")


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([Step("echo Hello", "Goodbye\n")], "Goodbye"),
        ([Step("partwire --version", "partwire 9.9.9\n")], "9.9.9"),
        ([Step("false", "")], "status 1, and it is not shown"),
        ([Step("partwire explain nothing", "…\n")], "status 2, and it is not shown"),
        ([Step("false", ""), Step("echo Hello", "Hello\n")], "status 1, and it is not shown"),
        ([Step("false", ""), Step("echo $?", "2\n")], "2"),
        ([Step("echo Hello &", "Goodbye\n")], "ended"),
        ([Step("pip install x", "Installed\n")], "installed"),
    ],
    ids=lambda each: each[0].command if isinstance(each, list) else "",
)
def test_what_is_not_as_shown_fails(guide: Guide, steps: list[Step], why: str) -> None:
    def walk() -> None:
        with guide:
            for step in steps:
                guide.take(step)
            guide.end()

    with pytest.raises(AssertionError, match=re.escape(why)):
        walk()
