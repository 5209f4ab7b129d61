"""Citations, out of members as providers have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET, UnsetType

from partwire.contract.current.message import Citation, CitationLocator, CitationSource
from partwire.reading.plain import whole_number

from .opaque import well_formed

__all__ = ["annotation_source", "citation_of", "locator", "named", "web_address"]

_OPENAI_FILES: Final = frozenset({"file", "file_citation", "file_path", "container_file_citation"})


def citation_of(value: Mapping[str, Any]) -> Citation | None:
    """Return a citation of what a JSON object says as the contract has it; None without a source.

    Places count where both are there and in order.
    """
    source = value.get("source")
    if not isinstance(source, dict) or (kind := _text(source, "kind")) is UNSET:
        return None
    start, end = _count(value, "start"), _count(value, "end")
    has_places = start is not UNSET and end is not UNSET and start <= end
    return Citation(
        source=CitationSource(
            kind=kind,
            url=_text(source, "url"),
            title=_text(source, "title"),
            id=_text(source, "id"),
            locator=_locator(source.get("locator")),
        ),
        start=start if has_places else UNSET,
        end=end if has_places else UNSET,
        quoted_text=_text(value, "quotedText"),
    )


def _locator(value: Any) -> CitationLocator | UnsetType:
    if not isinstance(value, dict):
        return UNSET
    unit, start = _text(value, "unit"), _count(value, "start")
    if unit is UNSET or start is UNSET:
        return UNSET
    return CitationLocator(unit=unit, start=start, end=_count(value, "end"))


def _text(holder: Mapping[str, Any], name: str) -> str | UnsetType:
    value = holder.get(name)
    return well_formed(value) if isinstance(value, str) and value else UNSET


def _count(holder: Mapping[str, Any], name: str) -> int | UnsetType:
    count = whole_number(holder.get(name))
    return UNSET if count is None or count < 0 else count


def named(**members: object) -> dict[str, str]:
    """Return members of a source that are text; an index is the text of an id."""
    found: dict[str, str] = {}
    for name, value in members.items():
        count = whole_number(value)
        if isinstance(value, str) and value:
            found[name] = value
        elif count is not None and count >= 0:
            found[name] = str(count)
    return found


def locator(unit: str, start: object, end: object) -> dict[str, Any]:
    """Return a source's ``locator`` as a member; none where the provider does not count so."""
    first, last = whole_number(start), whole_number(end)
    if first is None or first < 0:
        return {}
    place: dict[str, Any] = {"unit": unit, "start": first}
    if last is not None and last >= 0:
        place["end"] = last
    return {"locator": place}


def web_address(value: object) -> str | None:
    """Return a value that is the address of a page."""
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return value
    return None


def annotation_source(kind: object, said: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an annotation of OpenAI's points to, None for what is not one, or to nothing."""
    get = said.get
    if kind == "url_citation":
        source = {"kind": "url", **named(url=get("url"), title=get("title"))}
    elif isinstance(kind, str) and kind in _OPENAI_FILES:
        source = {"kind": "file", **named(id=get("file_id"), title=get("filename"))}
    else:
        return None
    return source if len(source) > 1 else None
