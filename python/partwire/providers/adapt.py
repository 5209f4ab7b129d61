"""Bytes of one response → deltas, of a dialect that is named or that its first events show."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, Protocol

from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.message import MessageDelta
from partwire.errors import Finding, PartwireError, UsageError, bad_argument
from partwire.json.text import decode_json

from ..message.assembler.limits import Limits
from ..tables.limits import DEFAULT_LIMIT_BYTES
from .byte_adapter import ByteAdapter, Framing
from .core.adapter import ProviderAdapter
from .core.sniff import dialect_of
from .core.stream_words import AuthorLike, FormatLike
from .native_reader import NativeReader, open_native
from .registry import ADAPTERS, open_adapter

__all__ = [
    "adapt_bytes",
    "adapt_bytes_async",
    "detect_dialect",
    "looks_like_delta",
    "undetected",
]

_BUFFERS: Final = (bytes, bytearray, memoryview)


def adapt_bytes(  # noqa: PLR0913 - those of open_adapter, and the framing
    dialect: str | None,
    chunks: bytes | Iterable[bytes],
    run_id: str,
    *,
    clock: Callable[[], str],
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
) -> Iterator[MessageDelta]:
    """Yield the deltas of one response; the last one is ``done`` or ``error``.

    ``chunks`` are bytes in any cut, or the bytes of all of it. ``dialect`` may be an alias such as
    ``anthropic``; None is that of the first event that only one dialect has, and until that comes
    at most 64 MiB are held. For findings take a :class:`ByteAdapter` and read its adapter. Raises
    UsageError ``usage/unknown-dialect`` or ``usage/invalid-argument``, for a chunk that is not
    bytes when it comes, and for a stream that shows no dialect where that is known.
    """
    options: dict[str, Any] = {"clock": clock, "used_tool_call_ids": used_tool_call_ids}
    options |= {"keep_raw": keep_raw, "message_id": message_id, "turn_id": turn_id}
    options |= {"author": author, "format": format, "version": version}
    reader = _reader(dialect, run_id, framing, options)
    given: Any = chunks  # whoever has no type checker may bring anything
    if isinstance(given, _BUFFERS):
        return Adapted(reader, (bytes(given),))
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _not_chunks("bytes, or an iterable of bytes", given)
    return Adapted(reader, given)


class Adapted(Iterator[MessageDelta]):
    """The deltas of a response, each when it is asked for.

    ``assemble`` may ask for the message instead (``take_message``): with the native core its
    deltas need not be made then.
    """

    def __init__(self, reader: _Reader, chunks: Iterable[bytes]) -> None:
        self._reader = reader
        self._chunks = chunks
        self._deltas: Iterator[MessageDelta] | None = None  # once something has been asked for

    def __next__(self) -> MessageDelta:
        if self._deltas is None:
            self._deltas = _deltas_of(self._reader, self._chunks)
        return next(self._deltas)

    def take_message(self, limits: Limits) -> bytes | None:
        """Read the response to its end, and return its message as JSON text.

        None where its deltas make the message: they are still to come, those before the first odd
        one as fewer that say the same.
        """
        reader = self._reader
        if self._deltas is not None or not isinstance(reader, NativeReader):
            return None
        reader.begin_message(limits)
        self._deltas = deltas = _deltas_of(reader, self._chunks)
        first = next(deltas, None)
        if first is None:
            return reader.message_text()
        self._deltas = chain((first,), deltas)
        return None

    @property
    def kept_back(self) -> int:
        """How many deltas will never come."""
        reader = self._reader
        return reader.kept_back if isinstance(reader, NativeReader) else 0


def _deltas_of(reader: _Reader, chunks: Iterable[bytes]) -> Iterator[MessageDelta]:
    """Yield the deltas of the chunks, and of their end."""
    if isinstance(reader, NativeReader):
        rest = iter(chunks)
        while (read := reader.read(rest)) is not None:
            deltas, odd = read
            yield from deltas or reader.feed(_chunk(odd))
    else:
        for chunk in chunks:
            yield from reader.feed(_chunk(chunk))
    yield from reader.close()


def adapt_bytes_async(  # noqa: PLR0913 - as adapt_bytes
    dialect: str | None,
    chunks: AsyncIterable[bytes],
    run_id: str,
    *,
    clock: Callable[[], str],
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
) -> AsyncIterator[MessageDelta]:
    """Yield the deltas of a response that comes asynchronously; errors as :func:`adapt_bytes`."""
    options: dict[str, Any] = {"clock": clock, "used_tool_call_ids": used_tool_call_ids}
    options |= {"keep_raw": keep_raw, "message_id": message_id, "turn_id": turn_id}
    options |= {"author": author, "format": format, "version": version}
    reader = _reader(dialect, run_id, framing, options)
    if not isinstance(chunks, AsyncIterable):
        raise _not_chunks("an asynchronous iterable of bytes", chunks)
    return _adapted_async(reader, chunks)


async def _adapted_async(
    reader: _Reader, chunks: AsyncIterable[bytes]
) -> AsyncIterator[MessageDelta]:
    async for chunk in chunks:
        for delta in reader.feed(_chunk(chunk)):
            yield delta
    for delta in reader.close():
        yield delta


def _chunk(chunk: Any) -> bytes:
    if not isinstance(chunk, _BUFFERS):
        raise _not_chunks("bytes", chunk)
    return bytes(chunk)


def _not_chunks(expected: str, value: object) -> UsageError:
    return bad_argument("Not what a response comes in", expected, value)


# --- what reads -----------------------------------------------------------------------------------


class _Reader(Protocol):
    """Bytes in, deltas out."""

    def feed(self, chunk: bytes) -> list[MessageDelta]: ...
    def close(self) -> list[MessageDelta]: ...


def _reader(
    dialect: str | None, run_id: str, framing: Framing, options: Mapping[str, Any]
) -> _Reader:
    if dialect is None:
        return _Detecting(lambda found: _reader(found, run_id, framing, options), framing)
    native = open_native(dialect, run_id, framing, options)
    return native or ByteAdapter(open_adapter(dialect, run_id, **options), framing)


class _Detecting:
    """Reads a stream as what it shows to be; raises UsageError ``usage/unknown-dialect``."""

    def __init__(self, open_reader: Callable[[str], _Reader], framing: Framing) -> None:
        self._open = open_reader
        self._probe = _Probe(framing)
        self._reader: _Reader | None = None

    def feed(self, chunk: bytes) -> list[MessageDelta]:
        if self._reader is not None:
            return self._reader.feed(chunk)
        self._probe.feed(chunk)
        return self._opened() if self._probe.is_over else []

    def close(self) -> list[MessageDelta]:
        deltas: list[MessageDelta] = []
        if self._reader is None:
            self._probe.close()
            deltas = self._opened()
        assert self._reader is not None
        return deltas + self._reader.close()

    def _opened(self) -> list[MessageDelta]:
        if self._probe.dialect is None:
            raise undetected()
        self._reader = reader = self._open(self._probe.dialect)
        return [delta for chunk in self._probe.held for delta in reader.feed(chunk)]


# --- which dialect --------------------------------------------------------------------------------


def detect_dialect(
    chunks: Iterable[bytes], framing: Framing = "auto"
) -> tuple[str | None, Iterator[bytes]]:
    """Return the dialect that a provider's stream shows, and the whole stream, to be read from
    its beginning; None where nothing shows one. No more is read than it takes.

    It may be one without an adapter (``cohere-v1``). Raises UsageError ``usage/invalid-argument``.
    """
    probe = _Probe(framing)
    rest = iter(chunks)
    for chunk in rest:
        probe.feed(chunk)
        if probe.is_over:
            break
    else:
        probe.close()
    return probe.dialect, chain(probe.held, rest)


def looks_like_delta(line: bytes) -> bool:
    """Return whether a line is a delta of the contract, even if not a valid one."""
    try:
        value = decode_json(line)
    except PartwireError:
        return False
    return isinstance(value, dict) and len(_DELTA_MEMBERS & value.keys()) > 1


_DELTA_MEMBERS: Final = frozenset({"runId", "seq", "kind"})


def undetected(
    source: str | None = None, dialects: Iterable[str] = ADAPTERS, option: str = "its dialect"
) -> UsageError:
    """Return the error for a stream that does not show what it is, one of ``dialects``; ``option``
    is where it can be said.
    """
    message = f"No event shows which dialect this is: name {option}"
    expected = f"one of {', '.join(dialects)}"
    return UsageError(Finding("usage/unknown-dialect", message, expected=expected, source=source))


class _Probe:
    """Holds the bytes of a stream until an event shows its dialect, in any framing."""

    def __init__(self, framing: Framing) -> None:
        self._listener = _Listener("probe", clock=str)
        self._reader = ByteAdapter(self._listener, framing)
        self._size = 0
        self.held: list[bytes] = []

    @property
    def dialect(self) -> str | None:
        """The dialect, as soon as it is known."""
        return self._listener.found

    @property
    def is_over(self) -> bool:
        """Whether it is known, or will not be."""
        is_known = self.dialect is not None or self._reader.failed
        return is_known or self._size > DEFAULT_LIMIT_BYTES

    def feed(self, chunk: bytes) -> None:
        self.held.append(chunk)
        self._size += len(chunk)
        self._reader.feed(chunk)

    def close(self) -> None:
        self._reader.close()


class _Listener(ProviderAdapter):
    """Looks which dialect events speak; makes no deltas."""

    dialect = "unknown"
    found: str | None = None

    def _read(self, event: dict[str, Any]) -> None:
        if self.found is None and "chunk" in event:
            self._read_chunk(event)
        elif self.found is None and (told := dialect_of(event)) is not None:
            self.found = told[0]

    def _finish(self) -> None:
        pass

    def _done_mark(self) -> None:
        pass
