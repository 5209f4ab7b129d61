"""``partwire validate``, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.runner import STREAM, USER, lines, run
from tests.fixture_cases import case_of

pytestmark = pytest.mark.usefixtures("empty_folder")


# --- validate -----------------------------------------------------------------------------------


def test_a_valid_document_exits_0(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER, indent=2))
    result = run("validate", "--type", "message.Message", "m.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 document in 1 source: valid\n"


def test_a_finding_names_file_line_pointer_expected_and_actual(tmp_path: Path) -> None:
    bad = {**STREAM[2], "payload": {"textDelta": 5}}
    (tmp_path / "d.jsonl").write_bytes(lines([STREAM[0], bad, STREAM[3]]))
    result = run("validate", "--type", "message.MessageDelta", "d.jsonl")
    assert result.exit_code == 1
    assert result.stdout.startswith("d.jsonl:2:95: ")
    assert "[shape/type]" in result.stdout
    assert "  at        /payload/textDelta\n" in result.stdout
    assert "  expected  a string\n" in result.stdout
    assert "  actual    5\n" in result.stdout
    assert result.stderr == "3 documents in 1 source: 1 error\n"


def test_one_bad_line_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(
        lines(STREAM[:1]) + b"{oops\n\n" + lines(STREAM[1:2]) + b'{"kind":1}'
    )
    result = run("validate", "--type", "message.MessageDelta", "--format", "json", "d.jsonl")
    report = json.loads(result.stdout)
    assert [finding["line"] for finding in report["findings"]] == [2, 5]
    assert report["findings"][0]["rule"] == "document/invalid-json"
    assert (report["documents"], report["sources"], report["errors"]) == (4, 1, 2)


def test_json_format_is_one_document_without_findings_too(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "--type", "message.Message", "--format", "json", "m.json")
    told = json.loads(result.stdout)
    assert (told["findings"], told["statistics"]) == ([], {})
    counts = ("sources", "documents", "errors", "warnings", "infos", "accepted", "unreadable")
    assert [told[name] for name in counts] == [1, 1, 0, 0, 0, 0, 0]
    assert told["passed"] is True


def test_github_format_escapes_what_github_reads(tmp_path: Path) -> None:
    (tmp_path / "a,b.json").write_text(json.dumps({**USER, "role": "50%\nhi"}))
    result = run("validate", "--type", "message.Message", "--format", "github", "a,b.json")
    assert result.exit_code == 1
    (annotation,) = result.stdout.splitlines()
    assert annotation.startswith(
        "::error file=a%2Cb.json,line=1,col=20,title=None of the allowed values::"
    )
    assert "50%25" in annotation


FORMATS = ["text", "json", "github", "gitlab", "sarif", "junit"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
def test_what_is_cut_is_told_in_every_format(tmp_path: Path, form: str, name: str) -> None:
    bad = {**USER, "parts": [0] * 1500}
    (tmp_path / name).write_bytes(lines([USER, bad] if name == "m.jsonl" else [bad]))
    words = ("validate", "--type", "message.Message", "--format", form, name, "--max-shown", "0")
    result = run(*words, "--max-findings", "1000")
    assert result.exit_code == 1
    told = "The check of this document stopped at 1,000 findings: it has more"
    assert result.stdout.count(told) == (2 if form == "junit" else 1)
    assert "/parts/999" in result.stdout
    assert "/parts/1000" not in result.stdout
    result = run(*words, "--max-findings", "1500")
    assert (result.exit_code, told in result.stdout) == (1, False)
    assert "/parts/1499" in result.stdout
    assert "too-many-findings" not in run(*words).stdout


def test_what_is_cut_is_so_in_every_process(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({**USER, "parts": [0] * 9}))
    words = ("validate", "--type", "message.Message", "--max-findings", "3", "a.json", "b.json")
    one, two = (run(*words, "-j", jobs) for jobs in "12")
    assert one.stdout.count("[document/too-many-findings]") == 2
    assert (two.stdout, two.exit_code) == (one.stdout, 1)


def test_what_is_cut_is_a_failure_whatever_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**USER, "parts": [0] * 9 + [{"kind": "x"}]}))
    (tmp_path / "partwire.toml").write_text('[[ignore]]\nrule = "shape/type"\nreason = "old"\n')
    words = ("validate", "--type", "message.Message", "--format", "json", "m.json")
    for most, rule in ((9, "document/too-many-findings"), (10, "shape/unknown-variant")):
        result = run(*words, "--max-findings", str(most))
        report = json.loads(result.stdout)
        assert (result.exit_code, report["passed"], report["ignored"]) == (1, False, 9)
        assert [each["rule"] for each in report["findings"]] == [rule]


def test_warnings_hide_no_error_behind_them(tmp_path: Path) -> None:
    document = case_of("v0.1/documents/session.WithParts/valid/assistant").value("document")
    late = {**document["parts"][1], "time": {"start": 2, "end": 1}}
    document["parts"] = [{**late, "id": f"prt_{number}"} for number in range(10, 20)]
    document["parts"].append({**late, "text": 0})
    (tmp_path / "w.json").write_text(json.dumps(document))
    result = run("validate", "--type", "session.WithParts", "--max-findings", "2", "w.json")
    assert result.exit_code == 1
    assert re.findall(r"\[(\S+/\S+)\]", result.stdout) == [
        "session/time-order",
        "shape/type",
        "document/too-many-findings",
    ]


@pytest.mark.parametrize("bound", ["0", "-1", "many"])
def test_what_is_no_bound_is_refused(bound: str) -> None:
    result = run("validate", "--type", "message.Message", "--max-findings", bound, "m.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--max-findings" in result.stderr


def test_a_warning_is_shown_and_exits_0(tmp_path: Path) -> None:
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


def test_globs_files_and_stdin_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "logs" / "a.jsonl").write_bytes(lines(STREAM))
    (tmp_path / "logs" / "deep" / "b.ndjson").write_bytes(lines(STREAM[:2]))
    stdin = lines(STREAM[:1])
    result = run("validate", "--type", "message.MessageDelta", "logs/**/*.*json*", "-", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "12 documents in 3 sources: valid\n")


def test_a_glob_that_fits_nothing_exits_2() -> None:
    result = run("validate", "--type", "message.Message", "none/*.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


@pytest.mark.parametrize("name", ["missing.json", "empty"])
def test_an_unreadable_file_exits_2_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "m.json").write_text(json.dumps({**USER, "role": "robot"}))
    result = run("validate", "--type", "message.Message", name, "m.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr
    assert "[shape/enum]" in result.stdout


def test_an_unknown_type_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    result = run("validate", "--type", "message.Mesage", "m.json")
    assert result.exit_code == 2
    assert "[usage/unknown-type]" in result.stderr
    assert "message.Message" in result.stderr


def test_an_unknown_contract_names_the_known(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    result = run("validate", "--type", "message.Message", "--contract", "v9.9", "m.json")
    assert result.exit_code == 2
    assert "[usage/unknown-version]" in result.stderr
    assert "v0.1" in result.stderr


def test_the_type_is_never_guessed(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[usage/ambiguous-type]" in result.stderr
    assert "--type message.Message, which it looks like" in result.stderr


def test_no_candidate_says_so() -> None:
    result = run("validate", "-", stdin=b"17")
    assert result.exit_code == 2
    assert "[usage/ambiguous-type]" in result.stderr
    assert "partwire schema list" in result.stderr


@pytest.mark.parametrize("indent", [None, 2])
def test_stdin_is_one_document_or_lines(indent: int | None) -> None:
    text = json.dumps(USER, indent=indent).encode()
    result = run("validate", "--type", "message.Message", "-", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "1 document in 1 source: valid\n")


def test_an_empty_file_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(b"")
    result = run("validate", "--type", "message.Message", "m.json")
    assert result.exit_code == 1
    assert "[document/empty]" in result.stdout


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**USER, "role": "\x1b[2J", "\x1b": 1}))
    result = run("validate", "--type", "message.Message", "m.json")
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout


# --- configuration --------------------------------------------------------------------------------


def test_paths_in_pyproject_name_the_type(tmp_path: Path) -> None:
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
    tmp_path: Path, text: str, pointer: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[config/" in result.stderr
    assert f"  at        {pointer}\n" in result.stderr


def test_a_pyproject_that_is_no_toml_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.partwire\n")
    (tmp_path / "m.json").write_text(json.dumps(USER))
    result = run("validate", "m.json")
    assert result.exit_code == 2
    assert "[usage/unreadable-input]" in result.stderr


@pytest.mark.parametrize(
    ("glob", "fits"),
    [
        ("logs/**", True),
        ("logs/*.jsonl", False),
        ("logs/?/b.jsonl", True),
        ("**/b.jsonl", True),
        ("logs/a/b", False),
        ("logs/[a]/b.jsonl", False),  # brackets are plain characters
    ],
)
def test_what_a_glob_fits(tmp_path: Path, glob: str, fits: bool) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[[tool.partwire.paths]]\nglob = "{glob}"\ntype = "message.MessageDelta"\n'
    )
    (tmp_path / "logs" / "a").mkdir(parents=True)
    (tmp_path / "logs" / "a" / "b.jsonl").write_bytes(lines(STREAM))
    assert run("validate", "logs/a/b.jsonl").exit_code == (0 if fits else 2)


def test_a_configuration_says_nothing_of_files_outside_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text(
        '[[tool.partwire.paths]]\nglob = "**"\ntype = "message.Message"\n'
    )
    (tmp_path / "m.json").write_text(json.dumps(USER))
    monkeypatch.chdir(tmp_path / "project")
    assert run("validate", "../m.json").exit_code == 2
