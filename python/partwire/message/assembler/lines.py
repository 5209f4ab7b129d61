"""One delta from one line of JSON Lines: typed where the line allows it, with care where not."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from ...contract.current.message import MessageDelta
from ...errors import ReadError, StreamProtocolError
from ...json.text import decode_json, is_document
from ...reading.pipeline import Binding, Mode, read
from ...reading.plain import plain_value
from ...reading.tolerant import Schemas

__all__ = ["DeltaModel", "decode_lines", "delta_of_model", "read_delta", "read_delta_line"]

_TYPE = "message.MessageDelta"

_decoder = msgspec.json.Decoder(MessageDelta)
_decode = _decoder.decode
decode_lines = _decoder.decode_lines
"""Returns the deltas of JSON Lines, or of whatever white space parts; raises ValueError and
RecursionError as msgspec does."""


class DeltaModel(Protocol):
    """A pydantic model, seen from where pydantic is not known."""

    def model_dump(self) -> Any:
        """Return the members, as pydantic does."""


def delta_of_model(model: Any) -> Any:
    """Return the delta struct of a pydantic model; refuse a model that is not a valid delta."""
    try:
        return read_delta(model, "strict")
    except ReadError as error:
        seq = getattr(model, "seq", None)
        finding = error.findings[0]._replace(rule="stream/invalid-delta")
        raise StreamProtocolError(finding, seq=seq if type(seq) is int else None) from None


def read_delta_line(line: bytes, mode: Mode) -> Any:
    """Return the delta of a line, or its Unknown; raise ReadError.

    A line is a document: bytes that are no UTF-8, numbers that are not finite and too deep nesting
    are refused in members that nobody knows, too. The form of the timestamp is not looked at, as
    in batches: of most deltas it goes nowhere, and the assembler checks the one that it keeps.
    """
    try:
        delta = _decode(line)
        if is_document(line):
            return delta
    except (ValueError, RecursionError):
        pass
    return read_delta(line, mode)


def read_delta(document: Any, mode: Mode) -> Any:
    """Return the delta of JSON text, a JSON value or a model, with the same rules."""
    try:
        return read(document, _TYPE, mode)
    except ReadError as error:
        others = [finding for finding in error.findings if finding.rule != "shape/pattern"]
        if others:
            raise ReadError(*others) from None
    # Nothing is wrong but the form of the time, which the assembler looks at where it matters.
    value = decode_json(document) if isinstance(document, bytes) else plain_value(document)[0]
    type_name = Binding.of(_TYPE).type
    schemas, name = Schemas.of(type_name), type_name.name
    relaxed, _ = schemas.relax(value, name)
    return schemas.build_relaxed(relaxed, name)
