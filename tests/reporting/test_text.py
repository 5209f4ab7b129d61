"""Findings as people read them: like ones together, each with its place, and not too many."""

from __future__ import annotations

import itertools
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from partwire.contract.schemas import describe_types
from partwire.reading.guess import guess_type
from partwire.reporting.text import Text
from tests.cli.runner import STREAM, USER, lines, run
from tests.fixture_cases import ROOT, Document, documents
from tests.reporting.report_runs import checked

DELTAS = ("validate", "--type", "message.MessageDelta")
GOOD, BAD = STREAM[2], {**STREAM[2], "payload": {"textDelta": 5}}
SAID = "The member textDelta is missing [shape/required]"


@pytest.fixture(autouse=True)
def folder(empty_folder: Path) -> Path:
    return empty_folder


def write(name: str, documents: list[Any]) -> None:
    Path(name).write_bytes(lines(documents))


# --- places ---------------------------------------------------------------------------------------


def test_a_line_and_a_column_in_lines_and_in_documents() -> None:
    write("d.jsonl", [GOOD, BAD])
    text = Path("d.jsonl").read_text().splitlines()[1]
    column = text.index('"textDelta"') + 1
    assert run(*DELTAS, "d.jsonl").stdout.startswith(f"d.jsonl:2:{column}: Not a string")
    Path("d.json").write_text(json.dumps(BAD, indent=2))
    assert run(*DELTAS, "d.json").stdout.startswith("d.json:7:5: Not a string")
    report = checked(run(*DELTAS, "--format", "json", "d.jsonl", "d.json").stdout)
    assert [(each["line"], each["column"]) for each in report["findings"]] == [(2, column), (7, 5)]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"a": 1,\n "b" 2}', "2:6"),
        (b'{"a": "\xff"}', "1:8"),
        (b'{"\xc3\xbc": }', "1:7"),
        (b'{"kind": NaN}', "1:2"),
    ],
    ids=["colon", "utf-8", "characters", "number"],
)
def test_where_a_text_stops_being_json(data: bytes, place: str) -> None:
    Path("d.json").write_bytes(data)
    result = run(*DELTAS, "d.json")
    assert (result.exit_code, result.stdout.partition(" ")[0]) == (1, f"d.json:{place}:")


def test_where_a_line_stops_being_json() -> None:
    Path("d.jsonl").write_bytes(lines([GOOD]) + b'{"a" 1}\n')
    assert run(*DELTAS, "d.jsonl").stdout.startswith("d.jsonl:2:6: A colon is missing at column 6")


def test_lines_are_found_in_any_order_and_behind_long_ones() -> None:
    from partwire.cli.report.locator import Locator  # noqa: PLC0415
    from partwire.errors import Finding  # noqa: PLC0415

    Path("d.jsonl").write_bytes(b'{"a": 1}\r\n' + b'"' + b"x" * (1 << 18) + b'"\n{"b":  2}')
    locator = Locator()
    for line, pointer, spot in ((3, "/b", (3, 2)), (1, "/a", (1, 2)), (3, "/b", (3, 2))):
        found = locator.locate(Finding("shape/type", "No", pointer, source="d.jsonl", line=line))
        assert found[:2] == spot
    assert locator.locate(Finding("a/b", "No", "/a", source="d.jsonl", line=9))[1:3] == (None, None)


# --- the line with its caret ----------------------------------------------------------------------


def test_the_line_is_shown_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    write("d.jsonl", [BAD])
    assert "|" not in run(*DELTAS, "d.jsonl").stdout
    *_, shown, caret = run(*DELTAS, "d.jsonl", "--context").stdout.splitlines()
    assert shown.startswith("  1 | …")
    assert max(len(shown), len(caret)) <= 60
    assert shown[caret.index("^") :].startswith('"textDelta": 5}}')


def test_what_the_guide_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    guide = (ROOT / "docs" / "guides" / "check-schemas-in-ci.md").read_text("utf-8")
    first, second = guide.split('title="logs/today.jsonl"\n')[1].split("\n")[:2]
    more = [second.replace('"seq": 2', f'"seq": {number}') for number in (3, 4)]
    Path("logs").mkdir()
    Path("logs/today.jsonl").write_text("\n".join([first, second, *more]))
    command = "partwire validate --context logs/today.jsonl"
    words = (*DELTAS, *command.split()[2:])
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    assert f"```console\n$ {command}\n{run(*words).output}```" in page


