"""Searches that Anthropic ran: their blocks, which it wants back, from what the SDK keeps of them.

The SDK writes the pages as output, in its own spelling, with the sealed content that the provider
needs; ids say whose call it is. Of other tools the SDK does not keep the block.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.providers.core.tool_results import read_result

from ..core.reading import Json

__all__ = ["call_state", "pages_of", "with_block"]

_DIALECT: Final = "anthropic-messages"
_IDS: Final = "srvtoolu_"
_NAME: Final = "web_search"
_RESULT: Final = "web_search_tool_result"
_PAGE: Final = {
    "type": "type",
    "url": "url",
    "title": "title",
    "pageAge": "page_age",
    "encryptedContent": "encrypted_content",
}


def call_state(call_id: str, name: str, arguments: Any) -> Json | None:
    """Return the state of a search; None for any other call."""
    if not call_id.startswith(_IDS) or name != _NAME or not isinstance(arguments, dict):
        return None
    data = {"type": "server_tool_use", "id": call_id, "name": name, "input": arguments}
    return _opaque("server_tool_use", data)


def with_block(payload: Json) -> Json:
    """Return the payload of a result as the adapter has it, where it is that of a search."""
    pages, call_id = payload.get("structured"), payload["toolCallId"]
    if not call_id.startswith(_IDS) or not isinstance(pages, list) or "opaque" in payload:
        return payload
    if not pages or not all(map(_is_page, pages)):
        return payload
    content = [{_PAGE[name]: value for name, value in page.items()} for page in pages]
    said = read_result(content)
    block = {"type": _RESULT, "tool_use_id": call_id, "content": content}
    made = {**payload, "content": said.content, "opaque": _opaque(_RESULT, block)}
    return {**made, "structured": said.structured, "outcome": "success"}


def pages_of(opaque: Any) -> list[Json] | None:
    """Return the pages of a search as the SDK has them; None for any other state."""
    if not isinstance(opaque, dict) or opaque.get("provider") != _DIALECT:
        return None
    items = opaque["data"].get("items")
    for item in items if isinstance(items, list) else ():
        block = item.get("data") if isinstance(item, dict) else None
        if not isinstance(block, dict) or block.get("type") != _RESULT:
            continue
        content = block.get("content")
        theirs = {ours: name for name, ours in _PAGE.items()}
        if not isinstance(content, list) or not content:
            return None
        pages = [
            {theirs.get(name, ""): value for name, value in page.items()}
            for page in content
            if isinstance(page, dict)
        ]
        return pages if len(pages) == len(content) and all(map(_is_page, pages)) else None
    return None


def _is_page(page: Any) -> bool:
    if not isinstance(page, dict) or page.get("type") != "web_search_result":
        return False
    return all(name in _PAGE and isinstance(said, str | None) for name, said in page.items())


def _opaque(kind: str, data: Json) -> Json:
    return {"provider": _DIALECT, "data": {"items": [{"kind": kind, "data": data}]}}
