"""Citations of OpenAI Responses."""

from __future__ import annotations

from typing import Any, Final

from ..core.citations import named

__all__ = ["citation_of"]

_POINTS: Final = ("file_citation", "file_path")
_FILES: Final = (*_POINTS, "container_file_citation")


def citation_of(annotation: object, begin: int) -> dict[str, Any] | None:
    """Return the contract's citation, None for what is none.

    ``begin`` is the character of the part where the text begins in which the provider counts.
    """
    kind = annotation.get("type") if isinstance(annotation, dict) else None
    if not isinstance(annotation, dict) or not isinstance(kind, str):
        return None
    get = annotation.get
    if kind in _FILES:
        source = {"kind": "file", **named(id=get("file_id"), title=get("filename"))}
    elif kind == "url_citation":
        source = {"kind": "url", **named(url=get("url"), title=get("title"))}
    else:
        return None
    at = get("index")
    start, end = (at, at) if kind in _POINTS else (get("start_index"), get("end_index"))
    places = [begin + each for each in (start, end) if type(each) is int and each >= 0]
    return {**dict(zip(("start", "end"), places, strict=False)), "source": source}
