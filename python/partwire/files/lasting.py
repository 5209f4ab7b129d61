"""Names of files that outlast a machine which loses power."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["sync_folder"]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last, where the system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
