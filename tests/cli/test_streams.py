"""``partwire assemble`` and ``partwire deltas``, as a user runs them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import DELTA, PARTS, STREAM, lines, run, stderr_json
from tests.fixture_cases import case_file, case_of

pytestmark = pytest.mark.usefixtures("empty_folder")
ANTHROPIC = "v0.1/providers/anthropic-messages"
BEDROCK = "v0.1/providers/bedrock-converse"


# --- assemble -------------------------------------------------------------------------------------


def test_assemble_prints_the_message_as_one_line(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(lines(STREAM))
    result = run("assemble", "d.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    (line,) = result.stdout.splitlines()
    message = json.loads(line)
    assert message["parts"] == PARTS
    assert message["meta"]["finishReason"] == "tool_calls"


def test_assemble_reads_stdin() -> None:
    result = run("assemble", "-", stdin=lines(STREAM))
    assert json.loads(result.stdout)["parts"] == PARTS


def test_snapshots_are_printed_before_the_message() -> None:
    result = run("assemble", "--snapshots", "-", stdin=lines(STREAM))
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(messages) == len(STREAM) + 1
    assert messages[0]["parts"] == []
    assert messages[2]["parts"][1]["payload"]["text"] == "Grüße, "
    assert len(messages[6]["parts"]) == 2  # the call is open
    assert messages[-1]["parts"] == PARTS


def test_a_message_of_a_provider_keeps_what_the_provider_wants_back() -> None:
    source = case_file(f"{ANTHROPIC}/thinking-and-signature", "input")
    result = run("assemble", "--from", "anthropic-messages", str(source))
    message = json.loads(result.stdout)
    assert message["meta"]["providerFinishReason"] == "end_turn"
    opaque = message["parts"][0]["payload"]["opaque"]
    assert opaque["provider"] == "anthropic-messages"
    assert opaque["data"]["items"][0]["kind"] == "signature"


def test_a_partial_message_of_a_provider_keeps_it_too() -> None:
    case = case_of(f"{ANTHROPIC}/thinking-and-signature")
    cut = case.data("input").split(b"event: message_delta")[0]
    result = run("assemble", "--partial", "--from", "anthropic-messages", "-", stdin=cut)
    assert result.exit_code == 1
    message = json.loads(result.stdout)
    assert message["meta"]["incomplete"]["ending"] == "error"
    assert message["parts"][0]["payload"]["opaque"]["data"]["items"][0]["kind"] == "signature"


def test_a_refused_delta_is_a_json_finding_with_its_line() -> None:
    broken = [*STREAM[:8], {**STREAM[6], "seq": 8}]
    result = run("assemble", "-", stdin=lines(broken))
    assert (result.exit_code, result.stdout) == (1, "")
    (finding,) = stderr_json(result)
    assert finding["rule"] == "stream/tool-call-closed"
    assert (finding["source"], finding["line"]) == ("<stdin>", 9)


def test_a_cut_stream_is_no_message() -> None:
    result = run("assemble", "-", stdin=lines(STREAM[:6]))
    assert (result.exit_code, result.stdout) == (1, "")
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_partial_prints_what_arrived_marked_incomplete() -> None:
    result = run("assemble", "--partial", "-", stdin=lines(STREAM[:6]))
    assert result.exit_code == 1
    message = json.loads(result.stdout)
    assert message["parts"] == PARTS[:2]
    assert message["meta"]["incomplete"] == {"ending": "truncated", "openToolCallIds": ["c1"]}
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_partial_of_nothing_prints_nothing() -> None:
    result = run("assemble", "--partial", "-", stdin=b"")
    assert (result.exit_code, result.stdout) == (1, "")
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_an_error_stream_says_what_the_provider_said() -> None:
    error = {
        **DELTA,
        "seq": 3,
        "kind": "error",
        "payload": {"errorCode": "rate_limited", "message": "Slow down."},
    }
    result = run("assemble", "--partial", "-", stdin=lines([*STREAM[:3], error]))
    assert result.exit_code == 1
    assert json.loads(result.stdout)["meta"]["incomplete"]["ending"] == "error"
    (finding,) = stderr_json(result)
    assert finding["rule"] == "stream/failed"
    assert "rate_limited" in json.dumps(finding)


def test_a_line_that_is_no_delta_names_its_line() -> None:
    result = run("assemble", "-", stdin=lines(STREAM[:2]) + b"\n{}\n")
    assert result.exit_code == 1
    (finding, *_) = stderr_json(result)
    assert (finding["rule"], finding["line"]) == ("shape/required", 4)


def of_run(run_id: str, deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "runId": run_id} for each in deltas]


def test_mixed_streams_are_a_message_each(tmp_path: Path) -> None:
    pairs = zip(of_run("run_1", STREAM), of_run("run_2", STREAM), strict=True)
    mixed = lines([each for pair in pairs for each in pair])
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(mixed))
    result = run("assemble", "--many", "d.jsonl.gz")
    assert (result.exit_code, result.stderr) == (0, "")
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["runId"] for each in messages] == ["run_1", "run_2"]
    assert [each["parts"] for each in messages] == [PARTS, PARTS]


def test_what_is_wrong_with_one_of_many_streams_says_with_which() -> None:
    cut = [{**each, "messageId": "m"} for each in of_run("run_2", STREAM[:3])]
    mixed = b"{}\n".join([lines(STREAM[:4]), lines(cut) + lines(STREAM[4:])])
    result = run("assemble", "--many", "-", stdin=mixed)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["parts"] == PARTS
    shown = [(each["rule"], each["line"], each.get("actual")) for each in stderr_json(result)]
    assert shown[0][:2] == ("shape/required", 5)
    assert shown[-1] == (
        "stream/truncated",
        8,
        'the end after seq 2, in run "run_2", message "m"',
    )


def test_one_stream_that_is_two_is_told_of_many() -> None:
    result = run("assemble", "-", stdin=lines([*STREAM[:3], *of_run("run_2", STREAM[3:])]))
    (finding,) = stderr_json(result)
    assert finding["rule"] == "stream/run-id-mismatch"
    assert finding["expected"].endswith("--many takes mixed streams")


@pytest.mark.parametrize("option", ["--snapshots", "--follow", "--partial", "--from=openai"])
def test_many_goes_without_what_is_for_one_stream(option: str) -> None:
    result = run("assemble", "--many", option, "-", stdin=lines(STREAM))
    assert (result.exit_code, result.stdout) == (2, "")
    assert option.split("=", maxsplit=1)[0] in result.stderr


def test_a_missing_file_exits_2() -> None:
    result = run("assemble", "missing.jsonl")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


def test_follow_shows_the_parts_on_stderr() -> None:
    deltas = [dict(each) for each in STREAM]
    deltas[3] = {**deltas[3], "payload": {"textDelta": "\x1b[2J世界"}}
    result = run("assemble", "--follow", "--rate", "10000", "-", stdin=lines(deltas))
    assert result.exit_code == 0
    assert "thinking   Hm." in result.stderr
    assert "text       Grüße, " in result.stderr
    assert 'tool_call c1 weather {"city":"Oslo"}' in result.stderr
    assert "\x1b" not in result.stderr


def test_assemble_from_a_provider() -> None:
    source = case_file(f"{ANTHROPIC}/text", "input")
    result = run("assemble", "--from", "anthropic-messages", str(source))
    assert result.exit_code == 0
    expected = case_of(f"{ANTHROPIC}/text").value("message")
    assert json.loads(result.stdout)["parts"] == expected["parts"]


@pytest.mark.parametrize(
    "name", ["tool-use-in-pieces", "invoke-chunks", "frame-headers-of-every-type"]
)
def test_assemble_from_frames(name: str) -> None:
    source = case_file(f"{BEDROCK}/{name}", "input")
    expected = case_of(f"{BEDROCK}/{name}").value("message")
    for result in (
        run("assemble", "--from", "bedrock-converse", str(source)),
        run("assemble", "--from", "bedrock-converse", "-", stdin=source.read_bytes()),
    ):
        assert (result.exit_code, result.stderr) == (0, "")
        assert json.loads(result.stdout)["parts"] == expected["parts"]


def test_damaged_frames_are_no_message() -> None:
    source = case_file(f"{BEDROCK}/damaged-payload", "input")
    result = run("assemble", "--partial", "--from", "bedrock-converse", str(source))
    assert result.exit_code == 1
    assert json.loads(result.stdout)["meta"]["incomplete"]["ending"] == "error"
    rules = [finding["rule"] for finding in stderr_json(result)]
    assert rules == ["framing/checksum-mismatch", "stream/failed"]


def test_an_adapter_says_what_it_passed_over() -> None:
    source = case_file(f"{ANTHROPIC}/unknown-events-and-blocks", "input")
    result = run("assemble", "--from", "anthropic-messages", str(source))
    assert result.exit_code == 0
    assert "adapter/unknown-event" in [finding["rule"] for finding in stderr_json(result)]


# --- deltas ---------------------------------------------------------------------------------------


def test_deltas_prints_what_assemble_takes() -> None:
    source = case_file(f"{ANTHROPIC}/text", "input")
    deltas = run("deltas", "--from", "anthropic-messages", "--run-id", "r7", str(source))
    assert deltas.exit_code == 0
    assert {json.loads(line)["runId"] for line in deltas.stdout.splitlines()} == {"r7"}
    message = run("assemble", "-", stdin=deltas.stdout.encode())
    direct = run("assemble", "--from", "anthropic-messages", str(source))
    assert json.loads(message.stdout)["parts"] == json.loads(direct.stdout)["parts"]


@pytest.mark.parametrize("words", [("--author", "Ada"), ("--agent", "a"), ("--json-as", "")])
def test_deltas_of_a_version_without_author_and_format_take_none(words: tuple[str, ...]) -> None:
    refused = run("deltas", "--from", "openai-chat", *words, "--to", "v0.2", "-", stdin=b"")
    assert refused.exit_code == 2
    assert "usage/invalid-argument" in refused.stderr


def test_deltas_of_a_cut_stream_end_in_error_and_exit_1() -> None:
    data = case_of(f"{ANTHROPIC}/text").data("input")
    result = run("deltas", "--from", "anthropic-messages", "-", stdin=data[: len(data) // 2])
    assert result.exit_code == 1
    last = json.loads(result.stdout.splitlines()[-1])
    assert last["payload"]["errorCode"] == "truncated_stream"
