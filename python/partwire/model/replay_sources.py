"""What ReplayModel plays: files and folders → plays, one for each recorded stream."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from ..contract.current.message import (
    ApprovalRequestDelta,
    ErrorDelta,
    ErrorDeltaPayload,
    MessageDelta,
    Opaque,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolCallStartDelta,
    ServerToolResultDelta,
    StartDelta,
    StartDeltaPayload,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ToolCallEndDeltaPayload,
    ToolCallStartDelta,
)
from ..contract.times import instant_of
from ..errors import Finding, PartwireError, UsageError, bad_argument, clip
from ..providers import ADAPTERS, RETRYABLE, ByteAdapter, ProviderAdapter, open_adapter
from ..providers.adapt import detect_dialect, looks_like_delta, undetected
from ..providers.core.sniff import dialect_named
from ..providers.core.stream_words import StreamWords
from ..providers.framing import JSONLinesDecoder
from ..reading.pipeline import read
from ..severities import SEVERITIES
from .recording_format import Ending, RecordedStream, TimedDelta, is_header, read_recording

__all__ = ["DELTAS", "CallNames", "Performance", "Play", "load_plays"]


# --- ids of recorded tool calls -------------------------------------------------------------------


_Start = (ToolCallStartDelta, ServerToolCallStartDelta)
_OfCall = (
    *_Start,
    ToolCallArgsDelta,
    ToolCallEndDelta,
    ServerToolCallArgsDelta,
    ServerToolCallEndDelta,
    ServerToolResultDelta,
    ApprovalRequestDelta,
)


class CallNames:
    """Gives a call a new id where the run has used its own: ``<id>-2``, ``<id>-3`` …"""

    def __init__(self, used: frozenset[str]) -> None:
        self._used = set(used)
        self._new: dict[str, str] = {}
        self._provider: str | None = None

    def renamed(self, delta: MessageDelta, findings: list[Finding]) -> MessageDelta:
        """Return the delta with the id that its call has in this run; a new one is a finding."""
        if isinstance(delta, _Start):
            name = delta.payload.tool_call_id
            if name not in self._new and name in self._used:
                self._new[name] = self._free(name)
                findings.append(
                    Finding(
                        "adapter/minted-id",
                        "The recorded tool call has an id that the run has used; it got a new one",
                        severity=SEVERITIES["adapter/minted-id"],
                        expected="an id that is unique in the run",
                        actual=clip(name),
                    )
                )
        opaque = getattr(delta.payload, "opaque", UNSET)
        if isinstance(opaque, Opaque):
            self._provider = opaque.provider
        if not self._new:
            return delta
        if isinstance(delta, _OfCall):
            name = delta.payload.tool_call_id
            if name not in self._new:
                return delta
            payload: Any = replace(delta.payload, tool_call_id=self._new[name])
            if isinstance(delta, ToolCallEndDelta):
                payload = self._with_own_id(payload, name)
            return replace(delta, payload=payload)
        return delta

    def _with_own_id(self, end: ToolCallEndDeltaPayload, name: str) -> ToolCallEndDeltaPayload:
        """Return the end of a renamed call with the id that its provider knows.

        Nothing tells whose id it is where the stream has no state of a provider so far.
        """
        if isinstance(end.opaque, Opaque):
            data = {"toolCallId": name, **end.opaque.data}
            return replace(end, opaque=replace(end.opaque, data=data))
        if self._provider is None:
            return end
        data = {"items": [], "toolCallId": name}
        return replace(end, opaque=Opaque(provider=self._provider, data=data))

    def _free(self, name: str) -> str:
        number = 2
        while f"{name}-{number}" in self._used:
            number += 1
        free = f"{name}-{number}"
        self._used.add(free)
        return free


# --- sources --------------------------------------------------------------------------------------

DELTAS: Final = "deltas"
"""The dialect of the contract's own deltas, as JSON Lines."""

_CASE: Final = "case.json"
_SLICE_BYTES: Final = 1024  # so that the deltas of one file do not all come at once
_CLOSING: Final[dict[Ending | None, tuple[str, str]]] = {
    "closed": ("cancelled", "The stream was closed by its reader when it was recorded"),
    "cancelled": ("cancelled", "The stream was cancelled when it was recorded"),
    "raised": ("unknown", "The model failed when it was recorded"),
}
_CUT: Final = ("truncated_stream", "The recording stops before the end of the stream")


class Performance(NamedTuple):
    """A play that has begun: deltas, each with the milliseconds to wait before it."""

    deltas: Iterator[tuple[float, MessageDelta]]
    findings: Callable[[], list[Finding]]


