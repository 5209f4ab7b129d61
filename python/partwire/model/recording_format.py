"""The file of a :class:`.RecordingModel`: JSON Lines, written as things happen.

The first line is the header, ``{"format": "partwire-recording", "formatVersion": 2, "contract":
"v0.2", "model": ModelInfo, "recordedAt"}``. Every other line says in ``type`` what it is and in
``stream``, from 1, to which stream it belongs; the lines of streams that run at once are mixed.

- ``request``: ``at``, ``messages``, ``toolSpecs``, ``config`` as it held for this call, and what
  there was of ``systemPrompt``, ``systemPromptContent``, ``toolChoice``, ``requestMetadata``,
- ``delta``: ``atMs``, the whole milliseconds since the request, and ``delta``,
- ``end``: ``atMs``, ``how``, ``findings``, and ``error`` where an exception came.

A stream without ``end`` was still running when the file ended.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, cast, get_args

import msgspec

from ..contract.current import FAMILIES, LATEST_VERSION
from ..contract.current.message import MessageDelta
from ..errors import Finding, PartwireError, ReadError, Severity, clip
from ..providers.framing import JSONLinesDecoder, RawLine, decode_value
from ..reading.pipeline import read_value

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "Ending",
    "RecordedStream",
    "RecordingReader",
    "TimedDelta",
    "header_row",
    "is_header",
    "line_of",
    "read_recording",
]

FORMAT: Final = "partwire-recording"
FORMAT_VERSION: Final = 2

Ending = Literal["done", "error", "cut", "closed", "cancelled", "raised"]
"""How a stream ended: with its last delta; with none (``cut``); the reader closed it, or was
cancelled; or an exception came out of the model."""

_ENDINGS: Final = get_args(Ending)


class TimedDelta(NamedTuple):
    """A delta, and when it came: whole milliseconds since the request."""

    at_ms: int
    delta: MessageDelta


class RecordedStream:
    """One recorded stream; ``how`` is None where the file ended before it did."""

    def __init__(self, request: dict[str, Any] | None = None) -> None:
        self.request = request
        self.deltas: list[TimedDelta] = []
        self.how: Ending | None = None
        self.findings: list[Finding] = []
        self.error: str | None = None


def header_row(model: Mapping[str, Any], recorded_at: str) -> dict[str, Any]:
    """Return the first line of a file."""
    return {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "contract": LATEST_VERSION,
        "model": dict(model),
        "recordedAt": recorded_at,
    }


def line_of(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line, its end included."""
    return msgspec.json.encode(row) + b"\n"


def is_header(line: bytes) -> bool:
    """Return whether a line is the first one of such a file, of any version."""
    value = decode_value(line).value
    return isinstance(value, dict) and value.get("format") == FORMAT


def read_recording(data: bytes, source: str | None = None) -> list[RecordedStream]:
    """Return the streams of a file, in the order of their requests.

    A last line that is cut, as a killed writer leaves it, is passed over. Raises ReadError with
    source and line for anything else that is not what a :class:`.RecordingModel` writes
    (``recording/invalid-line``, ``recording/unknown-version``), FramingError for a line beyond
    the limit.
    """
    reader = RecordingReader()
    line: int | None = None
    try:
        decoder = JSONLinesDecoder()
        lines = decoder.feed(data)
        if decoder.error is not None:
            raise decoder.error
        for raw in [*lines, *decoder.close()]:
            line = raw.number
            reader.take(raw)
        line = None
        return reader.finish()
    except PartwireError as error:
        error.findings = tuple(
            finding._replace(source=source, line=finding.line or line) for finding in error.findings
        )
        raise


