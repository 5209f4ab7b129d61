"""Members of ours in a message of theirs: what their format has no place for.

``metadata.partwire`` is ``{"messages": {"0": …}}``, for each of our messages that became one UI
message: the members of its head, and of its parts those that are read back in another way; or the
messages whole, where even their number is another. Objects throughout, since the SDK joins metadata
of several chunks member by member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import ReadError
from partwire.reading.pipeline import read

from ..core.reading import Json, Reading
from .state import PARTWIRE

__all__ = ["SAID", "changes", "cited", "heads", "media_of", "restored", "result_as", "said_in"]

SAID: Final = "said"
"""Deltas that the events have no form for, as a stream brings them with each message."""

_WHOLE: Final = "message"


def changes(messages: list[Json], read_back: list[Json]) -> Json:
    """Return the extension that makes ``messages`` of what is read back of them."""
    alike = [m["role"] for m in messages] == [m["role"] for m in read_back]
    if not alike or any(
        len(m["parts"]) != len(b["parts"]) for m, b in zip(messages, read_back, strict=True)
    ):
        return {"messages": {str(n): {_WHOLE: m} for n, m in enumerate(messages)}}
    kept: Json = {}
    for number, (message, other) in enumerate(zip(messages, read_back, strict=True)):
        entry: Json = {
            "head": {name: value for name, value in message.items() if name not in _SAID}
        }
        parts = {
            str(at): _change(part, back)
            for at, (part, back) in enumerate(zip(message["parts"], other["parts"], strict=True))
            if part != back
        }
        if parts:
            entry["parts"] = parts
        kept[str(number)] = entry
    return {"messages": kept}


_SAID: Final = frozenset({"role", "parts"})


def heads(messages: list[Json]) -> Json:
    """Return the extension that has the heads alone: parts of a stream say of themselves more."""
    kept = {
        str(number): {"head": {n: v for n, v in message.items() if n not in _SAID}}
        for number, message in enumerate(messages)
    }
    return {"messages": kept}


def _change(part: Json, back: Json) -> Json:
    if part["kind"] != back["kind"]:
        return {"part": part}
    mine, theirs = part["payload"], back["payload"]
    change: Json = {"payload": {n: v for n, v in mine.items() if n not in theirs or theirs[n] != v}}
    if gone := [name for name in theirs if name not in mine]:
        change["without"] = gone
    return change


def restored(messages: list[Json], kept: Any, reading: Reading, place: str) -> list[Json]:
    """Return messages with what the extension says of them, as far as it fits them."""
    try:
        made = list(_restored(messages, kept))
        for message in made:
            read({"runId": "r", "timestamp": reading.timestamp, **message}, Message)
    except (ReadError, LookupError, TypeError, ValueError, AttributeError):
        reading.note("extension-unread", place)
        return messages
    return made


def _restored(messages: list[Json], kept: Any) -> Iterator[Json]:
    entries = kept["messages"]
    if any(_WHOLE in entry for entry in entries.values()):
        for number in range(len(entries)):
            yield dict(entries[str(number)][_WHOLE])
        return
    if len(entries) != len(messages):
        raise ValueError
    for number, message in enumerate(messages):
        entry = entries[str(number)]
        parts = list(message["parts"])
        for at, change in entry.get("parts", {}).items():
            parts[int(at)] = _applied(parts[int(at)], change)
        yield {"role": message["role"], "parts": parts, **entry["head"]}


def _applied(part: Json, change: Json) -> Json:
    if "part" in change:
        return dict(change["part"])
    payload = {n: v for n, v in part["payload"].items() if n not in change.get("without", ())}
    return {"kind": part["kind"], "payload": {**payload, **change["payload"]}}


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
