"""Files that are larger than memory, or have no end: a finding within it, whatever reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from partwire.files.limits import DEFAULT_DOCUMENT_BYTES
from partwire.providers.framing import DEFAULT_LIMIT_BYTES
from tests.cli.runner import run
from tests.convert.stored_texts import bare, message, record, text_lines
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("empty_folder")

SCRIPT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv.pop(1)) << 20,) * 2)
from partwire.cli import main
main(sys.argv[1:])
"""
MESSAGE = ("--type", "message.Message")
COMMANDS = {
    "validate": ("validate", *MESSAGE, "FILE"),
    "history": ("history", "FILE"),
    "convert": ("convert", "--to", "session", "--from", "message.Message", "FILE"),
    "migrate": ("migrate", "--to", "v0.2", "FILE"),
    "migrate-in-place": ("migrate", "--to", "v0.2", "--in-place", "FILE"),
    "migrate-elsewhere": ("migrate", "--to", "v0.2", "--output", "new", "FILE"),
    "compat": ("compat", "FILE", "FILE"),
}


def limited(
    *args: str, stdin: str = os.devnull, mebibytes: int = 1024
) -> subprocess.CompletedProcess[str]:
    """Run with an address space of that size."""
    package = Path(sys.modules["partwire"].__file__ or "").parent.parent
    with Path(stdin).open("rb") as given:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(mebibytes), *args],
            stdin=given,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(package)},
            timeout=60 * PATIENCE,
        )


def assert_told(shown: subprocess.CompletedProcess[str], *rules: str) -> None:
    told = shown.stdout + shown.stderr
    assert "Traceback" not in told
    assert "MemoryError" not in told
    assert shown.returncode in (1, 2)
    assert any(rule in told for rule in rules), told


def test_the_limit_is_that_of_framing() -> None:
    assert DEFAULT_DOCUMENT_BYTES == DEFAULT_LIMIT_BYTES


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param(b"", id="blank", marks=pytest.mark.slow),
        pytest.param(b'{"a": "', id="object", marks=pytest.mark.slow),
        pytest.param(b'[{"a": "', id="array"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_sparse_file(command: str, begin: bytes) -> None:
    with Path("a.json").open("wb") as file:
        file.write(begin)
        file.truncate(3 << 30)
    shown = limited(*(each.replace("FILE", "a.json") for each in COMMANDS[command]))
    assert_told(
        shown, "framing/document-too-large", "framing/event-too-large", "document/invalid-json"
    )
    assert not Path("new").exists()


@pytest.mark.parametrize("command", ["validate", "history", "convert", "migrate", "compat"])
def test_a_device_without_end(command: str) -> None:
    shown = limited(*(each.replace("FILE", "/dev/zero") for each in COMMANDS[command]))
    assert_told(shown, "framing/document-too-large", "framing/line-too-long")


@pytest.mark.parametrize("command", ["validate", "history", "convert", "migrate"])
def test_stdin_without_end(command: str) -> None:
    shown = limited(*(each.replace("FILE", "-") for each in COMMANDS[command]), stdin="/dev/zero")
    assert_told(shown, "framing/document-too-large", "framing/line-too-long")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a"])
def test_the_limit_can_be_raised_and_lowered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = text_lines([message(1)])
    Path(name).write_bytes(data)
    few, enough = str(len(data) - 2), str(len(data))
    assert run("--max-document-bytes", enough, "validate", *MESSAGE, name).exit_code == 0
    shown = run("--max-document-bytes", few, "validate", *MESSAGE, name)
    assert shown.exit_code == 2
    assert "too-l" in shown.stderr
    assert run("validate", *MESSAGE, name).exit_code == 0
    monkeypatch.setenv("PARTWIRE_MAX_DOCUMENT_BYTES", few)
    assert run("validate", *MESSAGE, name).exit_code == 2
    assert run("--max-document-bytes", enough, "validate", *MESSAGE, name).exit_code == 0


@pytest.mark.slow
def test_an_array_is_read_item_by_item() -> None:
    """As values in memory, all at once, it is many times its size: more than there is."""
    item = bare(record(message(1), "v0.1"))
    count = (20 << 20) // len(item)
    with Path("a.json").open("wb") as file:
        file.write(b"[")
        file.writelines(item + b",\n" for _ in range(count))
        file.write(item + b"]")
    shown = limited("migrate", "--to", "v0.2", "--in-place", "a.json", mebibytes=256)
    assert shown.returncode == 0
    assert f"{count + 1:,} documents, {count + 1:,} changed" in shown.stderr
