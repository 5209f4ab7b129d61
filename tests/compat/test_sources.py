"""What `partwire compat` can compare: files, folders, versions and commits; and their places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partwire.compat.comparison import check
from partwire.compat.report import SINGLE
from partwire.compat.sources.inputs import load_source, load_source_at
from partwire.errors import PartwireError, UsageError
from partwire.json.positions import Position, Positions
from tests.compat.repository import PERSON, Repository, person, write
from tests.fixture_cases import SCHEMAS

pytestmark = pytest.mark.usefixtures("empty_folder")


def refused(name: str) -> tuple[str, str]:
    with pytest.raises(PartwireError) as caught:
        load_source(name).schemas()
    found = caught.value.findings[0]
    return found.rule, f"{found.source}: {found.message}"


# --- places ---------------------------------------------------------------------------------------

TEXT = b"""{
  "a": [1, {"b/c": 2.5e3,
    "~": "\\" }{ \xc3\xbc", "x": true}],
  "a2": {}, "a": [[], "last"]
}"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        ("", 1, 1),
        ("/a", 4, 13),
        ("/a/0", 4, 19),
        ("/a/1", 4, 23),
        ("/a2", 4, 3),
        ("/a2/none/below", 4, 3),
        ("/none", 1, 1),
    ],
)
def test_a_pointer_has_a_line_and_a_column(pointer: str, line: int, column: int) -> None:
    assert Positions(TEXT).find(pointer) == Position(line, column)


def test_names_with_escapes_are_found_behind_any_value() -> None:
    text = TEXT.replace(b'"a": [[]', b'"z": [[]')
    places = Positions(text)
    assert places.find("/a/1/b~1c") == Position(2, 13)
    assert places.find("/a/1/~0") == Position(3, 5)
    assert places.find("/a/1/x") == Position(3, 21)


def test_a_number_of_any_length_is_passed() -> None:
    assert Positions(b"[" + b"9" * 5000 + b', "x"]').find("/1") == Position(1, 5004)


def test_every_pointer_of_the_contract_is_found() -> None:
    path = SCHEMAS / "v0.1" / "message" / "delta.schema.json"
    places, lines = Positions(path.read_bytes()), path.read_text("utf-8").splitlines()

    def walk(value: Any, pointer: str) -> int:
        items = value.items() if isinstance(value, dict) else ()
        for name, part in items:
            line, column = places.find(f"{pointer}/{name.replace('/', '~1')}")
            assert lines[line - 1][column - 1 :].startswith(json.dumps(name))
            walk(part, f"{pointer}/{name.replace('/', '~1')}")
        return len(items)

    assert walk(json.loads(path.read_bytes()), "") > 3


# --- files and folders ----------------------------------------------------------------------------


def test_a_folder_is_all_its_json_files_by_path(tmp_path: Path) -> None:
    write(tmp_path / "s/a.schema.json", PERSON)
    write(tmp_path / "s/deep/b c.json", PERSON)
    (tmp_path / "s/readme.md").write_text("no schema")
    source = load_source("s")
    assert list(source.texts) == ["a.schema.json", "deep/b%20c.json"]
    assert [text.path for text in source.texts.values()] == ["s/a.schema.json", "s/deep/b c.json"]


def test_a_file_brings_the_neighbours_that_it_refers_to(tmp_path: Path) -> None:
    write(tmp_path / "s/a.json", {"$ref": "deep/b.json#/$defs/B"})
    write(tmp_path / "s/deep/b.json", {"$defs": {"B": {"items": {"$ref": "../a.json"}}}})
    write(tmp_path / "s/other.json", {})
    source = load_source("s/a.json")
    assert list(source.texts) == [SINGLE, "deep/b.json"]
    assert check(source, source, direction="full").changes == ()
    write(tmp_path / "s/deep/b.json", {"$defs": {"B": {"items": {"type": "null"}}}})
    report = check(source, load_source("s/a.json"))
    assert [verdict.status for verdict in report.verdicts] == ["breaking"]


def test_a_neighbour_that_is_missing_is_a_dangling_reference(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"properties": {"x": {"$ref": "gone.json"}}})
    write(tmp_path / "b.json", {"properties": {"x": {}}})
    for pair in (("a.json", "b.json"), ("b.json", "a.json")):
        with pytest.raises(PartwireError) as caught:
            check(*map(load_source, pair))
        found = caught.value.findings[0]
        assert (found.rule, found.source, found.line) == ("compat/dangling-reference", "a.json", 3)


