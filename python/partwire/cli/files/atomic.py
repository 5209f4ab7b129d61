"""Write a file anew, beside it and in its place at last: killed at any time, it is as it was.

``.NAME.partwire-part`` holds what has been written, ``.NAME.partwire-journal`` how far that goes
and the digests of what was read and written until there. Whoever runs next goes on from there, if
both files still begin so. The part takes the place of the file only when it is whole, on the
disk, and holds as many documents. What the file loses by it is written to ``.NAME.partwire-lost``
meanwhile, and is there as ``NAME.lost`` before the part takes its place.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from itertools import count, pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeGuard

from ...errors import Finding, ReadError, UsageError
from ...files.compressed import compress, decompressed
from ...files.lasting import sync_folder
from ...files.limits import CHUNK_BYTES
from ...files.names import Compression

__all__ = ["Draft", "LostFile", "Mark", "mismatch", "take"]


# --- the file of what is left out -----------------------------------------------------------------


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


def take(file: BinaryIO | BufferedIOBase, size: int, digest: Any) -> int:
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


# --- the file written anew ------------------------------------------------------------------------

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


_FORMAT: Final = 2


class Mark:
    """How far a run has come: bytes and digests of what was read, written and lost; its tally."""

    def __init__(self) -> None:
        self.read = self.written = self.line = 0
        self.read_digest = hashlib.sha256()
        self.written_digest = hashlib.sha256()
        self.lost = 0
        self.lost_digest = hashlib.sha256()
        self.tally: dict[str, Any] = {}

    def add(self, read: bytes, written: bytes) -> None:
        """Count one piece."""
        self.read += len(read)
        self.written += len(written)
        self.line += 1
        self.read_digest.update(read)
        self.written_digest.update(written)

    def lose(self, rows: bytes) -> None:
        """Count what was lost."""
        self.lost += len(rows)
        self.lost_digest.update(rows)

    def to_wire(self) -> dict[str, Any]:
        """Return it as the journal has it."""
        return {
            "read": self.read,
            "read_sha256": self.read_digest.hexdigest(),
            "written": self.written,
            "written_sha256": self.written_digest.hexdigest(),
            "lost": self.lost,
            "lost_sha256": self.lost_digest.hexdigest(),
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
        self._packed = target.with_name(f".{target.name}.partwire-packed")
        self._whole = self._part
        self._file: BinaryIO | None = None
        self._lost = LostFile(target)

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

        What is open then is not a part any more but the file itself: it must not be emptied.
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
        with suppress(OSError):  # what is not written is after the last mark
            self._lost.close()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    # --- going on --------------------------------------------------------------------------------

    def resume(self, source: BinaryIO | BufferedIOBase) -> Mark:
        """Return how far an earlier run came; ``source`` and the part are there.

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
            self._lost.discard()
            self._open_file().seek(0)
            self._open_file().truncate()

    def _fitting(self, source: BinaryIO | BufferedIOBase) -> Mark | None:
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
            mark.written = take(self._open_file(), at["written"], mark.written_digest)
            mark.lost = self._lost.resume(at["lost"], mark.lost_digest)
        mark.read = take(source, at["read"], mark.read_digest)
        return mark if mark.to_wire() == at else None

    # --- writing ---------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Append to the part."""
        with self._writing():
            self._open_file().write(data)

    def lose(self, rows: bytes) -> None:
        """Keep lines that say what is lost."""
        with self._writing():
            self._lost.write(rows)

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

    @contextmanager
    def written(self) -> Iterator[BufferedIOBase]:
        """Give the part as it is on the disk."""
        with self._writing():
            self._sync()
            file = self._part.open("rb")
        with file:
            yield file

    def compress(self, kind: Compression, mark: Mark) -> None:
        """Let what takes the place of the file be the part, compressed, once it reads as the part.

        Raises ReadError ``migrate/count-mismatch``, and UsageError ``usage/missing-extra``.
        """
        with self._writing():
            self._sync()
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with (
                self._part.open("rb") as source,
                os.fdopen(os.open(self._packed, flags, 0o600), "wb") as packed,
            ):
                compress(source, packed, kind)
                packed.flush()
                os.fsync(packed.fileno())
            digest = hashlib.sha256()
            with self._packed.open("rb") as packed:
                for chunk in decompressed(iter(lambda: packed.read(CHUNK_BYTES), b""), kind):
                    digest.update(chunk)
        if digest.digest() != mark.written_digest.digest():
            raise mismatch(self.target, "the bytes that were compressed", "other bytes")
        self._whole = self._packed

    def replace(self, mode: int | None, owner: tuple[int, int] | None) -> Path | None:
        """Put the part in the place of the file, with its permissions, and forget the journal.

        Returns the file that keeps what is lost, which is there before; None where nothing is.
        """
        with self._writing():
            self._admit(self._whole, mode, owner)
            self._sync()
            kept = None
            if self._lost.is_there:
                self._admit(self._lost.part, mode, owner)
                kept = self._lost.publish()
                sync_folder(self.target.parent)
            os.replace(self._whole, self.target)  # noqa: PTH105
            sync_folder(self.target.parent)
            self._journal.unlink(missing_ok=True)
            if self._whole != self._part:
                self._part.unlink(missing_ok=True)
            self._lost.discard()
        return kept

    def _admit(self, path: Path, mode: int | None, owner: tuple[int, int] | None) -> None:
        """Let those read and write a file who may do so with the target."""
        os.chmod(path, 0o666 & ~_umask() if mode is None else mode)  # noqa: PTH101
        if owner is not None and hasattr(os, "chown"):
            with suppress(OSError):  # only root may give files away
                os.chown(path, *owner)

    def discard(self) -> None:
        """Take away the part and the journal: the file stays as it is."""
        with suppress(OSError):
            self._packed.unlink(missing_ok=True)
            self._part.unlink(missing_ok=True)
            self._journal.unlink(missing_ok=True)
            self._journal.with_name(self._journal.name + "-new").unlink(missing_ok=True)
            self._lost.discard()

    def _sync(self) -> None:
        self._lost.sync()
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
    """Return whether ``at`` has what a mark needs; digests are compared with the files' own."""
    if not isinstance(at, dict) or not isinstance(tally := at.get("tally"), dict):
        return False
    if set(tally) != {"documents", "changed", "losses"}:
        return False
    if not isinstance(losses := tally["losses"], dict):
        return False
    # Each of these counts what the one before holds: a line has a byte, a document a line.
    chain: list[Any] = [at.get("read"), at.get("line"), tally["documents"], tally["changed"], 0]
    sizes: list[Any] = [at.get("written"), at.get("lost")]
    if not all(type(each) is int for each in (*chain, *sizes, *losses.values())):
        return False
    if any(more < fewer for more, fewer in pairwise(chain)) or min(sizes) < 0:
        return False
    return at["line"] > 0 and all(0 < count <= at["read"] for count in losses.values())


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
