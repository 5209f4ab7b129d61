"""From schemas to terms: what every keyword of every draft says, in one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ...errors import Finding
from ..patterns.regex import RegexError, parse_regex
from ..sources.schemas import CompatError, Place, Resource, SchemaSet, invalid
from .shapes import Shape, Shapes
from .terms import (
    FALSE,
    TRUE,
    AdditionalProperties,
    Contains,
    Enum,
    Item,
    Items,
    Literal,
    Maximum,
    MaxItems,
    MaxLength,
    MaxProperties,
    Minimum,
    MinItems,
    MinLength,
    MinProperties,
    MultipleOf,
    Opaque,
    Pattern,
    PatternProperty,
    Property,
    PropertyNames,
    Reference,
    Required,
    Term,
    Terms,
    Type,
    UniqueItems,
    UnlinkedItems,
    UnlinkedProperties,
)
from .values import TYPES, exact, freeze

__all__ = ["Compiler", "Context", "Scope", "endless", "entered", "number_of", "whole_of"]


# --- one schema object ----------------------------------------------------------------------------

Scope = frozenset[tuple[str, str]]
"""Dynamic anchors that are bound, with the URI of the resource that binds them."""


@dataclass
class Context:
    """One schema object on its way into terms."""

    place: Place
    scope: Scope
    shape: Shape
    index: int
    parts: list[Literal]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema object."""
        value: dict[str, Any] = self.place.value
        return value

    @property
    def year(self) -> int:
        """The draft, as its year."""
        return self.place.resource.dialect.year


