"""Files, calls and results between messages and sessions."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from .work import Json, Work, json_text

__all__ = ["call_part", "call_result", "file_part", "message_file", "tool_state"]

NO_OUTPUT: Final = "(no output)"
_ANY_MIME: Final = "application/octet-stream"
_BASE64: Final = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"


# --- files ----------------------------------------------------------------------------------------


def message_file(part: Json) -> Json:
    """Return a session's file part as a message's part: an image by its media type, else a file."""
    mime, url = part["mime"], part["url"]
    if not mime.startswith("image/"):
        return {"kind": "file_ref", "payload": {"path": url, "mimeType": mime}}
    head = f"data:{mime};base64,"
    if url.startswith(head) and re.fullmatch(_BASE64, url[len(head) :]):
        return {"kind": "image", "payload": {"mimeType": mime, "data": url[len(head) :]}}
    return {"kind": "image", "payload": {"mimeType": mime, "url": url}}


def file_part(part: Json, place: str, work: Work) -> Json:
    """Return a message's image or file as a session's file part, without ids."""
    payload = part["payload"]
    mime = payload.get("mimeType")
    if mime is None:
        work.note("mime-invented", f"{place}/payload/mimeType")
        mime = _ANY_MIME
    if "size" in payload:
        work.note("file-size", f"{place}/payload/size")
    if part["kind"] == "image":
        data = f"data:{mime};base64,{payload.get('data')}"
        url = payload.get("url", data)
    else:
        url = payload["path"]
    made = {"type": "file", "mime": mime, "url": url}
    again = message_file(made)
    same = {k: v for k, v in payload.items() if k not in {"size", "mimeType"}}
    if again["kind"] != part["kind"] or not same.items() <= again["payload"].items():
        work.note("file-kind", f"{place}/kind")
        work.note("file-kind", f"{place}/payload")
    return made


# --- calls ----------------------------------------------------------------------------------------


def call_part(part: Json) -> Json:
    """Return the call of a tool part."""
    state = part["state"]
    payload = {"toolCallId": part["callID"], "toolName": part["tool"], "arguments": state["input"]}
    if "raw" in state and not _says(state["raw"], state["input"]):
        payload["rawArgsText"] = state["raw"]
    return {"kind": "tool_call", "payload": payload}


def call_result(part: Json) -> Json | None:
    """Return the result of a tool part; None while there is none."""
    state = part["state"]
    if state["status"] == "error":
        return {"toolCallId": part["callID"], "isError": True, "content": state["error"]}
    if state["status"] != "completed":
        return None
    content: Any = state["output"]
    if state.get("attachments"):
        text = {"kind": "text", "payload": {"text": content}}
        content = [text, *map(message_file, state["attachments"])]
    return {"toolCallId": part["callID"], "isError": False, "content": content}


def _says(raw: str, arguments: Json) -> bool:
    """Tell whether argument text says nothing but ``arguments``."""
    try:
        return json_text(json.loads(raw)) == json_text(arguments)
    except (ValueError, RecursionError):
        return False


def tool_state(  # one place calls it
    call: Json,
    result: Json | None,
    times: tuple[int, int],
    where: tuple[str, str],
    head: Json,
    work: Work,
) -> Json:
    """Return the state of a call: pending without a result, else completed or error.

    ``times`` are start and end, ``where`` the pointers of call and result.
    """
    arguments = call["arguments"]
    raw = call.get("rawArgsText")
    if raw is not None and (result is not None or _says(raw, arguments)):
        work.note("raw-args-text", f"{where[0]}/rawArgsText")
    if result is None:
        text = json_text(arguments) if raw is None else raw
        return {"status": "pending", "input": arguments, "raw": text}
    start, end = times
    time = {"start": min(start, end), "end": end}
    place = f"{where[1]}/content"
    text, files = _told(result, place, work)
    if result["isError"]:
        if files:
            work.note("result-files", place)
        return {"status": "error", "input": arguments, "error": text, "time": time}
    state = {
        "status": "completed",
        "input": arguments,
        "output": text,
        "title": call["toolName"],
        "metadata": {},
        "time": time,
    }
    if files:
        state["attachments"] = [
            {**head, "id": f"{head['id']}_{number}", **each} for number, each in enumerate(files)
        ]
    return state


def _told(result: Json, place: str, work: Work) -> tuple[str, list[Json]]:
    """Return text and files of a result."""
    content = result["content"]
    files: list[Json] = []
    if isinstance(content, dict):
        work.note("result-layout", place)
        text = json_text(content)
    elif isinstance(content, list):
        texts = [part["payload"]["text"] for part in content if part["kind"] == "text"]
        text = "\n".join(texts)
        files = [
            file_part(part, f"{place}/{number}", work)
            for number, part in enumerate(content)
            if part["kind"] != "text"
        ]
        if not files or len(texts) != 1 or content[0]["kind"] != "text":
            work.note("result-layout", place)
    else:
        text = content
    if not text:
        work.note("result-empty", place)
    return text or NO_OUTPUT, files
