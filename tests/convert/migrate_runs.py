"""A folder with files of stored records, as ``partwire migrate`` finds them."""

from __future__ import annotations

from pathlib import Path

from tests.convert.stored_texts import lifted, message, record

OLD = [record(message(n, state=n % 2 == 0), "v0.1") for n in range(5)]
NEW = [record(lifted(n, state=n % 2 == 0), "v0.2") for n in range(5)]
UP = ("migrate", "--to", "v0.2")


def write(name: str, data: bytes) -> Path:
    path = Path(name)
    path.write_bytes(data)
    return path


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())
