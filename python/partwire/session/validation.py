"""Validation of parts, with the policies of the three errors.

``id_profile="opaque"`` takes any non-empty session and message id, for data of systems whose ids
are not UUIDs; the schemas, reading and writing keep to UUIDs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET

from partwire.contract.current.session import ValidationFinding, ValidationResult
from partwire.errors import Finding, PartwireError, bad_argument, clip
from partwire.json.text import decode_json, value_findings
from partwire.reading.inputs import text_of
from partwire.reading.pipeline import Unknown, validate_value
from partwire.reading.plain import plain_value

from .errors import Ids, MissingRequiredField, is_member_name, log_findings, part_refused
from .transitions import EMPTY_OUTPUT_PLACEHOLDER, placeholder_finding

__all__ = [
    "IdProfile",
    "get_required",
    "part_findings",
    "placeholder_findings",
    "require_part",
    "validate_part",
]

IdProfile = Literal["uuid", "opaque"]
"""Which ids of sessions and messages are taken: UUIDs, or any text that is not empty."""

T = TypeVar("T")


def validate_part(part: object, *, id_profile: IdProfile = "uuid") -> ValidationResult:
    """Say whether ``part`` is a valid part; never raises, whatever ``part`` is.

    ``part`` is a struct or model of a part, a JSON value, or JSON text as bytes. Findings come in
    document order; warnings among them leave the part valid.
    """
    found = part_findings(part, id_profile)
    return ValidationResult(
        valid=all(finding.severity != "error" for finding in found),
        findings=[
            ValidationFinding(
                rule=each.rule,
                message=each.message,
                pointer=each.pointer,
                severity=each.severity,
                expected=UNSET if each.expected is None else each.expected,
                actual=UNSET if each.actual is None else each.actual,
            )
            for each in found
        ],
    )


def require_part(part: T, *, id_profile: IdProfile = "uuid") -> T:
    """Return ``part`` itself if it is valid.

    Raises PartValidationError with all errors, and logs them.
    """
    found = part_findings(part, id_profile)
    errors = [finding for finding in found if finding.severity == "error"]
    if errors:
        raise part_refused(errors, _ids_of(part))
    return part


def get_required(
    part: object,
    field: str,
    *,
    report: Callable[[MissingRequiredField], object] | None = None,
) -> Any | None:
    """Return the member ``field`` of a part, or None, with a log record, where it is missing.

    ``field`` is the name on the wire (``sessionID``) or, of a struct or model, that of the
    attribute; the log says it only if the contract has such a name. null counts as missing.
    ``report`` is called with the error, and may raise it. Raises UsageError for a ``field`` that
    is not a string.
    """
    if not isinstance(field, str):
        raise bad_argument("The name of a field is a string", "a string", field)
    value = _member(part, field)
    if value is not None and value is not UNSET:
        return value
    finding = Finding(
        "session/missing-field",
        f"The field {clip(field)} is missing",
        expected=f"a member {clip(field)}",
    )
    named = clip(field) if is_member_name(field) else "a field"
    log_findings(logging.WARNING, f"Missing {named}", [finding], _ids_of(part))
    if report is not None:
        report(MissingRequiredField(finding, field=field))
    return None


def part_findings(part: object, id_profile: IdProfile) -> list[Finding]:
    """Return what is wrong with a part, placeholders included; raises UsageError for a profile."""
    if id_profile not in get_args(IdProfile):
        raise bad_argument("No such profile", " or ".join(get_args(IdProfile)), id_profile)
    try:
        document = _document(part)
    except PartwireError as error:
        return list(error.findings)
    found = value_findings(document)
    if found:
        return found
    if id_profile == "opaque":
        for holder in _id_holders(document):
            _put_stand_ins(holder)
    found = validate_value(document, "session.Part")
    if id_profile == "opaque":
        found = [each for finding in found for each in _of_opaque_id(finding)]
    return found + placeholder_findings(document, "")


def _document(part: object) -> Any:
    text = text_of(part)
    return plain_value(part)[0] if text is None else decode_json(text)


def placeholder_findings(part: Any, pointer: str) -> list[Finding]:
    """Return the finding for a tool part whose output is the placeholder; else nothing."""
    state = part.get("state") if isinstance(part, dict) else None
    if isinstance(state, dict) and state.get("output") == EMPTY_OUTPUT_PLACEHOLDER:
        return [placeholder_finding(f"{pointer}/state/output")]
    return []


def _member(part: object, field: str) -> Any:
    if isinstance(part, Unknown):
        return part.document.get(field)
    if isinstance(part, Mapping):
        return part.get(field)
    if isinstance(part, msgspec.Struct):
        names = dict(zip(part.__struct_encode_fields__, part.__struct_fields__, strict=True))
        if field in (part.__struct_config__.tag_field, *part.__struct_fields__):
            return getattr(part, field)
        return getattr(part, names[field]) if field in names else None
    return _member_of_model(part, field) if hasattr(part, "model_dump") else None


def _member_of_model(part: object, field: str) -> Any:
    """Return a member as the model is written: one that was never set is absent then."""
    try:
        document = plain_value(part)[0]
    except PartwireError:
        return None
    fields = getattr(type(part), "model_fields", {})
    name = getattr(fields.get(field), "alias", None) or field
    return document.get(name) if isinstance(document, dict) else None


def _ids_of(part: object) -> Ids:
    members = {"part": "id", "message": "messageID", "session": "sessionID", "call": "callID"}
    found = {name: _member(part, field) for name, field in members.items()}
    return {name: value for name, value in found.items() if isinstance(value, str)}


# --- opaque ids ---------------------------------------------------------------------------------

_OPAQUE = ("sessionID", "messageID")
_STAND_IN = "00000000-0000-4000-8000-000000000000"


def _id_holders(document: Any) -> Iterator[dict[str, Any]]:
    """Give the part, and the files that its state has as attachments."""
    if not isinstance(document, dict):
        return
    yield document
    state = document.get("state")
    attachments = state.get("attachments") if isinstance(state, dict) else None
    for each in attachments if isinstance(attachments, list) else ():
        if isinstance(each, dict):
            yield each


def _put_stand_ins(holder: dict[str, Any]) -> None:
    """Put a UUID in the place of every id that is a non-empty string.

    Leaving out what is found of ids would not do: relations are looked at only where the shape is
    right. No relation within a part is about these ids.
    """
    for name in _OPAQUE:
        if isinstance(holder.get(name), str) and holder[name]:
            holder[name] = _STAND_IN


def _of_opaque_id(finding: Finding) -> list[Finding]:
    """Return a finding as this profile has it: of the ids' form, only emptiness counts."""
    if finding.pointer.rpartition("/")[2] not in _OPAQUE:
        return [finding]
    if finding.rule == "shape/min-length":
        return [finding._replace(expected="at least 1")]
    return [] if finding.rule == "shape/pattern" else [finding]
