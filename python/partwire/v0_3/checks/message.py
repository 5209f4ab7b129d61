# Generated from schemas/v0.3 (digest bf5b753bb8d4b184) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Checks of the message family.

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
    exactly_one,
    fewer_items,
    free,
    free_array,
    full,
    integer,
    member,
    no_member_type,
    none_of,
    number,
    run,
    string,
    tag_of,
    wrong_type,
)
from partwire.bindings.meaning import (
    not_less,
    shape_holds,
    tag_table,
    unique,
)
from partwire.errors import Finding
_P1 = re.compile("(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])").fullmatch
_P1_FORM = "An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction digits, a day that the calendar has, no leap second."
_P2 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?").fullmatch
_P2_FORM = "Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line breaks."
_P3 = re.compile("[0-9a-f]{64}").fullmatch
_P3_FORM = "^[0-9a-f]{64}$"


def _json_object(v: Any) -> Found:
    return free(v)


def _timestamp(v: Any) -> Found:
    return string(v, None, None, _P1, _P1_FORM)


def _base64(v: Any) -> Found:
    return string(v, None, None, _P2, _P2_FORM)


def _run_id(v: Any) -> Found:
    return string(v, 1)


def _message_id(v: Any) -> Found:
    return string(v, 1)


def _turn_id(v: Any) -> Found:
    return string(v, 1)


def _tool_call_id(v: Any) -> Found:
    return string(v, 1)


def _tool_name(v: Any) -> Found:
    return string(v, 1)


def _finish_reason(v: Any) -> Found:
    return string(v, 1)


def _error_code(v: Any) -> Found:
    return string(v, 1)


