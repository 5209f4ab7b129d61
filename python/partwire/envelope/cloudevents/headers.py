"""Events in messages of HTTP and Kafka: structured, all in the body, or binary, with headers.

Source of the forms: the HTTP and the Kafka protocol bindings of CloudEvents 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args
from urllib.parse import quote

from ...errors import Finding, PartwireError, ReadError, bad_argument, clip
from ...json.text import decode_json
from ...reading.pipeline import Mode, dump
from .attributes import CloudEvent
from .mapping import event_of, from_cloudevent, placed, to_structured

__all__ = [
    "ContentMode",
    "HttpMessage",
    "KafkaMessage",
    "from_http",
    "from_kafka",
    "to_http",
    "to_kafka",
]

ContentMode = Literal["structured", "binary"]

_STRUCTURED: Final = "application/cloudevents+json"
_EVENTS: Final = "application/cloudevents"
# What stays as it is in a header of HTTP: printable ASCII but space, double quote and percent.
_SAFE: Final = "".join(map(chr, range(0x21, 0x7F))).replace('"', "").replace("%", "")
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPES: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


class HttpMessage(NamedTuple):
    """Headers and body of a request or a response."""

    headers: dict[str, str]
    body: bytes


class KafkaMessage(NamedTuple):
    """A record: its key (``partitionkey``; None for none), headers in order, and value."""

    key: bytes | None
    headers: list[tuple[str, bytes]]
    value: bytes


def to_http(event: CloudEvent, content_mode: ContentMode = "binary") -> HttpMessage:
    """Return an event as headers and body. Raises UsageError ``usage/invalid-argument`` (mode)."""
    if _is_structured(content_mode):
        return HttpMessage({"content-type": _STRUCTURED}, to_structured(event))
    headers = {
        name: quote(value, safe=_SAFE) if name != "content-type" else value
        for name, value in _headers(event, "ce-")
    }
    return HttpMessage(headers, dump(event.message))


def to_kafka(event: CloudEvent, content_mode: ContentMode = "binary") -> KafkaMessage:
    """Return an event as a record. Raises UsageError ``usage/invalid-argument`` (mode)."""
    key = event.attributes.get("partitionkey")
    encoded = None if key is None else _as_text(key).encode()
    if _is_structured(content_mode):
        return KafkaMessage(encoded, [("content-type", _STRUCTURED.encode())], to_structured(event))
    headers = [(name, value.encode()) for name, value in _headers(event, "ce_")]
    return KafkaMessage(encoded, headers, dump(event.message))


def _is_structured(content_mode: ContentMode) -> bool:
    if content_mode not in get_args(ContentMode):
        raise bad_argument(
            "content_mode is wrong", " or ".join(get_args(ContentMode)), content_mode
        )
    return content_mode == "structured"


def _headers(event: CloudEvent, prefix: str) -> list[tuple[str, str]]:
    return [
        ("content-type" if name == "datacontenttype" else prefix + name, _as_text(value))
        for name, value in event.attributes.items()
    ]


def _as_text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- reading --------------------------------------------------------------------------------------


def from_http(
    headers: Mapping[str, str] | Iterable[tuple[str, str]], body: bytes, mode: Mode = "tolerant"
) -> CloudEvent:
    """Return the event in a request or response, of either content mode.

    Names of headers are read in any case; those that are not of the event are passed over. Raises
    as :func:`.from_cloudevent`; findings of attributes lead to where they
    would be in a structured event. Of headers: ``cloudevents/header``, and of a format that is
    not read, ``cloudevents/content-type``.
    """
    rows = [(name.lower(), value) for name, value in _rows(headers)]
    return _read(rows, "ce-", _unescaped, body, mode)


def from_kafka(
    headers: Mapping[str, Any] | Iterable[tuple[str, Any]] | None,
    value: bytes | None,
    mode: Mode = "tolerant",
) -> CloudEvent:
    """Return the event in a record, of either content mode; the key says nothing of its own.

    ``headers`` are what clients of Kafka give: None for a record without any; those of the event
    are bytes. A ``value`` that is None is that of a tombstone. Raises as :func:`from_http`.
    """
    rows = [
        ("content-type" if name.lower() == "content-type" else name, raw)
        for name, raw in _rows(() if headers is None else headers)
    ]
    return _read(rows, "ce_", _decoded_text, value, mode)


def _rows(headers: Any) -> list[tuple[str, Any]]:
    """Return headers as pairs. Raises UsageError ``usage/invalid-argument``."""
    try:
        rows = [(name, value) for name, value in getattr(headers, "items", lambda: headers)()]
    except (TypeError, ValueError):
        rows = None
    if rows is None or not all(isinstance(name, str) for name, _ in rows):
        raise bad_argument(
            "headers is wrong", "a mapping, or pairs, of names that are text", headers
        )
    return rows


def _decoded_text(name: str, value: Any) -> str:
    """Return the text of a record's header."""
    try:
        return bytes(memoryview(value)).decode("utf-8")
    except (TypeError, UnicodeDecodeError):
        raise _bad_header(name, "text in UTF-8", value) from None


def _read(
    rows: Iterable[tuple[str, Any]],
    prefix: str,
    decode: Callable[[str, Any], str],
    body: Any,
    mode: Mode,
) -> CloudEvent:
    if body is not None and not isinstance(body, (bytes, bytearray, memoryview)):
        raise bad_argument("the body is wrong", "bytes", body)
    own: dict[str, str] = {}
    for name, value in rows:
        if name == "content-type" or name.startswith(prefix):
            if name in own:
                raise _bad_header(name, "one value", value)
            own[name] = decode(name, value)
    content_type = own.pop("content-type", None)
    essence = (content_type or "").partition(";")[0].strip().lower()
    if essence == _STRUCTURED:
        return from_cloudevent(body, mode)
    if essence.startswith(_EVENTS):
        raise ReadError(
            Finding(
                "cloudevents/content-type",
                "Events of this format are not read",
                expected=f"{_STRUCTURED}, or headers {prefix}…",
                actual=clip(content_type),
            )
        )
    if f"{prefix}datacontenttype" in own:
        raise _bad_header(f"{prefix}datacontenttype", "none: it is content-type", "a value")
    attributes = {name.removeprefix(prefix): value for name, value in own.items()}
    if content_type is not None:
        attributes["datacontenttype"] = content_type
    return event_of(attributes, lambda: _decoded(body), mode)


def _decoded(body: Any) -> Any:
    if not body:  # a record without value, too
        raise ReadError(Finding("cloudevents/data", "The event has no data", expected="a message"))
    try:
        return decode_json(bytes(body))
    except PartwireError as error:
        raise placed(error, "/data") from None


def _unescaped(name: str, value: Any) -> str:
    """Undo quoting, which older senders use, and then one round of percent-encoding."""
    if not isinstance(value, str):
        raise _bad_header(name, "text", value)
    text: str = value.strip(" \t")
    if name == "content-type":
        return text
    if quoted := _QUOTED.fullmatch(text):
        text = re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL)
    if _BROKEN_ESCAPE.search(text):
        raise _bad_header(name, "percent signs that are followed by two hex digits", value)
    try:
        raw = text.encode("utf-8")
        return _ESCAPES.sub(lambda match: bytes([int(match[1], 16)]), raw).decode("utf-8")
    except UnicodeError:
        raise _bad_header(name, "percent-encoded UTF-8", value) from None


def _bad_header(name: str, expected: str, value: object) -> ReadError:
    return ReadError(
        Finding(
            "cloudevents/header",
            f"The header {name} is wrong",
            expected=expected,
            actual=clip(value),
        )
    )
