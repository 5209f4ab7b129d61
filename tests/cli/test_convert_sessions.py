"""``partwire convert`` of agents' sessions: whole, in constant memory, and while they grow."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from partwire import formats, to_wire
from tests.cli.runner import run, stderr_json
from tests.formats.sessions import ClaudeCode, jsonl
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("empty_folder")

TO = ("convert", "--from", "claude-code", "--to", "message")
PACKAGE = Path(sys.modules["partwire"].__file__ or "").parent.parent
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from partwire.cli import main; main()"
)


def session() -> ClaudeCode:
    made = ClaudeCode()
    first = made.user("a")
    made.says("msg_1", "left")
    made.user("b", parent=first)
    made.says("msg_2", "c")
    made.says("msg_2", "d")
    return made


def text_of(line: str | bytes) -> Any:
    return json.loads(line)["parts"][0]["payload"]["text"]


# --- whole files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz", "s.txt", "-"])
def test_a_session_is_the_messages_that_count(name: str) -> None:
    data = jsonl(session().lines)
    if name != "-":
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    result = run(*TO, name, stdin=data)
    assert result.exit_code == 0
    expected = formats.read("claude-code", data)
    assert list(map(json.loads, result.stdout.splitlines())) == [
        to_wire(message) for message in expected.messages
    ]
    (told,) = stderr_json(result)
    assert (told["pointer"], told["code"], told["line"]) == ("/1", "branch-left-out", 2)


def test_a_broken_line_is_told_with_its_line() -> None:
    data = jsonl(session().lines[2:]).replace(b"\n", b"\n\n", 1)
    Path("s.jsonl").write_bytes(data + b'{"type":"us')
    for options in ([], ["--from", "claude-code"], ["--format", "json"]):
        result = run("convert", "--to", "message", *options, "s.jsonl")
        assert result.exit_code == 0
        losses = json.loads(result.stdout)["losses"] if "json" in options else stderr_json(result)
        assert [(each["code"], each["line"]) for each in losses] == [("broken-line", 5)]


def test_a_session_is_found_by_its_first_lines() -> None:
    Path("s.jsonl").write_bytes(jsonl(["not JSON", *session().lines]))
    result = run("convert", "--to", "message", "s.jsonl")
    assert [text_of(line) for line in result.stdout.splitlines()] == ["a", "b", "cd"]
    assert not run("convert", "--to", "message", "--from", "codex", "s.jsonl").stdout


def test_several_sessions_say_whose_losses_they_are() -> None:
    for name in ("s.jsonl", "t.jsonl"):
        Path(name).write_bytes(jsonl(session().lines))
    result = run(*TO, "s.jsonl", "t.jsonl")
    assert [each["source"] for each in stderr_json(result)] == ["s.jsonl", "t.jsonl"]


def test_strict_refuses_what_would_be_lost() -> None:
    Path("s.jsonl").write_bytes(jsonl(session().lines))
    result = run(*TO, "--strict", "s.jsonl")
    assert (result.exit_code, result.stdout) == (1, "")
    assert [each["line"] for each in stderr_json(result)] == [2]
    assert run(*TO, "--strict", "--accept", "branch-left-out", "s.jsonl").exit_code == 0


def test_a_session_becomes_another_format() -> None:
    Path("s.jsonl").write_bytes(jsonl(session().lines))
    result = run("convert", "--from", "claude-code", "--to", "openai-chat", "s.jsonl")
    assert result.exit_code == 0
    history = json.loads(result.stdout)
    assert [each["role"] for each in history["messages"]] == ["user", "user", "assistant"]


def test_the_caller_may_name_the_run() -> None:
    Path("s.jsonl").write_bytes(jsonl(session().lines))
    result = run(*TO, "--run-id", "run_1", "s.jsonl")
    assert {json.loads(line)["runId"] for line in result.stdout.splitlines()} == {"run_1"}


def test_an_export_of_opencode_is_found() -> None:
    part = {"id": "p", "type": "text", "text": "a"}
    info = {"id": "m", "sessionID": "s", "role": "user", "time": {"created": 0}}
    document = {"info": {"id": "s"}, "messages": [{"info": info, "parts": [part]}]}
    Path("s.json").write_text(json.dumps(document))
    result = run("convert", "--to", "message", "s.json")
    assert [text_of(line) for line in result.stdout.splitlines()] == ["a"]


# --- large files ----------------------------------------------------------------------------------


def write_large(path: Path, size: int) -> int:
    """Write a session of that size; return how many messages it has."""
    turns, written = 0, 0
    with path.open("wb") as file:
        last: str | None = None
        while written < size:
            turn = ClaudeCode()
            turn.user("do it " * 100)
            turn.says("msg", "I do. " * 300)
            turn.calls("msg", f"call_{turns}")
            turn.result(f"call_{turns}", "done " * 1500)
            for at, line in enumerate(turn.lines):
                line["uuid"] = f"{turns:08}-0000-4000-8000-00000000000{at}"
                line["parentUuid"], last = last, line["uuid"]
                if line["message"].get("id"):
                    line["message"]["id"] = f"msg_{turns}"
            written += file.write(jsonl(turn.lines))
            turns += 1
    return 3 * turns


# Not getrusage: that has what the process took that this one was forked from.
_MEASURED = """
import sys
from partwire.cli import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""
MEASURABLE = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="/proc says what a process took"
)


def measured(path: Path) -> tuple[int, int]:
    """Convert a session in a process of its own; return its messages and its peak in KiB."""
    with Path("out.jsonl").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, *TO, str(path)],
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            timeout=280,
            check=True,
        )
    with Path("out.jsonl").open("rb") as lines:
        return sum(1 for _ in lines), int(done.stderr.split()[-1])