class RecordingReader:
    """Takes the lines of a file one by one."""

    def __init__(self) -> None:
        self._streams: dict[int, RecordedStream] = {}
        self._headed = False

    def take(self, raw: RawLine) -> RecordedStream | None:
        """Take a line, and return the stream that it is of; None for the header, and for a last
        line that is cut. Raises ReadError.
        """
        read_value = decode_value(raw.data)
        if read_value.findings:
            if not raw.terminated and self._headed:
                return None
            raise ReadError(*read_value.findings)
        row = read_value.value
        if not isinstance(row, dict):
            raise _invalid("The line is not an object", "", "an object", row)
        if not self._headed:
            _check_header(row)
            self._headed = True
            return None
        number = row.get("stream")
        if type(number) is not int or number < 1:
            raise _invalid("The line names no stream", "/stream", "a number from 1", number)
        kind = row.get("type")
        if kind == "request":
            self._request(number, row)
        elif kind in ("delta", "end"):
            stream = self._streams.get(number)
            if stream is None or stream.how is not None:
                state = "has no request" if stream is None else "has ended"
                raise _invalid(f"The stream {state}", "/stream", "a running stream", number)
            (_delta if kind == "delta" else _end)(stream, row)
        else:
            raise _invalid("No such line", "/type", "request, delta or end", kind)
        return self._streams[number]

    def finish(self) -> list[RecordedStream]:
        """Return the streams, in the order of their requests."""
        if not self._headed:
            raise _invalid("The file is empty", "", "a header", None)
        return list(self._streams.values())

    def _request(self, number: int, row: dict[str, Any]) -> None:
        if number in self._streams:
            raise _invalid("The stream has a request already", "/stream", "a new number", number)
        for name, kind in (("messages", list), ("toolSpecs", list), ("config", dict)):
            if not isinstance(row.get(name), kind):
                wanted = "an array" if kind is list else "an object"
                raise _invalid("The request is not whole", f"/{name}", wanted, row.get(name))
        # What was asked is not judged: the model that was recorded took it.
        for index, message in enumerate(row["messages"]):
            if not isinstance(message, dict):
                raise _invalid("Not a message", f"/messages/{index}", "an object", message)
        _read_at(row["config"], "message.ModelConfig", "/config")
        self._streams[number] = RecordedStream(
            {name: value for name, value in row.items() if name not in ("type", "stream")}
        )


def _check_header(row: dict[str, Any]) -> None:
    if row.get("format") != FORMAT:
        raise _invalid("The file is not a recording", "/format", f'"{FORMAT}"', row.get("format"))
    known: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("formatVersion", (FORMAT_VERSION,)),
        ("contract", tuple(FAMILIES)),
    )
    for name, values in known:
        value = row.get(name)
        if value not in values or isinstance(value, bool):
            raise ReadError(
                Finding(
                    "recording/unknown-version",
                    "The recording is of a version that cannot be read",
                    f"/{name}",
                    expected=" or ".join(map(json.dumps, values)),
                    actual=clip(value),
                )
            )


def _delta(stream: RecordedStream, row: dict[str, Any]) -> None:
    at_ms = row.get("atMs")
    if type(at_ms) is not int or at_ms < 0:
        raise _invalid("The delta has no time", "/atMs", "whole milliseconds", at_ms)
    stream.deltas.append(
        TimedDelta(at_ms, _read_at(row.get("delta"), "message.MessageDelta", "/delta"))
    )


def _end(stream: RecordedStream, row: dict[str, Any]) -> None:
    how, findings = row.get("how"), row.get("findings", [])
    if how not in _ENDINGS:
        raise _invalid("The stream ends in no known way", "/how", ", ".join(_ENDINGS), how)
    if not isinstance(findings, list):
        raise _invalid("The findings are not an array", "/findings", "an array", findings)
    error = row.get("error")
    if error is not None and not isinstance(error, str):
        raise _invalid("The error is not text", "/error", "a string", error)
    stream.how, stream.error = cast(Ending, how), error
    stream.findings = [
        _finding(value, f"/findings/{index}") for index, value in enumerate(findings)
    ]


def _finding(value: Any, pointer: str) -> Finding:
    try:
        return Finding(**msgspec.convert(value, _FindingRow).members())
    except msgspec.ValidationError as error:
        raise _invalid(f"Not a finding: {error}", pointer, "a finding", value) from None


class _FindingRow(msgspec.Struct):
    rule: str
    message: str
    pointer: str = ""
    severity: Severity = "error"
    expected: str | None = None
    actual: str | None = None
    source: str | None = None
    line: int | None = None

    def members(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


def _read_at(value: Any, type_name: str, pointer: str) -> Any:
    """Return a document that is inside a line; its findings say where."""
    try:
        return read_value(value, type_name)
    except ReadError as error:
        raise ReadError(
            *(each._replace(pointer=f"{pointer}{each.pointer}") for each in error.findings)
        ) from None


def _invalid(message: str, pointer: str, expected: str, actual: Any) -> ReadError:
    return ReadError(
        Finding("recording/invalid-line", message, pointer, expected=expected, actual=clip(actual))
    )
