# Generated from schemas/v0.3 (digest 040c9f1755e81252) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Checks of the session family.

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
    fewer_items,
    free,
    full,
    integer,
    member,
    number,
    run,
    string,
    tag_of,
    wrong_type,
)
from partwire.bindings.meaning import (
    items_equal,
    items_same,
    not_less,
    shape_holds,
    unique,
)
from partwire.errors import Finding
_P1 = re.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}").fullmatch
_P1_FORM = "A UUID in the text form of RFC 9562: 32 hexadecimal digits of either case in five groups, without prefix or braces."


def _json_object(v: Any) -> Found:
    return free(v)


def _uuid(v: Any) -> Found:
    return string(v, 36, 36, _P1, _P1_FORM)


def _part(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("type")
        f = _PART_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "type", _PART_VARIANTS)


def _text_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "text"):
        found = member(found, "type", x, const(x, "text"))
    x = v.get("text", ABSENT)
    if not (type(x) is str):
        found = member(found, "text", x, string(x))
    x = v.get("synthetic", ABSENT)
    if x is not ABSENT and not ((x is True or x is False)):
        found = member(found, "synthetic", x, boolean(x))
    x = v.get("ignored", ABSENT)
    if x is not ABSENT and not ((x is True or x is False)):
        found = member(found, "ignored", x, boolean(x))
    x = v.get("time", ABSENT)
    if x is not ABSENT and (f := _text_time(x)) is not None:
        found = member(found, "time", x, f)
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    if found is None or shape_holds(found):
        if "time" in v and "end" in v["time"] and "start" in v["time"] and v["time"]["end"] < v["time"]["start"]:
            found = not_less(found, "session/time-order", "warning", v, "/time/end", "/time/start")
    return found


def _reasoning_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "reasoning"):
        found = member(found, "type", x, const(x, "reasoning"))
    x = v.get("text", ABSENT)
    if not (type(x) is str):
        found = member(found, "text", x, string(x))
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    x = v.get("time", ABSENT)
    f = _reasoning_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    if found is None or shape_holds(found):
        if "end" in v["time"] and v["time"]["end"] < v["time"]["start"]:
            found = not_less(found, "session/time-order", "warning", v, "/time/end", "/time/start")
    return found


def _tool_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "tool"):
        found = member(found, "type", x, const(x, "tool"))
    x = v.get("callID", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "callID", x, string(x, 1))
    x = v.get("tool", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "tool", x, string(x, 1))
    x = v.get("state", ABSENT)
    f = _tool_state(x)
    if f is not None:
        found = member(found, "state", x, f)
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    return found


def _step_start_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "step-start"):
        found = member(found, "type", x, const(x, "step-start"))
    x = v.get("snapshot", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "snapshot", x, string(x))
    return found


def _step_finish_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "step-finish"):
        found = member(found, "type", x, const(x, "step-finish"))
    x = v.get("reason", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "reason", x, string(x, 1))
    x = v.get("snapshot", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "snapshot", x, string(x))
    x = v.get("cost", ABSENT)
    if not ((type(x) is float or type(x) is int) and 0 <= x <= 1.7976931348623157e308):
        found = member(found, "cost", x, number(x, 0, None))
    x = v.get("tokens", ABSENT)
    f = _token_stats(x)
    if f is not None:
        found = member(found, "tokens", x, f)
    return found