def _usage_summary(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("inputTokens", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "inputTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("outputTokens", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "outputTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("totalTokens", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "totalTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("reasoningTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "reasoningTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("cacheReadTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "cacheReadTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("cacheWriteTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "cacheWriteTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("cost", ABSENT)
    if x is not ABSENT and not ((type(x) is float or type(x) is int) and 0 <= x <= 1.7976931348623157e308):
        found = member(found, "cost", x, number(x, 0, None))
    return found


def _provider_finish_reason(v: Any) -> Found:
    return string(v, 1)


def _opaque(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("provider", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "provider", x, string(x, 1))
    x = v.get("data", ABSENT)
    if not (type(x) is dict):
        found = member(found, "data", x, _json_object(x))
    return found


def _agent_name(v: Any) -> Found:
    return string(v, 1)


def _author(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("name", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "name", x, string(x, 1))
    x = v.get("agentPath", ABSENT)
    if x is not ABSENT and (f := _author__agent_path(x)) is not None:
        found = member(found, "agentPath", x, f)
    if "name" not in v and "agentPath" not in v:
        found = none_of(found, ("name", "agentPath"))
    return found


def _author__agent_path(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    if len(v) < 1:
        found = fewer_items(v, 1)
    for k, y in enumerate(v):
        if not (type(y) is str and y):
            found = below(found, _agent_name(y), k)
            if full(found):
                break
    return found


def _text_format(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("name", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "name", x, string(x, 1))
    x = v.get("schemaRef", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "schemaRef", x, string(x, 1))
    return found


def _outcome(v: Any) -> Found:
    return string(v, 1)


def _approval_id(v: Any) -> Found:
    return string(v, 1)


def _approval_decision(v: Any) -> Found:
    return string(v, 1)


def _media_id(v: Any) -> Found:
    return string(v, 1)


def _message_delta(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("kind")
        f = _MESSAGE_DELTA_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "kind", _MESSAGE_DELTA_VARIANTS)


def _seq(v: Any) -> Found:
    return integer(v, 0, 9007199254740991)


def _start_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "start"):
        found = member(found, "kind", x, const(x, "start"))
    x = v.get("payload", ABSENT)
    f = _start_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _text_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "text"):
        found = member(found, "kind", x, const(x, "text"))
    x = v.get("payload", ABSENT)
    f = _text_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _thinking_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "thinking"):
        found = member(found, "kind", x, const(x, "thinking"))
    x = v.get("payload", ABSENT)
    f = _thinking_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _tool_call_start_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "tool_call_start"):
        found = member(found, "kind", x, const(x, "tool_call_start"))
    x = v.get("payload", ABSENT)
    f = _tool_call_start_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _tool_call_args_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "tool_call_args"):
        found = member(found, "kind", x, const(x, "tool_call_args"))
    x = v.get("payload", ABSENT)
    f = _tool_call_args_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _tool_call_end_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "tool_call_end"):
        found = member(found, "kind", x, const(x, "tool_call_end"))
    x = v.get("payload", ABSENT)
    f = _tool_call_end_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _text_citation_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "text_citation"):
        found = member(found, "kind", x, const(x, "text_citation"))
    x = v.get("payload", ABSENT)
    f = _text_citation_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _server_tool_call_start_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_call_start"):
        found = member(found, "kind", x, const(x, "server_tool_call_start"))
    x = v.get("payload", ABSENT)
    f = _tool_call_start_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _server_tool_call_args_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_call_args"):
        found = member(found, "kind", x, const(x, "server_tool_call_args"))
    x = v.get("payload", ABSENT)
    f = _tool_call_args_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _server_tool_call_end_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_call_end"):
        found = member(found, "kind", x, const(x, "server_tool_call_end"))
    x = v.get("payload", ABSENT)
    f = _tool_call_end_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _server_tool_result_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_result"):
        found = member(found, "kind", x, const(x, "server_tool_result"))
    x = v.get("payload", ABSENT)
    f = _server_tool_result(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _approval_request_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "approval_request"):
        found = member(found, "kind", x, const(x, "approval_request"))
    x = v.get("payload", ABSENT)
    f = _approval_request(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _media_start_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "media_start"):
        found = member(found, "kind", x, const(x, "media_start"))
    x = v.get("payload", ABSENT)
    f = _media_start_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _media_data_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "media_data"):
        found = member(found, "kind", x, const(x, "media_data"))
    x = v.get("payload", ABSENT)
    f = _media_data_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _media_end_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "media_end"):
        found = member(found, "kind", x, const(x, "media_end"))
    x = v.get("payload", ABSENT)
    f = _media_end_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _warning_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "warning"):
        found = member(found, "kind", x, const(x, "warning"))
    x = v.get("payload", ABSENT)
    f = _warning_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _usage_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "usage"):
        found = member(found, "kind", x, const(x, "usage"))
    x = v.get("payload", ABSENT)
    f = _usage_summary(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _done_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "done"):
        found = member(found, "kind", x, const(x, "done"))
    x = v.get("payload", ABSENT)
    f = _done_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _error_delta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("seq", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "seq", x, _seq(x))
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "error"):
        found = member(found, "kind", x, const(x, "error"))
    x = v.get("payload", ABSENT)
    f = _error_delta_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("providerRaw", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "providerRaw", x, _json_object(x))
    return found


def _start_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("modelId", ABSENT)
    if not (type(x) is str):
        found = member(found, "modelId", x, string(x))
    x = v.get("requestId", ABSENT)
    if not (type(x) is str):
        found = member(found, "requestId", x, string(x))
    x = v.get("author", ABSENT)
    if x is not ABSENT and (f := _author(x)) is not None:
        found = member(found, "author", x, f)
    x = v.get("format", ABSENT)
    if x is not ABSENT and (f := _text_format(x)) is not None:
        found = member(found, "format", x, f)
    return found


