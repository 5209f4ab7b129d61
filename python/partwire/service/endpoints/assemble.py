"""One stream on its way to a message: bytes in, deltas into the assembler."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from ...contract.clock import now
from ...contract.current.message import MessageDelta
from ...errors import Finding, PartwireError, ReadError
from ...message import LineAssembler, MessageAssembler
from ...message.assembler.lines import read_delta_line
from ...message.assembler.snapshot import Snapshot
from ...providers import ADAPTERS, ByteAdapter, Framing, open_adapter
from ...providers.framing.jsonlines import LineBlock, LineBlockDecoder
from ...reading.pipeline import Binding, Mode, dump, read
from ...tables.event_dialects import ALIASES
from ..answers import json_answer, working
from ..exchange import Answer, Exchange
from ..fairness import Turns
from ..negotiation import chosen_type, content_type
from ..parameters import choice, count, read_query, text
from ..problems import Problem, problem_of, too_deep_here

__all__ = ["FRAMINGS", "Assembly", "assemble", "grow", "read_all"]


# --- the answer as an event stream: the message as it grows, while the body is still read ---------

_PENDING: Final = 64
_SHARE: Final = 16
"""Snapshots are at most so many times as large as what was received for them."""
_RETRY_MS: Final = 3000
_LARGE_BYTES: Final = 256 * 1024
_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


class _Shot(NamedTuple):
    """A snapshot that is not written yet, and how many bytes of the body are in it."""

    snapshot: Snapshot
    seq: int
    taken: int


class _Outbox:
    """Between who reads the body and who writes the answer: bounded, the newest counts."""

    def __init__(self) -> None:
        self._shots: deque[_Shot] = deque()
        self._event = asyncio.Event()

    @property
    def is_full(self) -> bool:
        return len(self._shots) >= _PENDING

    def put(self, shot: _Shot) -> None:
        if self.is_full:
            self._shots.pop()
        self._shots.append(shot)
        self._event.set()

    def wake(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for something to write; return whether it came in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        came = self._event.is_set()
        self._event.clear()
        return came

    def take(self) -> _Shot | None:
        return self._shots.popleft() if self._shots else None


async def grow(exchange: Exchange, assembly: Assembly) -> None:
    """Answer with events: a snapshot where one is due, at the end done or problem.

    Raises Problem, PartwireError and ClientGone where nothing has been written yet: the answer
    is then an ordinary one.
    """
    outbox, events = _Outbox(), _Events(exchange)
    reader = asyncio.ensure_future(_read(exchange, assembly, outbox))
    reader.add_done_callback(lambda _: outbox.wake())
    try:
        async with exchange.time_limit():
            while not reader.done():
                if not await outbox.wait(exchange.limits.ping_seconds):
                    await events.ping()
                await events.write(outbox)
            await reader
            await events.write(outbox)
            await events.end(
                "done", await _message(exchange, assembly), assembly.assembler.last_seq
            )
    except (Problem, PartwireError, RecursionError) as error:
        problem = _problem(error, assembly)
        if not events.are_open:
            raise problem from None
        exchange.state.metrics.refused(problem.findings)
        await events.end("problem", problem.body(), assembly.assembler.last_seq)
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


def _problem(error: Problem | PartwireError | RecursionError, assembly: Assembly) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, RecursionError):
        return Problem([too_deep_here()])
    return problem_of(error, assembly.findings)


async def _read(exchange: Exchange, assembly: Assembly, outbox: _Outbox) -> None:
    body = exchange.body
    turns = Turns()
    async for piece in body.pieces(exchange.limits.stream_bytes):
        body.keep(len(piece))
        for is_due in assembly.feed(piece):
            if is_due and (assembler := assembly.assembler).status == "started":
                outbox.put(_Shot(assembler.snapshot(), assembler.last_seq, assembly.taken))
                if outbox.is_full:
                    await asyncio.sleep(0)  # a reader that is not slow gets them all
            await turns.give()
    for _ in assembly.close():
        pass


async def read_all(exchange: Exchange, assembly: Assembly) -> bytes:
    """Read the whole body, and return the message as JSON text; raises what assembling raises."""
    body, turns = exchange.body, Turns()
    try:
        async for piece in body.pieces(exchange.limits.stream_bytes):
            body.keep(len(piece))
            for _ in assembly.feed(piece):
                await turns.give()
        for _ in assembly.close():
            pass
        return await _message(exchange, assembly)
    except PartwireError as error:
        raise problem_of(error, assembly.findings) from None


async def _message(exchange: Exchange, assembly: Assembly) -> bytes:
    """Return the finished message; a large one is written beside the event loop."""
    if exchange.body.received <= _LARGE_BYTES:
        return assembly.message()
    return await asyncio.to_thread(assembly.message)


class _Events:
    """Writes the events of one answer; the first one opens it."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.are_open = False
        self._left = exchange.limits.snapshot_bytes
        self._last = b""
        self._due_at = 0

    async def ping(self) -> None:
        """Write a comment: nothing has happened, but the connection is used."""
        await self._send(b": ping\n\n")

    async def write(self, outbox: _Outbox) -> None:
        """Write the snapshots that are due, as fast as the client takes them."""
        while (shot := outbox.take()) is not None:
            # A snapshot that is long compared to what is new in it waits for more.
            if shot.taken < self._due_at or not self._left:
                continue
            data = await _text(shot)
            if data == self._last:
                continue
            if len(data) > self._left:
                self._left = 0
                continue
            self._left -= len(data)
            self._last = data
            self._due_at = shot.taken + len(data) // _SHARE
            await self._send(_event("snapshot", data, shot.seq))

    async def end(self, name: str, data: bytes, seq: int) -> None:
        """Write the last event, and end the answer."""
        await self._send(_event(name, data, seq), more=False)

    async def _send(self, data: bytes, *, more: bool = True) -> None:
        send = self._exchange.send
        if not self.are_open:
            self.are_open = True
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            data = b"retry: %d\n" % _RETRY_MS + data
        await send({"type": "http.response.body", "body": data, "more_body": more})


