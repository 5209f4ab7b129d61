"""Generated code on every CPython that is to be had: it imports, decodes and judges alike."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.fixture_cases import documents

OLDEST = "3.11"
VERSIONS = [OLDEST, "3.12", "3.13", "3.14"]

# The newest dependencies on every Python, and the oldest that pyproject.toml admits on the oldest.
CASES = [(version, "runtime") for version in VERSIONS] + [(OLDEST, "lowest")]

LEFT_OUT = ("numpy", "pandas", "pyarrow", "pyspark")
"""What no generated code imports, and is 700 MB: the environments do without."""

pytestmark = pytest.mark.early


def candidates(version: str) -> Iterator[str]:
    """Interpreters that may be CPython ``version``: in PATH, and at version managers."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        yield sys.executable
    if found := shutil.which(f"python{version}"):
        yield found
    homes = [
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions",
        Path.home() / ".local" / "share" / "uv" / "python",
    ]
    for home in homes:
        for folder in sorted(home.glob(f"*{version}.*")):
            yield str(folder / "bin" / "python")


@cache
def interpreter(version: str) -> str | None:
    """The first candidate that runs and is what its name says: a shim may stand for nothing."""
    code = "import sys, venv; print(sys.implementation.name, '%d.%d' % sys.version_info[:2])"
    for candidate in candidates(version):
        try:
            run = subprocess.run(
                [candidate, "-c", code], capture_output=True, text=True, check=False, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if run.returncode == 0 and run.stdout.split() == ["cpython", version]:
            return candidate
    return None


def environment(root: Path, version: str, requirements: str) -> Path:
    """Return the Python of a cached environment that holds exactly what is pinned.

    But for what is left out.
    """
    python = interpreter(version)
    assert python is not None
    pinned = small_part((root / "requirements" / f"{requirements}.txt").read_text())
    folder = root / ".cache" / "pythons" / f"{version}-{requirements}"
    stamp, wanted_list = folder / "installed.txt", folder / "wanted.txt"
    inside = folder / "bin" / "python"
    # What is installed where: a changed pin or another patch release of Python starts afresh.
    wanted = f"{python}\n{pinned}"
    with locked(folder.with_name(f"{folder.name}.lock")):
        if not stamp.is_file() or stamp.read_text() != wanted:
            command([python, "-m", "venv", "--clear", "--without-pip", str(folder)])
            options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-compile"]
            pip = [sys.executable, "-m", "pip", "--python", str(inside)]
            # All that is pinned is installed, and a small part of it is imported: so nothing is
            # compiled beforehand, which would take most of the time.
            wanted_list.write_text(pinned)
            exactly = ["--require-hashes", "--no-deps", "-r", str(wanted_list)]
            command([*pip, "install", *options, *exactly])
            stamp.write_text(wanted)
    return inside


def small_part(pinned: str) -> str:
    """Return the pins without those of what is left out, each with its hashes and comments."""
    names = "|".join(LEFT_OUT)
    kept, left_out = re.subn(rf"^(?:{names})==.*\n(?:[ ].*\n)*", "", pinned, flags=re.MULTILINE)
    assert left_out >= len(LEFT_OUT)
    return kept


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep two test runs in one checkout from filling the same environment at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def command(parts: list[str], **variables: str) -> str:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))
    }
    run = subprocess.run(
        parts, env=kept | variables, capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == 0, f"{parts}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def probe(root: Path, python: Path) -> dict[str, Any]:
    script = root / "tests" / "house" / "python_versions_probe.py"
    printed = command(
        [str(python), "-W", "error", str(script), str(root / "fixtures")],
        PYTHONPATH=str(root / "python"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    outcome = json.loads(printed)
    assert isinstance(outcome, dict)
    return outcome


@pytest.fixture(scope="module")
def here(root: Path) -> dict[str, Any]:
    """What the Python that runs the tests makes of it."""
    return probe(root, Path(sys.executable))


def test_every_generated_module_and_document_is_used(root: Path, here: dict[str, Any]) -> None:
    rooms = (root / "python" / "partwire").glob("v0_*")
    generated = [path for room in rooms for path in room.rglob("*.py")]
    verdicts = Counter(each.valid for each in documents())
    assert here["faults"] == []
    assert here["modules"] == len(generated) > 20
    assert here["valid"] == verdicts[True] > 0
    assert here["invalid"] == verdicts[False] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("version", "requirements"), CASES)
def test_generated_code_runs_on(
    root: Path, here: dict[str, Any], version: str, requirements: str
) -> None:
    if interpreter(version) is None:
        pytest.skip(f"no CPython {version} on this machine")
    outcome = probe(root, environment(root, version, requirements))
    assert outcome == {**here, "python": version}


def test_every_python_that_the_metadata_names_is_tried(root: Path) -> None:
    metadata = (root / "pyproject.toml").read_text()
    named = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', metadata)
    assert named == VERSIONS
    assert f'requires-python = ">={OLDEST}"' in metadata
