"""What the README shows, run as it stands there."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from partwire.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("partwire ")
]
STAND_INS = {
    "message.json": "fixtures/v0.1/providers/anthropic-messages/long-answer/message.json",
    "logs/**/*.jsonl": "fixtures/v0.1/streams/text-a*/deltas.jsonl",
    "deltas.jsonl": "fixtures/v0.1/streams/tool-call/deltas.jsonl",
    "claude.sse": "fixtures/v0.1/providers/anthropic-messages/long-answer/input.sse",
    "session.jsonl": "fixtures/v0.1/histories/clean-many-turns/messages.jsonl",
    "replay:conversation.jsonl": "replay:tests/data/model/conversation.jsonl",
    "replay:claude.sse": "replay:fixtures/v0.1/providers/anthropic-messages/text/input.sse",
    "records.jsonl": "tests/data/migrate/records.jsonl",
    "python": sys.executable,
    "gpt.sse": "fixtures/v0.1/providers/openai-chat/text/input.sse",
}


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=range(len(PYTHON_BLOCKS)))
def test_python_blocks_run(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert out.getvalue().strip()
    for said in re.findall(r"print\(findings\[0\]\)  # (.*)", block):
        assert said in out.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    args = [STAND_INS.get(word, word) for word in shlex.split(command, comments=True)[1:]]
    result = CliRunner().invoke(main, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_a_change_is_caught_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The section on CI, step by step in a repository of its own."""
    section = README.split("## Catch a breaking schema change in CI")[1].split("\n## ")[0]
    (schema,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    (change,) = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    (shown,) = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "answer.schema.json").write_text(schema)
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for args in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        [*who, "commit", "-qm", "one"],
        ["switch", "-qc", "change"],
        ["apply", "-"],
    ):
        text = change if args[0] == "apply" else None
        subprocess.run(["git", *args], cwd=tmp_path, check=True, input=text, text=True)
    monkeypatch.chdir(tmp_path)
    command = "partwire compat --against git:main schemas"
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 1
    assert f"$ {command}\n{result.output}" in shown
    workflow = command.replace("git:main", "git:origin/main --format github")
    assert f"run: {workflow}\n" in section
    result = CliRunner().invoke(main, [*shlex.split(command)[1:], "--format", "github"])
    assert result.output.startswith("::error file=schemas/answer.schema.json,line=6,")


def test_documents_are_validated_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.split("## Validate in CI")[1].split("\n## ")[0]
    (config,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    (lines,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    (shown,) = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "today.jsonl").write_text(lines)
    (tmp_path / "partwire.toml").write_text(config)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["validate"])
    assert result.exit_code == 1
    assert shown == f"$ pip install partwire\n$ partwire validate\n{result.output}"


def test_there_are_blocks_and_commands() -> None:
    assert len(PYTHON_BLOCKS) >= 2
    assert len(COMMANDS) >= 6


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [each for each in targets if not (ROOT / each).exists()] == []