def number_of(value: Any) -> int | float:
    """Return a JSON number. Raises TypeError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(value)
    return value


def whole_of(value: Any) -> int:
    """Return a size. Raises TypeError or ValueError."""
    number = exact(number_of(value))
    if number.denominator != 1 or number < 0:
        raise ValueError(value)
    return number.numerator


def entered(scope: Scope, resource: Resource) -> Scope:
    """Return the scope inside a resource: it binds its dynamic anchors, unless one outside did."""
    new = resource.dynamic - {name for name, _ in scope}
    return scope | {(name, resource.uri) for name in new} if new else scope


def endless(place: Place) -> CompatError:
    """Return the error that what a schema says of a location hangs on what it says of it."""
    return CompatError(
        Finding(
            "compat/invalid-schema",
            "A schema applies to its own location by way of itself: it says nothing",
            pointer=place.pointer,
            expected="a reference that leads to a member or an item in between",
            source=place.resource.document or None,
        )
    )


# --- keywords -------------------------------------------------------------------------------------

_NOT_OBJECT: Final = tuple(sorted(set(TYPES) - {"object"}))


class Compiler:
    """Compiles places of one set of documents; equal parts of two sets become one term."""

    def __init__(self, schemas: SchemaSet, terms: Terms, shapes: Shapes) -> None:
        self.schemas = schemas
        self.terms = terms
        self.shapes = shapes
        self.bodies: dict[Any, Literal] = {}
        """What each recursive reference stands for."""
        self._done: dict[Any, tuple[Literal, int]] = {}
        self._open: dict[Any, int] = {}

    def compile(self, place: Place, scope: Scope = frozenset()) -> tuple[Literal, int]:
        """Return literal and shape of a schema. Raises CompatError."""
        scope = entered(scope, place.resource)
        key = (id(place.value), place.pointer, place.resource.uri, scope)
        if isinstance(place.value, bool):
            return (TRUE if place.value else FALSE), self.shapes.new(place)
        if key in self._done:
            return self._done[key]
        if key in self._open:
            index = self._open[key]
            self.bodies.setdefault((id(self), index), TRUE)
            return self.terms.make(Reference((id(self), index))), index
        if not isinstance(place.value, dict):
            raise invalid(
                place,
                "A schema is an object or a boolean",
                expected="an object, true or false",
                actual=place.value,
            )
        self._open[key] = index = self.shapes.new(place)
        context = Context(place, scope, self.shapes.all[index], index, [])
        self._keywords(context)
        literal = self.terms.all_of(context.parts)
        del self._open[key]
        if (id(self), index) in self.bodies:
            # To demand itself once more is to demand nothing more.
            again = self.terms.make(Reference((id(self), index)))
            if literal == again:
                raise endless(place)
            literal = self.terms.all_of(set(self.terms.conjuncts(literal)) - {again})
            self.bodies[id(self), index] = literal
        self._done[key] = (literal, index)
        return literal, index

    def _keywords(self, context: Context) -> None:
        dialect = context.place.resource.dialect
        if dialect.ref_alone and "$ref" in context.schema:
            self._ref(context, context.schema["$ref"])
            return
        for keyword in _ORDER:
            if keyword not in context.schema:
                continue
            if keyword in dialect.keywords:
                handler = _HANDLERS[keyword]
                if keyword == "dependencies" and dialect.year >= 2019:
                    handler = Compiler._old_dependencies
                try:
                    handler(self, context, context.schema[keyword])
                except (TypeError, AttributeError, ValueError, OverflowError, KeyError) as error:
                    if isinstance(error, CompatError):
                        raise
                    raise invalid(
                        context.place,
                        f"{keyword} has a value that it cannot have",
                        expected=f"what the draft allows for {keyword}",
                        actual=context.schema[keyword],
                    ) from error

    def child(self, context: Context, *path: str | int) -> tuple[Literal, int]:
        """Compile a schema that is below the one in hand."""
        return self.compile(self.schemas.child(context.place, *path), context.scope)

    def in_place(self, context: Context, when: Literal | None, *path: str | int) -> Literal:
        """Compile a subschema for the same location; it counts where it and ``when`` hold."""
        literal, index = self.child(context, *path)
        if when is None:
            context.shape.unsettled.append(index)
        else:
            context.shape.subs.append((self.terms.all_of([when, literal]), index))
        return literal

    # --- references -----------------------------------------------------------------------

    def _ref(self, context: Context, reference: Any) -> None:
        if not isinstance(reference, str):
            raise invalid(
                context.place, "$ref is not a string", expected="a URI reference", actual=reference
            )
        self._apply(context, self.schemas.resolve(context.place, reference))

    def _apply(self, context: Context, target: Place) -> None:
        literal, index = self.compile(target, context.scope)
        context.shape.subs.append((TRUE, index))
        context.parts.append(literal)

    def _dynamic_ref(self, context: Context, reference: str) -> None:
        target = self.schemas.resolve(context.place, reference)
        anchor = reference.partition("#")[2]
        is_dynamic = (
            isinstance(target.value, dict)
            and bool(anchor)
            and target.value.get("$dynamicAnchor") == anchor
        )
        bound = dict(context.scope).get(anchor)
        if is_dynamic and bound is not None:
            target = self.schemas.anchors[bound, anchor]
        self._apply(context, target)

    def _recursive_ref(self, context: Context, reference: str) -> None:
        target = self.schemas.resolve(context.place, reference)
        bound = dict(context.scope).get("")
        if bound is not None and "" in target.resource.dynamic:
            resource = self.schemas.resources[bound]
            target = Place(resource.root, resource.pointer, resource)
        self._apply(context, target)

    # --- any type -----------------------------------------------------------------------------

    def _type(self, context: Context, value: Any) -> None:
        names = {value} if isinstance(value, str) else set(value)
        if not names <= {*TYPES, "integer"}:
            raise ValueError(value)
        if "integer" in names and "number" not in names:
            context.parts.append(self.terms.make(MultipleOf(exact(1))))
        names = {"number" if name == "integer" else name for name in names}
        context.parts.append(self.terms.make(Type(tuple(sorted(names)))))

    def _enum(self, context: Context, values: list[Any]) -> None:
        context.shape.listed = any(isinstance(value, dict) for value in values)
        context.parts.append(self.terms.make(Enum(frozenset(map(freeze, values)))))

    def _const(self, context: Context, value: Any) -> None:
        self._enum(context, [value])

    def _all_of(self, context: Context, values: list[Any]) -> None:
        for n in range(len(values)):
            literal, index = self.child(context, "allOf", n)
            context.shape.subs.append((TRUE, index))
            context.parts.append(literal)

    def _any_of(self, context: Context, values: list[Any]) -> None:
        literals = [self.in_place(context, TRUE, "anyOf", n) for n in range(len(values))]
        context.parts.append(self.terms.any_of(literals))

    def _one_of(self, context: Context, values: list[Any]) -> None:
        literals = [self.in_place(context, TRUE, "oneOf", n) for n in range(len(values))]
        context.parts.append(self.terms.one_of(literals))

    def _not(self, context: Context, value: Any) -> None:
        context.parts.append(-self.in_place(context, None, "not"))

    def _if(self, context: Context, value: Any) -> None:
        condition = self.in_place(context, TRUE, "if")
        for keyword, when in (("then", condition), ("else", -condition)):
            if keyword in context.schema:
                literal = self.in_place(context, when, keyword)
                context.parts.append(self.terms.any_of([-when, literal]))

    # --- numbers and strings ---------------------------------------------------------------

    def _bound(
        self,
        context: Context,
        kind: type[Minimum | Maximum],
        keyword: str,
        value: Any,
    ) -> None:
        strict = keyword.startswith("exclusive")
        if context.year < 2017:
            strict = context.schema.get("exclusive" + keyword.capitalize()) is True
        context.parts.append(self.terms.make(kind(exact(number_of(value)), strict)))

    def _lower(self, context: Context, value: Any) -> None:
        self._bound(context, Minimum, "minimum", value)

    def _upper(self, context: Context, value: Any) -> None:
        self._bound(context, Maximum, "maximum", value)

    def _exclusive_lower(self, context: Context, value: Any) -> None:
        self._bound(context, Minimum, "exclusiveMinimum", value)

    def _exclusive_upper(self, context: Context, value: Any) -> None:
        self._bound(context, Maximum, "exclusiveMaximum", value)

    def _multiple_of(self, context: Context, value: Any) -> None:
        if exact(number_of(value)) <= 0:
            raise ValueError(value)
        context.parts.append(self.terms.make(MultipleOf(exact(value))))

    def _pattern(self, context: Context, value: str) -> None:
        self.check_pattern(context, value)
        context.parts.append(self.terms.make(Pattern(value)))

    def check_pattern(self, context: Context, pattern: str) -> None:
        """Refuse a pattern that is not a regular expression."""
        try:
            parse_regex(pattern)
        except RegexError as error:
            raise invalid(
                context.place,
                f"A pattern is not a regular expression of ECMA 262: {error}",
                expected="a regular expression",
                actual=pattern,
            ) from None

    # --- arrays -----------------------------------------------------------------------------

    def _items(self, context: Context, value: Any) -> None:
        if isinstance(value, list) and context.year < 2020:
            for n in range(len(value)):
                self._item(context, "items", n)
            if "additionalItems" in context.schema:
                self._rest(context, "additionalItems", len(value))
            return
        start = len(context.schema.get("prefixItems", ())) if context.year >= 2020 else 0
        self._rest(context, "items", start)

    def _prefix_items(self, context: Context, value: list[Any]) -> None:
        for n in range(len(value)):
            self._item(context, "prefixItems", n)

    def _item(self, context: Context, keyword: str, n: int) -> None:
        literal, index = self.child(context, keyword, n)
        context.shape.prefix.append(index)
        context.parts.append(self.terms.make(Item(n, literal)))

    def _rest(self, context: Context, keyword: str, start: int) -> None:
        literal, index = self.child(context, keyword)
        context.shape.rest = index
        context.parts.append(self.terms.make(Items(start, literal)))

    def _contains(self, context: Context, value: Any) -> None:
        literal, index = self.child(context, "contains")
        least, most = 1, None
        if context.year >= 2019:
            least = whole_of(context.schema.get("minContains", 1))
            most = context.schema.get("maxContains")
        context.shape.contains.append((literal, index))
        # 2019-09 says it does not count as evaluated; the validators of that draft count it.
        context.shape.contains_evaluates = True
        limit = None if most is None else whole_of(most)
        context.parts.append(self.terms.make(Contains(literal, least, limit)))

    def _unique(self, context: Context, value: Any) -> None:
        if value is True:
            context.parts.append(self.terms.make(UniqueItems()))

    def _unevaluated_items(self, context: Context, value: Any) -> None:
        literal, index = self.child(context, "unevaluatedItems")
        context.shape.late_items = index
        context.parts.append(self.terms.make(UnlinkedItems(context.index, literal)))

    # --- objects ----------------------------------------------------------------------------

    def _properties(self, context: Context, value: dict[str, Any]) -> None:
        for name in value:
            literal, index = self.child(context, "properties", name)
            context.shape.props[name] = index
            context.parts.append(self.terms.make(Property(name, literal)))

    def _pattern_properties(self, context: Context, value: dict[str, Any]) -> None:
        for pattern in value:
            self.check_pattern(context, pattern)
            literal, index = self.child(context, "patternProperties", pattern)
            context.shape.patterns[pattern] = index
            context.parts.append(self.terms.make(PatternProperty(pattern, literal)))

    def _additional(self, context: Context, value: Any) -> None:
        literal, index = self.child(context, "additionalProperties")
        context.shape.others = index
        context.shape.open = True
        self._undeclared(context, literal)
        names = frozenset(context.schema.get("properties", ()))
        patterns = frozenset(context.schema.get("patternProperties", ()))
        context.parts.append(self.terms.make(AdditionalProperties(names, patterns, literal)))

    def _undeclared(self, context: Context, literal: Literal) -> None:
        """Note what a schema says of members that it does not declare."""
        context.shape.free = context.shape.free or literal == TRUE
        context.shape.mapped = context.shape.mapped or literal not in (TRUE, FALSE)

    def _required(self, context: Context, value: list[str]) -> None:
        context.shape.named.update(value)
        context.parts.extend(self.terms.make(Required(name)) for name in value)

    def _least(self, context: Context, value: Any) -> None:
        context.shape.least = whole_of(value)
        context.parts.append(self.terms.make(MinProperties(whole_of(value))))

    def _property_names(self, context: Context, value: Any) -> None:
        literal, _ = self.child(context, "propertyNames")
        context.parts.append(self.terms.make(PropertyNames(literal)))

    def _dependent_required(self, context: Context, value: dict[str, list[str]]) -> None:
        for name, others in value.items():
            context.shape.named.update((name, *others))
            needed = self.terms.all_of([self.terms.make(Required(other)) for other in others])
            context.parts.append(self.terms.any_of([-self.terms.make(Required(name)), needed]))

    def _dependent_schemas(self, context: Context, value: dict[str, Any]) -> None:
        for name in value:
            self._dependent_schema(context, "dependentSchemas", name)

    def _dependent_schema(self, context: Context, keyword: str, name: str) -> None:
        context.shape.named.add(name)
        present = self.terms.make(Required(name))
        is_object = self.terms.make(Type(("object",)))
        literal = self.in_place(context, self.terms.all_of([present, is_object]), keyword, name)
        other = self.terms.make(Type(_NOT_OBJECT))
        context.parts.append(self.terms.any_of([-present, other, literal]))

    def _dependencies(self, context: Context, value: dict[str, Any]) -> None:
        for name, needed in value.items():
            if isinstance(needed, list):
                self._dependent_required(context, {name: needed})
            else:
                self._dependent_schema(context, "dependencies", name)

    def _old_dependencies(self, context: Context, value: dict[str, Any]) -> None:
        """A keyword that later drafts dropped: some validators apply it, others do not.

        What holds whether or not they do is proved; what hangs on it stays open.
        """
        applied = self.terms.make(Opaque("dependencies"))
        for name, needed in value.items():
            context.shape.named.add(name)
            if isinstance(needed, list):
                context.shape.named.update(needed)
                demand = self.terms.all_of([self.terms.make(Required(other)) for other in needed])
            else:
                literal = self.in_place(context, None, "dependencies", name)
                other = self.terms.make(Type(_NOT_OBJECT))
                demand = self.terms.any_of([other, literal])
            present = self.terms.make(Required(name))
            context.parts.append(self.terms.any_of([-applied, -present, demand]))

    def _unevaluated_properties(self, context: Context, value: Any) -> None:
        literal, index = self.child(context, "unevaluatedProperties")
        context.shape.late = index
        self._undeclared(context, literal)
        context.parts.append(self.terms.make(UnlinkedProperties(context.index, literal)))


def _size(kind: Callable[[int], Term]) -> Callable[[Compiler, Context, Any], None]:
    def handler(compiler: Compiler, context: Context, value: Any) -> None:
        context.parts.append(compiler.terms.make(kind(whole_of(value))))

    return handler


_HANDLERS: Final[dict[str, Callable[[Compiler, Context, Any], None]]] = {
    "$ref": Compiler._ref,
    "$dynamicRef": Compiler._dynamic_ref,
    "$recursiveRef": Compiler._recursive_ref,
    "type": Compiler._type,
    "enum": Compiler._enum,
    "const": Compiler._const,
    "allOf": Compiler._all_of,
    "anyOf": Compiler._any_of,
    "oneOf": Compiler._one_of,
    "not": Compiler._not,
    "if": Compiler._if,
    "minimum": Compiler._lower,
    "maximum": Compiler._upper,
    "exclusiveMinimum": Compiler._exclusive_lower,
    "exclusiveMaximum": Compiler._exclusive_upper,
    "multipleOf": Compiler._multiple_of,
    "minLength": _size(MinLength),
    "maxLength": _size(MaxLength),
    "pattern": Compiler._pattern,
    "prefixItems": Compiler._prefix_items,
    "items": Compiler._items,
    "contains": Compiler._contains,
    "minItems": _size(MinItems),
    "maxItems": _size(MaxItems),
    "uniqueItems": Compiler._unique,
    "unevaluatedItems": Compiler._unevaluated_items,
    "properties": Compiler._properties,
    "patternProperties": Compiler._pattern_properties,
    "additionalProperties": Compiler._additional,
    "required": Compiler._required,
    "propertyNames": Compiler._property_names,
    "minProperties": Compiler._least,
    "maxProperties": _size(MaxProperties),
    "dependentRequired": Compiler._dependent_required,
    "dependentSchemas": Compiler._dependent_schemas,
    "dependencies": Compiler._dependencies,
    "unevaluatedProperties": Compiler._unevaluated_properties,
}
_ORDER: Final = tuple(_HANDLERS)
