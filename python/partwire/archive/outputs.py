"""The files that a task makes: under names that no other attempt has, and seen by readers when the
task's manifest is there.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ..errors import Finding
from .lines import LongLine
from .store import Store

__all__ = ["Outputs", "quarantined", "too_long"]

_encode = msgspec.json.Encoder().encode
_BUFFER_BYTES = 1 << 18


class Outputs:
    """The files of one attempt at a task. A context manager: files that were not put are removed."""

    def __init__(self, target: Store, folder: Path, task: str) -> None:
        self._target = target
        self._folder = folder
        self._name = f"{task}-{secrets.token_hex(4)}"
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
            path = self._folder / f"{table}-{self._name}.jsonl"
            file = self._files[table] = _File(f"{table}/{self._name}.jsonl", path)
        file.write(line)

    def put(self) -> list[dict[str, Any]]:
        """Put the files where they are to be, and return what a manifest says of them."""
        return [file.put(self._target) for file in self._files.values()]


class _File:
    def __init__(self, name: str, path: Path) -> None:
        self._name = name
        self._path = path
        self._file: BinaryIO = path.open("xb", _BUFFER_BYTES)
        self._rows = self._size = 0
        self._digest = hashlib.sha256()

    def write(self, line: bytes) -> None:
        self._rows += 1
        self._size += len(line) + 1
        self._digest.update(line)
        self._digest.update(b"\n")
        self._file.write(line)
        self._file.write(b"\n")

    def put(self, target: Store) -> dict[str, Any]:
        self._file.close()
        target.put(self._name, self._path)
        return {
            "name": self._name,
            "rows": self._rows,
            "size": self._size,
            "sha256": self._digest.hexdigest(),
        }

    def discard(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)


def quarantined(source: str, number: int, line: bytes, finding: Finding) -> bytes:
    """Return the row of the table ``quarantine`` for a line: where it was, why, and its bytes."""
    found = {**_why(finding), "source": source, "line": number}
    try:
        found["text"] = line.decode()
    except UnicodeDecodeError:
        found["base64"] = base64.b64encode(line).decode()
    return _encode(found)


def too_long(source: str, line: LongLine, finding: Finding) -> bytes:
    """Return the row for a line that is too long to be kept: where it is, and its first bytes."""
    head = line.head.decode("utf-8", "replace")
    place = {"source": source, "line": line.number, "length": line.length}
    return _encode({**_why(finding), **place, "head": head})


def _why(finding: Finding) -> dict[str, Any]:
    return finding._replace(source=None, line=None).to_wire()
