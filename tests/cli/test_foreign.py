"""Files of formats of others: their streams, and the hint where a command takes them for ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.formats import sniff_events
from tests.cli.runner import DELTA, STREAM, USER, lines, run, stderr_json

pytestmark = pytest.mark.usefixtures("empty_folder")

EVENTS: list[dict[str, Any]] = [
    {"type": "start", "messageId": "msg_1"},
    {"type": "start-step"},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "weather"},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "weather", "input": {}},
    {"type": "tool-output-available", "toolCallId": "c1", "output": {"degrees": 4}},
    {"type": "finish-step"},
    {"type": "start-step"},
    {"type": "text-start", "id": "t1"},
    {"type": "text-delta", "id": "t1", "delta": "It rains in Tromsø."},
    {"type": "text-end", "id": "t1"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
]
CHAT = [
    {"role": "user", "content": "Hi"},
    {
        "role": "assistant",
        "content": "Hello",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f"}}],
    },
]


def sse(events: list[Any]) -> bytes:
    """Return events as a service sends them."""
    texts = [json.dumps(event, ensure_ascii=False) for event in events]
    return "".join(f"data: {text}\n\n" for text in [*texts, "[DONE]"]).encode()


FRAMED = {
    "sse": sse(EVENTS),
    "lines": lines(EVENTS),
    "array": json.dumps(EVENTS).encode(),
    "array on lines": b"\n" + json.dumps(EVENTS, indent=2).encode(),
}


def roles(stdout: str) -> list[str]:
    return [json.loads(line)["role"] for line in stdout.splitlines()]


# --- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("framing", FRAMED)
def test_a_run_becomes_its_messages(framing: str) -> None:
    result = run("assemble", "--from", "ai-sdk", "--run-id", "r7", "-", stdin=FRAMED[framing])
    assert result.exit_code == 0
    assert roles(result.stdout) == ["assistant", "tool", "assistant"]
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert {message["runId"] for message in messages} == {"r7"}
    assert messages[2]["parts"][0]["payload"]["text"] == "It rains in Tromsø."
    codes = [json.loads(line)["code"] for line in result.stderr.splitlines()]
    assert set(codes) <= {"given", "model-invented"}


def test_deltas_of_a_run_are_assembled_as_a_run() -> None:
    items = run("deltas", "--from", "ai-sdk", "-", stdin=FRAMED["sse"])
    assert items.exit_code == 0
    kinds = [json.loads(line).get("kind", "message") for line in items.stdout.splitlines()]
    assert kinds.count("start") == kinds.count("done") == 2
    assert kinds.count("message") == 1
    whole = run("assemble", "--run", "-", stdin=items.stdout.encode())
    assert (whole.exit_code, whole.stderr) == (0, "")
    assert roles(whole.stdout) == ["assistant", "tool", "assistant"]


def test_deltas_and_messages_of_ours_are_a_run_too() -> None:
    result = run("assemble", "--run", "-", stdin=lines([USER, *STREAM, USER, *STREAM]))
    assert result.exit_code == 0
    assert roles(result.stdout) == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("cut", [sse(EVENTS)[:-60], sse(EVENTS[:-3])[: -len(b"data: [DONE]\n\n")]])
def test_a_run_that_is_cut_is_not_whole(cut: bytes) -> None:
    result = run("assemble", "--from", "ai-sdk", "-", stdin=cut)
    assert result.exit_code == 1
    assert roles(result.stdout) == ["assistant", "tool"]
    finding = json.loads(result.stderr.splitlines()[0])
    assert finding["expected"].endswith("--partial prints what came")
    partial = run("assemble", "--from", "ai-sdk", "--partial", "-", stdin=cut)
    assert partial.exit_code == 1
    assert json.loads(partial.stdout.splitlines()[2])["meta"]["incomplete"]["ending"] == "error"
    deltas = run("deltas", "--from", "ai-sdk", "-", stdin=cut)
    assert deltas.exit_code == 1
    assert json.loads(deltas.stdout.splitlines()[-1])["kind"] == "error"


def test_deltas_that_are_cut_are_not_whole() -> None:
    result = run("assemble", "--run", "-", stdin=lines([*STREAM, *STREAM[:-1], *STREAM]))
    assert result.exit_code == 1
    assert roles(result.stdout) == ["assistant", "assistant"]
    assert [each["rule"] for each in stderr_json(result)] == ["stream/truncated"]


def test_a_line_that_is_wrong_is_named() -> None:
    result = run("assemble", "--run", "-", stdin=lines([*STREAM, {"role": "nobody"}]))
    assert result.exit_code == 1
    assert roles(result.stdout) == ["assistant"]
    first = json.loads(result.stderr.splitlines()[0])
    assert (first["source"], first["line"]) == ("<stdin>", len(STREAM) + 1)


def test_what_is_not_an_event_is_refused() -> None:
    for command in ("assemble", "deltas"):
        result = run(command, "--from", "ai-sdk", "-", stdin=lines([*EVENTS[:2], {"a": 1}]))
        assert result.exit_code == 1
        assert json.loads(result.stderr.splitlines()[0])["rule"] == "format/wrong-shape"


@pytest.mark.parametrize(
    "words",
    [
        ("assemble", "--run", "--many"),
        ("assemble", "--run", "--snapshots"),
        ("assemble", "--run", "--follow"),
        ("assemble", "--run", "--from", "gemini"),
        ("assemble", "--many", "--from", "ai-sdk"),
        ("assemble", "--from", "ai-sdk", "--agent", "a"),
        ("deltas", "--from", "ai-sdk", "--author", "a"),
        ("deltas", "--from", "ai-sdk", "--json-as", ""),
        ("deltas", "--from", "ai-sdk", "--to", "v0.2"),
        ("deltas", "--from", "openai-agents"),
        ("chat", "--model", "replay:x", "--from", "ai-sdk"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(words: tuple[str, ...]) -> None:
    result = run(*words, "-", stdin=lines(EVENTS))
    assert (result.exit_code, result.stdout) == (2, "")


# --- hints ----------------------------------------------------------------------------------------

_CONVERT = (
    "chat.json looks like openai-chat (/1/tool_calls): "
    "partwire convert --from openai-chat --to message chat.json"
)
_ASSEMBLE = "run.sse looks like ai-sdk (/1/type): partwire assemble --from ai-sdk run.sse"


@pytest.mark.parametrize(
    "words",
    [
        ("validate",),
        ("validate", "--type", "message.Message"),
        ("validate", "--stream"),
        ("assemble",),
        ("assemble", "--run"),
        ("deltas",),
        ("history",),
        ("history", "--repair"),
        ("migrate", "--to", "v0.3"),
        ("migrate", "--to", "v0.3", "--from", "v0.2", "--type", "message.Message"),
        ("explain",),
    ],
)
def test_the_error_names_the_format_and_what_reads_it(words: tuple[str, ...]) -> None:
    Path("chat.json").write_text(json.dumps(CHAT), "utf-8")
    result = run(*words, "chat.json")
    assert result.exit_code > 0
    assert result.stderr.count(_CONVERT) == 1
    command = _CONVERT.partition("partwire ")[2].split()
    assert run(*command).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("validate",),
        ("validate", "--stream"),
        ("assemble",),
        ("assemble", "--from", "deltas"),
        ("deltas",),
    ],
)
def test_the_error_names_the_format_of_a_stream(words: tuple[str, ...]) -> None:
    Path("run.sse").write_bytes(FRAMED["sse"])
    result = run(*words, "run.sse")
    assert result.exit_code > 0
    assert result.stderr.count(_ASSEMBLE) == 1
    assert run(*_ASSEMBLE.partition("partwire ")[2].split()).exit_code == 0


@pytest.mark.parametrize("events", [FRAMED["lines"], FRAMED["array"]])
def test_events_without_frames_are_known_too(events: bytes) -> None:
    Path("run.json").write_bytes(events)
    assert "partwire assemble --from ai-sdk run.json" in run("assemble", "run.json").stderr


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("ag-ui", {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hi"}),
        ("langchain", ["messages", [{"type": "AIMessageChunk", "content": "Hi"}, {}]]),
    ],
)
@pytest.mark.parametrize("frame", ["data: {}\n\n", "{}\n"])
def test_events_of_other_formats_are_known_too(name: str, event: Any, frame: str) -> None:
    Path("run.txt").write_text(frame.format(json.dumps(event)) * 2, "utf-8")
    said = run("assemble", "run.txt").stderr
    assert f"partwire assemble --from {name} run.txt" in said


def test_a_name_of_a_file_that_shells_would_cut_is_quoted() -> None:
    Path("my chat.json").write_text(json.dumps(CHAT), "utf-8")
    assert "--to message 'my chat.json'" in run("validate", "my chat.json").stderr


@pytest.mark.parametrize(
    "document",
    [
        {**USER, "role": "nobody"},
        [{**USER, "runId": 1}],
        {**DELTA, "seq": 0, "kind": "text", "payload": {}},
        {"role": "user", "content": 1},
        "text",
        [],
    ],
)
def test_what_shows_no_format_has_no_hint(document: Any) -> None:
    Path("some.json").write_text(json.dumps(document), "utf-8")
    for words in (("validate", "--type", "message.Message"), ("assemble",), ("history",)):
        assert "looks like" not in run(*words, "some.json").stderr.replace("It looks like", "")


def test_only_people_are_told_beside_a_report() -> None:
    Path("chat.json").write_text(json.dumps(CHAT), "utf-8")
    words = ("validate", "--type", "message.Message", "--format", "json", "chat.json")
    assert "looks like" not in run(*words).stderr


def test_events_show_their_format() -> None:
    assert [each.format for each in sniff_events(EVENTS)] == ["ai-sdk"]
    assert sniff_events([None, {}, {"type": []}, {"type": "odd"}]) == []


@pytest.mark.parametrize("data", [b"", b"\n", b": ping\n\n"])
@pytest.mark.parametrize("command", ["assemble", "deltas"])
def test_a_stream_without_events_is_not_a_run(command: str, data: bytes) -> None:
    result = run(command, "--from", "ai-sdk", "-", stdin=data)
    assert (result.exit_code, result.stdout) == (1, "")
    (told,) = stderr_json(result)
    assert told["rule"] == "document/empty"


@pytest.mark.parametrize(
    ("asked", "name", "data", "command"),
    [
        ("openai-chat", "s.jsonl", lines([{"messages": CHAT}] * 2), "convert --from finetune"),
        ("openai", "s.sse", FRAMED["sse"], "assemble --from ai-sdk"),
        (None, "s.sse", FRAMED["sse"], "assemble --from ai-sdk"),
        ("langchain", "s.json", b'{"messages": [{"role": 1, "tool_calls": []}]}', None),
        ("openai", "s.json", b'{"messages": [{"role": 1, "tool_calls": []}]}', None),
    ],
)
def test_convert_says_what_reads_a_file_that_it_cannot(
    asked: str | None, name: str, data: bytes, command: str | None
) -> None:
    Path(name).write_bytes(data)
    options = () if asked is None else ("--from", asked)
    result = run("convert", *options, "--to", "message", name)
    assert result.exit_code == 1
    expected = stderr_json(result)[0]["expected"]
    if command is None:
        assert f"--from {asked}" not in expected
    else:
        assert f"partwire {command}" in expected
