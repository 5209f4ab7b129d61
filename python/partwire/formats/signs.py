"""Which format a document has, as far as it shows: what is looked for is a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from ..json.pointer import escape_pointer
from ..tables.format_signs import (
    ENTRIES,
    FORMATS,
    MODES,
    MOST,
    OPENED,
    SIGNS,
    WORDS,
    FormatSign,
    Where,
)

__all__ = ["Sniffed", "sniff", "sniff_events"]

_BLOCKS: Final = ("content", "parts")


class Sniffed(NamedTuple):
    """A format that a document may have, and the place that shows it; "" where nothing but the
    general shape does.
    """

    format: str
    place: str


_WORDS: Final[Mapping[str, Collection[str]]] = {
    name: frozenset(words) for name, words in WORDS.items()
}
_EVENTS: Final = {row.format: _WORDS[row.events] for row in FORMATS if row.events is not None}
_SESSIONS: Final = frozenset(row.format for row in FORMATS if row.is_session)


def _signs_of(*places: Where) -> tuple[FormatSign, ...]:
    return tuple(sign for sign in SIGNS if sign.where in places)


_SIGNS: Final[Mapping[Where, tuple[FormatSign, ...]]] = {
    "document": tuple(
        sign
        for sign in SIGNS
        if sign.where == "document" or (sign.where == "entry" and sign.format in _SESSIONS)
    ),
    "entry": _signs_of("entry"),
    "block": _signs_of("block"),
    "part": _signs_of("block", "part"),
    "untyped": _signs_of("untyped"),
    "inner": _signs_of("inner"),
}
"""Where an object is in a document → the signs that it may have."""


def sniff(document: Any) -> list[Sniffed]:
    """Return the formats that a JSON value may have: one is sure, several are those that fit.

    None where no known format looks like it. A history of nothing but roles and texts is never
    guessed: several formats have such.
    """
    if _is_conversations(document):
        return [Sniffed("finetune", "/0/0/role")]
    found: dict[str, str] = {}
    plain, shown = False, set[str]()
    for where, place, members in _places(document):
        for sign in _SIGNS[where]:
            if sign.format not in found and _has(members, sign):
                found[sign.format] = f"{place}/{escape_pointer(sign.member)}"
        is_message = where == "entry" and "role" in members and "content" in members
        plain = plain or is_message
        if is_message or where == "document":
            shown.update(members)
    if sessions := _SESSIONS & found.keys():
        found = {name: place for name, place in found.items() if name in sessions}
    for row in FORMATS:
        if not found.keys().isdisjoint(row.unless or ()):
            found.pop(row.format, None)
    if found or not plain:
        return [Sniffed(name, place) for name, place in found.items()]
    is_request = isinstance(document, dict) and "model" in document
    return [
        Sniffed(row.format, "")
        for row in FORMATS
        if row.plain == "request"
        or (row.plain and not is_request and (not row.plain_beside or row.plain_beside in shown))
    ]


def _is_conversations(document: Any) -> bool:
    """Return whether it is a list of lists of messages, which only training data is."""
    first = document[0] if isinstance(document, list) and document else None
    entry = first[0] if isinstance(first, list) and first else None
    return isinstance(entry, dict) and {"role", "content"} <= entry.keys() and not _is_ours(entry)


def sniff_events(events: Iterable[Any]) -> list[Sniffed]:
    """Return the formats of which these are events of a stream, the first ones or all."""
    found: dict[str, str] = {}
    for number, event in enumerate(events):
        if _is_of_graph(event):
            found.setdefault("langchain", f"/{number}/0")
        if not isinstance(event, dict):
            continue
        member = "type" if "type" in event else "event"
        kind = event.get(member)
        for name, types in _EVENTS.items():
            if isinstance(kind, str) and kind in types:
                found.setdefault(name, f"/{number}/{member}")
    return [Sniffed(name, place) for name, place in found.items()]


def _is_of_graph(event: Any) -> bool:
    is_pair = isinstance(event, list) and len(event) == 2 and isinstance(event[0], str)
    return is_pair and event[0] in MODES


def _has(members: dict[str, Any], sign: FormatSign) -> bool:
    if sign.member not in members or not all(name in members for name in sign.beside or ()):
        return False
    value = members[sign.member]
    if sign.is_object:
        return isinstance(value, dict)
    if sign.begins is not None:
        return isinstance(value, str) and value.startswith(sign.begins)
    words = sign.values if sign.words is None else _WORDS[sign.words]
    return words is None or (isinstance(value, str) and value in words)


def _places(document: Any) -> Iterator[tuple[Where, str, dict[str, Any]]]:
    """Yield the objects in which signs may stand: the document, its entries, their blocks."""
    place = ""
    entries: Iterator[tuple[str, dict[str, Any]]] = iter(())
    for _ in range(3):  # what is opened may have something to open
        if not isinstance(document, dict):
            entries = _objects(document, place)
            break
        if _is_ours(document):
            return
        yield "document", place, document
        found = next((name for name in ENTRIES if isinstance(document.get(name), list)), None)
        if found is not None:
            entries = _objects(document[found], f"{place}/{found}")
            break
        entries = iter([(place, document)])
        inner = next((name for name in OPENED if isinstance(document.get(name), dict)), None)
        if inner is None:
            break
        place, document = f"{place}/{inner}", document[inner]
    for at, entry in entries:
        if _is_ours(entry):
            continue
        if at:
            yield "entry", at, entry
        yield from _places_in(at, entry)


def _places_in(at: str, entry: dict[str, Any]) -> Iterator[tuple[Where, str, dict[str, Any]]]:
    for name in _BLOCKS:
        for place, block in _objects(entry.get(name), f"{at}/{name}"):
            yield "part" if name == "parts" else "block", place, block
            if name == "content" and "type" not in block:
                yield "untyped", place, block
            if isinstance(source := block.get("source"), dict):
                yield "inner", f"{place}/source", source
    for place, call in _objects(entry.get("tool_calls"), f"{at}/tool_calls"):
        if isinstance(function := call.get("function"), dict):
            yield "inner", f"{place}/function", function


def _is_ours(value: Any) -> bool:
    """Return whether it is meant to be a message, a part or a delta of the contract.

    A message without what only ours has is one if its first part is.
    """
    for _ in range(MOST):
        if not isinstance(value, dict):
            return False
        if "role" not in value:
            return "kind" in value and "payload" in value
        parts = value.get("parts")
        if "runId" in value or (parts is not None and "timestamp" in value):
            return True
        value = parts[0] if isinstance(parts, list) and parts else None
    return False


def _objects(value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for number, each in enumerate(islice(value, MOST)):
            if isinstance(each, dict):
                yield f"{place}/{number}", each
