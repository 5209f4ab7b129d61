"""From one schema to one node: every keyword is known here, or it is refused.

The dialect is small on purpose; ``schemas/dialect.schema.json`` says the same to editors.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypeGuard

from codegen import model as m
from codegen.patterns import PatternError, check_pattern
from codegen.problems import Problems, step

Schema: TypeAlias = Mapping[str, Any]
Position: TypeAlias = Literal["def", "property", "item", "member"]

ANNOTATIONS = frozenset({"title", "description", "examples"})
DEF_KEYWORDS = frozenset({"x-status", "x-entrypoint", "x-rules"})
KEYWORDS: dict[str, frozenset[str]] = {
    "$ref": frozenset({"$ref"}),
    "oneOf": frozenset({"oneOf", "discriminator", "x-transitions"}),
    "const": frozenset({"type", "const"}),
    "enum": frozenset({"type", "enum", "x-safe-default", "x-closed"}),
    "string": frozenset(
        {"type", "minLength", "maxLength", "pattern", "x-known-values", "x-unknown-value"}
    ),
    "integer": frozenset({"type", "minimum", "maximum"}),
    "number": frozenset({"type", "minimum", "maximum"}),
    "boolean": frozenset({"type"}),
    "array": frozenset({"type", "items", "minItems"}),
    "object": frozenset(
        {"type", "properties", "required", "additionalProperties", "allOf", "anyOf"}
    ),
}
_LIMITS = frozenset({"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems"})
_NOTHING = m.Free()  # in the place of what has a problem; never reaches an emitter


class Parser:
    """Parses the definitions of one file."""

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems

    def refuse(self, pointer: str, rule: str, message: str) -> m.Node:
        self.problems.add(self.file, pointer, rule, message)
        return _NOTHING

    def node(self, schema: Any, pointer: str, position: Position) -> m.Node:
        """Return the node that ``schema`` describes; problems are noted, never raised."""
        if not isinstance(schema, dict):
            return self.refuse(pointer, "not-a-schema", "a schema is an object")
        kind = self.kind(schema, pointer)
        if kind is None:
            return _NOTHING
        allowed = KEYWORDS[kind] | ANNOTATIONS | (DEF_KEYWORDS if position == "def" else set())
        for keyword in schema:
            if keyword not in allowed:
                self.refuse(
                    step(pointer, keyword),
                    "unknown-keyword",
                    f"{keyword!r} is not allowed in {kind}",
                )
        self.annotations(schema, pointer)
        if kind in ("const", "enum") and schema.get("type") != "string":
            self.refuse(pointer, "missing-type", f'{kind} needs "type": "string"')
        limits = _LIMITS.intersection(schema)
        if position in ("item", "member") and limits:
            # Generated code has to name it, and would name it by its place.
            message = f"with {', '.join(sorted(limits))} it is a $defs entry of its own"
            self.refuse(pointer, "unnamed-item", message)
        reader = getattr(self, "_" + kind.lstrip("$"))
        node: m.Node = reader(schema, pointer, position)
        return node

    def kind(self, schema: Schema, pointer: str) -> str | None:
        for keyword in ("$ref", "oneOf", "const", "enum"):
            if keyword in schema:
                return keyword
        kind = schema.get("type")
        if isinstance(kind, str) and kind in KEYWORDS and kind not in ("$ref", "oneOf"):
            return kind
        for keyword in schema:
            if keyword not in ANNOTATIONS | DEF_KEYWORDS | {"type"}:
                self.refuse(
                    step(pointer, keyword), "unknown-keyword", f"{keyword!r} without a type"
                )
        self.refuse(pointer, "missing-type", "neither a known type nor $ref, oneOf, const or enum")
        return None

    def annotations(self, schema: Schema, pointer: str) -> None:
        """Check the form of what is beside the type; what it says is looked at later."""
        for keyword, form in (("title", str), ("description", str), ("examples", list)):
            if not isinstance(schema.get(keyword, form()), form):
                self.refuse(step(pointer, keyword), "bad-value", f"{keyword} is a {form.__name__}")
        rules = schema.get("x-rules", [])
        if not (isinstance(rules, list) and all(isinstance(rule, dict) for rule in rules)):
            self.refuse(step(pointer, "x-rules"), "bad-value", "x-rules is a list of objects")
        transitions = schema.get("x-transitions", {})
        if not (isinstance(transitions, dict) and all(map(_are_strings, transitions.values()))):
            at = step(pointer, "x-transitions")
            self.refuse(at, "bad-transitions", "it maps a state to the states that may follow")

    # --- one method per kind --------------------------------------------------------------

    def _ref(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        target = schema["$ref"]
        at = step(pointer, "$ref")
        path, hash_, fragment = target.partition("#") if isinstance(target, str) else ("", "", "")
        name = fragment.removeprefix("/$defs/")
        if not hash_ or name == fragment or "/" in name or ":" in path or path.startswith("/"):
            return self.refuse(at, "bad-ref", "a reference is #/$defs/Name or file#/$defs/Name")
        folder = posixpath.dirname(self.file)
        file = posixpath.normpath(posixpath.join(folder, path)) if path else self.file
        return m.Ref(file, name)

    def _const(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        value = schema["const"]
        if not isinstance(value, str):
            return self.refuse(step(pointer, "const"), "bad-const", "a constant is a string")
        return m.Const(value)

    def _enum(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        values = schema["enum"]
        if not (_are_strings(values) and values and len(set(values)) == len(values)):
            return self.refuse(step(pointer, "enum"), "bad-enum", "an enum lists different strings")
        default = schema.get("x-safe-default")
        closed = schema.get("x-closed")
        if (default is None) == (closed is None):
            self.refuse(
                pointer,
                "enum-without-safe-default",
                "an enum has either x-safe-default or x-closed",
            )
        if closed not in (None, True):
            self.refuse(step(pointer, "x-closed"), "bad-value", "x-closed is true or left out")
        if default is not None and default not in values:
            self.refuse(
                step(pointer, "x-safe-default"),
                "bad-safe-default",
                "the safe default is not a value",
            )
        return m.Enum(tuple(values), default)

    def _string(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        pattern = schema.get("pattern")
        if pattern is not None:
            try:
                check_pattern(pattern)
            except (PatternError, TypeError, AttributeError) as error:
                self.refuse(step(pointer, "pattern"), "unsafe-pattern", str(error))
        known, unknown = schema.get("x-known-values"), schema.get("x-unknown-value")
        if (known is None) != (unknown is None):
            self.refuse(
                pointer, "bad-open-string", "x-known-values and x-unknown-value go together"
            )
        elif known is not None and not (_are_strings(known) and unknown in known):
            self.refuse(
                step(pointer, "x-unknown-value"),
                "bad-open-string",
                "it is not among the known ones",
            )
        return m.String(
            self.count(schema, pointer, "minLength"),
            self.count(schema, pointer, "maxLength"),
            pattern,
            tuple(known) if _are_strings(known) else (),
            unknown,
        )

    def _integer(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        for keyword in ("minimum", "maximum"):
            if not isinstance(schema.get(keyword, 0), int):
                self.refuse(step(pointer, keyword), "bad-value", f"{keyword} of an integer is one")
        limit = 2**53 - 1
        low, high = schema.get("minimum"), schema.get("maximum")
        if not (isinstance(low, int) and isinstance(high, int) and -limit <= low <= high <= limit):
            self.refuse(pointer, "integer-range", f"minimum and maximum lie within ±{limit}")
        return m.Integer(low, high)

    def _number(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        for keyword in ("minimum", "maximum"):
            value = schema.get(keyword, 0)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                self.refuse(step(pointer, keyword), "bad-value", f"{keyword} is a number")
        return m.Number(schema.get("minimum"), schema.get("maximum"))

    def _boolean(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        return m.Boolean()

    def _array(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        if "items" not in schema:
            return self.refuse(pointer, "array-without-items", "an array says what its items are")
        if schema["items"] == {}:
            return m.FreeArray()
        items = self.node(schema["items"], step(pointer, "items"), "item")
        return m.Array(items, self.count(schema, pointer, "minItems"))

    def _oneOf(self, schema: Schema, pointer: str, position: Position) -> m.Node:  # noqa: N802
        if position != "def":
            return self.refuse(pointer, "unnamed-union", "a union is a $defs entry of its own")
        members = schema["oneOf"]
        if not isinstance(members, list) or len(members) < 2:
            return self.refuse(
                step(pointer, "oneOf"), "bad-union", "a union has two members or more"
            )
        nodes = [
            self.node(member, step(pointer, "oneOf", index), "member")
            for index, member in enumerate(members)
        ]
        if "discriminator" not in schema:
            return m.Choice(tuple(nodes))
        return self.tagged(schema, pointer, nodes)

    def tagged(self, schema: Schema, pointer: str, nodes: list[m.Node]) -> m.Node:
        """Return the union; its mapping is compared with the variants' constants later."""
        discriminator = schema["discriminator"]
        at = step(pointer, "discriminator")
        tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
        if not isinstance(tag, str) or not isinstance(mapping, dict):
            return self.refuse(at, "mapping-incomplete", "propertyName and mapping are needed")
        variants: list[tuple[str, m.Ref]] = []
        for value, target in mapping.items():
            ref = self._ref({"$ref": target}, step(at, "mapping", value), "member")
            if isinstance(ref, m.Ref):
                variants.append((value, ref))
        for index, node in enumerate(nodes):
            if not isinstance(node, m.Ref):
                where = step(pointer, "oneOf", index)
                self.refuse(where, "unnamed-variant", "a variant is a $defs entry of its own")
        refs = [node for node in nodes if isinstance(node, m.Ref)]
        if sorted(refs, key=str) != sorted((ref for _, ref in variants), key=str):
            self.refuse(
                step(at, "mapping"), "mapping-incomplete", "it names other types than oneOf"
            )
        return m.Union(tag, tuple(variants))

    def _object(self, schema: Schema, pointer: str, position: Position) -> m.Node:
        extra = schema.get("additionalProperties")
        if isinstance(extra, bool):
            where = step(pointer, "additionalProperties")
            return self.refuse(where, "free-object-as-true", "a free object is written {}")
        if "properties" not in schema:
            return self.without_properties(schema, pointer, extra)
        if position != "def":
            rule = "unnamed-variant" if position == "member" else "unnamed-object"
            return self.refuse(pointer, rule, "an object is a $defs entry of its own")
        if extra not in (None, {}):
            self.refuse(
                step(pointer, "additionalProperties"),
                "mixed-object",
                "beside properties only {} may stand",
            )
        properties = self.properties(schema, pointer)
        return m.Object(
            properties,
            extra is not None,
            self.exactly_one(schema, pointer, properties),
            self.at_least_one(schema, pointer, properties),
        )

    def without_properties(self, schema: Schema, pointer: str, extra: Any) -> m.Node:
        if extra is None:
            return self.refuse(
                pointer, "empty-object", 'a free object is written "additionalProperties": {}'
            )
        for keyword in ("required", "allOf", "anyOf"):
            if keyword in schema:
                self.refuse(
                    step(pointer, keyword), "unknown-keyword", f"{keyword!r} without properties"
                )
        if extra == {}:
            return m.Free()
        return m.Map(self.node(extra, step(pointer, "additionalProperties"), "item"))

    def properties(self, schema: Schema, pointer: str) -> tuple[m.Property, ...]:
        declared = schema["properties"]
        required = schema.get("required", [])
        if not isinstance(declared, dict) or not isinstance(required, list):
            self.refuse(pointer, "not-a-schema", "properties is an object, required an array")
            return ()
        for index, name in enumerate(required):
            if not isinstance(name, str) or name not in declared or name in required[:index]:
                self.refuse(
                    step(pointer, "required", index),
                    "unknown-required",
                    f"{name!r} is not a property",
                )
        return tuple(
            m.Property(
                name,
                self.node(inner, step(pointer, "properties", name), "property"),
                name in required,
            )
            for name, inner in declared.items()
        )

    def exactly_one(
        self, schema: Schema, pointer: str, properties: tuple[m.Property, ...]
    ) -> tuple[tuple[str, ...], ...]:
        """Read ``allOf: [{oneOf: [{required: [a]}, {required: [b]}]}]``, its only form."""
        groups: list[tuple[str, ...]] = []
        entries = schema.get("allOf", [])
        for index, entry in enumerate(entries if isinstance(entries, list) else [entries]):
            options = entry.get("oneOf") if isinstance(entry, dict) and len(entry) == 1 else None
            group = _free_names(options, properties)
            if not group:
                self.refuse(
                    step(pointer, "allOf", index),
                    "bad-all-of",
                    "only oneOf of {required: [name]} over optional properties may stand here",
                )
            groups.append(group)
        return tuple(groups)

    def at_least_one(
        self, schema: Schema, pointer: str, properties: tuple[m.Property, ...]
    ) -> tuple[str, ...]:
        """Read ``anyOf: [{required: [a]}, {required: [b]}]``, its only form."""
        group = _free_names(schema.get("anyOf"), properties)
        if "anyOf" in schema and not group:
            self.refuse(
                step(pointer, "anyOf"),
                "bad-any-of",
                "only {required: [name]} over optional properties may stand here",
            )
        return group

    def count(self, schema: Schema, pointer: str, keyword: str) -> int | None:
        value = schema.get(keyword)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.refuse(step(pointer, keyword), "bad-value", f"{keyword} is an integer from 0 on")
        return None


def _free_names(options: Any, properties: tuple[m.Property, ...]) -> tuple[str, ...]:
    """Return the names in ``[{required: [a]}, {required: [b]}]``; none where anything is wrong."""
    free = {prop.name for prop in properties if not prop.required}
    names = [_only_required(each) for each in options] if isinstance(options, list) else []
    group = tuple(name for name in names if name in free)
    return group if len(group) > 1 and len(group) == len(names) else ()


def _only_required(option: Any) -> str | None:
    """Return the name in ``{required: [name]}``."""
    names = option.get("required") if isinstance(option, dict) and len(option) == 1 else None
    return names[0] if _are_strings(names) and len(names) == 1 else None


def _are_strings(values: Any) -> TypeGuard[list[str]]:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
