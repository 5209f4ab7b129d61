"""The second and third opinion: two validators that share no code with the prover, nor each other.

Both come with the extra ``compat`` and are imported late.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from threading import local
from typing import Any, Final
from urllib.parse import quote

from ...errors import Finding
from ...json.pointer import escape_pointer
from ..patterns.automata import Undecided, matches
from ..patterns.regex import RegexError, parse_regex, to_python
from ..sources.dialects import DIALECTS, Dialect
from ..sources.schemas import CompatError, Place, SchemaSet, library

__all__ = ["Failure", "Oracle", "check_schema", "spelled_for_python", "spelled_for_rust"]


# --- schemas spelled for the two validators -------------------------------------------------------

_VALUES: Final = frozenset({"const", "enum", "default", "examples"})
_SAID_ONLY: Final = ("contentEncoding", "contentMediaType")

Change = Callable[[dict[str, Any], dict[str, Any]], None]
"""Changes the copy of one schema object, given the object."""


def spelled_for_python(
    root: Any,
    dialect: Dialect,
    *,
    keep_dialect: bool,
    crawled: bool,
    spelled: dict[str | int, str],
) -> Any:
    """Return a copy that means to jsonschema what ECMA 262 and the draft say.

    The names of patternProperties are rewritten: ``spelled`` gets the names that they had, by
    those that they have. ``keep_dialect``: leave ``$schema`` where it is;
    jsonschema goes on with its own class where it meets one, which reads patterns as Python
    does, so that only documents of mixed drafts keep it. ``crawled``: it will look for ids in
    all of the document, and fall over the list of a dependency.
    """

    def change(copy: dict[str, Any], schema: dict[str, Any]) -> None:
        patterns = copy.get("patternProperties")
        if isinstance(patterns, dict):
            renamed = {_python_pattern(name): name for name in patterns}
            spelled.update(renamed)
            copy["patternProperties"] = {new: patterns[name] for new, name in renamed.items()}
        if not keep_dialect and isinstance(schema.get("$schema"), str):
            del copy["$schema"]
        if isinstance(schema.get("items"), bool):
            # jsonschema 4.26 does not get past it where unevaluatedItems of 2019-09 asks for it.
            copy["items"] = {} if schema["items"] else {"not": {}}
        if crawled and dialect.year < 2019 and isinstance(copy.get("dependencies"), dict):
            copy["dependencies"] = {
                name: {"required": needed} if isinstance(needed, list) else needed
                for name, needed in copy["dependencies"].items()
            }
        if dialect.year == 2019 and isinstance(schema.get("additionalProperties"), dict):
            # It takes the keywords there for the names that are evaluated: say that all are.
            others = copy.setdefault("allOf", [])
            if isinstance(others, list):
                others.append({"patternProperties": {"": {}}})

    return _copy(root, dialect, change)


def spelled_for_rust(root: Any, dialect: Dialect) -> Any:
    """Return a copy that means to jsonschema-rs what the draft says.

    It decodes the strings that draft-06 and draft-07 only describe.
    """

    def change(copy: dict[str, Any], _schema: dict[str, Any]) -> None:
        for keyword in _SAID_ONLY:
            copy.pop(keyword, None)

    copy = _copy(root, dialect, change)
    if isinstance(copy, dict) and "$schema" not in copy:
        return {"$schema": dialect.uri + ("" if dialect.year >= 2019 else "#"), **copy}
    return copy


def _copy(value: Any, dialect: Dialect, change: Change) -> Any:
    """Copy a schema, or what a reference may lead into though no keyword of the draft holds it."""
    if isinstance(value, list):
        return [_copy(item, dialect, change) for item in value]
    if not isinstance(value, dict):
        return value
    copy: dict[str, Any] = {}
    for keyword, part in value.items():
        if keyword in _VALUES:
            copy[keyword] = part
        elif dialect.subschemas(keyword, part) == "map":
            copy[keyword] = {name: _copy(schema, dialect, change) for name, schema in part.items()}
        else:
            copy[keyword] = _copy(part, dialect, change)
    if isinstance(copy.get("$ref"), str):
        copy["$ref"] = _as_uri(copy["$ref"])
    change(copy, value)
    return copy


def _as_uri(reference: str) -> str:
    """Return a reference whose fragment is one of a URI; "#/definitions/A<B>" is none."""
    uri, hash_sign, fragment = reference.partition("#")
    return uri + hash_sign + quote(fragment, safe="%/?!$&'()*+,;=:@~")


def _python_pattern(pattern: str) -> str:
    """Return a pattern of ECMA 262 as Python spells it, or as it is where that cannot be."""
    try:
        return to_python(parse_regex(pattern))
    except RegexError:
        return pattern


# --- the validators -------------------------------------------------------------------------------

_NAMES = {
    "draft-04": ("Draft4Validator", "DRAFT4"),
    "draft-06": ("Draft6Validator", "DRAFT6"),
    "draft-07": ("Draft7Validator", "DRAFT7"),
    "2019-09": ("Draft201909Validator", "DRAFT201909"),
    "2020-12": ("Draft202012Validator", "DRAFT202012"),
}

Failure = dict[str, str]
"""Why a value is invalid: ``instance``, ``document`` and ``schema``, ``keyword`` and ``message``.

