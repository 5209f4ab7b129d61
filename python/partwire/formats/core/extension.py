"""Members of ours in a document of theirs: what their format has no place for.

``metadata.partwire`` (each format says where) is ``{"messages": {"0": …}}``, for each of our
messages that became one of theirs: the members of its head, and of its parts those that are read
back in another way; or the messages whole, where even their number is another. Objects throughout,
since others join such metadata member by member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import ReadError
from partwire.reading.pipeline import read

from .reading import Json, Reading

__all__ = ["PARTWIRE", "changes", "heads", "restored"]

PARTWIRE: Final = "partwire"

_WHOLE: Final = "message"
_PLACE: Final = re.compile("[0-9]+")


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
    except (ReadError, LookupError, TypeError, ValueError):
        reading.note("extension-unread", place)
        return messages
    return made


def _restored(messages: list[Json], kept: Any) -> Iterator[Json]:
    entries = _object(_object(kept)["messages"])
    if any(isinstance(entry, dict) and _WHOLE in entry for entry in entries.values()):
        for number in range(len(entries)):
            yield dict(_object(_object(entries[str(number)])[_WHOLE]))
        return
    if len(entries) != len(messages):
        raise ValueError
    for number, message in enumerate(messages):
        entry = _object(entries[str(number)])
        parts = list(message["parts"])
        for at, change in _object(entry.get("parts", {})).items():
            if _PLACE.fullmatch(at) is None:
                raise ValueError
            parts[int(at)] = _applied(parts[int(at)], _object(change))
        yield {"role": message["role"], "parts": parts, **_object(entry["head"])}


def _applied(part: Json, change: Json) -> Json:
    if "part" in change:
        return _object(change["part"])
    without = change.get("without", [])
    if not isinstance(without, list):
        raise TypeError
    payload = {name: value for name, value in part["payload"].items() if name not in without}
    return {"kind": part["kind"], "payload": {**payload, **_object(change["payload"])}}


def _object(value: Any) -> Json:
    """Return an object; raises TypeError for anything else, which Python might take for one."""
    if not isinstance(value, dict):
        raise TypeError
    return value
