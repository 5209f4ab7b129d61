"""Request bodies, read within their limits: bytes, memory of all requests, time between pieces."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from typing import Any, Final

from .fairness import Share
from .limits import Limits
from .negotiation import Headers, content_coding, header
from .problems import Problem, refuse

__all__ = ["Body", "ClientGone"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_PIECE: Final = 1 << 16
_LENGTH: Final = re.compile("[0-9]{1,20}")
_GZIP: Final = 16 + zlib.MAX_WBITS


class ClientGone(Exception):
    """The client has closed the connection: nobody waits for an answer."""


class Body:
    """The body of one request. ``received`` counts its bytes, as they came over the wire.

    ``complete`` says whether its end has been read; it is from the start where there is no body.
    ``held`` are the bytes that all requests together keep in memory.
    """

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
        self.received = 0
        length = header(headers, b"content-length")
        self.length = int(length[0]) if length and _LENGTH.fullmatch(length[0]) else None
        self.complete = not self.length and not header(headers, b"transfer-encoding")

    def release(self) -> None:
        """Give back what :meth:`keep` has counted."""
        self._held.give_back(self._client, self._kept)
        self._kept = 0

    def keep(self, size: int) -> None:
        """Count bytes that stay in memory until the request has ended; raises Problem 429."""
        self._held.take(self._client, size)
        self._kept += size

    async def whole(self) -> bytes:
        """Return a body that is one document. Raises Problem 413, 408, 415, 429; ClientGone."""
        pieces = []
        async for piece in self.pieces(self._limits.body_bytes):
            self.keep(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    async def pieces(self, most: int) -> AsyncIterator[bytes]:
        """Yield a body as it comes, decoded, at most ``most`` bytes; raises as :meth:`whole`."""
        coding = content_coding(self._headers)
        if self.length is not None and self.length > most:
            raise _too_large(most)
        if coding == "identity":
            async for piece in self._raw(most):
                yield piece
            return
        size = 0
        decoder = _Gunzip()
        async for piece in self._raw(most):
            for decoded in decoder.feed(piece):
                size += len(decoded)
                if size > most:
                    raise _too_large(most)
                yield decoded
                await asyncio.sleep(0)  # others have their turn: one piece may become a thousand
        decoder.close()

    async def _raw(self, most: int) -> AsyncIterator[bytes]:
        while not self.complete:
            piece = await self._next()
            if self.received > most:
                raise _too_large(most)
            if piece:
                yield piece

    async def _next(self) -> bytes:
        """Return the next piece, if it comes before the patience with its sender is at an end.

        Each byte earns a moment of it, never more than there was at first. What this service
        takes to work on a piece costs the sender nothing.
        """
        idle, rate = self._limits.idle_seconds, self._limits.body_rate
        clock = asyncio.get_running_loop().time
        begin = clock()
        try:
            async with asyncio.timeout(self._patience):
                message = await self._receive()
        except TimeoutError:
            raise refuse(
                "service/slow-sender",
                "The body does not come fast enough",
                expected=f"{rate} bytes a second, no more than {idle:g} seconds late",
            ) from None
        piece = self.taken(message)
        left = max(0.0, self._patience - (clock() - begin))
        self._patience = min(idle, left + len(piece) / rate)
        return piece

    def taken(self, message: MutableMapping[str, Any]) -> bytes:
        """Count what one ASGI message brings. Raises ClientGone."""
        if message["type"] != "http.request":
            raise ClientGone
        piece: bytes = message.get("body", b"")
        self.received += len(piece)
        self.complete = not message.get("more_body", False)
        return piece


def _too_large(most: int) -> Problem:
    return refuse(
        "service/too-large",
        "The body is too large",
        expected=f"at most {most} bytes",
        actual=f"more than {most} bytes",
    )


class _Gunzip:
    """Decodes gzip, of one or several members, in pieces of bounded size."""

    def __init__(self) -> None:
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
                    yield piece
                    piece = self._decoder.decompress(self._decoder.unconsumed_tail, _PIECE)
            except zlib.error:
                raise _no_gzip("The body is not gzip") from None
            if piece:
                yield piece
            data = self._decoder.unused_data

    def close(self) -> None:
        """Say that the body has ended; raises Problem 400 where it is cut off."""
        if self._begun and not self._decoder.eof:
            raise _no_gzip("The gzip of the body is cut off")


def _no_gzip(message: str) -> Problem:
    return refuse("service/bad-request", message, expected="the content encoding gzip")
