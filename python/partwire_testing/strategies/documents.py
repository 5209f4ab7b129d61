"""Valid documents of every type, drawn after its schema: as JSON values, structs and models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION
from partwire.contract.versions import generated_module, parse_type
from partwire.extras import import_extra
from partwire.reading.pipeline import read_value

from ..conformance.drawn.meaning import at, settle
from ..conformance.drawn.schemas import (
    Schema,
    at_least_one_of,
    definitions,
    exactly_one_groups,
    resolve,
)
from .values import json_objects, json_values, member_names, texts

if TYPE_CHECKING:
    from pydantic import TypeAdapter
import base64
import re
from datetime import datetime, timedelta

__all__ = ["documents", "family_strategies", "models", "strings_of", "structs"]


# --- strings of a pattern: drawn as what they mean where that is known, else letter by letter -----

_START: Final = datetime(2000, 1, 1)
_SECONDS: Final = 365 * 24 * 3600
_DAYS: Final = datetime.max.toordinal()
_FRACTIONS: Final = ("", ".5", ".25", ".123456789", ".000")
_ZONES: Final = ("Z", "+00:00", "-11:30", "+23:59")
_EDGES: Final = ("0000-02-29T23:59:59.999999999-23:59", "9999-12-31T00:00:00Z")


def _time(number: int) -> str:
    """Return the time that a number stands for, 0 for the plainest.

    A time is one number and not a draw for each of its parts, since hypothesis leaves whole
    objects out of a failing case only where few draws are in them.
    """
    number, kind = divmod(number, 10)
    if kind == 9:
        return _EDGES[number % len(_EDGES)]
    number, fraction = divmod(number, len(_FRACTIONS))
    number, zone = divmod(number, len(_ZONES))
    if kind < 5:
        at = _START + timedelta(seconds=number % _SECONDS)
    else:
        at = datetime.min + timedelta(days=number % _DAYS, seconds=number % 86_400)
    return at.isoformat() + _FRACTIONS[fraction] + _ZONES[zone]


_times: Final = st.integers(0, 2**40).map(_time)


def _capitals(value: object) -> str:
    return str(value).upper()


_FORMS: Final[tuple[tuple[str, st.SearchStrategy[str]], ...]] = (
    ("2024-02-29T23:59:59.123456789+23:59", _times),
    ("0197c6f0-5A00-7000-8000-00000000000f", st.uuids().map(str) | st.uuids().map(_capitals)),
    ("0" * 62 + "0f", st.binary(min_size=32, max_size=32).map(bytes.hex)),
    ("AA+/", st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())),
)
"""A string that only one kind of pattern takes, and strings of this kind."""


@cache
def strings_of(pattern: str) -> st.SearchStrategy[str]:
    """Return strings that a pattern of a schema matches as a whole: ``^…$``."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        raise NotImplementedError(f"generate strings for {pattern} too")
    # Python's $ is before a line break at the end too, that of JSON Schema does not.
    whole = pattern[:-1] + r"\Z"
    for probe, strings in _FORMS:
        if re.match(whole, probe):
            return strings
    return st.from_regex(whole)


# --------------------------------------------------------------------------------------------------

_MAX_ITEMS: Final = 4  # more than the least: documents that people can read
_MAX_INTEGER: Final = 2**53 - 1

Strategy = st.SearchStrategy[Any]


def documents(
    type: str,  # noqa: A002
    version: str = LATEST_VERSION,
    *,
    unknown_members: bool = False,
) -> Strategy:
    """Return valid documents of a type, such as ``message.Message``, as JSON values.

    They are valid in shape and in meaning: :func:`partwire.validate` finds nothing. With
    ``unknown_members`` objects may have members that the type does not declare, as those of a
    newer peer do. Raises UsageError for an unknown type or version.
    """
    name = parse_type(type, version)
    return family_strategies(name.family, name.version, unknown_members).of_type(name.name)


def structs(type: str, version: str = LATEST_VERSION) -> Strategy:  # noqa: A002
    """Return valid values of a type as msgspec structs. Raises UsageError."""
    return documents(type, version).map(
        lambda document: read_value(document, type, version=version)
    )


def models(type: str, version: str = LATEST_VERSION) -> Strategy:  # noqa: A002
    """Return valid values of a type as pydantic models; wants the extra ``models``.

    Raises UsageError for an unknown type or version, and where pydantic is missing.
    """
    name = parse_type(type, version)
    pydantic = import_extra("pydantic", "models", "A model")
    model = getattr(generated_module(name.version, "models", name.family), name.name)
    adapter: TypeAdapter[Any] = pydantic.TypeAdapter(model)
    return documents(type, version).map(lambda document: adapter.validate_json(_text(document)))


def _text(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False)


@cache
def family_strategies(family: str, version: str, unknown_members: bool) -> FamilyStrategies:
    """Return the strategies of a family, made once: definitions refer to one another."""
    return FamilyStrategies(definitions(family, version), unknown_members)


