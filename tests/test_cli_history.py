"""``partwire history``: checked and repaired from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.inputs import Source
from tests.cli_runner import lines, run, stderr_json
from tests.histories import Json, call, message, result, text

CLEAN = [message("assistant", call("a")), message("tool", result("a"))]
OPEN = [message("user", text()), message("assistant", call("a"), call("b"))]
LATE = [message("assistant", call("a")), message("user", text()), message("tool", result("a"))]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, history: list[Any], tail: bytes = b"") -> str:
    Path(name).write_bytes(lines(history) + tail)
    return name


def lost(call_id: str) -> Json:
    part = result(call_id, "interrupted")
    part["payload"]["isError"] = True
    return part


# --- check ----------------------------------------------------------------------------------------


def test_a_clean_history() -> None:
    shown = run("history", write("a.jsonl", CLEAN))
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert shown.stderr == "2 documents in 1 source: valid\n"


def test_a_defect_is_shown_with_its_line() -> None:
    Path("a.jsonl").write_bytes(b"\n" + lines(OPEN[:1]) + b"\n\n" + lines(OPEN[1:]))
    shown = run("history", "a.jsonl")
    assert shown.exit_code == 1
    assert shown.stdout.splitlines()[:4] == [
        "a.jsonl:5: The call has no result [history/unanswered-tool-call]",
        "  at        /1/parts/0/payload/toolCallId",
        "  expected  a tool_result of this id",
        '  actual    "a"',
    ]
    assert shown.stderr == "2 documents in 1 source: 2 errors\n"


def test_a_warning_is_no_failure() -> None:
    shown = run("history", write("a.jsonl", LATE), "--format", "github")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("::warning file=a.jsonl,line=3,title=history/late-tool-result::")


def test_every_file_is_a_history_of_its_own() -> None:
    write("a.jsonl", CLEAN[:1])
    write("b.jsonl", CLEAN[1:])
    shown = run("history", "*.jsonl", "--format", "json")
    assert shown.exit_code == 1
    report = json.loads(shown.stdout)
    assert [(each["source"], each["line"], each["rule"]) for each in report["findings"]] == [
        ("a.jsonl", 1, "history/unanswered-tool-call"),
        ("b.jsonl", 1, "history/orphan-tool-result"),
    ]
    counts = {name: report[name] for name in ("sources", "documents", "errors", "unreadable")}
    assert counts == {"sources": 2, "documents": 2, "errors": 2, "unreadable": 0}


def test_a_torn_line_hides_no_other() -> None:
    shown = run("history", write("a.jsonl", OPEN, b'{"runId": "r'), "--format", "json")
    assert shown.exit_code == 1
    found = [(each["line"], each["rule"]) for each in json.loads(shown.stdout)["findings"]]
    assert found == [
        (3, "document/invalid-json"),
        (2, "history/unanswered-tool-call"),
        (2, "history/unanswered-tool-call"),
    ]


def test_an_ongoing_history_may_wait() -> None:
    assert run("history", "--ongoing", write("a.jsonl", OPEN)).exit_code == 0
    assert run("history", "--ongoing", write("b.jsonl", [*OPEN, OPEN[0]])).exit_code == 1


def test_a_file_that_cannot_be_read_hides_no_other() -> None:
    shown = run("history", "missing.jsonl", write("a.jsonl", OPEN))
    assert shown.exit_code == 2
    assert "history/unanswered-tool-call" in shown.stdout
    assert "usage/unreadable-input" in shown.stderr
    assert "1 unreadable source" in shown.stderr


def test_stdin_is_a_history() -> None:
    shown = run("history", "-", stdin=lines(OPEN))
    assert shown.exit_code == 1
    assert shown.stdout.startswith("<stdin>:2: The call has no result")


def many_turns(count: int) -> list[Json]:
    return [
        each
        for n in range(count)
        for each in (message("assistant", call(f"c{n}")), message("tool", result(f"c{n}")))
    ]


def test_all_ids_are_remembered_on_request() -> None:
    history = [*many_turns(33_000), *many_turns(1)]
    name = write("a.jsonl", history)
    assert run("history", name).exit_code == 0
    shown = run("history", "--all-ids", name)
    assert shown.exit_code == 1
    assert "a.jsonl:66001: " in shown.stdout
    assert "[history/duplicate-tool-call]" in shown.stdout


# --- repair ---------------------------------------------------------------------------------------


def test_a_repaired_history_is_printed_and_its_changes_named() -> None:
    name = write("a.jsonl", OPEN)
    shown = run("history", "--repair", name)
    assert shown.exit_code == 0
    assert shown.stdout_bytes.startswith(Path(name).read_bytes())
    assert [json.loads(line) for line in shown.stdout.splitlines()] == [
        *OPEN,
        message("tool", lost("a"), lost("b")),
    ]
    assert shown.stderr.splitlines()[:2] == [
        "a.jsonl:2: Answered by an error result: interrupted [history/unanswered-tool-call]",
        "  at        /1/parts/0/payload/toolCallId",
    ]
    Path("b.jsonl").write_bytes(shown.stdout_bytes)
    assert run("history", "b.jsonl").exit_code == 0
    again = run("history", "--repair", "b.jsonl")
    assert (again.stdout_bytes, again.stderr) == (shown.stdout_bytes, "")


def test_changes_as_json_hold_what_was_taken_out() -> None:
    name = write("a.jsonl", [message("user", text()), CLEAN[1]])
    shown = run("history", "--repair", "--format", "json", name)
    assert shown.exit_code == 0
    assert [(each["line"], each["action"], each["removed"]) for each in stderr_json(shown)] == [
        (2, "drop", CLEAN[1]),
        (2, "drop", result("a")),
    ]
    assert {each["source"] for each in stderr_json(shown)} == {"a.jsonl"}


def test_the_policy_is_the_callers() -> None:
    name = write("a.jsonl", [*LATE, CLEAN[1]])
    args = ("--policy", "late-tool-result=keep", "--policy", "duplicate-tool-result=drop")
    shown = run("history", "--repair", *args, name)
    assert shown.exit_code == 0
    assert [json.loads(line) for line in shown.stdout.splitlines()] == LATE


def test_what_cannot_be_read_is_not_repaired_unless_it_may_go() -> None:
    name = write("a.jsonl", OPEN, b'{"runId')
    shown = run("history", "--repair", name)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert shown.stderr.startswith("a.jsonl:3: ")
    assert "[document/invalid-json]" in shown.stderr
    shown = run("history", "--repair", "--policy", "unreadable-message=drop", name)
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) == 3


def test_an_ongoing_history_is_repaired_as_one() -> None:
    name = write("a.jsonl", OPEN)
    shown = run("history", "--repair", "--ongoing", name)
    assert (shown.stdout_bytes, shown.stderr) == (Path(name).read_bytes(), "")


def test_a_single_document_is_written_as_a_line() -> None:
    Path("a.json").write_text(json.dumps(OPEN[0], indent=2))
    shown = run("history", "--repair", "a.json")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout == json.dumps(OPEN[0], separators=(",", ":")) + "\n"
    Path("b.json").write_text(json.dumps(OPEN[0], indent=2).replace("user", "judge"))
    shown = run("history", "--repair", "b.json")
    assert shown.exit_code == 1
    assert shown.stderr.startswith("b.json: ")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--repair", "--policy", "late", "a.jsonl"), "DEFECT=ACTION"),
        (("--repair", "--policy", "late=move", "a.jsonl"), "No such defect"),
        (("--repair", "--policy", "late-tool-result=x", "a.jsonl"), "move or keep"),
        (("--repair", "a.jsonl", "b.jsonl"), "--repair takes one history"),
        (("--policy", "late-tool-result=keep", "a.jsonl"), "--policy is for --repair"),
        (("--repair", "missing.jsonl"), "Cannot be read"),
    ],
)
def test_a_wrong_call_is_refused(args: tuple[str, ...], said: str) -> None:
    write("a.jsonl", CLEAN)
    write("b.jsonl", CLEAN)
    shown = run("history", *args)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr


def test_lines_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking holds no more than one document: the next is read when the last is judged."""
    alive = 0

    class Counted(bytes):
        def __new__(cls, data: bytes) -> Counted:
            nonlocal alive
            alive += 1
            return super().__new__(cls, data)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    real = Source.documents

    def documents(self: Source) -> Any:
        for document in real(self):
            document.data = Counted(document.data)
            assert alive <= 2
            yield document

    monkeypatch.setattr(Source, "documents", documents)
    assert run("history", write("a.jsonl", many_turns(300))).exit_code == 0
