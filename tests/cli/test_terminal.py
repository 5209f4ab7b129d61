"""The command line on a terminal: what is drawn there, and what is not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from partwire.contract.current import LATEST_VERSION
from partwire.convert import downgrade
from tests.cli.runner import STREAM, lines
from tests.fixture_cases import case_file, case_of

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

CASE = "v0.1/providers/anthropic-messages/long-answer"
PROGRAM = [sys.executable, "-c", "from partwire.cli import main; main()"]


def all_drawn(leader: int) -> str:
    """Return what comes out of a terminal until its last writer has closed it."""
    drawn = bytearray()
    try:
        while chunk := os.read(leader, 65536):
            drawn += chunk
    except OSError:
        pass  # as Linux says it
    return drawn.decode()


def on_terminal(*args: str, script: str | None = None) -> tuple[int, bytes, str]:
    """Run the command with stderr on a terminal; return status, stdout, and what was drawn."""
    leader, follower = pty.openpty()
    command = [PROGRAM[0], "-c", script, *args] if script else [*PROGRAM, *args]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "python"),
        "TERM": "xterm-256color",
        "COLUMNS": "100",
        "LINES": "40",
    }
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, stdin=subprocess.DEVNULL, env=environment
    ) as process:
        os.close(follower)
        drawn = all_drawn(leader)
        stdout = process.stdout.read() if process.stdout else b""
    os.close(leader)
    return process.returncode, stdout, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn)


def test_follow_draws_the_parts_in_place() -> None:
    status, stdout, drawn = on_terminal(
        "assemble", "--from", "anthropic-messages", "--follow", str(case_file(CASE, "input"))
    )
    assert status == 0
    expected = case_of(CASE).value("message")
    older = downgrade(json.loads(stdout), "v0.1", "message.Message", LATEST_VERSION).value
    assert older["parts"] == expected["parts"]
    for words in (
        "  thinking   The user wants to know",
        '  call       forecast  (toolu_forecast)\r\n             city: "Oslo"\r\n',
        "  usage      1,436 in (1,024 from the cache), 187 out\r\n",
        "  finish     tool_calls (tool_use)\r\n  stream     95 deltas · ",
    ):
        assert drawn.count(words) >= 1


def test_follow_draws_open_calls_and_never_passes_control_characters_on(tmp_path: Path) -> None:
    stream = [dict(each) for each in STREAM[:6]]
    stream[3]["payload"] = {"textDelta": "\x1b[31mred\x07"}
    (tmp_path / "d.jsonl").write_bytes(lines(stream))
    status, stdout, drawn = on_terminal("assemble", "--follow", str(tmp_path / "d.jsonl"))
    assert (status, stdout) == (1, b"")
    assert "the stream ended before it was done" in drawn
    assert "weather  (c1) …\r\n" in drawn
    assert r"\x1b[31mred\x07" in drawn
    assert "\x07" not in drawn
    assert "stream/truncated" in drawn


def test_follow_needs_no_rich() -> None:
    script = "import sys; sys.modules['rich'] = None\nfrom partwire.cli import main\nmain()"
    status, _, drawn = on_terminal(
        "assemble",
        "--from",
        "anthropic-messages",
        "--follow",
        str(case_file(CASE, "input")),
        script=script,
    )
    assert status == 0
    assert "thinking   The user wants" in drawn


def test_a_large_file_shows_a_progress_bar(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(lines(STREAM[2:3]) * 80_000)
    status, stdout, drawn = on_terminal("validate", "--type", "message.MessageDelta", str(path))
    assert (status, stdout) == (0, b"")
    assert "100%" in drawn
    assert "80,000 documents in 1 source: valid" in drawn


def test_a_small_file_shows_none(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(lines(STREAM))
    status, _, drawn = on_terminal("validate", "--type", "message.MessageDelta", str(path))
    assert status == 0
    assert "%" not in drawn


# --- both outputs ---------------------------------------------------------------------------------


def drawn_on(*args: str, **environment: str) -> str:
    """Run the command with both outputs on a terminal; return all bytes of what was drawn."""
    from tests.cli.test_colour import on_terminal as both  # noqa: PLC0415 - it imports this module

    size = {
        "COLUMNS": "100",
        "LINES": "40",
        "PYTHONPATH": str(Path(__file__).parents[2] / "python"),
    }
    return both(*args, **{**size, **environment})[1]


@pytest.fixture
def deltas(empty_folder: Path) -> str:
    stream = [dict(each) for each in STREAM]
    stream[3]["payload"] = {"textDelta": "\x1b[31mred\x07"}
    (empty_folder / "d.jsonl").write_bytes(lines(stream))
    return "d.jsonl"


def test_a_message_that_was_followed_is_shown_once(deltas: str) -> None:
    drawn = drawn_on("assemble", "--follow", deltas, NO_COLOR="1")
    assert drawn.count("  call       weather  (c1)\r\n") == 1
    assert drawn.count("  finish     tool_calls\r\n") == 1
    assert not re.search("\x1b\\[[0-9;]*m", drawn)  # the cursor moves without colour, too


def test_a_terminal_whose_cursor_stays_gets_lines(deltas: str) -> None:
    drawn = drawn_on("assemble", "--follow", deltas, TERM="dumb", COLUMNS="40")
    assert "\x1b" not in drawn
    assert max(map(len, drawn.split("\r\n"))) < 40
    assert "call\r\n  weather  (c1)\r\n" in drawn


def test_json_is_there_for_whoever_asks(deltas: str) -> None:
    drawn = drawn_on("assemble", "--format", "json", deltas)
    assert json.loads(drawn)["role"] == "assistant"
    assert "\r\n  call  " in drawn_on("assemble", deltas, NO_COLOR="1")


def test_a_line_that_is_wrong_is_shown(empty_folder: Path) -> None:
    (empty_folder / "d.jsonl").write_bytes(lines([STREAM[0], {**STREAM[2], "payload": 5}]))
    shown, caret = drawn_on("assemble", "d.jsonl").rstrip().split("\r\n")[-2:]
    assert shown[caret.index("^") :].startswith('"payload": 5')


def test_a_report_says_where_more_is_said(empty_folder: Path) -> None:
    (empty_folder / "d.jsonl").write_bytes(lines([{**STREAM[2], "payload": 5}]))
    words = ("validate", "--type", "message.MessageDelta", "d.jsonl")
    more = "partwire explain shape/type says why; partwire rules lists all"
    assert more in drawn_on(*words)
    assert more not in drawn_on(*words, "--format", "json")
