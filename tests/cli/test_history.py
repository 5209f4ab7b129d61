"""``partwire history``: checked and repaired from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.files.inputs import Source
from partwire_testing.conformance.drawn.history_makers import (
    Json,
    call,
    message,
    part,
    result,
    text,
)
from tests.cli.runner import lines, run, stderr_json

pytestmark = pytest.mark.usefixtures("empty_folder")

CLEAN = [message("assistant", call("a")), message("tool", result("a"))]
OPEN = [message("user", text()), message("assistant", call("a"), call("b"))]
LATE = [message("assistant", call("a")), message("user", text()), message("tool", result("a"))]


def write(name: str, history: list[Any], tail: bytes = b"") -> str:
    Path(name).write_bytes(lines(history) + tail)
    return name


def lost(call_id: str) -> Json:
    part = result(call_id, "interrupted")
    part["payload"]["isError"] = True
    part["payload"]["outcome"] = "interrupted"
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
    column = lines(OPEN[1:]).decode().index('"toolCallId"') + 1
    assert shown.stdout.splitlines()[:4] == [
        f"a.jsonl:5:{column}: The call has no result [history/unanswered-tool-call]",
        "  at        /1/parts/0/payload/toolCallId",
        "  expected  a tool_result of this id",
        '  actual    "a"',
    ]
    assert shown.stderr == "2 documents in 1 source: 2 errors\n"


def test_a_warning_is_no_failure() -> None:
    shown = run("history", write("a.jsonl", LATE), "--format", "github")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("::warning file=a.jsonl,line=3,col=")
    assert ",title=The run went on before the call had its result::" in shown.stdout
    assert shown.stdout.endswith(" [history/late-tool-result]\n")


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
    assert "a.jsonl:66001:" in shown.stdout
    assert "[history/duplicate-tool-call]" in shown.stdout


# --- arrays ---------------------------------------------------------------------------------------


def as_array(history: list[Any], indent: int | None = None) -> bytes:
    return json.dumps(history, indent=indent).encode()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["a.json", "a.txt", "-"])
def test_an_array_of_messages_is_a_history(name: str, indent: int | None) -> None:
    stdin = as_array(OPEN, indent) + b"\n"
    Path(name).write_bytes(stdin)
    shown = run("history", name, "--format", "json", stdin=stdin)
    assert shown.exit_code == 1
    report = json.loads(shown.stdout)
    at = ["/1/parts/0/payload/toolCallId", "/1/parts/1/payload/toolCallId"]
    assert [each["pointer"] for each in report["findings"]] == at
    if name != "-":  # stdin is gone
        text = stdin.decode().splitlines()
        for each in report["findings"]:
            assert text[each["line"] - 1][each["column"] - 1 :].startswith('"toolCallId"')
    assert report["documents"] == 2
    assert run("history", "--ongoing", name, stdin=stdin).exit_code == 0


def test_an_array_may_be_a_line() -> None:
    Path("a").write_bytes(b"\n" + as_array(CLEAN) + b"\r\n\n")
    assert run("history", "a").stderr == "2 documents in 1 source: valid\n"
    Path("b.json").write_bytes(b" [ ] ")
    assert run("history", "b.json").stderr == "0 documents in 1 source: valid\n"


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (as_array(CLEAN) + b"\n" + as_array(CLEAN), [(1, "/0"), (2, "/1")]),
        (as_array(CLEAN) + b"\n" + lines(CLEAN), [(1, "/0")]),
        (lines(CLEAN) + as_array(CLEAN) + b"\n", [(3, "/2")]),
    ],
    ids=["two arrays", "array, lines", "lines, array"],
)
def test_an_array_among_lines_is_no_message(data: bytes, places: list[tuple[int, str]]) -> None:
    name = "a.jsonl"
    Path(name).write_bytes(data)
    shown = run("history", name, "--format", "json")
    assert shown.exit_code == 1
    found = json.loads(shown.stdout)["findings"]
    assert [(each["line"], each["pointer"]) for each in found] == places
    assert {each["message"] for each in found} == {"Not an object but an array"}
    shown = run("history", "--repair", name)
    assert (shown.exit_code, shown.stdout) == (1, "")


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (as_array(CLEAN) + as_array(CLEAN), "document/invalid-json"),
        (as_array(CLEAN)[:-1], "document/invalid-json"),
        (b"[" * 99_999, "document/invalid-json"),
        (b"[" * 99_999 + b"]" * 99_999, "document/too-deep"),
        (b"[\xff]", "document/invalid-utf8"),
        (b"", "document/empty"),
    ],
    ids=["two", "torn", "open", "deep", "bytes", "empty"],
)
def test_what_is_no_array_is_named_as_a_whole(data: bytes, rule: str) -> None:
    Path("a.json").write_bytes(data)
    for args in ((), ("--repair",)):
        shown = run("history", *args, "a.json")
        assert shown.exit_code == 1
        assert f"[{rule}]" in shown.output


def test_an_item_that_is_no_message_hides_no_other() -> None:
    Path("a.json").write_bytes(as_array([OPEN[0], 7, OPEN[1]]).replace(b"Hi", b"H\xff"))
    shown = run("history", "a.json", "--format", "json")
    found = json.loads(shown.stdout)["findings"]
    assert [(each["rule"], each["pointer"][:3]) for each in found] == [
        ("document/invalid-utf8", "/0"),
        ("shape/type", "/1"),
        ("history/unanswered-tool-call", "/2/"),
        ("history/unanswered-tool-call", "/2/"),
    ]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_repaired_as_an_array(indent: int | None) -> None:
    Path("a.json").write_bytes(as_array(OPEN, indent))
    shown = run("history", "--repair", "a.json")
    assert shown.exit_code == 0
    assert json.loads(shown.stdout) == [*OPEN, message("tool", lost("a"), lost("b"))]
    assert len(shown.stdout.splitlines()) == 5
    assert shown.stderr.startswith("a.json: Answered by an error result: interrupted")
    Path("b.json").write_bytes(shown.stdout_bytes)
    assert run("history", "b.json").exit_code == 0
    again = run("history", "--repair", "b.json")
    assert (again.stdout_bytes, again.stderr) == (shown.stdout_bytes, "")


def test_nothing_is_left_of_an_array_but_an_array() -> None:
    Path("a.json").write_bytes(as_array([CLEAN[1]]))
    assert run("history", "--repair", "a.json").stdout == "[]\n"


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


def test_the_table_of_roles_is_that_of_the_contract_asked_for() -> None:
    """An answer with an image is fine for readers of v0.2 only; repairing obeys the same."""
    answer = message("assistant", part("image", "", "https://example.com/a.png"))
    path = write("a.jsonl", [answer])
    assert run("history", path).exit_code == 0
    older = run("history", "--contract", "v0.1", path)
    assert older.exit_code == 1
    assert "[history/role-part-kind]" in older.stdout
    repaired = run("history", "--repair", "--contract", "v0.1", path)
    assert repaired.exit_code == 0
    assert json.loads(repaired.stdout)["role"] == "user"
    unknown = run("history", "--contract", "v0.999", path)
    assert unknown.exit_code == 2
    assert "[usage/unknown-version]" in unknown.stderr
