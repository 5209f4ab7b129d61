"""Loads the fixtures: what a case is, is said in ``fixtures/README.md``.

Every driver of this package takes its cases from here, and so do tests that want real documents.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from partwire_testing.conformance.suites import Case as SuiteCase
from partwire_testing.conformance.suites import own_cases, unversioned_cases, versions

__all__ = [
    "FIXTURES",
    "ROOT",
    "Case",
    "Document",
    "all_cases",
    "case_file",
    "case_of",
    "cases",
    "documents",
    "provider_cases",
    "write_topic",
]

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas"
FIXTURES = ROOT / "fixtures"

Json = dict[str, Any]

_LINES = ("deltas", "chunks", "messages")
"""Members that are JSON Lines."""


@dataclass(frozen=True)
class Document:
    """One document of the suite ``documents``; ``spec`` is its case."""

    case: SuiteCase

    @property
    def type(self) -> str:
        """The type, such as ``message.Message``."""
        name: str = self.spec["type"]
        return name

    @property
    def version(self) -> str:
        """The contract version that it was written for."""
        return self.case.version

    @property
    def spec(self) -> Json:
        """The case, as its file has it."""
        return self.case.spec

    @property
    def id(self) -> str:
        """A name for test reports: ``message.Message/invalid/no-run-id``."""
        return self.case.name

    @property
    def data(self) -> bytes:
        """The document's JSON text."""
        return self.case.data("document")

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


class Case(SuiteCase):
    """A case of any other suite, with the names that tests know it by."""

    @property
    def id(self) -> str:
        """A name for test reports: the one below its suite."""
        return self.name


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every case of every suite and version, none twice, in order."""
    found = [case for version in versions() for case in own_cases(version)]
    found += (*unversioned_cases("compat"), *unversioned_cases("formats"))
    made = (Case(**vars(case)) for case in found)
    return tuple(sorted(made, key=lambda case: (case.version, case.suite, case.name)))


@cache
def documents() -> tuple[Document, ...]:
    """Return every document of the suite ``documents``, in order."""
    return tuple(Document(case) for case in cases("documents"))


@cache
def cases(suite: str) -> tuple[Case, ...]:
    """Return the cases of a suite, in order."""
    return tuple(case for case in all_cases() if case.suite == suite)


def provider_cases(version: str, dialect: str) -> list[Case]:
    """Return the cases of a provider's streams that are a version's own, in order."""
    found = (case for case in cases("providers") if case.version == version)
    return [case for case in found if case.spec["api"] == dialect]


def case_of(name: str) -> Case:
    """Return a case by version, suite and name, such as ``v0.1/streams/tool-call``."""
    return _named()[name]


@cache
def case_file(name: str, member: str) -> Path:
    """Return a file with the bytes of one member of a case, for what takes a path.

    Its name is the member's, with the ending of the case's own file if it has one: ``input.sse``,
    ``deltas.jsonl``. Nothing else of the case is beside it but other members asked for.
    """
    case = case_of(name)
    own = case.spec.get(f"{member}_file")
    ending = Path(own).suffix if own else ".jsonl" if member in _LINES else ".json"
    path = (_written() / name / member).with_suffix(ending)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.stream(member) if member in _LINES else case.data(member))
    return path


def write_topic(folder: Path, some: Iterable[SuiteCase], **members: Any) -> Path:
    """Write cases of one suite into a folder of fixtures, as a file of a topic; return it."""
    some = list(some)
    path = folder / some[0].version / some[0].suite / "topic.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    own = [{k: v for k, v in each.spec.items() if k not in ("suite", "version")} for each in some]
    path.write_text(json.dumps({"description": "d", "cases": [{**e, **members} for e in own]}))
    return path


@cache
def _named() -> dict[str, Case]:
    return {f"{case.version}/{case.key}": case for case in all_cases()}


@cache
def _written() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="partwire-cases-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
