# Generated from schemas/v0.3 (digest 1c195cd0bc04e7b7) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Checks of the envelope family.

``check(type_name, document)`` returns findings; ``CHECKS`` has one function per type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from partwire.bindings.check import (
    ABSENT,
    Check,
    Found,
    Level,
    below,
    boolean,
    const,
    enum,
    free,
    full,
    integer,
    member,
    number,
    run,
    string,
    wrong_type,
)
from partwire.bindings.meaning import (
    not_less,
    present_when,
    shape_holds,
    unique,
)
from partwire.errors import Finding
_P1 = re.compile("(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])").fullmatch
_P1_FORM = "An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction digits, a day that the calendar has, no leap second."
_P2 = re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}").fullmatch
_P2_FORM = "A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups, without prefix or braces."
_P3 = re.compile("v(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})").fullmatch
_P3_FORM = "Version of the contract that the sender wrote by."


def _json_object(v: Any) -> Found:
    return free(v)


def _timestamp(v: Any) -> Found:
    return string(v, None, None, _P1, _P1_FORM)


def _uuid(v: Any) -> Found:
    return string(v, 36, 36, _P2, _P2_FORM)


def _get_context_request(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "GetContextRequest"):
        found = member(found, "message_type", x, const(x, "GetContextRequest"))
    x = v.get("agent_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "agent_id", x, _uuid(x))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("globals", ABSENT)
    if not (type(x) is dict):
        found = member(found, "globals", x, _json_object(x))
    return found


def _prompt_blocks_response(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "PromptBlocksResponse"):
        found = member(found, "message_type", x, const(x, "PromptBlocksResponse"))
    x = v.get("system", ABSENT)
    if not (type(x) is str):
        found = member(found, "system", x, string(x))
    x = v.get("task", ABSENT)
    if not (type(x) is str):
        found = member(found, "task", x, string(x))
    x = v.get("allowed_tools", ABSENT)
    if not (type(x) is str):
        found = member(found, "allowed_tools", x, string(x))
    x = v.get("context_data", ABSENT)
    if not (type(x) is str):
        found = member(found, "context_data", x, string(x))
    x = v.get("instruction", ABSENT)
    if not (type(x) is str):
        found = member(found, "instruction", x, string(x))
    return found


def _report_result_request(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "ReportResultRequest"):
        found = member(found, "message_type", x, const(x, "ReportResultRequest"))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("tool_results", ABSENT)
    f = _report_result_request__tool_results(x)
    if f is not None:
        found = member(found, "tool_results", x, f)
    x = v.get("task_results", ABSENT)
    if not (type(x) is dict):
        found = member(found, "task_results", x, _json_object(x))
    if found is None or shape_holds(found):
        keys = [y["invocation_id"] for y in v["tool_results"]]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "envelope/duplicate-invocation", "warning", v, "/tool_results", "/invocation_id", None)
    return found


