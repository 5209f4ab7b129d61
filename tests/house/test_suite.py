"""The test run itself: a test that hangs is named, and killed programs spoil no figures."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import coverage
import pytest

from tests.house.coverage_data import drop_torn
from tests.patience import PATIENCE

HANGING = """
import threading

def test_before():
    pass

def test_that_waits_for_ever():
    threading.Event().wait()

def test_after():
    pass
"""


def test_no_test_may_hang_the_run(root: Path, pytestconfig: pytest.Config) -> None:
    assert 300 <= float(pytestconfig.getini("faulthandler_timeout")) <= 900
    assert pytestconfig.getini("faulthandler_exit_on_timeout") is True
    assert "--max-worker-restart 0" in (root / "Makefile").read_text()


def test_a_test_that_hangs_is_named(root: Path, tmp_path: Path) -> None:
    """In one process: what becomes of a run whose worker dies is pytest-xdist's own affair."""
    (tmp_path / "test_hanging.py").write_text(HANGING)
    options = ["-c", str(root / "pyproject.toml"), "--rootdir", str(tmp_path), "-v"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-o", "faulthandler_timeout=1", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode != 0
    assert "in test_that_waits_for_ever" in done.stderr, done.stdout
    assert "test_hanging.py::test_that_waits_for_ever" in done.stdout


def measured(path: Path) -> Path:
    """The data of one process, as coverage writes them."""
    data = coverage.CoverageData(basename=str(path))
    data.add_lines({f"/m{number}.py": range(1, 500) for number in range(100)})
    data.write()
    return path


def test_data_that_are_half_written_are_dropped_and_others_are_not(tmp_path: Path) -> None:
    whole = measured(tmp_path / "coverage.1.vm.pid1.whole")
    content = whole.read_bytes()
    other = measured(tmp_path / "other.1")
    for number, size in enumerate((0, 100, 4096, len(content) // 2, len(content) - 4096)):
        (tmp_path / f"coverage.1.vm.pid{number}.torn").write_bytes(content[:size])
    with closing(sqlite3.connect(tmp_path / "coverage.1.vm.pid9.torn")) as begun:
        begun.execute("create table coverage_schema (version integer)")
        begun.commit()
    dropped = drop_torn(tmp_path / "coverage.1")
    assert {each.suffix for each in dropped} == {".torn"}
    assert len(dropped) == 6
    assert {each.name for each in tmp_path.iterdir()} == {whole.name, other.name}
    combined = coverage.Coverage(data_file=str(tmp_path / "coverage.1"), messages=True)
    combined.combine()  # a warning would be an error here
    assert len(combined.get_data().measured_files()) == 100
