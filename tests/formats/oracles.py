"""Messages as the items that independent readings of histories name.

What a provider runs itself, and what is state of a provider's, they call opaque, each in its own
way; images are media to them, and a call without an id has none. None of that is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from typing import Any

from partwire.contract.current.message import Message
from partwire.reading.pipeline import to_wire

__all__ = ["as_doubles", "differences", "items_of", "missing", "said", "wanted_items"]

Item = tuple[Any, ...]

_BESIDE = ("approval_request", "server_tool_result")


def items_of(messages: Iterable[Message]) -> list[Item]:
    """Return role, kind and content of each part."""
    found: list[Item] = []
    own: dict[str, str | None] = {}
    for message in messages:
        for part in to_wire(message)["parts"]:
            payload, kind = part["payload"], part["kind"]
            if kind in ("text", "thinking"):
                found.append((message.role, kind, payload["text"]))
            elif kind == "tool_call":
                arguments = json.dumps(payload["arguments"], sort_keys=True)
                own[payload["toolCallId"]] = call_id = _own_id(payload)
                found.append((message.role, kind, call_id, payload["toolName"], arguments))
            elif kind == "tool_result":
                call_id = own.get(payload["toolCallId"], payload["toolCallId"])
                found.append((message.role, kind, call_id, payload["isError"]))
            elif kind not in ("server_tool_call", "server_tool_result"):
                found.append((message.role, "media"))
    return [item for item in found if item[1:] != ("thinking", "")]


def _own_id(payload: dict[str, Any]) -> str | None:
    data = payload.get("opaque", {}).get("data", {})
    own: str | None = data.get("toolCallId", payload["toolCallId"])
    return own


def said(messages: Iterable[dict[str, Any]]) -> list[Item]:
    """Return what messages say, part by part, as far as it is the same in every format.

    Texts that follow each other are one, empty ones none. What answers calls has no order, and
    what stands beside a call in some formats comes last. An image and the name of a file are media;
    numbers are doubles.
    """
    found: list[Item] = []
    beside: list[Item] = []
    for message in messages:
        for part in message["parts"]:
            kind = part["kind"]
            item = _said(message["role"], kind, part["payload"])
            if item[1] in ("text", "thinking") and found and found[-1][:2] == item[:2]:
                item = (*item[:2], found.pop()[2] + item[2])
            if item[1:] not in (("text", ""), ("thinking", "")):
                (beside if kind in _BESIDE else found).append(item)
    made: list[Item] = []
    for answers, group in groupby(found, lambda item: item[0] == "tool"):
        items = list(group)
        made += sorted(items, key=repr) if answers else items
    return made + sorted(beside, key=repr)


def missing(mine: Any, theirs: Any) -> list[tuple[str, Any, Any]]:
    """Return the places of a document that another one does not have, with what it has there.

    What says nothing need not be there, and a time may have another form.
    """
    return list(_missing(mine, theirs, ""))


def _missing(mine: Any, theirs: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for name, member in mine.items():
            yield from _missing(member, theirs.get(name), f"{place}/{name}")
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        for number, (item, other) in enumerate(zip(mine, theirs, strict=True)):
            yield from _missing(item, other, f"{place}/{number}")
    elif mine not in (None, [], {}, "") and mine != theirs and _time(mine) != _time(theirs):
        yield place, mine, theirs


def _time(value: Any) -> Any:
    with suppress(TypeError, ValueError):
        return datetime.fromisoformat(value)
    return value


def as_doubles(value: Any) -> Any:
    """Return a value with numbers as JavaScript has them, in JSON texts, too."""
    if isinstance(value, dict):
        return {name: as_doubles(member) for name, member in value.items()}
    if isinstance(value, list):
        return [as_doubles(item) for item in value]
    if isinstance(value, str):
        try:
            return as_doubles(json.loads(value))
        except ValueError:
            return value
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _said(role: str, kind: str, payload: dict[str, Any]) -> Item:
    if kind in ("text", "thinking"):
        return (role, kind, payload["text"])
    if kind in ("tool_call", "server_tool_call"):
        return (
            role,
            kind,
            payload["toolCallId"],
            payload["toolName"],
            as_doubles(payload["arguments"]),
        )
    if kind in ("tool_result", "server_tool_result"):
        value = as_doubles(payload.get("structured", payload["content"]))
        return (role, kind, payload["toolCallId"], payload["isError"], value)
    return (role, "media" if kind in ("image", "media", "file_ref") else kind)


def wanted_items(expected: dict[str, Any]) -> list[Item]:
    """Return the items that an oracle names, in the same form."""
    wanted: list[Item] = []
    for item in expected["items"]:
        role = {"model": "assistant"}.get(item["role"], item["role"])
        kind = item["kind"]
        if kind in ("text", "thinking"):
            wanted.append((role, kind, item.get("text") or ""))
        elif kind == "tool_call":
            arguments = json.dumps(item.get("arguments"), sort_keys=True)
            wanted.append((role, kind, item.get("id"), item.get("name"), arguments))
        elif kind == "tool_result":
            wanted.append(("tool", kind, item.get("id"), item.get("isError") or _failed(item)))
        elif kind != "opaque":
            wanted.append((role, kind))
    return [item for item in wanted if item[1:] != ("thinking", "")]


def _failed(item: dict[str, Any]) -> bool:
    """Return whether a result without a mark is an error: Gemini's say so by their only member."""
    value = item.get("value")
    return isinstance(value, dict) and value.keys() == {"error"}


def differences(got: list[Item], wanted: list[Item]) -> list[tuple[Item | None, Item | None]]:
    """Return the pairs of items, by place, that are not the same."""
    most = max(len(got), len(wanted))
    pairs = [
        (got[at] if at < len(got) else None, wanted[at] if at < len(wanted) else None)
        for at in range(most)
    ]
    return [(ours, theirs) for ours, theirs in pairs if ours != theirs]
