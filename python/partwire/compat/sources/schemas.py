"""Schema documents by URI: dialects, embedded resources, anchors and references."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from ...errors import Finding, PartwireError, bad_argument, clip
from ...extras import import_extra
from ...json.pointer import escape_pointer, names
from .dialects import DIALECTS, Dialect, dialect_of_uri
from .recognition import api_of, holder_of, is_compared, is_wrapped

__all__ = ["CompatError", "Place", "Resource", "SchemaSet", "components", "invalid", "library"]

_MAX_DEPTH: Final = 200


class CompatError(PartwireError, ValueError):
    """What is not a schema, or refers to what is not there: no verdict is possible."""


class Resource(NamedTuple):
    """A schema with its own URI: a document, or a part of one that has ``$id``."""

    uri: str
    root: Any
    dialect: Dialect
    document: str
    pointer: str
    dynamic: frozenset[str]
    """Its dynamic anchors; of 2019-09 ``""`` stands for ``$recursiveAnchor: true``."""


class Place(NamedTuple):
    """A schema and where it is; ``pointer`` is into the document."""

    value: Any
    pointer: str
    resource: Resource

    def finding(self, rule: str, message: str, *, expected: str, actual: str) -> Finding:
        """Return a finding at this place."""
        return Finding(
            rule,
            message,
            pointer=self.pointer,
            expected=expected,
            actual=actual,
            source=self.resource.document or None,
        )


def library(name: str) -> Any:
    """Import a module of the extra ``compat``. Raises UsageError ``usage/missing-extra``."""
    return import_extra(name, "compat", "A comparison of schemas")


def invalid(place: Place, message: str, *, expected: str, actual: object) -> CompatError:
    """Return the error that a schema is not one."""
    return CompatError(
        place.finding("compat/invalid-schema", message, expected=expected, actual=clip(actual))
    )


class SchemaSet:
    """Documents that may refer to one another.

    ``add`` them, then ``place`` the one to compare. Nothing is fetched: what a reference names
    has to be in the set, or be one of the drafts' own meta-schemas.
    """

    def __init__(self, *, dialect: str = "2020-12") -> None:
        """``dialect`` is that of documents without ``$schema``. Raises UsageError."""
        if dialect not in DIALECTS:
            raise bad_argument(
                "No such draft of JSON Schema",
                " or ".join(DIALECTS),
                dialect,
                "usage/unknown-dialect",
            )
        self.default = DIALECTS[dialect]
        self.resources: dict[str, Resource] = {}
        self.documents: dict[str, Any] = {}
        """The root of each document, by the name that places call it."""
        self.anchors: dict[tuple[str, str], Place] = {}
        self.parts: list[Place] = []
        """Schemas that are where no keyword holds them: each has to be one by itself."""
        self.orders: dict[tuple[str, str], tuple[str, str, str]] = {}
        """What places are ordered by, once it is known: see naming.order_of."""
        self._starts: dict[int, Resource] = {}

    def add(self, document: Any, uri: str = "") -> Place:
        """Add a parsed document and return it as a place.

        ``uri`` is how others refer to it if it has no ``$id``: a URI or a path. Raises CompatError
        ``compat/invalid-schema`` where it is not JSON, or its ``$schema`` names no draft.
        """
        copy = _copied(document, uri)
        dialect = self._dialect(copy, self.default, uri)
        own = copy.get(dialect.id_keyword) if isinstance(copy, dict) else None
        base = urldefrag(uri)[0]
        name = _split(base, own, (base, ""))[0] if isinstance(own, str) else base
        resource = self._register(copy, name, dialect, (base or name, ""))
        self.documents[base or name] = copy
        if base not in ("", name):
            self.resources.setdefault(base, resource)
        return Place(copy, "", resource)

    def alias(self, uri: str, place: Place) -> None:
        """Let references call a document by one more URI; the first that has it keeps it."""
        self.resources.setdefault(uri, place.resource)

    def _dialect(self, schema: Any, default: Dialect, source: str) -> Dialect:
        named = schema.get("$schema") if isinstance(schema, dict) else None
        if named is None:
            return default
        found = dialect_of_uri(named) if isinstance(named, str) else None
        if found is None:
            raise CompatError(
                Finding(
                    "compat/invalid-schema",
                    "$schema names no draft that is known",
                    pointer="/$schema",
                    expected=" or ".join(DIALECTS),
                    actual=clip(named),
                    source=source or None,
                )
            )
        return found

    def _register(self, root: Any, uri: str, dialect: Dialect, where: tuple[str, str]) -> Resource:
        resource = Resource(uri, root, dialect, *where, _dynamic_anchors(root, dialect))
        if uri in self.resources and self.resources[uri].root != root:
            raise invalid(
                Place(root, where[1], resource),
                "Two schemas have one URI",
                expected="a different URI for every schema",
                actual=uri,
            )
        self.resources[uri] = resource
        self._starts[id(root)] = resource
        self._scan(Place(root, where[1], resource))
        return resource

    def _scan(self, place: Place) -> None:
        """Register the anchors and embedded resources below a resource's root."""
        stack = [place]
        while stack:
            here = stack.pop()
            if not isinstance(here.value, dict):
                continue
            self._anchors(here)
            for keyword, value in here.value.items():
                children = self._subschemas(here, keyword, value)
                stack.extend(child for child in children if not self._embedded(child))

    def _subschemas(self, here: Place, keyword: str, value: Any) -> list[Place]:
        form = here.resource.dialect.subschemas(keyword, value)
        pointer = f"{here.pointer}/{escape_pointer(keyword)}"
        if form == "one":
            return [Place(value, pointer, here.resource)]
        if form == "list":
            return [Place(v, f"{pointer}/{n}", here.resource) for n, v in enumerate(value)]
        if form == "map":
            return [
                Place(v, f"{pointer}/{escape_pointer(n)}", here.resource) for n, v in value.items()
            ]
        return []

    def _embedded(self, child: Place) -> bool:
        """Register a schema that has its own URI; whether it has."""
        value, pointer, parent = child
        if not isinstance(value, dict):
            return False
        dialect = self._dialect(value, parent.dialect, parent.document)
        own = value.get(dialect.id_keyword)
        if not isinstance(own, str) or (dialect.ref_alone and "$ref" in value):
            return False
        name = _split(parent.uri, own, (parent.document, pointer))[0]
        if own.startswith("#") or name == parent.uri:
            return False
        self._register(value, name, dialect, (parent.document, pointer))
        return True

    def _anchors(self, here: Place) -> None:
        value, _, resource = here
        names = []
        if resource.dialect.year >= 2019:
            names = [value.get("$anchor"), value.get("$dynamicAnchor")]
        else:
            own = value.get(resource.dialect.id_keyword)
            if isinstance(own, str) and "#" in own:
                names = [own.partition("#")[2]]
        for name in names:
            if isinstance(name, str) and name:
                self.anchors.setdefault((resource.uri, name), here)

    def to_check(self) -> list[Place]:
        """Return every schema that its own draft has to allow: documents, and what speaks another.

        A part of another draft is in its document as ``{}``.
        """
        found = []
        for uri, resource in self.resources.items():
            parent = self.resources.get(resource.document)
            foreign = parent is None or parent.dialect != resource.dialect
            if uri == resource.uri and (resource.pointer == "" or foreign):
                root = self._masked(resource.root, resource.dialect, is_root=True)
                found.append(Place(root, resource.pointer, resource))
        return [*found, *self.parts]

    def _masked(self, value: Any, dialect: Dialect, *, is_root: bool = False) -> Any:
        start = self._starts.get(id(value))
        if start is not None and start.dialect != dialect and not is_root:
            return {}
        if isinstance(value, dict):
            return {name: self._masked(part, dialect) for name, part in value.items()}
        if isinstance(value, list):
            return [self._masked(part, dialect) for part in value]
        return value

    # --- references -------------------------------------------------------------------------

    def child(self, place: Place, *path: str | int) -> Place:
        """Return the schema that is below another."""
        value, pointer, resource = place
        for step in path:
            value = value[step]
            pointer += "/" + (escape_pointer(step) if isinstance(step, str) else str(step))
            resource = self._starts.get(id(value), resource)
        return Place(value, pointer, resource)

    def at(self, document: str, pointer: str) -> Place:
        """Return what is at a pointer into a document, as far as the document goes."""
        root = self.documents[document]
        here = Place(root, "", self._starts[id(root)])
        for name in names(pointer):
            step = int(name) if isinstance(here.value, list) and name.isdecimal() else name
            try:
                here = self.child(here, step)
            except (KeyError, IndexError, TypeError):
                break
        return here

    def resolve(self, place: Place, reference: str) -> Place:
        """Return what a reference at a place leads to.

        Raises CompatError ``compat/dangling-reference`` where that is nothing.
        """
        at = place.resource.document, place.pointer
        uri, fragment = _split(place.resource.uri, reference, at)
        resource = self.resources.get(uri)
        if resource is None:
            resource = self._known(uri)
        if resource is None:
            raise _dangling(place, reference, "no document of that URI")
        start = Place(resource.root, resource.pointer, resource)
        fragment = unquote(fragment)
        if not fragment:
            return start
        if not fragment.startswith("/"):
            found = self.anchors.get((uri, fragment))
            found = found or self.anchors.get((resource.uri, fragment))
            if found is None:
                raise _dangling(place, reference, "no anchor of that name")
            return found
        return self._walk(start, fragment, place, reference)

    def _walk(self, start: Place, fragment: str, place: Place, reference: str) -> Place:
        here = start
        for name in names(fragment):
            step: str | int = name
            if isinstance(here.value, list) and name.isdecimal():
                step = int(name)
            try:
                here = self.child(here, step)
            except (KeyError, IndexError, TypeError):
                raise _dangling(place, reference, "nothing at that pointer") from None
        return here

    def _known(self, uri: str) -> Resource | None:
        """A draft's own meta-schema, which needs no adding."""
        if dialect_of_uri(uri) is None and not uri.startswith("https://json-schema.org/draft/"):
            return None
        registry = library("jsonschema_specifications").REGISTRY
        for known in (uri, uri + "#"):
            contents = registry.get(known)
            if contents is not None:
                self.add(contents.contents, uri)
                return self.resources[uri]
        return None


