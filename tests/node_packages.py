"""Packages of Node's that tests ask: pinned in a folder of the tests, installed into ``.cache``.

Without Node the tests that need one are skipped, and say so; with CI set nothing is.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fixture_cases import ROOT

__all__ = ["installed", "need_node"]


def need_node(what: str) -> None:
    """Skip where Node or npm is missing; fail where nothing may be skipped."""
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    if missing:
        reason = f"{what} left out: no {', no '.join(missing)} on this machine"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def installed(package: Path, program: str, cache: Path = ROOT / ".cache") -> Path:
    """Return the folder with a package's dependencies, and its program, in it.

    They are installed where the lock has not been before; of two workers, the second one waits for
    the first.
    """
    lock = (package / "package-lock.json").read_bytes()
    folder = cache / f"{package.name}-{hashlib.sha256(lock).hexdigest()[:12]}"
    cache.mkdir(exist_ok=True)
    with (cache / f"{folder.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            _install(package, folder)
        shutil.copy(package / program, folder)
    return folder


def _install(package: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(package / name, folder)
    # No scripts: one of the packages would report its installation to its author.
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (folder / "installed").touch()
