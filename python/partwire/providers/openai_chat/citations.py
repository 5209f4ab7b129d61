"""Citations of chat completions: annotations of a message, and what chunks say of the answer."""

from __future__ import annotations

from typing import Any

from ..core.citations import annotation_source, named, web_address
from ..core.findings import FindingLog

__all__ = ["citation_of", "note_odd_sources", "sources_of"]


def citation_of(annotation: object) -> tuple[dict[str, Any], int, int] | None:
    """Return the contract's citation without its places, and these in the text of the answer.

    Both are 0 where the annotation has none; some vendors say so, too. None for what is not a
    citation.
    """
    if not isinstance(annotation, dict):
        return None
    kind = annotation.get("type")
    inner = annotation.get(kind) if isinstance(kind, str) else None
    said = inner if isinstance(inner, dict) else annotation
    source = annotation_source(kind, said)
    if source is None:
        return None
    quoted = said.get("content")
    quote = {"quotedText": quoted} if isinstance(quoted, str) and quoted else {}
    start, end = said.get("start_index"), said.get("end_index")
    citation = {"source": source, **quote}
    if type(start) is int and type(end) is int and 0 <= start < end:
        return citation, start, end
    return citation, 0, 0


def sources_of(citations: object, results: object) -> list[dict[str, Any]]:
    """Return the sources of an answer as a whole, each once: its citations, then what was found."""
    titles: dict[str, object] = {}
    for found in (citations, results):
        for each in found if isinstance(found, list) else ():
            url = _address(each)
            if url is not None and not titles.get(url):
                titles[url] = each.get("title") if isinstance(each, dict) else None
    return [{"kind": "url", **named(url=url, title=title)} for url, title in titles.items()]


def note_odd_sources(sources: object, place: str, log: FindingLog) -> None:
    """Note what :func:`sources_of` passes over."""
    if not isinstance(sources, list):
        log.invalid(place, "an array", sources)
        return
    for number, each in enumerate(sources):
        if _address(each) is None:
            log.invalid(f"{place}/{number}", "the address of a page, or an object with it", each)


def _address(source: object) -> str | None:
    return web_address(source.get("url") if isinstance(source, dict) else source)
