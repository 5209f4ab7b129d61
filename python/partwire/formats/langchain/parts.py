"""Parts of messages as standard content blocks, and as the calls listed beside them."""

from __future__ import annotations

from typing import Any, Final

from ..core.reading import Json
from .state import own_data

__all__ = ["annotations_of", "block_of", "listed_call", "media_block", "raw_of"]

_MEMBER: Final = {"refusal": "refusal", "thinking": "thinking", "reasoning": "reasoning"}


def block_of(kind: str, payload: Json) -> Json | None:
    """Return the block of a part that the model said; None where there is none."""
    own = own_data(payload)
    if kind == "thinking" and isinstance(own.get("block"), dict):
        block: Json = own["block"]
        return block
    if kind in ("text", "thinking"):
        return _text(kind, payload, own)
    if kind in ("image", "media", "file_ref"):
        return {**media_block(kind, payload), **_left(own)}
    if kind == "server_tool_call":
        head = {"id": payload["toolCallId"], "name": payload["toolName"]}
        block = {"type": kind, **head, "args": payload["arguments"]}
        return {**block, **_left(own)}
    if kind == "server_tool_result":
        status = "error" if payload["isError"] else "success"
        block = {"type": kind, "tool_call_id": payload["toolCallId"], "status": status}
        output = payload.get("structured", payload["content"])
        return {**block, **({"output": output} if output != "" else {}), **_left(own)}
    return None


def _left(own: Json) -> Json:
    return {name: value for name, value in own.items() if name in ("id", "index", "extras")}


def _text(kind: str, payload: Json, own: Json) -> Json:
    form = own.get("type")
    form = form if isinstance(form, str) else "text" if kind == "text" else "reasoning"
    block: Json = {"type": form, _MEMBER.get(form, "text"): payload["text"]}
    if annotations := annotations_of(payload):
        block["annotations"] = annotations
    return {**block, **{n: v for n, v in own.items() if n not in ("type", "form")}}


def annotations_of(payload: Json) -> list[Any]:
    """Return the citations of a text."""
    return [_annotation(each) for each in payload.get("citations", ())]


def _annotation(citation: Json) -> Any:
    kept = own_data(citation)
    source = citation["source"]
    left = kept.get("annotation")
    if source["kind"] == "unknown" and "annotation" in kept:
        return left
    made: Json = {"type": "citation"}
    made |= {name: source[name] for name in ("url", "title") if name in source}
    for ours, theirs in (("start", "start_index"), ("end", "end_index")):
        made |= {theirs: citation[ours]} if ours in citation else {}
    if "quotedText" in citation:
        made["cited_text"] = citation["quotedText"]
    return {**made, **(left if isinstance(left, dict) else {})}


_KINDS: Final = ("image", "audio", "video")


def media_block(kind: str, payload: Json) -> Json:
    """Return an image, media, or the reference to a file, as a standard block."""
    mime = payload.get("mimeType")
    major = (mime or "").partition("/")[0]
    block: Json = {"type": major if major in _KINDS else "file"}
    source = payload.get("source", payload)
    for ours, theirs in (
        ("data", "base64"),
        ("url", "url"),
        ("ref", "file_id"),
        ("path", "file_id"),
    ):
        if ours in source:
            block[theirs] = source[ours]
            break
    if mime:
        block["mime_type"] = mime
    if kind == "media" and "name" in payload:
        block["extras"] = {"filename": payload["name"]}
    return block


# --- calls ----------------------------------------------------------------------------------------


def raw_of(payload: Json) -> str | None:
    """Return the text of arguments that are not an object; None for others."""
    raw = payload.get("rawArgsText")
    return raw if isinstance(raw, str) and not payload["arguments"] else None


def listed_call(payload: Json) -> tuple[str, Json]:
    """Return a call as it is listed, with the name of the list."""
    own = own_data(payload)
    call_id = None if "id" in own and own["id"] is None else payload["toolCallId"]
    invalid, raw = own.get("invalid"), raw_of(payload)
    members = own.get("members")
    more = members if isinstance(members, dict) else {}
    made: Json = {"name": payload["toolName"], "args": payload["arguments"], "id": call_id}
    if raw is None and not isinstance(invalid, dict):
        return "tool_calls", {**made, **more, "type": "tool_call"}
    text = payload.get("rawArgsText")
    made |= {"args": text, "error": None}
    if isinstance(invalid, dict):
        made |= invalid
    return "invalid_tool_calls", {**made, **more, "type": "invalid_tool_call"}