class FamilyStrategies:
    """Strategies for the definitions of a bundle."""

    def __init__(self, defs: Mapping[str, Schema], unknown_members: bool = False) -> None:
        self.defs = defs
        self._unknown_members = unknown_members
        self._types: dict[str, Strategy] = {}

    def of_type(self, name: str) -> Strategy:
        """Return documents of a definition."""
        if name not in self._types:
            self._types[name] = st.deferred(lambda: self.of(self.defs[name]))
        return self._types[name]

    def of(self, schema: Schema) -> Strategy:
        """Return values of a schema."""
        if not schema:  # it asks for nothing
            return json_values
        if "$ref" in schema:
            return self.of_type(schema["$ref"].rpartition("/")[2])
        if not schema:
            return json_values
        if "oneOf" in schema:
            return st.one_of([self.of(each) for each in schema["oneOf"]])
        if "const" in schema:
            return st.just(schema["const"])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        makers: Mapping[str, Callable[[Schema], Strategy]] = {
            "string": _strings,
            "integer": _integers,
            "number": _numbers,
            "boolean": lambda _: st.booleans(),
            "array": self._arrays,
            "object": self._objects,
        }
        return makers[schema["type"]](schema)

    def _arrays(self, schema: Schema) -> Strategy:
        least = schema.get("minItems", 0)
        return st.lists(self.of(schema["items"]), min_size=least, max_size=least + _MAX_ITEMS)

    def _objects(self, schema: Schema) -> Strategy:
        others = schema.get("additionalProperties")
        if not schema.get("properties"):
            return self._maps(others)
        forms = [
            self._members(form, chosen if one is None else (*chosen, one))
            for form in _forms(schema, self.defs)
            for chosen in product(*exactly_one_groups(schema))
            for one in at_least_one_of(schema) or (None,)
        ]
        found = forms[0] if len(forms) == 1 else st.one_of(forms)
        if others is not None or self._unknown_members:
            found = st.builds(_joined, found, _undeclared(schema["properties"]))
        return self._meant(found, schema)

    def _maps(self, others: Schema | None) -> Strategy:
        if not others:
            return json_objects
        return st.dictionaries(member_names, self.of(others), max_size=_MAX_ITEMS)

    def _members(self, schema: Schema, chosen: tuple[str, ...]) -> Strategy:
        """Return objects of the declared members; of each group only the chosen one."""
        required = {*schema.get("required", ()), *chosen}
        left_out = {name for group in exactly_one_groups(schema) for name in group} - required
        members = {
            name: self.of(each)
            for name, each in schema["properties"].items()
            if name not in left_out
        }
        return st.fixed_dictionaries(
            {name: each for name, each in members.items() if name in required},
            optional={name: each for name, each in members.items() if name not in required},
        )

    def _meant(self, found: Strategy, schema: Schema) -> Strategy:
        """Return objects that follow the meaning rules of their type too."""
        rules = schema.get("x-rules", ())
        asked = [rule for rule in rules if rule["op"] == "present-when"]
        if asked:
            found = self._with_asked(found, schema, asked)
        return found.map(lambda made: _settled(made, schema)) if rules else found

    def _with_asked(self, found: Strategy, schema: Schema, rules: list[Any]) -> Strategy:
        """Return objects with the members that the value of another one asks for."""
        members = {
            rule["member"][1:]: self.of(schema["properties"][rule["member"][1:]]) for rule in rules
        }

        @st.composite
        def complete(draw: st.DrawFn) -> dict[str, Any]:
            made: dict[str, Any] = draw(found)
            for rule in rules:
                ((where, wanted),) = rule["when"].items()
                name = rule["member"][1:]
                if at(made, where) is wanted and name not in made:
                    made[name] = draw(members[name])
            return made

        return complete()


def _undeclared(declared: Mapping[str, Schema]) -> Strategy:
    """Return objects of members that nobody declared: a drawn name may be that of one, "usage"."""
    return json_objects.map(
        lambda free: {name: value for name, value in free.items() if name not in declared}
    )


def _joined(declared: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    return others | declared


def _settled(made: dict[str, Any], schema: Schema) -> dict[str, Any]:
    settle(made, schema)
    return made


def _forms(schema: Schema, defs: Mapping[str, Schema]) -> Iterator[Schema]:
    """Yield a schema once for every row of its tag table, with the items that the row allows."""
    tables = [rule for rule in schema.get("x-rules", ()) if rule["op"] == "tag-table"]
    if not tables:
        yield schema
    for rule in tables:
        tag, items = rule["tag"][1:], rule["items"][1:]
        array = schema["properties"][items]
        variants = resolve(array["items"], defs)["oneOf"]
        for value, row in rule["table"].items():
            allowed = [each for each in variants if _tag(each, rule["itemTag"], defs) in row]
            narrowed = {
                tag: {"const": value},
                items: {**array, "items": {"oneOf": allowed}},
            }
            yield {**schema, "properties": {**schema["properties"], **narrowed}}


def _tag(variant: Schema, tag: str, defs: Mapping[str, Schema]) -> Any:
    return resolve(resolve(variant, defs)["properties"][tag], defs)["const"]


def _strings(schema: Schema) -> Strategy:
    if "pattern" in schema:
        return strings_of(schema["pattern"])
    free = texts(schema.get("minLength", 0), schema.get("maxLength"))
    known = schema.get("x-known-values")
    return st.sampled_from(known) | free if known else free


def _integers(schema: Schema) -> Strategy:
    return st.integers(schema.get("minimum", -_MAX_INTEGER), schema.get("maximum", _MAX_INTEGER))


def _numbers(schema: Schema) -> Strategy:
    low, high = schema.get("minimum"), schema.get("maximum")
    whole = st.integers(
        -_MAX_INTEGER if low is None else int(low), _MAX_INTEGER if high is None else int(high)
    )
    return whole | st.floats(low, high, allow_nan=False, allow_infinity=False)