def components(schemas: SchemaSet, root: Place) -> list[tuple[str, Place]]:
    """Return the schemas of the components of a description of an API, by name.

    Raises CompatError ``compat/invalid-schema`` for one in a format that is not compared.
    """
    api = api_of(root.value)
    path = holder_of(api) if api else ()
    held: Any = root.value if api else None
    for step in path:
        held = held.get(step) if isinstance(held, dict) else None
    names = [name for name in held if isinstance(held[name], (dict, bool))] if held else []
    places = [schemas.child(root, *path, name) for name in names]
    if api and "AsyncAPI" in api.name:
        places = [_unwrapped(schemas, place) for place in places]
    return list(zip(names, places, strict=True))


def _unwrapped(schemas: SchemaSet, place: Place) -> Place:
    """Return the schema in an object that names its format. Raises CompatError."""
    if not is_wrapped(place.value):
        return place
    if not is_compared(place.value):
        raise invalid(
            place,
            "A schema in a format that is not compared",
            expected="JSON Schema draft-07, AsyncAPI or OpenAPI 3.0",
            actual=place.value["schemaFormat"],
        )
    return schemas.child(place, "schema")


def _split(base: str, reference: str, at: tuple[str, str]) -> tuple[str, str]:
    """Return URI and fragment of a reference; ``at`` is where it is: document and pointer."""
    try:
        joined = _join(base, reference)
        urlsplit(joined)
        uri, fragment = urldefrag(joined)
    except ValueError:  # what is in the brackets is not a host
        finding = Finding(
            "compat/invalid-schema",
            "A URI that nobody can read",
            pointer=at[1],
            expected="a URI, or a reference to one",
            actual=clip(reference),
            source=at[0] or None,
        )
        raise CompatError(finding) from None
    return uri, fragment


