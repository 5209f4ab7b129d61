"""Sources of citations, out of members as providers have them."""

from __future__ import annotations

from typing import Any

from partwire.reading.plain import whole_number

__all__ = ["locator", "named", "web_address"]


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
