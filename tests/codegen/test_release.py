"""Releases of the contract: what is written, what stops one, and that a released version stays."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from codegen.frozen import DIGESTS, all_differences
from codegen.release import catalog_text
from tests.codegen.release_repository import (
    DAY,
    FILE,
    Outcome,
    Repository,
    copied,
    drafts,
    first_released,
)
from tests.conftest import ROOT

Change = Callable[[Repository], Any]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two drafts."""
    return copied(drafts(), tmp_path / "repository")


@pytest.fixture
def released(tmp_path: Path) -> Repository:
    """v0.1 is released, v0.2 is a draft."""
    return copied(first_released(), tmp_path / "repository")


def told(done: Outcome) -> list[tuple[str, str]]:
    """Return place and rule of each finding; a place with a space is named by its beginning."""
    return re.findall(r"^([^\s:]+).*?: .* \[(release/[a-z-]+)\]$", done.err, re.MULTILINE)


def recomputed(base: Path, version: str) -> str:
    """Return the digest as a stranger computes it: after docs/releasing.md, without our code."""
    archive = base / f"{version}.zip"
    if archive.exists():
        return f"sha256:{hashlib.sha256(archive.read_bytes()).hexdigest()}"
    script = f"find {version} -type f | LC_ALL=C sort | xargs sha256sum | sha256sum"
    if shutil.which("sha256sum"):
        done = subprocess.run(
            ["sh", "-c", script], cwd=base, capture_output=True, text=True, check=True
        )
        return f"sha256:{done.stdout.split()[0]}"
    paths = sorted(path.relative_to(base).as_posix() for path in (base / version).rglob("*.*"))
    lines = [f"{hashlib.sha256((base / path).read_bytes()).hexdigest()}  {path}" for path in paths]
    return "sha256:" + hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()


# --- what is written ------------------------------------------------------------------------------


def test_a_release_writes_date_and_digests(repository: Repository) -> None:
    before, other = repository.contents(), repository.row("v0.2")
    done = repository.release("v0.1", "--date", DAY)
    assert (done.status, done.err) == (0, "")
    assert repository.row("v0.1") == {
        "status": "released",
        "released": DAY,
        "families": ["sample"],
        "digest": recomputed(repository.root / "schemas", "v0.1"),
        "fixturesDigest": recomputed(repository.root / "fixtures", "v0.1"),
    }
    assert repository.row("v0.2") == other
    after = repository.contents()
    changed = {name for name in after if before.get(name) != after[name]}
    assert changed == {"schemas/catalog.json", "schemas/v0.1.sha256", "fixtures/v0.1.sha256"}
    assert set(before) <= set(after)


def test_the_manifest_is_what_sha256sum_checks(released: Repository) -> None:
    line = f"{hashlib.sha256(released.schema('v0.1').read_bytes()).hexdigest()}  v0.1/{FILE}\n"
    manifest = released.root / "schemas" / "v0.1.sha256"
    assert manifest.read_text("utf-8") == line
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    assert released.row("v0.1")["digest"] == f"sha256:{digest}"


def test_without_a_date_it_is_today(repository: Repository) -> None:
    days = [datetime.now(UTC).date().isoformat()]
    assert repository.release("v0.1").status == 0
    days.append(datetime.now(UTC).date().isoformat())
    assert repository.row("v0.1")["released"] in days


def test_a_date_that_is_none_is_refused(repository: Repository) -> None:
    before = repository.contents()
    with pytest.raises(SystemExit) as caught:
        repository.release("v0.1", "--date", "2026-02-30")
    assert caught.value.code == 2
    assert repository.contents() == before


def test_check_writes_nothing(repository: Repository) -> None:
    before = repository.contents()
    done = repository.release("v0.1", "--check")
    assert done == (0, "v0.1 can be released\n", "")
    assert repository.contents() == before


def test_what_is_released_and_unchanged_stays_as_it_is(released: Repository) -> None:
    before = released.contents()
    done = released.release("v0.1", "--date", "2026-03-04")
    assert done == (0, f"v0.1 was released on {DAY}, and is unchanged since\n", "")
    assert released.contents() == before


def test_the_next_version_leaves_the_first_alone(released: Repository) -> None:
    row = released.row("v0.1")
    assert released.release("v0.2").status == 0
    assert released.row("v0.1") == row
    assert list(released.catalog()["versions"]) == ["v0.1", "v0.2"]
    assert released.check().status == 0
    assert [released.release(version).status for version in ("v0.1", "v0.2")] == [0, 0]


def test_the_catalog_keeps_its_form() -> None:
    text = (ROOT / "schemas" / "catalog.json").read_text("utf-8")
    assert catalog_text(json.loads(text)) == text
    assert catalog_text({"a": {}, "é": [1, "ü"]}) == '{\n  "a": {},\n  "é": [1, "ü"]\n}\n'


# --- what stops a release -------------------------------------------------------------------------


def changelog(*lines: str) -> Change:
    return lambda r: r.write("CHANGELOG.md", "\n".join(["# Changelog", *lines, ""]))


def fixture(name: str) -> Change:
    return lambda r: r.write(f"fixtures/v0.2/{name}", "{}")


