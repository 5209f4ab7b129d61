"""Files, and names of files, that outlast a machine which loses power."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["new_file", "sync_folder"]


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that is not there yet, to be written; it lasts from the end of the block on.

    So nothing that names it, and is written after that, outlasts it. Raises OSError.
    """
    with path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last, where the system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
