"""What the README and the guides by task show, run as written."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from partwire.cli import main
from tests.fixture_cases import case_file, cases

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = {
    name: (ROOT / "docs" / name).read_text("utf-8")
    for name in ("python.md", "model.md", "evolution.md")
}
CONVERSATION = PAGES["model.md"].split("\n## A conversation\n")[1].split("\n## ")[0]
GUIDES = (PAGES["python.md"], CONVERSATION, PAGES["evolution.md"])
PYTHON_BLOCKS = [
    block for page in GUIDES for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
]
COMMANDS = [
    line
    for page in GUIDES
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("partwire ")
]
LONG = "v0.1/providers/anthropic-messages/long-answer"
LOGS = [
    case_file(f"v0.1/streams/{case.name}", "deltas")
    for case in cases("streams")
    if case.version == "v0.1" and case.name.startswith("text-a")
]
STAND_INS = {
    "message.json": str(case_file(LONG, "message")),
    "logs/**/*.jsonl": f"{LOGS[0].parents[1]}/text-a*/deltas.jsonl",
    "deltas.jsonl": str(case_file("v0.1/streams/tool-call", "deltas")),
    "claude.sse": str(case_file(LONG, "input")),
    "session.jsonl": str(case_file("v0.1/histories/clean-many-turns", "messages")),
    "replay:conversation.jsonl": "replay:tests/data/model/conversation.jsonl",
    "replay:claude.sse": f"replay:{case_file('v0.1/providers/anthropic-messages/text', 'input')}",
    "records.jsonl": "tests/data/migrate/records.jsonl",
    "python": sys.executable,
    "gpt.sse": str(case_file("v0.1/providers/openai-chat/text", "input")),
}


def printed(block: str, name: str) -> str:
    """Run a block of Python and return what it prints, which its comments say in part."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, name, "exec"), {"__name__": "readme"})
    return out.getvalue()


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= 7 * 1024


def test_the_examples_run_without_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        said = re.findall(r"print\(.*\)  # (.*)", block)
        assert said
        assert printed(block, "README.md").splitlines() == said


def test_the_commands_of_a_checkout_are_what_ci_runs() -> None:
    commands = re.findall(r"^make \w+", README, re.MULTILINE)
    run = (ROOT / ".ci" / "run").read_text("utf-8")
    (ran,) = re.findall(r"^exec make -j2 (.*)$", run, re.MULTILINE)
    assert [f"make {word}" for word in ran.split()] == [*commands, "make SLOW=1"]
    assert commands == ["make setup", "make test"]


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=range(len(PYTHON_BLOCKS)))
def test_python_blocks_run(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    out = printed(block, "guide")
    assert out.strip()
    for said in re.findall(r"print\(findings\[0\]\)  # (.*)", block):
        assert said in out


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    args = [STAND_INS.get(word, word) for word in shlex.split(command, comments=True)[1:]]
    result = CliRunner().invoke(main, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_there_are_blocks_and_commands() -> None:
    assert len(PYTHON_BLOCKS) >= 6
    assert len(COMMANDS) >= 15


PAGES_WITH_LINKS = [
    *sorted((ROOT / "docs").glob("**/*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(
        ROOT / name / "README.md"
        for name in ("typescript", "typescript/inspector", "rust", "fixtures")
    ),
]


@pytest.mark.parametrize(
    "page", PAGES_WITH_LINKS, ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#([^)]+))?\)", text)
    for target, anchor in targets:
        path = page.parent / target
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page: those that GitHub makes of headings, and those that it has."""
    text = path.read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return set(re.findall(r'<a id="([^"]+)">', text)) | {
        re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in headings
    }


def test_the_index_names_every_document() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert named == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_decisions_are_numbered_without_gaps() -> None:
    pages = sorted((ROOT / "docs" / "decisions").iterdir())
    for number, page in enumerate(pages, 1):
        assert page.name.startswith(f"{number:04d}-")
        assert page.read_text("utf-8").startswith(f"# {number:04d} ")
