"""Files, calls, results and provider's state between messages and sessions."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ...json.text import json_text
from .conversion import Json, Work

__all__ = [
    "call_part",
    "call_result",
    "file_part",
    "message_file",
    "put_opaque",
    "said_opaque",
    "state_of",
    "tool_state",
    "with_opaque",
]

_OUTCOMES: Final = {"completed": "success", "error": "error", "denied": "denied"}
_WAITING: Final = {"pending", "awaiting_approval"}
NO_OUTPUT: Final = "(no output)"
_ANY_MIME: Final = "application/octet-stream"
_NO_PLACE: Final = (
    ("file-size", "size"),
    ("file-size", "sizeBytes"),
    ("file-hash", "sha256"),
    ("transcript", "transcript"),
    ("opaque", "opaque"),
)
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
    """Return a message's image, file or media as a session's file part, without ids."""
    payload = part["payload"]
    mime = payload.get("mimeType")
    if mime is None:
        work.note("mime-invented", f"{place}/payload/mimeType")
        mime = _ANY_MIME
    for code, name in _NO_PLACE:
        if name in payload:
            work.note(code, f"{place}/payload/{name}")
    made = {"type": "file", "mime": mime, "url": _url_of(part["kind"], payload, mime)}
    if "name" in payload:
        made["filename"] = payload["name"]
    again = message_file(made)
    same = {k: v for k, v in payload.items() if k not in {"size", "mimeType"}}
    if again["kind"] != part["kind"] or not same.items() <= again["payload"].items():
        work.note("file-kind", f"{place}/kind")
        work.note("file-kind", f"{place}/payload")
    return made


def _url_of(kind: str, payload: Json, mime: str) -> str:
    """Return where a file is: bytes are a data: URL, a path or a reference stands as it is."""
    where = payload["source"] if kind == "media" else payload
    for name in ("url", "path", "ref"):
        if name in where:
            return str(where[name])
    return f"data:{mime};base64,{where.get('data')}"


# --- provider's state -----------------------------------------------------------------------------


def said_opaque(part: Json) -> Json | None:
    """Return ``metadata.opaque`` of a session's part, if it is what a message calls opaque."""
    value = part.get("metadata", {}).get("opaque")
    if not isinstance(value, dict) or value.keys() != {"provider", "data"}:
        return None
    provider = value["provider"]
    named = isinstance(provider, str) and provider != ""
    return value if named and isinstance(value["data"], dict) else None


def with_opaque(said: Json, part: Json) -> Json:
    """Return a message's part with the state that the session's part keeps in its metadata."""
    state = said_opaque(part)
    if state is not None:
        said["payload"]["opaque"] = state
    return said


def put_opaque(made: Json, payload: Json) -> Json:
    """Return a session's part with the state of a message's part in its metadata."""
    if "opaque" in payload:
        made["metadata"] = {**made.get("metadata", {}), "opaque": payload["opaque"]}
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
    outcome = _OUTCOMES.get(state["status"])
    content: Any = state.get("output", state.get("error"))
    if outcome is None or content is None:  # of a denied call, the model may not know yet
        return None
    if state.get("attachments"):
        text = {"kind": "text", "payload": {"text": content}}
        content = [text, *map(message_file, state["attachments"])]
    failed = outcome != "success"
    return {
        "toolCallId": part["callID"],
        "isError": failed,
        "content": content,
        "outcome": outcome,
    }


def _says(raw: str, arguments: Json) -> bool:
    """Tell whether argument text says nothing but ``arguments``."""
    try:
        return json_text(json.loads(raw)) == json_text(arguments)
    except (ValueError, RecursionError):
        return False


def tool_state(  # one place calls it
    call: Json,
    told: tuple[Json | None, Json | None],
    times: tuple[int, int],
    where: tuple[str, str],
    head: Json,
    work: Work,
) -> Json:
    """Return the state of a call, by its result and what was decided.

    ``told`` are result and approval, ``times`` start and end, ``where`` the pointers of call and
    result.
    """
    result, approval = told
    arguments = call["arguments"]
    raw = call.get("rawArgsText")
    status = state_of(result, approval)
    if raw is not None and (status not in _WAITING or _says(raw, arguments)):
        work.note("raw-args-text", f"{where[0]}/rawArgsText")
    state = {"status": status, "input": arguments}
    if approval is not None:
        state["approval"] = approval
    if status in _WAITING:
        return {**state, "raw": json_text(arguments) if raw is None else raw}
    start, end = times
    if result is None:
        return state if status == "denied" else {**state, "time": {"start": start}}
    _note_members(result, status, where[1], work)
    place = f"{where[1]}/content"
    text, files = _told(result, place, work)
    if files and status != "completed":
        work.note("result-files", place)
    if status == "denied":
        return {**state, "error": text}
    state["time"] = {"start": min(start, end), "end": end}
    if status == "error":
        return {**state, "error": text}
    state |= {"output": text, "title": call["toolName"], "metadata": {}}
    if files:
        state["attachments"] = [
            {**head, "id": f"{head['id']}_{number}", **each} for number, each in enumerate(files)
        ]
    return state


def state_of(result: Json | None, approval: Json | None) -> str:
    """Return the status of a call by its result and its approval, where it has them."""
    if result is not None:
        is_denied = result["isError"] and result.get("outcome") == "denied"
        if approval is not None and is_denied:
            return "denied"
        return "error" if result["isError"] else "completed"
    if approval is None:
        return "pending"
    if "decision" not in approval:
        return "awaiting_approval"
    return "running" if approval["decision"] == "approved" else "denied"


def _note_members(result: Json, status: str, place: str, work: Work) -> None:
    """Note what the state of a call does not say of its result."""
    if "structured" in result:
        work.note("result-structured", f"{place}/structured")
    if "outcome" not in result:
        work.note("outcome-form", f"{place}/outcome")
    elif result["outcome"] != _OUTCOMES[status]:
        work.note("result-outcome", f"{place}/outcome")


def _told(result: Json, place: str, work: Work) -> tuple[str, list[Json]]:
    """Return text and files of a result."""
    content = result["content"]
    files: list[Json] = []
    if isinstance(content, dict):
        work.note("result-layout", place)
        text = json_text(content)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            if "opaque" in part["payload"] and part["kind"] != "media":
                work.note("opaque", f"{place}/{number}/payload/opaque")
            if part["kind"] == "text":
                work.note_text(part["payload"], f"{place}/{number}/payload")
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
