"""Where an archive's results are: a folder, or a place in an object store.

Two things are asked of a store: a file is there whole or not at all, and of two that put a file of
one name the second is refused.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from ..files.lasting import sync_folder

__all__ = ["PART", "Folder", "Store", "open_store"]

PART = ".partwire-part"
"""What the name of a file ends with that is not whole."""


class Store(Protocol):
    """Files by name; "/" parts folders."""

    place: str
    """The folder, or the URL."""

    def put(self, name: str, file: Path) -> None:
        """Move a file of this machine here, under a name that nothing has."""
        ...

    def put_new(self, name: str, data: bytes) -> bool:
        """Put a small file here, unless one of that name is here; tell whether it was put."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return a small file; None if it is not here."""
        ...

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a file."""
        ...

    def names(self, folder: str = "") -> Iterator[str]:
        """Yield the names of the files in a folder and in its folders, in no order.

        Without a name: of all. Hidden ones are passed over, but for what a killed run has left.
        """
        ...

    def delete(self, name: str) -> None:
        """Take a file away, if it is here."""
        ...

    def work_folder(self, plan: str) -> Path:
        """Return the folder of this machine for what only a run of a plan needs."""
        ...


_READ_BYTES = 1 << 17


class Folder(Store):
    """A folder of this machine. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = str(path)

    def put(self, name: str, file: Path) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _sync(file)
        try:
            os.link(file, target)
        except FileExistsError:
            raise
        except OSError:  # another file system, or one without links
            part = target.with_name(f".{target.name}{PART}")
            try:
                shutil.copyfile(file, part)
                _sync(part)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
        sync_folder(target.parent)
        file.unlink()

    def put_new(self, name: str, data: bytes) -> bool:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}{PART}")
        try:
            part.write_bytes(data)
            _sync(part)
            try:
                os.link(part, target)
            except FileExistsError:
                return False
            except OSError:  # a file system without links
                if not _write_new(target, data):
                    return False
        finally:
            part.unlink(missing_ok=True)
        sync_folder(target.parent)
        return True

    def read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def chunks(self, name: str) -> Iterator[bytes]:
        with (self.path / name).open("rb") as file:
            while chunk := file.read(_READ_BYTES):
                yield chunk

    def names(self, folder: str = "") -> Iterator[str]:
        for base, _, files in os.walk(self.path / folder):
            inside = Path(base).relative_to(self.path)
            own = (each for each in files if not each.startswith(".") or each.endswith(PART))
            yield from ((inside / each).as_posix() for each in own)

    def work_folder(self, plan: str) -> Path:
        return self.path / "_partwire" / f"work-{plan[:8]}"

    def delete(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)


def open_store(target: str | Path) -> Store:
    """Return the store that a folder or a URL means.

    Raises UsageError ``usage/missing-extra`` and, for what a URL cannot be, ``usage/arguments``.
    """
    from .remote import Remote, is_url  # noqa: PLC0415 - most runs need a folder

    return Remote(str(target)) if is_url(str(target)) else Folder(Path(target))


def _write_new(target: Path, data: bytes) -> bool:
    try:
        file = target.open("xb", buffering=0)
    except FileExistsError:
        return False
    try:
        with file:
            file.write(data)
            os.fsync(file.fileno())
    except BaseException:
        target.unlink(missing_ok=True)  # without what it was to hold it would be in the way
        raise
    return True


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
