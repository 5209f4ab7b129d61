"""Content of MCP as parts: text, images, sound, resources and links to them."""

from __future__ import annotations

from typing import Any

from ..core.parts import inline, media_part, text_part
from ..core.reading import Json, Members, Reading
from .state import UNNAMED, kept_in, own_state

__all__ = ["content_part", "result_of"]

_UNKNOWN = "application/octet-stream"


def content_part(block: Members, reading: Reading) -> Json | None:
    """Return the part that a block is; None where messages have none such."""
    kind = block.text("type") or ""
    if kind == "text" and (text := block.text("text")) is not None:
        part = text_part(text)
        return _with_state(part, kept_in(block))
    if kind in ("image", "audio") and (data := block.text("data")):
        made = inline(_mime(block, reading), data)
        return made and _with_state(made, kept_in(block))
    if kind == "resource" and (resource := block.object("resource")) is not None:
        return _resource(Members(resource, block.at("resource"), reading), block, reading)
    if kind == "resource_link" and (uri := block.text("uri")):
        return _link(uri, block, reading)
    return None


def result_of(result: Members, call_id: str, reading: Reading) -> tuple[Json, Json]:
    """Return the part of a result, and what its message has to keep of it.

    The content is text where it is one text and nothing else, and data stands beside it.
    """
    place, blocks = result.at("content"), result.value("content")
    content: list[Json] = []
    for at, block in reading.items([] if blocks is None else blocks, place):
        part = content_part(block, reading)
        if part is None:
            reading.note("foreign-part", at)
            continue
        block.close()
        content.append(part)
    only = content[0] if len(content) == 1 and content[0]["kind"] == "text" else None
    is_text = only is not None and "opaque" not in only["payload"]
    payload: Json = {
        "toolCallId": call_id,
        "isError": result.flag("isError") or False,
        "content": only["payload"]["text"] if only is not None and is_text else content,
    }
    structured: Any = result.value("structuredContent")
    if structured is not None:
        payload["structured"] = structured
    return {"kind": "tool_result", "payload": payload}, kept_in(result, ("_meta",))


def _with_state(part: Json, state: Json) -> Json:
    """Return a part with state of MCP's; an image becomes media, which has a place for it."""
    if not state:
        return part
    payload = part["payload"]
    if part["kind"] == "image":
        name = "data" if "data" in payload else "url"
        source = {"kind": "inline" if name == "data" else "url", name: payload[name]}
        part = media_part(payload["mimeType"], source, None)
    part["payload"]["opaque"] = own_state(state)
    return part


def _mime(holder: Members, reading: Reading) -> str:
    mime = holder.text("mimeType")
    if mime:
        return mime
    reading.note("mime-invented", holder.place)
    return _UNKNOWN


def _resource(resource: Members, block: Members, reading: Reading) -> Json | None:
    """Return an embedded resource: its text, else its bytes, with its address as their name."""
    text = resource.text("text")
    if text is not None:
        state = {"resource": kept_in(resource, resource.names()), **kept_in(block)}
        return _with_state(text_part(text), state)
    uri, data = resource.text("uri"), resource.text("blob")
    mime = resource.text("mimeType")
    made = inline(mime or _UNKNOWN, data, uri or UNNAMED) if data else None
    if made is None:
        return None
    if not mime:
        reading.note("mime-invented", resource.place)
    if uri in (None, UNNAMED):
        del made["payload"]["name"]
    rest = kept_in(resource, resource.names())
    return _with_state(made, ({"resource": rest} if rest else {}) | kept_in(block))


def _link(uri: str, block: Members, reading: Reading) -> Json:
    """Return a link: what stands behind a URL, else a reference to a file."""
    mime, name, size = block.text("mimeType"), block.text("name"), block.count("size")
    name = None if name == uri else name or None
    rest = kept_in(block, tuple(n for n in block.names() if n not in ("annotations", "_meta")))
    state = ({"link": rest} if rest else {}) | kept_in(block)
    if "://" not in uri[:64] and not name and not state:
        known: Json = {"mimeType": mime} if mime else {}
        known |= {} if size is None else {"size": size}
        return {"kind": "file_ref", "payload": {"path": uri, **known}}
    if not mime:
        reading.note("mime-invented", block.place)
        mime = _UNKNOWN
    if mime.startswith("image/") and not name and size is None and not state:
        return {"kind": "image", "payload": {"mimeType": mime, "url": uri}}
    part = media_part(mime, {"kind": "url", "url": uri}, name)
    if size is not None:
        part["payload"]["sizeBytes"] = size
    return _with_state(part, state)