# --- groups ---------------------------------------------------------------------------------------


def test_like_findings_of_a_file_are_one() -> None:
    write("a.jsonl", [BAD, {**GOOD, "seq": "1"}, BAD, GOOD, BAD])
    write("b.jsonl", [BAD] * 20)
    result = run(*DELTAS, "a.jsonl", "b.jsonl")
    told = [
        each for each in result.stdout.splitlines() if not each.startswith(("  e", "  at", "  ac"))
    ]
    assert [each.partition(" Not")[0].partition(" [")[0] for each in told] == [
        "a.jsonl:1:95:",
        "  … and 2 more like this: lines 3, 5",
        "a.jsonl:2:57:",
        "b.jsonl:1:95:",
        "  … and 19 more like this: lines 2, 3, 4, 5, 6, 7, 8, 9, …",
    ]
    assert result.stderr == "25 documents in 2 sources: 24 errors\n"
    each = run(*DELTAS, "a.jsonl", "b.jsonl", "--max-shown", "0")
    assert (each.stdout.count("[shape/type]"), each.stderr) == (24, result.stderr)


def test_like_findings_of_one_document_have_pointers() -> None:
    Path("m.json").write_text(json.dumps({**USER, "parts": [0, 1, 2]}))
    result = run("validate", "--type", "message.Message", "m.json")
    assert "  … and 2 more like this: at /parts/1, /parts/2\n" in result.stdout


def test_findings_of_stdin_are_written_as_they_come() -> None:
    result = run(*DELTAS, "-", stdin=lines([BAD, GOOD, BAD]))
    first, last = result.stdout.splitlines()[0], result.stdout.splitlines()[-1]
    assert first == "<stdin>:1: Not a string but a number [shape/type]"
    assert last == "  … and 1 more like line 1 [shape/type]: line 3"


def test_what_is_not_shown_is_counted() -> None:
    names = ["a", "b", "c", "d"]
    write("d.jsonl", [{**GOOD, name: 1} for name in names] + [{**GOOD, "a": 2}, BAD])
    result = run(*DELTAS, "d.jsonl", "--max-shown", "2", "--statistics")
    assert result.exit_code == 1  # the error is behind what is shown
    assert result.stdout.count("no such member") == 2
    assert "  … and 1 more like this: line 5\n" in result.stdout
    assert "… and 3 more findings, not shown: --max-shown 0 shows all\n" in result.stdout
    assert "5  shape/unknown-member\n" in result.stdout
    assert result.stderr == "6 documents in 1 source: 1 error, 5 warnings\n"


def test_a_run_that_breaks_off_shows_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    write("d.jsonl", [BAD])
    monkeypatch.setattr(Text, "end", stop)
    result = run(*DELTAS, "d.jsonl")
    assert (result.exit_code, "[shape/type]" in result.stdout) == (130, True)


# --- another type ---------------------------------------------------------------------------------


def one_of_each() -> list[Document]:
    """Return one valid document of every public type, of the version that it was written for."""
    found: dict[str, Document] = {}
    for each in documents():
        if each.valid:
            found.setdefault(each.type, each)
    return list(found.values())


def test_the_guess_is_right_or_there_is_none() -> None:
    public = {row.type for row in describe_types() if row.public}
    guesses = {each.type: guess_type(json.loads(each.data), each.version) for each in one_of_each()}
    assert len(public & set(guesses)) > 25
    assert {name: guess for name, guess in guesses.items() if guess not in (name, None)} == {}
    assert list(guesses.values()).count(None) < 5


@pytest.mark.parametrize("other", ["message.Message", "session.WithParts", "envelope.TaskEvent"])
def test_documents_of_every_type_given_as_another(other: str) -> None:
    """Where all of them are refused, the hint names their type, or there is none."""
    for document in one_of_each():
        Path("d.json").write_bytes(document.data)
        words = ("validate", "--type", other, "--contract", document.version, "d.json")
        result = run(*words)
        told = result.stderr.partition(f"Is this really {other}? It looks like ")[2]
        # What formats of others it looks like stands below.
        hint, _, command = told.partition("\n")[0].partition(": ")
        assert hint in ("", document.type)
        assert not hint or (result.exit_code, document.type == other) == (1, False)
        if hint:  # the command reads it
            assert run(*shlex.split(command)[1:]).exit_code == 0


