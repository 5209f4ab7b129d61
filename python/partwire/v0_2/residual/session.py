# Generated from schemas/v0.2 (digest ea845c1943e3da8b) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""What the typed decode of the session family leaves unchecked.

``RESIDUAL[name](value)`` is True where nothing is found, False where the checks have
to look; None: nothing is left to check. The value is decoded as ``DECODED_AS[name]``
or, where there is none, as the struct of that name.

``TEXTS[name]``: for the types where all that is left to check is that these texts
match as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import UNSET, Struct

from partwire.v0_2.structs import session as structs

Test: TypeAlias = Callable[[Any], bool]
_R1 = re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_P1 = _R1.fullmatch


def _uuid(v: Any) -> bool:
    return _P1(v) is not None


def _part(v: Any) -> bool:
    f = _PART_VARIANTS.get(type(v))
    return f is None or f(v)


def _text_part(v: Any) -> bool:
    if _P1(v.session_id) is None:
        return False
    if _P1(v.message_id) is None:
        return False
    if v.time is not UNSET and v.time.end is not UNSET and v.time.start is not UNSET and v.time.end < v.time.start:
        return False
    return True


def _reasoning_part(v: Any) -> bool:
    if _P1(v.session_id) is None:
        return False
    if _P1(v.message_id) is None:
        return False
    if v.time.end is not UNSET and v.time.end < v.time.start:
        return False
    return True


def _tool_part(v: Any) -> bool:
    return _P1(v.session_id) is not None and _P1(v.message_id) is not None and _tool_state(v.state)


def _step_start_part(v: Any) -> bool:
    return _P1(v.session_id) is not None and _P1(v.message_id) is not None


def _step_finish_part(v: Any) -> bool:
    return _P1(v.session_id) is not None and _P1(v.message_id) is not None


def _file_part(v: Any) -> bool:
    return _P1(v.session_id) is not None and _P1(v.message_id) is not None and (v.source is UNSET or _file_part_source(v.source))


def _file_part_source(v: Any) -> bool:
    f = _FILE_PART_SOURCE_VARIANTS.get(type(v))
    return f is None or f(v)


def _file_source(v: Any) -> bool:
    return _source_text(v.text)


def _symbol_source(v: Any) -> bool:
    return _source_text(v.text)


def _resource_source(v: Any) -> bool:
    return _source_text(v.text)


def _source_text(v: Any) -> bool:
    if v.end < v.start:
        return False
    return True


def _tool_state(v: Any) -> bool:
    f = _TOOL_STATE_VARIANTS.get(type(v))
    return f is None or f(v)


def _tool_state_completed(v: Any) -> bool:
    if not (v.attachments is UNSET or _tool_state_completed__attachments(v.attachments)):
        return False
    if v.time.end < v.time.start:
        return False
    return True


def _tool_state_completed__attachments(v: Any) -> bool:
    for y in v:
        if not _untagged(y):
            return False
    return True


def _untagged(v: Any) -> bool:
    """Ask for a closer look: a variant outside a union is decoded without its tag too."""
    return False


def _tool_state_error(v: Any) -> bool:
    if v.time.end < v.time.start:
        return False
    return True


def _with_parts(v: Any) -> bool:
    if not _message_info(v.info):
        return False
    if not _with_parts__parts(v.parts):
        return False
    keys = [y.id for y in v.parts]
    if len(keys) > 1 and len(set(keys)) < len(keys):
        return False
    to = v.info.id
    for y in v.parts:
        if y.message_id != to:
            return False
    if len({y.session_id for y in v.parts}) > 1:
        return False
    return True


def _with_parts__parts(v: Any) -> bool:
    for y in v:
        f = _PART_VARIANTS.get(type(y))
        if f is not None and not f(y):
            return False
    return True


def _message_info(v: Any) -> bool:
    f = _MESSAGE_INFO_VARIANTS.get(type(v))
    return f is None or f(v)


def _user_info(v: Any) -> bool:
    return _P1(v.id) is not None and _message_time(v.time)


def _assistant_info(v: Any) -> bool:
    return _P1(v.id) is not None and _message_time(v.time)


def _message_time(v: Any) -> bool:
    if v.completed is not UNSET and v.completed < v.created:
        return False
    return True


def _text_part__alone(v: Any) -> bool:
    return type(v) is structs.TextPart and _text_part(v)


def _reasoning_part__alone(v: Any) -> bool:
    return type(v) is structs.ReasoningPart and _reasoning_part(v)


def _tool_part__alone(v: Any) -> bool:
    return type(v) is structs.ToolPart and _tool_part(v)


def _step_start_part__alone(v: Any) -> bool:
    return type(v) is structs.StepStartPart and _step_start_part(v)


def _step_finish_part__alone(v: Any) -> bool:
    return type(v) is structs.StepFinishPart and _step_finish_part(v)


def _file_part__alone(v: Any) -> bool:
    return type(v) is structs.FilePart and _file_part(v)


def _file_source__alone(v: Any) -> bool:
    return type(v) is structs.FileSource and _file_source(v)


def _symbol_source__alone(v: Any) -> bool:
    return type(v) is structs.SymbolSource and _symbol_source(v)


def _resource_source__alone(v: Any) -> bool:
    return type(v) is structs.ResourceSource and _resource_source(v)


def _tool_state_pending__alone(v: Any) -> bool:
    return type(v) is structs.ToolStatePending


