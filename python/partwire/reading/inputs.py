"""What the entrances take as a document: JSON text, or a value that stands for one.

A ``str`` is JSON text, like bytes: what comes from a file, a queue or a column of a database. The
JSON string alone is the text ``'"…"'``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from ..errors import Finding, ReadError, UsageError, WriteError, bad_argument
from ..json.text import decode_json, value_findings
from .exact import is_exact
from .plain import plain_value
from .tolerant import Unknown

__all__ = [
    "Document",
    "JsonText",
    "Model",
    "document_of",
    "items_of_array",
    "message_of",
    "refused",
    "text_of",
    "texts_or_values",
    "value_of",
]

JsonText: TypeAlias = str | bytes | bytearray | memoryview
"""JSON text; bytes are UTF-8."""


class Model(Protocol):
    """A pydantic model, seen from where pydantic is not known."""

    def model_dump(self) -> Any:
        """Return the members, as pydantic does."""


class Assembled(Protocol):
    """A snapshot of a message that is being assembled."""

    def to_message(self) -> Any:
        """Return the message as far as it is there."""


Document: TypeAlias = (
    JsonText
    | Mapping[str, Any]
    | Sequence[Any]
    | int
    | float
    | msgspec.Struct
    | Model
    | Assembled
    | Unknown
    | None
)
"""JSON text, a JSON value (a mapping, a list, a number, a bool or None), a struct or a model."""

_WHAT: Final = "JSON text (str or bytes), a mapping, a list, a struct or a pydantic model"


def text_of(data: Any) -> bytes | None:
    """Return JSON text as UTF-8; None for what is not text.

    Raises ReadError ``document/lone-surrogate`` for a str that has no UTF-8.
    """
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError as cause:
            raise ReadError(
                Finding(
                    "document/lone-surrogate",
                    f"A lone surrogate is at character {cause.start}",
                    expected="well-formed Unicode",
                    actual=f"U+{ord(data[cause.start]):04X}",
                )
            ) from None
    return bytes(data) if isinstance(data, (bytearray, memoryview)) else None


def value_of(data: Any, most: int | None = None) -> Any:
    """Return a value that is not JSON text as JSON value; a str is the JSON string.

    What is a JSON value already is returned as it is; mappings, structs, models and snapshots, at
    any depth, become one. Raises ReadError, with at most ``most`` findings, where something in it
    is not JSON, and UsageError ``usage/invalid-argument`` where it is not a document as a whole.
    """
    most = sys.maxsize if most is None else most
    value = message_of(data)
    if is_exact(value):
        return value
    if value is None or isinstance(value, (dict, list, str, int, float)):
        found = value_findings(value, most)
        if not any(each.rule == "shape/type" for each in found):
            if found:
                raise ReadError(*found)
            return value
    elif not _is_document(value):
        raise refused(value)
    try:
        opened = plain_value(value)[0]
    except WriteError as error:
        raise ReadError(*error.findings) from None
    if not is_exact(opened) and (found := value_findings(opened, most)):
        raise ReadError(*found)
    return opened


def document_of(data: Any) -> Any:
    """Return JSON text or a value as JSON value; raises as :func:`text_of`, :func:`value_of` and
    :func:`partwire.json.text.decode_json`.
    """
    text = text_of(data)
    return value_of(data) if text is None else decode_json(text)


def items_of_array(data: Any) -> list[Any]:
    """Return the documents of a list, or of JSON text that is an array; each is text or a value.

    Raises ReadError for JSON text that is not an array of documents.
    """
    text = text_of(data)
    if text is None:
        if isinstance(data, (list, tuple)):
            return list(data)
        raise refused(data, "a list of documents, or JSON text that is an array")
    try:
        return [bytes(item) for item in _decode_items(text)]
    except (ValueError, RecursionError):
        value = decode_json(text)
    if not isinstance(value, list):
        message = "Not an array of documents"
        raise ReadError(Finding("shape/type", message, expected="an array"))
    return value


def texts_or_values(data: Any) -> Any:
    """Return JSON text that is an array as its documents; anything else as it is."""
    if isinstance(data, (str, bytes, bytearray, memoryview)):
        text = text_of(data) or b""
        if text.lstrip(b" \t\r\n").startswith(b"["):
            return items_of_array(text)
    return data


def message_of(value: Any) -> Any:
    """Return the message that a snapshot stands for; anything else as it is."""
    if hasattr(value, "to_message") and not isinstance(value, type):
        return value.to_message()
    return value


def refused(value: Any, expected: str = _WHAT) -> UsageError:
    """Return the error for what is not a document, with the way to one."""
    if isinstance(value, os.PathLike):
        expected += "; of a file its content, as in path.read_bytes()"
    elif is_file(value):
        expected += "; of an open file its content, as in file.read()"
    return bad_argument("This is not a document", expected, value)


def is_file(value: Any) -> bool:
    """Return whether a value is an open file, or its path."""
    return isinstance(value, os.PathLike) or callable(getattr(value, "read", None))


def _is_document(value: Any) -> bool:
    if isinstance(value, (Mapping, msgspec.Struct, Unknown)):
        return True
    return hasattr(value, "model_dump") and not isinstance(value, type)


_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
