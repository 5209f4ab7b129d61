"""Operations on single documents: validate, read, read_tolerant."""

from __future__ import annotations

from ..errors import ReadError
from ..reading import Mode, read_with_findings, to_wire, validate
from .values import Json, bytes_of, findings_of, refusal_of

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
    return {"value": to_wire(value, kind, version), "findings": findings_of(findings)}
