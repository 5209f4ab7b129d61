"""The cases of the fixtures: found by version and suite, with what a version inherits.

A version is a folder, ``v0.2``, or an archive of one, ``v0.1.zip``: the same files either way. Each
``<suite>/<topic>.json`` below it holds an array of cases; ``fixtures/README.md`` has the form.

A version may hold ``suite.json``: ``{"inherits": "v0.1", "except": {"<case>": "<why>"}}``.
Then the cases of v0.1 are cases of v0.2 too, but for those that are named (``streams/late-text``,
or ``providers/*`` for all of a suite), and those that v0.2 has under the same name.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from partwire.errors import UsageError, bad_argument
from partwire.json.text import json_text

from ..data import fixtures_dir
from .values import Json, bytes_of

__all__ = [
    "NOT_PORTABLE",
    "Case",
    "all_cases",
    "lines_of",
    "own_cases",
    "select",
    "suite_names",
    "unversioned_cases",
    "versions",
]

NOT_PORTABLE: Final = {
    "cloudevents": "a binding to events of others is the Python package's, and no operation yet",
    "compat": "comparing schemas is a tool of the Python package, and no part of the contract",
    "formats": "documents of others are read by each language, and by no operation yet",
}
"""Suites that no driver is asked to run, and why."""

RESULTS: Final = ("message", "value", "deltas", "chunks")
"""Members of ``expect`` that hold what comes out: a case that has one of them is not refused."""

_OF_THE_FILE: Final = ("$schema", "description", "cases")
_ARCHIVE: Final = ".zip"
_FORMS: Final = ("", "_text", "_file")

Folder = Path | zipfile.Path
"""Where files are: in a folder, or in an archive."""


@dataclass(frozen=True)
class Case:
    """One case of a version.

    ``version`` is the one that it is run for; a case that a version inherits is in the files of an
    older one. ``spec`` is the case as its file has it, with ``suite`` and, but for ``compat``
    and ``formats``, ``version``: the one that it was written for. ``source`` is that file, below
    the fixtures, and ``folder`` where the file is.
    """

    version: str
    suite: str
    name: str
    spec: Json
    source: str
    folder: Folder

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
        """The expected outcome."""
        return self.spec.get("expect")

    @property
    def result(self) -> str | None:
        """The member of ``expect`` that holds what comes out; None for an error or a verdict."""
        expect = self.expect or {}
        return next((name for name in RESULTS if name in expect), None)

    def has(self, name: str) -> bool:
        """Return whether the case, or what it expects, has a member of this name."""
        return any(name + form in self._holder(name) for form in _FORMS)

    def data(self, name: str) -> bytes:
        """Return the bytes that a member stands for.

        Those of a text (``<name>_text``) or a file (``<name>_file``), or else those of the JSON
        value, written compact.
        """
        holder = self._holder(name)
        if name + "_text" in holder:
            return bytes_of(holder[name + "_text"])
        if name + "_file" in holder:
            file: Folder = self.folder / holder[name + "_file"]
            return file.read_bytes()
        return _written(holder[name])

    def value(self, name: str) -> Any:
        """Return the JSON value of a member: the caller's own."""
        return json.loads(self.data(name))

    def stream(self, name: str) -> bytes:
        """Return the bytes of a member that is JSON Lines."""
        holder = self._holder(name)
        if name in holder:
            return b"".join(line + b"\n" for line in lines_of(holder[name]))
        return self.data(name)

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of a member that is JSON Lines, without line ends.

        Of an array each item is a line: a text is its bytes, and any other value is written
        compact. Of a text (``<name>_text``) the last line may lack its line end.
        """
        data = self.stream(name)
        return data.removesuffix(b"\n").split(b"\n") if data else []

    def values(self, name: str) -> list[Any]:
        """Return the JSON values of the lines of a member."""
        return [json.loads(line) for line in self.lines(name)]

    def _holder(self, name: str) -> Json:
        """Return what has a member of this name: the case, or what it expects."""
        expect = self.expect
        inner = isinstance(expect, dict) and any(name + form in expect for form in _FORMS)
        outer = any(name + form in self.spec for form in _FORMS)
        return expect if inner and not outer else self.spec


def lines_of(items: Iterable[Any]) -> list[bytes]:
    """Return the lines that an array of a case stands for."""
    return [bytes_of(item) if _is_text(item) else _written(item) for item in items]


def _is_text(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and set(item) == {"base64"})


def _written(value: Any) -> bytes:
    text = json_text(value)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can say
        return json.dumps(value, separators=(",", ":")).encode()


@cache
def versions(folder: Path | None = None) -> tuple[str, ...]:
    """Return the contract versions that have fixtures, the oldest first."""
    found = (_version_of(each) for each in (folder or fixtures_dir()).iterdir())
    names = {name for name in found if name}
    return tuple(sorted(names, key=lambda name: [int(part) for part in name[1:].split(".")]))


def _version_of(path: Path) -> str | None:
    """Return the version that a folder or an archive is of."""
    name = path.name if path.is_dir() else path.name.removesuffix(_ARCHIVE)
    if name == path.name and not path.is_dir():
        return None
    return name if name[:1] == "v" and name[1:].replace(".", "").isdigit() else None


@cache
def all_cases(version: str, folder: Path | None = None) -> tuple[Case, ...]:
    """Return every case of a version, own and inherited, by suite and name.

    Raises UsageError ``usage/unknown-version`` for a version without fixtures, and
    ``usage/invalid-argument`` for a ``suite.json`` that excepts what is not there, and for a file
    that is not an array of cases.
    """
    known = versions(folder)
    if version not in known:
        raise _refused("usage/unknown-version", "No fixtures of this version", known, version)
    cases = {case.key: case for case in own_cases(version, folder)}
    file = _folder_of(folder or fixtures_dir(), version) / "suite.json"
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
                cases.setdefault(key, replace(case, version=version))
    return tuple(cases[key] for key in sorted(cases))


@cache
def own_cases(version: str, folder: Path | None = None) -> tuple[Case, ...]:
    """Return the cases that a version does not inherit, in the order of its files."""
    base = _folder_of(folder or fixtures_dir(), version)
    suites = [each for each in _sorted(base) if each.is_dir()]
    files = ((suite.name, file) for suite in suites for file in _sorted(suite))
    return tuple(
        case
        for suite, file in files
        if file.name.endswith(".json")
        for case in _cases_of(file, f"{version}/{suite}/{file.name}", suite, version)
    )


@cache
def unversioned_cases(suite: str, folder: Path | None = None) -> tuple[Case, ...]:
    """Return the cases of a suite that belongs to no version: ``compat`` or ``formats``."""
    files = _sorted((folder or fixtures_dir()) / suite)
    return tuple(
        case for file in files for case in _cases_of(file, f"{suite}/{file.name}", suite, "")
    )


def _folder_of(root: Path, version: str) -> Folder:
    """Return the folder of a version, or the one that its archive holds."""
    if (root / version).is_dir():
        return root / version
    return _archive(root / f"{version}{_ARCHIVE}") / version


@cache
def _archive(path: Path) -> zipfile.Path:
    try:
        return zipfile.Path(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise _refused(
            "usage/unreadable-input", f"{path.name}: {error}", ["an archive"], path.name
        ) from None


def _sorted(folder: Folder) -> list[Any]:
    return sorted(folder.iterdir(), key=lambda each: each.name)


def _cases_of(file: Any, source: str, suite: str, version: str) -> Iterator[Case]:
    try:
        content = json.loads(file.read_bytes())
        shared = {name: each for name, each in content.items() if name not in _OF_THE_FILE}
        shared["suite"] = suite
        if version:
            shared["version"] = version
        for each in content["cases"]:
            yield Case(version, suite, each["name"], {**shared, **each}, source, file.parent)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{source} is not an array of cases: {type(error).__name__}: {error}"
        raise _refused(
            "usage/invalid-argument", what, ['{"description", "cases": [{"name", …}]}'], source
        ) from None


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
