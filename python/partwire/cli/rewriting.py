"""Write a file anew, beside it and in its place at last: killed at any time, it is as it was.

``.NAME.partwire-part`` holds what has been written, ``.NAME.partwire-journal`` how far that goes
and the digests of what was read and written until there. Whoever runs next goes on from there, if
both files still begin so. The part takes the place of the file only when it is whole, on the
disk, and holds as many documents.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeGuard

from ..errors import Finding, ReadError, UsageError
from .inputs import CHUNK_BYTES

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Draft", "Mark"]

_FORMAT: Final = 1


class Mark:
    """How far a run has come: bytes and digests of what was read and written, and its tally."""

    def __init__(self) -> None:
        self.read = self.written = self.line = 0
        self.read_digest = hashlib.sha256()
        self.written_digest = hashlib.sha256()
        self.tally: dict[str, Any] = {}

    def add(self, read: bytes, written: bytes) -> None:
        """Count one line."""
        self.read += len(read)
        self.written += len(written)
        self.line += 1
        self.read_digest.update(read)
        self.written_digest.update(written)

    def to_wire(self) -> dict[str, Any]:
        """Return it as the journal has it."""
        return {
            "read": self.read,
            "read_sha256": self.read_digest.hexdigest(),
            "written": self.written,
            "written_sha256": self.written_digest.hexdigest(),
            "line": self.line,
            "tally": self.tally,
        }


class Draft:
    """What a file is to be, beside it. ``options`` are those of the run: only the same goes on.

    A context manager: leaving it without :meth:`replace` or :meth:`discard` keeps what is there
    for the next run. Raises UsageError ``usage/unwritable-output``.
    """

    def __init__(self, target: Path, options: dict[str, Any]) -> None:
        self.target = target
        self._options = options
        self._part = target.with_name(f".{target.name}.partwire-part")
        self._journal = target.with_name(f".{target.name}.partwire-journal")
        self._file: BinaryIO | None = None

    def __enter__(self) -> Draft:
        with self._writing():
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._file = os.fdopen(os.open(self._part, flags, 0o600), "r+b", buffering=1 << 20)
            if fcntl is not None:
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    self._file.close()
                    raise self._refused("another run is writing it") from None
                self._refuse_taken(self._file)
        return self

    def _refuse_taken(self, file: BinaryIO) -> None:
        """Refuse a part that another run has put in its place, before the lock was had.

        What is open then is no part any more but the file itself: it must not be emptied.
        """
        mine = os.fstat(file.fileno())
        try:
            there = os.lstat(self._part)
        except FileNotFoundError:
            there = None
        if there is None or not os.path.samestat(mine, there):
            file.close()
            raise self._refused("another run was writing it until now")

    def __exit__(self, *_exc: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # what is not written is after the last mark
                self._file.close()

    # --- going on --------------------------------------------------------------------------------

    def resume(self, source: BinaryIO) -> Mark:
        """Return how far an earlier run came; ``source`` and the part stand there.

        Where there was none, or the journal fits no longer, that is the beginning.
        """
        mark = self._fitting(source)
        if mark is None:
            source.seek(0)
            self.begin()
            return Mark()
        with self._writing():
            self._open_file().seek(mark.written)
            self._open_file().truncate()
        return mark

    def begin(self) -> None:
        """Forget what an earlier run left."""
        with self._writing():
            self._journal.unlink(missing_ok=True)
            self._open_file().seek(0)
            self._open_file().truncate()

    def _fitting(self, source: BinaryIO) -> Mark | None:
        try:
            said = json.loads(self._journal.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(said, dict) or said.get("format") is True:
            return None
        if (said.get("format"), said.get("options")) != (_FORMAT, self._options):
            return None
        mark, at = Mark(), said.get("mark")
        if not _is_mark(at):
            return None
        mark.tally, mark.line = at["tally"], at["line"]
        with self._writing():
            self._open_file().seek(0)
            mark.written = _take(self._open_file(), at["written"], mark.written_digest)
        mark.read = _take(source, at["read"], mark.read_digest)
        return mark if mark.to_wire() == at else None

    # --- writing ---------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Append to the part."""
        with self._writing():
            self._open_file().write(data)

    def keep(self, mark: Mark) -> None:
        """Put on the disk what has been written, and then that it has been."""
        said = {"format": _FORMAT, "options": self._options, "mark": mark.to_wire()}
        draft = self._journal.with_name(self._journal.name + "-new")
        with self._writing():
            self._sync()
            with draft.open("wb") as file:
                file.write(json.dumps(said).encode())
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._journal)  # noqa: PTH105

    def verified(self, mark: Mark) -> Iterator[bytes]:
        """Yield the lines of the part as they are on the disk.

        Raises ReadError ``migrate/count-mismatch`` at the end if they are not what was written.
        """
        with self._writing():
            self._sync()
        digest = hashlib.sha256()
        with self._part.open("rb") as file:
            for line in file:
                digest.update(line)
                yield line
        if digest.digest() != mark.written_digest.digest():
            raise mismatch(self.target, "the bytes that were written", "other bytes")

    def replace(self, mode: int | None, owner: tuple[int, int] | None) -> None:
        """Put the part in the place of the file, with its permissions, and forget the journal."""
        with self._writing():
            if mode is not None:
                os.chmod(self._part, mode)  # noqa: PTH101
            else:
                os.chmod(self._part, 0o666 & ~_umask())  # noqa: PTH101
            if owner is not None and hasattr(os, "chown"):
                with suppress(OSError):  # only root may give files away
                    os.chown(self._part, *owner)
            self._sync()
            os.replace(self._part, self.target)  # noqa: PTH105
            _sync_folder(self.target.parent)
            self._journal.unlink(missing_ok=True)

    def discard(self) -> None:
        """Take away the part and the journal: the file stays as it is."""
        with suppress(OSError):
            self._part.unlink(missing_ok=True)
            self._journal.unlink(missing_ok=True)
            self._journal.with_name(self._journal.name + "-new").unlink(missing_ok=True)

    def _sync(self) -> None:
        self._open_file().flush()
        os.fsync(self._open_file().fileno())

    def _open_file(self) -> BinaryIO:
        assert self._file is not None
        return self._file

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from None

    def _refused(self, why: str) -> UsageError:
        return UsageError(
            Finding(
                "usage/unwritable-output",
                f"Cannot be written: {why}",
                source=str(self.target),
                actual=str(self._part),
            )
        )


