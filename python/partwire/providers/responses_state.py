"""What is kept of a response's items for the next request, and who executes which tool."""

from __future__ import annotations

from typing import Any, Final

from .opaque import OpaqueItem
from .responses_items import TEXT, Item, channel_of

__all__ = ["is_bookkeeping", "is_server_item", "kept_items"]

# Built-in tools that the caller is to execute, though they are no functions of its own.
_CLIENT_TOOLS: Final = frozenset(
    {"computer_call", "local_shell_call", "apply_patch_call", "mcp_approval_request"}
)
_SERVER_ITEMS: Final = ("_call", "_output", "mcp_list_tools", "program")
_BOOKKEEPING: Final = frozenset({"compaction", "compaction_summary", "additional_tools"})


def is_bookkeeping(kind: str) -> bool:
    """Return whether an item is the provider's own: nothing that a reader misses."""
    return kind in _BOOKKEEPING


def is_server_item(kind: str, body: dict[str, Any]) -> bool:
    """Return whether an item is of a tool that the provider executes itself."""
    if kind in _CLIENT_TOOLS:
        return False
    if kind == "tool_search_call":
        return body.get("execution") != "client"
    if kind == "shell_call":
        environment = body.get("environment")
        return isinstance(environment, dict) and environment.get("type") != "local"
    return kind.endswith(_SERVER_ITEMS) or ":" in kind


def kept_items(item: Item) -> list[OpaqueItem]:
    """Return what is kept of an item that is whole.

    Reasoning and the items of server-side tools unchanged; a message without its texts, which
    the parts hold, and without log probabilities: what is left of each of its content parts
    follows, where there is more to say than that it is text.
    """
    part, start = item.place
    end = start
    if item.part >= 0:
        part, start, end = item.part, item.start, item.end
    if item.kind != "message":
        return [OpaqueItem(item.kind, item.body, part, start, end)]
    head = {name: value for name, value in item.body.items() if name != "content"}
    kept = [OpaqueItem("message", head, part, start, end)]
    given = item.body.get("content")
    contents = given if isinstance(given, list) else []
    at = start
    for content in contents:
        channel = channel_of(content, TEXT)
        text = None if channel is None else content.get(channel.whole)
        stop = min(end, at + len(text)) if isinstance(text, str) else at
        state = content if channel is None else _without_text(content)
        if isinstance(content, dict) and (len(contents) > 1 or _says_more(state)):
            kept.append(OpaqueItem("content_part", state, part, at, stop))
        at = stop
    return kept


def _without_text(part: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in part.items() if k not in ("text", "refusal", "logprobs")}


def _says_more(part: dict[str, Any]) -> bool:
    is_text = part.get("type") in ("output_text", "text")
    return not is_text or any(value for name, value in part.items() if name != "type")
