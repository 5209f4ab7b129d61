"""Request bodies, read within their limits: bytes, memory of all requests, time between pieces."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    MutableMapping,
    Sequence,
)
from functools import partial
from time import monotonic
from typing import Any, Final

from .fairness import Share
from .limits import Limits
from .negotiation import Headers, content_coding
from .problems import Problem, refuse
from .waiting import limited

__all__ = ["Body", "ClientGone", "pieces_of"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_PIECE: Final = 1 << 16
_LENGTH: Final = re.compile(rb"[0-9]{1,20}")
_GZIP: Final = 16 + zlib.MAX_WBITS


class ClientGone(Exception):
    """The client has closed the connection: nobody waits for an answer."""


class Body:
    """The body of one request. ``received`` counts its bytes, as they came over the wire.

    ``complete`` says whether its end has been read; it is from the start where there is no body.
    ``held`` are the bytes that all requests together keep in memory.
    """

    __slots__ = (
        "_client",
        "_decoder",
        "_headers",
        "_held",
        "_kept",
        "_limits",
        "_patience",
        "_receive",
        "complete",
        "length",
        "received",
    )

    def __init__(
        self, headers: Headers, receive: Receive, limits: Limits, held: Share, client: str
    ) -> None:
        self._headers = headers
        self._receive = receive
        self._limits = limits
        self._held = held
        self._client = client
        self._kept = 0
        self._patience = limits.idle_seconds
        self._decoder: _Gunzip | None = None
        self.received = 0
        length = headers.get(b"content-length")
        self.length = int(length[0]) if length and _LENGTH.fullmatch(length[0]) else None
        self.complete = not self.length and b"transfer-encoding" not in headers

    def release(self) -> None:
        """Give back what :meth:`keep` has counted."""
        if self._kept:
            self._held.give_back(self._client, self._kept)
            self._kept = 0

    def keep(self, size: int) -> None:
        """Count bytes that stay in memory until the request has ended; raises Problem 429."""
        self._held.take(self._client, size)
        self._kept += size

    async def whole(self) -> bytes:
        """Return a body that is one document. Raises Problem 413, 408, 415, 429; ClientGone."""
        most = self._limits.body_bytes
        self._begin(most)
        pieces = []
        while not self.complete:
            for piece in await self._read(most):
                self.keep(len(piece))
                pieces.append(piece)
                if self._decoder is not None:
                    await asyncio.sleep(0)  # others have their turn: few bytes may become many
        return b"".join(pieces)

    async def pieces(self, most: int) -> AsyncIterator[bytes]:
        """Yield a body as it comes, decoded, at most ``most`` bytes and 64 KiB a piece.

        Raises as :meth:`whole`.
        """
        self._begin(most)
        while not self.complete:
            for piece in await self._read(most):
                yield piece
                if self._decoder is not None:
                    await asyncio.sleep(0)  # as above

    def _begin(self, most: int) -> None:
        if content_coding(self._headers) == "gzip":
            self._decoder = _Gunzip()
        if self.length is not None and self.length > most:
            raise _too_large(most)

    async def _read(self, most: int) -> Iterable[bytes]:
        """Return the next pieces, if bytes come before the patience with their sender is at an end.

        Each byte earns a moment of it, never more than there was at first. What this service
        takes to work on a piece costs the sender nothing.
        """
        idle, rate = self._limits.idle_seconds, self._limits.body_rate
        begin = monotonic()
        try:
            message = await limited(self._receive(), partial(asyncio.timeout, self._patience))
        except TimeoutError:
            raise refuse(
                "service/slow-sender",
                "The body does not come fast enough",
                expected=f"{rate} bytes a second, no more than {idle:g} seconds late",
            ) from None
        took = monotonic() - begin
        received = self.taken(message)
        if not self.complete:
            left = max(0.0, self._patience - took)
            self._patience = min(idle, left + len(received) / rate)
        if self.received > most:
            raise _too_large(most)
        if self._decoder is not None:
            return self._decoded(self._decoder, received, most)
        return pieces_of(received) if received else ()

    def _decoded(self, decoder: _Gunzip, received: bytes, most: int) -> Iterator[bytes]:
        for piece in decoder.feed(received):
            if decoder.size > most:
                raise _too_large(most)
            yield piece
        if self.complete:
            decoder.close()

    def taken(self, message: MutableMapping[str, Any]) -> bytes:
        """Count what one ASGI message brings. Raises ClientGone."""
        if message["type"] != "http.request":
            raise ClientGone
        piece: bytes = message.get("body", b"")
        self.received += len(piece)
        self.complete = not message.get("more_body", False)
        return piece


def pieces_of(data: bytes) -> Sequence[bytes]:
    """Return bytes in pieces of 64 KiB at most; nothing is one empty piece."""
    if len(data) <= _PIECE:
        return (data,)
    return [data[begin : begin + _PIECE] for begin in range(0, len(data), _PIECE)]


def _too_large(most: int) -> Problem:
    return refuse(
        "service/too-large",
        "The body is too large",
        expected=f"at most {most} bytes",
        actual=f"more than {most} bytes",
    )


class _Gunzip:
    """Decodes gzip, of one or several members, in pieces of bounded size.

    ``size`` counts the bytes of these.
    """

    def __init__(self) -> None:
        self.size = 0
        self._decoder = zlib.decompressobj(_GZIP)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what ``data`` decodes to, at most 64 KiB a piece: a bomb explodes step by step.

        Raises Problem 400 ``service/bad-request`` for what is not gzip.
        """
        while data:
            if self._decoder.eof:
                self._decoder = zlib.decompressobj(_GZIP)
            self._begun = True
            try:
                piece = self._decoder.decompress(data, _PIECE)
                while len(piece) == _PIECE:
                    self.size += _PIECE
                    yield piece
                    piece = self._decoder.decompress(self._decoder.unconsumed_tail, _PIECE)
            except zlib.error:
                raise _no_gzip("The body is not gzip") from None
            if piece:
                self.size += len(piece)
                yield piece
            data = self._decoder.unused_data

    def close(self) -> None:
        """Say that the body has ended; raises Problem 400 where it is cut off."""
        if self._begun and not self._decoder.eof:
            raise _no_gzip("The gzip of the body is cut off")


def _no_gzip(message: str) -> Problem:
    return refuse("service/bad-request", message, expected="the content encoding gzip")