@MEASURABLE
@pytest.mark.slow
def test_a_session_of_100_mb_takes_no_more_memory_than_a_small_one() -> None:
    small, large = Path("small.jsonl"), Path("large.jsonl")
    wanted = write_large(small, 1_000_000), write_large(large, 100_000_000)
    (few, before), (many, peak) = measured(small), measured(large)
    assert (few, many) == wanted
    assert peak - before < 30 << 10  # a number for each line


@MEASURABLE
def test_memory_does_not_grow_with_a_session() -> None:
    small, large = Path("small.jsonl"), Path("large.jsonl")
    write_large(small, 5_000_000)  # of which all buffers are full
    write_large(large, 15_000_000)
    (few, before), (many, peak) = measured(small), measured(large)
    assert many > 2 * few
    assert peak - before < 5 << 10


def test_a_large_session_shows_a_progress_bar(tmp_path: Path) -> None:
    pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    from tests.cli.test_terminal import on_terminal  # noqa: PLC0415 - it needs terminals

    many = write_large(tmp_path / "s.jsonl", 9 << 20)
    out = tmp_path / "out.jsonl"
    script = (  # a pipe would be full before the end
        f"import os; os.dup2(os.open({str(out)!r}, os.O_WRONLY | os.O_CREAT), 1)\n"
        "from partwire.cli import main; main()"
    )
    status, _, drawn = on_terminal(*TO, str(tmp_path / "s.jsonl"), script=script)
    assert status == 0
    assert "100%" in drawn
    assert out.read_bytes().count(b"\n") == many
    assert run(*TO, str(tmp_path / "s.jsonl")).stderr == ""  # in a pipe there is no bar


# --- sessions that grow ---------------------------------------------------------------------------


class Following:
    """A session that is followed in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def texts(self, count: int) -> list[str]:
        """Return the texts of the next messages."""
        assert self.process.stdout is not None
        return [text_of(self.process.stdout.readline()) for _ in range(count)]

    def end(self, number: int | None = None) -> tuple[int, list[str], list[str]]:
        """End it; return its status, and what it still printed and told."""
        if number is not None:
            self.process.send_signal(number)
        out, told = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode().splitlines(), told.decode().splitlines()


@contextmanager
def following(path: Path) -> Iterator[Following]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *TO, "--follow", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "COVERAGE_PROCESS_START": ""},
    )
    with process:
        try:
            yield Following(process)
        finally:
            process.kill()


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_messages_are_printed_as_they_become_whole() -> None:
    path = Path("s.jsonl").resolve()
    rows = jsonl(session().lines).splitlines(keepends=True)
    path.write_bytes(rows[0] + rows[1])
    with following(path) as followed:
        assert followed.texts(1) == ["a"]
        append(path, rows[2][:20])
        time.sleep(0.3)  # half a line says nothing
        append(path, rows[2][20:] + rows[3])
        assert followed.texts(2) == ["left", "b"]
        append(path, rows[4] + b'{"type":"us')
        time.sleep(0.5)
        status, out, told = followed.end(signal.SIGINT)
    assert status == 130
    assert [text_of(line) for line in out] == ["cd"]
    assert json.loads(told[0]) == {"branch": {"after": 0}}
    losses = [json.loads(each) for each in told[1:-1]]
    assert [(each["code"], each["line"]) for each in losses] == [
        ("broken-line", 6),
        ("branch-left-out", 2),
    ]
    assert told[-1] == "Aborted!"


def _cut(path: Path) -> None:
    path.write_bytes(b"")


def _replace(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def _remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("change", "words"), [(_cut, "cut"), (_replace, "replaced"), (_remove, "No such file")]
)
def test_a_file_that_is_cut_or_replaced_is_named(
    change: Callable[[Path], None], words: str
) -> None:
    path = Path("s.jsonl").resolve()
    path.write_bytes(jsonl(session().lines[:2]))
    with following(path) as followed:
        assert followed.texts(1) == ["a"]
        change(path)
        status, out, told = followed.end()
    assert status == 2
    assert [text_of(line) for line in out] == ["left"]  # it had come, and waited for more
    shown = "\n".join(told)
    assert "usage/unreadable-input" in shown
    assert words in shown


def test_a_line_beyond_the_limit_names_the_option() -> None:
    for options in (TO, (*TO, "--follow")):
        result = run("--max-document-bytes", "9", *options, "-", stdin=jsonl(session().lines))
        assert "--max-document-bytes" in result.stderr


def test_stdin_is_followed_to_its_end() -> None:
    result = run(*TO, "--follow", "-", stdin=jsonl(session().lines))
    assert result.exit_code == 0
    assert [text_of(line) for line in result.stdout.splitlines()] == ["a", "left", "b", "cd"]
    branch, loss = stderr_json(result)
    assert branch == {"branch": {"after": 0}}
    assert (loss["code"], loss["line"]) == ("branch-left-out", 2)


@pytest.mark.parametrize(
    "options",
    [
        ["--to", "message", "--strict", "s.jsonl"],
        ["--to", "message", "--format", "json", "s.jsonl"],
        ["--to", "session", "s.jsonl"],
        ["--to", "message", "s.jsonl", "s.jsonl"],
        ["--to", "message", "--from", "openai-chat", "s.jsonl"],
        ["--to", "message", "--from", "codex", "s.jsonl.gz"],
        ["--to", "message", "--from", "codex", "gone.jsonl"],
    ],
)
def test_what_cannot_be_followed_is_refused(options: list[str]) -> None:
    Path("s.jsonl").write_bytes(jsonl(session().lines))
    Path("s.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    assert run("convert", "--follow", *options).exit_code == 2
