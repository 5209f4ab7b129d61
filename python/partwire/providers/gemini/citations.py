"""Gemini's grounding and citations: metadata of the answer → citations of its text.

Places are UTF-8 bytes of the answer's text without thoughts, all pieces joined, as recorded streams
show. Metadata may come before the text that it is about, and again with more: citations are
written at the end, each once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from partwire.reading.plain import whole_number

from ..core.cited_text import CitedText
from ..core.writer import DeltaWriter

__all__ = ["GeminiCitations"]

_CITING: Final = frozenset({"groundingMetadata", "citationMetadata"})
_KINDS: Final = {"web": "url", "maps": "url", "retrievedContext": "file"}
_MEMBERS: Final = {"uri": "url", "title": "title", "documentName": "id"}
_MAX_CHARS: Final = 1 << 22  # of all citations: any number of supports may name one long chunk


class GeminiCitations:
    """The citations of one answer. ``text`` is the text that they are about."""

    def __init__(self, writer: DeltaWriter) -> None:
        self.text = CitedText(in_bytes=True)
        self._writer = writer
        self._metadata: list[tuple[str, Any]] = []

    def take(self, name: str, metadata: Any) -> None:
        """Take ``groundingMetadata`` or ``citationMetadata``; others are none."""
        if name in _CITING and self._writer.says_new:
            self._metadata.append((name, metadata))

    def write(self) -> None:
        """Write all citations; what names no source is none."""
        room = _MAX_CHARS
        written: set[tuple[Any, ...]] = set()
        taken, self._metadata = self._metadata, []
        for name, metadata in taken:
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


_Found: TypeAlias = tuple[dict[str, Any], dict[str, str], str]
"""A segment, what it is from, and what that says."""


def _grounding(metadata: Any) -> Iterator[_Found]:
    chunks = _list(metadata, "groundingChunks")
    for support in _list(metadata, "groundingSupports"):
        for given in _list(support, "groundingChunkIndices"):
            index = whole_number(given)
            if index is not None and 0 <= index < len(chunks):
                for name, kind in _KINDS.items():
                    about = _object(chunks[index], name)
                    source, text = _source(about, kind), about.get("text")
                    text = text if name == "retrievedContext" and isinstance(text, str) else ""
                    if len(source) > 1 or text:
                        yield _object(support, "segment"), source, text


def _citations(metadata: Any) -> Iterator[_Found]:
    # Google AI and Vertex AI have different names for the array.
    for name in ("citationSources", "citations"):
        for citation in _list(metadata, name):
            if type(citation) is dict and len(source := _source(citation, "url")) > 1:
                yield citation, source, ""


def _source(about: dict[str, Any], kind: str) -> dict[str, str]:
    found = {ours: about.get(theirs) for theirs, ours in _MEMBERS.items()}
    said = {name: value for name, value in found.items() if isinstance(value, str) and value}
    return {"kind": "url" if "url" in said else kind, **said}


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if type(value) is dict else None
    return found if type(found) is list else []


def _object(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if type(value) is dict else None
    return found if type(found) is dict else {}