def test_a_link_that_leads_in_a_circle_ends(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s/again").symlink_to(tmp_path / "s")
    write(tmp_path / "s/a.json", {})
    assert list(load_source("s").texts) == ["a.json"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b"", "document/empty"),
        (b'{"type": ', "document/invalid-json"),
        (b'{"title": "\xff"}', "document/invalid-utf8"),
        (b"[" * 600 + b"]" * 600, "document/too-deep"),
        (b"[]", "compat/invalid-schema"),
        (b'{"$schema": "https://example.test/mine"}', "compat/invalid-schema"),
    ],
    ids=["empty", "cut", "bytes", "deep", "array", "dialect"],
)
def test_a_broken_file_is_named(tmp_path: Path, text: bytes, rule: str) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s/bad.json").write_bytes(text)
    for name in ("s", "s/bad.json"):
        assert refused(name)[0] == rule
        assert refused(name)[1].startswith("s/bad.json: ")


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "No such file" in refused("gone.json")[1]
    assert "ends with .json" in refused("empty")[1]
    assert refused("a\0b")[0] == "usage/unreadable-input"
    assert refused("")[0] == "usage/unreadable-input"


# --- the contract ---------------------------------------------------------------------------------


def test_a_version_of_the_contract_is_its_schemas() -> None:
    whole, family = load_source("v0.1"), load_source("v0.1/blocks")
    assert len(whole.meant()) > len(family.meant()) > 0
    assert whole.texts.keys() == family.texts.keys()
    assert {text.uri.split("/")[0] for text in family.meant()} == {"blocks"}


def test_a_file_of_the_name_of_a_version_comes_first(tmp_path: Path) -> None:
    write(tmp_path / "v0.1/a.json", {})
    assert list(load_source("v0.1").texts) == ["a.json"]


def test_an_unknown_version_or_family_is_refused() -> None:
    assert refused("v9.9")[0] == "usage/unknown-version"
    assert refused("v0.1/letters")[0] == "usage/unknown-family"


@pytest.mark.parametrize("reading", ["declared", "exact"])
@pytest.mark.parametrize("granularity", ["auto", "definitions"])
def test_the_contract_is_compatible_with_itself(reading: Any, granularity: Any) -> None:
    one, other = load_source("v0.1"), load_source(str(SCHEMAS / "v0.1"))
    options: Any = {"reading": reading, "granularity": granularity, "direction": "full"}
    report = check(one, other, **options)
    assert len(report.verdicts) > 60
    assert {verdict.status for verdict in report.verdicts} == {"compatible"}
    assert report.notes == report.changes == ()


# --- git ------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit(schemas__person=PERSON, schemas__deep__other={"type": "null"}, single={})
    monkeypatch.chdir(made.folder)
    return made


def test_a_folder_of_a_commit_is_read_without_checkout(repository: Repository) -> None:
    write(repository.folder / "schemas/person.json", {"type": "array"})
    source = load_source("git:main:schemas")
    assert list(source.texts) == ["deep/other.json", "person.json"]
    assert json.loads(source.texts["person.json"].data) == PERSON
    assert source.texts["person.json"].name == "git:main:schemas/person.json"
    assert load_source("git:HEAD:").texts.keys() == {
        "schemas/deep/other.json",
        "schemas/person.json",
        "single.json",
    }


def test_a_file_of_a_commit_brings_its_neighbours(repository: Repository) -> None:
    repository.commit(
        schemas__a={"$ref": "deep/b.json"}, schemas__deep__b={"items": {"$ref": "../person.json"}}
    )
    repository.git("tag", "v1")
    source = load_source("git:v1:schemas/a.json")
    assert source.single
    assert source.texts.keys() == {SINGLE, "deep/b.json", "person.json"}


def test_names_beyond_ascii_come_through(repository: Repository) -> None:
    repository.commit(**{"schemas__grüße an": {"const": "ü"}})
    assert "gr%C3%BC%C3%9Fe%20an.json" in load_source("git:main:schemas").texts


def test_a_path_counts_from_the_top_or_from_here(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder / "schemas")
    assert load_source("git:main:schemas/person.json").single
    assert load_source("git:main:./person.json").single
    assert list(load_source("git:main:schemas").texts) == ["deep/other.json", "person.json"]
    found = load_source_at("main", "person.json")
    assert found is not None
    assert found.single
    assert load_source_at("main", "later.json") is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("git:nobranch:schemas", "no such ref"),
        ("git:--output=x:schemas", "dash"),
        ("git::schemas", "dash"),
        ("git:main", "git:REF:PATH"),
        ("git:main:gone.json", "no such path"),
        ("git:main:../outside", "no such path"),
        ("git:ma\0in:schemas", "such a name"),
    ],
)
def test_a_wrong_ref_or_path_is_refused(repository: Repository, name: str, why: str) -> None:
    rule, text = refused(name)
    assert rule == "usage/unreadable-input"
    assert why in text
    assert repository.git("status", "--porcelain") == ""


def test_a_link_in_a_commit_is_refused(repository: Repository) -> None:
    (repository.folder / "schemas/link.json").symlink_to("person.json")
    repository.commit()
    assert "link.json: Cannot be read: a link" in refused("git:main:schemas")[1]