async def _text(shot: _Shot) -> bytes:
    """Return a snapshot as JSON text, which costs as much as it is large."""
    if shot.taken <= _LARGE_BYTES:
        return dump(shot.snapshot)
    return await asyncio.to_thread(dump, shot.snapshot)


def _event(name: str, data: bytes, seq: int) -> bytes:
    number = b"id: %d\n" % seq if seq >= 0 else b""
    return b"%sevent: %s\ndata: %s\n\n" % (number, name.encode(), data)


# --- the endpoint ---------------------------------------------------------------------------------

EVENT_STREAM: Final = "text/event-stream"
_DELTAS: Final = ("application/jsonl", "application/x-ndjson")
_dialect_named = choice(*ADAPTERS)


def _dialect(name: str, value: str) -> str:
    dialect: str = _dialect_named(name, ALIASES.get(value, value))
    return dialect


_READERS: Final = {
    "from": _dialect,
    "mode": choice("strict", "tolerant"),
    "runId": text(),
    "snapshotEvery": count(1, 100_000),
}
_EVERY: Final = 20
_GIVEN: Final = ("application/json", EVENT_STREAM)


@lru_cache(maxsize=64)
def _asked(query: bytes) -> Mapping[str, Any]:
    return read_query(query, _READERS)


async def assemble(exchange: Exchange) -> Answer | None:
    """Answer with the message, at its end or as it grows."""
    given = _asked(exchange.query)
    dialect = given.get("from")
    kind = content_type(exchange.headers, _DELTAS if dialect is None else _STREAMS)
    answer = chosen_type(exchange.headers, _GIVEN)
    every = given.get("snapshotEvery", _EVERY) if answer == EVENT_STREAM else sys.maxsize
    run_id, most = given.get("runId"), exchange.limits.line_bytes
    if dialect is None:
        assembly: Assembly = _OfLines(run_id, given.get("mode", "strict"), most, every)
    else:
        assembly = _OfResponse(dialect, run_id or "run", FRAMINGS[kind], most, every)
    if answer == EVENT_STREAM:
        state, client = exchange.state, exchange.client
        state.take_place(client)
        try:
            await grow(exchange, assembly)
        finally:
            state.places.give_back(client)
        return None
    return json_answer(await working(exchange, partial(read_all, exchange, assembly)))


# --- the stream -----------------------------------------------------------------------------------

FRAMINGS: Final[dict[str, Framing]] = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "text/event-stream": "sse",
    "application/vnd.amazon.eventstream": "eventstream",
}
"""Content type → how a stream is cut into events."""
_STREAMS: Final = tuple(FRAMINGS)

_DELTA: Final = "message.MessageDelta"
_SPACE: Final = b" \t\r\n"


