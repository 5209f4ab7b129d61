"""What the README shows, run as it stands there."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
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
    "logs/**/*.jsonl": "fixtures/v0.1/streams/text*/deltas.jsonl",
    "deltas.jsonl": "fixtures/v0.1/streams/tool-call/deltas.jsonl",
    "claude.sse": "fixtures/v0.1/providers/anthropic-messages/long-answer/input.sse",
    "session.jsonl": "fixtures/v0.1/histories/clean-many-turns/messages.jsonl",
    "replay:conversation.jsonl": "replay:tests/data/model/conversation.jsonl",
    "replay:claude.sse": "replay:fixtures/v0.1/providers/anthropic-messages/text/input.sse",
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


def test_there_are_blocks_and_commands() -> None:
    assert len(PYTHON_BLOCKS) >= 2
    assert len(COMMANDS) >= 6


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [each for each in targets if not (ROOT / each).exists()] == []
