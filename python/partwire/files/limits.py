"""How much is read at once, and how large a document of this run may be."""

from __future__ import annotations

from typing import Final

__all__ = ["CHUNK_BYTES", "DEFAULT_DOCUMENT_BYTES", "document_bytes", "set_document_bytes"]

CHUNK_BYTES: Final = 1 << 17

# That of framing, which every start of the program would have to load for it.
DEFAULT_DOCUMENT_BYTES: Final = 64 * 1024 * 1024

_most = DEFAULT_DOCUMENT_BYTES


def document_bytes() -> int:
    """Return the limit of this run."""
    return _most


def set_document_bytes(most: int) -> None:
    """Set the limit; every run of the program does."""
    global _most  # noqa: PLW0603 - a process is one run
    _most = most