def test_without_a_repository_git_says_so() -> None:
    assert "not a git repository" in refused("git:main:schemas")[1]


def test_without_git_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "git is not installed" in refused("git:main:schemas")[1]


def test_a_path_outside_the_repository_is_refused(repository: Repository, tmp_path: Path) -> None:
    write(tmp_path / "outside.json", {})
    with pytest.raises(UsageError, match="outside the repository"):
        load_source_at("main", "../outside.json")


# --- what is compared -----------------------------------------------------------------------------


def keys(old: Any, new: Any, tmp_path: Path, **options: Any) -> dict[str, str]:
    for name, documents in (("old", old), ("new", new)):
        for path, value in documents.items():
            write(tmp_path / name / f"{path}.json", value)
    report = check(load_source("old"), load_source("new"), **options)
    found = {verdict.entrypoint: verdict.status for verdict in report.verdicts}
    added = [note for note in report.notes if note.rule == "compat/entrypoint-added"]
    return {**found, **{f"+{note.values[0]}": "new" for note in added}}


def test_files_that_come_and_go_are_found(tmp_path: Path) -> None:
    found = keys({"a": PERSON, "b": PERSON}, {"b": PERSON, "c": PERSON}, tmp_path)
    assert found == {"a.json": "breaking", "b.json": "compatible", "+c.json": "new"}


def test_definitions_are_paired_by_name_whatever_holds_them(tmp_path: Path) -> None:
    old = {"definitions": {"A": PERSON, "B": {}, "C": {"type": "null"}}}
    new = {"$defs": {"B": {"type": "null"}, "A": PERSON, "D": {}}}
    expected = {"#A": "compatible", "#B": "breaking", "#C": "breaking", "+#D": "new"}
    found = keys({"x": old}, {"x": new}, tmp_path)
    assert found == {name.replace("#", "x.json#"): what for name, what in expected.items()}


def test_a_definition_in_either_container_is_compared(tmp_path: Path) -> None:
    old = {"$defs": {"A": PERSON, "B": {}}, "definitions": {"A": {}, "C": {}}}
    new = {"$defs": {"A": PERSON, "B": {}}, "definitions": {"A": PERSON, "C": PERSON}}
    found = keys({"x": old}, {"x": new}, tmp_path, granularity="definitions")
    assert {name: found[f"x.json#{name}"] for name in ("A", "B", "C", "definitions/A")} == {
        "A": "compatible",
        "B": "compatible",
        "C": "breaking",
        "definitions/A": "breaking",
    }


def test_definitions_of_definitions_are_compared(tmp_path: Path) -> None:
    def schema(inner: Any, deep: Any) -> Any:
        held = {"I": inner, "J": {"$defs": {"K": deep}}}
        return {"$defs": {"A": {"type": "object", "definitions": held}, "A/I": {}}}

    old, new = schema({}, {}), schema(PERSON, PERSON)
    found = keys({"x": old}, {"x": new}, tmp_path, granularity="definitions")
    assert found == {
        "x.json#A": "compatible",
        "x.json#A/I": "compatible",
        "x.json#A/J": "compatible",
        "x.json#A/definitions/I": "breaking",
        "x.json#A/J/K": "breaking",
    }


def test_a_root_that_asks_for_something_is_the_entry(tmp_path: Path) -> None:
    old = {"$ref": "#/$defs/A", "$defs": {"A": PERSON, "B": {}}}
    new = {"$ref": "#/$defs/A", "$defs": {"A": PERSON}}
    assert keys({"x": old}, {"x": new}, tmp_path) == {"x.json": "compatible"}
    found = keys({"x": old}, {"x": new}, tmp_path, granularity="definitions")
    assert found == {"x.json": "compatible", "x.json#A": "compatible", "x.json#B": "breaking"}


def test_a_root_that_stops_asking_is_still_compared(tmp_path: Path) -> None:
    silent: dict[str, Any] = {"$defs": {"A": {}}}
    asking = {**PERSON, **silent}
    assert keys({"x": asking}, {"x": silent}, tmp_path) == {"x.json": "compatible"}
    assert keys({"x": silent}, {"x": asking}, tmp_path) == {"x.json": "breaking"}


def test_marked_types_are_named_by_folder_and_may_move_next_door(tmp_path: Path) -> None:
    marked = {"$defs": {"P": person(**{"x-entrypoint": True}), "Inner": {}}}
    found = keys({"m/a": marked}, {"m/b": marked}, tmp_path)
    assert found == {"m.P": "compatible"}


def test_one_document_is_not_compared_with_many(tmp_path: Path) -> None:
    write(tmp_path / "s/a.json", PERSON)
    for pair in (("s", "s/a.json"), ("s/a.json", "v0.1")):
        with pytest.raises(UsageError, match="cannot be compared with a folder"):
            check(*map(load_source, pair))
