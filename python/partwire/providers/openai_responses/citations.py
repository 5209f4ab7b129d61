"""Citations of OpenAI Responses."""

from __future__ import annotations

from typing import Any, Final

from ..core.citations import annotation_source

__all__ = ["citation_of"]

_POINTS: Final = ("file_citation", "file_path")


def citation_of(annotation: object, begin: int) -> dict[str, Any] | None:
    """Return the contract's citation, None for what is none.

    ``begin`` is the character of the part where the text begins in which the provider counts.
    """
    if not isinstance(annotation, dict):
        return None
    get, kind = annotation.get, annotation.get("type")
    source = annotation_source(kind, annotation)
    if source is None:
        return None
    at = get("index")
    start, end = (at, at) if kind in _POINTS else (get("start_index"), get("end_index"))
    places = [begin + each for each in (start, end) if type(each) is int and each >= 0]
    return {**dict(zip(("start", "end"), places, strict=False)), "source": source}
