"""Colour: on a terminal only, unless the environment says otherwise."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_terminal import PROGRAM, all_drawn
from tests.conformance.drivers import importable
from tests.reporting.report_runs import BAD, folder

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["folder", "importable"]

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

VALIDATE = ("validate", "--type", "message.MessageDelta")
CLEAR = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm-256color"}
RED = "\x1b[31m["


def on_terminal(*args: str, **environment: str) -> tuple[int, str]:
    """Run the command with both outputs on a terminal; return the status, and what was drawn."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *args],
        stdout=follower,
        stderr=follower,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **CLEAR, **environment},
    ) as process:
        os.close(follower)
        drawn = all_drawn(leader)
    os.close(leader)
    return process.returncode, drawn


def piped(*args: str, **environment: str) -> str:
    done = subprocess.run(
        [*PROGRAM, *args],
        capture_output=True,
        env={**os.environ, **CLEAR, **environment},
        check=False,
    )
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("command", list(BAD))
def test_rules_are_coloured_on_a_terminal(command: str) -> None:
    status, drawn = on_terminal(*BAD[command])
    assert (status, RED in drawn) == (1, True)
    rest = drawn.replace("\x1b[31m", "").replace("\x1b[33m", "").replace("\x1b[0m", "")
    assert "\x1b" not in rest  # documents steer no terminal


@pytest.mark.parametrize(
    "environment",
    [{"NO_COLOR": "0"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}],
    ids=str,
)
def test_the_environment_switches_colour_off(environment: dict[str, str]) -> None:
    status, drawn = on_terminal(*BAD["validate"], **environment)
    assert (status, "\x1b" in drawn) == (1, False)


@pytest.mark.parametrize("command", list(BAD))
def test_no_color_is_for_every_command(command: str) -> None:
    status, drawn = on_terminal(*BAD[command], NO_COLOR="1")
    assert (status, "\x1b" in drawn) == (1, False)


@pytest.mark.parametrize("words", [("validate", "none.json"), ("explain", "no/rule")], ids=" ".join)
def test_errors_are_coloured_too(words: tuple[str, ...]) -> None:
    assert RED in on_terminal(*words)[1]
    assert RED not in on_terminal(*words, NO_COLOR="1")[1]
    assert RED not in piped(*words)
    assert RED in piped(*words, FORCE_COLOR="1")


@pytest.mark.parametrize("command", list(BAD))
def test_what_is_piped_has_colour_only_where_it_is_forced(command: str) -> None:
    assert "\x1b" not in piped(*BAD[command])
    assert RED in piped(*BAD[command], FORCE_COLOR="1")


@pytest.mark.parametrize("form", ["json", "github", "gitlab", "sarif", "junit"])
def test_formats_for_programs_have_none(form: str) -> None:
    assert "\x1b" not in on_terminal(*VALIDATE, "--format", form, "bad.json", FORCE_COLOR="1")[1]


def test_a_file_has_none() -> None:
    on_terminal(*VALIDATE, "--output-file", "out", "bad.json", FORCE_COLOR="1")
    assert "[shape/type]" in Path("out").read_text()
    assert "\x1b" not in Path("out").read_text()


def test_a_warning_is_yellow() -> None:
    Path("accepted.json").write_text(
        '[{"fingerprint": "0123456789abcdef", "rule": "shape/type", "pointer": "",'
        ' "source": "good.jsonl"}]'
    )
    status, drawn = on_terminal(*VALIDATE, "--baseline", "accepted.json", "good.jsonl")
    assert status == 0
    assert "\x1b[33m[baseline/unused]\x1b[0m" in drawn
