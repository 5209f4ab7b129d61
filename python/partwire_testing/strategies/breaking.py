"""Documents that are wrong in one place, with the finding that they have to give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_rules
from partwire.contract.versions import parse_type
from partwire.errors import Severity
from partwire.json.pointer import escape_pointer

from ..conformance.drawn.meaning import at
from ..conformance.drawn.schemas import (
    Schema,
    at_least_one_of,
    definitions,
    exactly_one_groups,
    member_of_union,
    resolve,
    tag_name,
)
from .documents import documents

__all__ = ["BrokenDocument", "broken_documents"]


class BrokenDocument(NamedTuple):
    """A document of which something is to be said: a finding of this rule at this pointer."""

    document: Any
    rule: str
    pointer: str


class _Gone:
    """Stands for no value at all."""


_GONE: Final = _Gone()
_WRONG: Final[dict[str, tuple[Any, ...]]] = {
    "string": (7, True, [], {}),
    "integer": ("7", True, []),
    "number": ("7", False, {}),
    "boolean": ("true", 1),
    "array": ({}, "", 0),
    "object": ([], "", 0),
}
_NO_TAG: Final = "no such"

Path = tuple[str | int, ...]


class _Break(NamedTuple):
    """A change of a valid document: what is at ``path`` becomes ``new``."""

    rule: str
    pointer: str
    path: Path
    new: Any


def broken_documents(
    type: str,  # noqa: A002
    version: str = LATEST_VERSION,
    *,
    severity: Severity = "error",
) -> st.SearchStrategy[BrokenDocument]:
    """Return documents of a type that are wrong in one place, in shape or in meaning.

    Each is a valid document with one change, and says what has to be reported. They are refused;
    with the severity ``warning`` they are not, but are warned of: for types that have such rules.
    Raises UsageError for an unknown type or version.
    """
    name = parse_type(type, version)
    defs = definitions(name.family, name.version)
    whole = documents(type, version)

    @st.composite
    def draw_one(draw: st.DrawFn) -> BrokenDocument:
        document = draw(whole)
        found: dict[str, list[_Break]] = {}
        for each in _breaks(document, defs[name.name], defs, ()):
            if read_rules()[each.rule]["severity"] == severity:
                found.setdefault(each.rule, []).append(each)
        assume(found)
        # The rule first: a document has hundreds of members to forget, and one range to turn round.
        chosen = draw(st.sampled_from(found[draw(st.sampled_from(sorted(found)))]))
        broken = _changed(document, chosen.path, chosen.new)
        return BrokenDocument(broken, chosen.rule, chosen.pointer)

    return draw_one()


def _changed(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of ``value`` with another value at ``path``."""
    if not path:
        return new
    key, *rest = path
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[key] = _changed(copy[key], tuple(rest), new)
    elif isinstance(new, _Gone):
        del copy[key]
    else:
        copy[key] = new
    return copy


def _pointer(path: Path) -> str:
    return "".join(f"/{escape_pointer(str(each))}" for each in path)


def _breaks(
    value: Any, schema: Schema, defs: Mapping[str, Schema], path: Path, tag: str | None = None
) -> Iterator[_Break]:
    """Yield what may be broken of a valid ``value``; ``tag`` distinguishes it in a union."""
    schema = resolve(schema, defs)
    if "oneOf" in schema:
        yield from _union_breaks(value, schema, defs, path)
        return
    if not schema:  # anything is right there
        return
    yield from _type_breaks(schema["type"], path)
    yield from _inner_breaks(value, schema, defs, path, tag)


def _type_breaks(kind: str, path: Path) -> Iterator[_Break]:
    yield _Break("shape/null", _pointer(path), path, None)
    for wrong in _WRONG[kind]:
        yield _Break("shape/type", _pointer(path), path, wrong)


def _union_breaks(
    value: Any, schema: Schema, defs: Mapping[str, Schema], path: Path
) -> Iterator[_Break]:
    tag = tag_name(schema)
    variant = member_of_union(value, schema, defs)
    if tag is not None:
        yield from _type_breaks("object", path)
        place = (*path, tag)
        yield _Break("shape/unknown-variant", _pointer(place), place, _NO_TAG)
    else:  # another type may be another variant
        yield _Break("shape/null", _pointer(path), path, None)
        if "number" not in [resolve(each, defs).get("type") for each in schema["oneOf"]]:
            yield _Break("shape/union-type", _pointer(path), path, 7)
    yield from _inner_breaks(value, variant, defs, path, tag)


def _inner_breaks(
    value: Any, schema: Schema, defs: Mapping[str, Schema], path: Path, tag: str | None
) -> Iterator[_Break]:
    kind = schema["type"]
    if kind == "object":
        yield from _object_breaks(value, schema, defs, path, tag)
    elif kind == "array":
        if schema.get("minItems", 0):
            yield _Break("shape/min-items", _pointer(path), path, [])
        for index, item in enumerate(value):
            yield from _breaks(item, schema["items"], defs, (*path, index))
    elif kind in ("integer", "number"):
        yield from _number_breaks(schema, path)
    elif kind == "string":
        yield from _string_breaks(value, schema, path)


