"""What an event is here, and what its attributes may be: names, types, and which are needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from ...errors import Finding, clip
from ...json.pointer import escape_pointer

__all__ = [
    "SPECVERSION",
    "Attributes",
    "CloudEvent",
    "attribute_findings",
    "is_json",
    "is_text",
    "moment",
]

SPECVERSION: Final = "1.0"

Attributes: TypeAlias = dict[str, str | int | bool]
"""Name → value; in order: what an event has to have, what it may have, extensions."""


class CloudEvent(NamedTuple):
    """An event: its attributes, the message that it carries, and what was noted in reading it."""

    attributes: Attributes
    message: Any
    """A struct of the envelope family, of the current version."""
    findings: tuple[Finding, ...] = ()


_NEEDED: Final = ("specversion", "id", "source", "type")
_NAME: Final = re.compile(r"[a-z0-9]+")

# The controls and the noncharacters that the specification leaves out of strings, and halves of
# pairs, which no encoding has.
_NOT_IN_STRINGS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef\ud800-\udfff"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
    )
    + "]"
)
_URI_REFERENCE: Final = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
_URI: Final = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:{_URI_REFERENCE.pattern}")
_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_MEDIA_TYPE: Final = re.compile(
    r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:[ \t]*;.*)?", re.DOTALL
)
_TRACE_PARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?"
)


def moment(text: str) -> tuple[bool, datetime] | None:
    """Return an RFC 3339 time as something to compare, to the microsecond; None where it is none.

    Python knows no year 0, the contract does: another leap year stands for it, and the flag.
    """
    if not _TIME.fullmatch(text):
        return None
    no_year = text.startswith("0000")
    try:
        return no_year, datetime.fromisoformat((f"0400{text[4:]}" if no_year else text).upper())
    except ValueError:
        return None


def is_text(value: object) -> bool:
    """Return whether a value is text that an attribute may hold."""
    return isinstance(value, str) and bool(value) and not _NOT_IN_STRINGS.search(value)


def is_json(media_type: str) -> bool:
    """Return whether a content type stands for JSON."""
    essence = media_type.partition(";")[0].strip().lower()
    return essence.endswith(("/json", "+json"))


_FORMS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "source": (_URI_REFERENCE.fullmatch, "a URI reference"),
    "dataschema": (_URI.fullmatch, "an absolute URI"),
    "time": (moment, "an RFC 3339 time with a zone"),
    "datacontenttype": (_MEDIA_TYPE.fullmatch, "a media type"),
    "traceparent": (_TRACE_PARENT.fullmatch, "a traceparent of W3C Trace Context"),
}
_TEXTS: Final = frozenset(
    {*_NEEDED, *_FORMS, "subject", "sequence", "sequencetype", "partitionkey", "tracestate"}
)


def attribute_findings(attributes: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with the attributes of an event, by themselves; empty if nothing is.

    Findings: ``cloudevents/missing-attribute``, ``cloudevents/attribute-name``,
    ``cloudevents/attribute-type`` and ``cloudevents/specversion``.
    """
    found = [
        Finding(
            "cloudevents/missing-attribute",
            f"The event has no {name}",
            expected=f"an attribute {name}",
        )
        for name in _NEEDED
        if name not in attributes
    ]
    for name, value in attributes.items():
        found += _wrong(name, value)
    return found


def _wrong(name: str, value: Any) -> Iterator[Finding]:
    place = f"/{escape_pointer(name)}"
    if not _NAME.fullmatch(name):
        yield Finding(
            "cloudevents/attribute-name",
            "No name for an attribute",
            place,
            expected="lower-case letters and digits of ASCII",
            actual=clip(name),
        )
        return
    expected = _expected(name, value)
    if expected is not None:
        yield Finding(
            "cloudevents/attribute-type",
            f"{name} has another type than it is declared with",
            place,
            expected=expected,
            actual=clip(value),
        )
    elif name == "specversion" and value != SPECVERSION:
        yield Finding(
            "cloudevents/specversion",
            "The event is of another version of CloudEvents",
            place,
            expected=SPECVERSION,
            actual=clip(value),
        )


def _expected(name: str, value: Any) -> str | None:
    """Return what the value of an attribute ought to be; None where it is that."""
    if name in _TEXTS:
        if not isinstance(value, str) or not value:
            return "text that is not empty"
    elif isinstance(value, bool):
        return None
    elif isinstance(value, int):
        return None if -(2**31) <= value < 2**31 else "an integer of 32 bits"
    elif not isinstance(value, str):
        return "text, an integer or a boolean"
    if _NOT_IN_STRINGS.search(value):
        return "text without control characters"
    fits, what = _FORMS.get(name, (bool, ""))
    return what if what and not fits(value) else None
