"""The contract model: what the schema files say, once, as plain frozen values.

The linter (:mod:`codegen.load`, :mod:`codegen.lint`) makes it; every own emitter reads it. A node
says what a value may be; a :class:`TypeDef` is a node with a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

COMMON = "common"


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a named type; ``file`` is relative to the version's folder."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class String:
    """A string; ``known_values`` and ``unknown_value`` make it an open vocabulary."""

    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    known_values: tuple[str, ...] = ()
    unknown_value: str | None = None


@dataclass(frozen=True, slots=True)
class Enum:
    """One of ``values``; ``safe_default`` is what tolerant reading makes of any other string."""

    values: tuple[str, ...]
    safe_default: str | None


@dataclass(frozen=True, slots=True)
class Const:
    """Exactly this string: the tag of a variant, or a fixed member."""

    value: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integral JSON number."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number; without bounds any one, of which an integer stays an integer."""

    minimum: int | float | None = None
    maximum: int | float | None = None

    @property
    def is_free(self) -> bool:
        """Whether any number will do: such a one is kept as it was written."""
        return self.minimum is None and self.maximum is None


@dataclass(frozen=True, slots=True)
class Boolean:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array of one kind of item."""

    items: Node
    min_items: int | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """An object with free keys and one kind of value."""

    values: Node


@dataclass(frozen=True, slots=True)
class Free:
    """Any JSON object; its members are nobody's business here."""


@dataclass(frozen=True, slots=True)
class FreeArray:
    """Any JSON array, whatever its items are."""


@dataclass(frozen=True, slots=True)
class Property:
    """A member of an object."""

    name: str
    node: Node
    required: bool


@dataclass(frozen=True, slots=True)
class Object:
    """An object with declared members; others are kept when ``extensible``, ignored when not."""

    properties: tuple[Property, ...]
    extensible: bool = False
    exactly_one: tuple[tuple[str, ...], ...] = ()
    at_least_one: tuple[str, ...] = ()

    def property(self, name: str) -> Property | None:
        """Return the declared member called ``name``."""
        return next((prop for prop in self.properties if prop.name == name), None)


@dataclass(frozen=True, slots=True)
class Union:
    """Objects distinguished by the constant in their member ``tag``; ``variants`` is tag → type."""

    tag: str
    variants: tuple[tuple[str, Ref], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Values distinguished by their JSON type alone."""

    members: tuple[Node, ...]


Node: TypeAlias = (
    Ref
    | String
    | Enum
    | Const
    | Integer
    | Number
    | Boolean
    | Array
    | Map
    | Free
    | FreeArray
    | Object
    | Union
    | Choice
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A meaning rule of a type: ``op`` names the check, ``args`` are its other members."""

    rule: str
    op: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TypeDef:
    """A named type: one ``$defs`` entry of one file."""

    name: str
    file: str
    node: Node
    description: str
    schema: Mapping[str, Any]
    entrypoint: bool = False
    reserved: bool = False
    transitions: Mapping[str, tuple[str, ...]] | None = None
    rules: tuple[Rule, ...] = ()
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """One family with the common types it uses; ``types`` is in order of definition."""

    name: str
    digest: str
    types: Mapping[str, TypeDef]

    def resolve(self, node: Node) -> Node:
        """Follow references until something else is there."""
        while isinstance(node, Ref):
            node = self.types[node.name].node
        return node

    def object_of(self, node: Node) -> Object:
        """Return the object behind ``node``; the linter has made sure that it is one."""
        found = self.resolve(node)
        assert isinstance(found, Object), node
        return found


@dataclass(frozen=True, slots=True)
class Contract:
    """One version of all families; ``severities`` is rule id → severity, from ``rules/``."""

    version: str
    digest: str
    families: Mapping[str, Family]
    severities: Mapping[str, str] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The version as a Python name: ``v0_1``."""
        return self.version.replace(".", "_")


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside ``node``."""
    match node:
        case Array(items=inner) | Map(values=inner):
            yield inner
        case Object(properties=properties):
            yield from (prop.node for prop in properties)
        case Union(variants=variants):
            yield from (ref for _, ref in variants)
        case Choice(members=members):
            yield from members
        case _:
            return


def snake(name: str) -> str:
    """Return ``name`` in snake_case: ``toolCallId`` → ``tool_call_id``."""
    out: list[str] = []
    for index, char in enumerate(name.replace("-", "_")):
        before = name[index - 1] if index else ""
        after = name[index + 1] if index + 1 < len(name) else ""
        word_start = char.isupper() and (
            before.islower() or before.isdigit() or (before.isupper() and after.islower())
        )
        if word_start:
            out.append("_")
        out.append(char.lower())
    return "".join(out)
