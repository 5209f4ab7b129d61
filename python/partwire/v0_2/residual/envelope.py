# Generated from schemas/v0.2 (digest e950907cd4e4885d) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""What the typed decode of the envelope family leaves unchecked.

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

from msgspec import UNSET


Test: TypeAlias = Callable[[Any], bool]
_R1 = re.compile("(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")
_P1 = _R1.fullmatch
_R2 = re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_P2 = _R2.fullmatch
_R3 = re.compile("v(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})")
_P3 = _R3.fullmatch


def _timestamp(v: Any) -> bool:
    return _P1(v) is not None


def _uuid(v: Any) -> bool:
    return _P2(v) is not None


def _get_context_request(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None and _P2(v.agent_id) is not None and _P2(v.task_id) is not None


def _prompt_blocks_response(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None


def _report_result_request(v: Any) -> bool:
    if _P2(v.message_id) is None:
        return False
    if _P1(v.sent_at) is None:
        return False
    if _P3(v.schema_version) is None:
        return False
    if _P2(v.task_id) is None:
        return False
    if not _report_result_request__tool_results(v.tool_results):
        return False
    keys = [y.invocation_id for y in v.tool_results]
    if len(keys) > 1 and len(set(keys)) < len(keys):
        return False
    return True


def _report_result_request__tool_results(v: Any) -> bool:
    for y in v:
        if not _tool_result(y):
            return False
    return True


def _envelope(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None


def _message_id(v: Any) -> bool:
    return _P2(v) is not None


def _sent_at(v: Any) -> bool:
    return _P1(v) is not None


def _schema_version(v: Any) -> bool:
    return _P3(v) is not None


def _evaluation_request(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None and _P2(v.task_id) is not None


def _evaluation_response(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None and _P2(v.task_id) is not None


def _task_event(v: Any) -> bool:
    if _P2(v.message_id) is None:
        return False
    if _P1(v.sent_at) is None:
        return False
    if _P3(v.schema_version) is None:
        return False
    if _P2(v.task_id) is None:
        return False
    if v.max_attempts < v.retry_count:
        return False
    return True


def _retry_event(v: Any) -> bool:
    if _P2(v.message_id) is None:
        return False
    if _P1(v.sent_at) is None:
        return False
    if _P3(v.schema_version) is None:
        return False
    if _P2(v.task_id) is None:
        return False
    if v.max_attempts < v.retry_count:
        return False
    return True


def _tool_result(v: Any) -> bool:
    return _P2(v.invocation_id) is not None and _P2(v.tool_id) is not None and _P1(v.created_at) is not None


def _tool_call_request(v: Any) -> bool:
    return _P2(v.message_id) is not None and _P1(v.sent_at) is not None and _P3(v.schema_version) is not None and _P2(v.invocation_id) is not None


def _tool_call_response(v: Any) -> bool:
    if _P2(v.message_id) is None:
        return False
    if _P1(v.sent_at) is None:
        return False
    if _P3(v.schema_version) is None:
        return False
    if _P2(v.invocation_id) is None:
        return False
    if v.success is True and v.data is UNSET:
        return False
    if v.success is False and v.error is UNSET:
        return False
    return True


DECODED_AS: Final[Mapping[str, Any]] = {
}
RESIDUAL: Final[Mapping[str, Test | None]] = {
    "JsonObject": None,
    "Timestamp": _timestamp,
    "Uuid": _uuid,
    "GetContextRequest": _get_context_request,
    "PromptBlocksResponse": _prompt_blocks_response,
    "ReportResultRequest": _report_result_request,
    "Envelope": _envelope,
    "MessageId": _message_id,
    "SentAt": _sent_at,
    "TraceId": None,
    "SchemaVersion": _schema_version,
    "MessageType": None,
    "EvaluationRequest": _evaluation_request,
    "EvaluationResponse": _evaluation_response,
    "TaskEvent": _task_event,
    "RetryEvent": _retry_event,
    "ToolResult": _tool_result,
    "ToolCallRequest": _tool_call_request,
    "ToolCallResponse": _tool_call_response,
    "ToolError": None,
}
TEXTS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "GetContextRequest": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3, "agent_id": _R2, "task_id": _R2},
    "PromptBlocksResponse": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3},
    "Envelope": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3},
    "EvaluationRequest": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3, "task_id": _R2},
    "EvaluationResponse": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3, "task_id": _R2},
    "ToolResult": {"invocation_id": _R2, "tool_id": _R2, "created_at": _R1},
    "ToolCallRequest": {"message_id": _R2, "sent_at": _R1, "schema_version": _R3, "invocation_id": _R2},
    "ToolError": {},
}
