"""Citations of a text, as state that covers it: a text is cut where its citations say."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from msgspec import UNSET

from partwire.contract.current.message import Citation, Opaque, TextPayload

from .notes import Notes
from .state import Item

__all__ = ["note_citations", "read_citations"]


def read_citations(
    payload: TextPayload,
    place: str,
    items: list[Item],
    dialect: str,
    citing: Set[str],
    notes: Notes,
) -> list[Item]:
    """Return the citations that go back: those that carry the provider's own.

    ``items`` are the state of the text; with one of a kind in ``citing`` its citations go back.
    Several citations of one stretch may be one to the provider, and the first carries it. What is
    left out is noted once for the text.
    """
    citations = [] if payload.citations is UNSET else payload.citations
    found: list[Item] = []
    own: set[tuple[int | None, int | None]] = set()
    is_lost = False
    for number, citation in enumerate(citations):
        span = _span(citation, len(payload.text))
        opaque = citation.opaque
        if isinstance(opaque, Opaque) and opaque.provider == dialect:
            at = f"{place}/payload/citations/{number}/opaque/data"
            found += _items(opaque.data, span, at, notes)
            own.add(span)
        elif span not in own:
            is_lost = True
    if is_lost and not any(item.kind in citing for item in items):
        note_citations(payload, place, notes)
    return found


def note_citations(payload: TextPayload, place: str, notes: Notes) -> None:
    """Note citations that are not sent."""
    if payload.citations is UNSET or not payload.citations:
        return
    notes.add(
        "encode/citation-left-out",
        "The provider's format has no place for these citations; the text goes without them",
        f"{place}/payload/citations",
    )


def _span(citation: Citation, length: int) -> tuple[int | None, int | None]:
    """Return where a citation begins and ends in a text, None for both without places."""
    start, end = citation.start, citation.end
    if start is UNSET or end is UNSET:
        return None, None
    return min(start, length), min(end, length)


def _items(
    data: dict[str, Any], span: tuple[int | None, int | None], at: str, notes: Notes
) -> list[Item]:
    given = data.get("items")
    if not isinstance(given, list):
        notes.malformed(at, "an object with items", data)
        return []
    found = []
    for number, each in enumerate(given):
        pointer = f"{at}/items/{number}"
        if isinstance(each, dict) and isinstance(each.get("kind"), str) and "data" in each:
            found.append(Item(each["kind"], each["data"], pointer, *span))
        else:
            notes.malformed(pointer, "an item with kind and data", each)
    return found
