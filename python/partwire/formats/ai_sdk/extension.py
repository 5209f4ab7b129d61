"""Members of ours in parts and chunks: what the SDK has no place for."""

from __future__ import annotations

from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import ReadError
from partwire.reading.pipeline import read

from ..core.extension import PARTWIRE
from ..core.reading import Json, Reading

__all__ = ["SAID", "cited", "media_of", "result_as", "said_in"]

SAID: Final = "said"
"""Deltas that the events have no form for, as a stream brings them with each message."""


def said_in(metadata: Any) -> list[Json]:
    """Return the deltas that metadata of a stream brings, in order; none where it has others."""
    entries = metadata.get("messages") if isinstance(metadata, dict) else None
    found: list[Json] = []
    for entry in entries.values() if isinstance(entries, dict) else ():
        said = entry.get(SAID) if isinstance(entry, dict) else None
        found += [
            delta
            for delta in (said.values() if isinstance(said, dict) else ())
            if isinstance(delta, dict) and isinstance(delta.get("payload"), dict)
        ]
    return found


# --- of parts: ``providerMetadata.partwire`` ------------------------------------------------------

_EPOCH: Final = "1970-01-01T00:00:00Z"


def _own(metadata: Any, name: str) -> Any:
    own = metadata.get(PARTWIRE) if isinstance(metadata, dict) else None
    value = own.get(name) if isinstance(own, dict) else None
    return value if isinstance(value, dict) else None


def _is_read(part: Json) -> bool:
    message = {"runId": "r", "role": "assistant", "parts": [part], "timestamp": _EPOCH}
    try:
        read(message, Message)
    except ReadError:
        return False
    return True


def result_as(metadata: Any, result: Json, reading: Reading, place: str) -> Json | None:
    """Return a result as a writer of ours has it; None where the metadata does not say."""
    said = _own(metadata, "result")
    if said is None:
        return None
    payload = {**said, "toolCallId": result["payload"]["toolCallId"]}
    if not _is_read({"kind": "server_tool_result", "payload": payload}):
        reading.note("extension-unread", place)
        return None
    return {"kind": result["kind"], "payload": payload}


def cited(metadata: Any, reading: Reading, place: str) -> Json | None:
    """Return a citation as a writer of ours has it; None where the metadata does not say."""
    citation = _own(metadata, "citation")
    if citation is None:
        return None
    if not _is_read({"kind": "text", "payload": {"text": "", "citations": [citation]}}):
        reading.note("extension-unread", place)
        return None
    return dict(citation)


def media_of(metadata: Any) -> Json:
    """Return what a writer of ours says of media: its name, its words, its size."""
    said = _own(metadata, "media") or {}
    found = {n: said[n] for n in ("name", "transcript") if isinstance(said.get(n), str) and said[n]}
    size = said.get("sizeBytes")
    return {**found, "sizeBytes": size} if type(size) is int and size >= 0 else found
