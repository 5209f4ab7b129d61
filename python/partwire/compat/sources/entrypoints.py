"""Which schemas of two sources are compared, and under which name they find each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple

from ...errors import Finding, UsageError
from ..report import SINGLE
from .inputs import Source
from .recognition import api_of, holds_schemas, looks_like
from .schemas import Place, SchemaSet, components, invalid

__all__ = ["Entry", "Granularity", "entries"]

Granularity = Literal["auto", "entrypoints", "definitions"]
"""``entrypoints``: what is marked ``x-entrypoint``, else the root of each document;
``definitions``: every definition by its name, and roots; ``auto``: the first, but definitions
where a document has no mark and its root alone asks for nothing."""

_CONTAINERS: Final = ("$defs", "definitions")
_SILENT: Final = frozenset(
    {
        *("$schema", "$id", "id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary"),
        *("$recursiveAnchor", "title", "description", "default", "examples", "deprecated"),
        *("readOnly", "writeOnly", *_CONTAINERS),
    }
)


class Entry(NamedTuple):
    """A schema that is compared; ``key`` is equal for the two that belong together."""

    key: str
    place: Place


class _Document(NamedTuple):
    uri: str
    root: Place
    marked: list[tuple[str, Place]]
    definitions: list[tuple[str, Place]]

    @property
    def asks(self) -> bool:
        """Whether the root says anything by itself."""
        value = self.root.value
        if api_of(value) is not None:
            return False
        if not isinstance(value, dict):
            return True
        known = self.root.resource.dialect.keywords | {"$ref", "$dynamicRef", "$recursiveRef"}
        return any(name in known and name not in _SILENT for name in value)


def entries(
    old: tuple[Source, SchemaSet, dict[str, Place]],
    new: tuple[Source, SchemaSet, dict[str, Place]],
    granularity: Granularity = "auto",
) -> tuple[dict[str, Place], dict[str, Place]]:
    """Return what is compared on both sides, by key, in the order of the documents.

    Raises UsageError ``usage/invalid-argument`` where one side is a document and the other many.
    """
    if old[0].texts and new[0].texts and old[0].single != new[0].single:
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                "One document cannot be compared with a folder",
                expected="two files, two folders, two contract versions, or a family of each",
                actual=f"{old[0].name} and {new[0].name}",
            )
        )
    sides = [_documents(*side) for side in (old, new)]
    marks = any(document.marked for side in sides for document in side.values())
    by_mark = marks and granularity != "definitions"
    results: list[dict[str, Place]] = []
    for side, other in ((sides[0], sides[1]), (sides[1], sides[0])):
        result = dict(_marked(side)) if by_mark else {}
        for uri, document in () if by_mark else side.items():
            twins = [document, other[uri]] if uri in other else [document]
            asks = any(twin.asks for twin in twins)
            has_parts = any(twin.definitions for twin in twins)
            parts = granularity == "definitions" or (granularity == "auto" and not asks)
            parts = parts or api_of(document.root.value) is not None
            result.update(_of_document(document, parts, asks or not (parts and has_parts)))
        results.append(result)
    return results[0], results[1]


def _documents(
    source: Source, schemas: SchemaSet, places: dict[str, Place]
) -> dict[str, _Document]:
    found = {}
    for text in source.meant() if source.texts else []:
        root = places[text.uri]
        definitions = _definitions(schemas, root)
        if not definitions and (source.single or not holds_schemas(root.value)):
            _refuse_data(root)
        marked = [
            (name, place)
            for name, place in definitions
            if isinstance(place.value, dict) and place.value.get("x-entrypoint") is True
        ]
        found[text.uri] = _Document(text.uri, root, marked, definitions)
    return found


def _refuse_data(root: Place) -> None:
    """Refuse a document that is not a schema. Raises CompatError."""
    api = api_of(root.value)
    name = f"{api.name} without schemas among its components" if api else looks_like(root.value)
    if name is not None:
        raise invalid(
            root,
            f"This is not a schema, but looks like {name}",
            expected="an object with a keyword of JSON Schema at its root, such as type or $schema",
            actual=name,
        )


def _definitions(schemas: SchemaSet, root: Place) -> list[tuple[str, Place]]:
    """Return the definitions of a document, and those of definitions as ``Outer/Inner``.

    Whatever its draft calls the member that holds them, they go by name; where two of one name
    are held by both members, the second one goes by ``definitions/Name``.
    """
    named = dict(components(schemas, root) or _held_by(schemas, root, {}))
    level = named
    while level:
        below: dict[str, Place] = {}
        for name, place in level.items():
            taken = {**named, **below}
            below.update(_held_by(schemas, place, taken, f"{name}/"))
        named.update(below)
        level = below
    return list(named.items())


def _held_by(
    schemas: SchemaSet, place: Place, taken: Mapping[str, Place], head: str = ""
) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for container in _CONTAINERS:
        held = place.value.get(container) if isinstance(place.value, dict) else None
        for name, value in held.items() if isinstance(held, dict) else ():
            if not isinstance(value, (dict, bool)):
                continue
            key = f"{head}{name}"
            if key in taken or key in found:
                key = f"{head}{container}/{name}"
            while key in taken or key in found:  # names may hold slashes
                key = f"{head}{container}/{key}"
            found[key] = schemas.child(place, container, name)
    return found


def _marked(side: dict[str, _Document]) -> Iterator[Entry]:
    """Name types by their folder, not by their file: a type that moves next door stays itself."""
    named = [
        (_in_folder(document.uri, name), f"{document.uri}#{name}", place)
        for document in side.values()
        for name, place in document.marked
    ]
    counts = Counter(short for short, _, _ in named)
    for short, long, place in named:
        yield Entry(short if counts[short] == 1 else long, place)


def _in_folder(uri: str, name: str) -> str:
    folder = PurePosixPath(uri).parent.as_posix()
    return name if uri == SINGLE or folder == "." else f"{folder}.{name}"


def _of_document(document: _Document, parts: bool, root: bool) -> Iterator[Entry]:
    head = "" if document.uri == SINGLE else document.uri
    if root:
        yield Entry(head or "#", document.root)
    for name, place in document.definitions if parts else ():
        yield Entry(f"{head}#{name}", place)
