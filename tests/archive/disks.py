"""A disk that is soon full."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["small_disk"]


@contextmanager
def small_disk(folder: Path, size: int, files: int = 0) -> Iterator[None]:
    """Mount one of ``size`` bytes, with room for so many files and folders (0: any).

    Skips where there is no right to.
    """
    folder.mkdir()
    options = f"size={size},nr_inodes={files}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    made = subprocess.run(command, check=False, capture_output=True)
    if made.returncode:
        pytest.skip("no right to mount a small disk")
    try:
        yield
    finally:
        # Lazily: a generator that was not read to its end may have a file open until it is
        # collected.
        subprocess.run(["umount", "-l", str(folder)], check=True)
