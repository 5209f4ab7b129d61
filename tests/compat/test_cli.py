"""``partwire compat``, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runner import Run, details, run
from tests.compat.repository import PERSON, Repository, person, write
from tests.cost import costs_at_most

pytestmark = pytest.mark.usefixtures("empty_folder")

MORE = person(required=["name", "age"])
OPEN = ({"type": "string", "pattern": "^(a*)b\\1$"}, {"type": "string", "pattern": "^(b|a+ba+)$"})


def compared(*schemas: Any, options: tuple[str, ...] = ()) -> Any:
    names = [str(write(Path(f"s{number}.json"), each)) for number, each in enumerate(schemas)]
    return run("compat", *names, *options)


def document(*schemas: Any, options: tuple[str, ...] = ()) -> Any:
    result = compared(*schemas, options=("--format", "json", *options))
    return details(result.stdout)


# --- verdicts -------------------------------------------------------------------------------------


def test_a_compatible_change_exits_0_and_prints_nothing() -> None:
    result = compared(PERSON, person(required=[]))
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "s0.json -> s1.json: 1 compatible\n"


def test_a_break_names_both_places_a_witness_and_who_refuses_it() -> None:
    result = compared(PERSON, MORE)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("s1.json:")
    assert "[compat/required-added]" in lines[0]
    rows = dict(line.strip().split(maxsplit=1) for line in lines[1:])
    assert rows["old"].startswith("s0.json:")
    line = Path("s1.json").read_text().splitlines().index('    "age"') + 1
    assert rows["new"].startswith(f"s1.json:{line}")
    assert set(json.loads(rows["witness"])) == {"name"}
    assert rows["refused"] == "by s1.json: 'age' is a required property"
    assert rows["direction"] == "backward, asks for a major version"
    assert len(rows["accept"]) == 16
    assert result.stderr.startswith("s0.json -> s1.json: 0 compatible, 1 breaking")


@pytest.mark.parametrize(
    ("direction", "there", "back"), [("backward", 1, 0), ("forward", 0, 1), ("full", 1, 1)]
)
def test_direction_says_who_reads_whom(direction: str, there: int, back: int) -> None:
    options = ("--direction", direction)
    assert compared(PERSON, MORE, options=options).exit_code == there
    assert compared(MORE, PERSON, options=options).exit_code == back


@pytest.mark.parametrize(("reading", "code"), [("declared", 0), ("exact", 1)])
def test_reading_says_which_documents_count(reading: str, code: int) -> None:
    added = person(properties={**PERSON["properties"], "title": {"type": "string"}})
    assert compared(PERSON, added, options=("--reading", reading)).exit_code == code
    assert compared(PERSON, PERSON, options=("--reading", reading)).exit_code == 0


@pytest.mark.parametrize(("mode", "code", "severity"), [("fail", 1, "error"), ("warn", 0, "warn")])
def test_what_is_open_fails_or_warns(mode: str, code: int, severity: str) -> None:
    options = ("--unproven", mode, "--reading", "exact")
    result = compared(*OPEN, options=options)
    assert result.exit_code == code
    assert "[compat/unproven]" in result.stdout
    assert "documents, all in vain" in result.stdout
    shown = compared(*OPEN, options=(*options, "--format", "github"))
    assert shown.stdout.startswith(f"::{severity}")
    told = document(*OPEN, options=options)
    assert told["compatible"] is (code == 0)
    assert told["reports"][0]["verdicts"][0]["tried"] > 100


def test_transitive_looks_at_every_pair() -> None:
    # Each step is compatible as declared, the first and the last are not.
    first = {"properties": {"a": {"type": "string"}}}
    second: dict[str, Any] = {"properties": {"b": {}}}
    third = {"properties": {"a": {"type": "null"}}}
    for pair in ((first, second), (second, third)):
        assert compared(*pair).exit_code == 0
    result = compared(first, second, third, options=("--transitive",))
    assert result.exit_code == 1
    assert result.stderr.count(" -> ") == 3
    assert "s0.json -> s2.json: 0 compatible, 1 breaking" in result.stderr
    assert compared(first, first, second, options=("--transitive",)).exit_code == 0


def test_definitions_and_entrypoints_choose_what_counts() -> None:
    old = {"$ref": "#/$defs/A", "$defs": {"A": PERSON, "Inner": {"type": "string"}}}
    new = {"$ref": "#/$defs/A", "$defs": {"A": PERSON, "Inner": {"type": "null"}}}
    assert compared(old, new).exit_code == 0
    assert compared(old, new, options=("--entrypoints",)).exit_code == 0
    assert compared(old, new, options=("--definitions",)).exit_code == 1


def test_a_removed_type_is_a_break_and_a_new_one_is_none() -> None:
    one, two = {"$defs": {"A": PERSON}}, {"$defs": {"A": PERSON, "B": PERSON}}
    removed, added = compared(two, one), compared(one, two)
    assert (removed.exit_code, added.exit_code) == (1, 0)
    assert "[compat/entrypoint-removed]" in removed.stdout
    assert "[compat/entrypoint-added]" in added.stdout
    assert "1 new; asks for a minor version" in added.stderr
    assert compared(two, one, options=("--direction", "forward")).exit_code == 0


@pytest.mark.parametrize("direction", ["backward", "forward", "full"])
@pytest.mark.parametrize("reading", ["declared", "exact"])
def test_the_contract_is_compatible_with_itself(direction: str, reading: str) -> None:
    result = run("compat", "v0.1", "v0.1", "--direction", direction, "--reading", reading)
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_draft_can_be_named() -> None:
    pair = ({"maximum": 5}, {"maximum": 5, "exclusiveMaximum": True})
    assert compared(*pair, options=("--dialect", "draft-04")).exit_code == 1
    assert compared(*pair).exit_code == 2


# --- formats --------------------------------------------------------------------------------------


def test_json_is_one_document_with_everything() -> None:
    told = document(PERSON, MORE, options=("--direction", "full"))
    assert told["compatible"] is False
    (report,) = told["reports"]
    assert (report["old"], report["new"], report["bump"]) == ("s0.json", "s1.json", "major")
    backward, forward = report["verdicts"]
    assert (backward["status"], forward["status"]) == ("breaking", "compatible")
    assert backward["witness"].keys() == {"name"}
    (change,) = report["changes"]
    assert backward["changes"] == [change["fingerprint"]]
    assert change["entrypoints"] == ["#"]
    for side, file in (("old", "s0.json"), ("new", "s1.json")):
        assert change[side]["source"] == file
        assert change[side]["line"] >= 1
        assert change[side]["column"] >= 1


def test_a_refusal_names_the_document_that_refuses() -> None:
    write(Path("part.json"), {"type": "string"})
    told = document({"items": {"type": ["string", "null"]}}, {"items": {"$ref": "part.json"}})
    (report,) = told["reports"]
    (refusal,) = report["verdicts"][0]["refusals"]
    assert (refusal["document"], refusal["schema"], refusal["keyword"]) == (
        "part.json",
        "/type",
        "type",
    )
    assert "refused   by part.json at /0" in run("compat", "s0.json", "s1.json").stdout


def test_github_annotations_stand_at_the_file_of_the_working_tree() -> None:
    result = compared(PERSON, MORE, options=("--format", "github"))
    assert result.exit_code == 1
    assert result.stdout.startswith("::error file=s1.json,line=")
    assert result.stdout.count("\n") == 1
    assert "witness: {" in result.stdout


def test_a_witness_cannot_steer_the_terminal() -> None:
    old, new = {"const": "\x1b[31m\u0007"}, {"const": "x"}
    result = compared(old, new)
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_a_shared_type_is_one_change_of_many_verdicts() -> None:
    def of(inner: Any) -> dict[str, Any]:
        users = {name: {"items": {"$ref": "#/$defs/Z"}} for name in "ABC"}
        return {"$defs": {**users, "Z": inner}}

    told = document(of({"type": ["string", "null"]}), of({"type": "string"}))
    (report,) = told["reports"]
    assert [each["status"] for each in report["verdicts"]] == ["breaking"] * 4
    assert all(change["entrypoints"] for change in report["changes"])


# --- git ------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit(schemas__person=PERSON)
    monkeypatch.chdir(made.folder)
    return made


def test_against_compares_with_a_commit(repository: Repository) -> None:
    assert run("compat", "--against", "git:main", "schemas").exit_code == 0
    write(repository.folder / "schemas/person.json", MORE)
    for path in ("schemas", "schemas/person.json"):
        result = run("compat", "--against", "git:main", path)
        assert result.exit_code == 1
        assert result.stdout.startswith("schemas/person.json:")
        assert "old       git:main:schemas/person.json:" in result.stdout
    repository.git("commit", "-qam", "accept")
    assert run("compat", "--against", "git:main", "schemas").exit_code == 0
    assert run("compat", "git:HEAD~1:schemas", "git:HEAD:schemas").exit_code == 1


def test_against_takes_what_the_configuration_names(repository: Repository, run_: Run) -> None:
    config = repository.folder / "pyproject.toml"
    config.write_text('[tool.partwire]\nschemas = ["schemas", "later"]\n')
    write(repository.folder / "later/new.json", PERSON)
    result = run_("compat", "--against", "git:main")
    assert result.exit_code == 0
    assert "later/new.json:1: new.json is new" in result.stdout
    write(repository.folder / "schemas/person.json", MORE)
    assert run_("compat", "--against", "git:main").exit_code == 1
    config.write_text("[tool.partwire]\nschemas = [1]\n")
    assert run_("compat", "--against", "git:main").exit_code == 2


@pytest.fixture
def run_(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Run:
    (repository.folder / "below").mkdir()
    monkeypatch.chdir(repository.folder)
    return run


def test_as_a_program(repository: Repository) -> None:
    write(repository.folder / "schemas/person.json", MORE)
    program = [sys.executable, "-c", "from partwire.cli import main; main()"]
    args = ["compat", "--against", "git:main", "schemas"]
    done = subprocess.run([*program, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "witness" in done.stdout
    assert done.stderr.endswith("asks for a major version\n")


# --- no verdict -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["v0.1"],
        ["v0.1", "v0.1", "v0.1"],
        ["v0.1", "v9.9"],
        ["v0.1", "gone.json"],
        ["v0.1", "git:main:schemas"],
        ["--transitive", "v0.1"],
        ["--against", "main", "v0.1"],
        ["--against", "git:main:x", "v0.1"],
        ["--against", "git:main"],
        ["--against", "git:main", "--transitive", "v0.1"],
        ["v0.1", "v0.1", "--accept", "gone.json"],
        ["v0.1", "v0.1", "--direction", "sideways"],
        ["v0.1", "v0.1", "--dialect", "draft-03"],
    ],
    ids=lambda args: " ".join(args) or "nothing",
)
def test_a_wrong_call_exits_2_with_a_reason(args: list[str]) -> None:
    result = run("compat", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


@pytest.mark.parametrize(
    ("schema", "rule", "line"),
    [
        ({"properties": {"a": {"type": "text"}}}, "invalid-schema", 4),
        ({"properties": {"a": {"$ref": "#/$defs/Gone"}}}, "dangling-reference", 3),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}}, "invalid-schema", 3),
        ({"patternProperties": {"(": {}}}, "invalid-schema", None),
    ],
    ids=["type", "dangling", "circle", "pattern"],
)
def test_what_is_no_schema_gets_no_verdict(schema: Any, rule: str, line: int | None) -> None:
    for pair, name in (((schema, {}), "s0.json"), (({}, schema), "s1.json")):
        result = compared(*pair, options=("--definitions",))
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"[compat/{rule}]" in result.stderr
        assert result.stderr.startswith(f"{name}:{line}: " if line else f"{name}:")


def test_a_schema_that_holds_itself_is_followed() -> None:
    tree = {"$ref": "#/$defs/T", "$defs": {"T": {"items": {"$ref": "#/$defs/T"}}}}
    flat = {"$ref": "#/$defs/T", "$defs": {"T": {"items": {"type": "array"}}}}
    assert compared(tree, tree).exit_code == 0
    assert compared(tree, flat).exit_code == 1


@pytest.mark.usefixtures("untraced")
@pytest.mark.slow
def test_ten_megabytes_get_an_answer() -> None:
    names = {f"m{number}": {"type": "string", "x": "-" * 1000} for number in range(10_000)}
    old = {"properties": names}
    new = {"properties": {**names, "m7777": {"type": "null", "x": "-" * 1000}}}
    with costs_at_most(30):
        result = compared(old, new)
    assert Path("s0.json").stat().st_size > 10_000_000
    assert result.exit_code == 1
    assert '"m7777"' in result.stdout


# --- notes ----------------------------------------------------------------------------------------


def test_what_breaks_nobody_is_noted_in_every_format() -> None:
    old: Any = {"properties": {"meta": {}}}
    new: Any = {"properties": {"_meta": {}}}
    result = compared(old, new)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("[compat/property-removed]")
    assert lines[1].startswith("s1.json:3: ")
    assert lines[1].endswith("[compat/property-added]")
    assert result.stderr == "s0.json -> s1.json: 1 compatible, 2 notes; asks for a minor version\n"
    (report,) = document(old, new)["reports"]
    assert [(note["rule"], note["bump"]) for note in report["notes"]] == [
        ("compat/property-removed", "minor"),
        ("compat/property-added", "minor"),
    ]
    shown = compared(old, new, options=("--format", "github")).stdout.splitlines()
    assert [line.split(" ")[0] for line in shown] == ["::notice", "::notice"]
    assert [line.rpartition(": ")[2].split(" ")[0] for line in shown] == ['"meta"', '"_meta"']


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_each_change_of_one_witness_has_the_refusal_that_speaks_of_it(direction: str) -> None:
    wide = {"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}
    narrow = {"properties": {"a": {"enum": ["x"]}}, "required": ["a", "c", "d"]}
    pair = (wide, narrow) if direction == "backward" else (narrow, wide)
    shown = compared(*pair, options=("--direction", direction)).stdout
    assert shown.count('  witness   {"a": "y"}\n') == 3
    name = "s1.json" if direction == "backward" else "s0.json"
    refused = [line.strip() for line in shown.splitlines() if line.startswith("  refused")]
    assert refused == [
        f"refused   by {name}: 'c' is a required property",
        f"refused   by {name}: 'd' is a required property",
        f"refused   by {name} at /a: 'y' is not one of ['x']",
    ]


def test_a_note_on_a_shared_type_stands_once() -> None:
    def of(inner: Any) -> dict[str, Any]:
        users = {name: {"items": {"$ref": "#/$defs/Z"}} for name in "ABC"}
        return {"$defs": {**users, "Z": inner}}

    pair = of({"properties": {"a": {}}}), of({"properties": {"a": {}, "b": {}}})
    assert compared(*pair).stdout.count("[compat/property-added]") == 1
