"""Frozen versions: whatever changes in one is named, file by file, by both commands."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codegen.archive import main as archive
from tests.codegen.release_repository import FILE, Repository, copied, first_released

Change = Callable[[Repository], Any]

SCHEMA = f"schemas/v0.1/{FILE}"
CASE = "fixtures/v0.1/documents/a.json"
MANIFEST = "schemas/v0.1.sha256"


@pytest.fixture
def released(tmp_path: Path) -> Repository:
    """v0.1 is released, v0.2 is a draft."""
    return copied(first_released(), tmp_path / "repository")


def append(name: str, data: bytes) -> Change:
    return lambda r: r.write(name, (r.root / name).read_bytes() + data)


def windows_lines(repository: Repository) -> None:
    path = repository.root / SCHEMA
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def linked(repository: Repository) -> None:
    """Put a link to a file of the same bytes in the file's place."""
    path = repository.root / CASE
    path.rename(repository.root / "fixtures" / "elsewhere.json")
    path.symlink_to("../../elsewhere.json")


def with_its_line(repository: Repository) -> None:
    """Change a file, and its line of the manifest with it."""
    path, manifest = repository.root / SCHEMA, repository.root / MANIFEST
    was = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(path.read_bytes() + b"\n")
    now = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text("utf-8").replace(was, now), "utf-8")


def row(**members: Any) -> Change:
    def apply(repository: Repository) -> None:
        catalog = repository.catalog()
        catalog["versions"]["v0.1"].update(members)
        for name in [name for name, value in members.items() if value is None]:
            del catalog["versions"]["v0.1"][name]
        repository.write("schemas/catalog.json", catalog)

    return apply


def nothing(repository: Repository) -> None:
    (repository.root / "fixtures" / "v0.1" / "empty").mkdir()
    repository.write("fixtures/v0.2/documents/b.json", "{}")
    repository.write("schemas/rules/sample.json", {"rules": {}, "more": 1})


CHANGES: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "a space in a schema": (append(SCHEMA, b" "), [(SCHEMA, "frozen-changed")]),
    "line ends": (windows_lines, [(SCHEMA, "frozen-changed")]),
    "a fixture": (append(CASE, b" "), [(CASE, "frozen-changed")]),
    "a schema is gone": (
        lambda r: r.remove(SCHEMA),
        [(SCHEMA, "frozen-missing")],
    ),
    "a fixture is gone": (lambda r: r.remove(CASE), [(CASE, "frozen-missing")]),
    "a new schema": (
        lambda r: r.write("schemas/v0.1/sample/b.schema.json", "{}"),
        [("schemas/v0.1/sample/b.schema.json", "frozen-added")],
    ),
    "a new fixture": (
        lambda r: r.write("fixtures/v0.1/b.json", "{}"),
        [("fixtures/v0.1/b.json", "frozen-added")],
    ),
    "a hidden file": (
        lambda r: r.write("fixtures/v0.1/.hidden", ""),
        [("fixtures/v0.1/.hidden", "frozen-added")],
    ),
    "another name": (
        lambda r: (r.root / CASE).rename(r.root / "fixtures/v0.1/documents/b.json"),
        [(CASE, "frozen-missing"), ("fixtures/v0.1/documents/b.json", "frozen-added")],
    ),
    "a link for a file": (linked, [(CASE, "frozen-changed")]),
    "everything at once": (
        lambda r: (
            append(SCHEMA, b" ")(r),
            r.remove(CASE),
            r.write("fixtures/v0.1/b.json", "{}"),
        ),
        [
            (SCHEMA, "frozen-changed"),
            ("fixtures/v0.1/b.json", "frozen-added"),
            (CASE, "frozen-missing"),
        ],
    ),
    "the manifest with the file": (with_its_line, [(MANIFEST, "digest-mismatch")]),
    "a line too many": (append(MANIFEST, b"\n"), [(MANIFEST, "digest-mismatch")]),
    "no manifest": (lambda r: r.remove(MANIFEST), [(MANIFEST, "digest-mismatch")]),
    "no manifest, changed": (
        lambda r: (r.remove(MANIFEST), append(SCHEMA, b" ")(r)),
        [(MANIFEST, "digest-mismatch")],
    ),
    "another digest": (
        row(fixturesDigest="sha256:" + "0" * 64),
        [("fixtures/v0.1.sha256", "digest-mismatch")],
    ),
    "no digest": (row(digest=None), [(MANIFEST, "digest-mismatch")]),
    "nothing that counts": (nothing, []),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_file_is_named(name: str, released: Repository) -> None:
    change, expected = CHANGES[name]
    change(released)
    before = released.contents()
    for done in (released.check(), released.release("v0.1")):
        places = re.findall(r"^(\S+): .* \[release/([a-z-]+)\]$", done.err, re.MULTILINE)
        assert places == expected, done.err
        assert done.status == (1 if expected else 0)
    assert released.contents() == before


