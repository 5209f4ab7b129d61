"""Parts of messages, as the conventions have them."""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text

from ..core.kept import kept_of_part
from ..core.reading import Json
from .names import BUILT_IN, OWN, PARTS, modality_of

__all__ = ["part_of"]

_KEPT: Final = ("code_arg_name", "code_arg_language")


def part_of(message: Json, number: int, names: dict[str, str]) -> Json | None:
    """Return a part of a message as one of theirs; None where there is no place for it.

    ``names`` are those of tools, by the id of the call.
    """
    part, kept = message[PARTS][number], kept_of_part(message, OWN, number)
    kind, payload = part["kind"], part["payload"]
    if message["role"] == "system" and kind != "text":
        return None
    if kind == "text":
        return {"type": "text", "content": payload["text"]}
    if kind == "thinking":
        return {"type": "reasoning", "content": payload["text"]}
    if kind in ("tool_call", "server_tool_call"):
        names[payload["toolCallId"]] = payload["toolName"]
        return _call(kind, payload, kept)
    if kind in ("tool_result", "server_tool_result"):
        return _result(kind, payload, kept, names.get(payload["toolCallId"], ""))
    return _media(payload, kept) if kind in ("image", "media") else None


def _call(kind: str, payload: Json, kept: Json) -> Json:
    raw, arguments = payload.get("rawArgsText"), payload["arguments"]
    given = raw if raw is not None and not arguments else arguments
    made: Json = {"id": payload["toolCallId"], "name": payload["toolName"]}
    if kind == "tool_call" or kept.get(BUILT_IN) is True:
        built_in: Json = {BUILT_IN: True} if kind != "tool_call" else {}
        beside: Json = {name: kept[name] for name in _KEPT if name in kept}
        return {"type": "tool_call", **made, "arguments": given, **built_in, **beside}
    typed = arguments if "type" in arguments else {"type": payload["toolName"], **arguments}
    return {"type": kind, **made, kind: typed}


def _result(kind: str, payload: Json, kept: Json, name: str) -> Json:
    value, call_id = _value_of(payload), payload["toolCallId"]
    if kind == "server_tool_result" and kept.get(BUILT_IN) is not True:
        said: Any = value if isinstance(value, dict) else {"content": value}
        typed = said if "type" in said else {"type": name, **said}
        their = "server_tool_call_response"
        return {"type": their, "id": call_id, their: typed}
    if kept.get("type") == "text" and isinstance(value, str):
        return {"type": "text", "content": value}
    made: Json = {"type": "tool_call_response", "id": call_id, "response": value}
    if isinstance(kept.get("name"), str):
        made["name"] = kept["name"]
    return made | ({BUILT_IN: True} if kind != "tool_result" else {})


def _value_of(payload: Json) -> Any:
    """Return the value of a result: its data, else what the model reads."""
    if "structured" in payload:
        return payload["structured"]
    content = payload["content"]
    if not isinstance(content, list):
        return content
    if all(part["kind"] == "text" for part in content):
        return "".join(part["payload"]["text"] for part in content)
    return [_content(part) for part in content]


def _content(part: Json) -> Json:
    if part["kind"] == "text":
        return {"type": "text", "content": part["payload"]["text"]}
    made = _media(part["payload"], {}) if part["kind"] in ("image", "media") else None
    return {"type": "text", "content": json_text(part)} if made is None else made


def _media(payload: Json, kept: Json) -> Json:
    mime, source = payload["mimeType"], payload.get("source", payload)
    modality = kept.get("modality")
    modality = modality if isinstance(modality, str) else modality_of(mime)
    made: Json = {"type": "", "modality": modality}
    if "mime_type" not in kept:
        made["mime_type"] = mime
    if "data" in source:
        made |= {"type": "blob", "content": source["data"]}
    elif "url" in source:
        made |= {"type": "uri", "uri": source["url"]}
    else:
        made |= {"type": "file", "file_id": source["ref"]}
    return made | ({"transcript": payload["transcript"]} if "transcript" in payload else {})
