"""The files that the configuration names: what ``partwire validate`` reads without FILEs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...errors import Finding, UsageError
from ..files.inputs import unreadable
from .globs import literal_folder
from .paths import Config, shown_path

__all__ = ["configured_files"]

_TOOLS = frozenset({"node_modules", "__pycache__"})
"""Folders that hold what tools have put there."""


def configured_files(config: Config) -> list[Path]:
    """Return all files to which a row of the configuration gives a type, in order.

    The baseline is none of them. Hidden folders, virtual environments, ``node_modules`` and
    ``__pycache__`` are passed over, unless a glob spells them out; links to folders are not
    followed. Raises UsageError ``usage/unreadable-input`` where no file is found: a check
    of nothing is refused.
    """
    found: set[Path] = set()
    for base in dict.fromkeys(literal_folder(row.glob) for row in config.paths):
        for path in _walk(config.folder / base):
            if path != config.baseline and config.row_of(path) is not None:
                found.add(path)
    if not found:
        raise _nothing(config)
    return sorted(found)


def _walk(base: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(base, onerror=_unless_missing):
        names[:] = sorted(each for each in names if _is_own(folder, each))
        yield from (Path(folder, each) for each in sorted(files))


def _unless_missing(error: OSError) -> None:
    """Let a folder that is not there be empty; one that cannot be read hides files."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        name = shown_path(Path(error.filename or ""))
        raise unreadable(name, error.strerror or str(error))


def _is_own(folder: str, name: str) -> bool:
    """Return whether a folder is the project's own, and not that of a tool."""
    hidden = name.startswith(".") or name in _TOOLS
    return not hidden and not Path(folder, name, "pyvenv.cfg").exists()


def _nothing(config: Config) -> UsageError:
    named = ", ".join(row.glob for row in config.paths)
    message = "No file fits the configuration" if named else "No FILE is given, and none configured"
    return UsageError(
        Finding(
            "usage/unreadable-input",
            message,
            expected="FILEs, or rows under [[paths]] in partwire.toml whose globs fit files",
            actual=f"globs {named}" if named else "no rows",
            source=None if config.file is None else shown_path(config.file.path),
        )
    )