class Play(ABC):
    """One recorded stream; it can be performed any number of times, also at once."""

    request: dict[str, Any] | None = None
    """What was asked, where the source says it: members as in the recording's format."""
    run_id: str = "replay"
    """The run of the recording, for a caller that names none."""
    model_id: str | None = None

    @abstractmethod
    def begin(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_call_ids: frozenset[str],
        ids: Mapping[str, str],
        words: StreamWords,
    ) -> Performance:
        """Return a new performance, of which nothing has happened yet.

        ``ids``: ``message_id`` and ``turn_id``, as far as the caller has them.
        """


class DeltaPlay(Play):
    """Deltas as they were recorded, in another run and at another time.

    A stream that has neither ``done`` nor ``error`` gets an ``error``; what is behind one is
    a finding.
    """

    def __init__(self, stream: RecordedStream) -> None:
        self._stream = stream
        self.request = stream.request
        if stream.deltas:
            first = stream.deltas[0].delta
            self.run_id = first.run_id
            if isinstance(first, StartDelta):
                self.model_id = first.payload.model_id or None
        if self.request is not None:
            self.model_id = self.request["config"]["modelId"]

    def begin(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_call_ids: frozenset[str],
        ids: Mapping[str, str],
        words: StreamWords,
    ) -> Performance:
        """Return a new performance."""
        stream = self._stream
        names = CallNames(used_call_ids)
        findings = list(stream.findings)

        def deltas() -> Iterator[tuple[float, MessageDelta]]:
            before, seq = 0, -1
            for number, (at_ms, delta) in enumerate(stream.deltas, 1):
                ended = delta.kind in ("done", "error")
                if ended and number < len(stream.deltas):
                    # Before the last delta: nobody has to read on behind it.
                    findings.append(_after_end())
                wait, before, seq = max(0, at_ms - before), at_ms, delta.seq
                if isinstance(delta, StartDelta):
                    delta = replace(delta, payload=words.said_in(delta.payload))  # noqa: PLW2901
                renamed = names.renamed(delta, findings)
                yield wait, replace(renamed, run_id=run_id, timestamp=clock(), **ids)
                if ended:
                    return
            closing = _closing(stream, run_id, clock, seq)
            yield from ((0, replace(each, **ids)) for each in closing)

        return Performance(deltas(), lambda: list(findings))


class ProviderPlay(Play):
    """A provider's bytes, read by its adapter at every performance; there are no times in them."""

    def __init__(self, data: bytes, dialect: str, run_id: str | None) -> None:
        self._data = data
        self._dialect = dialect
        self.case: dict[str, Any] = {}  # of the fixtures, where it is one
        if run_id is not None:
            self.run_id = run_id

    def begin(
        self,
        run_id: str,
        clock: Callable[[], str],
        used_call_ids: frozenset[str],
        ids: Mapping[str, str],
        words: StreamWords,
    ) -> Performance:
        """Return a new performance."""
        adapter = open_adapter(
            self._dialect,
            run_id,
            clock=clock,
            used_tool_call_ids=used_call_ids,
            message_id=ids.get("message_id"),
            turn_id=ids.get("turn_id"),
            **self._said(words),
        )
        return Performance(self._deltas(adapter), lambda: adapter.findings)

    def _said(self, words: StreamWords) -> dict[str, Any]:
        """Return what is said of the stream: the caller's words, else those of its case."""
        case = self.case
        given = {name: value for name, value in words._asdict().items() if value is not UNSET}
        names = "author", "format"
        said: dict[str, Any] = {name: case[name] for name in names if name in case}
        if "version" in case:  # what v0.1 has is made of v0.2
            said["version"] = "v0.2" if case["version"] == "v0.1" else case["version"]
        return {**said, **given}

    def _deltas(self, adapter: ProviderAdapter) -> Iterator[tuple[float, MessageDelta]]:
        """Yield the deltas; the last one when all has been read, as from a provider's client.

        So the findings of what is behind the end are there for whoever stops at the last delta.
        """
        reader = ByteAdapter(adapter)
        last: list[MessageDelta] = []
        for at in range(0, len(self._data), _SLICE_BYTES):
            deltas = reader.feed(self._data[at : at + _SLICE_BYTES])
            if adapter.ended:
                last += deltas
                continue
            for delta in deltas:
                yield 0, delta
        for delta in (*last, *reader.close()):
            yield 0, delta


def _closing(
    stream: RecordedStream, run_id: str, clock: Callable[[], str], seq: int
) -> Iterator[MessageDelta]:
    """Yield what ends a stream that was recorded without its end."""
    if seq < 0:
        seq = 0
        start = StartDeltaPayload(model_id="", request_id="")
        yield StartDelta(run_id=run_id, seq=0, payload=start, timestamp=clock())
    code, message = _CLOSING.get(stream.how, _CUT)
    if stream.error is not None:
        message += f": {stream.error}"
    payload = ErrorDeltaPayload(error_code=code, message=message, retryable=RETRYABLE[code])
    yield ErrorDelta(run_id=run_id, seq=seq + 1, payload=payload, timestamp=clock())