def _tool_state_running__alone(v: Any) -> bool:
    return type(v) is structs.ToolStateRunning


def _tool_state_completed__alone(v: Any) -> bool:
    return type(v) is structs.ToolStateCompleted and _tool_state_completed(v)


def _tool_state_error__alone(v: Any) -> bool:
    return type(v) is structs.ToolStateError and _tool_state_error(v)


def _user_info__alone(v: Any) -> bool:
    return type(v) is structs.UserInfo and _user_info(v)


def _assistant_info__alone(v: Any) -> bool:
    return type(v) is structs.AssistantInfo and _assistant_info(v)


_PART_VARIANTS: Final[Mapping[type, Test]] = {
    structs.TextPart: _text_part,
    structs.ReasoningPart: _reasoning_part,
    structs.ToolPart: _tool_part,
    structs.StepStartPart: _step_start_part,
    structs.StepFinishPart: _step_finish_part,
    structs.FilePart: _file_part,
}
_FILE_PART_SOURCE_VARIANTS: Final[Mapping[type, Test]] = {
    structs.FileSource: _file_source,
    structs.SymbolSource: _symbol_source,
    structs.ResourceSource: _resource_source,
}
_TOOL_STATE_VARIANTS: Final[Mapping[type, Test]] = {
    structs.ToolStateCompleted: _tool_state_completed,
    structs.ToolStateError: _tool_state_error,
}
_MESSAGE_INFO_VARIANTS: Final[Mapping[type, Test]] = {
    structs.UserInfo: _user_info,
    structs.AssistantInfo: _assistant_info,
}


class _OtherType(Struct, frozen=True, tag_field="type", tag=""):
    """Makes msgspec ask for the tag; the tag of no variant."""


class _OtherStatus(Struct, frozen=True, tag_field="status", tag=""):
    """Makes msgspec ask for the tag; the tag of no variant."""


class _OtherRole(Struct, frozen=True, tag_field="role", tag=""):
    """Makes msgspec ask for the tag; the tag of no variant."""


DECODED_AS: Final[Mapping[str, Any]] = {
    "TextPart": structs.TextPart | _OtherType,
    "ReasoningPart": structs.ReasoningPart | _OtherType,
    "ToolPart": structs.ToolPart | _OtherType,
    "StepStartPart": structs.StepStartPart | _OtherType,
    "StepFinishPart": structs.StepFinishPart | _OtherType,
    "FilePart": structs.FilePart | _OtherType,
    "FileSource": structs.FileSource | _OtherType,
    "SymbolSource": structs.SymbolSource | _OtherType,
    "ResourceSource": structs.ResourceSource | _OtherType,
    "ToolStatePending": structs.ToolStatePending | _OtherStatus,
    "ToolStateRunning": structs.ToolStateRunning | _OtherStatus,
    "ToolStateCompleted": structs.ToolStateCompleted | _OtherStatus,
    "ToolStateError": structs.ToolStateError | _OtherStatus,
    "UserInfo": structs.UserInfo | _OtherRole,
    "AssistantInfo": structs.AssistantInfo | _OtherRole,
}
RESIDUAL: Final[Mapping[str, Test | None]] = {
    "JsonObject": None,
    "Uuid": _uuid,
    "Part": _part,
    "TextPart": _text_part__alone,
    "ReasoningPart": _reasoning_part__alone,
    "ToolPart": _tool_part__alone,
    "StepStartPart": _step_start_part__alone,
    "StepFinishPart": _step_finish_part__alone,
    "FilePart": _file_part__alone,
    "TextTime": None,
    "ReasoningTime": None,
    "TokenStats": None,
    "CacheTokenStats": None,
    "FilePartSource": _file_part_source,
    "FileSource": _file_source__alone,
    "SymbolSource": _symbol_source__alone,
    "ResourceSource": _resource_source__alone,
    "SourceText": _source_text,
    "SourceRange": None,
    "SourcePosition": None,
    "ToolState": _tool_state,
    "ToolStatePending": _tool_state_pending__alone,
    "ToolStateRunning": _tool_state_running__alone,
    "ToolStateCompleted": _tool_state_completed__alone,
    "ToolStateError": _tool_state_error__alone,
    "ToolStartTime": None,
    "ToolEndTime": None,
    "ToolCompletedTime": None,
    "InvalidStateTransitionError": None,
    "InvalidStateTransitionDetails": None,
    "ToolStatus": None,
    "WithParts": _with_parts,
    "MessageInfo": _message_info,
    "UserInfo": _user_info__alone,
    "AssistantInfo": _assistant_info__alone,
    "MessageTime": _message_time,
    "UserSummary": None,
    "FileDiff": None,
    "ModelRef": None,
    "MessagePath": None,
    "ToolSwitches": None,
    "ValidationResult": None,
    "ValidationFinding": None,
}
TEXTS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "TextTime": {},
    "ReasoningTime": {},
    "TokenStats": {},
    "CacheTokenStats": {},
    "SourceRange": {},
    "SourcePosition": {},
    "ToolStartTime": {},
    "ToolEndTime": {},
    "ToolCompletedTime": {},
    "InvalidStateTransitionError": {},
    "InvalidStateTransitionDetails": {},
    "UserSummary": {},
    "FileDiff": {},
    "ModelRef": {},
    "MessagePath": {},
    "ValidationResult": {},
    "ValidationFinding": {},
}
