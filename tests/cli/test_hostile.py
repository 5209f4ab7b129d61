"""The command line in bad company: odd names, closed and full streams, signals, hostile folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import STREAM, USER, lines, run
from tests.cost import costs_at_most
from tests.patience import PATIENCE, until

PYTHON_PATH = str(Path(__file__).parents[2] / "python")
PROGRAM = [sys.executable, "-c", "from partwire.cli import main; main()"]
VALIDATE = ("validate", "--type", "message.MessageDelta")
LONG_NAME = "l" * 300


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run the command where there is one good file and one bad one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jsonl").write_bytes(lines(STREAM))
    (tmp_path / "bad.jsonl").write_bytes(b'{"kind": "\xe6\x97\xa5\xe6\x9c\xac"}\n')
    return tmp_path


def program(*args: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": PYTHON_PATH, **options.pop("env", {})}
    return subprocess.run(
        [*PROGRAM, *args], env=environment, check=False, timeout=PATIENCE, **options
    )


def shell(redirection: str, *args: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command under ``redirection``, with both its outputs captured where they are open."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM, *args],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        check=False,
        timeout=PATIENCE,
    )


# --- streams that are closed or full ---


@pytest.mark.parametrize("args", [(*VALIDATE, "-"), ("assemble", "-")], ids=" ".join)
def test_a_closed_stdin_is_unreadable(args: tuple[str, ...]) -> None:
    done = shell("<&-", *args)
    assert done.returncode == 2
    assert b"stdin is closed [usage/unreadable-input]" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("target", ["/dev/full", "&-"])
@pytest.mark.parametrize(
    "args",
    [
        ("assemble", "good.jsonl"),
        ("schema", "list"),
        ("explain", "shape/type"),
        (*VALIDATE, "bad.jsonl"),
        (*VALIDATE, "--format", "json", "good.jsonl"),
    ],
    ids=" ".join,
)
def test_a_result_that_cannot_be_written_is_no_success(args: tuple[str, ...], target: str) -> None:
    done = shell(f">{target}", *args)
    assert done.returncode == 2
    why = b"stdout is closed" if target == "&-" else b"No space left on device"
    assert b"Cannot be written: %s" % why in done.stderr
    assert done.stderr.count(b"<stdout>") == 2  # the source, and what is actual
    assert b"an output that is open, and has space for all of it" in done.stderr
    assert b"usage/unwritable-output" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_closed_stdout_is_no_matter_where_nothing_is_written() -> None:
    assert shell(">&-", *VALIDATE, "good.jsonl").returncode == 0


def test_a_closed_stderr_hides_no_result() -> None:
    done = shell("2>&-", "assemble", "--follow", "good.jsonl")
    assert done.returncode == 0
    assert json.loads(done.stdout)["role"] == "assistant"
    assert shell("2>&-", *VALIDATE, "good.jsonl").returncode == 0


def test_the_traceback_of_a_failed_write_is_for_debugging() -> None:
    assert b"Traceback" in shell(">&-", "--debug", "schema", "list").stderr


@pytest.mark.parametrize(("name", "status"), [("bad.jsonl", 1), ("good.jsonl", 0)])
def test_findings_count_though_their_reader_goes_away(folder: Path, name: str, status: int) -> None:
    (folder / name).write_bytes((folder / name).read_bytes() * 20_000)
    done = subprocess.run(
        [
            "sh",
            "-c",
            '{ "$@"; echo "status $?" >&2; } | head -n 1',
            "sh",
            *PROGRAM,
            *VALIDATE,
            "--format",
            "json",
            name,
        ],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        check=False,
        timeout=PATIENCE,
    )
    assert done.stderr == f"status {status}\n".encode()


# --- signals ---


def begin_to_read(process: subprocess.Popen[bytes]) -> None:
    """Wait until a program has read from its standard input, and wants more."""
    pipe = process.stdin
    assert pipe is not None
    pipe.write(b" ")
    pipe.flush()
    until(lambda: not any(ioctl(pipe, termios.FIONREAD, b"\0" * 4)), "the reader")


@pytest.mark.parametrize(
    "args", [(*VALIDATE, "-"), ("assemble", "-"), ("deltas", "--from", "openai-chat", "-")]
)
def test_an_interrupt_ends_without_a_traceback(args: tuple[str, ...]) -> None:
    # A test run in the background may have been started with the interrupt switched off.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from partwire.cli import main; sys.stderr.write('up\\n'); main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    ) as process:
        assert process.stderr is not None
        try:
            assert process.stderr.readline() == b"up\n"
            begin_to_read(process)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, stdout, stderr.strip()) == (130, b"", b"Aborted!")


# --- encodings ---


@pytest.mark.parametrize("encoding", ["latin-1", "cp437", "ascii:strict", "utf-8:strict"])
def test_output_does_not_depend_on_what_the_terminal_can_spell(encoding: str) -> None:
    env = {"PYTHONIOENCODING": encoding}
    for form in ("text", "github", "json"):
        done = program(*VALIDATE, "--format", form, "bad.jsonl", env=env, capture_output=True)
        assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
        assert form != "json" or "日本" in json.loads(done.stdout)["findings"][0]["actual"]
    shown = program("schema", "show", "message.MessageDelta", env=env, capture_output=True)
    assert shown.returncode == 0
    assert json.loads(shown.stdout)["$ref"] == "#/$defs/MessageDelta"


# --- names ---


def test_a_file_name_does_not_steer_the_terminal(folder: Path) -> None:
    (folder / "\x1b[31m\nred").write_bytes(b"{}")
    result = run(*VALIDATE, "\x1b[31m\nred")
    assert result.stdout.startswith(r"\x1b[31m\nred:1:1: The member kind is missing")
    assert "\x1b[31m" not in result.stdout


def test_a_file_name_that_is_no_unicode(folder: Path) -> None:
    name = os.fsdecode(b"\xff.json")
    try:
        (folder / name).write_bytes(b"{}")
    except OSError:
        pytest.skip("this file system takes no such name")
    env = {"PYTHONIOENCODING": "utf-8:strict"}
    for form in ("text", "github", "json"):
        done = program(*VALIDATE, "--format", form, name, env=env, capture_output=True)
        assert (done.returncode, done.stderr[:9]) == (1, b"" if form != "text" else b"1 documen")
        assert form != "json" or json.loads(done.stdout)["findings"][0]["source"] == "\udcff.json"


@pytest.mark.parametrize("name", [LONG_NAME, f"{LONG_NAME}/*.json", "", "loop"])
def test_a_name_that_cannot_be_looked_up_is_unreadable(folder: Path, name: str) -> None:
    (folder / "loop").symlink_to("loop")
    for args in (VALIDATE, ("validate",), ("assemble",)):
        result = run(*args, name)
        assert result.exit_code == 2
        assert "[usage/unreadable-input]" in result.stderr


@pytest.mark.parametrize("name", ["closed/a.json", "closed/*.json"])
def test_a_folder_that_may_not_be_looked_into(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Any, *args: Any, **options: Any) -> Any:
        if str(path).startswith("closed/"):
            raise PermissionError(13, "Permission denied", path)
        return look(path, *args, **options)

    # Root may look everywhere: what the system answers to others is given by hand.
    look = os.stat
    monkeypatch.setattr(os, "stat", refuse)
    result = run(*VALIDATE, name)
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


def test_a_line_beyond_the_limit_names_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partwire.files.inputs.document_bytes", lambda: 100)
    monkeypatch.setattr("partwire.files.documents.document_bytes", lambda: 100)
    (folder / "long.jsonl").write_bytes(b"1" * 200 + b"\n")
    result = run(*VALIDATE, "long.jsonl")
    assert result.exit_code == 2
    assert result.stderr.startswith("long.jsonl:1: The line is longer")
    assert result.stderr.endswith("0 documents in 1 source: no errors, 1 unreadable source\n")


# --- options and configuration ---


@pytest.mark.parametrize("rate", ["nan", "inf", "1e-300", "0", "-1", "x"])
def test_a_rate_is_a_positive_number(rate: str) -> None:
    result = run("assemble", "--follow", "--rate", rate, "good.jsonl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--rate" in result.stderr


def test_an_empty_contract_version_is_not_the_default() -> None:
    result = run(*VALIDATE, "--contract", "", "good.jsonl")
    assert result.exit_code == 2
    assert "[usage/unknown-version]" in result.stderr


def test_the_help_shows_a_configuration_that_works(folder: Path) -> None:
    text = run("validate", "--help").stdout
    rows = text.partition("fits decides:\n")[2].splitlines()[:3]
    (folder / "logs").mkdir()
    (folder / "logs" / "d.jsonl").write_bytes(lines(STREAM))
    (folder / "pyproject.toml").write_text("\n".join(row.strip() for row in rows))
    assert run("validate", "logs/d.jsonl").exit_code == 0


@pytest.mark.parametrize("text", ["tool = 3", "[[tool]]\na = 1", f"a = {'[' * 5000}{']' * 5000}"])
def test_a_configuration_of_no_use_is_refused(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text)
    result = run("validate", "good.jsonl")
    assert result.exit_code == 2
    assert "pyproject.toml:" in result.stderr


@pytest.mark.parametrize("glob", ["*a" * 30, "**/" * 30 + "z", "**a" * 30])
def test_no_glob_takes_ages(folder: Path, glob: str) -> None:
    (folder / "pyproject.toml").write_text(
        f'[[tool.partwire.paths]]\nglob = "{glob}"\ntype = "message.Message"\n'
        '[[tool.partwire.paths]]\nglob = "**"\ntype = "message.MessageDelta"\n'
    )
    deep = folder.joinpath(*["a" * 50] * 20)
    deep.mkdir(parents=True)
    (deep / f"{'a' * 60}b").write_bytes(lines(STREAM))
    with costs_at_most(5):
        assert run("validate", str(deep / f"{'a' * 60}b")).exit_code == 0


def test_a_working_folder_that_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "m.json").write_text(json.dumps(USER))
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    result = run("validate", "--type", "message.Message", str(folder / "m.json"))
    assert (result.exit_code, result.stderr) == (0, "1 document in 1 source: valid\n")
