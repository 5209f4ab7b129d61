"""``[tool.partwire]`` of ``pyproject.toml``: which paths hold documents of which type.

    [tool.partwire]
    contract = "v0.2"
    schemas = ["schemas/v0.2"]

    [[tool.partwire.paths]]
    glob = "logs/**/*.jsonl"
    type = "message.MessageDelta"

``schemas`` are the files and folders that ``partwire compat --against`` looks at.
The first row whose glob fits decides. Globs are relative to the file's folder: ``*`` and ``?``
stand for what is within one name, ``**`` for any number of folders; all else is itself.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click

from ..contract import LATEST_VERSION, families
from ..errors import Finding, UsageError, clip

__all__ = ["Config", "PathRule", "contract_option", "contract_version", "load_config"]

_FILE = "pyproject.toml"
_TOKEN = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_STARS = frozenset({"*", "**", "**/"})


@dataclass(frozen=True)
class PathRule:
    """Files whose path fits ``glob`` hold documents of ``type``."""

    glob: str
    type: str

    def fits(self, path: str) -> bool:
        """Return whether ``path``, relative and with forward slashes, fits the glob."""
        return _fits(_tokens(self.glob), path)


@dataclass(frozen=True)
class Config:
    """What ``[tool.partwire]`` says; ``folder`` is where the file stands."""

    folder: Path
    contract: str | None = None
    paths: tuple[PathRule, ...] = ()
    schemas: tuple[str, ...] = ()

    def type_of(self, path: Path) -> str | None:
        """Return the type that the first fitting row names, or None."""
        try:
            relative = path.resolve().relative_to(self.folder).as_posix()
        except (ValueError, OSError, RuntimeError):  # elsewhere, not to be looked at, a loop
            return None
        return next((rule.type for rule in self.paths if rule.fits(relative)), None)


contract_option = click.option(
    "--contract",
    metavar="VERSION",
    help=f"Version of the contract.  [default: [tool.partwire] contract, else {LATEST_VERSION}]",
)


def contract_version(given: str | None, config: Config | None = None) -> str:
    """Return the version that ``--contract`` names, else the configuration, else the latest.

    Raises UsageError ``usage/unknown-version``.
    """
    configured = (config or load_config(Path())).contract
    version = next(each for each in (given, configured, LATEST_VERSION) if each is not None)
    families(version)
    return version


def load_config(start: Path) -> Config:
    """Return the configuration of the nearest ``pyproject.toml`` at or above ``start``.

    A file without ``[tool.partwire]`` ends the search all the same: projects do not inherit.
    Raises UsageError ``usage/invalid-argument`` for a member of a wrong name or type.
    """
    try:
        folder = start.resolve()
    except OSError:  # the working folder is gone
        return Config(start)
    for candidate in (folder, *folder.parents):
        path = candidate / _FILE
        if os.path.isfile(path):  # noqa: PTH113 - pathlib raises where nobody may look
            return _parse(path)
    return Config(folder)


def _parse(path: Path) -> Config:
    try:
        tool = tomllib.loads(path.read_text("utf-8")).get("tool", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        why = f"Cannot be read: {error}"
        raise UsageError(Finding("usage/unreadable-input", why, source=str(path))) from None
    if not isinstance(tool, dict):
        raise _bad("/tool", "Not a table", "a table", tool)
    table = tool.get("partwire", {})
    _only(table, {"contract": str, "paths": list, "schemas": list}, "/tool/partwire")
    schemas = table.get("schemas", [])
    for index, each in enumerate(schemas):
        if not isinstance(each, str):
            raise _bad(f"/tool/partwire/schemas/{index}", "Not a path", "a string", each)
    rules = []
    for index, row in enumerate(table.get("paths", [])):
        place = f"/tool/partwire/paths/{index}"
        _only(row, {"glob": str, "type": str}, place)
        for name in ("glob", "type"):
            if name not in row:
                raise _bad(place, f"{name} is missing", f"a member {name}", None)
        rules.append(PathRule(row["glob"], row["type"]))
    return Config(path.parent, table.get("contract"), tuple(rules), tuple(schemas))


def _only(table: Any, members: dict[str, type], place: str) -> None:
    if not isinstance(table, dict):
        raise _bad(place, "Not a table", "a table", table)
    for name, value in table.items():
        if name not in members:
            raise _bad(f"{place}/{name}", "Unknown name", " or ".join(members), name)
        if not isinstance(value, members[name]):
            kind = {"schemas": "an array", "paths": "an array of tables"}.get(name, "a string")
            raise _bad(f"{place}/{name}", f"{name} has a wrong type", kind, value)


def _bad(pointer: str, message: str, expected: str, actual: Any) -> UsageError:
    return UsageError(
        Finding(
            "usage/invalid-argument",
            message,
            pointer,
            expected=expected,
            actual=None if actual is None else clip(actual),
            source=_FILE,
        )
    )


@cache
def _tokens(glob: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(glob))


def _fits(tokens: tuple[str, ...], path: str) -> bool:
    """Return whether the whole of ``path`` fits.

    fnmatch lets ``*`` cross slashes, and pathlib learns ``**`` in 3.13. All ways through the glob
    are followed at once: a regular expression tries them one by one, which takes ages for some.
    """
    here = _reached(tokens, 0)
    for char in path:
        after: set[int] = set()
        for place in here:
            step = tokens[place] if place < len(tokens) else ""
            if step in _STARS:
                if step != "*" or char != "/":
                    after.add(place)
                    # Whole folders: what comes next begins behind a slash.
                    if step != "**/" or char == "/":
                        after |= _reached(tokens, place)
            elif step == char or (step == "?" and char != "/"):
                after |= _reached(tokens, place + 1)
        here = after
    return len(tokens) in here


def _reached(tokens: tuple[str, ...], place: int) -> set[int]:
    """Return ``place`` and what follows it, as far as stars may stand for nothing."""
    places = {place}
    while place < len(tokens) and tokens[place] in _STARS:
        place += 1
        places.add(place)
    return places