class Assembly(ABC):
    """Makes one message of the bytes of a body.

    ``feed`` and ``close`` do their work in parts, after each of which others may have their turn:
    they yield whether a snapshot is due, which it is after every so many deltas. Raises
    PartwireError for what is refused.
    """

    def __init__(self, every: int) -> None:
        self.taken = 0
        """How many bytes, more or less, the deltas so far came from."""
        self._every = every
        self._deltas = 0

    @property
    @abstractmethod
    def assembler(self) -> MessageAssembler:
        """What has come so far, to be read."""

    @property
    @abstractmethod
    def findings(self) -> list[Finding]:
        """What did not fit and stopped nothing."""

    @abstractmethod
    def feed(self, piece: bytes) -> Iterator[bool]:
        """Take a piece of the body."""

    @abstractmethod
    def close(self) -> Iterator[bool]:
        """Take what the body has left unfinished at its end."""

    @abstractmethod
    def message(self) -> bytes:
        """Return the finished message as JSON text.

        Raises ``stream/truncated`` where the stream has no end; StreamFailed after an error delta.
        """

    def _count(self, deltas: int, size: int) -> bool:
        """Count deltas; return whether a snapshot is due."""
        self._deltas += deltas
        self.taken += size
        return self._deltas % self._every == 0


class _OfLines(Assembly):
    """From deltas, one a line: what is refused names the line.

    Strictly, each is what the schema says, to the form of a time that goes nowhere: that is what
    the service's description promises of its body, and more than the assembler itself asks for.
    """

    def __init__(self, run_id: str | None, mode: Mode, max_line_bytes: int, every: int) -> None:
        super().__init__(every)
        self._mode: Mode = mode
        self._cutter = LineBlockDecoder(max_line_bytes, keep_ends=True)
        self._lines = LineAssembler(run_id, mode=mode)
        self._refused = Binding.of(_DELTA).refused

    @property
    def assembler(self) -> MessageAssembler:
        return self._lines.assembler

    @property
    def findings(self) -> list[Finding]:
        return self.assembler.findings

    def feed(self, piece: bytes) -> Iterator[bool]:
        for block in self._cutter.feed(piece):
            yield from self._take(block)

    def close(self) -> Iterator[bool]:
        for block in self._cutter.close():
            yield from self._take(block)

    def message(self) -> bytes:
        return dump(self._lines.finish())

    def _take(self, block: LineBlock) -> Iterator[bool]:
        lines, begin = block.lines, 0
        for odd in (*self._refused(lines, "ignore"), len(lines)):
            while begin < odd:
                end = min(odd, begin + self._every - self._deltas % self._every)
                yield self._take_lines(lines[begin:end])
                begin = end
            if odd < len(lines):
                yield self._take_odd(lines[odd], block.number + odd)
                begin = odd + 1

    def _take_lines(self, lines: list[bytes]) -> bool:
        text = b"".join(lines)
        self._lines.feed(text)
        return self._count(len(lines), len(text))

    def _take_odd(self, line: bytes, number: int) -> bool:
        """Take a line that may be blank, or not a delta."""
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        if not text.strip(_SPACE):
            self._lines.feed(b"\n")
            return False
        try:
            if self._mode == "strict":
                read(text, _DELTA)
            else:
                read_delta_line(text, self._mode)
        except ReadError as error:
            raise ReadError(*(each._replace(line=number) for each in error.findings)) from None
        return self._take_lines([text + b"\n"])


class _OfResponse(Assembly):
    """From a provider's own stream."""

    def __init__(
        self, dialect: str, run_id: str, framing: Framing, max_event_bytes: int, every: int
    ) -> None:
        super().__init__(every)
        self._assembler = MessageAssembler()
        adapter = open_adapter(dialect, run_id, clock=now)
        self._reader = ByteAdapter(adapter, framing, max_event_bytes)

    @property
    def assembler(self) -> MessageAssembler:
        return self._assembler

    @property
    def findings(self) -> list[Finding]:
        return [*self._reader.adapter.findings, *self._assembler.findings]

    def feed(self, piece: bytes) -> Iterator[bool]:
        return self._take(self._reader.feed(piece), len(piece))

    def close(self) -> Iterator[bool]:
        return self._take(self._reader.close(), 0)

    def message(self) -> bytes:
        self._assembler.close()
        return dump(self._assembler.build_final_message())

    def _take(self, deltas: list[MessageDelta], size: int) -> Iterator[bool]:
        for delta in deltas:
            self._assembler.consume(delta)
            yield self._count(1, size // len(deltas))