def test_the_hint_is_about_all_documents() -> None:
    hint = "Every document fails alike: is this really message.Message? It looks like"
    words = ("validate", "--type", "message.Message", "d.jsonl")
    write("d.jsonl", [GOOD, GOOD])
    assert f"{hint} message.MessageDelta: partwire validate" in run(*words).stderr
    assert hint not in run(*words, "--format", "github").output
    for other in (USER, {"unlike": 1}):
        write("d.jsonl", [GOOD, other])
        assert "looks like" not in run(*words).stderr
    write("d.jsonl", [{"unlike": 1}] * 2)
    assert "looks like" not in run(*words).stderr


def test_a_file_without_a_type_has_the_same_guess() -> None:
    write("d.jsonl", [GOOD])
    assert (
        "  expected  --type message.MessageDelta, which it looks like"
        in run("validate", "d.jsonl").stderr
    )


# --- the wrong type of file -----------------------------------------------------------------------

MORE = "  … and {} more like this, lines 2, 3, 4, 5, 6, 7, 8, 9, …: wrong type of file?\n"
MESSAGES = ("validate", "--type", "message.Message")


def test_many_documents_that_fail_alike_are_perhaps_of_another_type() -> None:
    write("d.jsonl", [GOOD] * 49)
    result = run(*MESSAGES, "d.jsonl")
    assert MORE.format(48) in result.stdout
    assert result.stdout.count("wrong type of file?") == 1  # however many errors a document has
    assert result.stderr.endswith("partwire validate --type message.MessageDelta d.jsonl\n")
    for form in ("json", "github", "gitlab", "sarif", "junit"):
        told = run(*MESSAGES, "--format", form, "d.jsonl").output
        assert ("wrong type" in told, told.count("shape/required") >= 98) == (False, True)


def test_items_of_an_array_count_as_documents() -> None:
    Path("d.json").write_text(json.dumps([GOOD] * 20, indent=1))
    result = run(*MESSAGES, "d.json")
    assert result.stdout.count("wrong type of file?") == 1
    assert "Every document fails alike" in result.stderr


def test_nearly_all_documents_are_enough() -> None:
    write("d.jsonl", [USER, *[GOOD] * 19])
    write("good.jsonl", [USER] * 19)
    result = run(*MESSAGES, "good.jsonl", "d.jsonl")
    assert result.stdout.count("wrong type of file?") == 1
    assert "d.jsonl: nearly every document fails alike: is this really" in result.stderr


@pytest.mark.parametrize(
    "documents",
    [
        [GOOD] * 9,  # few
        [GOOD] * 10 + [USER] * 2,  # too many good ones
        [{**USER, "parts": 5}] * 50,  # one fault, deep in what looks right
    ],
    ids=["few", "mixed", "deep"],
)
def test_nothing_is_said_where_it_is_not_likely(documents: list[Any]) -> None:
    write("d.jsonl", documents)
    assert "wrong type of file?" not in run(*MESSAGES, "d.jsonl").stdout


# --- many files -----------------------------------------------------------------------------------


def test_like_findings_of_many_files_are_shown_in_the_first_ones() -> None:
    for number in range(30):
        Path(f"{number:02}.json").write_text(json.dumps({**GOOD, "seq": number}))
    result = run(*MESSAGES, ".")
    assert result.stdout.count("The member role is missing [shape/required]\n  expected") == 3
    more = "… and 27 more in 27 files, such as 03.json: The member role is missing [shape/required]"
    assert f"{more}: wrong type of file?\n" in result.stdout
    assert "27 files, such as 03.json: The type names no such member at /seq [" in result.stdout
    assert run(*MESSAGES, ".", "--max-shown", "0").stdout.count("role is missing") == 30


def test_names_that_are_data_do_not_fill_the_report() -> None:
    names = ["".join(each) for each in itertools.permutations("abcde")]
    write("d.jsonl", [{**GOOD, "payload": {"textDelta": "", name: 1}} for name in names])
    result = run(*DELTAS, "d.jsonl")
    assert result.stdout.count("[shape/unknown-member]") == 9
    assert "  … and 111 more like this: lines 10, 11" in result.stdout


def test_ids_do_not_set_findings_apart() -> None:
    names = [f"call_{number:x}_ab" for number in range(16, 46)]
    write("d.jsonl", [{**GOOD, "payload": {"textDelta": "", name: 1}} for name in names])
    assert run(*DELTAS, "d.jsonl").stdout.count("[shape/unknown-member]") == 1
