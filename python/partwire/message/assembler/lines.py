"""One delta from one line of JSON Lines: typed where the line allows it, with care where not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import compress, count
from typing import Any, Final, Protocol

import msgspec
from msgspec import UNSET

from ...contract.current.message import (
    ApprovalRequestDelta,
    MediaDataDelta,
    MediaEndDelta,
    MediaStartDelta,
    MessageDelta,
    ServerToolResultDelta,
    StartDelta,
    TextCitationDelta,
    WarningDelta,
)
from ...errors import ReadError, StreamProtocolError
from ...json.text import are_documents, decode_json, is_document
from ...reading.tolerant import Mode, Schemas, Unknown

__all__ = [
    "BATCH_BYTES",
    "BATCH_LINES",
    "BLANK",
    "BOM",
    "DeltaModel",
    "bytes_of",
    "decode_lines",
    "delta_of_document",
    "is_checked",
    "joined",
    "read_delta",
    "read_delta_line",
    "read_delta_lines",
    "read_item",
    "unknown_document",
]

BATCH_BYTES: Final = 32 * 1024  # decodes faster than less and than more
BATCH_LINES: Final = 256
BOM: Final = b"\xef\xbb\xbf"
_JSON_SPACE: Final = b" \t\r\n"
BLANK: Final = object()
"""What a blank line is read as."""

_TYPE = "message.MessageDelta"
# Typed decoding does not see all that the schema says of these.
_CHECKED: Final = frozenset(
    {
        ApprovalRequestDelta,
        MediaDataDelta,
        MediaEndDelta,
        MediaStartDelta,
        ServerToolResultDelta,
        StartDelta,
        TextCitationDelta,
        WarningDelta,
    }
)

_encode = msgspec.json.Encoder().encode
_encode_lines = msgspec.json.Encoder().encode_lines


@cache
def _decoder() -> msgspec.json.Decoder[MessageDelta]:
    """Return the decoder, which takes longer to make than all else here takes to import."""
    return msgspec.json.Decoder(MessageDelta)


def decode_lines(text: bytes) -> list[Any]:
    """Return the deltas of JSON Lines, or of whatever white space parts; raise ValueError and
    RecursionError as msgspec does.
    """
    return _decoder().decode_lines(text)


class DeltaModel(Protocol):
    """A pydantic model, seen from where pydantic is not known."""

    def model_dump(self) -> Any:
        """Return the members, as pydantic does."""


def delta_of_document(model: Any) -> Any:
    """Return the delta struct of a model or JSON object; refuse one that is not a valid delta."""
    is_json = isinstance(model, Mapping)
    try:
        return read_delta(dict(model) if is_json else model, "strict")
    except ReadError as error:
        seq = model.get("seq") if is_json else getattr(model, "seq", None)
        finding = error.findings[0]._replace(rule="stream/invalid-delta")
        raise StreamProtocolError(finding, seq=seq if type(seq) is int else None) from None


def read_delta_lines(text: bytes) -> list[Any] | None:
    """Return the deltas of whole lines that hold one each; None if they have to be read one by one.

    Decoding neither takes nor refuses all that reading does. But where the deltas are written again
    as the same text, there is nothing in it that decoding has passed over, unless anything may be
    nested in it.
    """
    decode = _decoder().decode
    try:
        first = text.partition(b"\n")[0]
        delta = decode(first)
        if _encode(delta) == first and not _hold_anything([delta]):
            deltas = decode_lines(text)
            if _encode_lines(deltas) == text and not _hold_anything(deltas):
                return deltas
        lines = text.removesuffix(b"\n").split(b"\n")
        deltas = list(map(decode, lines))
        if not are_documents(text, lines):
            return None
        for at in compress(count(), map(_CHECKED.__contains__, map(type, deltas))):
            if is_checked(deltas[at]):
                deltas[at] = read_delta(lines[at], "strict")
        return deltas
    except (ValueError, RecursionError, ReadError):
        return None


def _hold_anything(deltas: list[Any]) -> bool:
    """Tell whether one of the deltas has a member in which anything may be nested."""
    holders = [
        each for each in deltas if each.provider_raw or getattr(each.payload, "opaque", None)
    ]
    if holders:
        return True
    return not _CHECKED.isdisjoint(map(type, deltas)) and any(map(is_checked, deltas))


def is_checked(delta: Any) -> bool:
    """Tell whether a delta is one that has to be looked at whole, by the schema itself."""
    if type(delta) is not StartDelta:
        return type(delta) in _CHECKED
    payload = delta.payload
    return not (
        getattr(payload, "author", UNSET) is UNSET and getattr(payload, "format", UNSET) is UNSET
    )


def read_delta_line(line: bytes, mode: Mode) -> Any:
    """Return the delta of a line, or its Unknown; raise ReadError.

    A line is a document: bytes that are not UTF-8, numbers that are not finite and too deep nesting
    are refused in members that nobody knows, too. The form of the timestamp is not looked at, as
    in batches: of most deltas it goes nowhere, and the assembler checks the one that it keeps.
    """
    try:
        delta = _decoder().decode(line)
        if is_document(line):
            return read_delta(line, mode) if is_checked(delta) else delta
    except (ValueError, RecursionError):
        pass
    return read_delta(line, mode)


def read_delta(document: Any, mode: Mode) -> Any:
    """Return the delta of JSON text, a JSON value or a model, with the same rules."""
    from ...reading.pipeline import Binding, read  # noqa: PLC0415  # few streams need it
    from ...reading.plain import plain_value  # noqa: PLC0415

    try:
        return read(document, _TYPE, mode)
    except ReadError as error:
        others = [
            finding
            for finding in error.findings
            if (finding.rule, finding.pointer) != ("shape/pattern", "/timestamp")
        ]
        if others:
            raise ReadError(*others) from None
    # Nothing is wrong but the form of the time, which the assembler looks at where it matters.
    value = decode_json(document) if isinstance(document, bytes) else plain_value(document)[0]
    type_name = Binding.of(_TYPE).type
    schemas, name = Schemas.of(type_name), type_name.name
    relaxed, _ = schemas.relax(value, name)
    return schemas.build_relaxed(relaxed, name)


def read_item(item: Any, mode: Mode, is_first: bool) -> Any:
    """Return the delta of a line, struct, model or JSON object; BLANK for a blank line.

    One byte order mark may stand at the start of the first line.
    """
    if isinstance(item, (bytes, bytearray, memoryview, str)):
        item = bytes_of(item).removesuffix(b"\n")
        if is_first:
            item = item.removeprefix(BOM)
        if not item.strip(_JSON_SPACE):
            return BLANK
        return read_delta_line(item, mode)
    if isinstance(item, Mapping):
        item = dict(item)
    elif not hasattr(item, "model_dump"):
        return item
    return read_delta(item, mode)


def unknown_document(value: Any) -> Any:
    """Return what is written for what a newer version has in a part that this one knows."""
    if isinstance(value, Unknown):
        return value.document
    raise TypeError(f"a Python {type(value).__name__} is not a JSON value")


def bytes_of(data: bytes | bytearray | memoryview | str) -> bytes:
    """Return a text or a buffer as bytes."""
    if type(data) is bytes:
        return data
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")  # reading refuses those
    return bytes(data)


def joined(lines: list[Any]) -> bytes:
    """Return the lines as one text, which ends them all; empty if they are not all alike.

    It has more lines than there are here if one of them holds several.
    """
    if set(map(type, lines)) != {type(lines[0])}:
        return b""
    end: Any = "\n" if isinstance(lines[0], str) else b"\n"
    if not lines[0].endswith(end):
        return bytes_of(end.join([*lines, end[:0]]))
    unended = [line for line in lines if not line.endswith(end)]
    return b"" if unended else bytes_of(end[:0].join(lines))
