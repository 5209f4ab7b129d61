"""The mapping: what of a queue message is in which attribute of its event.

===================  ==============================================================================
``id``               ``message_id``
``time``             ``sent_at``
``type``             ``dev.partwire.envelope.<message_type>.v<major of schema_version>``
``source``           the sender, as the caller names it
``subject``          ``task_id``, else ``invocation_id``
``dataschema``       the ``$id`` of the schema file that has the type, of ``schema_version``
``partitionkey``     ``task_id``, else ``invocation_id``, in small letters, else ``trace_id``
``sequence``         the caller's count, ten digits; ``sequencetype`` is then ``Integer``
``traceparent``      the caller's, or made of ``trace_id`` where that is a trace id of W3C
``datacontenttype``  ``application/json``
===================  ==============================================================================
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET

from ...contract.current import FAMILIES
from ...errors import Finding, PartwireError, ReadError, UsageError, clip
from ...json.pointer import escape_pointer
from ...json.text import decode_json, json_text, value_findings
from ...reading.pipeline import Mode, dump
from ...severities import SEVERITIES
from .. import MESSAGE_TYPES, parse_with_findings
from ..versions import name_of
from .attributes import (
    SPECVERSION,
    Attributes,
    CloudEvent,
    attribute_findings,
    is_json,
    is_text,
    moment,
)

__all__ = ["event_of", "event_type", "from_cloudevent", "to_cloudevent", "to_structured"]

_PREFIX: Final = "dev.partwire.envelope."
_SCHEMAS: Final = "https://partwire.dev/schemas"
_FILES: Final[Mapping[str, str]] = {
    "TaskEvent": "task",
    "GetContextRequest": "context",
    "PromptBlocksResponse": "context",
    "ToolCallRequest": "tool",
    "ToolCallResponse": "tool",
    "ReportResultRequest": "context",
    "EvaluationRequest": "evaluation",
    "EvaluationResponse": "evaluation",
    "RetryEvent": "task",
}
_NAMES: Final = frozenset(each.removeprefix("envelope.") for each in MESSAGE_TYPES)
_OURS: Final = frozenset(
    {
        *("specversion", "id", "source", "type", "time", "subject", "dataschema"),
        *("datacontenttype", "partitionkey", "sequence", "sequencetype", "traceparent"),
    }
)
_TYPE: Final = re.compile(re.escape(_PREFIX) + r"(\w+)\.v(0|[1-9][0-9]{0,5})", re.ASCII)
_VERSION: Final = re.compile(r"v[0-9]+\.[0-9]+")
_W3C_TRACE: Final = re.compile(r"(?!0{32})[0-9a-f]{32}")
_LAST_SEQUENCE: Final = 2**31 - 1


def event_type(name: str, version: str) -> str:
    """Return the ``type`` of the events of a message: ``dev.partwire.envelope.TaskEvent.v0``.

    Only the major version is there: a minor one keeps what its readers rely on.
    """
    return f"{_PREFIX}{name}.{version.partition('.')[0]}"


def data_schema(name: str, version: str) -> str:
    """Return the ``dataschema`` of the events of a message: an absolute URI has no fragment."""
    return f"{_SCHEMAS}/{version}/envelope/{_FILES[name]}.schema.json"


# --- writing --------------------------------------------------------------------------------------


def to_cloudevent(
    message: Any,
    *,
    source: str,
    sequence: int | None = None,
    traceparent: str | None = None,
    extensions: Mapping[str, str | int | bool] | None = None,
) -> CloudEvent:
    """Return a queue message as an event; ``source`` is a URI reference that names the sender.

    ``sequence`` counts the events of this source, from 1 to 2³¹-1. ``extensions`` are more
    attributes, by name. Raises UsageError ``usage/invalid-argument`` for what is not a queue
    message and for attributes that no event may have, WriteError for a message that is not valid.
    """
    name = name_of(message)
    if name not in _NAMES:
        expected = "a queue message, such as a TaskEvent"
        raise _bad_argument(Finding("", "message is wrong", expected=expected), clip(message))
    dump(message)  # raises WriteError for what cannot be written
    attributes = {**_of_message(name, message, source), **_sequence(sequence)}
    trace = _trace_parent(message) if traceparent is None else traceparent
    if trace is not None:
        attributes["traceparent"] = trace
    attributes |= _extensions(extensions or {})
    for finding in attribute_findings(attributes):
        raise _bad_argument(finding, finding.actual)
    return CloudEvent(attributes, message)


def _of_message(name: str, message: Any, source: str) -> Attributes:
    """Return what the message itself says."""
    version = message.schema_version
    attributes: Attributes = {
        "specversion": SPECVERSION,
        "id": message.message_id,
        "source": source,
        "type": event_type(name, version),
        "datacontenttype": "application/json",
        "dataschema": data_schema(name, version),
        "time": message.sent_at,
    }
    subject = _about(message)
    if subject is not None:
        attributes["subject"] = subject
    key = _trace_of(message) if subject is None else subject.lower()
    # A trace may be called what no attribute may hold; it is then no key, and stays in the message.
    if is_text(key):
        attributes["partitionkey"] = str(key)
    return attributes


def _about(message: Any) -> str | None:
    """Return the id of what a message is about; a prompt names neither a task nor a call."""
    for member in ("task_id", "invocation_id"):
        if hasattr(message, member):
            return str(getattr(message, member))
    return None


def _trace_of(message: Any) -> str | None:
    return None if message.trace_id is UNSET else message.trace_id


def _trace_parent(message: Any) -> str | None:
    """Return the traceparent of a message that belongs to a trace of W3C.

    Its span is the message itself: 16 digits of the message id, the last ones where the first are
    all 0, which stands for no span. Whether it is sampled nobody has said.
    """
    trace = _trace_of(message)
    if trace is None or not _W3C_TRACE.fullmatch(trace):
        return None
    digits = message.message_id.replace("-", "").lower()
    span = next((part for part in (digits[:16], digits[16:]) if part.strip("0")), None)
    return span and f"00-{trace}-{span}-00"


def _sequence(sequence: int | None) -> Attributes:
    if sequence is None:
        return {}
    if isinstance(sequence, bool) or not isinstance(sequence, int):
        within = False
    else:
        within = 1 <= sequence <= _LAST_SEQUENCE
    if not within:
        wanted = f"an integer from 1 to {_LAST_SEQUENCE}"
        raise _bad_argument(Finding("", "sequence is wrong", expected=wanted), clip(sequence))
    # Leading zeros: events of one source are sorted by this text.
    return {"sequence": f"{sequence:010}", "sequencetype": "Integer"}


def _extensions(extensions: Mapping[str, str | int | bool]) -> Attributes:
    for name in extensions:
        if name in _OURS or not isinstance(name, str):
            wanted = "a name that the mapping does not use itself"
            raise _bad_argument(Finding("", "No extension", expected=wanted), clip(name))
    return dict(extensions)


def _bad_argument(finding: Finding, actual: str | None) -> UsageError:
    return UsageError(finding._replace(rule="usage/invalid-argument", actual=actual))


def to_structured(event: CloudEvent) -> bytes:
    """Return an event as one JSON document, ``application/cloudevents+json``."""
    head = json_text(event.attributes)
    return head[:-1].encode() + b',"data":' + dump(event.message) + b"}"


# --- reading --------------------------------------------------------------------------------------


def from_cloudevent(document: Any, mode: Mode = "tolerant") -> CloudEvent:
    """Return the event in a JSON document (bytes, or the JSON value), with its message read.

    The message is read as by :func:`partwire.envelope.parse`. Attributes that are null are absent.
    Raises ReadError with all findings: those of attributes first, and if there are none, those of
    the message, whose pointers begin with ``/data``. UsageError ``usage/unknown-mode``.
    """
    if isinstance(document, (bytes, bytearray, memoryview)):
        document = decode_json(bytes(document))
    elif found := value_findings(document):
        raise ReadError(*found)
    if not isinstance(document, dict):
        raise ReadError(
            Finding(
                "shape/type", "An event is an object", expected="an object", actual=clip(document)
            )
        )
    event = dict(document)
    attributes = {
        name: value
        for name, value in event.items()
        if name not in ("data", "data_base64") and value is not None
    }
    return event_of(attributes, lambda: _data_of(event), mode)


def _data_of(event: dict[str, Any]) -> Any:
    there = [name for name in ("data", "data_base64") if name in event]
    if len(there) != 1:
        raise ReadError(
            Finding(
                "cloudevents/data",
                "The event has both data and data_base64" if there else "The event has no data",
                expected="one of data and data_base64",
            )
        )
    if there == ["data"]:
        return event["data"]
    try:
        return decode_json(base64.b64decode(event["data_base64"], validate=True))
    except (binascii.Error, TypeError, ValueError) as error:
        if isinstance(error, PartwireError):
            raise placed(error, "/data_base64") from None
        raise ReadError(
            Finding(
                "cloudevents/data",
                "data_base64 is not Base64",
                "/data_base64",
                expected="Base64 of JSON text",
                actual=clip(event["data_base64"]),
            )
        ) from None


def placed(error: PartwireError, place: str) -> PartwireError:
    """Return the error with findings whose pointers begin with ``place``."""
    error.findings = error.args = tuple(
        finding._replace(pointer=place + finding.pointer) for finding in error.findings
    )
    return error


def event_of(attributes: Mapping[str, Any], data: Any, mode: Mode) -> CloudEvent:
    """Return the event of attributes and of what ``data()`` returns, a JSON value.

    Raises as :func:`from_cloudevent`.
    """
    found = attribute_findings(attributes)
    content_type = attributes.get("datacontenttype", "application/json")
    if not found and not is_json(content_type):
        found = [_no_json(content_type)]
    if found:
        raise ReadError(*found)
    name, major = _type_of(attributes["type"])
    value = data()
    if found := [*_types_differ(name, major, value), *_schemas_differ(attributes, name, value)]:
        raise ReadError(*found)
    # A string as data is not a message, even where it holds one: as a str, it would be JSON text.
    given = json_text(value) if isinstance(value, str) else value
    try:
        message, notes = parse_with_findings(name, given, mode)
    except ReadError as error:
        raise placed(error, "/data") from None
    if found := _data_differs(attributes, message):
        raise ReadError(*found)
    notes = [note._replace(pointer=f"/data{note.pointer}") for note in notes]
    return CloudEvent(dict(attributes), message, (*notes, *_traces_differ(attributes, message)))


def _no_json(content_type: str) -> Finding:
    return Finding(
        "cloudevents/content-type",
        "The message of an event is JSON",
        "/datacontenttype",
        expected="application/json",
        actual=clip(content_type),
    )


def _type_of(text: str) -> tuple[str, str]:
    """Return the message and the major version that a type names."""
    match = _TYPE.fullmatch(text)
    if match is None or match[1] not in _NAMES:
        raise ReadError(
            Finding(
                "cloudevents/unknown-type",
                "No such event",
                "/type",
                expected=f"{_PREFIX}<message>.v<major>, as {event_type('TaskEvent', 'v0.2')}",
                actual=clip(text),
            )
        )
    return match[1], match[2]


def _member(value: Any, name: str) -> str | None:
    """Return a member of a message that is text; what is wrong with others, reading says."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _types_differ(name: str, major: str, value: Any) -> list[Finding]:
    version, said = _member(value, "schema_version"), _member(value, "message_type")
    if version is None or not _VERSION.fullmatch(version):
        version = f"v{major}.0"  # reading says what is wrong with it
    if said not in (None, name) or version.partition(".")[0] != f"v{major}":
        return [
            Finding(
                "cloudevents/type-mismatch",
                "The event says that it carries another message than it does",
                "/type",
                expected=event_type(clip(said)[1:-1] if said else name, version),
                actual=clip(event_type(name, f"v{major}")),
            )
        ]
    return []


