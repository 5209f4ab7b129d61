"""The pinned packages: hashes for all, no address of an index, and nothing pinned twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FOLDER = Path(__file__).parents[2] / "requirements"
LISTS = ("runtime", "dev", "bench", "executable", "site", "lowest")
ENTRY = re.compile(r"^(\S+)==[^\n]*?((?:\s*\\\n    --hash=sha256:[0-9a-f]{64})*)$", re.MULTILINE)


def pinned(name: str) -> set[str]:
    """Return the packages of a list."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    return {canonicalize_name(package) for package, _ in ENTRY.findall(text)}


@pytest.mark.parametrize("name", LISTS)
def test_every_package_has_hashes_and_no_address(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    entries = ENTRY.findall(text)
    assert len(entries) == len(re.findall(r"^[A-Za-z]", text, re.MULTILINE)) > 20
    assert [package for package, hashes in entries if not hashes] == []
    assert re.findall(r"://|^--(?!hash)\S+", text, re.MULTILINE) == []


@pytest.mark.parametrize("name", ["dev", "bench"])
def test_what_runs_with_the_package_is_pinned_once(name: str) -> None:
    assert (FOLDER / f"{name}.txt").read_text("utf-8").startswith("-r runtime.txt\n")
    assert pinned(name) & pinned("runtime") == set()


@pytest.mark.parametrize("name", ["dev", "bench"])
def test_whatever_is_asked_for_is_pinned(name: str) -> None:
    lines = (FOLDER / f"{name}.in").read_text("utf-8").splitlines()
    asked = [line.partition("#")[0].strip() for line in lines]
    names = {canonicalize_name(Requirement(each).name) for each in asked if each[:1].isalpha()}
    assert names
    assert names - pinned(name) - pinned("runtime") == set()


@pytest.mark.parametrize("name", ["asyncapi", "formats/libraries"])
def test_packages_of_node_are_pinned_without_addresses(name: str) -> None:
    folder = FOLDER.parent / "tests" / name
    asked = json.loads((folder / "package.json").read_bytes())["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_bytes())["packages"]
    assert packages[""]["dependencies"] == asked
    assert [each for each in asked.values() if not re.search(r"\d+\.\d+\.\d+$", each)] == []
    entries = {path: entry for path, entry in packages.items() if path}
    assert [path for path, entry in entries.items() if "resolved" in entry] == []
    assert [path for path, entry in entries.items() if "integrity" not in entry] == []
