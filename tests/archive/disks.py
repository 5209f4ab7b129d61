"""A disk that is soon full."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["enlarge", "small_disk"]


@contextmanager
def small_disk(folder: Path, size: int, files: int = 0) -> Iterator[None]:
    """Mount one of ``size`` bytes, with room for so many files and folders (0: any).

    Skips where that is not permitted.
    """
    folder.mkdir()
    options = f"size={size},nr_inodes={files}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    made = subprocess.run(command, check=False, capture_output=True)
    if made.returncode:
        pytest.skip("mounting a small disk is not permitted")
    try:
        yield
    finally:
        # Lazily: a generator that was not read to its end may have a file open until it is
        # collected.
        subprocess.run(["umount", "-l", str(folder)], check=True)


def enlarge(folder: Path, size: int) -> None:
    """Give a small disk another size; what is on it stays."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)
