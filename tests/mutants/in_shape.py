"""Readers and validators that are wrong about what a document looks like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from tests.mutants.json_text import Place
from tests.mutants.mutant import fails
from tests.mutants.reader import Kept, Reader, Schema

# --- shape ------------------------------------------------------------------------------------


@fails("EVO-02")
class NothingIsRequired(Reader):
    """A known event of which a field is missing is taken."""

    def a_object(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_object(value, {**schema, "required": []}, at)


@fails("EVO-04")
class UnknownMembersAreRefused(Reader):
    """A member that is new is an error."""

    def a_object(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        yield from super().a_object(value, schema, at)
        if isinstance(value, dict) and any(self.member(schema, name) is None for name in value):
            yield "shape/type", at


@fails("SEC-08")
class UnknownMembersArePassedOn(Reader):
    """What nobody knows is written on to whoever reads next."""

    def written(self, value: Any, schema: Schema) -> Any:
        found = super().written(value, schema)
        if isinstance(value, dict) and not isinstance(value, Kept) and isinstance(found, dict):
            return {**value, **found}
        return found


@fails("EVO-11")
class ExtensionsAreLost(Reader):
    """Members of extensible objects that the schema does not name are dropped."""

    def member(self, schema: Schema, name: str) -> Schema | None:
        if schema.get("properties") and schema.get("additionalProperties") == {}:
            found: Schema | None = schema["properties"].get(name)
            return found
        return super().member(schema, name)


@fails("EVO-06")
class NullIsAbsentEverywhere(Reader):
    """A strict reader takes null for a member that is not there."""

    def shape(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return iter(()) if value is None else super().shape(value, schema, at)


@fails("EVO-06")
class NullIsNeverAbsent(Reader):
    """A tolerant reader refuses null for an optional member."""

    def relax_members(self, value: Any, schema: Schema, at: str, notes: list[Place]) -> Any:
        return super().relax_members(value, {**schema, "required": list(value)}, at, notes)


@fails("EVO-06")
class NullIsNotTold(Reader):
    """A null that is taken for nothing is not reported."""

    def read(self, data: bytes, *, tolerant: bool = False) -> tuple[Any, list[Place]]:
        value, notes = super().read(data, tolerant=tolerant)
        return value, [note for note in notes if note[0] != "read/null-as-absent"]


@fails("EVO-06")
class NullInFreeObjectsIsDropped(Reader):
    """Nulls are taken out of objects whose members are anybody's."""

    def written(self, value: Any, schema: Schema) -> Any:
        found = super().written(value, schema)
        if isinstance(found, dict) and not isinstance(found, Kept):
            return {name: member for name, member in found.items() if member is not None}
        return found


@fails("EVO-07")
class OtherSpellingsPass(Reader):
    """Names in snake_case are read as if they were in camelCase."""

    def loads(self, text: str) -> Any:
        return self.renamed(super().loads(text))

    def renamed(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.renamed(each) for each in value]
        if not isinstance(value, dict):
            return value
        names = {re.sub("_([a-z])", lambda m: m[1].upper(), name): name for name in value}
        known = {name for each in self.defs.values() for name in each.get("properties", {})}
        return {
            (new if new in known and old not in known else old): self.renamed(value[old])
            for new, old in names.items()
        }


@fails("EVO-08")
class NumbersHaveNoBounds(Reader):
    """Bounds of numbers are not looked at."""

    def a_number(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        bounds = ("minimum", "maximum")
        free = {name: member for name, member in schema.items() if name not in bounds}
        return super().a_number(value, free, at)


@fails("EVO-08")
class IntegersAreSmall(Reader):
    """Integers end at 32 bits."""

    def a_integer(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_integer(value, {**schema, "maximum": 2**31 - 1}, at)


@fails("EVO-08")
class TrueIsANumber(Reader):
    """The value true counts as 1."""

    def a_number(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_number(int(value) if isinstance(value, bool) else value, schema, at)


@fails("EVO-09")
class IntegersHaveNoFraction(Reader):
    """The number 1.0 is refused, which another language cannot tell from 1."""

    def a_integer(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        if isinstance(value, float):
            yield "shape/integer", at
        else:
            yield from super().a_integer(value, schema, at)


@fails("EVO-08")
class FractionsAreCut(Reader):
    """An integer with a fraction is cut."""

    def a_integer(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_integer(int(value) if isinstance(value, float) else value, schema, at)


@fails("EVO-12")
class TheDollarOfPython(Reader):
    """A pattern's end matches before a final line feed, as one validator has it."""

    def matches(self, pattern: str, value: str) -> bool:
        return re.search(pattern, value) is not None


@fails("EVO-12")
class PatternsAreNotChecked(Reader):
    """Patterns are taken for notes."""

    def matches(self, pattern: str, value: str) -> bool:
        return True


@fails("EVO-09")
class DigitsOfAnyScript(Reader):
    """A pattern's digits match those of other scripts."""

    def matches(self, pattern: str, value: str) -> bool:
        return super().matches(pattern, unicodedata.normalize("NFKC", value))


@fails("TCI-02")
class EmptyIdsPass(Reader):
    """An empty id is an id."""

    def a_string(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_string(value, {**schema, "minLength": 0}, at)


@fails("EVO-07")
class WordsFoldCase(Reader):
    """Values of enums are compared without regard to case."""

    def a_string(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        low = value.lower() if isinstance(value, str) and "enum" in schema else value
        return super().a_string(low if low in schema.get("enum", ()) else value, schema, at)


@fails("SEC-03")
class InheritedNamesAreKnown(Reader):
    """A tag that every object inherits, such as constructor, names a variant."""

    def tagged(self, value: Any, tagged: Schema, at: str) -> Iterator[Place]:
        tag = value.get(tagged["propertyName"]) if isinstance(value, dict) else None
        if tag in ("constructor", "toString", "__proto__", "hasOwnProperty"):
            return iter(())
        return super().tagged(value, tagged, at)


@fails("ARG-16")
class StringsAreObjects(Reader):
    """A string is taken where an object is asked for."""

    def a_object(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return iter(()) if isinstance(value, str) else super().a_object(value, schema, at)


@fails("EVO-12")
class EitherMayBeBoth(Reader):
    """Of two members of which one has to be there, both or none are taken."""

    def a_object(self, value: Any, schema: Schema, at: str) -> Iterator[Place]:
        return super().a_object(value, {**schema, "allOf": [], "anyOf": []}, at)
