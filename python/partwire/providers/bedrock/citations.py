"""Citations of Converse."""

from __future__ import annotations

from typing import Any, Final

from ..core.citations import locator, named, web_address

__all__ = ["citation_of"]

# Locations: the kind of source, the unit of its places, and the member that is its index.
_PLACES: Final = {
    "documentChar": ("document", "character", "documentIndex"),
    "documentPage": ("document", "page", "documentIndex"),
    "documentChunk": ("document", "chunk", "documentIndex"),
    "searchResultLocation": ("search_result", "block", "searchResultIndex"),
}


def citation_of(given: dict[str, Any], start: int, end: int) -> dict[str, Any]:
    """Return the contract's citation for the stretch of text that it is about."""
    content = given.get("sourceContent")
    items = content if isinstance(content, list) else []
    texts = [item.get("text") for item in items if isinstance(item, dict)]
    quoted = "".join(text for text in texts if isinstance(text, str))
    quote = {"quotedText": quoted} if quoted else {}
    return {"start": start, "end": end, "source": _source(given), **quote}


def _source(given: dict[str, Any]) -> dict[str, Any]:
    title = named(title=given.get("title"))
    location = given.get("location")
    for name, place in location.items() if isinstance(location, dict) else ():
        if not isinstance(place, dict):
            continue
        if name in _PLACES:
            kind, unit, index = _PLACES[name]
            source = {"kind": kind, **title, **named(id=place.get(index))}
            if kind == "search_result":
                named_so = given.get("source")
                source |= named(id=named_so, url=web_address(named_so))
            return {**source, **locator(unit, place.get("start"), place.get("end"))}
        if name == "web":
            return {"kind": "url", **title, **named(url=place.get("url"))}
    return {"kind": "unknown", **title}
