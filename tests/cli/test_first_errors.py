"""The errors that a beginner meets first: what is said has to be enough to go on."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from partwire.cli import main
from tests.cli.runner import run

MESSAGE: Final = """\
{
  "runId": "run_1",
  "role": "user",
  "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
  "timestamp": "2026-01-02T03:04:05Z"
}
"""
LINE: Final = (
    '{"runId": "run_1", "seq": 1, "timestamp": "2026-01-02T03:04:05Z", "kind": "text", '
    '"payload": {"textDelta": "Hel"}}\n'
)
STREAM_OF_CHAT: Final = (
    'data: {"id": "a1", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n'
)
FILES: Final = {
    "message.json": MESSAGE,
    "missing.json": MESSAGE.replace('  "runId": "run_1",\n', ""),
    "no-text.json": MESSAGE.replace('"text": "Hi"', '"txet": "Hi"'),
    "comma.json": MESSAGE.replace('"user",', '"user"'),
    "twice.json": MESSAGE.replace('"user",', '"user", "role": "robot",'),
    "deltas.json": LINE * 2,
    "cut.jsonl": LINE.replace('"text",', '"start",').replace(
        '{"textDelta": "Hel"}', '{"modelId": "m", "requestId": "r"}'
    ),
    "cut.sse": STREAM_OF_CHAT,
    "schema.json": '{"type": "string"}',
}

PAGE: Final = Path(__file__).with_name("first_errors.md").read_text("utf-8")
ERRORS: Final = re.findall(r"## (.+?)\n\n```console\n\$ (.+?)\n(.+?)```", PAGE, re.DOTALL)
"""What a beginner does, the command, and all that it prints."""


@pytest.fixture(autouse=True)
def files(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    for name, text in FILES.items():
        (empty_folder / name).write_text(text)
    return empty_folder


def test_there_are_ten_and_more() -> None:
    assert len(ERRORS) > 10


@pytest.mark.parametrize(
    ("command", "said"), [pytest.param(*said, id=name) for name, *said in ERRORS]
)
def test_what_is_said(command: str, said: str) -> None:
    program, *words = shlex.split(command)
    result = CliRunner().invoke(main, words, prog_name=program, catch_exceptions=False)
    assert result.output == said
    assert result.exit_code in (1, 2)


def test_a_stream_of_a_provider_that_is_cut() -> None:
    result = run("assemble", "--from", "openai-chat", "cut.sse")
    assert result.exit_code == 1
    assert '"expected": "a stream that ends with done; --partial prints what came"' in result.stderr
    assert (
        "--partial" not in run("assemble", "--from", "openai-chat", "--partial", "cut.sse").stderr
    )


def test_an_extra_that_is_not_installed() -> None:
    script = (
        "import sys; sys.modules['jsonschema_rs'] = None; from partwire.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "compat", "schema.json", "schema.json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "python")},
    )
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("A comparison of schemas needs jsonschema_rs, which is not installed [")
    assert second == '  expected  pip install "partwire[compat]"'


COMMANDS: Final = {
    "validate": ("validate", "--type", "message.Message"),
    "history": ("history",),
    "assemble": ("assemble",),
    "deltas": ("deltas", "--from", "openai-chat"),
    "convert": ("convert", "--from", "message", "--to", "blocks"),
    "migrate": ("migrate", "--from", "v0.1", "--to", "v0.2", "--type", "message.Message"),
    "compat": ("compat", "schema.json"),
}


@pytest.mark.parametrize("command", list(COMMANDS))
@pytest.mark.parametrize("name", ["none.json", "folder.json", "latin.json"])
def test_an_error_of_reading_names_the_file(files: Path, command: str, name: str) -> None:
    (files / "folder.json").mkdir()
    (files / "latin.json").write_bytes('{"kind": "Grüße"}\n'.encode("latin-1"))
    result = run(*COMMANDS[command], name)
    assert result.exit_code in (1, 2)
    assert name in result.output
    assert "Traceback" not in result.output


def test_an_empty_folder_has_no_near_name() -> None:
    result = run("validate", "--type", "message.Message", "none/at-all.json")
    assert "  expected  a folder none\n" in result.stderr
    assert "expected" not in run("validate", "--type", "message.Message", "zzzzz").stderr


def test_text_in_utf_16_is_said_to_be_that(files: Path) -> None:
    (files / "wide.json").write_bytes(MESSAGE.encode("utf-16"))
    result = run("validate", "--type", "message.Message", "wide.json")
    assert "  expected  UTF-8, and not UTF-16, which this seems to be\n" in result.stdout
