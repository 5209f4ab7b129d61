"""The file that keeps what a migration in place leaves out: killed at any time, nothing is lost.

It is drafted as ``.NAME.partwire-lost``, and is there as ``NAME.lost`` before the file is replaced.
What has that name already stays: then it is ``NAME.lost-2``, and so on.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from .inputs import CHUNK_BYTES

__all__ = ["LostFile", "take"]


class LostFile:
    """What is lost of ``target``. Raises OSError."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self.part = target.with_name(f".{target.name}.partwire-lost")
        self._file: BinaryIO | None = None

    @property
    def is_there(self) -> bool:
        """Whether anything is lost."""
        return self._file is not None

    def write(self, rows: bytes) -> None:
        """Append lines."""
        self._open().write(rows)

    def resume(self, size: int, digest: Any) -> int:
        """Go on behind the first ``size`` bytes, which ``digest`` takes in; return their number."""
        if not size:
            self.discard()
            return 0
        file = self._open()
        file.seek(0)
        taken = take(file, size, digest)
        file.seek(taken)
        file.truncate()
        return taken

    def sync(self) -> None:
        """Put on the disk what has been written."""
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())

    def publish(self) -> Path:
        """Return the file that keeps it, made anew unless it is there already."""
        self.sync()
        for number in count(1):
            path = self._target.with_name(f"{self._target.name}.lost{_suffix(number)}")
            try:
                _link(self.part, path)
            except FileExistsError:
                # A run that was killed has published the same.
                if path.is_file() and _digest(path) == _digest(self.part):
                    return path
            else:
                return path
        raise AssertionError

    def close(self) -> None:
        """Close the draft, which stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def discard(self) -> None:
        """Take away the draft."""
        self.close()
        self.part.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        if self._file is None:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._file = os.fdopen(os.open(self.part, flags, 0o600), "r+b")
        return self._file


def take(file: BinaryIO, size: int, digest: Any) -> int:
    """Read up to ``size`` bytes into ``digest``, and return how many there were."""
    left = size
    while left > 0 and (chunk := file.read(min(left, CHUNK_BYTES))):
        digest.update(chunk)
        left -= len(chunk)
    return size - left


def _suffix(number: int) -> str:
    return "" if number == 1 else f"-{number}"


def _link(part: Path, path: Path) -> None:
    """Give the draft its name; raises FileExistsError."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        with part.open("rb") as source, path.open("xb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
        shutil.copystat(part, path)


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        take(file, path.stat().st_size, digest)
    return digest.digest()
