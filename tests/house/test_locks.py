"""The pinned packages: hashes for all, no address of an index, and nothing pinned twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FOLDER = Path(__file__).parents[2] / "requirements"
LISTS = ("runtime", "dev", "bench", "executable", "lowest")
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
