"""Operations on single documents: validate, read, read_tolerant."""

from __future__ import annotations

from typing import Any

from partwire.errors import Finding, ReadError
from partwire.json.pointer import value_at
from partwire.reading.pipeline import Mode, read_with_findings, to_wire, validate
from partwire.reading.plain import plain_value

from ..values import Json, bytes_of, findings_of, refusal_of

__all__ = ["read_strictly", "read_tolerantly", "validate_document"]


def validate_document(given: Json, version: str) -> Json:
    """Return the findings of a document."""
    document = bytes_of(given["document"])
    return {"findings": findings_of(validate(document, given["type"], version))}


def read_strictly(given: Json, version: str) -> Json:
    """Return a document as it is written again after strict reading, or its refusal."""
    return _read(given, version, "strict")


def read_tolerantly(given: Json, version: str) -> Json:
    """Return a document as it is written again after tolerant reading, or its refusal."""
    return _read(given, version, "tolerant")


def _read(given: Json, version: str, mode: Mode) -> Json:
    document, kind = bytes_of(given["document"]), given["type"]
    try:
        value, findings = read_with_findings(document, kind, mode, version)
    except ReadError as error:
        return refusal_of(error)
    made = {"value": to_wire(value, kind, version), "findings": findings_of(findings)}
    defaults = _defaults(value, findings)
    return {**made, "defaults": defaults} if defaults else made


def _defaults(value: Any, findings: list[Finding]) -> Json:
    taken = plain_value(value, defaults=True)[0]
    places = [each.pointer for each in findings if each.rule == "read/unknown-enum-value"]
    return {place: value_at(taken, place) for place in places}
