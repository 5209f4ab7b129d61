"""What one schema alone cannot show: names, references, unions, rules."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from codegen import examples, lint_rules
from codegen import model as m
from codegen.problems import Problems, step

# Names that the generated modules import, or that pydantic's BaseModel has already.
RESERVED_TYPES = frozenset(
    {
        *("Annotated", "Any", "ClassVar", "Literal", "TypeAlias", "TypeAliasType"),
        *("Field", "Meta", "MISSING", "Model", "OpenModel", "Struct", "UNSET", "UnsetType"),
        *("StrictBool", "StrictFloat", "StrictInt", "StrictStr"),
    }
)
RESERVED_PROPERTIES = frozenset(
    {
        *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
        *("schema", "schema_json", "update_forward_refs", "validate", "field", "self"),
    }
)
_JSON_KINDS: dict[type, frozenset[str]] = {
    m.String: frozenset({"string"}),
    m.Enum: frozenset({"string"}),
    m.Const: frozenset({"string"}),
    m.Integer: frozenset({"number"}),
    m.Number: frozenset({"number"}),
    m.Boolean: frozenset({"boolean"}),
    m.Array: frozenset({"array"}),
    m.Map: frozenset({"object"}),
    m.Free: frozenset({"object"}),
    m.FreeArray: frozenset({"array"}),
    m.Object: frozenset({"object"}),
    m.Union: frozenset({"object"}),
}


def refs_of(node: m.Node) -> Iterator[m.Ref]:
    """Yield the references inside ``node``, itself included."""
    if isinstance(node, m.Ref):
        yield node
    for child in m.children(node):
        yield from refs_of(child)


def definition(definition: m.TypeDef, problems: Problems) -> None:
    """Check what a definition says about itself."""
    file, schema = definition.file, definition.schema
    here = step("", "$defs", definition.name)
    name = definition.name
    if not (name.isidentifier() and name.isascii() and name[0].isupper()) or name in RESERVED_TYPES:
        problems.add(file, here, "reserved-name", f"{name} cannot name a generated class")
    if not definition.description.strip():
        problems.add(file, here, "missing-description", "every type says what it is")
    if not definition.examples:
        problems.add(file, here, "missing-example", "every type has an example")
    if schema.get("x-status") not in (None, "reserved"):
        problems.add(file, step(here, "x-status"), "bad-value", "the only status is reserved")
    if schema.get("x-entrypoint") not in (None, True):
        problems.add(file, step(here, "x-entrypoint"), "bad-value", "it is true or left out")
    if isinstance(definition.node, m.Object):
        _properties(definition, definition.node, problems)


def _properties(definition: m.TypeDef, node: m.Object, problems: Problems) -> None:
    names: dict[str, str] = {}
    for prop in node.properties:
        at = step("", "$defs", definition.name, "properties", prop.name)
        schema = definition.schema["properties"][prop.name]
        if isinstance(schema, dict) and not (schema.get("description") or "$ref" in schema):
            problems.add(
                definition.file, at, "missing-description", "every property says what it is"
            )
        python = m.snake(prop.name)
        if not python.isidentifier() or not python.isascii() or python.startswith("_"):
            problems.add(definition.file, at, "property-name", "it makes no Python name")
        elif (
            keyword.iskeyword(python)
            or python in RESERVED_PROPERTIES
            or python.startswith("model_fields")
        ):
            problems.add(
                definition.file, at, "reserved-name", f"{python} is taken in generated code"
            )
        if python in names:
            problems.add(
                definition.file, at, "property-name", f"{names[python]!r} has the same name"
            )
        names[python] = prop.name


def references(definitions: Mapping[tuple[str, str], m.TypeDef], problems: Problems) -> None:
    """Check that every reference leads somewhere, and that no chain of them is a circle."""
    for definition in definitions.values():
        here = step("", "$defs", definition.name)
        for ref in refs_of(definition.node):
            if (ref.file, ref.name) not in definitions:
                problems.add(
                    definition.file, here, "bad-ref", f"{ref.file}#/$defs/{ref.name} is not there"
                )
        seen = {(definition.file, definition.name)}
        node = definition.node
        while isinstance(node, m.Ref) and (node.file, node.name) in definitions:
            key = (node.file, node.name)
            if key in seen:
                problems.add(definition.file, here, "bad-ref", "the reference leads back to itself")
                break
            seen.add(key)
            node = definitions[key].node


def family(family: m.Family, rules: Collection[str], problems: Problems) -> None:
    """Check what needs the whole family: unions, tags, transitions, meaning rules."""
    tags: dict[str, str] = {}
    for definition in family.types.values():
        if isinstance(definition.node, m.Union):
            _union(family, definition, definition.node, tags, problems)
        elif isinstance(definition.node, m.Choice):
            _choice(family, definition, definition.node, problems)
        lint_rules.check(family, definition, rules, problems)
    if not problems.found:
        for definition in family.types.values():
            examples.check(family, definition, problems)


def _union(
    family: m.Family, definition: m.TypeDef, node: m.Union, tags: dict[str, str], problems: Problems
) -> None:
    """Check a tagged union; ``tags`` is variant → tag member over all unions of the family."""
    here = step("", "$defs", definition.name)
    seen: dict[str, str] = {}
    for value, ref in node.variants:
        at = step(here, "discriminator", "mapping", value)
        tag = _constant_tag(family, ref, node.tag)
        if tag is None:
            message = f"{ref.name} needs a required const {node.tag!r}"
            problems.add(definition.file, at, "tag-without-const", message)
            continue
        if tag in seen:
            message = f"{seen[tag]} has the tag {tag!r} too"
            problems.add(definition.file, at, "tags-not-disjoint", message)
        elif tag != value:
            problems.add(definition.file, at, "mapping-incomplete", f"the constant is {tag!r}")
        seen[tag] = ref.name
        if tags.setdefault(ref.name, node.tag) != node.tag:
            message = f"{ref.name} is in a union by {tags[ref.name]!r}"
            problems.add(definition.file, at, "two-tag-fields", message)
    transitions = definition.transitions
    if transitions is not None:
        states = {value for value, _ in node.variants}
        if set(transitions) != states or not states.issuperset(chain(*transitions.values())):
            at = step(here, "x-transitions")
            problems.add(definition.file, at, "bad-transitions", "it names other states")


def _constant_tag(family: m.Family, ref: m.Ref, name: str) -> str | None:
    """Return the constant of a variant's required tag member, or None where it has none."""
    variant = family.resolve(ref)
    prop = variant.property(name) if isinstance(variant, m.Object) else None
    tag = family.resolve(prop.node) if prop is not None and prop.required else None
    return tag.value if isinstance(tag, m.Const) else None


def json_kinds(family: m.Family, node: m.Node) -> frozenset[str]:
    """Return the JSON types of the values that ``node`` allows."""
    node = family.resolve(node)
    if isinstance(node, m.Choice):
        return frozenset().union(*(json_kinds(family, member) for member in node.members))
    return _JSON_KINDS[type(node)]


def _choice(family: m.Family, definition: m.TypeDef, node: m.Choice, problems: Problems) -> None:
    here = step("", "$defs", definition.name)
    seen: set[str] = set()
    for index, member in enumerate(node.members):
        kinds = json_kinds(family, member)
        if seen & kinds:
            message = f"another member is of JSON type {', '.join(sorted(kinds))} too"
            problems.add(definition.file, step(here, "oneOf", index), "tags-not-disjoint", message)
        seen |= kinds
