"""Messages as MCP has them: a result of a tool, the answer of a model, or messages of sampling.

A system prompt that comes first is ``systemPrompt``; MCP has no other system messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from partwire.json.text import json_text
from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.each import Each, Piece
from ..core.extension import PARTWIRE, changes
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .read import CALL_ID, read_back
from .state import BESIDE, OWN, STOPS, UNNAMED, state_of

__all__ = ["LATEST", "result_document", "write"]

LATEST: Final = "2026-07-28"
"""The first version whose results say their type, and whose data is any JSON value."""


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return a history as MCP has it, and what that does not say of it.

    A message with one result, and no other message, is a result of a tool; an answer that names its
    model is one of a model; all else is ``{"messages": […]}``, with the system prompt before them.
    Resources and links are written as such, which prompts take, and sampling does not.
    """
    losses = Losses()
    if len(messages) == 1 and _is_result(messages[0]):
        document = _result(messages[0], version, losses, extensions=extensions)
        return Written(document, in_order(losses.found))
    each = Each(
        OWN,
        lambda message: _piece(message, version),
        read_back,
        _extend,
        lambda: {"role": "user", "content": []},
    )
    numbered = dict(enumerate(messages))
    if len(messages) == 1 and _is_answer(messages[0]) and each.has_place(messages[0]):
        (document,) = each.write(numbered, losses, extensions=extensions)
        return Written(document, in_order(losses.found))
    body = _prompt(numbered, losses, extensions=extensions)
    body["messages"] = each.write(numbered, losses, extensions=extensions)
    return Written(body, in_order(losses.found))


def result_document(payload: Json, version: str, kept: Json) -> Json:
    """Return a result as what a server gives back; ``kept`` is what MCP had beside it."""
    result: Json = {"resultType": "complete"} if version == LATEST else {}
    result |= _result_members(payload, version) | kept
    return result


def _is_result(message: Json) -> bool:
    parts = message["parts"]
    return message["role"] == "tool" and len(parts) == 1 and parts[0]["kind"] == "tool_result"


def _is_answer(message: Json) -> bool:
    model = message.get("meta", {}).get("modelId")
    return message["role"] == "assistant" and isinstance(model, str) and model != ""


def _extend(document: Json, extension: Json) -> None:
    meta = document.get("_meta")
    document["_meta"] = {**(meta if isinstance(meta, dict) else {}), PARTWIRE: extension}


# --- a result of a tool ---------------------------------------------------------------------------


def _result(message: Json, version: str, losses: Losses, *, extensions: bool) -> Json:
    payload = message["parts"][0]["payload"]
    call_id = payload["toolCallId"]
    document = result_document(payload, version, _beside(message, call_id))
    if extensions:
        _extend(document, changes([message], read_back(document)))
        return document
    if call_id != CALL_ID:
        losses.note("part-form", "/0/parts/0/payload/toolCallId")
    (back,) = read_back(document)
    back["parts"][0]["payload"]["toolCallId"] = call_id
    if CALL_ID in (results := kept_by(back, OWN).get("results", {})):
        results[call_id] = results.pop(CALL_ID)
    compare({0: message}, [back], losses, own=OWN)
    return document


def _beside(message: Json, call_id: str) -> Json:
    """Return what MCP had beside a result."""
    results: Any = kept_by(message, OWN).get("results")
    kept: Any = results.get(call_id) if isinstance(results, dict) else None
    meta: Any = kept.get("_meta") if isinstance(kept, dict) else None
    return {} if meta is None else {"_meta": meta}


def _result_members(payload: Json, version: str) -> Json:
    content = payload["content"]
    made: Json = {}
    if isinstance(content, str):
        made["content"] = [{"type": "text", "text": content}]
    elif isinstance(content, dict):
        made["content"] = [{"type": "text", "text": json_text(content)}]
        made["structuredContent"] = content
    else:
        blocks = (_block(part["kind"], part["payload"]) for part in content)
        made["content"] = [block for block in blocks if block is not None]
    structured = payload.get("structured")
    if structured is not None and (version == LATEST or isinstance(structured, dict)):
        made["structuredContent"] = structured
    if payload["isError"]:
        made["isError"] = True
    return made


# --- messages -------------------------------------------------------------------------------------


