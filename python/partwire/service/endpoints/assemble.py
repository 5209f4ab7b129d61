"""One stream on its way to a message: bytes in, deltas into the assembler."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from starlette.responses import Response

from ...contract.clock import now
from ...errors import Finding, PartwireError
from ...message import MessageAssembler
from ...message.assembler.lines import read_delta_line
from ...message.assembler.snapshot import Snapshot
from ...providers import ADAPTERS, ByteAdapter, Framing, open_adapter
from ...providers.framing import JSONLinesDecoder, RawLine
from ...reading.pipeline import Binding, Mode, dump, read
from ...tables.event_dialects import ALIASES
from ..answers import json_answer, working
from ..exchange import Exchange
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


async def grow(exchange: Exchange, assembly: Assembly, every: int) -> None:
    """Answer with events: a snapshot after every so many deltas, at the end done or problem.

    Raises Problem, PartwireError and ClientGone where nothing has been written yet: the answer
    is then an ordinary one.
    """
    outbox, events = _Outbox(), _Events(exchange)
    reader = asyncio.ensure_future(_read(exchange, assembly, outbox, every))
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


async def _read(exchange: Exchange, assembly: Assembly, outbox: _Outbox, every: int) -> None:
    body, assembler = exchange.body, assembly.assembler
    turns = Turns()
    deltas = taken = 0
    async for piece in body.pieces(exchange.limits.stream_bytes):
        body.keep(len(piece))
        for size in assembly.feed(piece):
            deltas += 1
            taken += size
            if deltas % every == 0 and assembler.status == "started":
                outbox.put(_Shot(assembler.snapshot(), assembler.last_seq, taken))
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


async def assemble(exchange: Exchange) -> Response | None:
    """Answer with the message, at its end or as it grows."""
    given = read_query(exchange.query, _READERS)
    dialect = given.get("from")
    kind = content_type(exchange.headers, _DELTAS if dialect is None else tuple(FRAMINGS))
    answer = chosen_type(exchange.headers, ("application/json", EVENT_STREAM))
    assembly = Assembly(dialect, given.get("mode", "strict"), given.get("runId"))
    assembly.open(FRAMINGS[kind], exchange.limits.line_bytes)
    if answer == EVENT_STREAM:
        with exchange.state.slot(exchange.client):
            await grow(exchange, assembly, given.get("snapshotEvery", _EVERY))
        return None
    async with working(exchange):
        return json_answer(await read_all(exchange, assembly))


# --- the stream -----------------------------------------------------------------------------------

FRAMINGS: Final[dict[str, Framing]] = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "text/event-stream": "sse",
    "application/vnd.amazon.eventstream": "eventstream",
}
"""Content type → how a stream is cut into events."""

_DELTA: Final = "message.MessageDelta"


class Assembly:
    """Feeds one assembler from the bytes of a body, deltas or a provider's own stream.

    Every step is a generator that yields after each delta how many bytes it took, more or less, so
    that the caller may look at the message in between. Raises PartwireError for what is refused;
    of deltas it names the line.
    """

    def __init__(self, dialect: str | None, mode: Mode, run_id: str | None) -> None:
        self.assembler = MessageAssembler(run_id if dialect is None else None)
        self._mode: Mode = mode
        self._dialect = dialect
        self._run_id = run_id or "run"
        self._reader: ByteAdapter | None = None
        self._lines: JSONLinesDecoder | None = None

    def open(self, framing: Framing, max_event_bytes: int) -> None:
        """Say how the body is cut; raises UsageError for a run that no message can have."""
        if self._dialect is None:
            self._lines = JSONLinesDecoder(max_event_bytes)
            return
        adapter = open_adapter(self._dialect, self._run_id, clock=now)
        self._reader = ByteAdapter(adapter, framing, max_event_bytes)

    @property
    def findings(self) -> list[Finding]:
        """What did not fit and stopped nothing."""
        adapter = [] if self._reader is None else self._reader.adapter.findings
        return [*adapter, *self.assembler.findings]

    def feed(self, piece: bytes) -> Iterator[int]:
        """Take a piece of the body."""
        if self._reader is not None:
            return self._consume(self._reader.feed(piece), len(piece))
        assert self._lines is not None
        return self._consume_lines(self._lines.feed(piece))

    def close(self) -> Iterator[int]:
        """Say that the body has ended; raises ``stream/truncated`` where the stream has not."""
        if self._reader is not None:
            yield from self._consume(self._reader.close(), 0)
        elif self._lines is not None:
            yield from self._consume_lines(self._lines.close())
        self.assembler.close()

    def message(self) -> bytes:
        """Return the finished message as JSON text; raises StreamFailed after an error delta."""
        return dump(self.assembler.build_final_message())

    def _consume_lines(self, lines: list[RawLine]) -> Iterator[int]:
        for line in lines:
            try:
                self.assembler.consume(_delta(line.data, self._mode))
            except PartwireError as error:
                error.findings = tuple(
                    each._replace(line=each.line or line.number) for each in error.findings
                )
                raise
            yield len(line.data)

    def _consume(self, deltas: list[Any], size: int) -> Iterator[int]:
        for delta in deltas:
            self.assembler.consume(delta)
            yield size // len(deltas)


def _delta(line: bytes, mode: Mode) -> Any:
    """Return the delta of a line.

    Strictly, it is what the schema says, to the form of a time that goes nowhere: that is what the
    service's description promises of its body, and more than the assembler itself asks for.
    """
    if mode != "strict":
        return read_delta_line(line, mode)
    delta = Binding.of(_DELTA).decode_valid(line)
    return read(line, _DELTA) if delta is None else delta
