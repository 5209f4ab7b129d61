"""Where a report goes: stdout, or a file that appears when it is whole."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from ...errors import Finding, UsageError

__all__ = ["FileOutput", "Output", "write_whole"]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Output:
    """Stdout. ``encoded`` text is UTF-8, whatever the terminal speaks."""

    def __init__(self, *, encoded: bool) -> None:
        self._encoded = encoded

    def write(self, text: str) -> None:
        """Write ``text`` at once: who reads a live stream sees what is wrong as it comes."""
        if self._encoded:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        else:
            sys.stdout.write(text)
        sys.stdout.flush()

    def finish(self) -> None:
        """Nothing more comes."""

    def discard(self) -> None:
        """What is written stays."""


class FileOutput(Output):
    """A file, which keeps what it was until :meth:`finish`.

    What is not a regular file, such as a pipe, is written as it comes. Who calls :meth:`begin` has
    to call :meth:`finish` or :meth:`discard`, whatever happens. Raises UsageError
    ``usage/unwritable-output``.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._part: str | None = None
        self._file: BinaryIO = io.BytesIO()

    def begin(self) -> None:
        """Make sure that the file can be written, before anything is worked for."""
        with self._writing():
            name = self._name
            if not name or os.path.isdir(name):  # noqa: PTH112 - pathlib raises
                raise IsADirectoryError("a file is needed")
            # By its name: what /dev/stdout leads to, or >(command), need not have another.
            if _is_special(Path(name)):
                self._file = Path(name).open("wb")  # noqa: SIM115
                return
            self._target = Path(os.path.realpath(name))
            part = f".{self._target.name[:100]}.{os.urandom(8).hex()}"
            # Known before it is there: a signal may end the run at any moment.
            self._part = str(self._target.with_name(part))
            self._file = os.fdopen(os.open(self._part, _NEW, 0o600), "wb", buffering=1 << 16)

    def write(self, text: str) -> None:
        """Write ``text`` as UTF-8."""
        with self._writing():
            self._file.write(text.encode("utf-8", "backslashreplace"))

    def finish(self) -> None:
        """Put the file in its place, with the rights that it had, or that new files have."""
        with self._writing():
            self._file.close()
            if self._part is not None:
                with suppress(OSError):  # a file system without rights
                    Path(self._part).chmod(_mode(self._target))
                os.replace(self._part, self._target)  # noqa: PTH105
                self._part = None

    def discard(self) -> None:
        """Leave the file as it was."""
        with suppress(OSError):
            self._file.close()
        if self._part is not None:
            with suppress(OSError):
                Path(self._part).unlink()
            self._part = None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            message = f"Cannot be written: {why}"
            name = self._name
            finding = Finding("usage/unwritable-output", message, source=name, actual=name)
            raise UsageError(finding._replace(expected="a file that can be written")) from None


def write_whole(name: str, data: bytes) -> None:
    """Write a file at once, or leave it as it is. Raises as :class:`FileOutput`."""
    output = FileOutput(name)
    try:
        output.begin()
        output.write(data.decode())
        output.finish()
    except BaseException:
        output.discard()
        raise


def _is_special(target: Path) -> bool:
    """Return whether a file is there that is not a regular one. Raises OSError for a bad name."""
    try:
        return not stat.S_ISREG(target.stat().st_mode)
    except FileNotFoundError:
        return False


def _mode(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask
