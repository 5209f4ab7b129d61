"""Small streams of every dialect: calls and an answer, a wrong value and a right one."""

from __future__ import annotations

from pathlib import Path

from partwire.model import ReplayModel
from partwire.providers import ADAPTERS

DATA = Path(__file__).resolve().parents[1] / "data" / "examples"
DIALECTS = tuple(ADAPTERS)


def path_of(dialect: str, name: str) -> Path:
    """Return the file of a stream: ``calls``, ``answer``, ``wrong`` or ``right``."""
    (path,) = (DATA / dialect).glob(f"{name}.*")
    return path


def replay(dialect: str, *names: str) -> ReplayModel:
    """Return a model that plays the streams in this order."""
    return ReplayModel([path_of(dialect, name) for name in names], dialect=dialect)


def cut(path: Path, folder: Path) -> Path:
    """Return a copy of a stream whose last third is missing."""
    data = path.read_bytes()
    short = folder / path.name
    short.write_bytes(data[: len(data) * 2 // 3])
    return short
