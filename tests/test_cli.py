"""The command line, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from partwire import __version__
from partwire.cli import main
from partwire.resources import fixtures_dir, read_rules

DELTA = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
STREAM = [
    {**DELTA, "seq": 0, "kind": "start", "payload": {"modelId": "m", "requestId": "r"}},
    {**DELTA, "seq": 1, "kind": "thinking", "payload": {"textDelta": "Hm."}},
    {**DELTA, "seq": 2, "kind": "text", "payload": {"textDelta": "Grüße, "}},
    {**DELTA, "seq": 3, "kind": "text", "payload": {"textDelta": "世界"}},
    {
        **DELTA,
        "seq": 4,
        "kind": "tool_call_start",
        "payload": {"toolCallId": "c1", "toolName": "weather"},
    },
    {
        **DELTA,
        "seq": 5,
        "kind": "tool_call_args",
        "payload": {"toolCallId": "c1", "argsTextDelta": '{"city":'},
    },
    {
        **DELTA,
        "seq": 6,
        "kind": "tool_call_args",
        "payload": {"toolCallId": "c1", "argsTextDelta": '"Oslo"}'},
    },
    {**DELTA, "seq": 7, "kind": "tool_call_end", "payload": {"toolCallId": "c1"}},
    {**DELTA, "seq": 8, "kind": "done", "payload": {"finishReason": "tool_calls"}},
]
PARTS = [
    {"kind": "thinking", "payload": {"text": "Hm."}},
    {"kind": "text", "payload": {"text": "Grüße, 世界"}},
    {
        "kind": "tool_call",
        "payload": {"toolCallId": "c1", "toolName": "weather", "arguments": {"city": "Oslo"}},
    },
]
USER = {
    "runId": "run_1",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
    "timestamp": "2026-01-02T03:04:05Z",
}

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, args, input=stdin, catch_exceptions=False)

    return call


def lines(documents: list[Any]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in documents)


def stderr_json(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stderr.splitlines()]


# --- validate -----------------------------------------------------------------------------------


def test_a_valid_document_exits_0(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER, indent=2))
    result = run("validate", "--type", "message.Message", "m.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 document in 1 source: valid\n"


def test_a_finding_names_file_line_pointer_expected_and_actual(run: Run, tmp_path: Path) -> None:
    bad = {**STREAM[2], "payload": {"textDelta": 5}}
    (tmp_path / "d.jsonl").write_bytes(lines([STREAM[0], bad, STREAM[3]]))
    result = run("validate", "--type", "message.MessageDelta", "d.jsonl")
    assert result.exit_code == 1
    assert result.stdout.startswith("d.jsonl:2: ")
    assert "[shape/type]" in result.stdout
    assert "  at        /payload/textDelta\n" in result.stdout
    assert "  expected  a string\n" in result.stdout
    assert "  actual    5\n" in result.stdout
    assert result.stderr == "3 documents in 1 source: 1 error\n"


def test_one_bad_line_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(
        lines(STREAM[:1]) + b"{oops\n\n" + lines(STREAM[1:2]) + b'{"kind":1}'
    )
    result = run("validate", "--type", "message.MessageDelta", "--format", "json", "d.jsonl")
    report = json.loads(result.stdout)
    assert [finding["line"] for finding in report["findings"]] == [2, 5]
    assert report["findings"][0]["rule"] == "document/invalid-json"
    assert (report["documents"], report["sources"], report["errors"]) == (4, 1, 2)


def test_json_format_is_one_document_without_findings_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "--type", "message.Message", "--format", "json", "m.json")
    expected = {"findings": [], "sources": 1, "documents": 1, "errors": 0, "unreadable": 0}
    assert json.loads(result.stdout) == expected


def test_github_format_escapes_what_github_reads(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a,b.json").write_text(json.dumps({**USER, "role": "50%\nhi"}))
    result = run("validate", "--type", "message.Message", "--format", "github", "a,b.json")
    assert result.exit_code == 1
    (annotation,) = result.stdout.splitlines()
    assert annotation.startswith("::error file=a%2Cb.json,title=shape/enum::")
    assert "50%25" in annotation


def test_a_warning_is_shown_and_exits_0(run: Run, tmp_path: Path) -> None:
    task = {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": "v0.1",
        "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "payload": {},
        "retry_count": 4,
        "max_attempts": 3,
    }
    (tmp_path / "t.json").write_text(json.dumps(task))
    result = run("validate", "--type", "envelope.TaskEvent", "t.json")
    assert result.exit_code == 0
    assert "[envelope/retry-count]" in result.stdout
    assert result.stderr == "1 document in 1 source: valid, 1 warning\n"


def test_globs_files_and_stdin_in_one_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "logs" / "a.jsonl").write_bytes(lines(STREAM))
    (tmp_path / "logs" / "deep" / "b.ndjson").write_bytes(lines(STREAM[:2]))
    stdin = lines(STREAM[:1])
    result = run("validate", "--type", "message.MessageDelta", "logs/**/*.*json*", "-", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "12 documents in 3 sources: valid\n")


def test_a_glob_that_fits_nothing_exits_2(run: Run) -> None:
    result = run("validate", "--type", "message.Message", "none/*.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_an_unreadable_file_exits_2_and_the_others_are_read(
    run: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**USER, "role": "robot"}))
    result = run("validate", "--type", "message.Message", name, "m.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr
    assert "[shape/enum]" in result.stdout


def test_an_unknown_type_names_the_nearest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    result = run("validate", "--type", "message.Mesage", "m.json")
    assert result.exit_code == 2
    assert "[usage/unknown-type]" in result.stderr
    assert "message.Message" in result.stderr


def test_an_unknown_contract_names_the_known(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    result = run("validate", "--type", "message.Message", "--contract", "v9.9", "m.json")
    assert result.exit_code == 2
    assert "[usage/unknown-version]" in result.stderr
    assert "v0.1" in result.stderr


def test_the_type_is_never_guessed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[usage/ambiguous-type]" in result.stderr
    assert "one of message.Message" in result.stderr


def test_no_candidate_says_so(run: Run) -> None:
    result = run("validate", "-", stdin=b"17")
    assert result.exit_code == 2
    assert "[usage/ambiguous-type]" in result.stderr
    assert "partwire schema list" in result.stderr


@pytest.mark.parametrize("indent", [None, 2])
def test_stdin_is_one_document_or_lines(run: Run, indent: int | None) -> None:
    text = json.dumps(USER, indent=indent).encode()
    result = run("validate", "--type", "message.Message", "-", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "1 document in 1 source: valid\n")


def test_an_empty_file_is_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(b"")
    result = run("validate", "--type", "message.Message", "m.json")
    assert result.exit_code == 1
    assert "[document/empty]" in result.stdout


def test_control_characters_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**USER, "role": "\x1b[2J", "\x1b": 1}))
    result = run("validate", "--type", "message.Message", "m.json")
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout


# --- configuration --------------------------------------------------------------------------------


def test_paths_in_pyproject_name_the_type(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.partwire]\ncontract = "v0.1"\n'
        '[[tool.partwire.paths]]\nglob = "logs/**/*.jsonl"\ntype = "message.MessageDelta"\n'
        '[[tool.partwire.paths]]\nglob = "*.json"\ntype = "message.Message"\n'
    )
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_bytes(lines(STREAM))
    (tmp_path / "m.json").write_text(json.dumps(USER))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "m.json").write_text(json.dumps(USER))
    assert run("validate", "logs/a.jsonl", "m.json").exit_code == 0
    result = run("validate", "sub/m.json")  # * does not cross a slash
    assert result.exit_code == 2
    assert "[usage/ambiguous-type]" in result.stderr


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("[tool.partwire]\npath = []\n", "/tool/partwire/path"),
        ("[tool.partwire]\ncontract = 1\n", "/tool/partwire/contract"),
        ('[tool.partwire]\npaths = ["x"]\n', "/tool/partwire/paths/0"),
        ('[[tool.partwire.paths]]\nglob = "x"\n', "/tool/partwire/paths/0"),
        ('[[tool.partwire.paths]]\nglob = "x"\nkind = "y"\n', "/tool/partwire/paths/0/kind"),
        ('[tool]\npartwire = "x"\n', "/tool/partwire"),
    ],
)
def test_a_bad_configuration_is_refused_with_its_place(
    run: Run, tmp_path: Path, text: str, pointer: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[usage/invalid-argument]" in result.stderr
    assert f"  at        {pointer}\n" in result.stderr


def test_a_pyproject_that_is_no_toml_is_unreadable(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.partwire\n")
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


# --- assemble -------------------------------------------------------------------------------------


def test_assemble_prints_the_message_as_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(lines(STREAM))
    result = run("assemble", "d.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    (line,) = result.stdout.splitlines()
    message = json.loads(line)
    assert message["parts"] == PARTS
    assert message["meta"]["finishReason"] == "tool_calls"


def test_assemble_reads_stdin(run: Run) -> None:
    result = run("assemble", "-", stdin=lines(STREAM))
    assert json.loads(result.stdout)["parts"] == PARTS


def test_snapshots_are_printed_before_the_message(run: Run) -> None:
    result = run("assemble", "--snapshots", "-", stdin=lines(STREAM))
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(messages) == len(STREAM) + 1
    assert messages[0]["parts"] == []
    assert messages[2]["parts"][1]["payload"]["text"] == "Grüße, "
    assert len(messages[6]["parts"]) == 2  # the call is open
    assert messages[-1]["parts"] == PARTS


def test_a_refused_delta_is_a_json_finding_with_its_line(run: Run) -> None:
    broken = [*STREAM[:8], {**STREAM[6], "seq": 8}]
    result = run("assemble", "-", stdin=lines(broken))
    assert (result.exit_code, result.stdout) == (1, "")
    (finding,) = stderr_json(result)
    assert finding["rule"] == "stream/tool-call-closed"
    assert (finding["source"], finding["line"]) == ("<stdin>", 9)


def test_a_cut_stream_is_no_message(run: Run) -> None:
    result = run("assemble", "-", stdin=lines(STREAM[:6]))
    assert (result.exit_code, result.stdout) == (1, "")
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_partial_prints_what_arrived_marked_incomplete(run: Run) -> None:
    result = run("assemble", "--partial", "-", stdin=lines(STREAM[:6]))
    assert result.exit_code == 1
    message = json.loads(result.stdout)
    assert message["parts"] == PARTS[:2]
    assert message["meta"]["incomplete"] == {"ending": "truncated", "openToolCallIds": ["c1"]}
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_partial_of_nothing_prints_nothing(run: Run) -> None:
    result = run("assemble", "--partial", "-", stdin=b"")
    assert (result.exit_code, result.stdout) == (1, "")
    assert stderr_json(result)[0]["rule"] == "stream/truncated"


def test_an_error_stream_says_what_the_provider_said(run: Run) -> None:
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


def test_a_line_that_is_no_delta_names_its_line(run: Run) -> None:
    result = run("assemble", "-", stdin=lines(STREAM[:2]) + b"\n{}\n")
    assert result.exit_code == 1
    (finding, *_) = stderr_json(result)
    assert (finding["rule"], finding["line"]) == ("shape/required", 4)


def test_a_missing_file_exits_2(run: Run) -> None:
    result = run("assemble", "missing.jsonl")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


def test_follow_shows_the_parts_on_stderr(run: Run) -> None:
    deltas = [dict(each) for each in STREAM]
    deltas[3] = {**deltas[3], "payload": {"textDelta": "\x1b[2J世界"}}
    result = run("assemble", "--follow", "--rate", "10000", "-", stdin=lines(deltas))
    assert result.exit_code == 0
    assert "thinking   Hm." in result.stderr
    assert "text       Grüße, " in result.stderr
    assert 'tool_call c1 weather {"city":"Oslo"}' in result.stderr
    assert "\x1b" not in result.stderr


PROVIDER_CASE = fixtures_dir() / "v0.1" / "providers" / "anthropic-messages" / "text"


def test_assemble_from_a_provider(run: Run) -> None:
    source = next(PROVIDER_CASE.glob("input.*"))
    result = run("assemble", "--from", "anthropic-messages", str(source))
    assert result.exit_code == 0
    expected = json.loads((PROVIDER_CASE / "message.json").read_text())
    assert json.loads(result.stdout)["parts"] == expected["parts"]


def test_an_adapter_says_what_it_passed_over(run: Run) -> None:
    source = PROVIDER_CASE.parent / "unknown-events-and-blocks"
    result = run("assemble", "--from", "anthropic-messages", str(next(source.glob("input.*"))))
    assert result.exit_code == 0
    assert "adapter/unknown-event" in [finding["rule"] for finding in stderr_json(result)]


# --- deltas ---------------------------------------------------------------------------------------


def test_deltas_prints_what_assemble_takes(run: Run) -> None:
    source = next(PROVIDER_CASE.glob("input.*"))
    deltas = run("deltas", "--from", "anthropic-messages", "--run-id", "r7", str(source))
    assert deltas.exit_code == 0
    assert {json.loads(line)["runId"] for line in deltas.stdout.splitlines()} == {"r7"}
    message = run("assemble", "-", stdin=deltas.stdout.encode())
    direct = run("assemble", "--from", "anthropic-messages", str(source))
    assert json.loads(message.stdout)["parts"] == json.loads(direct.stdout)["parts"]


def test_deltas_of_a_cut_stream_end_in_error_and_exit_1(run: Run) -> None:
    data = next(PROVIDER_CASE.glob("input.*")).read_bytes()
    result = run("deltas", "--from", "anthropic-messages", "-", stdin=data[: len(data) // 2])
    assert result.exit_code == 1
    last = json.loads(result.stdout.splitlines()[-1])
    assert last["payload"]["errorCode"] == "truncated_stream"


# --- schema and explain ---


def test_schema_list_names_public_types_with_their_description(run: Run) -> None:
    result = run("schema", "list")
    assert result.exit_code == 0
    rows = result.stdout.splitlines()
    assert any(row.startswith("message.Message ") for row in rows)
    assert any(row.endswith("(reserved)") for row in rows)
    assert not any(row.startswith("message.TextPayload") for row in rows)
    assert len(run("schema", "list", "--all").stdout.splitlines()) > len(rows)


@pytest.mark.parametrize(("draft", "keyword"), [("2020-12", "$defs"), ("draft-07", "definitions")])
def test_schema_show_and_bundle_print_json_schemas(run: Run, draft: str, keyword: str) -> None:
    shown = json.loads(run("schema", "show", "message.ToolSpec", "--draft", draft).stdout)
    assert shown["$ref"] == f"#/{keyword}/ToolSpec"
    assert "MessageDelta" not in shown[keyword]
    bundle = json.loads(run("schema", "bundle", "message", "--draft", draft).stdout)
    assert "MessageDelta" in bundle[keyword]


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        (["schema", "show", "nope"], "usage/unknown-type"),
        (["schema", "bundle", "nope"], "usage/unknown-family"),
        (["schema", "list", "--contract", "v7"], "usage/unknown-version"),
        (["explain", "stream/nope"], "usage/unknown-rule"),
    ],
)
def test_unknown_names_exit_2_with_their_rule(run: Run, args: list[str], rule: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"[{rule}]" in result.stderr


def test_explain_tells_every_rule(run: Run) -> None:
    for rule, row in read_rules().items():
        result = run("explain", rule)
        assert result.exit_code == 0
        assert row["summary"] in result.stdout
    as_json = json.loads(run("explain", "--format", "json", "shape/required").stdout)
    assert as_json["rule"] == "shape/required"


# --- the program as a whole ---


@pytest.mark.parametrize(
    "args",
    [[], ["validate"], ["assemble"], ["deltas"], ["schema", "list"], ["schema", "show"],
     ["schema", "bundle"], ["explain"]],
)  # fmt: skip
def test_every_help_has_an_example(run: Run, args: list[str]) -> None:
    result = run(*args, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert "  partwire " in result.stdout


def test_the_version_is_the_packages(run: Run) -> None:
    assert run("--version").stdout == f"partwire, version {__version__}\n"


def program(*args: str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from partwire.cli import main; main()", *args]
    paths = [str(Path(__file__).parent.parent / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        command, input=stdin, capture_output=True, env=environment, check=False, **options
    )


def test_debug_shows_a_traceback_and_only_then() -> None:
    assert b"Traceback" not in program("schema", "show", "nope").stderr
    assert b"Traceback" in program("--debug", "schema", "show", "nope").stderr
    assert b"Traceback" in program("--debug", "assemble", "-", stdin=b"{}").stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(lines(STREAM[:1] * 20_000).replace(b"run_1", b""))
    command = f'"{sys.executable}" -c "from partwire.cli import main; main()"'
    script = f'{command} validate --type message.MessageDelta "{path}" | head -n 1'
    paths = str(Path(__file__).parent.parent / "python")
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
        timeout=60,
    )
    assert done.stdout.startswith(str(path).encode())
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
