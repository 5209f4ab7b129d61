"""Tool results of messages, and those of envelopes: ``ToolResult`` and ``ToolCallResponse``.

What a tool gave back is an object in an envelope: text becomes ``{"text": …}`` there, parts become
``{"content": […]}``. A failed result has the ``result_type`` ``tool_error``.
"""

from __future__ import annotations

from typing import Any, Final, Unpack

from partwire.contract.current import LATEST_VERSION, envelope, message
from partwire.reading.pipeline import validate

from ...json.text import json_text
from .context import EPOCH, NIL, Context
from .conversion import BridgeResult, Json, Work, derived_id, is_uuid

__all__ = [
    "response_to_tool_result",
    "result_to_tool_result",
    "tool_result_to_response",
    "tool_result_to_result",
]

_FAILED: Final = "tool_error"
_OK: Final = "tool_result"


def tool_result_to_result(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[envelope.ToolResult]]:
    """Return ``message.ToolResult`` (one or a list) as ``envelope.ToolResult``.

    ``tool_id`` and ``timestamp`` are the caller's. An id that is not a UUID becomes one that is
    the same for it. Raises ReadError and UsageError.
    """
    work = Work(values, "message.ToolResult", context)
    made = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        _note_members(source, place, work)
        made.append(
            {
                "invocation_id": _invocation(source, place, work),
                "tool_id": work.given("tool_id", f"{place}/tool_id", "tool-id-invented", NIL),
                "result_type": _FAILED if source["isError"] else _OK,
                "data": _data(source["content"], f"{place}/content", work),
                "created_at": work.given(
                    "timestamp", f"{place}/created_at", "timestamp-invented", EPOCH
                ),
            }
        )
    return work.finish(made, "envelope.ToolResult")


def result_to_tool_result(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[message.ToolResult]]:
    """Return ``envelope.ToolResult`` (one or a list) as ``message.ToolResult``.

    Raises ReadError.
    """
    work = Work(values, "envelope.ToolResult", context)
    made = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        work.note("tool-id", f"{place}/tool_id")
        work.note("timestamp", f"{place}/created_at")
        if source["result_type"] not in {_OK, _FAILED}:
            work.note("result-type", f"{place}/result_type")
        made.append(
            {
                "toolCallId": source["invocation_id"],
                "isError": source["result_type"] == _FAILED,
                "content": _content(source["data"]),
            }
        )
    return work.finish(made, "message.ToolResult")


def tool_result_to_response(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[envelope.ToolCallResponse]]:
    """Return ``message.ToolResult`` (one or a list) as ``envelope.ToolCallResponse``.

    The message's id, time and trace are the caller's; of a list, ids come from ``make_id``.
    Raises ReadError and UsageError.
    """
    work = Work(values, "message.ToolResult", context)
    made = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        _note_members(source, place, work)
        response: Json = {
            **_head(index, source, work),
            "invocation_id": _invocation(source, place, work),
            "success": not source["isError"],
        }
        if source["isError"]:
            response.update(_failure(source["content"], f"{place}/content", work))
        else:
            response["data"] = _data(source["content"], f"{place}/content", work)
        made.append(response)
    return work.finish(made, "envelope.ToolCallResponse")


def response_to_tool_result(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[message.ToolResult]]:
    """Return ``envelope.ToolCallResponse`` (one or a list) as ``message.ToolResult``.

    Raises ReadError.
    """
    work = Work(values, "envelope.ToolCallResponse", context)
    made = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        for name in ("message_id", "sent_at", "schema_version", "trace_id"):
            if name in source:
                work.note("envelope", f"{place}/{name}")
        if "message_type" not in source:
            work.note("message-type", f"{place}/message_type")
        made.append(
            {
                "toolCallId": source["invocation_id"],
                "isError": not source["success"],
                "content": _outcome(source, place, work),
            }
        )
    return work.finish(made, "message.ToolResult")


# --- members --------------------------------------------------------------------------------------


def _note_members(source: Json, place: str, work: Work) -> None:
    for code, name in (("result-outcome", "outcome"), ("result-structured", "structured")):
        if name in source:
            work.note(code, f"{place}/{name}")


def _invocation(source: Json, place: str, work: Work) -> str:
    call_id: str = source["toolCallId"]
    if is_uuid(call_id):
        return call_id
    work.note("call-id", f"{place}/toolCallId")
    return derived_id("call", call_id)


def _head(index: int, source: Json, work: Work) -> Json:
    place = f"/{index}"
    made = work.context.get("make_id")
    known = work.context.get("message_id") if work.single else None
    invented = derived_id("response", index, source["toolCallId"])
    own = known if known is not None else made() if made is not None else None
    work.note("envelope-invented" if own is None else "given", f"{place}/message_id")
    head = {
        "message_id": invented if own is None else own,
        "sent_at": work.given("timestamp", f"{place}/sent_at", "timestamp-invented", EPOCH),
        "schema_version": LATEST_VERSION,
        "message_type": "ToolCallResponse",
    }
    if "trace_id" in work.context:
        head["trace_id"] = work.given("trace_id", f"{place}/trace_id", "given", None)
    return head


def _data(content: Any, place: str, work: Work) -> Json:
    if isinstance(content, str):
        return {"text": content}
    if isinstance(content, list):
        return {"content": content}
    if _content(content) != content:
        work.note("result-content", place)
    data: Json = content
    return data


def _content(data: Json) -> Any:
    """Return what ``_data`` made ``data`` of."""
    if len(data) == 1:
        if isinstance(data.get("text"), str):
            return data["text"]
        if isinstance(data.get("content"), list) and _are_parts(data["content"]):
            return data["content"]
    return data


def _are_parts(items: list[Any]) -> bool:
    """Tell whether ``items`` are parts of a result, without any member that reading drops."""
    document = {"toolCallId": "call", "isError": False, "content": items}
    if validate(document, "message.ToolResult"):
        return False
    work = Work(document, "message.ToolResult", {})
    return bool(work.source[0]["content"] == items)


def _failure(content: Any, place: str, work: Work) -> Json:
    """Return ``error``, and ``data`` where the error does not hold all of the content."""
    if isinstance(content, dict) and _is_error(content):
        if content["code"] == _FAILED:
            work.note("result-content", place)
        return {"error": content}
    work.note("error-code-invented", f"{place.rpartition('/')[0]}/error")
    if isinstance(content, str):
        return {"error": {"code": _FAILED, "message": content}}
    data = _data(content, place, work)
    return {"error": {"code": _FAILED, "message": json_text(content)}, "data": data}


def _is_error(content: Json) -> bool:
    code, words = content.get("code"), content.get("message")
    return set(content) == {"code", "message"} and isinstance(words, str) and _is_text(code)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _outcome(source: Json, place: str, work: Work) -> Any:
    error: Json = source.get("error", {})
    if source["success"]:
        if error:
            work.note("error-beside-data", f"{place}/error")
        return _content(source["data"])
    if "data" not in source:
        return error["message"] if error["code"] == _FAILED else error
    content = _content(source["data"])
    bare = isinstance(content, str) or (isinstance(content, dict) and _is_error(content))
    if bare or error != {"code": _FAILED, "message": json_text(content)}:
        work.note("error-beside-data", f"{place}/error")
    if bare:
        work.note("result-content", f"{place}/data")
    return content
