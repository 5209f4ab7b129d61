"""Citations of Anthropic Messages."""

from __future__ import annotations

from typing import Any, Final

from ..core.citations import locator, named, web_address

__all__ = ["citation_of"]

# Places in a document: the unit, and the members that count it.
_PLACES: Final = {
    "char_location": ("character", "start_char_index", "end_char_index"),
    "page_location": ("page", "start_page_number", "end_page_number"),
    "content_block_location": ("block", "start_block_index", "end_block_index"),
}


def citation_of(given: dict[str, Any], start: int, end: int) -> dict[str, Any]:
    """Return the contract's citation for the stretch of text that it is about."""
    quoted = given.get("cited_text")
    quote = {"quotedText": quoted} if isinstance(quoted, str) and quoted else {}
    return {"start": start, "end": end, "source": _source(given), **quote}


def _source(given: dict[str, Any]) -> dict[str, Any]:
    get = given.get
    kind = get("type")
    if kind == "search_result_location":
        source = get("source")
        names = named(url=web_address(source), title=get("title"), id=source)
        place = locator("block", get("start_block_index"), get("end_block_index"))
        return {"kind": "search_result", **names, **place}
    if isinstance(kind, str) and kind in _PLACES:
        unit, start, end = _PLACES[kind]
        file = named(id=get("file_id"))
        names = named(id=get("document_index"), title=get("document_title")) | file
        return {
            "kind": "file" if file else "document",
            **names,
            **locator(unit, get(start), get(end)),
        }
    names = named(url=get("url"), title=get("title"))
    return {"kind": "url" if "url" in names else "unknown", **names}
