"""Messages as the items that independent readings of histories name.

What a provider runs itself, and what is state of a provider's, they call opaque, each in its own
way; images are media to them, and a call without an id has none. None of that is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from partwire.contract.current.message import Message
from partwire.reading.pipeline import to_wire

__all__ = ["differences", "items_of", "wanted_items"]

Item = tuple[Any, ...]


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
