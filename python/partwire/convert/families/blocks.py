"""Messages, and those of the family ``blocks``, document by document.

A tool's message becomes a user's with result blocks. A message of blocks that holds results beside
other blocks becomes several messages; ``meta.blocks`` of the later ones says ``{"joined": true}``,
and they become one again on the way back.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any, Final, Unpack

from partwire.contract.current import blocks, message

from ...json.text import json_text
from ...tables.losses import KIND_CODES
from .context import EPOCH, Context
from .conversion import BridgeResult, Json, Work

__all__ = ["blocks_to_messages", "messages_to_blocks"]

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_JOINED: Final = {"joined": True}
_LEFT_OUT: Final = (
    ("run-id", "runId"),
    ("timestamp", "timestamp"),
    ("message-id", "messageId"),
    ("turn-id", "turnId"),
    ("author", "author"),
)
_LEFT_KINDS: Final = {
    "thinking": "thinking",
    "file_ref": "file-ref",
    **KIND_CODES,
}
_LEFT_MEMBERS: Final = (
    ("opaque", "opaque"),
    ("transcript", "transcript"),
    ("result-outcome", "outcome"),
    ("result-structured", "structured"),
)
_ROLE_BLOCKS: Final = {
    "system": {"text"},
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "tool_use", "image"},
}


def messages_to_blocks(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[blocks.Message]]:
    """Return ``message.Message`` (one or a list) as ``blocks.Message``; raises ReadError."""
    work = Work(values, "message.Message", context)
    made: list[Json] = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        for code, name in _LEFT_OUT:
            if name in source:
                work.note(code, f"{place}/{name}")
        role = "user" if source["role"] == "tool" else source["role"]
        meta = source.get("meta", {})
        found = [_block(part, f"{place}/parts/{n}", work) for n, part in enumerate(source["parts"])]
        kept = [block for block in found if block is not None]
        is_empty = not kept if source["role"] == "tool" else not source["parts"]
        joined = bool(made) and _says_joined(meta) and not is_empty and _joins(source, made[-1])
        if "meta" in source and not joined:
            work.note("meta", f"{place}/meta")
        if source["role"] == "tool" and is_empty:
            work.note("tool-role", f"{place}/role")
        if joined:
            made[-1]["content"] = [*_as_list(made[-1]["content"]), *kept]
        elif [block["type"] for block in kept] == ["text"]:
            made.append({"role": role, "content": kept[0]["text"]})
        else:
            made.append({"role": role, "content": kept})
    return work.finish(made, "blocks.Message")


def blocks_to_messages(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[message.Message]]:
    """Return ``blocks.Message`` (one or a list) as ``message.Message``.

    Run and time are the caller's. One message of blocks may give several messages. Raises ReadError
    and UsageError.
    """
    work = Work(values, "blocks.Message", context)
    made: list[Json] = []
    for index, source in enumerate(work.source):
        place = f"/{index}"
        head = {
            "runId": work.given("run_id", f"{place}/runId", "run-id-invented", "run"),
            "timestamp": work.given("timestamp", f"{place}/timestamp", "timestamp-invented", EPOCH),
        }
        content = source["content"]
        kept = _kept(source["role"], content, f"{place}/content", work)
        if isinstance(content, list) and [part["kind"] for part in kept] == ["text"]:
            work.note("content-form", f"{place}/content")
        runs = [list(run) for _, run in groupby(kept, lambda part: part["kind"] == "tool_result")]
        for number, parts in enumerate(runs or [[]]):
            results = bool(parts) and parts[0]["kind"] == "tool_result"
            one = {**head, "role": "tool" if results else source["role"], "parts": parts}
            made.append({**one, "meta": {"blocks": _JOINED}} if number else one)
    return work.finish(made, "message.Message")


# --- message to blocks --------------------------------------------------------------------------


def _says_joined(meta: Json) -> bool:
    # 1 == True, and yet it does not say the same.
    return meta == {"blocks": _JOINED} and meta["blocks"]["joined"] is True


def _joins(source: Json, before: Json) -> bool:
    """Tell whether ``source`` goes on where ``before`` ends: results beside others."""
    if before["role"] != "user" or source["role"] not in {"user", "tool"}:
        return False
    content = _as_list(before["content"])
    return bool(content) and (content[-1]["type"] == "tool_result") != (source["role"] == "tool")


def _as_list(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _block(part: Json, place: str, work: Work) -> Json | None:
    kind, payload = part["kind"], part["payload"]
    if kind in _LEFT_KINDS:
        work.note(_LEFT_KINDS[kind], place)
        return None
    for code, name in _LEFT_MEMBERS:
        if name in payload:
            work.note(code, f"{place}/payload/{name}")
    work.note_text(payload, f"{place}/payload")
    if kind == "text":
        return {"type": "text", "text": payload["text"]}
    if kind == "image":
        return _image_block(payload, place, work)
    if kind == "media":
        return _media_block(payload, place, work)
    if kind == "tool_call":
        if "rawArgsText" in payload:
            work.note("raw-args-text", f"{place}/payload/rawArgsText")
        return {
            "type": "tool_use",
            "tool_use_id": payload["toolCallId"],
            "tool_name": payload["toolName"],
            "parameters": payload["arguments"],
        }
    return {
        "type": "tool_result",
        "tool_use_id": payload["toolCallId"],
        "content": _result_content(payload["content"], f"{place}/payload/content", work),
        "is_error": payload["isError"],
    }


def _image_block(payload: Json, place: str, work: Work) -> Json | None:
    form = "url" if "url" in payload else "base64"
    data = payload.get("url", payload.get("data"))
    if not data:  # an image without a byte
        work.note("image-type", place)
        return None
    return {
        "type": "image",
        "image_type": form,
        "media_type": payload["mimeType"],
        "data": data,
    }


def _media_block(payload: Json, place: str, work: Work) -> Json | None:
    """Return an image of kind media as block; blocks have no other media."""
    mime, source = payload["mimeType"], payload["source"]
    data = source.get("data") or source.get("url")
    if not mime.startswith("image/") or not data:
        work.note("media", place)
        return None
    work.note("media-kind", f"{place}/kind")
    work.note("media-kind", f"{place}/payload")
    form = "url" if source["kind"] == "url" else "base64"
    return {"type": "image", "image_type": form, "media_type": mime, "data": data}


def _result_content(content: Any, place: str, work: Work) -> Any:
    if isinstance(content, dict):
        work.note("result-object", place)
        return json_text(content)
    if isinstance(content, str):
        return content
    found = [_block(part, f"{place}/{n}", work) for n, part in enumerate(content)]
    return [block for block in found if block is not None]


# --- blocks to message --------------------------------------------------------------------------


def _kept(role: str, content: Any, place: str, work: Work) -> list[Json]:
    """Return the parts that a message of ``role`` can hold."""
    if isinstance(content, str):
        return [{"kind": "text", "payload": {"text": content}}]
    kept = []
    seen: set[tuple[str, str]] = set()
    for index, block in enumerate(content):
        at = f"{place}/{index}"
        identity = (block["type"], block.get("tool_use_id", ""))
        if block["type"] not in _ROLE_BLOCKS[role]:
            work.note("block-role", at)
        elif identity[1] and identity in seen:
            work.note("duplicate-id", at)
        elif (part := _part(block, at, work)) is not None:
            seen.add(identity)
            kept.append(part)
    return kept


def _part(block: Json, place: str, work: Work) -> Json | None:
    kind = block["type"]
    if kind == "text":
        return {"kind": "text", "payload": {"text": block["text"]}}
    if kind == "image":
        return _image_part(block, place, work)
    if kind == "tool_use":
        call = {
            "toolCallId": block["tool_use_id"],
            "toolName": block["tool_name"],
            "arguments": block["parameters"],
        }
        return {"kind": "tool_call", "payload": call}
    content = block["content"]
    if isinstance(content, list):
        found = [_part(each, f"{place}/content/{n}", work) for n, each in enumerate(content)]
        content = [part for part in found if part is not None]
    result = {"toolCallId": block["tool_use_id"], "isError": block["is_error"], "content": content}
    return {"kind": "tool_result", "payload": result}


def _image_part(block: Json, place: str, work: Work) -> Json | None:
    form, data = block["image_type"], block["data"]
    if form == "url":
        return {"kind": "image", "payload": {"mimeType": block["media_type"], "url": data}}
    if form == "base64" and _BASE64.fullmatch(data):
        return {"kind": "image", "payload": {"mimeType": block["media_type"], "data": data}}
    work.note("image-type", place)
    return None
