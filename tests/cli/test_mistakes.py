"""What people get wrong on the command line: files that would be lost, names that mislead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pytest

from partwire.errors import counted
from tests.cli.runner import STREAM, USER, lines, run
from tests.patience import PATIENCE, until
from tests.reporting.report_runs import problems

TYPE = ("--type", "message.MessageDelta")
PYTHON_PATH = str(Path(__file__).parents[2] / "python")
PROGRAM = [sys.executable, "-c", "from partwire.cli import main; main()"]
BAD = b'{"kind": "nope"}\n'
ROW = '[[paths]]\nglob = "*"\ntype = "message.MessageDelta"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_bytes(BAD)
    return tmp_path


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def opened_by_reader(path: Path, reader: subprocess.Popen[bytes]) -> BinaryIO:
    """Open a named pipe for writing as soon as another process reads it, if that does not end."""

    def opened() -> BinaryIO | None:
        assert reader.poll() is None
        with suppress(OSError):  # ENXIO: nobody reads yet
            return os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "wb")
        return None

    slow: BinaryIO = until(opened, "the reader")
    return slow


# --- files that would be lost ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bad.jsonl", "./bad.jsonl", "link.jsonl"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_report_replaces_no_input(folder: Path, name: str, jobs: str) -> None:
    (folder / "link.jsonl").symlink_to("bad.jsonl")
    (folder / "a.jsonl").write_bytes(lines(STREAM))
    words = ("validate", *TYPE, "a.jsonl", "bad.jsonl", "--jobs", jobs, "--output-file", name)
    result = run(*words, "--format", "json")
    assert result.exit_code == 2
    (problem,) = problems(result.stderr)["findings"]
    assert problem["rule"] == "usage/unwritable-output"
    assert problem["actual"] == "bad.jsonl"
    assert (folder / "bad.jsonl").read_bytes() == BAD
    assert names(folder) == {"a.jsonl", "bad.jsonl", "link.jsonl"}


def test_a_report_replaces_neither_history_nor_schema(folder: Path) -> None:
    pytest.importorskip("jsonschema")
    (folder / "history.jsonl").write_bytes(lines([USER]))
    for name in ("old.json", "new.json"):
        (folder / name).write_text('{"type": "object"}')
    for words in (("history", "history.jsonl"), ("compat", "old.json", "new.json")):
        before = Path(words[-1]).read_bytes()
        result = run(*words, "--output-file", words[-1])
        assert (result.exit_code, Path(words[-1]).read_bytes()) == (2, before)
        assert "The report would replace what it is about" in result.stderr


@pytest.mark.parametrize("exists", [True, False])
def test_a_report_replaces_no_baseline(folder: Path, exists: bool) -> None:
    if exists:
        (folder / "known.json").write_text("[]\n")
    words = ("validate", *TYPE, "bad.jsonl", "--baseline", "known.json", "--baseline-update")
    result = run(*words, "--output-file", "./known.json")
    assert result.exit_code == 2
    assert "The report would replace the baseline [usage/unwritable-output]" in result.stderr
    assert (folder / "known.json").exists() == exists


@pytest.mark.parametrize("name", ["", "-"])
def test_a_baseline_is_a_file(folder: Path, name: str) -> None:
    result = run("validate", *TYPE, "bad.jsonl", "--baseline", name, "--baseline-update")
    assert result.exit_code == 2
    assert "A baseline is a file [usage/invalid-argument]" in result.stderr
    assert names(folder) == {"bad.jsonl"}


# --- where reports go -----------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd here")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_a_report_goes_into_the_pipe_that_a_name_leads_to(name: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "validate", *TYPE, "bad.jsonl", "--format", "json", "--output-file", name],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout)["errors"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are other signals here")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["term", "hup"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_ended_leaves_nothing_behind(folder: Path, number: int, jobs: int) -> None:
    os.mkfifo(folder / "slow.jsonl")  # its reader waits
    (folder / "large.jsonl").write_bytes(BAD * 200_000)
    words = ["validate", *TYPE, "large.jsonl", "slow.jsonl", f"--jobs={jobs}"]
    before = names(folder)
    # Whoever runs the tests may ignore it, as nohup does: then the program would as well.
    taken = f"import signal; signal.signal({int(number)}, signal.SIG_DFL); {PROGRAM[-1]}"
    with subprocess.Popen(
        [*PROGRAM[:-1], taken, *words, "--output-file", "report.txt"],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    ) as process:
        try:
            until(lambda: names(folder) != before or process.poll() is not None, "the report")
            process.send_signal(number)
            _, stderr = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, stderr) == (128 + number, b"")
    assert names(folder) == before


@pytest.mark.skipif(sys.platform != "linux", reason="processes are not forked here")
@pytest.mark.parametrize("moment", ["before", "after_in_parent"])
def test_a_signal_while_a_process_is_forked_is_for_one_of_the_two(
    folder: Path, moment: str
) -> None:
    (folder / "large.jsonl").write_bytes(BAD * 200_000)
    words = ["validate", *TYPE, "large.jsonl", "bad.jsonl", "--jobs=2", "--output-file", "out.txt"]
    before = names(folder)
    number = int(signal.SIGTERM)
    taken = (
        f"import os, signal; signal.signal({number}, signal.SIG_DFL); "
        f"os.register_at_fork({moment}=lambda: os.kill(os.getpid(), {number})); {PROGRAM[-1]}"
    )
    done = subprocess.run(
        [*PROGRAM[:-1], taken, *words],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"", b"")
    assert names(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there are other signals here")
def test_a_run_goes_on_where_the_signal_is_ignored(folder: Path) -> None:
    os.mkfifo(folder / "slow.jsonl")
    with subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *PROGRAM, "validate", *TYPE, "slow.jsonl"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
    ) as process:
        try:
            with opened_by_reader(folder / "slow.jsonl", process) as slow:
                process.send_signal(signal.SIGHUP)
                slow.write(BAD)
            stdout, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 1
    assert stdout.startswith(b"slow.jsonl:1: No variant has this kind")


# --- names that mislead ---------------------------------------------------------------------------


def test_an_unknown_type_is_said_once() -> None:
    result = run("validate", "--type", "Message", "bad.jsonl", "none.jsonl")
    assert result.exit_code == 2
    assert result.stderr.count("usage/unknown-type") == 1
    assert "message.Message or blocks.Message" in result.stderr
    assert "unreadable" not in result.stderr


def test_a_file_that_is_found_is_never_stdin(folder: Path) -> None:
    (folder / "bad.jsonl").unlink()
    (folder / "-").write_bytes(BAD)
    result = run("validate", *TYPE, "[-]", stdin=b'{"kind": 1}')
    assert (result.exit_code, result.stdout.split(" ")[0]) == (1, "./-:1:2:")
    folder.joinpath("partwire.toml").write_text('exclude = ["*.toml"]\n' + ROW)
    result = run("validate", stdin=b'{"kind": 1}')
    assert (result.exit_code, result.stdout.split(" ")[0]) == (1, "./-:1:2:")


def test_a_folder_without_inputs_is_none(folder: Path) -> None:
    (folder / "logs" / "old").mkdir(parents=True)
    result = run("validate", *TYPE, "logs/")
    assert result.exit_code == 2
    assert "Is a directory [usage/unreadable-input]" in result.stderr
    assert "  expected  a file, or a folder with files named .json, .jsonl," in result.stderr
    (folder / "logs" / "old" / "bad.jsonl").write_bytes(BAD)
    assert run("validate", *TYPE, "logs/").exit_code == 1


@pytest.mark.parametrize("names", [(), ("old.json",), ("a", "b", "c")])
def test_a_comparison_has_two_sides(names: tuple[str, ...]) -> None:
    result = run("compat", *names)
    assert result.exit_code == 2
    assert "  expected  OLD NEW, or --against git:REF with files and folders\n" in result.stderr
    assert f"  actual    {counted(len(names), 'source')}\n" in result.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_type_of_a_file_whatever_its_name_is(folder: Path, form: str) -> None:
    (folder / "partwire.toml").write_text(ROW)
    result = run("config", "a\nb\udcff.jsonl", "--format", form)
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    assert "a\\nb\\udcff.jsonl" in line.replace("\\\\", "\\")
    assert "message.MessageDelta" in line


@pytest.mark.parametrize("number", ["nan", "inf"])
@pytest.mark.parametrize("words", [("publish", "--registry", "mock://a"), ("conformance",)])
def test_no_time_is_endless(words: tuple[str, ...], number: str) -> None:
    result = run(*words, "--timeout", number, "--format", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    (problem,) = problems(result.stderr)["findings"]
    assert problem["expected"].startswith("a number ")
    assert problem["actual"] == number


@pytest.mark.parametrize("name", ["v0.1", "v0.2/message", "git:HEAD:bad.jsonl"])
def test_a_commit_is_compared_with_files_alone(folder: Path, name: str) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "bad.jsonl"], cwd=folder, check=True)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, "commit", "-qm", "x"], cwd=folder, check=True)
    result = run("compat", "--against", "git:HEAD", name)
    assert result.exit_code == 2
    assert "--against looks at what a commit may hold" in result.stderr
    assert "files and folders of the working tree" in result.stderr


# --- configurations that nobody can read ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# A comment.\ncontract = = 1", 2, "Invalid value"),
        ("\ncontract = " + "9" * 5_000, None, "Exceeds the limit"),
        ("contract = " + "[" * 9_000, None, "recursion"),
        (b"contract = '\xff'", None, "can't decode byte 0xff"),
    ],
    ids=["syntax", "digits", "depth", "encoding"],
)
def test_what_is_no_toml(folder: Path, text: str | bytes, line: int | None, message: str) -> None:
    (folder / "partwire.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    for command in ("validate", "config"):
        result = run(command)
        assert result.exit_code == 2, result.output
        place = "partwire.toml" if line is None else f"partwire.toml:{line}"
        assert result.stderr.startswith(f"{place}: Cannot be read: ")
        assert message in result.stderr
        assert "[usage/unreadable-input]\n  expected  TOML, in UTF-8\n" in result.stderr


def test_a_configuration_may_begin_with_a_byte_order_mark(folder: Path) -> None:
    (folder / "partwire.toml").write_text(ROW.replace('"*"', '"*.jsonl"'), "utf-8-sig")
    assert run("validate").exit_code == 1
