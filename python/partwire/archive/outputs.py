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
    """The files of one attempt at a task. A context manager: what was not put is removed."""

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

    def note(self, table: str, row: dict[str, Any], source: str, line: int) -> None:
        """Append a row about a line of an input, with its place."""
        self.write(table, _encode({**row, "source": source, "line": line}))

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
