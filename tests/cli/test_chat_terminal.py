"""``partwire chat`` on a terminal: typed turns, Ctrl-C and Ctrl-D, colours and their absence."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from partwire import check_history
from tests.cli.runner import lines
from tests.fixture_cases import ROOT, case_file
from tests.providers.provider_streams import NOW

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
fcntl = pytest.importorskip("fcntl", reason="terminals have no size here")
termios = pytest.importorskip("termios", reason="terminals have no size here")

TEXT = case_file("v0.1/providers/openai-chat/text", "input")
LONG = case_file("v0.1/providers/anthropic-messages/long-answer", "input")
# A test run in the background has interrupts switched off, and its children inherit that.
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from partwire.cli import main; main()"
)
WITHOUT_RICH = "import sys; sys.modules['rich'] = None\n" + PROGRAM
PATIENCE_S = 120


class Terminal:
    """A program on a terminal: what it shows, and what is typed."""

    def __init__(self, process: subprocess.Popen[bytes], leader: int) -> None:
        self.process = process
        self._leader = leader
        self.shown = ""

    def wait_for(self, words: str, after: int = 0) -> int:
        """Read until ``words`` are shown; return where they end."""
        end = time.monotonic() + PATIENCE_S
        while words not in plain(self.shown)[after:]:
            if not self._read(end - time.monotonic()):
                pytest.fail(f"{words!r} is not shown, but {self.shown!r}")
        return plain(self.shown).index(words, after) + len(words)

    def type(self, text: str) -> None:
        os.write(self._leader, text.encode())

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def interrupt_prompt(self) -> None:
        """Interrupt until it is heard: readline misses a signal between its prompt and its wait."""
        while True:
            self.interrupt()
            if self._read(1):
                return

    def finish(self) -> int:
        """Read to the end; return the exit status."""
        end = time.monotonic() + PATIENCE_S
        while self._read(end - time.monotonic()):
            pass
        return self.process.wait(PATIENCE_S)

    def _read(self, timeout_s: float) -> bool:
        ready, _, _ = select.select([self._leader], [], [], max(0, timeout_s))
        try:
            chunk = os.read(self._leader, 65536) if ready else b""
        except OSError:  # Linux: the last writer has closed the terminal
            chunk = b""
        self.shown += chunk.decode(errors="replace")
        return bool(chunk)


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r\n", "\n")


@contextmanager
def terminal(
    *args: str,
    script: str = PROGRAM,
    columns: int = 100,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Terminal]:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    with subprocess.Popen(
        [sys.executable, "-c", script, "chat", *args],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={
            **kept,
            "PYTHONPATH": str(ROOT / "python"),
            "TERM": "xterm-256color",
            **environment,
        },
    ) as process:
        os.close(follower)
        try:
            yield Terminal(process, leader)
        finally:
            if process.poll() is None:
                process.kill()
            os.close(leader)


def saved(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Deltas that come at once, but for the last two, an hour later."""
    call = {"toolCallId": "c1", "toolName": "t"}
    rows: list[tuple[str, dict[str, Any], str]] = [
        ("start", {"modelId": "m", "requestId": "r"}, NOW),
        ("tool_call_start", call, NOW),
        ("tool_call_end", {"toolCallId": "c1"}, NOW),
        ("text", {"textDelta": "So far"}, NOW),
        ("text", {"textDelta": "Too late"}, "2026-01-02T04:04:05Z"),
        ("done", {"finishReason": "stop"}, "2026-01-02T04:04:05Z"),
    ]
    path = tmp_path / "slow.jsonl"
    path.write_bytes(
        lines(
            [
                {"kind": kind, "runId": "r", "seq": seq, "timestamp": at, "payload": payload}
                for seq, (kind, payload, at) in enumerate(rows)
            ]
        )
    )
    return path


