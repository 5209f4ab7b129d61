"""Loads the fixtures: what a case is stands in ``fixtures/README.md``.

Every driver of this package takes its cases from here, and so do tests that want real documents.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "FIXTURES",
    "ROOT",
    "Case",
    "Document",
    "case_files",
    "cases",
    "documents",
]

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"

Json = dict[str, Any]


@dataclass(frozen=True)
class Document:
    """One document of the suite ``documents``; ``spec`` is its entry in cases.json."""

    type: str
    version: str
    path: Path
    spec: Json

    @property
    def id(self) -> str:
        """A name for test reports: ``message.Message/invalid/no-run-id``."""
        return f"{self.type}/{self.path.parent.name}/{self.path.stem}"

    @property
    def data(self) -> bytes:
        """The document's JSON text."""
        return self.path.read_bytes()

    @property
    def valid(self) -> bool:
        """Whether the document is free of errors, in shape and in meaning."""
        return "valid" in self.spec["expect"]

    @property
    def valid_shape(self) -> bool:
        """Whether JSON Schema accepts the document."""
        expect = self.spec["expect"]
        return "valid" in expect or expect["error"]["level"] == "meaning"

    @property
    def findings(self) -> list[tuple[str, str]]:
        """Rule and pointer of what is to be found: all warnings, or the first error."""
        expect = self.spec["expect"]
        found = [expect["error"]] if "error" in expect else expect.get("warnings", [])
        return [(each["rule"], each["pointer"]) for each in found]

    @property
    def tags(self) -> frozenset[str]:
        """What kind of edge the document is at."""
        return frozenset(self.spec.get("tags", ()))

    @property
    def written(self) -> Any:
        """What a valid document is when it is read and written again."""
        return self.spec["written"] if "written" in self.spec else json.loads(self.data)


@dataclass(frozen=True)
class Case:
    """One folder of any other suite; ``spec`` is its case.json."""

    path: Path
    spec: Json

    @property
    def id(self) -> str:
        """A name for test reports: the folder, below its suite."""
        suite = FIXTURES / self.spec.get("version", "") / self.spec["suite"]
        return self.path.relative_to(suite).as_posix()

    @property
    def expect(self) -> Any:
        """The expected outcome, as case.json has it: a file name or an object."""
        return self.spec["expect"]

    def data(self, name: str) -> bytes:
        """Return the bytes of a file of the case."""
        return (self.path / name).read_bytes()

    def value(self, name: str) -> Any:
        """Return the JSON value of a file of the case."""
        return json.loads(self.data(name))

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of a file of the case, without line ends."""
        return self.data(name).split(b"\n")[:-1]


@cache
def case_files() -> tuple[tuple[Path, Json], ...]:
    """Return every case.json and cases.json with its content."""
    paths = sorted([*FIXTURES.rglob("case.json"), *FIXTURES.rglob("cases.json")])
    return tuple((path, json.loads(path.read_bytes())) for path in paths)


@cache
def documents() -> tuple[Document, ...]:
    """Return every document of the suite ``documents``, in order."""
    return tuple(
        Document(group["type"], group["version"], path.parent / spec["file"], spec)
        for path, group in case_files()
        if group["suite"] == "documents"
        for spec in group["cases"]
    )


@cache
def cases(suite: str) -> tuple[Case, ...]:
    """Return the cases of a suite that has one folder per case, in order."""
    return tuple(Case(path.parent, spec) for path, spec in case_files() if spec["suite"] == suite)