def _report_result_request__tool_results(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _tool_result(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _envelope(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "message_type", x, _message_type(x))
    return found


def _message_id(v: Any) -> Found:
    return _uuid(v)


def _sent_at(v: Any) -> Found:
    return _timestamp(v)


def _trace_id(v: Any) -> Found:
    return string(v, 1)


def _schema_version(v: Any) -> Found:
    return string(v, None, None, _P3, _P3_FORM)


def _message_type(v: Any) -> Found:
    return string(v, 1)


def _evaluation_request(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "EvaluationRequest"):
        found = member(found, "message_type", x, const(x, "EvaluationRequest"))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("task_results", ABSENT)
    if not (type(x) is dict):
        found = member(found, "task_results", x, _json_object(x))
    return found


def _evaluation_response(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "EvaluationResponse"):
        found = member(found, "message_type", x, const(x, "EvaluationResponse"))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("status", ABSENT)
    if not (type(x) is str and x in ("pass", "fail")):
        found = member(found, "status", x, enum(x, ("pass", "fail")))
    x = v.get("score", ABSENT)
    if not ((type(x) is float or type(x) is int) and 0 <= x <= 100):
        found = member(found, "score", x, number(x, 0, 100))
    x = v.get("next_action", ABSENT)
    if not (type(x) is str and x in ("retry", "next_slice", "none")):
        found = member(found, "next_action", x, enum(x, ("retry", "next_slice", "none")))
    return found


def _task_event(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "TaskEvent"):
        found = member(found, "message_type", x, const(x, "TaskEvent"))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("payload", ABSENT)
    if not (type(x) is dict):
        found = member(found, "payload", x, _json_object(x))
    x = v.get("retry_count", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "retry_count", x, integer(x, 0, 9007199254740991))
    x = v.get("max_attempts", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "max_attempts", x, integer(x, 0, 9007199254740991))
    if found is None or shape_holds(found):
        if v["max_attempts"] < v["retry_count"]:
            found = not_less(found, "envelope/retry-count", "warning", v, "/max_attempts", "/retry_count")
    return found


def _retry_event(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "RetryEvent"):
        found = member(found, "message_type", x, const(x, "RetryEvent"))
    x = v.get("task_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "task_id", x, _uuid(x))
    x = v.get("payload", ABSENT)
    if not (type(x) is dict):
        found = member(found, "payload", x, _json_object(x))
    x = v.get("retry_count", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "retry_count", x, integer(x, 0, 9007199254740991))
    x = v.get("max_attempts", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "max_attempts", x, integer(x, 0, 9007199254740991))
    if found is None or shape_holds(found):
        if v["max_attempts"] < v["retry_count"]:
            found = not_less(found, "envelope/retry-count", "warning", v, "/max_attempts", "/retry_count")
    return found


def _tool_result(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("invocation_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "invocation_id", x, _uuid(x))
    x = v.get("tool_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "tool_id", x, _uuid(x))
    x = v.get("result_type", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "result_type", x, string(x, 1))
    x = v.get("data", ABSENT)
    if not (type(x) is dict):
        found = member(found, "data", x, _json_object(x))
    x = v.get("created_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "created_at", x, _timestamp(x))
    return found


def _tool_call_request(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "ToolCallRequest"):
        found = member(found, "message_type", x, const(x, "ToolCallRequest"))
    x = v.get("invocation_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "invocation_id", x, _uuid(x))
    x = v.get("tool_name", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_name", x, string(x, 1))
    x = v.get("tool_version", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool_version", x, string(x, 1))
    x = v.get("args", ABSENT)
    if not (type(x) is dict):
        found = member(found, "args", x, _json_object(x))
    return found


def _tool_call_response(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("message_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "message_id", x, _message_id(x))
    x = v.get("sent_at", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "sent_at", x, _sent_at(x))
    x = v.get("trace_id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "trace_id", x, _trace_id(x))
    x = v.get("schema_version", ABSENT)
    if not (type(x) is str and _P3(x)):
        found = member(found, "schema_version", x, _schema_version(x))
    x = v.get("message_type", ABSENT)
    if x is not ABSENT and not (type(x) is str and x == "ToolCallResponse"):
        found = member(found, "message_type", x, const(x, "ToolCallResponse"))
    x = v.get("invocation_id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P2(x)):
        found = member(found, "invocation_id", x, _uuid(x))
    x = v.get("success", ABSENT)
    if not ((x is True or x is False)):
        found = member(found, "success", x, boolean(x))
    x = v.get("data", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "data", x, _json_object(x))
    x = v.get("error", ABSENT)
    if x is not ABSENT and (f := _tool_error(x)) is not None:
        found = member(found, "error", x, f)
    if found is None or shape_holds(found):
        if v["success"] is True and "data" not in v:
            found = present_when(found, "envelope/response-outcome", "error", v, "/success", "/data")
        if v["success"] is False and "error" not in v:
            found = present_when(found, "envelope/response-outcome", "error", v, "/success", "/error")
    return found


def _tool_error(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("code", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "code", x, string(x, 1))
    x = v.get("message", ABSENT)
    if not (type(x) is str):
        found = member(found, "message", x, string(x))
    return found


CHECKS: Final[Mapping[str, Check]] = {
    "JsonObject": _json_object,
    "Timestamp": _timestamp,
    "Uuid": _uuid,
    "GetContextRequest": _get_context_request,
    "PromptBlocksResponse": _prompt_blocks_response,
    "ReportResultRequest": _report_result_request,
    "Envelope": _envelope,
    "MessageId": _message_id,
    "SentAt": _sent_at,
    "TraceId": _trace_id,
    "SchemaVersion": _schema_version,
    "MessageType": _message_type,
    "EvaluationRequest": _evaluation_request,
    "EvaluationResponse": _evaluation_response,
    "TaskEvent": _task_event,
    "RetryEvent": _retry_event,
    "ToolResult": _tool_result,
    "ToolCallRequest": _tool_call_request,
    "ToolCallResponse": _tool_call_response,
    "ToolError": _tool_error,
}

def check(type_name: str, document: object, level: Level = "all") -> list[Finding]:
    """Return the findings of ``document``; UsageError (usage/unknown-type) for an unknown type."""
    return run(CHECKS, type_name, document, level)