@pytest.mark.parametrize("status", ["draft", None])
def test_a_release_cannot_be_undone_by_the_catalog(
    status: str | None, released: Repository
) -> None:
    catalog = released.catalog()
    if status is None:
        del catalog["versions"]["v0.1"]
    else:
        catalog["versions"]["v0.1"]["status"] = status
    released.write("schemas/catalog.json", catalog)
    done = released.check()
    assert done.status == 1
    assert [line.partition(":")[0] for line in done.err.splitlines()[:2]] == [
        "schemas/v0.1.sha256",
        "fixtures/v0.1.sha256",
    ]
    assert done.err.count("[release/digest-mismatch]") == 2


def test_check_tells_of_stale_code_too(released: Repository) -> None:
    append(SCHEMA, b" ")(released)
    released.write("python/partwire/v0_2/old.py", "")
    done = released.check()
    assert done.status == 1
    assert f"{SCHEMA}: not as it was released in v0.1" in done.err
    assert "v0_2: left over: old.py" in done.err
    assert "A released version never changes: take the change back." in done.err


def test_generating_writes_no_frozen_file(released: Repository) -> None:
    append(SCHEMA, b" ")(released)
    before = {name: data for name, data in released.contents().items() if "python" not in name}
    released.generate()
    after = {name: data for name, data in released.contents().items() if "python" not in name}
    assert after == before


# --- packed ---------------------------------------------------------------------------------------

ARCHIVE = "fixtures/v0.1.zip"


@pytest.fixture
def repacked(tmp_path: Path, released: Repository) -> Repository:
    """v0.1 is released again, its fixtures packed."""
    assert archive(["--root", str(released.root), "version", "v0.1"]) == 0
    released.remove("fixtures/v0.1.sha256")
    row(status="draft", released=None, digest=None, fixturesDigest=None)(released)
    done = released.release("v0.1")
    assert done.status == 0, done.err
    return released


def test_the_digest_of_what_is_packed_is_the_archive_s(repacked: Repository) -> None:
    archive = hashlib.sha256((repacked.root / ARCHIVE).read_bytes()).hexdigest()
    assert repacked.catalog()["versions"]["v0.1"]["fixturesDigest"] == f"sha256:{archive}"
    assert not (repacked.root / "fixtures/v0.1.sha256").exists()
    assert repacked.check().status == 0


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (append(ARCHIVE, b" "), [(ARCHIVE, "frozen-changed")]),
        (lambda r: r.write(CASE, "{}"), [(CASE, "frozen-added")]),
        (lambda r: r.remove(ARCHIVE), [("fixtures/v0.1.sha256", "digest-mismatch")]),
    ],
    ids=["changed", "a file beside it", "gone"],
)
def test_an_archive_is_frozen(
    change: Change, expected: list[tuple[str, str]], repacked: Repository
) -> None:
    change(repacked)
    for done in (repacked.check(), repacked.release("v0.1")):
        places = re.findall(r"^(\S+): .* \[release/([a-z-]+)\]$", done.err, re.MULTILINE)
        assert places == expected, done.err
        assert done.status == 1
