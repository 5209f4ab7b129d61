"""The configuration: which paths hold documents of which type, and what is ignored, and why.

    [tool.partwire]                  # in pyproject.toml; partwire.toml has all this at its top
    contract = "v0.2"
    schemas = ["schemas/v0.2"]
    unknown-members = "error"        # warn without it

    [[tool.partwire.paths]]
    glob = "logs/**/*.jsonl"
    type = "message.MessageDelta"
    version = "v0.1"                 # else the one under contract
    unknown-members = "ignore"       # else as above

    [[tool.partwire.ignore]]
    rule = "envelope/retry-count"
    paths = ["logs/2025/**"]
    reason = "Written before the counter was fixed."
    until = 2027-06-30

All keys: ``schemas/config.schema.json``. The first row of ``paths`` whose glob fits decides.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import click

from ...contract.current import LATEST_VERSION
from ...contract.resources import read_rules
from ...contract.versions import families, parse_type
from ...errors import Finding, PartwireError, UsageError
from ...reading.undeclared import UnknownMembers
from .file import ConfigFile, Place, find_config_file
from .globs import fits
from .shape import shape_findings

__all__ = [
    "Config",
    "Ignore",
    "PathRule",
    "contract_option",
    "contract_version",
    "load_config",
    "shown_path",
]


@dataclass(frozen=True)
class PathRule:
    """Files whose path fits ``glob`` hold documents of ``type``, of ``version`` if it says so."""

    glob: str
    type: str
    version: str | None = None
    unknown_members: UnknownMembers | None = None

    def fits(self, path: str) -> bool:
        """Return whether ``path``, relative and with forward slashes, fits the glob."""
        return fits(self.glob, path)


@dataclass(frozen=True)
class Ignore:
    """Findings of ``rule`` that are left out, up to and with the day ``until``."""

    rule: str
    reason: str
    paths: tuple[str, ...] = ()
    until: date | None = None


@dataclass(frozen=True)
class Config:
    """What the configuration says. Its globs and paths are relative to ``folder``."""

    folder: Path
    contract: str | None = None
    paths: tuple[PathRule, ...] = ()
    schemas: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    format: str | None = None
    baseline: Path | None = None
    unknown_members: UnknownMembers | None = None
    file: ConfigFile | None = None
    """Where it is; None where there is no configuration."""

    def relative(self, path: Path) -> str | None:
        """Return ``path`` as globs see it, or None for what is not below the folder."""
        try:
            return path.resolve().relative_to(self.folder).as_posix()
        except (ValueError, OSError, RuntimeError):  # elsewhere, not to be looked at, a loop
            return None

    def row_of(self, path: Path | None) -> PathRule | None:
        """Return the first row that fits a file, or None: stdin, an excluded file, no such row."""
        relative = None if path is None or not self.paths else self.relative(path)
        if relative is None or any(fits(glob, relative) for glob in self.exclude):
            return None
        return next((row for row in self.paths if row.fits(relative)), None)

    def version_of(self, row: PathRule | None) -> str:
        """Return the version of what ``row`` holds: its own, else the configuration's, else the
        latest.
        """
        return (row.version if row else None) or self.contract or LATEST_VERSION

    def unknown_members_of(self, row: PathRule | None) -> UnknownMembers:
        """Return what a member is that the type does not name, in the files of ``row``."""
        return (row.unknown_members if row else None) or self.unknown_members or "warn"


contract_option = click.option(
    "--contract",
    metavar="VERSION",
    help="Version of the contract.  "
    f"[default: the configuration's row or contract, else {LATEST_VERSION}]",
)


def contract_version(
    given: str | None, config: Config | None = None, row: PathRule | None = None
) -> str:
    """Return the version that ``--contract`` names, else that of ``row``, of the configuration,
    or the latest.

    Raises UsageError ``usage/unknown-version``.
    """
    version = given
    if version is None:
        version = (config or load_config(Path())).version_of(row)
    families(version)
    return version


def load_config(start: Path) -> Config:
    """Return the configuration of the nearest folder at or above ``start`` that has one.

    Raises UsageError with a finding for every fault, each with file, pointer and line: rules
    ``config/…``, ``usage/unknown-version``, ``usage/unknown-type``, ``usage/unknown-rule``,
    ``usage/unreadable-input``.
    """
    file = find_config_file(start)
    if file is None:
        return Config(_resolved(start))
    if not file.content:  # nothing to check, and nothing to wait for
        return Config(file.path.parent, file=file)
    found = shape_findings(file) or _name_findings(file)
    if found:
        raise UsageError(*found)
    content = file.content
    baseline = content.get("baseline")
    return Config(
        file.path.parent,
        contract=content.get("contract"),
        paths=tuple(_path_rule(row) for row in content.get("paths", ())),
        schemas=tuple(content.get("schemas", ())),
        exclude=tuple(content.get("exclude", ())),
        ignores=tuple(_ignore(row) for row in content.get("ignore", ())),
        format=content.get("format"),
        baseline=None if baseline is None else file.path.parent / baseline,
        unknown_members=content.get("unknown-members"),
        file=file,
    )


def shown_path(path: Path) -> str:
    """Return a path as people write it: relative to the working folder, if it is below it."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def _resolved(start: Path) -> Path:
    try:
        return start.resolve()
    except OSError:  # the working folder is gone
        return start


def _path_rule(row: dict[str, Any]) -> PathRule:
    return PathRule(row["glob"], row["type"], row.get("version"), row.get("unknown-members"))


def _ignore(row: dict[str, Any]) -> Ignore:
    until = row.get("until")
    return Ignore(
        row["rule"],
        row["reason"],
        tuple(row.get("paths", ())),
        None if until is None else date.fromisoformat(until),
    )


def _name_findings(file: ConfigFile) -> list[Finding]:
    """Return a finding for every version, type and rule that does not exist."""
    found: list[Finding] = []
    default = file.content.get("contract", LATEST_VERSION)
    if _fails(file, found, ("contract",), lambda: families(default)):
        return found
    for index, row in enumerate(file.content.get("paths", ())):
        place: Place = ("paths", index)
        version = row.get("version", default)
        if not _fails(file, found, (*place, "version"), lambda v=version: families(v)):
            named = row["type"]
            _fails(file, found, (*place, "type"), lambda t=named, v=version: parse_type(t, v))
    for index, row in enumerate(file.content.get("ignore", ())):
        if row["rule"] not in read_rules():
            near = difflib.get_close_matches(row["rule"], read_rules(), n=3)
            found.append(
                file.finding(
                    "usage/unknown-rule",
                    "No such rule",
                    ("ignore", index, "rule"),
                    expected=" or ".join(near) if near else "a rule id such as shape/required",
                    actual=row["rule"],
                )
            )
    return found


def _fails(file: ConfigFile, found: list[Finding], place: Place, call: Any) -> bool:
    """Call; what is raised becomes findings at ``place``. Return whether something was."""
    try:
        call()
    except PartwireError as error:
        for each in error.findings:
            more = {"expected": each.expected, "actual": each.actual}
            found.append(file.finding(each.rule, each.message, place, **more))
        return True
    return False
