"""The cases of the fixtures: found by version and suite, with what a version inherits.

A folder ``v0.2`` may hold ``suite.json``: ``{"inherits": "v0.1", "except": {"<case>": "<why>"}}``.
Then the cases of v0.1 are cases of v0.2 too, but for those that are named (``streams/late-text``,
or ``providers/*`` for all of a suite), and those that v0.2 has under the same name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ..contract.resources import fixtures_dir
from ..errors import UsageError, bad_argument
from .values import Json

__all__ = ["NOT_PORTABLE", "Case", "all_cases", "select", "suite_names", "versions"]

NOT_PORTABLE: Final = {
    "cloudevents": "a binding to events of others is the Python package's, and no operation yet",
    "compat": "comparing schemas is a tool of the Python package, and no part of the contract",
}
"""Suites that no driver is asked to run, and why."""


@dataclass(frozen=True)
class Case:
    """One case of a version: its folder, and what stands in ``case.json``.

    ``version`` is the one that it is run for; a case that a version inherits stands in the folder
    of an older one. A document of the suite ``documents`` is a case too: ``spec`` is its entry in
    ``cases.json``, with ``type``, and ``path`` the folder of that file.
    """

    version: str
    suite: str
    name: str
    path: Path
    spec: Json

    @property
    def key(self) -> str:
        """Suite and name, such as ``streams/late-text``: what a later version inherits it by."""
        return f"{self.suite}/{self.name}"

    @property
    def id(self) -> str:
        """Version, suite and name: unique over all cases."""
        return f"{self.version}/{self.key}"

    @property
    def expect(self) -> Any:
        """The expected outcome, as ``case.json`` has it."""
        return self.spec.get("expect")

    def data(self, name: str) -> bytes:
        """Return the bytes of a file of the case."""
        return (self.path / name).read_bytes()

    def value(self, name: str) -> Any:
        """Return the JSON value of a file of the case."""
        return json.loads(self.data(name))

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of a file of the case; the last one may lack its line end."""
        data = self.data(name)
        return data.removesuffix(b"\n").split(b"\n") if data else []

    def values(self, name: str) -> list[Any]:
        """Return the JSON values of the lines of a file of the case."""
        return [json.loads(line) for line in self.lines(name)]

    def has(self, name: str) -> bool:
        """Return whether the case has a file of this name."""
        return (self.path / name).is_file()


@cache
def versions(folder: Path | None = None) -> tuple[str, ...]:
    """Return the contract versions that have fixtures, the oldest first."""
    root = folder or fixtures_dir()
    names = [each.name for each in root.iterdir() if each.is_dir() and each.name[:1] == "v"]
    return tuple(sorted(names, key=lambda name: [int(part) for part in name[1:].split(".")]))


@cache
def all_cases(version: str, folder: Path | None = None) -> tuple[Case, ...]:
    """Return every case of a version, own and inherited, by suite and name.

    Raises UsageError ``usage/unknown-version`` for a version without fixtures, and
    ``usage/invalid-argument`` for a ``suite.json`` that excepts what is not there.
    """
    root = folder or fixtures_dir()
    known = versions(folder)
    if version not in known:
        raise _refused("usage/unknown-version", "No fixtures of this version", known, version)
    cases = {case.key: case for case in _own_cases(root, version)}
    file = root / version / "suite.json"
    if file.is_file():
        spec = json.loads(file.read_bytes())
        older = {case.key: case for case in all_cases(spec["inherits"], folder)}
        left_out = spec.get("except", {})
        suites = {f"{case.suite}/*" for case in older.values()}
        if gone := sorted(set(left_out) - set(older) - suites):
            rule, message = "usage/invalid-argument", f"{version}/suite.json excepts no case"
            raise _refused(rule, message, [f"cases of {spec['inherits']}"], gone[0])
        for key, case in older.items():
            if key not in left_out and f"{case.suite}/*" not in left_out:
                cases.setdefault(key, Case(version, case.suite, case.name, case.path, case.spec))
    return tuple(cases[key] for key in sorted(cases))


def _own_cases(root: Path, version: str) -> Iterable[Case]:
    for path in sorted((root / version).rglob("case*.json")):
        if path.name not in ("case.json", "cases.json"):
            continue
        spec = json.loads(path.read_bytes())
        folder, suite = path.parent, spec["suite"]
        if suite != "documents":
            name = folder.relative_to(root / version / suite).as_posix()
            yield Case(version, suite, name, folder, spec)
            continue
        for each in spec["cases"]:
            name = f"{spec['type']}/{each['file'].removesuffix('.json')}"
            yield Case(version, suite, name, folder, {"type": spec["type"], **each})


def suite_names(version: str, folder: Path | None = None) -> tuple[str, ...]:
    """Return the suites that a version has cases of, those that drivers are asked to run."""
    suites = dict.fromkeys(case.suite for case in all_cases(version, folder))
    return tuple(suite for suite in suites if suite not in NOT_PORTABLE)


def select(
    chosen: Iterable[str] = (), suites: Iterable[str] = (), folder: Path | None = None
) -> list[Case]:
    """Return the cases of the chosen versions and suites; all for drivers where none is chosen.

    Raises UsageError ``usage/unknown-version`` and ``usage/invalid-argument`` (suite).
    """
    picked = tuple(chosen) or versions(folder)
    found = [
        case
        for version in picked
        for case in all_cases(version, folder)
        if case.suite not in NOT_PORTABLE
    ]
    wanted = set(suites)
    known = {case.suite for case in found}
    for name in sorted(wanted - known):
        reason = NOT_PORTABLE.get(name)
        message = f"Not for drivers: {reason}" if reason else "No such suite"
        raise _refused("usage/invalid-argument", message, sorted(known), name)
    return [case for case in found if not wanted or case.suite in wanted]


def _refused(rule: str, message: str, known: Iterable[str], actual: str) -> UsageError:
    return bad_argument(message, ", ".join(known), actual, rule)
