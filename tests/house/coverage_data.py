"""What processes leave of their coverage that were killed while they wrote it down."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ["drop_torn"]


def drop_torn(data_file: Path) -> list[Path]:
    """Remove the data of single processes that cannot be read, and return which those are.

    Tests kill programs at any moment, and coverage writes its data in place. What a program has
    done until then is not counted either way; what is half written would only be warned of.
    """
    torn = [each for each in sorted(data_file.parent.glob(f"{data_file.name}.*")) if is_torn(each)]
    for each in torn:
        each.unlink()
    return torn


def is_torn(path: Path) -> bool:
    """Whether a file is not a whole database of coverage."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as data:
            versions = data.execute("select version from coverage_schema").fetchall()
            data.execute("select count(*) from file").fetchone()
            (said,) = data.execute("pragma quick_check").fetchone()
    except sqlite3.DatabaseError:
        return True
    return not versions or said != "ok"
