"""What the name of a file says: lines, JSON or YAML, and how it is compressed."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, Literal

__all__ = ["SUFFIXES", "Compression", "Form", "compression_named", "form_named", "stem_named"]

Form = Literal["lines", "json", "yaml"]
Compression = Literal["gzip", "zstd"]

_FORMS: Final[dict[str, Form]] = {
    ".json": "json",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_COMPRESSIONS: Final[dict[str, Compression]] = {".gz": "gzip", ".zst": "zstd"}

SUFFIXES: Final = tuple(_FORMS)
"""What the files end with that are read of a folder; .gz or .zst may follow."""


def form_named(name: str) -> Form | None:
    """Return the form that the name of a file says, compressed or not; None where it says none."""
    path = PurePath(name.lower())
    if path.suffix in _COMPRESSIONS:
        path = path.with_suffix("")
    return _FORMS.get(path.suffix)


def stem_named(name: str) -> str:
    """Return the name of a file without its folders and its endings."""
    path = PurePath(name)
    return (path.with_suffix("") if compression_named(name) else path).stem or name


def compression_named(name: str) -> Compression | None:
    """Return the compression that the name of a file says."""
    return _COMPRESSIONS.get(PurePath(name.lower()).suffix)
