"""The configuration's file: which one it is, what it holds, and where in it something is.

``partwire.toml``, or the table ``[tool.partwire]`` of ``pyproject.toml`` in the same folder; both
at once are refused, since one of them would be read by nobody.
"""

from __future__ import annotations

import os
import re
import tomllib
from datetime import date, time
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...errors import Finding, UsageError, clip
from ...json.pointer import escape

__all__ = ["ConfigFile", "find_config_file"]

_OWN: Final = "partwire.toml"
_SHARED: Final = "pyproject.toml"
_TABLE: Final = ("tool", "partwire")
_HEADER: Final = re.compile(r"\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?$")
_PLACE: Final = re.compile(r"\(at line (\d+), column \d+\)$")  # as the reader of TOML says it

Place = tuple[str | int, ...]


class ConfigFile(NamedTuple):
    """A configuration as it was read; ``table`` is where in the file it is."""

    path: Path
    content: dict[str, Any]
    table: tuple[str, ...] = ()
    text: str = ""

    def finding(self, rule: str, message: str, place: Place, **more: Any) -> Finding:
        """Return a finding about a place of the configuration, with its pointer and its line."""
        whole = (*self.table, *place)
        pointer = "".join(f"/{escape(str(part))}" for part in whole)
        line = _line_of(self.text, whole)
        return Finding(rule, message, pointer, source=_shown(self.path), line=line, **more)


def find_config_file(start: Path) -> ConfigFile | None:
    """Return the configuration of the nearest folder, at or above ``start``, that has such a file.

    A ``pyproject.toml`` without ``[tool.partwire]`` ends the search all the same: projects do not
    inherit. Raises UsageError ``usage/unreadable-input``, ``config/invalid-value`` for a table
    that is none, ``config/two-files``.
    """
    try:
        folder = start.resolve()
    except OSError:  # the working folder is gone
        return None
    for candidate in (folder, *folder.parents):
        own, shared = candidate / _OWN, candidate / _SHARED
        # os.path answers False where pathlib raises: nobody may look there.
        if os.path.isfile(own):  # noqa: PTH113
            return _own(own, shared)
        if os.path.isfile(shared):  # noqa: PTH113
            return _shared(shared)
    return None


def _own(path: Path, shared: Path) -> ConfigFile:
    content, text = _read(path)
    found = ConfigFile(path, content, (), text)
    try:
        # Its faults are not business of a file that stands for itself.
        other = _shared(shared) if os.path.isfile(shared) else None  # noqa: PTH113
    except UsageError:
        return found
    if content and other is not None and other.content:
        message = f"Two configurations in one folder: {_OWN} would win, and {_SHARED} be read never"
        raise UsageError(
            other.finding(
                "config/two-files",
                message,
                (),
                expected=f"no [{'.'.join(_TABLE)}] beside {_OWN}",
                actual=f"a table with {', '.join(other.content)}",
            )
        )
    return found


def _shared(path: Path) -> ConfigFile:
    content, text = _read(path)
    for depth, name in enumerate(_TABLE, 1):
        content = content.get(name, {})
        if not isinstance(content, dict):
            told = {"expected": "a table", "actual": clip(content)}
            around = ConfigFile(path, {}, (), text)
            raise UsageError(
                around.finding("config/invalid-value", "Not a table", _TABLE[:depth], **told)
            )
    return ConfigFile(path, content, _TABLE, text)


def _read(path: Path) -> tuple[dict[str, Any], str]:
    try:
        text = path.read_text("utf-8-sig")
        return _as_json(tomllib.loads(text)), text
    except OSError as error:
        why, expected = error.strerror or str(error), None
    except (ValueError, RecursionError) as error:  # an integer of too many digits is a ValueError
        why, expected = str(error), "TOML, in UTF-8"
    where = _PLACE.search(why)
    raise UsageError(
        Finding(
            "usage/unreadable-input",
            f"Cannot be read: {why}",
            expected=expected,
            actual=path.name,
            source=_shown(path),
            line=int(where[1]) if where else None,
        )
    )


def _as_json(value: Any) -> Any:
    """Return a TOML value as JSON has it: editors show days and times to a schema as strings."""
    if isinstance(value, dict):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_json(each) for each in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _shown(path: Path) -> str:
    """Return a path as people know it: annotations are placed by it."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def _line_of(text: str, place: Place) -> int | None:
    """Return the line, 1-based, of the header or key that names ``place``, or what is around it.

    TOML's own reader reports no lines. None where nothing on the way is named on its own line.
    """
    lines = _lines(text)
    return next((lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines), None)


@lru_cache(maxsize=4)
def _lines(text: str) -> dict[Place, int]:
    """Return where each place, and what it is in, is named first."""
    found: dict[Place, int] = {}
    tables: dict[Place, int] = {}
    here: Place = ()
    inside = ""  # a string of several lines
    for number, line in enumerate(text.splitlines(), 1):
        quotes = [inside] if inside else ['"""', "'''"]
        turned = next((each for each in quotes if line.count(each) % 2), "")
        if inside:
            inside = "" if turned else inside
            continue
        inside = turned
        named = here
        if header := _HEADER.fullmatch(line):
            named = here = _keys(header[2])
            if header[1] == "[[":
                tables[here] = tables.get(here, -1) + 1
                named = here = (*here, tables[here])
        elif "=" in line:
            named = (*here, *_keys(line.partition("=")[0]))
        for length in range(1, len(named) + 1):
            found.setdefault(named[:length], number)
    return found


def _keys(dotted: str) -> Place:
    """Return the names of a dotted key; none where it is not a key, but part of a value."""
    try:
        value: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    names: list[str] = []
    while isinstance(value, dict):
        ((name, value),) = value.items()
        names.append(name)
    return tuple(names)