def _number_breaks(schema: Schema, path: Path) -> Iterator[_Break]:
    if schema["type"] == "integer":
        yield _Break("shape/integer", _pointer(path), path, 0.5)
    if "minimum" in schema:
        yield _Break("shape/minimum", _pointer(path), path, schema["minimum"] - 1)
    if "maximum" in schema:
        yield _Break("shape/maximum", _pointer(path), path, schema["maximum"] + 1)


def _string_breaks(value: str, schema: Schema, path: Path) -> Iterator[_Break]:
    pointer = _pointer(path)
    if "const" in schema:
        yield _Break("shape/const", pointer, path, _NO_TAG)
    if "enum" in schema:
        yield _Break("shape/enum", pointer, path, _NO_TAG)
    if schema.get("minLength", 0):
        yield _Break("shape/min-length", pointer, path, "")
    if "maxLength" in schema:
        yield _Break("shape/max-length", pointer, path, "x" * (schema["maxLength"] + 1))
    if "pattern" in schema:
        yield _Break("shape/pattern", pointer, path, value + "\n")


def _object_breaks(
    value: dict[str, Any], schema: Schema, defs: Mapping[str, Schema], path: Path, tag: str | None
) -> Iterator[_Break]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties")
    required = schema.get("required", ())
    for name, member in value.items():
        if name in required:
            yield _Break("shape/required", _pointer(path), (*path, name), _GONE)
        if name in properties and name != tag:
            yield from _breaks(member, properties[name], defs, (*path, name))
        elif name not in properties and others:
            yield from _breaks(member, others, defs, (*path, name))
    for group in exactly_one_groups(schema):
        for name in set(group) & set(value) - set(required):
            yield _Break("shape/exactly-one-of", _pointer(path), (*path, name), _GONE)
    any_of = set(at_least_one_of(schema)) & set(value)
    if len(any_of) == 1:
        yield _Break("shape/required", _pointer(path), (*path, *any_of), _GONE)
    for rule in schema.get("x-rules", ()):
        yield from _rule_breaks(value, schema, rule, path)


# --- meaning --------------------------------------------------------------------------------------


def _steps(pointer: str) -> Path:
    return tuple(pointer.split("/")[1:])


def _rule_breaks(
    value: dict[str, Any], schema: Schema, rule: Schema, path: Path
) -> Iterator[_Break]:
    base, name = _pointer(path), rule["rule"]
    if rule["op"] == "not-less":
        low, high = at(value, rule["than"]), at(value, rule["value"])
        if None not in (low, high) and low >= 1:
            place = (*path, *_steps(rule["value"]))
            yield _Break(name, base + rule["value"], place, low - 1)
    elif rule["op"] == "present-when":
        ((where, wanted),) = rule["when"].items()
        member = rule["member"][1:]
        if at(value, where) is wanted and member not in schema.get("required", ()):
            yield _Break(name, base, (*path, member), _GONE)
    elif isinstance(at(value, rule["items"]), list):
        yield from _item_breaks(value, rule, path)


def _item_breaks(value: dict[str, Any], rule: Schema, path: Path) -> Iterator[_Break]:
    base, name, pointer = _pointer(path), rule["rule"], rule["items"]
    place = (*path, *_steps(pointer))
    items: list[Any] = at(value, pointer)
    if rule["op"] == "tag-table":
        yield from _table_breaks(value, rule, path)
        return
    key = rule["key"]
    having = [n for n, item in enumerate(items) if at(item, key) is not None]
    if rule["op"] == "unique":
        where = rule.get("where", {})
        for n in having:
            if all(at(items[n], member) == wanted for member, wanted in where.items()):
                yield _Break(name, f"{base}{pointer}/{len(items)}{key}", place, [*items, items[n]])
        return
    for n in having if rule["op"] == "items-equal" else having[1:]:
        same = at(items[n], key)
        other = same[:-1] + ("1" if same.endswith("0") else "0")  # of the same form: ids are UUIDs
        yield _Break(name, f"{base}{pointer}/{n}{key}", (*place, n, *_steps(key)), other)


def _table_breaks(value: dict[str, Any], rule: Schema, path: Path) -> Iterator[_Break]:
    tag, pointer, inner = rule["tag"], rule["items"], f"/{rule['itemTag']}"
    kinds = [at(item, inner) for item in at(value, pointer)]
    for row, allowed in rule["table"].items():
        for n, kind in enumerate(kinds):
            if kind not in allowed:
                found = f"{_pointer(path)}{pointer}/{n}{inner}"
                yield _Break(rule["rule"], found, (*path, *_steps(tag)), row)
