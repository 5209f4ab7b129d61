"""Read queue messages as the compatibility strategy asks for, and say what a document may be.

What a sender's ``schema_version`` brings about:

=======================================  ==========================  =========================
version                                  ``tolerant``                ``strict``
=======================================  ==========================  =========================
known, ours or older                     read by its own types, and  the same
                                         given as ours
same major, newer than all that we know  read by ours, and noted     refused
any other                                refused                     refused
=======================================  ==========================  =========================
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar, overload

import msgspec

from ..contract.current import FAMILIES, LATEST_VERSION
from ..contract.current.envelope import (
    Envelope,
    EvaluationRequest,
    EvaluationResponse,
    GetContextRequest,
    PromptBlocksResponse,
    ReportResultRequest,
    RetryEvent,
    TaskEvent,
    ToolCallRequest,
    ToolCallResponse,
)
from ..errors import Finding, ReadError, bad_argument, clip
from ..json.text import decode_json
from ..reading.inputs import Document, text_of, value_of
from ..reading.pipeline import Mode, ReadResult, check_mode, read_with_findings
from ..severities import SEVERITIES
from .versions import as_written, knows_message_type

__all__ = ["MESSAGE_TYPES", "parse", "parse_with_findings", "reading_version", "sniff"]

T = TypeVar("T")

_STRUCTS: Final[tuple[type[msgspec.Struct], ...]] = (
    TaskEvent,
    GetContextRequest,
    PromptBlocksResponse,
    ToolCallRequest,
    ToolCallResponse,
    ReportResultRequest,
    EvaluationRequest,
    EvaluationResponse,
    RetryEvent,
)

MESSAGE_TYPES: Final = tuple(f"envelope.{struct.__name__}" for struct in _STRUCTS)
"""The types of queue messages, in the order of their document."""

_ENVELOPE: Final = f"envelope.{Envelope.__name__}"
_READABLE: Final = {*MESSAGE_TYPES, _ENVELOPE}


class _Declared(msgspec.Struct):
    schema_version: Any = None
    message_type: Any = None


_decode_declared = msgspec.json.Decoder(_Declared).decode
_version = re.compile(r"v(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})").fullmatch


@overload
def parse(type: type[T], data: Document, mode: Mode = "tolerant") -> T: ...
@overload
def parse(type: str, data: Document, mode: Mode = "tolerant") -> Any: ...
def parse(type: str | type[Any], data: Document, mode: Mode = "tolerant") -> Any:  # noqa: A002
    """Return the queue message in ``data`` (JSON text, or a JSON value) as its struct.

    ``type`` is a class such as :class:`partwire.types.TaskEvent`, or one of
    :data:`MESSAGE_TYPES`, with or without ``envelope.``; ``Envelope`` is the envelope of any
    message. The struct is that of the current version, whatever its sender
    writes: ``schema_version`` says what that is. What was found beside errors:
    :func:`parse_with_findings`. Raises ReadError with all findings, UsageError
    ``usage/unknown-type`` or ``usage/unknown-mode``.
    """
    return parse_with_findings(type, data, mode).value


@overload
def parse_with_findings(
    type: type[T],
    data: Document,
    mode: Mode = "tolerant",
) -> ReadResult[T]: ...
@overload
def parse_with_findings(
    type: str,
    data: Document,
    mode: Mode = "tolerant",
) -> ReadResult[Any]: ...
def parse_with_findings(
    type: str | type[Any],  # noqa: A002
    data: Document,
    mode: Mode = "tolerant",
) -> ReadResult[Any]:
    """Read as :func:`parse`, and say what was found that is not an error.

    The version is judged first, and what the message says that it is, second: of one whose version
    cannot be read (``envelope/unsupported-version``), or that is another message than the one
    asked for (``envelope/message-type-mismatch``), that is all that is said. A newer version is
    noted (``envelope/newer-version``).
    """
    name = _message_type(type)
    text = text_of(data)
    given = value_of(data) if text is None else text
    said = _declared_by(given)
    declared = said.schema_version
    # What is not a version at all, reading refuses by the shape of the field.
    version = reading_version(declared, mode) if _is_version(declared) else LATEST_VERSION
    if name != _ENVELOPE and knows_message_type(version):
        _require_type(said.message_type, name)
    value, findings = read_with_findings(given, name, mode, version)
    if version != LATEST_VERSION:
        value = as_written(value)
    return ReadResult(value, [*_newer(declared, version), *findings])


def reading_version(declared: str, mode: Mode = "tolerant") -> str:
    """Return the contract version by whose types a message of version ``declared`` is read.

    Raises ReadError ``envelope/unsupported-version``; the table above says when. Raises UsageError
    ``usage/unknown-mode``.
    """
    check_mode(mode)
    known = tuple(FAMILIES)
    if declared in known:
        return declared
    newest = max(map(_numbers, known))
    if not _is_version(declared):
        message = "This is not a version of the contract"
    elif _numbers(declared) < newest:
        message = "The sender writes by a version that is not read any more, and has to change"
    elif _numbers(declared)[0] > newest[0]:
        message = "The sender writes by a newer contract: a newer partwire is needed to read it"
    elif mode != "strict":
        return LATEST_VERSION
    else:
        message = "The sender writes by a newer version, which strict reading does not take"
    expected = " or ".join(known)
    if mode != "strict":
        expected += f", or a newer v{newest[0]}"
    raise ReadError(
        Finding(
            "envelope/unsupported-version",
            message,
            "/schema_version",
            expected=expected,
            actual=clip(declared),
        )
    )


def sniff(document: Any) -> list[str]:
    """Return the types that a document may be, those that name the most of its members first.

    ``document`` is JSON text or a JSON value. One that says which message it is
    (``message_type``, since v0.2) is that alone, or nothing that is known here. Of others a type
    fits if no member that it requires is missing; values are not looked at, so that parsing can
    say what is wrong with them. Often several fit then: a TaskEvent and a RetryEvent have the same
    members, and a ReportResultRequest has all those of an EvaluationRequest. Only where such a
    document came from distinguishes them. None fits what is not a queue message. Raises ReadError
    for text that is not JSON.
    """
    text = text_of(document)
    document = document if text is None else decode_json(text)
    if not isinstance(document, Mapping):
        return []
    said = _said_type(document)
    if said is not None:
        return [said] if said in MESSAGE_TYPES else []
    members = document.keys()
    fits = [name for name in MESSAGE_TYPES if _REQUIRED[name] <= members]
    return sorted(fits, key=lambda name: -len(_NAMED[name] & members))


_NAMED: Final = {
    name: frozenset(field.encode_name for field in msgspec.structs.fields(struct))
    for name, struct in zip(MESSAGE_TYPES, _STRUCTS, strict=True)
}
_REQUIRED: Final = {
    name: frozenset(field.encode_name for field in msgspec.structs.fields(struct) if field.required)
    for name, struct in zip(MESSAGE_TYPES, _STRUCTS, strict=True)
}


def _said_type(document: Mapping[Any, Any]) -> str | None:
    """Return the type that a document names; None where it names none, or its version has none."""
    said, declared = document.get("message_type"), document.get("schema_version")
    if not isinstance(said, str):
        return None
    known = isinstance(declared, str) and declared in FAMILIES
    return None if known and not knows_message_type(declared) else f"envelope.{said}"


def _require_type(said: Any, name: str) -> None:
    """Refuse a message that says that it is another one; what is not text, reading refuses."""
    wanted = name.removeprefix("envelope.")
    if isinstance(said, str) and said != wanted:
        raise ReadError(
            Finding(
                "envelope/message-type-mismatch",
                "The message says that it is another one than the one asked for",
                "/message_type",
                expected=wanted,
                actual=clip(said),
            )
        )


def _message_type(text: Any) -> str:
    if text in _STRUCTS or text is Envelope:
        return f"envelope.{text.__name__}"
    name = f"envelope.{text.removeprefix('envelope.')}" if isinstance(text, str) else ""
    if name not in _READABLE:
        raise bad_argument(
            "No such queue message",
            ", ".join(each.removeprefix("envelope.") for each in MESSAGE_TYPES),
            text,
            "usage/unknown-type",
        )
    return name


def _declared_by(data: Any) -> _Declared:
    """Return what a message says of itself; None for what it does not say, or cannot be read."""
    if isinstance(data, bytes):
        try:
            return _decode_declared(data)
        except (ValueError, RecursionError):
            return _Declared()  # reading says what is wrong
    names = _Declared.__struct_fields__
    if isinstance(data, dict):
        return _Declared(*(data.get(name) for name in names))
    return _Declared(*(getattr(data, name, None) for name in names))


def _is_version(declared: Any) -> bool:
    return isinstance(declared, str) and _version(declared) is not None


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version[1:].partition(".")
    return int(major), int(minor)


def _newer(declared: Any, version: str) -> list[Finding]:
    if not _is_version(declared) or declared == version:
        return []
    return [
        Finding(
            "envelope/newer-version",
            f"The sender writes by a newer version; read as {version}",
            "/schema_version",
            SEVERITIES["envelope/newer-version"],
            expected=version,
            actual=clip(declared),
        )
    ]