``instance`` is a pointer into the value; ``schema`` is one to the keyword, in the
``document`` of the set that holds it: a URI, as of ``place.resource.document``."""

_MAX_REFERENCES = 32
_MAX_FOLLOWED = 4_000
"""How many references may be followed for a document, and for each value in it besides: schemas
that refer to one another twice over are followed as often as there are ways."""
_FOLLOWED_FOR_EACH = 100
_following = local()


@cache
def _meta_validator(dialect: str) -> Any:
    schema = {"$ref": _uri_of(dialect)}
    validator = getattr(library("jsonschema_rs"), _NAMES[dialect][0])
    # A format is an annotation: "#/definitions/A<B>" is not a URI reference, and leads somewhere.
    return validator(schema, validate_formats=False)


def _uri_of(dialect: str) -> str:
    found = DIALECTS[dialect]
    return found.uri if found.year >= 2019 else found.uri + "#"


def check_schema(place: Place) -> None:
    """Refuse a document that its draft's meta-schema refuses, with the deepest place of it."""
    validator = _meta_validator(place.resource.dialect.name)
    if validator.is_valid(place.value):
        return
    errors = sorted(validator.iter_errors(place.value), key=lambda e: -len(e.instance_path))
    error = errors[0]
    raise CompatError(
        Finding(
            "compat/invalid-schema",
            "The draft's own schema refuses this",
            pointer=place.pointer + _pointer(error.instance_path),
            expected=f"a schema of {place.resource.dialect.name}",
            actual=str(error.message)[:80],
            source=place.resource.document or None,
        )
    )


def _pointer(path: Any) -> str:
    return "".join(f"/{escape_pointer(str(step))}" for step in path)


class Oracle:
    """Validates documents against one place of a set, by jsonschema and by jsonschema-rs."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas
        self._spelled: dict[str | int, str] = {}
        self._made: dict[tuple[str, str], tuple[Any, Any]] = {}
        self._registries: tuple[Any, Any] | None = None
        self._endless: set[tuple[str, str]] = set()

    def agree(self, place: Place, document: Any) -> bool | None:
        """Return what both say, None where they differ or one of them gives up."""
        key = place.resource.uri, place.pointer
        if key in self._endless:
            return None
        try:
            python, rust = self._validators(place)
            _begin(document)
            said = python.is_valid(document)
            return said if bool(rust.is_valid(document)) is said else None
        except _EndlessError:
            self._endless.add(key)
            return None
        except Exception:  # noqa: BLE001  # a validator that gives up confirms nothing
            return None
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            return None  # so does one that falls over

    def failures(self, place: Place, document: Any) -> list[Failure]:
        """Return why a document is invalid, deepest first; as jsonschema says it."""
        python, _ = self._validators(place)
        _begin(document)
        found: list[Failure] = []
        for error in _told(python.iter_errors(document)):
            where = self._locate(place, list(error.absolute_schema_path))
            failure = {
                "instance": _pointer(error.absolute_path),
                "document": where.resource.document,
                "schema": where.pointer,
                "keyword": str(error.validator),
                "message": str(error.message)[:200],
            }
            found.append(failure)
        return sorted(found, key=lambda failure: -failure["instance"].count("/"))

    def _locate(self, place: Place, path: list[Any]) -> Place:
        """Return where a keyword is; a path of jsonschema's leaves references out."""
        here = place
        for step in path:
            name = self._spelled[step] if step in self._spelled else step  # noqa: SIM401
            for _ in range(_MAX_REFERENCES):
                if not isinstance(here.value, dict) or name in here.value:
                    break
                reference = here.value.get("$ref", here.value.get("$dynamicRef"))
                if not isinstance(reference, str):
                    break
                here = self._schemas.resolve(here, reference)
            try:
                here = self._schemas.child(here, name)
            except (KeyError, IndexError, TypeError):
                break
        return here

    def _validators(self, place: Place) -> tuple[Any, Any]:
        resource = place.resource
        key = (resource.uri, place.pointer)
        if key not in self._made:
            self._made[key] = self._make(place)
        return self._made[key]

    def _make(self, place: Place) -> tuple[Any, Any]:
        dialect = place.resource.dialect
        name = _NAMES[dialect.name][0]
        if self._registries is None:
            self._registries = self._build_registries()
        python_registry, rust_registry = self._registries
        target = {"$ref": _absolute(_document_uri(place)) + "#" + _fragment(place.pointer)}
        python = _python_class(name)(target, registry=python_registry)
        rust = getattr(library("jsonschema_rs"), name)(
            target, registry=rust_registry, ignore_unknown_formats=True, validate_formats=False
        )
        return python, rust

    def _build_registries(self) -> tuple[Any, Any]:
        referencing = library("referencing")
        specifications = library("referencing.jsonschema")
        known = library("jsonschema_specifications").REGISTRY
        rust_package = library("jsonschema_rs")
        pairs = []
        resources = []
        every = list(self._schemas.resources.values())
        mixed = len({resource.dialect.name for resource in every}) > 1
        crawled = bool(self._schemas.anchors) or any(resource.pointer for resource in every)
        # Only now: references may have brought in a draft's own schema.
        for uri, resource in self._schemas.resources.items():
            if resource.pointer:
                continue
            name, root, dialect = _absolute(uri), resource.root, resource.dialect
            specification = getattr(specifications, _NAMES[dialect.name][1])
            contents = spelled_for_python(
                root, dialect, keep_dialect=mixed, crawled=crawled, spelled=self._spelled
            )
            resources.append((name, referencing.Resource.from_contents(contents, specification)))
            pairs.append((name, spelled_for_rust(root, dialect)))
        return known.with_resources(resources), rust_package.Registry(pairs)


