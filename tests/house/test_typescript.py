"""What is beside the code of the TypeScript package; ``test_languages.py`` asks the code."""

from __future__ import annotations

import json
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "typescript"


def test_the_lock_files_name_no_registry() -> None:
    for folder in (PACKAGE, PACKAGE / "bench", PACKAGE / "runtimes"):
        lock = json.loads((folder / "package-lock.json").read_bytes())
        assert lock["packages"]
        assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]


def test_the_lock_has_the_packages_of_every_platform() -> None:
    """``npm ci`` refuses a lock that lacks an optional package, whichever machine made it."""
    packages = json.loads((PACKAGE / "package-lock.json").read_bytes())["packages"]
    there = {name.rpartition("node_modules/")[2] for name in packages}
    wanted = {name for each in packages.values() for name in each.get("optionalDependencies", ())}
    assert wanted
    assert wanted - there == set()


def test_nothing_is_needed_at_run_time() -> None:
    assert "dependencies" not in json.loads((PACKAGE / "package.json").read_bytes())
