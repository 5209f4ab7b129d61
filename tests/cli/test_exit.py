"""How the command line ends: 0 fine, 1 findings, 2 usage, unreadable input, unwritable output."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import pytest

from partwire.cli import main
from partwire.cli.report.output import FileOutput
from partwire.reporting import FORMATS
from tests.cli.runner import run
from tests.conformance.drivers import importable
from tests.reporting.report_runs import BAD, GOOD, checked, folder, problems

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["folder", "importable"]

Json = dict[str, Any]
VALIDATE = ("validate", "--type", "message.MessageDelta")
PROGRAM = [sys.executable, "-c", "from partwire.cli import main; main()"]
COMMANDS = sorted(main.commands)
NEEDS: dict[str, tuple[str, ...]] = {"schema": ("list",)}
"""Subcommands, where a command is a group."""


def program(*args: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [*PROGRAM, *args], env=environment, capture_output=True, timeout=120, check=False, **options
    )


# --- wrong usage ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_usage(command: str) -> None:
    words = (command, *NEEDS.get(command, ()))
    result = run(*words, "--no-such-option")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option" in result.stderr
    assert result.stderr.startswith("Usage: ")
    result = run(*words, "--no-such-option", "--format", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    (problem,) = problems(result.stderr)["findings"]
    assert problem["rule"] == "usage/invalid-argument"
    assert problem["actual"] in ("--no-such-option", "--format")
    assert problem["expected"]


@pytest.mark.parametrize(
    ("words", "message", "expected", "actual"),
    [
        (("nope", "--format=json"), "No such command", "as `", None),
        (("--nope", "validate", "--format", "json"), "No such option", "as `", "--nope"),
        (("validate", "--formatt", "--format", "json"), "No such option", "--format", "--formatt"),
        (("validate", "--jobs", "x", "--format", "json"), "'x' is not", "whole number from 1", "x"),
        (("validate", "--jobs", "0", "a", "--format", "json"), "not in", "number from 1", "0"),
        (("validate", "--jobs", "9.5", "--format", "json"), "'9.5' is", "number from 1", "9.5"),
        (("compat", "--direction", "up", "--format", "json"), "'up' is not", "backward", "up"),
        (("history", "--format", "json"), "Missing argument", "FILE", None),
        (("convert", "--format=json"), "", "", None),
    ],
    ids=range(9),
)
def test_what_click_refuses_is_one_line_of_json(
    words: tuple[str, ...], message: str, expected: str, actual: str | None
) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    (problem,) = problems(result.stderr)["findings"]
    assert message in problem["message"]
    assert expected in problem["expected"]
    assert actual in (None, problem.get("actual"))


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "--nope", "--format", "text"),
        ("validate", "--nope", "--format", "json", "--format", "github"),
        ("validate", "--nope", "--format"),
        ("conformance", "--nope", "--", "driver", "--format", "json"),
        (),
    ],
    ids=" ".join,
)
def test_people_get_clicks_own_words(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "Usage: " in result.output


@pytest.mark.parametrize("command", [*BAD, "explain"])
def test_the_environment_asks_for_json_where_a_command_makes_reports(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTWIRE_FORMAT", "json")
    result = run(command, "--nope")
    assert result.exit_code == 2
    assert result.stderr.startswith("{") == (command != "explain")
    if command != "explain":
        good = run(*GOOD[command])
        assert checked(good.stdout_bytes.decode())["passed"] is True
        assert run(*VALIDATE, "--format", "text", "good.jsonl").stdout == ""


# --- what cannot be read --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        (*VALIDATE, "none.json"),
        (*VALIDATE, "none/*.json"),
        ("validate", "--type", "message.Nope", "good.jsonl"),
        ("validate", "--type", "message.Message", "--contract", "v9.9", "good.jsonl"),
        ("validate", "bad.json"),
        ("history", "none.jsonl"),
        ("compat", "old.json", "none.json"),
        ("compat", "old.json"),
        ("compat", "old.json", "bad.jsonl"),
        ("compat", "--accept", "none.json", "old.json", "new.json"),
        ("conformance", "--suite", "letters"),
        ("conformance", "--case", "streams/no-such-case"),
        ("conformance", "--known-failures", "none.json"),
        ("explain", "no/such-rule"),
        ("negotiate", "v0.1;q=x"),
        ("migrate", "--to", "v0.2", "none.jsonl"),
        ("migrate", "--to", "v9.9", "good.jsonl"),
    ],
    ids=" ".join,
)
def test_no_result_is_2_and_says_why(words: tuple[str, ...]) -> None:
    text = run(words[0], *words[1:])
    assert text.exit_code == 2
    assert "/" in text.stderr.partition("[")[2].partition("]")[0], text.stderr
    result = run(words[0], "--format", "json", *words[1:])
    assert result.exit_code == 2
    told = problems(result.stderr)
    assert told["findings"][0]["rule"] in text.stderr
    if result.stdout:
        assert checked(result.stdout)["passed"] is False


def test_all_that_cannot_be_read_is_told_in_one_line() -> None:
    Path("empty").mkdir()
    result = run(*VALIDATE, "--format", "json", "none.json", "bad.json", "empty", "good.jsonl")
    assert result.exit_code == 2
    told = [each["source"] for each in problems(result.stderr)["findings"]]
    assert told == ["none.json", "empty"]
    report = checked(result.stdout)
    assert (report["unreadable"], report["errors"], report["documents"]) == (2, 1, 10)


@pytest.mark.parametrize("words", [("assemble", "none.jsonl"), ("deltas", "--from", "gemini", "x")])
def test_commands_without_a_format_say_it_in_text(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "[usage/" in result.stderr


# --- findings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", list(BAD))
def test_findings_are_1_and_may_be_0(command: str) -> None:
    words = BAD[command]
    assert run(*words).exit_code == 1
    assert run(*GOOD[command]).exit_code == 0
    told = run(words[0], "--exit-zero", *words[1:])
    assert (told.exit_code, bool(told.stdout)) == (0, True)
    report = run(words[0], "--exit-zero", "--format", "json", *words[1:])
    assert (report.exit_code, checked(report.stdout_bytes.decode())["passed"]) == (0, False)


def test_exit_zero_hides_nothing_that_could_not_be_read() -> None:
    assert run(*VALIDATE, "--exit-zero", "bad.json", "none.json").exit_code == 2
    assert run(*VALIDATE, "--exit-zero", "--nope").exit_code == 2


@pytest.mark.parametrize("command", list(BAD)[:3])
def test_statistics_count_the_findings_of_each_rule(command: str) -> None:
    words = BAD[command]
    counted = json.loads(run(words[0], "--format", "json", *words[1:]).stdout_bytes)["statistics"]
    for form, stream in (("text", "stdout"), ("github", "stderr"), ("sarif", "stderr")):
        result = run(words[0], "--statistics", "--format", form, *words[1:])
        rows = [line.split() for line in getattr(result, stream).splitlines()]
        told = {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[1] in counted}
        assert told == counted
    assert run(GOOD[command][0], "--statistics", *GOOD[command][1:]).exit_code == 0


# --- output files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "form"),
    [
        *((command, form) for command in list(BAD)[:3] for form in FORMATS),
        *(("conformance", form) for form in ("text", "html")),
    ],
)
def test_a_file_holds_what_stdout_would(command: str, form: str) -> None:
    words = BAD[command]
    printed = run(words[0], "--format", form, *words[1:])
    filed = run(words[0], "--format", form, "--output-file", "out", *words[1:])
    assert (filed.exit_code, filed.stdout) == (1, "")
    told = Path("out").read_bytes()
    assert told
    assert told == printed.stdout_bytes
    assert not filed.stderr.startswith("{")
    assert not list(Path().glob(".out*"))


def test_a_file_is_written_as_utf_8_whatever_the_terminal_speaks() -> None:
    Path("ü.json").write_text('{"kind": "日本"}')
    env = {"PYTHONIOENCODING": "ascii:strict"}
    for form in ("text", "github", "json", "junit"):
        done = program(*VALIDATE, "--format", form, "--output-file", "out", "ü.json", env=env)
        assert (done.returncode, done.stdout) == (1, b"")
        assert "日本" in Path("out").read_text("utf-8")


def test_a_file_keeps_its_rights_and_is_reached_through_a_link() -> None:
    Path("there").write_text("old")
    Path("there").chmod(0o604)
    Path("link").symlink_to("there")
    assert run(*VALIDATE, "--output-file", "link", "bad.json").exit_code == 1
    assert Path("link").is_symlink()
    assert "[shape/type]" in Path("there").read_text()
    assert stat.S_IMODE(Path("there").stat().st_mode) == 0o604
    mask = os.umask(0o027)
    try:
        assert run(*VALIDATE, "--output-file", "new", "bad.json").exit_code == 1
    finally:
        os.umask(mask)
    assert stat.S_IMODE(Path("new").stat().st_mode) == 0o640


def test_a_pipe_is_written_as_it_is() -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()), daemon=True)
    reader.start()
    assert run(*VALIDATE, "--format", "json", "--output-file", "pipe", "bad.json").exit_code == 1
    reader.join(60)
    assert checked(read[0].decode())["errors"] == 1
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["", ".", "none/out", "good.jsonl/out", "\0", "x" * 300])
def test_a_place_that_cannot_be_written_is_2_before_anything_is_read(name: str) -> None:
    words = (*VALIDATE, "--format", "json", "--output-file", name, "none.json")
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    (problem,) = problems(result.stderr)["findings"]
    assert (problem["rule"], problem["source"]) == ("usage/unwritable-output", name)
    assert problem["expected"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_a_full_device_is_2(form: str) -> None:
    done = program(*VALIDATE, "--format", form, "--output-file", "/dev/full", "bad.json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"usage/unwritable-output" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_disk_that_fills_up_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    Path("out").write_text("old")
    monkeypatch.setattr("partwire.cli.report.output.os.replace", refuse)
    result = run(*VALIDATE, "--output-file", "out", "bad.json")
    assert result.exit_code == 2
    assert "No space left on device [usage/unwritable-output]" in result.stderr
    assert Path("out").read_text() == "old"
    assert not list(Path().glob(".out*"))


def test_a_run_that_is_broken_off_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_args: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    Path("out").write_text("old")
    monkeypatch.setattr("partwire.cli.commands.history.HistoryChecker", interrupt)
    assert run("history", "--output-file", "out", "history.jsonl").exit_code == 130
    assert Path("out").read_text() == "old"
    assert not list(Path().glob(".out*"))


@pytest.mark.parametrize("call", ["open", "fdopen"])
def test_a_run_that_is_ended_as_its_report_begins_leaves_nothing(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(folder.iterdir())
    real = getattr(os, call)

    def interrupted(name: Any, *args: Any, **options: Any) -> Any:
        made = real(name, *args, **options)  # it is done, but nobody gets to know
        os.close(made) if call == "open" else made.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(f"partwire.cli.report.output.os.{call}", interrupted)
    result = run(*VALIDATE, "--output-file", "out", "bad.json")
    monkeypatch.undo()
    assert result.exit_code == 130
    assert set(folder.iterdir()) == before


def test_a_dash_is_stdout() -> None:
    result = run(*VALIDATE, "--format", "json", "--output-file", "-", "bad.json")
    assert (result.exit_code, checked(result.stdout)["errors"]) == (1, 1)
    assert not Path("-").exists()


def test_a_file_that_is_given_up_is_gone() -> None:
    output = FileOutput("out")
    output.begin()
    output.write("half")
    output.discard()
    output.discard()
    assert not Path("out").exists()
    assert not list(Path().glob(".out*"))


# --- repairs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "gitlab"),
        ("--format", "sarif"),
        ("--output-file", "out"),
        ("--baseline", "old.json"),
        ("--statistics",),
        ("--exit-zero",),
    ],
    ids=" ".join,
)
def test_repairs_make_no_report(options: tuple[str, ...]) -> None:
    Path("old.json").write_text("[]")
    result = run("history", "--repair", *options, "history.jsonl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "[usage/invalid-argument]" in result.stderr


def test_repairs_do_not_care_for_reports_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PARTWIRE_FORMAT", "sarif")
    assert run("history", "--repair", "good-history.jsonl").exit_code == 0


def test_every_command_is_known_to_these_tests() -> None:
    with click.Context(main) as ctx:
        makers = {
            name
            for name in COMMANDS
            if any(
                option.envvar == "PARTWIRE_FORMAT"
                for option in getattr(main.get_command(ctx, name), "params", [])
            )
        }
    assert makers - {"publish"} == set(BAD)