def _document_uri(place: Place) -> str:
    return place.resource.uri if place.resource.pointer == "" else place.resource.document


def _absolute(uri: str) -> str:
    """A name that both validators take for a base URI."""
    return uri if ":" in uri else f"https://partwire.invalid/{uri.lstrip('/')}"


def _fragment(pointer: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415

    return quote(pointer, safe="/~!$&'()*+,;=:@")


@cache
def _python_class(name: str) -> Any:
    """jsonschema's validator of a draft, but with ECMA's patterns, in linear time.

    Of a schema that demands itself once more it asks nothing more, as jsonschema-rs does.
    """
    package = library("jsonschema")
    base = getattr(package, name)
    keywords = {
        keyword: _once(base.VALIDATORS[keyword])
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef")
        if keyword in base.VALIDATORS
    }
    keywords["pattern"] = _pattern_keyword(package)
    return package.validators.extend(base, keywords)


class _EndlessError(RecursionError):
    """More references were followed than anybody waits for."""


def _begin(document: Any) -> None:
    """Count the references that are followed from here on."""
    size = 0
    stack = [document]
    while stack:
        part = stack.pop()
        size += 1
        if isinstance(part, (dict, list)):
            stack.extend(part.values() if isinstance(part, dict) else part)
    _following.left = _MAX_FOLLOWED + _FOLLOWED_FOR_EACH * size


def _once(reference: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """A reference that is not followed while it is being followed, for the same value."""
    asked = local()

    def followed(validator: Any, target: Any, instance: Any, schema: Any) -> Iterator[Any]:
        under_way: set[tuple[int, int]] = asked.__dict__.setdefault("under_way", set())
        question = id(schema), id(instance)
        if question in under_way:
            return
        under_way.add(question)
        _following.left = getattr(_following, "left", _MAX_FOLLOWED) - 1
        if _following.left < 0:
            raise _EndlessError
        try:
            yield from reference(validator, target, instance, schema) or ()
        finally:
            under_way.discard(question)

    return followed


def _pattern_keyword(jsonschema: Any) -> Callable[..., Iterator[Any]]:
    def pattern(_validator: Any, expression: str, instance: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(instance, str):
            try:
                found = matches(expression, instance)
            except Undecided as error:
                raise ValueError(str(error)) from None
            if not found:
                yield jsonschema.ValidationError(f"{instance!r} does not match {expression!r}")

    return pattern


def _told(errors: Any) -> Iterator[Any]:
    """Yield errors until the validator gives up, as it may on a pattern that it cannot read."""
    try:
        yield from _leaves(errors)
    except (ValueError, RecursionError, re.error):
        return


def _leaves(errors: Any) -> Iterator[Any]:
    for error in errors:
        if error.context:
            yield from _leaves(error.context)
        else:
            yield error