def test_turns_and_results_are_typed(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    with terminal("--model", f"replay:{LONG},{TEXT}", "--save", str(path)) as screen:
        screen.wait_for("you> ")
        screen.type("Bike or train?\n")
        screen.wait_for("result of forecast (toolu_forecast)> ")
        screen.type("4 °C\n")
        screen.wait_for("result of departures (toolu_trains)> ")
        screen.type("07:10\n")
        screen.wait_for("answer> Bergen\n")
        assert screen.finish() == 0
    assert plain(screen.shown).endswith("note> The recording has been played.\n")
    assert "\x1b[" in screen.shown
    history = saved(path)
    assert history[0]["parts"][0]["payload"]["text"] == "Bike or train?"
    results = [part["payload"]["content"] for part in history[2]["parts"]]
    assert results == ["4 °C", "07:10"]
    assert check_history(history) == []


def test_the_end_of_input_leaves() -> None:
    with terminal("--model", f"replay:{TEXT},{TEXT}") as screen:
        screen.wait_for("you> ")
        screen.type("Hi\n")
        at = screen.wait_for("answer> Bergen\n")
        screen.wait_for("you> ", at)
        screen.type("\x04")
        assert screen.finish() == 0
    assert "End of the conversation." in screen.shown


def test_an_interrupt_cancels_the_answer_and_the_next_one_leaves(
    slow: Path, tmp_path: Path
) -> None:
    path = tmp_path / "h.jsonl"
    model = f"replay:{slow},{TEXT},{TEXT}"
    with terminal("--model", model, "--timing", "real", "--save", str(path)) as screen:
        screen.wait_for("you> ")
        screen.type("Hi\n")
        screen.wait_for("So far")
        screen.interrupt()
        at = screen.wait_for("note> Cancelled; what has arrived is kept.\n")
        screen.wait_for("you> ", at)
        screen.type("Again\n")
        at = screen.wait_for("answer> Bergen\n")
        screen.wait_for("you> ", at)
        screen.interrupt_prompt()
        assert screen.finish() == 130
    assert "Aborted!" in screen.shown
    assert "Traceback" not in screen.shown
    history = saved(path)
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "user", "assistant"]
    assert history[1]["meta"]["incomplete"] == {"ending": "cancelled", "openToolCallIds": []}
    assert history[1]["parts"][1]["payload"]["text"] == "So far"
    assert history[2]["parts"][0]["payload"]["isError"] is True
    assert check_history(history) == []


def test_a_recording_of_a_cancelled_answer_says_so(slow: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    model = f"replay:{slow},{TEXT}"
    with terminal("--model", model, "--timing", "real", "--record", str(path)) as screen:
        screen.wait_for("you> ")
        screen.type("Hi\n")
        screen.wait_for("So far")
        screen.interrupt()
        at = screen.wait_for("note> Cancelled")
        screen.wait_for("you> ", at)
        screen.type("\x04")
        assert screen.finish() == 0
    assert saved(path)[-1]["how"] == "cancelled"


def test_a_recording_plays_by_itself_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with terminal("--model", f"replay:{TEXT}", "--record", str(path)) as screen:
        screen.wait_for("you> ")
        screen.type("Where?\n")
        assert screen.finish() == 0
    with terminal("--model", f"replay:{path}") as screen:
        assert screen.finish() == 0
    assert plain(screen.shown) == "you> Where?\nanswer> Bergen\n"


@pytest.mark.parametrize(
    ("script", "environment"),
    [(WITHOUT_RICH, {}), (PROGRAM, {"NO_COLOR": "1"}), (PROGRAM, {"TERM": "dumb"})],
    ids=["without-rich", "no-color", "dumb"],
)
def test_without_colours_the_text_is_the_same(script: str, environment: dict[str, str]) -> None:
    with terminal("--model", f"replay:{TEXT}", script=script, environment=environment) as screen:
        screen.wait_for("you> ")
        screen.type("Hi\n")
        assert screen.finish() == 0
    coloured = re.findall(r"\x1b\[[0-9;]*m", screen.shown)
    assert [each for each in coloured if re.search(r"[34][0-7]", each)] == []
    assert "answer> Bergen\n" in plain(screen.shown)


def test_a_narrow_terminal_gets_every_word() -> None:
    with terminal("--model", f"replay:{LONG},{TEXT}", columns=20) as screen:
        screen.wait_for("you> ")
        screen.type("Hi\n")
        screen.wait_for("result of forecast (toolu_forecast)>")
        screen.type("\x04")
        assert screen.finish() == 0
    words = "The user wants to know whether to take the bike or the train tomorrow."
    assert words in plain(screen.shown)


def test_what_is_typed_may_be_anything() -> None:
    with terminal("--model", f"replay:{TEXT}") as screen:
        screen.wait_for("you> ")
        os.write(screen._leader, b"\xff\xfe\n")
        screen.wait_for("answer> Bergen")
        assert screen.finish() == 0
    assert "Traceback" not in screen.shown