def _schemas_differ(attributes: Mapping[str, Any], name: str, value: Any) -> list[Finding]:
    version, said = _member(value, "schema_version"), attributes.get("dataschema")
    if said is None or version is None or said == data_schema(name, version):
        return []
    if version not in FAMILIES and said.startswith(f"{_SCHEMAS}/{version}/"):
        return []  # which of its files has the type, a newer version may say
    return [
        Finding(
            "cloudevents/dataschema-mismatch",
            "The event names another schema than that of its message",
            "/dataschema",
            expected=data_schema(name, version),
            actual=clip(said),
        )
    ]


def _data_differs(attributes: Mapping[str, Any], message: Any) -> list[Finding]:
    """Return the attributes that say something else than the message; ids of either case."""
    about = _about(message)
    pairs = [("id", message.message_id, attributes["id"].lower() == message.message_id.lower())]
    if "time" in attributes:
        same = moment(attributes["time"]) == moment(message.sent_at)
        pairs.append(("time", message.sent_at, same))
    if "subject" in attributes and about is not None:
        pairs.append(("subject", about, attributes["subject"].lower() == about.lower()))
    return [
        Finding(
            "cloudevents/data-mismatch",
            f"{name} says something else than the message",
            f"/{escape_pointer(name)}",
            expected=expected,
            actual=clip(attributes[name]),
        )
        for name, expected, same in pairs
        if not same
    ]


def _traces_differ(attributes: Mapping[str, Any], message: Any) -> list[Finding]:
    trace, parent = _trace_of(message), attributes.get("traceparent")
    if parent is None or trace is None or not _W3C_TRACE.fullmatch(trace):
        return []
    if parent.split("-")[1] == trace:
        return []
    return [
        Finding(
            "cloudevents/trace-mismatch",
            "The event belongs to another trace than its message",
            "/traceparent",
            SEVERITIES["cloudevents/trace-mismatch"],
            expected=f"the trace {trace}",
            actual=clip(parent),
        )
    ]
