"""``partwire chat``: from pipes and by itself; on a terminal see test_cli_chat_terminal.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from partwire import check_history
from partwire.model import RecordingModel, ReplayModel
from tests.cli.chat_runner import LONG, TEXT, chat, messages, said
from tests.cli.runner import lines
from tests.fixture_cases import case_file
from tests.providers.provider_streams import NOW

FAILED = str(case_file("v0.1/providers/anthropic-messages/error-overloaded", "input"))
CUT = str(case_file("v0.1/providers/anthropic-messages/cut-in-tool-call", "input"))
PROVIDERS = {
    "anthropic": ("anthropic", "ANTHROPIC_API_KEY"),
    "openai": ("openai", "OPENAI_API_KEY"),
    "openai-responses": ("openai", "OPENAI_API_KEY"),
    "gemini": ("google.genai", "GEMINI_API_KEY"),
    "bedrock": ("boto3", "AWS_DEFAULT_REGION"),
    "cohere": ("cohere", "CO_API_KEY"),
}


@pytest.fixture(autouse=True)
def _in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    """A recording of two turns, the first with two tool calls."""
    path = tmp_path / "conversation.jsonl"

    async def hold() -> None:
        with RecordingModel(ReplayModel([LONG, TEXT, TEXT]), path) as model:
            history: list[Any] = [said("Bike or train?")]
            history.append(await model.stream(history).message())
            calls = [p.payload.tool_call_id for p in history[-1].parts if p.kind == "tool_call"]
            results = [
                {
                    "kind": "tool_result",
                    "payload": {"toolCallId": each, "isError": False, "content": f"of {each}"},
                }
                for each in calls
            ]
            history.append({**said(""), "role": "tool", "parts": results})
            history.append(await model.stream(history).message())
            history.append(said("Thanks.", run_id="run_2"))
            await model.stream(history).message()

    anyio.run(hold)
    return path


# --- a conversation that plays by itself ----------------------------------------------------------


def test_a_recording_plays_by_itself(conversation: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    status, shown, stderr = chat("--model", f"replay:{conversation}", "--save", str(saved))
    assert (status, stderr) == (0, "")
    assert [line.split("> ")[0] for line in shown] == [
        "you",
        "thinking",
        "answer",
        "call toolu_forecast",
        "call toolu_trains",
        "result of toolu_forecast",
        "result of toolu_trains",
        "answer",
        "you",
        "answer",
    ]
    assert shown[0] == "you> Bike or train?"
    assert shown[5] == "result of toolu_forecast> of toolu_forecast"
    assert shown[-2:] == ["you> Thanks.", "answer> Bergen"]
    history = messages(saved)
    assert [each["role"] for each in history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert check_history(history) == []


def test_provider_streams_play_without_turns(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    status, shown, _ = chat("--model", f"replay:{LONG},{TEXT}", "--save", str(saved))
    assert status == 0
    assert shown[-1] == "answer> Bergen"
    history = messages(saved)
    assert [each["role"] for each in history] == ["assistant", "tool", "assistant"]
    assert [part["payload"]["isError"] for part in history[1]["parts"]] == [True, True]
    assert check_history(history) == []


@pytest.mark.parametrize("asked", [{"role": "user"}, {}, {"role": []}], ids=repr)
def test_a_recorded_turn_that_is_none_is_refused(asked: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    header = {"format": "partwire-recording", "formatVersion": 2, "contract": "v0.1"}
    request = {"type": "request", "stream": 1, "toolSpecs": [], "config": {"modelId": "m"}}
    path.write_bytes(lines([header, {**request, "messages": [asked]}]))
    status, shown, stderr = chat("--model", f"replay:{path}")
    assert (status, shown) == (2, [])
    assert "[shape/required]" in stderr


# --- from a pipe ----------------------------------------------------------------------------------


def test_piped_lines_are_turns_and_results(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    status, shown, _ = chat(
        "--model",
        f"replay:{LONG},{TEXT}",
        "--save",
        str(saved),
        stdin="Grüße\r\n4 °C".encode(),
    )
    assert status == 0
    assert shown[0] == "you> Grüße"
    assert shown[-1] == "result of forecast (toolu_forecast)> 4 °C"
    history = messages(saved)
    assert [part["payload"]["content"] for part in history[2]["parts"]] == ["4 °C"]
    assert [each["role"] for each in history] == ["user", "assistant", "tool"]
    assert history[0]["parts"][0]["payload"]["text"] == "Grüße"


def test_blank_lines_are_results_but_no_turns(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    stdin = b"\n  \nHello\n\n4 C\nMore\n"
    status, shown, _ = chat(
        "--model", f"replay:{LONG},{TEXT},{TEXT}", "--save", str(saved), stdin=stdin
    )
    assert status == 0
    history = messages(saved)
    results = [part["payload"]["content"] for part in history[2]["parts"]]
    assert results == ["", "4 C"]
    assert shown[-2:] == ["you> More", "answer> Bergen"]
    runs = [each["runId"] for each in history]
    assert len(set(runs[:4])) == 1
    assert runs[4] == runs[5] != runs[0]
    assert check_history(history) == []


def test_more_lines_than_recorded_are_an_error() -> None:
    status, shown, stderr = chat("--model", f"replay:{TEXT}", stdin=b"one\ntwo\n")
    assert status == 2
    assert shown[:2] == ["you> one", "answer> Bergen"]
    assert "[usage/replay-ended]" in stderr


def test_stdin_that_is_no_text_is_refused() -> None:
    status, _, stderr = chat("--model", f"replay:{TEXT}", stdin=b"\xff\n")
    assert status == 2
    assert "[usage/unreadable-input]" in stderr


def test_a_last_line_without_end_is_a_turn() -> None:
    assert chat("--model", f"replay:{TEXT}", stdin=b"Hi")[1][0] == "you> Hi"


# --- errors ---------------------------------------------------------------------------------------


def test_an_error_is_shown_and_the_conversation_goes_on(tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    status, shown, _ = chat(
        "--model", f"replay:{FAILED},{TEXT}", "--save", str(saved), stdin=b"one\ntwo\n"
    )
    assert status == 1
    assert any(line.startswith("error> overloaded: ") for line in shown)
    assert shown[-1] == "answer> Bergen"
    history = messages(saved)
    assert history[-1]["parts"][0]["payload"]["text"] == "Bergen"
    partial = [each for each in history if "incomplete" in each.get("meta", {})]
    assert [each["meta"]["incomplete"]["ending"] for each in partial] in ([], ["error"])


def test_calls_of_a_failed_answer_are_not_asked_for(tmp_path: Path) -> None:
    start = {"modelId": "m", "requestId": "r"}
    call = {"toolCallId": "c1", "toolName": "t"}
    error = {"errorCode": "connection", "message": "gone\x1b[31m", "retryable": True}
    kinds = [
        ("start", start),
        ("tool_call_start", call),
        ("tool_call_end", {"toolCallId": "c1"}),
        ("error", error),
    ]
    path = tmp_path / "d.jsonl"
    path.write_bytes(
        lines(
            [
                {"kind": kind, "runId": "r", "seq": seq, "timestamp": NOW, "payload": payload}
                for seq, (kind, payload) in enumerate(kinds)
            ]
        )
    )
    saved = tmp_path / "saved.jsonl"
    status, shown, _ = chat(
        "--model", f"replay:{path},{TEXT}", "--save", str(saved), stdin=b"one\ntwo\n"
    )
    assert status == 1
    assert r"error> connection: gone\x1b[31m (worth another try)" in shown
    assert shown[-2:] == ["you> two", "answer> Bergen"]
    assert check_history(messages(saved)) == []


def test_a_stream_that_breaks_the_protocol_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    payload = {"modelId": "m", "requestId": "r"}
    row = {"kind": "start", "runId": "r", "seq": 0, "timestamp": NOW, "payload": payload}
    path.write_bytes(lines([row, row]))
    status, shown, _ = chat("--model", f"replay:{path}", stdin=b"one\n")
    assert status == 1
    assert "[stream/" in shown[-1]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--model", "replay:"], "usage/invalid-argument"),
        (["--model", "anthropic"], "usage/invalid-argument"),
        (["--model", "mainframe:x"], "usage/invalid-argument"),
        (["--model", "replay:no-such-file"], "usage/unreadable-input"),
        (["--model", f"replay:{TEXT}", "--timing", "slow"], "usage/invalid-argument"),
        (["--model", f"replay:{TEXT}", "--timing", "nan"], "usage/invalid-argument"),
        (["--model", f"replay:{TEXT}", "--timing", "-1"], "usage/invalid-argument"),
        (["--model", f"replay:{TEXT}", "--continue", "no-such"], "usage/unreadable-input"),
        (["--model", f"replay:{TEXT}", "--continue", "README.md"], "document/invalid-json"),
        (["--model", f"replay:{TEXT}", "--save", "README.md"], "usage/unwritable-output"),
        (["--model", f"replay:{TEXT}", "--save", "no/such/h"], "usage/unwritable-output"),
        (["--model", f"replay:{TEXT}", "--record", "README.md"], "usage/unwritable-output"),
        (["--model", "replay:README.md"], "usage/unknown-dialect"),
    ],
    ids=lambda value: (
        "-".join(value[1:]).replace(str(TEXT), "text").replace("/", ".")
        if isinstance(value, list)
        else None
    ),
)
def test_what_cannot_be_is_refused(arguments: list[str], rule: str) -> None:
    status, shown, stderr = chat(*arguments, stdin=b"Hi\n")
    assert (status, shown) == (2, [])
    assert f"[{rule}]" in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize("option", [("--timing", "none"), ("--from", "openai-chat")])
def test_options_of_replays_are_for_replays(option: tuple[str, str]) -> None:
    status, _, stderr = chat("--model", "openai:m", *option, stdin=b"Hi\n")
    assert status == 2
    assert "--from and --timing are for replays [usage/invalid-argument]" in stderr


def test_a_model_has_to_be_named() -> None:
    assert chat()[0] == 2


@pytest.mark.parametrize("kind", PROVIDERS)
def test_a_missing_client_says_what_installs_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = PROVIDERS[kind][0]
    monkeypatch.setitem(sys.modules, package, None)
    status, _, stderr = chat("--model", f"{kind}:some-model", stdin=b"Hi\n")
    extra = kind.partition("-")[0]
    assert status == 2
    assert "[usage/missing-extra]" in stderr
    assert f'pip install "partwire[{extra}]"' in stderr


@pytest.mark.parametrize("kind", [each for each in PROVIDERS if each != "bedrock"])
def test_a_missing_key_is_said(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_AUTH_TOKEN", "_PROJECT", "_CREDENTIALS")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("CO_API_KEY", raising=False)
    monkeypatch.setenv("HOME", "/nonexistent")
    status, shown, stderr = chat("--model", f"{kind}:some-model", stdin=b"")
    assert "Traceback" not in stderr
    # Some clients ask for the key when they are made, others when they are used.
    assert (status, shown) in ((2, []), (0, []))


def test_a_text_does_not_steer_the_terminal(tmp_path: Path) -> None:
    status, shown, _ = chat("--model", f"replay:{TEXT}", stdin=b"\x1b[2J\x07\n")
    assert status == 0
    assert shown[0] == r"you> \x1b[2J\x07"
