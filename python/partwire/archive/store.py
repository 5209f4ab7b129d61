"""Where an archive's results are: a folder, or a place in an object store.

Two things are asked of a store: a file is there whole or not at all, and of two that put a file of
one name the second is refused.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

__all__ = ["Folder", "Store", "open_store"]


class Store(Protocol):
    """Files by name; "/" parts folders."""

    def put(self, name: str, file: Path) -> None:
        """Move a file of this machine here, under a name that nothing has."""

    def put_new(self, name: str, data: bytes) -> bool:
        """Put a small file here, unless one of that name is here; tell whether it was put."""

    def read(self, name: str) -> bytes | None:
        """Return a small file; None if it is not here."""

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names of the files in a folder, in no order."""

    def delete(self, name: str) -> None:
        """Take a file away, if it is here."""

    def work_folder(self, plan: str) -> Path:
        """Return the folder of this machine for what only a run of a plan needs."""


class Folder:
    """A folder of this machine. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, file: Path) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _sync(file)
        try:
            os.link(file, target)
        except FileExistsError:
            raise
        except OSError:  # another file system, or one without links
            part = target.with_name(f".{target.name}.partwire-part")
            shutil.copyfile(file, part)
            _sync(part)
            part.replace(target)
        file.unlink()

    def put_new(self, name: str, data: bytes) -> bool:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{os.getpid()}.partwire-part")
        part.write_bytes(data)
        _sync(part)
        try:
            os.link(part, target)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            try:
                with target.open("xb") as file:
                    file.write(data)
            except FileExistsError:
                return False
        finally:
            part.unlink(missing_ok=True)
        return True

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> Iterator[str]:
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.path / folder):
                if entry.is_file() and not entry.name.startswith("."):
                    yield f"{folder}/{entry.name}"

    def work_folder(self, plan: str) -> Path:
        return self.path / "_partwire" / f"work-{plan[:8]}"

    def delete(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)


def open_store(target: str | Path) -> Store:
    """Return the store that a folder or a URL means."""
    return Folder(Path(target))


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
