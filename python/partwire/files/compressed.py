"""gzip and zstd: what compressed bytes were before, a little at a time, and the way back.

Compression shows in the first bytes, which no text has; a name that says it as well is held to it.
What comes out is never more than a chunk at once, however much a few bytes stand for: how large a
document may be is for the reader of documents to say.
"""

from __future__ import annotations

import gzip
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import chain
from typing import Any, BinaryIO, Final, Protocol

from ..errors import Finding, ReadError, UsageError, clip
from .names import Compression

__all__ = ["compress", "compression_of", "decompressed", "zstd_module"]

_MAGIC: Final[dict[Compression, bytes]] = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_HEAD_BYTES: Final = max(map(len, _MAGIC.values()))
_OUT_BYTES: Final = 1 << 17
_GZIP_LEVEL: Final = 6  # the gzip command's own
_SUFFIX: Final[dict[Compression, str]] = {"gzip": ".gz", "zstd": ".zst"}


def compression_of(head: bytes) -> Compression | None:
    """Return the compression of bytes that begin so."""
    return next((name for name, magic in _MAGIC.items() if head.startswith(magic)), None)


def decompressed(chunks: Iterator[bytes], named: Compression | None) -> Iterator[bytes]:
    """Yield the bytes of a source as they are without compression; others as they come.

    ``named`` is what the name of the source says. Raises ReadError ``document/damaged-compression``
    and UsageError ``usage/missing-extra``.
    """
    head = b""
    while len(head) < _HEAD_BYTES and any(each.startswith(head) for each in _MAGIC.values()):
        chunk = next(chunks, b"")
        if not chunk:
            break
        head += chunk
    found = compression_of(head)
    if named is not None and found != named:
        message = f"The name ends with {_SUFFIX[named]}, and the bytes are not {named}"
        expected = f"bytes that begin with {_MAGIC[named].hex(' ')}"
        raise _damaged(message, expected, head[:_HEAD_BYTES].hex(" ") or "no bytes")
    whole = chain((head,) if head else (), chunks)
    return whole if found is None else _inflated(whole, found)


def compress(source: BinaryIO, target: BinaryIO, kind: Compression) -> None:
    """Write what ``source`` holds to ``target``, compressed.

    Raises UsageError ``usage/missing-extra``.
    """
    if kind == "gzip":
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, target, mtime=0) as packed:
            shutil.copyfileobj(source, packed, _OUT_BYTES)
    else:
        with zstd_module().ZstdFile(target, "wb") as packed:
            shutil.copyfileobj(source, packed, _OUT_BYTES)


# --- the two libraries, alike ---------------------------------------------------------------------


class _Decompressor(Protocol):
    """One stream of compressed bytes; what is behind its end is in ``unused_data``."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def needs_input(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """``zlib`` as the newer modules of the standard library are."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(out) < max_length
        return out


def _opened(kind: Compression) -> tuple[Callable[[], _Decompressor], type[Exception]]:
    """Return what opens a stream, and what it raises for bytes that are damaged."""
    if kind == "gzip":
        return _Gunzip, zlib.error
    zstd = zstd_module()
    return zstd.ZstdDecompressor, zstd.ZstdError


def zstd_module() -> Any:
    """Return the module for zstd. Raises UsageError ``usage/missing-extra``."""
    for name in ("compression.zstd", "backports.zstd"):  # of Python 3.14, and the extra
        with suppress(ImportError):
            return import_module(name)
    raise UsageError(
        Finding(
            "usage/missing-extra",
            "Reading zstd needs Python 3.14, or a package",
            expected="backports.zstd, as of: pip install 'partwire[zstd]'",
            actual="not installed",
        )
    )


def _inflated(chunks: Iterator[bytes], kind: Compression) -> Iterator[bytes]:
    new, error_type = _opened(kind)
    stream, taken = new(), 0
    is_open = False
    for chunk in chunks:
        data = chunk
        taken += len(chunk)
        while True:
            if stream.eof:
                if kind == "gzip":
                    data = data.lstrip(b"\0")  # gzip files may be padded, as on tapes
                if not data:
                    break
                stream = new()  # several streams, one behind the other, are one
            try:
                out = stream.decompress(data, _OUT_BYTES)
            except error_type as error:
                message = f"The {kind} data is damaged"
                actual = f"{clip(str(error))}, before byte {taken:,} of the file"
                raise _damaged(message, f"{kind} as it was written", actual) from None
            is_open = not stream.eof
            if out:
                yield out
            data = stream.unused_data if stream.eof else b""
            if not stream.eof and stream.needs_input:
                break
    if is_open:
        message = f"The {kind} data is cut off"
        raise _damaged(message, "the rest of it", f"the end of the file, behind byte {taken:,}")


def _damaged(message: str, expected: str, actual: str) -> ReadError:
    return ReadError(
        Finding("document/damaged-compression", message, expected=expected, actual=actual)
    )