def _prompt(messages: dict[int, Json], losses: Losses, *, extensions: bool) -> Json:
    """Take the system prompt out of the messages; return the body that has it."""
    first = messages.get(0)
    if first is None or first["role"] != "system" or not first["parts"]:
        return {}
    del messages[0]
    body: Json = {"systemPrompt": "".join(part["payload"]["text"] for part in first["parts"])}
    back = read_back({**body, "messages": []})
    if extensions:
        _extend(body, changes([first], back))
    elif len(first["parts"]) > 1:
        cut = {0: {**first, "parts": [{"kind": "text", "payload": {"text": body["systemPrompt"]}}]}}
        compare(cut, back, losses, own=OWN)
        for at in range(len(first["parts"])):
            losses.note("part-form", f"/0/parts/{at}")
    else:
        compare({0: first}, back, losses, own=OWN)
    return body


def _piece(message: Json, version: str) -> Piece:
    role = message["role"]
    blocks: list[Json] = []
    left_out: set[int] = set()
    for at, part in enumerate(message["parts"]):
        block = _said(role, part, message, version)
        if block is None:
            left_out.add(at)
        else:
            blocks.append(block)
    if role == "system" or (message["parts"] and not blocks) or (role == "tool" and not blocks):
        return Piece(None)
    only = blocks[0] if len(blocks) == 1 else None
    is_single = only is not None and not only["type"].startswith("tool_")
    made: Json = {
        "role": "assistant" if role == "assistant" else "user",
        "content": only if is_single else blocks,
    }
    if role == "assistant":
        made |= _ending(message.get("meta", {}))
    if (meta := kept_by(message, OWN).get("_meta")) is not None:
        made["_meta"] = meta
    return Piece(made, frozenset(left_out))


def _ending(meta: Json) -> Json:
    """Return the model of an answer and why it stopped, where the answer names its model."""
    if not isinstance(model := meta.get("modelId"), str) or not model:
        return {}
    word, reason = meta.get("providerFinishReason"), meta.get("finishReason")
    if not isinstance(word, str) or not word or STOPS.get(word, "unknown") != reason:
        word = next((said for said, known in STOPS.items() if known == reason), None)
    return {"model": model, **({"stopReason": word} if word else {})}


def _said(role: str, part: Json, message: Json, version: str) -> Json | None:
    """Return the block of a part of a message; None where MCP has none."""
    kind, payload = part["kind"], part["payload"]
    if kind == "tool_call":
        call = {"id": payload["toolCallId"], "name": payload["toolName"]}
        beside = _beside_part(payload, ("_meta",))
        return {"type": "tool_use", **call, "input": payload["arguments"], **beside}
    if kind == "tool_result":
        call_id = payload["toolCallId"]
        members = _result_members(payload, version) | _beside(message, call_id)
        return {"type": "tool_result", "toolUseId": call_id, **members}
    return _block(kind, payload) if role in ("user", "assistant") else None


# --- content --------------------------------------------------------------------------------------


def _block(kind: str, payload: Json) -> Json | None:
    """Return the block of a part; None where MCP has none."""
    state, beside = state_of(payload), _beside_part(payload, BESIDE)
    if kind == "text":
        resource = state.get("resource")
        if isinstance(resource, dict) and "text" not in resource:
            inner = {**resource, "text": payload["text"]}
            return {"type": "resource", "resource": inner, **beside}
        return {"type": "text", "text": payload["text"], **beside}
    if kind == "file_ref":
        return _link(payload["path"], payload, {}, beside)
    if kind not in ("image", "media"):
        return None
    source, mime = payload.get("source", payload), payload["mimeType"]
    if "url" in source:
        link = state.get("link")
        return _link(source["url"], payload, link if isinstance(link, dict) else {}, beside)
    if "data" not in source:
        return None  # a provider's name of a file
    resource = state.get("resource")
    is_plain = "name" not in payload and not isinstance(resource, dict)
    top = mime.partition("/")[0]
    if is_plain and top in ("image", "audio"):
        return {"type": top, "data": source["data"], "mimeType": mime, **beside}
    inner = {"uri": payload.get("name", UNNAMED), "mimeType": mime, "blob": source["data"]}
    more: Json = resource if isinstance(resource, dict) else {}
    return {"type": "resource", "resource": {**more, **inner}, **beside}


def _beside_part(payload: Json, names: tuple[str, ...]) -> Json:
    state = state_of(payload)
    return {name: state[name] for name in names if state.get(name) is not None}


def _link(uri: str, payload: Json, more: Mapping[str, Any], beside: Json) -> Json:
    made = {**more, "type": "resource_link", "uri": uri, "name": payload.get("name", uri)}
    for name, ours in (("mimeType", "mimeType"), ("size", "size"), ("size", "sizeBytes")):
        if ours in payload:
            made[name] = payload[ours]
    return {**made, **beside}
