"""``partwire chat``: histories that are saved and continued, recordings."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from partwire import check_history, read
from partwire.model import ReplayModel
from tests.cli.chat_runner import LONG, TEXT, chat, messages, said
from tests.cli.runner import lines


@pytest.fixture(autouse=True)
def _in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_a_history_is_continued_in_its_file(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    assert chat("--model", f"replay:{LONG}", "--save", str(saved), stdin=b"Hello\n")[0] == 0
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    # Its calls wait for their results: these are asked for first.
    status, shown, _ = chat(
        "--model",
        f"replay:{TEXT}",
        "--continue",
        str(saved),
        "--save",
        str(saved),
        stdin=b"4 C\n07:10\n",
    )
    assert status == 0
    assert shown[0] == "result of forecast (toolu_forecast)> 4 C"
    history = messages(saved)
    assert [each["role"] for each in history] == ["user", "assistant", "tool", "assistant"]
    assert len({each["runId"] for each in history}) == 1
    assert check_history(history) == []


def test_a_history_goes_on_in_another_file(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_bytes(lines([said("Hi"), said("Hello", "assistant")]))
    before = old.read_bytes()
    status, _, _ = chat(
        "--model", f"replay:{TEXT}", "--continue", str(old), "--save", str(new), stdin=b"More\n"
    )
    assert status == 0
    assert old.read_bytes() == before
    assert [each["role"] for each in messages(new)] == ["user", "assistant"] * 2


def test_parts_of_a_newer_writer_are_continued(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    poem = {"kind": "poem", "payload": {"lines": 2}}
    old.write_bytes(lines([said("Hi"), {**said("Hello", "assistant"), "parts": [poem]}]))
    args = ("--model", f"replay:{TEXT}", "--continue", str(old), "--save", str(new))
    assert chat(*args, stdin=b"More\n")[0] == 0
    assert messages(new)[1]["parts"] == [poem]


def test_a_file_without_last_line_end_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(lines([said("Hi"), said("Hello", "assistant")]).rstrip(b"\n"))
    args = ("--model", f"replay:{TEXT}", "--continue", str(path), "--save", str(path))
    assert chat(*args, stdin=b"More\n")[0] == 0
    assert len(messages(path)) == 4


def test_a_history_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    orphan = {"toolCallId": "c", "isError": False, "content": ""}
    parts = [{"kind": "tool_result", "payload": orphan}]
    path.write_bytes(lines([said("Hi"), {**said(""), "role": "tool", "parts": parts}]))
    status, _, stderr = chat("--model", f"replay:{TEXT}", "--continue", str(path))
    assert status == 2
    assert f"{path}:2: " in stderr
    assert "[history/orphan-tool-result]" in stderr


def test_a_recording_of_a_chat_plays_the_chat(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    status, first, _ = chat(
        "--model",
        f"replay:{LONG},{TEXT}",
        "--record",
        str(path),
        "--system",
        "Be brief.",
        stdin=b"Hello\n4 C\n07:10\n",
    )
    assert status == 0
    status, again, _ = chat("--model", f"replay:{path}", "--timing", "0.5")
    assert status == 0
    assert [line.split(" (")[0] for line in again if "result" not in line] == [
        line.split(" (")[0] for line in first if "result" not in line
    ]
    assert ReplayModel(path).requests[0]["systemPrompt"] == "Be brief."  # type: ignore[index]


def test_messages_are_in_the_file_as_soon_as_they_are_said(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    status, _, _ = chat(
        "--model", f"replay:{TEXT}", "--save", str(saved), stdin=b"one\ntwo\nthree\n"
    )
    assert status == 2  # after the first answer there is no recording left
    history = [read(each, "message.Message") for each in messages(saved)]
    assert [each.role for each in history] == ["user", "assistant", "user"]