def mismatch(target: Path, expected: str, actual: str) -> ReadError:
    """Return the error that says that the part is not what it has to be."""
    return ReadError(
        Finding(
            "migrate/count-mismatch",
            "What was written is not all of it; the file stays as it was",
            expected=expected,
            actual=actual,
            source=str(target),
        )
    )


def _is_mark(at: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether ``at`` has what a mark needs; digests are compared with the files' own."""
    if not isinstance(at, dict) or not isinstance(tally := at.get("tally"), dict):
        return False
    if set(tally) != {"documents", "changed", "losses"}:
        return False
    if not isinstance(losses := tally["losses"], dict):
        return False
    # Each of these counts what the one before holds: a line has a byte, a document a line.
    chain: list[Any] = [at.get("read"), at.get("line"), tally["documents"], tally["changed"], 0]
    if not all(type(each) is int for each in (*chain, at.get("written"), *losses.values())):
        return False
    if any(more < fewer for more, fewer in pairwise(chain)) or at["written"] < 0:
        return False
    return at["line"] > 0 and all(0 < count <= at["read"] for count in losses.values())


def _take(file: BinaryIO, count: int, digest: Any) -> int:
    """Read up to ``count`` bytes into ``digest``, and return how many there were."""
    left = count
    while left > 0 and (chunk := file.read(min(left, CHUNK_BYTES))):
        digest.update(chunk)
        left -= len(chunk)
    return count - left


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
