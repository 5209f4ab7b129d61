"""Gemini's grounding and citations: metadata of the answer → citations of its text.

Places are UTF-8 bytes of the answer's text without thoughts, all pieces joined, as recorded streams
show. Metadata may come before the text that it is about, and again with more: citations are
written at the end, each once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from ..core.cited_text import CitedText
from ..core.writer import DeltaWriter

__all__ = ["GeminiCitations"]

_MAX_CHARS: Final = 1 << 22  # of all citations: any number of supports may name one long chunk


class GeminiCitations:
    """The citations of one answer. ``text`` is the text that they are about."""

    def __init__(self, writer: DeltaWriter) -> None:
        self.text = CitedText(in_bytes=True)
        self._writer = writer
        self._metadata: list[tuple[str, Any]] = []

    def take(self, name: str, metadata: Any) -> None:
        """Take ``groundingMetadata`` or ``citationMetadata``."""
        self._metadata.append((name, metadata))

    def write(self) -> None:
        """Write all citations; what names no source is none."""
        room = _MAX_CHARS
        written: set[tuple[Any, ...]] = set()
        for name, metadata in self._metadata:
            found = _grounding if name == "groundingMetadata" else _citations
            for segment, source, quoted in found(metadata):
                start, end = segment.get("startIndex"), segment.get("endIndex")
                # Protocol buffers leave out what is 0.
                place = self.text.find(0 if start is None else start, end, segment.get("text"))
                room -= sum(map(len, source.values())) + len(quoted)
                if room < 0:
                    return
                key = (place, *source.items(), quoted)
                if key in written:
                    continue
                written.add(key)
                citation: dict[str, Any] = {"source": source}
                if place is not None:
                    citation |= {"start": place.start, "end": place.end}
                if quoted:
                    citation["quotedText"] = quoted
                self._writer.cite(citation, part=None if place is None else place.part)
        self._metadata = []


_Found: TypeAlias = tuple[dict[str, Any], dict[str, str], str]
"""A segment, what it is from, and what that says."""


def _grounding(metadata: Any) -> Iterator[_Found]:
    chunks = _list(metadata, "groundingChunks")
    for support in _list(metadata, "groundingSupports"):
        for index in _list(support, "groundingChunkIndices"):
            chunk = chunks[index] if type(index) is int and 0 <= index < len(chunks) else None
            if (found := _source(chunk)) is not None:
                yield (_object(support, "segment"), *found)


def _source(chunk: Any) -> tuple[dict[str, str], str] | None:
    """Return what a chunk is from, and what it says; None for kinds that are not known."""
    for name in ("web", "maps", "retrievedContext"):
        about = _object(chunk, name)
        url, title = _string(about, "uri"), _string(about, "title")
        if name == "retrievedContext":
            file, text = _string(about, "documentName"), _string(about, "text")
            source = _named("url" if url else "file", url=url, title=title, id=file)
        else:
            source, text = _named("url", url=url, title=title), ""
        if len(source) > 1 or text:
            return source, text
    return None


def _citations(metadata: Any) -> Iterator[_Found]:
    # Google AI and Vertex AI have different names for the array.
    for name in ("citationSources", "citations"):
        for citation in _list(metadata, name):
            source = _named("url", url=_string(citation, "uri"), title=_string(citation, "title"))
            if len(source) > 1:
                yield citation, source, ""


def _named(kind: str, **members: str) -> dict[str, str]:
    return {"kind": kind, **{name: value for name, value in members.items() if value}}


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if type(value) is dict else None
    return found if type(found) is list else []


def _object(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if type(value) is dict else None
    return found if type(found) is dict else {}


def _string(value: Any, name: str) -> str:
    found = value.get(name) if type(value) is dict else None
    return found if isinstance(found, str) else ""
