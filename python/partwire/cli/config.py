"""``[tool.partwire]`` of ``pyproject.toml``: which paths hold documents of which type.

    [tool.partwire]
    contract = "v0.1"

    [[tool.partwire.paths]]
    glob = "logs/**/*.jsonl"
    type = "message.MessageDelta"

The first row whose glob fits decides. Globs are relative to the file's folder; ``**`` stands for
any number of folders.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Finding, UsageError, clip

__all__ = ["Config", "PathRule", "load_config"]

_FILE = "pyproject.toml"


@dataclass(frozen=True)
class PathRule:
    """Files whose path fits ``glob`` hold documents of ``type``."""

    glob: str
    type: str

    def fits(self, path: str) -> bool:
        """Return whether ``path``, relative and with forward slashes, fits the glob."""
        return _glob_pattern(self.glob).fullmatch(path) is not None


@dataclass(frozen=True)
class Config:
    """What ``[tool.partwire]`` says; ``folder`` is where the file stands."""

    folder: Path
    contract: str | None = None
    paths: tuple[PathRule, ...] = ()

    def type_of(self, path: Path) -> str | None:
        """Return the type that the first fitting row names, or None."""
        try:
            relative = path.resolve().relative_to(self.folder).as_posix()
        except ValueError:
            return None
        return next((rule.type for rule in self.paths if rule.fits(relative)), None)


def load_config(start: Path) -> Config:
    """Return the configuration of the nearest ``pyproject.toml`` at or above ``start``.

    A file without ``[tool.partwire]`` ends the search all the same: projects do not inherit.
    Raises UsageError ``usage/invalid-argument`` for a member of a wrong name or type.
    """
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        path = candidate / _FILE
        if path.is_file():
            return _parse(path)
    return Config(folder)


def _parse(path: Path) -> Config:
    try:
        table = tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("partwire", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            Finding("usage/unreadable-input", f"Cannot be read: {error}", source=_FILE)
        ) from None
    _only(table, {"contract": str, "paths": list}, "/tool/partwire")
    rules = []
    for index, row in enumerate(table.get("paths", [])):
        place = f"/tool/partwire/paths/{index}"
        _only(row, {"glob": str, "type": str}, place)
        for name in ("glob", "type"):
            if name not in row:
                raise _bad(place, f"{name} is missing", f"a member {name}", None)
        rules.append(PathRule(row["glob"], row["type"]))
    return Config(path.parent, table.get("contract"), tuple(rules))


def _only(table: Any, members: dict[str, type], place: str) -> None:
    if not isinstance(table, dict):
        raise _bad(place, "Not a table", "a table", table)
    for name, value in table.items():
        if name not in members:
            raise _bad(f"{place}/{name}", "Unknown name", " or ".join(members), name)
        if not isinstance(value, members[name]):
            kind = "a string" if members[name] is str else "an array of tables"
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
def _glob_pattern(glob: str) -> re.Pattern[str]:
    """Translate a glob: fnmatch lets ``*`` cross slashes, and pathlib learns ``**`` in 3.13."""
    out = ""
    index = 0
    while index < len(glob):
        if glob.startswith("**/", index):
            out += "(?:[^/]+/)*"
            index += 3
        elif glob.startswith("**", index):
            out += ".*"
            index += 2
        else:
            char = glob[index]
            out += {"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char))
            index += 1
    return re.compile(out, re.DOTALL)