def _join(base: str, reference: str) -> str:
    if reference.startswith("#") or not reference:
        return base + reference
    return urljoin(base, reference)


def _dangling(place: Place, reference: str, why: str) -> CompatError:
    return CompatError(
        place.finding(
            "compat/dangling-reference",
            f"A reference leads nowhere: there is {why}",
            expected="a schema of the same document, or of one that was given",
            actual=clip(reference),
        )
    )


def _dynamic_anchors(root: Any, dialect: Dialect) -> frozenset[str]:
    """The dynamic anchors of one resource, those of resources inside it left out."""
    found: set[str] = set()
    stack = [(root, True)]
    while stack and dialect.year >= 2019:
        value, is_root = stack.pop()
        if not isinstance(value, dict) or ("$id" in value and not is_root):
            continue
        name = value.get("$dynamicAnchor")
        if isinstance(name, str):
            found.add(name)
        if is_root and value.get("$recursiveAnchor") is True:
            found.add("")
        for keyword, part in value.items():
            form = dialect.subschemas(keyword, part)
            if form:
                parts = {"one": [part], "list": part}.get(form) if form != "map" else part.values()
                stack.extend((child, False) for child in parts or ())
    return frozenset(found)


def _is_text(part: str) -> bool:
    """Whether a string has a form in UTF-8."""
    return part.isascii() or not any("\ud800" <= char <= "\udfff" for char in part)


def _copied(value: Any, source: str) -> Any:
    """A copy in which no part occurs twice; what is not JSON is refused."""

    def refuse(pointer: str, what: str, actual: object) -> CompatError:
        return CompatError(
            Finding(
                "compat/invalid-schema",
                f"A schema is a JSON document: {what}",
                pointer=pointer,
                expected="JSON",
                actual=clip(actual),
                source=source or None,
            )
        )

    def copy(part: Any, pointer: str, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise refuse("", f"nested deeper than {_MAX_DEPTH} levels", "a deeper one")
        if isinstance(part, Mapping):
            for name in part:
                if not isinstance(name, str) or not _is_text(name):
                    raise refuse(pointer, "names are strings", name)
            return {
                name: copy(member, f"{pointer}/{escape_pointer(name)}", depth + 1)
                for name, member in part.items()
            }
        if isinstance(part, (list, tuple)):
            return [copy(item, f"{pointer}/{n}", depth + 1) for n, item in enumerate(part)]
        if isinstance(part, float) and not isfinite(part):
            raise refuse(pointer, "numbers are finite", str(part))
        if part is not None and not isinstance(part, (bool, int, float, str)):
            raise refuse(pointer, "there is something else", part)
        if isinstance(part, str) and not _is_text(part):
            raise refuse(pointer, "half of a surrogate pair is not a character", part)
        return part

    return copy(value, "", 0)
