"""What a version has to be by itself before it is released: complete, generated, described."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from codegen import model as m
from codegen.frozen import archive_path, files_of, is_portable
from codegen.generate import generate_files
from codegen.load import load_contract
from codegen.problems import LintError
from codegen.write import differences
from partwire.errors import Finding, clip

__all__ = ["Repository", "checks", "lint_findings"]

_VERSION: Final = re.compile(r"v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
_HEADING: Final = re.compile(r"(#+)\s+(.*?)\s*$")
_LEVELS: Final = (2, 3)
_SUFFIX: Final = ".schema.json"


class Repository(NamedTuple):
    """Where things are in a checkout, or in a copy of what a release looks at."""

    root: Path

    @property
    def schemas(self) -> Path:
        return self.root / "schemas"

    @property
    def fixtures(self) -> Path:
        return self.root / "fixtures"

    @property
    def catalog(self) -> Path:
        return self.schemas / "catalog.json"

    @property
    def package(self) -> Path:
        return self.root / "python" / "partwire"

    @staticmethod
    def number(version: str) -> tuple[int, int] | None:
        """Return major and minor of ``v1.2``; None for anything else."""
        match = _VERSION.fullmatch(version)
        return (int(match[1]), int(match[2])) if match else None


def checks(
    repository: Repository, version: str, rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Yield whatever stops the release of a draft, but for what the checker says."""
    yield from _order(version, rows)
    yield from _schemas(repository, version, rows[version]["families"])
    yield from _files(repository, version)
    yield from _changelog(repository, version)


def _order(version: str, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    mine = Repository.number(version) or (0, 0)
    for name, row in rows.items():
        number = Repository.number(name) or (0, 0)
        if row["status"] == "released" and number > mine:
            yield Finding(
                "release/version-order",
                f"{name} is released already, and is newer",
                expected=f"a version after {name}",
                actual=version,
                source="schemas/catalog.json",
            )


def _schemas(repository: Repository, version: str, families: list[str]) -> Iterator[Finding]:
    folder = repository.schemas / version
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if set(there) != {*families} | ({m.COMMON} & set(there)) or not families:
        yield Finding(
            "release/families-differ",
            f"The folders of {version} are not its families in the catalog",
            expected=", ".join(families) or "one family at least",
            actual=clip(", ".join(there)) if there else "no folder",
            source=f"schemas/{version}",
        )
        return
    try:
        contract = load_contract(repository.schemas, version)
    except LintError as error:
        yield from lint_findings(error, version)
        return
    room = repository.package / contract.module
    for line in differences(room, generate_files(contract)):
        kind, _, name = line.partition(": ")
        yield Finding(
            "release/stale-code",
            f"The generated code is {kind}: run `make generate`",
            source=f"python/partwire/{contract.module}/{name}",
        )


def lint_findings(error: LintError, version: str) -> list[Finding]:
    """Return what the linter found in the schemas of a version."""
    return [
        Finding(
            "release/lint-failed",
            f"{each.message} ({each.rule})",
            each.pointer,
            source=posixpath.normpath(f"schemas/{version}/{each.file}"),
        )
        for each in error.problems
    ]


def _files(repository: Repository, version: str) -> Iterator[Finding]:
    for base in (repository.schemas, repository.fixtures):
        for path in files_of(base, version):
            if not is_portable(base, path):
                problem = "No plain file, or a name that not every tool shows alike"
                expected = "a readable file, named with letters, digits, '.', '_' and '-'"
            elif base == repository.schemas and not path.endswith(_SUFFIX):
                problem, expected = "No schema file: nothing looks at it", f"a name in {_SUFFIX}"
            else:
                continue
            yield Finding(
                "release/file-name", problem, expected=expected, source=f"{base.name}/{path}"
            )
    packed = archive_path(repository.fixtures, version).is_file()
    if not packed and not files_of(repository.fixtures, version):
        yield Finding(
            "release/no-fixtures",
            f"There are no fixtures that show what {version} means",
            expected="one case at least: they are the golden corpus of the version",
            source=f"fixtures/{version}",
        )


def _changelog(repository: Repository, version: str) -> Iterator[Finding]:
    path = repository.root / "CHANGELOG.md"
    wanted = f"### Contract {version}"
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    sections = list(_sections(lines, f"Contract {version}"))
    if len(sections) == 1 and sections[0]:
        return
    problem = "There is no section for the version"
    if sections:
        problem = "The version's section is empty"
    if len(sections) > 1:
        problem = "The version has more than one section"
    yield Finding("release/changelog", problem, expected=wanted, source=path.name)


def _sections(lines: list[str], title: str) -> Iterator[list[str]]:
    """Yield the lines below each heading of this title, without empty ones and headings."""
    level = 0
    section: list[str] = []
    for line in lines:
        heading = _HEADING.match(line)
        if heading and len(heading[1]) <= (level or len(heading[1])):
            if level:
                yield section
            level, section = 0, []
            if heading[2] == title and len(heading[1]) in _LEVELS:
                level = len(heading[1])
        elif level and line.strip() and not heading:
            section.append(line)
    if level:
        yield section