def rows(change: Callable[[Any], Any]) -> Change:
    def apply(repository: Repository) -> None:
        catalog = repository.catalog()
        change(catalog["versions"])
        repository.write("schemas/catalog.json", catalog)

    return apply


def text_of(version: str, old: str, new: str) -> Change:
    """Change the schema of a version without making its code anew."""

    def apply(repository: Repository) -> None:
        path = repository.schema(version)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    return apply


ROOM = "python/partwire/v0_2"
SECTION = "### Contract v0.2"
REFUSED: dict[str, tuple[Change, list[tuple[str, str]]]] = {
    "no section": (
        changelog("### Contract v0.1", "- New.", "### Contract v0.20", "- New.", "v0.2"),
        [("CHANGELOG.md", "release/changelog")],
    ),
    "no changelog": (
        lambda r: r.remove("CHANGELOG.md"),
        [("CHANGELOG.md", "release/changelog")],
    ),
    "empty section": (
        changelog(SECTION, "", "#### Added", "### Python", "- New."),
        [("CHANGELOG.md", "release/changelog")],
    ),
    "two sections": (
        changelog(SECTION, "- New.", "## 1.0", SECTION, "- Newer."),
        [("CHANGELOG.md", "release/changelog")],
    ),
    "section of another level": (
        changelog(f"#{SECTION}", "- New."),
        [("CHANGELOG.md", "release/changelog")],
    ),
    "lint": (
        text_of("v0.2", '"A remark."', '""'),
        [(f"schemas/v0.2/{FILE}", "release/lint-failed")],
    ),
    "no JSON": (
        lambda r: r.schema("v0.2").write_text("{", "utf-8"),
        [(f"schemas/v0.2/{FILE}", "release/lint-failed")],
    ),
    "code of another schema": (
        text_of("v0.2", "A remark.", "A note."),
        [
            (f"{ROOM}/{name}", "release/stale-code")
            for name in (
                *("__init__.py", "bundles/sample.draft-07.schema.json"),
                *("bundles/sample.schema.json", "checks/__init__.py", "checks/sample.py"),
                *("models/__init__.py", "models/sample.py"),
                *("structs/__init__.py", "structs/sample.py"),
                "vocabulary.py",
            )
        ],
    ),
    "code changed, missing and left over": (
        lambda r: (
            r.write(f"{ROOM}/vocabulary.py", ""),
            r.remove(f"{ROOM}/checks/sample.py"),
            r.write(f"{ROOM}/old.py", ""),
        ),
        [
            (f"{ROOM}/vocabulary.py", "release/stale-code"),
            (f"{ROOM}/old.py", "release/stale-code"),
            (f"{ROOM}/checks/sample.py", "release/stale-code"),
        ],
    ),
    "no fixtures": (
        lambda r: r.remove("fixtures/v0.2"),
        [("fixtures/v0.2", "release/no-fixtures")],
    ),
    "name with a space": (
        fixture("documents/a b.json"),
        [("fixtures/v0.2/documents/a", "release/file-name")],
    ),
    "name beyond ASCII": (fixture("ä.json"), [("fixtures/v0.2/ä.json", "release/file-name")]),
    "link to a file": (
        lambda r: (r.root / "fixtures/v0.2/b.json").symlink_to("documents/a.json"),
        [("fixtures/v0.2/b.json", "release/file-name")],
    ),
    "link to a folder": (
        lambda r: (r.root / "fixtures/v0.2/more").symlink_to("documents"),
        [("fixtures/v0.2/more", "release/file-name")],
    ),
    "no schema file": (
        lambda r: r.write("schemas/v0.2/sample/notes.json", "{}"),
        [("schemas/v0.2/sample/notes.json", "release/file-name")],
    ),
    "family without a row": (
        lambda r: shutil.copytree(r.schema("v0.2").parent, r.root / "schemas/v0.2/more"),
        [("schemas/v0.2", "release/families-differ")],
    ),
    "family without a folder": (
        rows(lambda rows: rows["v0.2"]["families"].append("more")),
        [("schemas/v0.2", "release/families-differ")],
    ),
    "no family": (
        rows(lambda rows: rows["v0.2"]["families"].clear()),
        [("schemas/v0.2", "release/families-differ")],
    ),
    "neither family nor folder": (
        lambda r: (
            rows(lambda rows: rows["v0.2"]["families"].clear())(r),
            r.remove("schemas/v0.2"),
        ),
        [("schemas/v0.2", "release/families-differ")],
    ),
    "no folder": (
        lambda r: r.remove("schemas/v0.2"),
        [("schemas/v0.2", "release/families-differ")],
    ),
    "an older version that was changed": (
        text_of("v0.1", "A remark.", "A note."),
        [(f"schemas/v0.1/{FILE}", "release/frozen-changed")],
    ),
    "several at once": (
        lambda r: (changelog()(r), fixture("a b")(r)),
        [("fixtures/v0.2/a", "release/file-name"), ("CHANGELOG.md", "release/changelog")],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_release_is_refused(name: str, released: Repository) -> None:
    change, expected = REFUSED[name]
    change(released)
    before = released.contents()
    done = released.release("v0.2")
    assert sorted(told(done)) == sorted(expected), done.err
    assert (done.status, done.out) == (1, "")
    assert done.err.endswith(f"v0.2: refused, {len(expected)} finding(s)\n")
    assert released.contents() == before


@pytest.mark.parametrize("version", ["v0.3", "0.1", "", "../v0.1", "v0.1/", "versions"])
def test_an_unknown_version_is_refused(version: str, released: Repository) -> None:
    before = released.contents()
    done = released.release(version)
    assert done.status == 1
    assert told(done) == [("schemas/catalog.json", "release/unknown-version")]
    assert "v0.1, v0.2" in done.err
    assert released.contents() == before


@pytest.mark.parametrize("order", [("v0.2", "v0.1"), ("v0.10", "v0.2"), ("v1.0", "v0.2")])
def test_what_is_older_than_a_release_comes_too_late(
    order: tuple[str, str], repository: Repository
) -> None:
    newer, older = order
    if newer != "v0.2":
        repository.add(newer)
    assert repository.release(newer).status == 0
    before = repository.contents()
    done = repository.release(older)
    assert (done.status, told(done)) == (1, [("schemas/catalog.json", "release/version-order")])
    assert newer in done.err
    assert repository.contents() == before


CATALOGS: list[Any] = [
    *("", "{", "[]", "{}", '{"versions": []}', b"\xff"),
    {"versions": {"v0.2": []}},
    {"versions": {"v0.2": {"status": "frozen", "families": []}}},
    {"versions": {"v0.2": {"status": "draft", "families": "sample"}}},
    {"versions": {"v0.2": {"status": "draft", "families": [1]}}},
    {"versions": {"0.2": {"status": "draft", "families": []}}},
    {"versions": {"v0.02": {"status": "draft", "families": []}}},
]


@pytest.mark.parametrize("catalog", CATALOGS, ids=lambda value: json.dumps(str(value))[:50])
def test_what_is_no_catalog_is_refused(catalog: Any, repository: Repository) -> None:
    repository.write("schemas/catalog.json", catalog)
    before = repository.contents()
    done = repository.release("v0.2")
    assert (done.status, told(done)) == (1, [("schemas/catalog.json", "release/invalid-catalog")])
    assert repository.contents() == before


def test_a_manifest_that_cannot_be_written_leaves_a_draft(repository: Repository) -> None:
    (repository.root / "fixtures" / "v0.1.sha256").mkdir()
    before = repository.contents()
    done = repository.release("v0.1")
    assert (done.status, done.out) == (1, "")
    assert "[usage/unwritable-output]" in done.err
    assert repository.row("v0.1")["status"] == "draft"
    left = set(repository.contents()) - set(before)
    assert left == {"schemas/v0.1.sha256"}
    (repository.root / "fixtures" / "v0.1.sha256").rmdir()
    assert repository.release("v0.1").status == 0


# --- the real contract ----------------------------------------------------------------------------


@pytest.mark.slow
def test_the_contract_itself_can_be_released_step_by_step(tmp_path: Path) -> None:
    """From a copy in which every version is a draft again, by the command as anybody runs it."""
    ignored = shutil.ignore_patterns("__pycache__", "*.sha256")
    for folder in ("schemas", "fixtures"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    repository = Repository(tmp_path)
    real = repository.catalog()
    versions = list(real["versions"])
    for version in versions:
        room = f"python/partwire/{version.replace('.', '_')}"
        shutil.copytree(ROOT / room, tmp_path / room, ignore=ignored)
        fixtures = tmp_path / "fixtures"
        if not any((fixtures / name).exists() for name in (version, f"{version}.zip")):
            repository.write(f"fixtures/{version}/a.json", "{}")
    drafted = {
        name: {"status": "draft", "families": row["families"]}
        for name, row in real["versions"].items()
    }
    repository.write("schemas/catalog.json", {**real, "versions": drafted})
    changelog(*(f"### Contract {version}\n- New." for version in versions))(repository)
    for version in versions:
        command = [sys.executable, "-m", "codegen.release", version, "--root", str(tmp_path)]
        path = os.pathsep.join((str(ROOT), str(ROOT / "python")))
        env = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        row, was = repository.row(version), real["versions"][version]
        for folder, member in DIGESTS.items():
            assert row[member] == recomputed(tmp_path / folder, version)
            if was["status"] == "released":
                assert row[member] == was[member]


def test_released_versions_are_as_they_were_released() -> None:
    assert list(map(str, all_differences(ROOT))) == []


@pytest.mark.parametrize(("words", "status"), [(["VERSION=v9.9"], 0), ([], 2)])
def test_make_names_the_version(words: list[str], status: int) -> None:
    """Only what make would run: the recipe is one command, and asks for a version."""
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make")
    env = {
        name: value for name, value in os.environ.items() if name not in {"VERSION", "MAKEFLAGS"}
    }
    command = [make, "--dry-run", "release", *words]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == status
    said = done.stdout if words else done.stderr
    assert ("-m codegen.release v9.9" if words else "make release VERSION=v0.2") in said
