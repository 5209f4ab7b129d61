"""The archive of the fixtures: whole, the same at every run, and told by its digest."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from codegen.archive import main, members, packed_all, packed_version

ROOT = Path(__file__).resolve().parents[2]


def test_the_archive_holds_every_file_and_its_digest_is_right(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "codegen.archive", "all", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    path, digest = map(Path, run.stdout.split())
    stated, name = digest.read_text().split()
    assert (name, stated) == (path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    with tarfile.open(path) as tar:
        tar.extractall(tmp_path / "out", filter="data")
    (folder,) = (tmp_path / "out").iterdir()
    there = {each.relative_to(folder) for each in folder.rglob("*") if each.is_file()}
    assert there == {each.relative_to(ROOT) for each in members(ROOT)}
    assert len(there) > 200
    for each in list(there)[::5]:
        assert (folder / each).read_bytes() == (ROOT / each).read_bytes()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    """Whenever and by whom they were written."""
    shutil.copytree(ROOT / "fixtures" / "compat", tmp_path / "fixtures" / "compat")
    (tmp_path / "schemas").mkdir()
    for each in ("docs/conformance.md", "docs/semantics.md", "LICENSE"):
        (tmp_path / each).parent.mkdir(exist_ok=True)
        (tmp_path / each).write_text("x")
    first = packed_all(tmp_path, "a")
    for path in tmp_path.rglob("*"):
        os.utime(path, (1, 1))
    (tmp_path / "LICENSE").chmod(0o600)
    assert packed_all(tmp_path, "a") == first
    (tmp_path / "LICENSE").write_text("y")
    assert packed_all(tmp_path, "a") != first


def test_a_version_is_packed_in_the_place_of_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fixtures" / "v0.9"
    for name, data in (("b/c.json", b"{}"), ("a.sse", b"data: 1\n\n")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    first = packed_version(folder)
    os.utime(folder / "a.sse", (1, 1))
    (folder / "a.sse").chmod(0o600)
    assert packed_version(folder) == first
    assert main(["--root", str(tmp_path), "version", "v0.9"]) == 0
    assert [path.name for path in folder.parent.iterdir()] == ["v0.9.zip"]
    with zipfile.ZipFile(folder.with_name("v0.9.zip")) as made:
        files = {name: made.read(name) for name in made.namelist()}
    assert files == {"v0.9/a.sse": b"data: 1\n\n", "v0.9/b/c.json": b"{}"}
    assert main(["--root", str(tmp_path), "version", "v0.9"]) == 1
    assert "fixtures/v0.9 is not a folder" in capsys.readouterr().err
