"""One document as a whole, within a limit: what has no end must not take all memory.

Sans-IO: the bytes come as chunks, whoever reads them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import Finding, FramingError
from .feeder import DEFAULT_LIMIT_BYTES

__all__ = ["join_whole"]


def join_whole(chunks: Iterable[bytes], max_bytes: int = DEFAULT_LIMIT_BYTES) -> bytes:
    """Return the chunks together; beyond ``max_bytes`` no further chunk is taken.

    Raises FramingError ``framing/document-too-large``.
    """
    whole = bytearray()
    for chunk in chunks:
        whole += chunk
        if len(whole) > max_bytes:
            raise FramingError(
                Finding(
                    "framing/document-too-large",
                    "The document is larger than the limit for what is read as a whole",
                    expected=f"at most {max_bytes} bytes",
                    actual=f"more than {max_bytes} bytes",
                )
            )
    return bytes(whole)
