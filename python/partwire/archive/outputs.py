"""The files that a task makes: under names that no other attempt has, and seen by readers when the
task's manifest is there.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast

import msgspec

from ..errors import Finding, UsageError
from ..files.compressed import zstd_module
from .lines import LongLine
from .store import Store

__all__ = ["Compress", "Outputs", "best_compression", "is_output", "quarantined", "too_long"]

Compress = Literal["zstd", "gzip", "none"]
"""How the files of tables are compressed."""

_SUFFIX: Final[dict[Compress, str]] = {"zstd": ".zst", "gzip": ".gz", "none": ""}
_GZIP_LEVEL: Final = 6  # the gzip command's own
_OUTPUT: Final = re.compile(r"[\w-]+/p?\d{6,}-[0-9a-f]{8}\.[\w.]+")

_encode = msgspec.json.Encoder().encode
_BUFFER_BYTES: Final = 1 << 18


def best_compression() -> Compress:
    """Return zstd where there is a module for it, else none."""
    try:
        zstd_module()
    except UsageError:
        return "none"
    return "zstd"


def is_output(name: str) -> bool:
    """Tell whether a file of a target is named as a task names its files."""
    return _OUTPUT.fullmatch(name) is not None


class Outputs:
    """The files of one attempt at a task. A context manager: what was not put is removed."""

    def __init__(
        self, target: Store, folder: Path, task: str, compress: Compress | None = None
    ) -> None:
        self._target = target
        self._folder = folder
        self._name = f"{task}-{secrets.token_hex(4)}"
        self._compress: Compress = compress or "none"
        self._files: dict[str, _File] = {}

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, *_exc: object) -> None:
        for file in self._files.values():
            file.discard()

    def write(self, table: str, line: bytes) -> None:
        """Append a line to the task's file of a table."""
        file = self._files.get(table)
        if file is None:
            ends = f".jsonl{_SUFFIX[self._compress]}"
            path = self._folder / f"{table}-{self._name}{ends}"
            file = self._files[table] = _File(f"{table}/{self._name}{ends}", path, self._compress)
        file.write(line)

    def note(self, table: str, row: dict[str, Any], source: str, line: int) -> None:
        """Append a row about a line of an input, with its place."""
        self.write(table, _encode({**row, "source": source, "line": line}))

    def put(self) -> list[dict[str, Any]]:
        """Put the files where they are to be, and return what a manifest says of them."""
        return [file.put(self._target) for file in self._files.values()]


class _File:
    def __init__(self, name: str, path: Path, compress: Compress) -> None:
        self._name = name
        self._path = path
        self._file = path.open("xb", 0)
        self._packed: BinaryIO = _packed(self._file, compress)
        self._held: list[bytes] = []
        self._held_bytes = self._rows = self._size = 0
        self._digest = hashlib.sha256()

    def write(self, line: bytes) -> None:
        self._rows += 1
        self._held.append(line)
        self._held_bytes += len(line) + 1
        if self._held_bytes > _BUFFER_BYTES:
            self._write()

    def _write(self) -> None:
        self._held.append(b"")
        text = b"\n".join(self._held)
        self._held.clear()
        self._size += len(text)
        self._held_bytes = 0
        self._digest.update(text)
        left = memoryview(text)
        while left:  # a file without a buffer may take a part
            left = left[self._packed.write(left) :]

    def put(self, target: Store) -> dict[str, Any]:
        if self._held:
            self._write()
        self._packed.close()
        self._file.close()
        stored = self._path.stat().st_size
        target.put(self._name, self._path)
        return {
            "name": self._name,
            "rows": self._rows,
            "size": self._size,
            "stored": stored,
            "sha256": self._digest.hexdigest(),
        }

    def discard(self) -> None:
        with suppress(OSError):  # of a disk that is full
            self._packed.close()
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


def _packed(file: Any, compress: Compress) -> BinaryIO:
    if compress == "gzip":
        return cast(BinaryIO, gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0))
    if compress == "zstd":
        return cast(BinaryIO, zstd_module().ZstdFile(file, "wb"))
    return cast(BinaryIO, file)


def quarantined(line: bytes, finding: Finding) -> dict[str, Any]:
    """Return what the table ``quarantine`` says of a line beside its place: why, and its bytes."""
    try:
        return {**_why(finding), "text": line.decode()}
    except UnicodeDecodeError:
        return {**_why(finding), "base64": base64.b64encode(line).decode()}


def too_long(line: LongLine, finding: Finding) -> dict[str, Any]:
    """Return what it says of a line that is too long to be kept: its length and first bytes."""
    head = line.head.decode("utf-8", "replace")
    return {**_why(finding), "length": line.length, "head": head}


def _why(finding: Finding) -> dict[str, Any]:
    return finding._replace(source=None, line=None).to_wire()
