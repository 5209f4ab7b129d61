"""Deltas of one stream after the other, as a reader of a run writes them."""

from __future__ import annotations

from typing import Any

from partwire.json.text import json_text
from partwire.message.assembler.lines import read_item

from .reading import Json

__all__ = ["DeltaStream", "part_deltas"]


class DeltaStream:
    """Writes the deltas of one message: numbered, with the ids that all of them have."""

    def __init__(self, run_id: str, timestamp: str, **ids: str | None) -> None:
        self._head: Json = {"runId": run_id, "timestamp": timestamp}
        self._head |= {name: value for name, value in ids.items() if value}
        self._seq = 0

    def delta(self, kind: str, payload: Json, timestamp: str | None = None) -> Any:
        """Return the next delta as a struct; raises ReadError where it would not be valid."""
        head = {**self._head, "timestamp": timestamp} if timestamp else self._head
        delta = {**head, "seq": self._seq, "kind": kind, "payload": payload}
        made = read_item(delta, "strict", is_first=False)
        self._seq += 1
        return made


def part_deltas(part: Json, media_id: str) -> list[tuple[str, Json]]:
    """Return the deltas of a whole part, by kind and payload; ``media_id`` is for media.

    Results and answers of persons have none: they stand in messages of their own.
    """
    kind, payload = part["kind"], part["payload"]
    state = {"opaque": payload["opaque"]} if "opaque" in payload else {}
    if kind in ("text", "thinking"):
        cited = [("text_citation", {"citation": each}) for each in payload.get("citations", ())]
        return [(kind, {"textDelta": payload["text"], **state}), *cited]
    if kind in ("tool_call", "server_tool_call"):
        head = {"toolCallId": payload["toolCallId"]}
        text = payload.get("rawArgsText")
        text = json_text(payload["arguments"]) if text is None else text
        return [
            (f"{kind}_start", {**head, "toolName": payload["toolName"]}),
            (f"{kind}_args", {**head, "argsTextDelta": text}),
            (f"{kind}_end", {**head, **state}),
        ]
    if kind in ("server_tool_result", "approval_request"):
        return [(kind, payload)]
    if kind in ("image", "media", "file_ref"):
        return _media_deltas(payload, media_id, state)
    return []


def _media_deltas(payload: Json, media_id: str, state: Json) -> list[tuple[str, Json]]:
    mime = payload.get("mimeType", "application/octet-stream")
    source = payload.get("source", payload)
    head: Json = {"mediaId": media_id}
    named = {"name": payload["name"]} if "name" in payload else {}
    deltas: list[tuple[str, Json]] = [("media_start", {**head, "mimeType": mime, **named})]
    end = {**head, **state}
    if "data" in source:
        deltas.append(("media_data", {**head, "data": source["data"]}))
    elif "url" in source:
        end["source"] = {"kind": "url", "url": source["url"]}
    else:
        end["source"] = {"kind": "ref", "ref": source.get("ref", source.get("path"))}
    return [*deltas, ("media_end", end)]