def _after_end() -> Finding:
    return Finding(
        "adapter/after-end",
        "The recording goes on after the end of its stream; what follows is not played",
        severity=SEVERITIES["adapter/after-end"],
        expected="the end of the input",
    )


# --- loading --------------------------------------------------------------------------------------


def load_plays(source: Any, dialect: str | None) -> list[Play]:
    """Return the plays of a source, or of several, in order; see :class:`.ReplayModel`."""
    if dialect is not None:
        dialect = dialect_named(dialect, (DELTAS, *ADAPTERS))
    several = [source] if isinstance(source, (str, os.PathLike)) else source
    if not isinstance(several, Iterable) or isinstance(several, (bytes, bytearray)):
        raise _no_source(source)
    plays: list[Play] = []
    for each in several:
        if not isinstance(each, (str, os.PathLike)):
            raise _no_source(each)
        plays += _load(Path(each), dialect)
    if not plays:
        raise _no_source(source)
    return plays


def _load(path: Path, dialect: str | None) -> list[Play]:
    is_folder = os.path.isdir(path)  # noqa: PTH112 - unlike pathlib's, it never raises
    case = path / _CASE if is_folder else path.with_name(_CASE)
    spec: dict[str, Any] = {}
    if is_folder or os.path.isfile(case):  # noqa: PTH113
        spec = _read_case(case, needed=is_folder)
    if is_folder:
        name = spec.get("input", "deltas.jsonl")
        if not isinstance(name, str) or Path(name).name != name:
            raise _unreadable(case, "its input is not a file beside it")
        path = path / name
    is_input = path.name == spec.get("input")
    if is_input:
        dialect = dialect or spec.get("api")
    run_id = spec.get("run_id")
    plays = _plays(_read_bytes(path), dialect, str(path))
    for play in plays:
        if isinstance(run_id, str) and run_id:
            play.run_id = run_id
        if is_input and isinstance(play, ProviderPlay):
            play.case = spec
    return plays


def _plays(data: bytes, dialect: Any, name: str) -> list[Play]:
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    if first[:1] == b"{" and is_header(first):
        return [DeltaPlay(stream) for stream in read_recording(data, name)]
    if dialect is None:
        dialect = DELTAS if looks_like_delta(first) else detect_dialect(_slices(data))[0]
    if dialect == DELTAS:
        return [DeltaPlay(_read_deltas(data, name))]
    if dialect is None:
        raise undetected(name, ("a recording", DELTAS, *ADAPTERS))
    try:
        spoken = dialect_named(dialect, ADAPTERS)
    except UsageError:  # a case may say anything
        message = "The file is of a dialect without adapter"
        known = ", ".join((DELTAS, *ADAPTERS))
        raise _unknown_dialect(message, known, clip(dialect), name) from None
    return [ProviderPlay(data, spoken, None)]


def _slices(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _SLICE_BYTES] for at in range(0, len(data), _SLICE_BYTES))


def _read_deltas(data: bytes, name: str) -> RecordedStream:
    """Return the deltas of JSON Lines; their timestamps are their times."""
    stream = RecordedStream()
    decoder = JSONLinesDecoder()
    line: int | None = None
    try:
        lines = decoder.feed(data)
        if decoder.error is not None:
            raise decoder.error
        began: int | None = None
        for raw in [*lines, *decoder.close()]:
            line = raw.number
            delta = read(raw.data, "message.MessageDelta")
            at_ms = instant_of(delta.timestamp).ms
            began = at_ms if began is None else began
            stream.deltas.append(TimedDelta(max(0, at_ms - began), delta))
    except PartwireError as error:
        error.findings = tuple(f._replace(source=name, line=f.line or line) for f in error.findings)
        raise
    return stream


def _read_case(path: Path, *, needed: bool) -> dict[str, Any]:
    try:
        value = json.loads(_read_bytes(path))
    except (PartwireError, ValueError, RecursionError) as error:
        if not needed:
            return {}
        why = "it is not JSON" if not isinstance(error, PartwireError) else "the folder has none"
        raise _unreadable(path, f"a folder is played by its {_CASE}, and {why}") from None
    if isinstance(value, dict):
        return value
    if needed:
        raise _unreadable(path, "it is not an object")
    return {}


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from None


def _unreadable(path: Path, why: str) -> UsageError:
    return UsageError(
        Finding(
            "usage/unreadable-input", f"Cannot be read: {why}", source=str(path), actual=str(path)
        )
    )


def _unknown_dialect(
    message: str, expected: str, actual: str | None, source: str | None = None
) -> UsageError:
    return UsageError(
        Finding("usage/unknown-dialect", message, expected=expected, actual=actual, source=source)
    )


def _no_source(value: Any) -> UsageError:
    return bad_argument(
        "Nothing that can be played",
        "a path, or a list of paths that hold at least one stream",
        value,
    )