def _text_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("textDelta", ABSENT)
    if not (type(x) is str):
        found = member(found, "textDelta", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _thinking_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("textDelta", ABSENT)
    if not (type(x) is str):
        found = member(found, "textDelta", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _tool_call_start_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("toolName", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolName", x, _tool_name(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _tool_call_args_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("argsTextDelta", ABSENT)
    if not (type(x) is str):
        found = member(found, "argsTextDelta", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _tool_call_end_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _text_citation_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("citation", ABSENT)
    f = _citation(x)
    if f is not None:
        found = member(found, "citation", x, f)
    x = v.get("partIndex", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "partIndex", x, integer(x, 0, 9007199254740991))
    return found


def _media_start_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("mediaId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mediaId", x, _media_id(x))
    x = v.get("mimeType", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mimeType", x, string(x, 1))
    x = v.get("name", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "name", x, string(x, 1))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _media_data_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("mediaId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mediaId", x, _media_id(x))
    x = v.get("data", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P2(x)):
        found = member(found, "data", x, _base64(x))
    x = v.get("dataDelta", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P2(x)):
        found = member(found, "dataDelta", x, _base64(x))
    x = v.get("transcriptDelta", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "transcriptDelta", x, string(x))
    return found


def _media_end_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("mediaId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mediaId", x, _media_id(x))
    x = v.get("mimeType", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "mimeType", x, string(x, 1))
    x = v.get("source", ABSENT)
    if x is not ABSENT and (f := _media_source(x)) is not None:
        found = member(found, "source", x, f)
    x = v.get("sizeBytes", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "sizeBytes", x, integer(x, 0, 9007199254740991))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _warning_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("code", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "code", x, string(x, 1))
    x = v.get("message", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "message", x, string(x))
    x = v.get("place", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "place", x, string(x, 1))
    return found


def _done_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("finishReason", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "finishReason", x, _finish_reason(x))
    x = v.get("providerFinishReason", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "providerFinishReason", x, _provider_finish_reason(x))
    return found


def _error_delta_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("errorCode", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "errorCode", x, _error_code(x))
    x = v.get("message", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "message", x, string(x))
    x = v.get("retryable", ABSENT)
    if x is not ABSENT and not ((x is True or x is False)):
        found = member(found, "retryable", x, boolean(x))
    return found


def _message(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("messageId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "messageId", x, _message_id(x))
    x = v.get("turnId", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "turnId", x, _turn_id(x))
    x = v.get("role", ABSENT)
    if not (type(x) is str and x in ("system", "user", "assistant", "tool")):
        found = member(found, "role", x, _role(x))
    x = v.get("author", ABSENT)
    if x is not ABSENT and (f := _author(x)) is not None:
        found = member(found, "author", x, f)
    x = v.get("parts", ABSENT)
    f = _message__parts(x)
    if f is not None:
        found = member(found, "parts", x, f)
    x = v.get("timestamp", ABSENT)
    if not (type(x) is str and _P1(x)):
        found = member(found, "timestamp", x, _timestamp(x))
    x = v.get("meta", ABSENT)
    if x is not ABSENT and (f := _message_meta(x)) is not None:
        found = member(found, "meta", x, f)
    if found is None or shape_holds(found):
        row = _MESSAGE_RULE_1[v["role"]]
        for y in v["parts"]:
            if y["kind"] not in row:
                found = tag_table(found, "message/role-part-kind", "error", v, "/role", "/parts", "kind", _MESSAGE_RULE_1)
                break
        keys = [y["payload"]["toolCallId"] for y in v["parts"] if y["kind"] == "tool_call"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-tool-call", "error", v, "/parts", "/payload/toolCallId", ("/kind", "tool_call"))
        keys = [y["payload"]["toolCallId"] for y in v["parts"] if y["kind"] == "tool_result"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-tool-result", "error", v, "/parts", "/payload/toolCallId", ("/kind", "tool_result"))
        keys = [y["payload"]["toolCallId"] for y in v["parts"] if y["kind"] == "server_tool_call"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-tool-call", "error", v, "/parts", "/payload/toolCallId", ("/kind", "server_tool_call"))
        keys = [y["payload"]["toolCallId"] for y in v["parts"] if y["kind"] == "server_tool_result"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-tool-result", "error", v, "/parts", "/payload/toolCallId", ("/kind", "server_tool_result"))
        keys = [y["payload"]["approvalId"] for y in v["parts"] if y["kind"] == "approval_request"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-approval", "error", v, "/parts", "/payload/approvalId", ("/kind", "approval_request"))
        keys = [y["payload"]["approvalId"] for y in v["parts"] if y["kind"] == "approval_response"]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "message/duplicate-approval", "error", v, "/parts", "/payload/approvalId", ("/kind", "approval_response"))
    return found


def _message__parts(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _message_part(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _role(v: Any) -> Found:
    return enum(v, ("system", "user", "assistant", "tool"))


def _message_meta(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("modelId", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "modelId", x, string(x))
    x = v.get("requestId", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "requestId", x, string(x))
    x = v.get("finishReason", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "finishReason", x, _finish_reason(x))
    x = v.get("completedAt", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P1(x)):
        found = member(found, "completedAt", x, _timestamp(x))
    x = v.get("usage", ABSENT)
    if x is not ABSENT and (f := _usage_summary(x)) is not None:
        found = member(found, "usage", x, f)
    x = v.get("toolCallParseErrors", ABSENT)
    if x is not ABSENT and (f := _message_meta__tool_call_parse_errors(x)) is not None:
        found = member(found, "toolCallParseErrors", x, f)
    x = v.get("incomplete", ABSENT)
    if x is not ABSENT and (f := _incomplete(x)) is not None:
        found = member(found, "incomplete", x, f)
    return found


def _message_meta__tool_call_parse_errors(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _tool_call_parse_error(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _tool_call_parse_error(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("error", ABSENT)
    if not (type(x) is str and x in ("invalid_json", "not_an_object")):
        found = member(found, "error", x, enum(x, ("invalid_json", "not_an_object")))
    return found


def _incomplete(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("ending", ABSENT)
    if not (type(x) is str and x in ("error", "cancelled", "truncated")):
        found = member(found, "ending", x, enum(x, ("error", "cancelled", "truncated")))
    x = v.get("openToolCallIds", ABSENT)
    f = _incomplete__open_tool_call_ids(x)
    if f is not None:
        found = member(found, "openToolCallIds", x, f)
    x = v.get("openMediaIds", ABSENT)
    if x is not ABSENT and (f := _incomplete__open_media_ids(x)) is not None:
        found = member(found, "openMediaIds", x, f)
    return found


def _incomplete__open_tool_call_ids(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        if not (type(y) is str and y):
            found = below(found, _tool_call_id(y), k)
            if full(found):
                break
    return found


def _incomplete__open_media_ids(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        if not (type(y) is str and y):
            found = below(found, _media_id(y), k)
            if full(found):
                break
    return found


def _message_part(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("kind")
        f = _MESSAGE_PART_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "kind", _MESSAGE_PART_VARIANTS)


def _text_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "text"):
        found = member(found, "kind", x, const(x, "text"))
    x = v.get("payload", ABSENT)
    f = _text_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _thinking_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "thinking"):
        found = member(found, "kind", x, const(x, "thinking"))
    x = v.get("payload", ABSENT)
    f = _thinking_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _tool_call_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "tool_call"):
        found = member(found, "kind", x, const(x, "tool_call"))
    x = v.get("payload", ABSENT)
    f = _tool_call_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _tool_result_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "tool_result"):
        found = member(found, "kind", x, const(x, "tool_result"))
    x = v.get("payload", ABSENT)
    f = _tool_result(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _image_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "image"):
        found = member(found, "kind", x, const(x, "image"))
    x = v.get("payload", ABSENT)
    f = _image_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _file_ref_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "file_ref"):
        found = member(found, "kind", x, const(x, "file_ref"))
    x = v.get("payload", ABSENT)
    f = _file_ref_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _media_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "media"):
        found = member(found, "kind", x, const(x, "media"))
    x = v.get("payload", ABSENT)
    f = _media_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _server_tool_call_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_call"):
        found = member(found, "kind", x, const(x, "server_tool_call"))
    x = v.get("payload", ABSENT)
    f = _tool_call_payload(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _server_tool_result_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "server_tool_result"):
        found = member(found, "kind", x, const(x, "server_tool_result"))
    x = v.get("payload", ABSENT)
    f = _server_tool_result(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _approval_request_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "approval_request"):
        found = member(found, "kind", x, const(x, "approval_request"))
    x = v.get("payload", ABSENT)
    f = _approval_request(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _approval_response_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "approval_response"):
        found = member(found, "kind", x, const(x, "approval_response"))
    x = v.get("payload", ABSENT)
    f = _approval_response(x)
    if f is not None:
        found = member(found, "payload", x, f)
    return found


def _text_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("text", ABSENT)
    if not (type(x) is str):
        found = member(found, "text", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    x = v.get("citations", ABSENT)
    if x is not ABSENT and (f := _text_payload__citations(x)) is not None:
        found = member(found, "citations", x, f)
    x = v.get("format", ABSENT)
    if x is not ABSENT and (f := _text_format(x)) is not None:
        found = member(found, "format", x, f)
    return found


def _text_payload__citations(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _citation(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _citation(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    x = v.get("source", ABSENT)
    f = _citation_source(x)
    if f is not None:
        found = member(found, "source", x, f)
    x = v.get("quotedText", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "quotedText", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    if found is None or shape_holds(found):
        if "end" in v and "start" in v and v["end"] < v["start"]:
            found = not_less(found, "message/citation-range", "error", v, "/end", "/start")
    return found


def _citation_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "kind", x, _citation_source_kind(x))
    x = v.get("url", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "url", x, string(x, 1))
    x = v.get("title", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "title", x, string(x))
    x = v.get("id", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("locator", ABSENT)
    if x is not ABSENT and (f := _citation_locator(x)) is not None:
        found = member(found, "locator", x, f)
    return found


def _citation_source_kind(v: Any) -> Found:
    return string(v, 1)


def _citation_locator(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("unit", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "unit", x, _locator_unit(x))
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    return found


def _locator_unit(v: Any) -> Found:
    return string(v, 1)


def _thinking_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("text", ABSENT)
    if not (type(x) is str):
        found = member(found, "text", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _tool_call_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("toolName", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolName", x, _tool_name(x))
    x = v.get("arguments", ABSENT)
    if not (type(x) is dict):
        found = member(found, "arguments", x, _json_object(x))
    x = v.get("rawArgsText", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "rawArgsText", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _tool_call(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("toolName", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolName", x, _tool_name(x))
    x = v.get("arguments", ABSENT)
    if not (type(x) is dict):
        found = member(found, "arguments", x, _json_object(x))
    return found


def _tool_result(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("isError", ABSENT)
    if not ((x is True or x is False)):
        found = member(found, "isError", x, boolean(x))
    x = v.get("content", ABSENT)
    f = _tool_result_content(x)
    if f is not None:
        found = member(found, "content", x, f)
    x = v.get("outcome", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "outcome", x, _outcome(x))
    x = v.get("structured", ABSENT)
    if x is not ABSENT and (f := _structured_value(x)) is not None:
        found = member(found, "structured", x, f)
    return found


def _tool_result_content(v: Any) -> Found:
    if isinstance(v, str):
        return string(v)
    if isinstance(v, list):
        return _tool_result_content__1(v)
    if isinstance(v, dict):
        return _json_object(v)
    return no_member_type(v, "a string or an array or an object")


def _tool_result_content__1(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _tool_result_content_part(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _tool_result_content_part(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("kind")
        f = _TOOL_RESULT_CONTENT_PART_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "kind", _TOOL_RESULT_CONTENT_PART_VARIANTS)


def _image_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("mimeType", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mimeType", x, string(x, 1))
    x = v.get("data", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P2(x)):
        found = member(found, "data", x, _base64(x))
    x = v.get("url", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "url", x, string(x, 1))
    if ("data" in v) + ("url" in v) != 1:
        found = exactly_one(found, v, ("data", "url"))
    return found


def _file_ref_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("path", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "path", x, string(x, 1))
    x = v.get("mimeType", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "mimeType", x, string(x, 1))
    x = v.get("size", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "size", x, integer(x, 0, 9007199254740991))
    return found


def _media_payload(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("mimeType", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mimeType", x, string(x, 1))
    x = v.get("source", ABSENT)
    f = _media_source(x)
    if f is not None:
        found = member(found, "source", x, f)
    x = v.get("name", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "name", x, string(x, 1))
    x = v.get("sizeBytes", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "sizeBytes", x, integer(x, 0, 9007199254740991))
    x = v.get("sha256", ABSENT)
    if x is not ABSENT and not (type(x) is str and len(x) >= 64 and len(x) <= 64 and _P3(x)):
        found = member(found, "sha256", x, string(x, 64, 64, _P3, _P3_FORM))
    x = v.get("transcript", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "transcript", x, string(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _media_source(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("kind")
        f = _MEDIA_SOURCE_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "kind", _MEDIA_SOURCE_VARIANTS)


def _inline_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "inline"):
        found = member(found, "kind", x, const(x, "inline"))
    x = v.get("data", ABSENT)
    if not (type(x) is str and _P2(x)):
        found = member(found, "data", x, _base64(x))
    return found


def _url_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "url"):
        found = member(found, "kind", x, const(x, "url"))
    x = v.get("url", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "url", x, string(x, 1))
    return found


def _ref_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("kind", ABSENT)
    if not (type(x) is str and x == "ref"):
        found = member(found, "kind", x, const(x, "ref"))
    x = v.get("ref", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "ref", x, string(x, 1))
    return found


def _structured_value(v: Any) -> Found:
    if isinstance(v, list):
        return free_array(v)
    if isinstance(v, bool):
        return boolean(v)
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return number(v, None, None)
    if isinstance(v, dict):
        return _json_object(v)
    if isinstance(v, str):
        return string(v)
    return no_member_type(v, "an array or a boolean or a number or an object or a string")


def _server_tool_result(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("isError", ABSENT)
    if not ((x is True or x is False)):
        found = member(found, "isError", x, boolean(x))
    x = v.get("content", ABSENT)
    f = _tool_result_content(x)
    if f is not None:
        found = member(found, "content", x, f)
    x = v.get("outcome", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "outcome", x, _outcome(x))
    x = v.get("structured", ABSENT)
    if x is not ABSENT and (f := _structured_value(x)) is not None:
        found = member(found, "structured", x, f)
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _approval_request(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("approvalId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "approvalId", x, _approval_id(x))
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("reason", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "reason", x, string(x))
    x = v.get("choices", ABSENT)
    if x is not ABSENT and (f := _approval_request__choices(x)) is not None:
        found = member(found, "choices", x, f)
    x = v.get("requestedAt", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P1(x)):
        found = member(found, "requestedAt", x, _timestamp(x))
    x = v.get("opaque", ABSENT)
    if x is not ABSENT and (f := _opaque(x)) is not None:
        found = member(found, "opaque", x, f)
    return found


def _approval_request__choices(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    if len(v) < 1:
        found = fewer_items(v, 1)
    for k, y in enumerate(v):
        f = _approval_choice(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _approval_choice(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("label", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "label", x, string(x))
    x = v.get("decision", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "decision", x, _approval_decision(x))
    return found


def _approval_response(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("approvalId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "approvalId", x, _approval_id(x))
    x = v.get("toolCallId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolCallId", x, _tool_call_id(x))
    x = v.get("decision", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "decision", x, _approval_decision(x))
    x = v.get("choice", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "choice", x, string(x, 1))
    x = v.get("reason", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "reason", x, string(x))
    x = v.get("decidedBy", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "decidedBy", x, string(x))
    x = v.get("decidedAt", ABSENT)
    if x is not ABSENT and not (type(x) is str and _P1(x)):
        found = member(found, "decidedAt", x, _timestamp(x))
    x = v.get("arguments", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "arguments", x, _json_object(x))
    return found


def _tool_spec(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("name", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "name", x, _tool_name(x))
    x = v.get("description", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "description", x, string(x))
    x = v.get("parameterSchema", ABSENT)
    if not (type(x) is dict):
        found = member(found, "parameterSchema", x, _json_object(x))
    x = v.get("strict", ABSENT)
    if x is not ABSENT and not ((x is True or x is False)):
        found = member(found, "strict", x, boolean(x))
    return found


def _tool_choice(v: Any) -> Found:
    if isinstance(v, str):
        return _tool_choice_mode(v)
    if isinstance(v, dict):
        return _specific_tool(v)
    return no_member_type(v, "a string or an object")


def _tool_choice_mode(v: Any) -> Found:
    return enum(v, ("auto", "required", "none"))


def _specific_tool(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("toolName", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "toolName", x, _tool_name(x))
    return found


def _cache_config(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("strategy", ABSENT)
    if not (type(x) is str and x in ("auto",)):
        found = member(found, "strategy", x, enum(x, ("auto",)))
    return found


def _model_config(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("modelId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "modelId", x, string(x, 1))
    x = v.get("temperature", ABSENT)
    if x is not ABSENT and not ((type(x) is float or type(x) is int) and 0 <= x <= 1.7976931348623157e308):
        found = member(found, "temperature", x, number(x, 0, None))
    x = v.get("maxTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 1 <= x <= 9007199254740991):
        found = member(found, "maxTokens", x, integer(x, 1, 9007199254740991))
    x = v.get("topP", ABSENT)
    if x is not ABSENT and not ((type(x) is float or type(x) is int) and 0 <= x <= 1):
        found = member(found, "topP", x, number(x, 0, 1))
    x = v.get("stopSequences", ABSENT)
    if x is not ABSENT and (f := _model_config__stop_sequences(x)) is not None:
        found = member(found, "stopSequences", x, f)
    x = v.get("toolChoice", ABSENT)
    if x is not ABSENT and (f := _tool_choice(x)) is not None:
        found = member(found, "toolChoice", x, f)
    x = v.get("cacheConfig", ABSENT)
    if x is not ABSENT and (f := _cache_config(x)) is not None:
        found = member(found, "cacheConfig", x, f)
    return found


def _model_config__stop_sequences(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        if not (type(y) is str and y):
            found = below(found, _stop_sequence(y), k)
            if full(found):
                break
    return found


def _stop_sequence(v: Any) -> Found:
    return string(v, 1)


def _model_info(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("modelId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "modelId", x, string(x, 1))
    x = v.get("provider", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "provider", x, string(x, 1))
    x = v.get("contextWindowTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "contextWindowTokens", x, integer(x, 0, 9007199254740991))
    x = v.get("maxOutputTokens", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "maxOutputTokens", x, integer(x, 0, 9007199254740991))
    return found


def _request_metadata(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("sessionId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "sessionId", x, string(x, 1))
    x = v.get("runId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "runId", x, _run_id(x))
    x = v.get("traceId", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "traceId", x, string(x, 1))
    return found


_MESSAGE_DELTA_VARIANTS: Final[Mapping[str, Check]] = {
    "start": _start_delta,
    "text": _text_delta,
    "thinking": _thinking_delta,
    "tool_call_start": _tool_call_start_delta,
    "tool_call_args": _tool_call_args_delta,
    "tool_call_end": _tool_call_end_delta,
    "text_citation": _text_citation_delta,
    "server_tool_call_start": _server_tool_call_start_delta,
    "server_tool_call_args": _server_tool_call_args_delta,
    "server_tool_call_end": _server_tool_call_end_delta,
    "server_tool_result": _server_tool_result_delta,
    "approval_request": _approval_request_delta,
    "media_start": _media_start_delta,
    "media_data": _media_data_delta,
    "media_end": _media_end_delta,
    "warning": _warning_delta,
    "usage": _usage_delta,
    "done": _done_delta,
    "error": _error_delta,
}
_MESSAGE_RULE_1: dict[str, dict[str, None]] = {"assistant": {"text": None, "thinking": None, "tool_call": None, "image": None, "file_ref": None, "media": None, "server_tool_call": None, "server_tool_result": None, "approval_request": None}, "system": {"text": None, "thinking": None}, "tool": {"tool_result": None, "approval_response": None}, "user": {"text": None, "image": None, "file_ref": None, "media": None, "approval_response": None}}
_MESSAGE_PART_VARIANTS: Final[Mapping[str, Check]] = {
    "text": _text_part,
    "thinking": _thinking_part,
    "tool_call": _tool_call_part,
    "tool_result": _tool_result_part,
    "image": _image_part,
    "file_ref": _file_ref_part,
    "media": _media_part,
    "server_tool_call": _server_tool_call_part,
    "server_tool_result": _server_tool_result_part,
    "approval_request": _approval_request_part,
    "approval_response": _approval_response_part,
}
_TOOL_RESULT_CONTENT_PART_VARIANTS: Final[Mapping[str, Check]] = {
    "text": _text_part,
    "image": _image_part,
    "file_ref": _file_ref_part,
    "media": _media_part,
}
_MEDIA_SOURCE_VARIANTS: Final[Mapping[str, Check]] = {
    "inline": _inline_source,
    "url": _url_source,
    "ref": _ref_source,
}


CHECKS: Final[Mapping[str, Check]] = {
    "JsonObject": _json_object,
    "Timestamp": _timestamp,
    "Base64": _base64,
    "RunId": _run_id,
    "MessageId": _message_id,
    "TurnId": _turn_id,
    "ToolCallId": _tool_call_id,
    "ToolName": _tool_name,
    "FinishReason": _finish_reason,
    "ErrorCode": _error_code,
    "UsageSummary": _usage_summary,
    "ProviderFinishReason": _provider_finish_reason,
    "Opaque": _opaque,
    "AgentName": _agent_name,
    "Author": _author,
    "TextFormat": _text_format,
    "Outcome": _outcome,
    "ApprovalId": _approval_id,
    "ApprovalDecision": _approval_decision,
    "MediaId": _media_id,
    "MessageDelta": _message_delta,
    "Seq": _seq,
    "StartDelta": _start_delta,
    "TextDelta": _text_delta,
    "ThinkingDelta": _thinking_delta,
    "ToolCallStartDelta": _tool_call_start_delta,
    "ToolCallArgsDelta": _tool_call_args_delta,
    "ToolCallEndDelta": _tool_call_end_delta,
    "TextCitationDelta": _text_citation_delta,
    "ServerToolCallStartDelta": _server_tool_call_start_delta,
    "ServerToolCallArgsDelta": _server_tool_call_args_delta,
    "ServerToolCallEndDelta": _server_tool_call_end_delta,
    "ServerToolResultDelta": _server_tool_result_delta,
    "ApprovalRequestDelta": _approval_request_delta,
    "MediaStartDelta": _media_start_delta,
    "MediaDataDelta": _media_data_delta,
    "MediaEndDelta": _media_end_delta,
    "WarningDelta": _warning_delta,
    "UsageDelta": _usage_delta,
    "DoneDelta": _done_delta,
    "ErrorDelta": _error_delta,
    "StartDeltaPayload": _start_delta_payload,
    "TextDeltaPayload": _text_delta_payload,
    "ThinkingDeltaPayload": _thinking_delta_payload,
    "ToolCallStartDeltaPayload": _tool_call_start_delta_payload,
    "ToolCallArgsDeltaPayload": _tool_call_args_delta_payload,
    "ToolCallEndDeltaPayload": _tool_call_end_delta_payload,
    "TextCitationDeltaPayload": _text_citation_delta_payload,
    "MediaStartDeltaPayload": _media_start_delta_payload,
    "MediaDataDeltaPayload": _media_data_delta_payload,
    "MediaEndDeltaPayload": _media_end_delta_payload,
    "WarningDeltaPayload": _warning_delta_payload,
    "DoneDeltaPayload": _done_delta_payload,
    "ErrorDeltaPayload": _error_delta_payload,
    "Message": _message,
    "Role": _role,
    "MessageMeta": _message_meta,
    "ToolCallParseError": _tool_call_parse_error,
    "Incomplete": _incomplete,
    "MessagePart": _message_part,
    "TextPart": _text_part,
    "ThinkingPart": _thinking_part,
    "ToolCallPart": _tool_call_part,
    "ToolResultPart": _tool_result_part,
    "ImagePart": _image_part,
    "FileRefPart": _file_ref_part,
    "MediaPart": _media_part,
    "ServerToolCallPart": _server_tool_call_part,
    "ServerToolResultPart": _server_tool_result_part,
    "ApprovalRequestPart": _approval_request_part,
    "ApprovalResponsePart": _approval_response_part,
    "TextPayload": _text_payload,
    "Citation": _citation,
    "CitationSource": _citation_source,
    "CitationSourceKind": _citation_source_kind,
    "CitationLocator": _citation_locator,
    "LocatorUnit": _locator_unit,
    "ThinkingPayload": _thinking_payload,
    "ToolCallPayload": _tool_call_payload,
    "ToolCall": _tool_call,
    "ToolResult": _tool_result,
    "ToolResultContent": _tool_result_content,
    "ToolResultContentPart": _tool_result_content_part,
    "ImagePayload": _image_payload,
    "FileRefPayload": _file_ref_payload,
    "MediaPayload": _media_payload,
    "MediaSource": _media_source,
    "InlineSource": _inline_source,
    "UrlSource": _url_source,
    "RefSource": _ref_source,
    "StructuredValue": _structured_value,
    "ServerToolResult": _server_tool_result,
    "ApprovalRequest": _approval_request,
    "ApprovalChoice": _approval_choice,
    "ApprovalResponse": _approval_response,
    "ToolSpec": _tool_spec,
    "ToolChoice": _tool_choice,
    "ToolChoiceMode": _tool_choice_mode,
    "SpecificTool": _specific_tool,
    "CacheConfig": _cache_config,
    "ModelConfig": _model_config,
    "StopSequence": _stop_sequence,
    "ModelInfo": _model_info,
    "RequestMetadata": _request_metadata,
}

def check(type_name: str, document: object, level: Level = "all") -> list[Finding]:
    """Return the findings of ``document``; UsageError (usage/unknown-type) for an unknown type."""
    return run(CHECKS, type_name, document, level)