def _file_part(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("sessionID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "sessionID", x, _uuid(x))
    x = v.get("messageID", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "messageID", x, _uuid(x))
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "file"):
        found = member(found, "type", x, const(x, "file"))
    x = v.get("mime", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "mime", x, string(x, 1))
    x = v.get("filename", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "filename", x, string(x))
    x = v.get("url", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "url", x, string(x, 1))
    x = v.get("source", ABSENT)
    if x is not ABSENT and (f := _file_part_source(x)) is not None:
        found = member(found, "source", x, f)
    return found


def _text_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    return found


def _reasoning_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    return found


def _token_stats(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("input", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "input", x, integer(x, 0, 9007199254740991))
    x = v.get("output", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "output", x, integer(x, 0, 9007199254740991))
    x = v.get("reasoning", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "reasoning", x, integer(x, 0, 9007199254740991))
    x = v.get("cache", ABSENT)
    f = _cache_token_stats(x)
    if f is not None:
        found = member(found, "cache", x, f)
    x = v.get("total", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "total", x, integer(x, 0, 9007199254740991))
    return found


def _cache_token_stats(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("read", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "read", x, integer(x, 0, 9007199254740991))
    x = v.get("write", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "write", x, integer(x, 0, 9007199254740991))
    return found


def _file_part_source(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("type")
        f = _FILE_PART_SOURCE_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "type", _FILE_PART_SOURCE_VARIANTS)


def _file_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "file"):
        found = member(found, "type", x, const(x, "file"))
    x = v.get("path", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "path", x, string(x, 1))
    x = v.get("text", ABSENT)
    f = _source_text(x)
    if f is not None:
        found = member(found, "text", x, f)
    return found


def _symbol_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "symbol"):
        found = member(found, "type", x, const(x, "symbol"))
    x = v.get("path", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "path", x, string(x, 1))
    x = v.get("range", ABSENT)
    f = _source_range(x)
    if f is not None:
        found = member(found, "range", x, f)
    x = v.get("name", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "name", x, string(x, 1))
    x = v.get("kind", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "kind", x, integer(x, 0, 9007199254740991))
    x = v.get("text", ABSENT)
    f = _source_text(x)
    if f is not None:
        found = member(found, "text", x, f)
    return found


def _resource_source(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("type", ABSENT)
    if not (type(x) is str and x == "resource"):
        found = member(found, "type", x, const(x, "resource"))
    x = v.get("clientName", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "clientName", x, string(x, 1))
    x = v.get("uri", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "uri", x, string(x, 1))
    x = v.get("text", ABSENT)
    f = _source_text(x)
    if f is not None:
        found = member(found, "text", x, f)
    return found


def _source_text(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("value", ABSENT)
    if not (type(x) is str):
        found = member(found, "value", x, string(x))
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    if found is None or shape_holds(found):
        if v["end"] < v["start"]:
            found = not_less(found, "session/range-order", "warning", v, "/end", "/start")
    return found


def _source_range(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    f = _source_position(x)
    if f is not None:
        found = member(found, "start", x, f)
    x = v.get("end", ABSENT)
    f = _source_position(x)
    if f is not None:
        found = member(found, "end", x, f)
    return found


def _source_position(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("line", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "line", x, integer(x, 0, 9007199254740991))
    x = v.get("character", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "character", x, integer(x, 0, 9007199254740991))
    return found


def _tool_state(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("status")
        f = _TOOL_STATE_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "status", _TOOL_STATE_VARIANTS)


def _tool_state_pending(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "pending"):
        found = member(found, "status", x, const(x, "pending"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("raw", ABSENT)
    if not (type(x) is str):
        found = member(found, "raw", x, string(x))
    return found


def _tool_state_awaiting_approval(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "awaiting_approval"):
        found = member(found, "status", x, const(x, "awaiting_approval"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("raw", ABSENT)
    if not (type(x) is str):
        found = member(found, "raw", x, string(x))
    x = v.get("approval", ABSENT)
    f = _tool_approval(x)
    if f is not None:
        found = member(found, "approval", x, f)
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    return found


def _tool_state_running(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "running"):
        found = member(found, "status", x, const(x, "running"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("title", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "title", x, string(x))
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    x = v.get("time", ABSENT)
    f = _tool_start_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    x = v.get("approval", ABSENT)
    if x is not ABSENT and (f := _tool_approval(x)) is not None:
        found = member(found, "approval", x, f)
    return found


def _tool_state_completed(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "completed"):
        found = member(found, "status", x, const(x, "completed"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("output", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "output", x, string(x, 1))
    x = v.get("title", ABSENT)
    if not (type(x) is str):
        found = member(found, "title", x, string(x))
    x = v.get("metadata", ABSENT)
    if not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    x = v.get("time", ABSENT)
    f = _tool_completed_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    x = v.get("attachments", ABSENT)
    if x is not ABSENT and (f := _tool_state_completed__attachments(x)) is not None:
        found = member(found, "attachments", x, f)
    x = v.get("approval", ABSENT)
    if x is not ABSENT and (f := _tool_approval(x)) is not None:
        found = member(found, "approval", x, f)
    if found is None or shape_holds(found):
        if v["time"]["end"] < v["time"]["start"]:
            found = not_less(found, "session/time-order", "warning", v, "/time/end", "/time/start")
    return found


def _tool_state_completed__attachments(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _file_part(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _tool_state_error(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "error"):
        found = member(found, "status", x, const(x, "error"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("error", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "error", x, string(x, 1))
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    x = v.get("time", ABSENT)
    f = _tool_end_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    x = v.get("approval", ABSENT)
    if x is not ABSENT and (f := _tool_approval(x)) is not None:
        found = member(found, "approval", x, f)
    if found is None or shape_holds(found):
        if v["time"]["end"] < v["time"]["start"]:
            found = not_less(found, "session/time-order", "warning", v, "/time/end", "/time/start")
    return found


def _tool_state_denied(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("status", ABSENT)
    if not (type(x) is str and x == "denied"):
        found = member(found, "status", x, const(x, "denied"))
    x = v.get("input", ABSENT)
    if not (type(x) is dict):
        found = member(found, "input", x, _json_object(x))
    x = v.get("approval", ABSENT)
    f = _tool_approval(x)
    if f is not None:
        found = member(found, "approval", x, f)
    x = v.get("error", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "error", x, string(x, 1))
    x = v.get("metadata", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "metadata", x, _json_object(x))
    return found


def _tool_approval(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "id", x, string(x, 1))
    x = v.get("reason", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "reason", x, string(x))
    x = v.get("choices", ABSENT)
    if x is not ABSENT and (f := _tool_approval__choices(x)) is not None:
        found = member(found, "choices", x, f)
    x = v.get("decision", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "decision", x, string(x, 1))
    x = v.get("choice", ABSENT)
    if x is not ABSENT and not (type(x) is str and x):
        found = member(found, "choice", x, string(x, 1))
    x = v.get("note", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "note", x, string(x))
    x = v.get("decidedBy", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "decidedBy", x, string(x))
    x = v.get("arguments", ABSENT)
    if x is not ABSENT and not (type(x) is dict):
        found = member(found, "arguments", x, _json_object(x))
    x = v.get("time", ABSENT)
    if x is not ABSENT and (f := _tool_approval_time(x)) is not None:
        found = member(found, "time", x, f)
    return found


def _tool_approval__choices(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    if len(v) < 1:
        found = fewer_items(v, 1)
    for k, y in enumerate(v):
        f = _tool_approval_choice(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _tool_approval_choice(v: Any) -> Found:
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
        found = member(found, "decision", x, string(x, 1))
    return found


def _tool_approval_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("requested", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "requested", x, integer(x, 0, 9007199254740991))
    x = v.get("decided", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "decided", x, integer(x, 0, 9007199254740991))
    if found is None or shape_holds(found):
        if "decided" in v and "requested" in v and v["decided"] < v["requested"]:
            found = not_less(found, "session/time-order", "warning", v, "/decided", "/requested")
    return found


def _tool_start_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    return found


def _tool_end_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    return found


def _tool_completed_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("start", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "start", x, integer(x, 0, 9007199254740991))
    x = v.get("end", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "end", x, integer(x, 0, 9007199254740991))
    x = v.get("compacted", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "compacted", x, integer(x, 0, 9007199254740991))
    return found


def _invalid_state_transition_error(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("name", ABSENT)
    if not (type(x) is str and x == "InvalidStateTransition"):
        found = member(found, "name", x, const(x, "InvalidStateTransition"))
    x = v.get("message", ABSENT)
    if not (type(x) is str):
        found = member(found, "message", x, string(x))
    x = v.get("details", ABSENT)
    f = _invalid_state_transition_details(x)
    if f is not None:
        found = member(found, "details", x, f)
    return found


def _invalid_state_transition_details(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("currentStatus", ABSENT)
    if not (type(x) is str and x in ("pending", "awaiting_approval", "running", "completed", "error", "denied")):
        found = member(found, "currentStatus", x, _tool_status(x))
    x = v.get("attemptedStatus", ABSENT)
    if not (type(x) is str):
        found = member(found, "attemptedStatus", x, string(x))
    x = v.get("validTransitions", ABSENT)
    f = _invalid_state_transition_details__valid_transitions(x)
    if f is not None:
        found = member(found, "validTransitions", x, f)
    return found


def _invalid_state_transition_details__valid_transitions(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        if not (type(y) is str):
            found = below(found, string(y), k)
            if full(found):
                break
    return found


def _tool_status(v: Any) -> Found:
    return enum(v, ("pending", "awaiting_approval", "running", "completed", "error", "denied"))


def _with_parts(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("info", ABSENT)
    f = _message_info(x)
    if f is not None:
        found = member(found, "info", x, f)
    x = v.get("parts", ABSENT)
    f = _with_parts__parts(x)
    if f is not None:
        found = member(found, "parts", x, f)
    if found is None or shape_holds(found):
        keys = [y["id"] for y in v["parts"]]
        if len(keys) > 1 and len(set(keys)) < len(keys):
            found = unique(found, "session/duplicate-part-id", "error", v, "/parts", "/id", None)
        to = v["info"]["id"]
        for y in v["parts"]:
            if y["messageID"] != to:
                found = items_equal(found, "session/part-message-id", "warning", v, "/parts", "/messageID", "/info/id")
                break
        if len({y["sessionID"] for y in v["parts"]}) > 1:
            found = items_same(found, "session/part-session-id", "warning", v, "/parts", "/sessionID")
    return found


def _with_parts__parts(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _part(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _message_info(v: Any) -> Found:
    if isinstance(v, dict):
        tag = v.get("role")
        f = _MESSAGE_INFO_VARIANTS.get(tag) if isinstance(tag, str) else None
        if f is not None:
            return f(v)
    return tag_of(v, "role", _MESSAGE_INFO_VARIANTS)


def _user_info(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "id", x, _uuid(x))
    x = v.get("role", ABSENT)
    if not (type(x) is str and x == "user"):
        found = member(found, "role", x, const(x, "user"))
    x = v.get("time", ABSENT)
    f = _message_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    x = v.get("summary", ABSENT)
    if x is not ABSENT and (f := _user_summary(x)) is not None:
        found = member(found, "summary", x, f)
    x = v.get("agent", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "agent", x, string(x, 1))
    x = v.get("model", ABSENT)
    f = _model_ref(x)
    if f is not None:
        found = member(found, "model", x, f)
    x = v.get("system", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "system", x, string(x))
    x = v.get("tools", ABSENT)
    if x is not ABSENT and (f := _tool_switches(x)) is not None:
        found = member(found, "tools", x, f)
    x = v.get("variant", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "variant", x, string(x))
    return found


def _assistant_info(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("id", ABSENT)
    if not (type(x) is str and len(x) >= 36 and len(x) <= 36 and _P1(x)):
        found = member(found, "id", x, _uuid(x))
    x = v.get("role", ABSENT)
    if not (type(x) is str and x == "assistant"):
        found = member(found, "role", x, const(x, "assistant"))
    x = v.get("time", ABSENT)
    f = _message_time(x)
    if f is not None:
        found = member(found, "time", x, f)
    x = v.get("cost", ABSENT)
    if not ((type(x) is float or type(x) is int) and 0 <= x <= 1.7976931348623157e308):
        found = member(found, "cost", x, number(x, 0, None))
    x = v.get("tokens", ABSENT)
    f = _token_stats(x)
    if f is not None:
        found = member(found, "tokens", x, f)
    x = v.get("agent", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "agent", x, string(x, 1))
    x = v.get("path", ABSENT)
    f = _message_path(x)
    if f is not None:
        found = member(found, "path", x, f)
    return found


def _message_time(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("created", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "created", x, integer(x, 0, 9007199254740991))
    x = v.get("completed", ABSENT)
    if x is not ABSENT and not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "completed", x, integer(x, 0, 9007199254740991))
    if found is None or shape_holds(found):
        if "completed" in v and v["completed"] < v["created"]:
            found = not_less(found, "session/time-order", "warning", v, "/completed", "/created")
    return found


def _user_summary(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("title", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "title", x, string(x))
    x = v.get("body", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "body", x, string(x))
    x = v.get("diffs", ABSENT)
    if x is not ABSENT and (f := _user_summary__diffs(x)) is not None:
        found = member(found, "diffs", x, f)
    return found


def _user_summary__diffs(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _file_diff(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _file_diff(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("file", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "file", x, string(x, 1))
    x = v.get("before", ABSENT)
    if not (type(x) is str):
        found = member(found, "before", x, string(x))
    x = v.get("after", ABSENT)
    if not (type(x) is str):
        found = member(found, "after", x, string(x))
    x = v.get("additions", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "additions", x, integer(x, 0, 9007199254740991))
    x = v.get("deletions", ABSENT)
    if not (type(x) is int and 0 <= x <= 9007199254740991):
        found = member(found, "deletions", x, integer(x, 0, 9007199254740991))
    return found


def _model_ref(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("providerID", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "providerID", x, string(x, 1))
    x = v.get("modelID", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "modelID", x, string(x, 1))
    return found


def _message_path(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("cwd", ABSENT)
    if not (type(x) is str):
        found = member(found, "cwd", x, string(x))
    x = v.get("root", ABSENT)
    if not (type(x) is str):
        found = member(found, "root", x, string(x))
    return found


def _tool_switches(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    for k, y in v.items():
        if not ((y is True or y is False)):
            found = below(found, boolean(y), k)
            if full(found):
                break
    return found


def _validation_result(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("valid", ABSENT)
    if not ((x is True or x is False)):
        found = member(found, "valid", x, boolean(x))
    x = v.get("findings", ABSENT)
    f = _validation_result__findings(x)
    if f is not None:
        found = member(found, "findings", x, f)
    return found


def _validation_result__findings(v: Any) -> Found:
    if not isinstance(v, list):
        return wrong_type(v, "an array")
    found: Found = None
    for k, y in enumerate(v):
        f = _validation_finding(y)
        if f is not None:
            found = below(found, f, k)
            if full(found):
                break
    return found


def _validation_finding(v: Any) -> Found:
    if not isinstance(v, dict):
        return wrong_type(v, "an object")
    found: Found = None
    x = v.get("rule", ABSENT)
    if not (type(x) is str and x):
        found = member(found, "rule", x, string(x, 1))
    x = v.get("message", ABSENT)
    if not (type(x) is str):
        found = member(found, "message", x, string(x))
    x = v.get("pointer", ABSENT)
    if not (type(x) is str):
        found = member(found, "pointer", x, string(x))
    x = v.get("severity", ABSENT)
    if not (type(x) is str and x in ("error", "warning", "info")):
        found = member(found, "severity", x, enum(x, ("error", "warning", "info")))
    x = v.get("expected", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "expected", x, string(x))
    x = v.get("actual", ABSENT)
    if x is not ABSENT and not (type(x) is str):
        found = member(found, "actual", x, string(x))
    return found


_PART_VARIANTS: Final[Mapping[str, Check]] = {
    "text": _text_part,
    "reasoning": _reasoning_part,
    "tool": _tool_part,
    "step-start": _step_start_part,
    "step-finish": _step_finish_part,
    "file": _file_part,
}
_FILE_PART_SOURCE_VARIANTS: Final[Mapping[str, Check]] = {
    "file": _file_source,
    "symbol": _symbol_source,
    "resource": _resource_source,
}
_TOOL_STATE_VARIANTS: Final[Mapping[str, Check]] = {
    "pending": _tool_state_pending,
    "awaiting_approval": _tool_state_awaiting_approval,
    "running": _tool_state_running,
    "completed": _tool_state_completed,
    "error": _tool_state_error,
    "denied": _tool_state_denied,
}
_MESSAGE_INFO_VARIANTS: Final[Mapping[str, Check]] = {
    "user": _user_info,
    "assistant": _assistant_info,
}


CHECKS: Final[Mapping[str, Check]] = {
    "JsonObject": _json_object,
    "Uuid": _uuid,
    "Part": _part,
    "TextPart": _text_part,
    "ReasoningPart": _reasoning_part,
    "ToolPart": _tool_part,
    "StepStartPart": _step_start_part,
    "StepFinishPart": _step_finish_part,
    "FilePart": _file_part,
    "TextTime": _text_time,
    "ReasoningTime": _reasoning_time,
    "TokenStats": _token_stats,
    "CacheTokenStats": _cache_token_stats,
    "FilePartSource": _file_part_source,
    "FileSource": _file_source,
    "SymbolSource": _symbol_source,
    "ResourceSource": _resource_source,
    "SourceText": _source_text,
    "SourceRange": _source_range,
    "SourcePosition": _source_position,
    "ToolState": _tool_state,
    "ToolStatePending": _tool_state_pending,
    "ToolStateAwaitingApproval": _tool_state_awaiting_approval,
    "ToolStateRunning": _tool_state_running,
    "ToolStateCompleted": _tool_state_completed,
    "ToolStateError": _tool_state_error,
    "ToolStateDenied": _tool_state_denied,
    "ToolApproval": _tool_approval,
    "ToolApprovalChoice": _tool_approval_choice,
    "ToolApprovalTime": _tool_approval_time,
    "ToolStartTime": _tool_start_time,
    "ToolEndTime": _tool_end_time,
    "ToolCompletedTime": _tool_completed_time,
    "InvalidStateTransitionError": _invalid_state_transition_error,
    "InvalidStateTransitionDetails": _invalid_state_transition_details,
    "ToolStatus": _tool_status,
    "WithParts": _with_parts,
    "MessageInfo": _message_info,
    "UserInfo": _user_info,
    "AssistantInfo": _assistant_info,
    "MessageTime": _message_time,
    "UserSummary": _user_summary,
    "FileDiff": _file_diff,
    "ModelRef": _model_ref,
    "MessagePath": _message_path,
    "ToolSwitches": _tool_switches,
    "ValidationResult": _validation_result,
    "ValidationFinding": _validation_finding,
}

def check(type_name: str, document: object, level: Level = "all") -> list[Finding]:
    """Return the findings of ``document``; UsageError (usage/unknown-type) for an unknown type."""
    return run(CHECKS, type_name, document, level)
