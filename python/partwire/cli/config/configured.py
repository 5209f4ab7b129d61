"""The files that the configuration names: what ``partwire validate`` reads without FILEs."""

from __future__ import annotations

from pathlib import Path

from ...errors import Finding, UsageError
from ...files.inputs import own_files
from .globs import literal_folder
from .paths import Config, shown_path

__all__ = ["configured_files"]


def configured_files(config: Config) -> list[Path]:
    """Return all files to which a row of the configuration gives a type, in order.

    The baseline is none of them. Hidden folders, virtual environments, ``node_modules`` and
    ``__pycache__`` are passed over, unless a glob spells them out; links to folders are not
    followed. Raises UsageError ``usage/unreadable-input`` where no file is found: a check
    of nothing is refused.
    """
    found: set[Path] = set()
    for base in dict.fromkeys(literal_folder(row.glob) for row in config.paths):
        for path in own_files(config.folder / base):
            if path != config.baseline and config.row_of(path) is not None:
                found.add(path)
    if not found:
        raise _nothing(config)
    return sorted(found)


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
