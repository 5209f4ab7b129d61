"""``partwire convert``, as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from partwire.formats import FORMATS
from tests.cli.runner import lines, run, stderr_json
from tests.formats.sessions import ClaudeCode, jsonl

pytestmark = pytest.mark.usefixtures("empty_folder")

TEXT = {"kind": "text", "payload": {"text": "Grüße"}}
MESSAGE: dict[str, Any] = {
    "runId": "run_1",
    "role": "user",
    "parts": [TEXT],
    "timestamp": "2026-01-02T03:04:05Z",
}
LOST = [("/runId", "run-id"), ("/timestamp", "timestamp")]


def printed(result: Any) -> list[Any]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def lost(result: Any) -> list[tuple[str, str]]:
    return [(each["pointer"], each["code"]) for each in stderr_json(result)]


@pytest.mark.parametrize("arguments", [[], ["--from", "message.Message"]])
def test_one_document_gives_result_and_losses(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "m.json").write_text(json.dumps(MESSAGE, indent=1))
    result = run("convert", "--to", "blocks", *arguments, "m.json")
    assert result.exit_code == 0
    assert printed(result) == [{"role": "user", "content": "Grüße"}]
    assert lost(result) == LOST
    assert set(stderr_json(result)[0]) == {"pointer", "code", "severity", "detail"}


def test_what_stands_in_lines_carries_its_line(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(lines([MESSAGE]) + b"\n" + lines([MESSAGE]))
    losses = stderr_json(run("convert", "--to", "blocks", "h.jsonl"))
    assert [(each["pointer"], each["line"]) for each in losses] == [
        *((f"/0{pointer}", 1) for pointer, _ in LOST),
        *((f"/1{pointer}", 3) for pointer, _ in LOST),
    ]
    refused = stderr_json(run("convert", "--to", "blocks", "--strict", "h.jsonl"))
    assert [(each["pointer"], each["line"]) for each in refused] == [
        (each["pointer"], each["line"]) for each in losses
    ]
    (tmp_path / "one.jsonl").write_bytes(b"\n" + lines([MESSAGE]))
    losses = stderr_json(run("convert", "--to", "blocks", "one.jsonl"))
    assert [(each["pointer"], each["line"]) for each in losses] == [
        (pointer, 2) for pointer, _ in LOST
    ]


def test_an_array_in_a_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_text(json.dumps([MESSAGE, {**MESSAGE, "runId": ""}]))
    (finding,) = stderr_json(run("convert", "--to", "blocks", "h.json"))
    assert finding["pointer"] == "/1/runId"
    assert "line" not in finding


def test_lines_are_one_history(tmp_path: Path) -> None:
    system = {**MESSAGE, "role": "system"}
    (tmp_path / "h.jsonl").write_bytes(lines([system, MESSAGE]))
    context = ["--agent", "build", "--session-id", "0197c6f0-5a00-7000-8000-000000000001"]
    result = run("convert", "--to", "session", *context, "h.jsonl")
    (made,) = printed(result)
    assert (made["info"]["system"], made["info"]["agent"]) == ("Grüße", "build")
    assert made["parts"][0]["sessionID"] == context[3]
    assert ("/1/runId", "run-id") in lost(result)


def test_an_array_is_one_history_too() -> None:
    result = run("convert", "--to", "blocks", "-", stdin=json.dumps([MESSAGE, MESSAGE]).encode())
    assert len(printed(result)) == 2
    assert ("/1/runId", "run-id") in lost(result)


def test_a_session_converts_back() -> None:
    there = run("convert", "--to", "session", "-", stdin=lines([MESSAGE]))
    back = run("convert", "--to", "message", "--run-id", "run_1", "-", stdin=there.stdout_bytes)
    (message,) = printed(back)
    assert {name: message[name] for name in MESSAGE} == MESSAGE


def test_a_type_may_be_the_target() -> None:
    source = {"toolCallId": "call_1", "isError": False, "content": "4"}
    target = "envelope.ToolCallResponse"
    result = run("convert", "--to", target, "-", stdin=lines([source]))
    assert printed(result)[0]["data"] == {"text": "4"}


def test_strict_refuses_and_prints_no_result() -> None:
    result = run("convert", "--to", "blocks", "--strict", "-", stdin=lines([MESSAGE]))
    assert (result.exit_code, result.stdout) == (1, "")
    assert [(each["rule"], each["pointer"]) for each in stderr_json(result)] == [
        ("bridge/lossy", pointer) for pointer, _ in LOST
    ]


def test_strict_takes_what_is_accepted() -> None:
    accepted = ["--strict", "--accept", "run-id", "--accept", "timestamp"]
    result = run("convert", "--to", "blocks", *accepted, "-", stdin=lines([MESSAGE]))
    assert (result.exit_code, lost(result)) == (0, LOST)


def test_an_invalid_document_is_a_finding() -> None:
    broken = {**MESSAGE, "runId": ""}
    named = ["--from", "message.Message"]
    result = run("convert", "--to", "blocks", *named, "-", stdin=lines([MESSAGE, broken]))
    assert (result.exit_code, result.stdout) == (1, "")
    (finding,) = stderr_json(result)
    assert (finding["rule"], finding["pointer"]) == ("shape/min-length", "/1/runId")
    assert (finding["source"], finding["line"]) == ("<stdin>", 2)


def test_where_one_type_can_be_meant_it_is() -> None:
    broken = {**MESSAGE, "runId": ""}
    for stdin in (lines([broken]), lines([MESSAGE, broken])):
        result = run("convert", "--to", "blocks", "-", stdin=stdin)
        assert (result.exit_code, result.stdout) == (1, "")
        (finding,) = stderr_json(result)
        assert (finding["rule"], finding["pointer"][-6:]) == ("shape/min-length", "/runId")


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([MESSAGE], "The document fits none of session.WithParts, blocks.Message, envelope."),
        ([MESSAGE, MESSAGE], "The first document fits none of session.WithParts, blocks.Mess"),
        ([], "There is no document to tell the type by"),
    ],
)
def test_where_several_types_can_be_meant_one_has_to_fit(documents: list[Any], words: str) -> None:
    stdin = lines(documents) if documents else b"[]"
    result = run("convert", "--to", "message", "-", stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert "usage/ambiguous-type" in result.stderr


CALLS: dict[str, Any] = {"role": "assistant", "content": "Wait", "calls": [{"id": "c1"}]}


@pytest.mark.parametrize(
    ("documents", "place"),
    [([CALLS], '"/calls"'), ([{"role": "user", "content": "Hi"}, CALLS], '"/1/calls"')],
)
def test_a_type_that_does_not_name_a_member_is_not_guessed(
    documents: list[Any], place: str
) -> None:
    result = run("convert", "--to", "message", "-", stdin=lines(documents))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"(blocks.Message does not name {place}): give --from" in result.stderr
    assert "usage/ambiguous-type" in result.stderr


def test_a_type_that_is_named_loses_unknown_members_with_a_word() -> None:
    named = ["--from", "blocks.Message"]
    result = run("convert", "--to", "message", *named, "-", stdin=lines([CALLS]))
    assert result.exit_code == 0
    assert ("/calls", "unknown-member") in lost(result)
    result = run("convert", "--to", "message", *named, "--strict", "-", stdin=lines([CALLS]))
    assert (result.exit_code, result.stdout) == (1, "")
    assert [each["pointer"] for each in stderr_json(result)] == ["/calls"]


def test_many_unknown_members_are_counted() -> None:
    source = {**CALLS, **{f"m{number}": 1 for number in range(9)}}
    result = run("convert", "--to", "message", "-", stdin=lines([source]))
    assert 'not name "/calls", "/m0", "/m1", "/m2", "/m3" and 5 more)' in result.stderr


def test_what_is_no_json_is_a_finding_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(lines([MESSAGE]) + b"{\n")
    result = run("convert", "--to", "blocks", "h.jsonl")
    (finding,) = stderr_json(result)
    assert (result.exit_code, finding["rule"], finding["line"]) == (1, "document/invalid-json", 2)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--to", "telegram"], "bridge/unsupported"),
        (["--to", "blocks", "--from", "session.WithParts"], "bridge/unsupported"),
        (["--to", "message"], "usage/ambiguous-type"),
        (["--to", "session", "--agent", ""], "usage/invalid-argument"),
        (["--to", "blocks", "--timestamp", "yesterday"], "usage/invalid-argument"),
        (["--to", "blocks", "--accept", "runid"], "usage/invalid-argument"),
    ],
)
def test_usage_errors(arguments: list[str], rule: str) -> None:
    result = run("convert", *arguments, "-", stdin=lines([MESSAGE]))
    assert (result.exit_code, result.stdout) == (2, "")
    assert rule in result.stderr


def test_a_wrong_option_is_said_before_the_input_is_read() -> None:
    for option in (["--accept", "runid"], ["--run-id", ""]):
        result = run("convert", "--to", "blocks", *option, "-", stdin=b"{")
        assert (result.exit_code, "usage/invalid-argument" in result.stderr) == (2, True)


def test_a_file_that_is_not_there() -> None:
    result = run("convert", "--to", "blocks", "nowhere.json")
    assert result.exit_code == 2
    assert "usage/unreadable-input" in result.stderr


# --- the version of a format ----------------------------------------------------------------------

CHAT = json.dumps([{"role": "user", "content": "Hi"}]).encode()
OF_CHAT = ("convert", "--from", "openai-chat", "--to")


def test_the_version_of_a_format_may_be_named() -> None:
    for version, member in ((None, "messages"), ("sharegpt", "conversations")):
        options = [] if version is None else ["--to-version", version]
        result = run(*OF_CHAT, "finetune", *options, "-", stdin=CHAT)
        assert result.exit_code == 0
        assert list(json.loads(result.stdout)) == [member]


@pytest.mark.parametrize(
    ("target", "version", "words"),
    [
        ("finetune", "nobodys", "openai, sharegpt, messages"),
        ("gemini", "1", "the format has no versions"),
        ("message", "v0.2", "--to-version is for a format"),
        ("codex", "1", "only read"),
    ],
)
def test_a_version_that_is_not_there_is_refused(target: str, version: str, words: str) -> None:
    result = run(*OF_CHAT, target, "--to-version", version, "gone.json")
    assert result.exit_code == 2
    assert words in result.stderr
    assert "gone.json" not in result.stderr  # it is said before the input is read


def test_help_and_the_list_of_formats_say_versions() -> None:
    assert "--to-version FORMAT-VERSION" in run("convert", "--help").stdout
    (row,) = (line for line in run("formats").stdout.splitlines() if line.startswith("ai-sdk"))
    assert "  6, 5, 7  " in row


@pytest.mark.parametrize("target", ["message", "ai-sdk"])
def test_roles_and_texts_alone_are_not_guessed(target: str) -> None:
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
    Path("plain.json").write_text(json.dumps(history), "utf-8")
    result = run("convert", "--to", target, "plain.json")
    assert result.exit_code == 2
    for name in ("blocks.Message", "openai-chat", "anthropic-messages"):
        assert name in result.stderr
    named = run("convert", "--to", target, "--from", "blocks.Message", "plain.json")
    assert named.exit_code == 0


# --- what it is said to be ------------------------------------------------------------------------

WRITTEN = [name for name, each in FORMATS.items() if each.can("write")]


def made_of(*words: str) -> Any:
    result = run("convert", *words)
    assert result.exit_code == 0, result.output
    return printed(result)


@pytest.mark.parametrize("target", [*WRITTEN, "session", "blocks"])
def test_a_family_of_ours_leads_wherever_its_type_does(target: str) -> None:
    Path("m.json").write_text(json.dumps(MESSAGE), "utf-8")
    made = made_of("--to", target, "m.json")
    assert "Grüße" in json.dumps(made, ensure_ascii=False)
    for kind in ("message", "message.Message"):
        assert made_of("--from", kind, "--to", target, "m.json") == made


@pytest.mark.parametrize("family", ["session", "blocks"])
def test_every_family_of_histories_leads_to_formats_and_to_messages(family: str) -> None:
    Path("m.json").write_text(json.dumps(MESSAGE), "utf-8")
    Path("other.json").write_text(json.dumps(made_of("--to", family, "m.json")), "utf-8")
    for target in ("openai-chat", "message"):
        made = made_of("--from", family, "--to", target, "other.json")
        assert "Grüße" in json.dumps(made, ensure_ascii=False)


def test_of_a_family_the_type_that_fits_is_meant() -> None:
    result = {"toolCallId": "call_1", "isError": False, "content": "4"}
    Path("t.json").write_text(json.dumps(result), "utf-8")
    for name in ("envelope.ToolResult", "envelope.ToolCallResponse"):
        made = made_of("--from", "message", "--to", name, "t.json")
        assert made == made_of("--to", name, "t.json")
    (response,) = made
    Path("e.json").write_text(json.dumps(response), "utf-8")
    assert made_of("--from", "envelope", "--to", "message", "e.json")[0]["content"]


@pytest.mark.parametrize(
    ("source", "target", "told"),
    [
        ("message", "message", "There is no bridge from message to message"),
        ("message.Message", "message", "There is no bridge from message.Message to message"),
        ("envelope", "openai-chat", "There is no bridge from envelope to openai-chat"),
        ("envelope.ToolResult", "ai-sdk", "There is no bridge from envelope.ToolResult to mess"),
        ("session", "blocks", "There is no bridge from session to blocks"),
    ],
)
def test_a_bridge_that_is_not_there_is_refused(source: str, target: str, told: str) -> None:
    result = run("convert", "--from", source, "--to", target, "-", stdin=lines([MESSAGE]))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{told}" in result.stderr
    assert "bridge/unsupported" in result.stderr


# --- the run that is made up ----------------------------------------------------------------------


def runs_of(*words: str, stdin: bytes | None = None) -> list[str]:
    result = run("convert", "--to", "message", *words, stdin=stdin)
    assert result.exit_code == 0, result.output
    return [each["runId"] for each in printed(result)]


@pytest.mark.parametrize("kind", ["openai-chat", "langchain", "blocks"])
def test_the_name_of_a_file_is_its_run(kind: str) -> None:
    history = json.loads(CHAT)
    if kind == "langchain":
        history = [{"type": "human", "content": "Hi"}]
    Path("all").mkdir()
    names = ["a.json", "b.jsonl", "c.d.json.gz", "e.json", "e.yaml"]
    for name in names:
        text = json.dumps(history[0] if name.endswith("l") else history).encode()
        (Path("all") / name).write_bytes(gzip.compress(text) if name.endswith("z") else text)
    expected = ["a", "b", "c.d", "all/e.json", "all/e.yaml"]
    assert runs_of("--from", kind, "all") == expected
    assert runs_of("--from", kind, "--run-id", "mine", "all") == ["mine"] * 5
    assert runs_of("--from", kind, "all/e.json") == ["e"]
    assert runs_of("--from", kind, "-", stdin=json.dumps(history).encode()) == ["run"]
    losses = stderr_json(run("convert", "--from", kind, "--to", "message", "all/a.json"))
    assert {each["code"] for each in losses} >= {"run-id-invented", "timestamp-invented"}
    assert "given" not in {each["code"] for each in losses}


def test_a_name_that_is_not_text_is_a_run_all_the_same() -> None:
    name = os.fsdecode(b"\xff.json")
    Path(name).write_bytes(CHAT)
    assert runs_of("--from", "openai-chat", name) == ["\ufffd"]


def test_a_run_that_the_file_says_stays() -> None:
    rows = ClaudeCode()
    rows.user("Hi")
    Path("s.jsonl").write_bytes(jsonl(rows.lines))
    assert runs_of("--from", "claude-code", "s.jsonl") == ["ses_1"]
    del rows.lines[0]["sessionId"]
    Path("s.jsonl").write_bytes(jsonl(rows.lines))
    assert runs_of("--from", "claude-code", "s.jsonl") == ["s"]
    assert runs_of("--from", "claude-code", "--strict", "s.jsonl") == ["s"]
