"""docs/reports.md: its examples are what the commands print, and no option is forgotten."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from partwire import __version__
from partwire.cli import main
from partwire.reporting import FORMATS
from tests.cli.runner import STREAM, lines, run
from tests.fixture_cases import ROOT
from tests.reporting.report_runs import SCHEMA, checked, problems

PAGE = (ROOT / "docs" / "reports.md").read_text("utf-8")
BLOCKS = re.findall(r"^```[a-z]*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def block(start: str) -> str:
    (found,) = [each for each in BLOCKS if each.lstrip().startswith(start)]
    return str(found)


def test_the_line_on_stderr_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("validate", "--type", "message.Message", "--format", "json", "none.json")
    assert result.stderr == block('{"status"')
    problems(block('{"status"'))


def test_the_document_is_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    Path("logs/a.jsonl").write_bytes(lines([STREAM[0], {"kind": 1}, *STREAM[1:3]]))
    result = run("validate", "--type", "message.MessageDelta", "--format", "json", "logs/a.jsonl")
    assert result.stdout == block('{"tool"').replace('"0.2.0"', f'"{__version__}"')
    checked(result.stdout)


def test_the_baseline_is_one() -> None:
    checked(block("[\n"), {**SCHEMA["$defs"]["Baseline"], "$defs": SCHEMA["$defs"]})


def test_every_format_and_option_is_told() -> None:
    for name in FORMATS:
        assert f"| `{name}` |" in PAGE
    with click.Context(main) as ctx:
        command = main.get_command(ctx, "history")
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    for option in options:
        envvar = str(option.envvar or "")
        if envvar.startswith("PARTWIRE_"):
            assert f"`{envvar}`" in PAGE
    for name in (
        "--baseline-update",
        "--statistics",
        "--exit-zero",
        "--output-file FILE",
        "--context",
    ):
        assert f"| `{name}` |" in PAGE
