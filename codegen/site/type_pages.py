"""Every type of every version: fields, values, variants, rules and examples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from codegen import model as m
from codegen.lint import refs_of
from codegen.site.markdown import Page, bullets, code, json_fence, link, prose, table
from codegen.site.places import (
    CONTRACT,
    TOOL_STATES,
    VERSIONS,
    family_of,
    rule_page,
    type_name,
    type_page,
    version_page,
)

__all__ = ["Examples", "Types", "pages", "type_link"]

Key = tuple[str, str]
"""Family and name: a type keeps both when its file is another one in a later version."""

_MOST_VALID = 3
_MOST_INVALID = 6


@dataclass(frozen=True, slots=True)
class Examples:
    """Documents of one type from the fixtures."""

    valid: Sequence[tuple[str, Any]] = ()
    """What a document shows, and the document."""
    invalid: Sequence[tuple[str, Any, str, str]] = ()
    """What is wrong, the document, and the rule and the place of the finding."""


@dataclass(frozen=True)
class Types:
    """Every version's types, and since when there are they and their fields."""

    contracts: Sequence[m.Contract]
    by_version: dict[str, dict[Key, m.TypeDef]] = field(init=False, default_factory=dict)
    since: dict[tuple[str, ...], str] = field(init=False, default_factory=dict)
    """Family and name, with a field or a value or without, → the first version that has it."""

    def __post_init__(self) -> None:
        for contract in self.contracts:
            found = self.by_version.setdefault(contract.version, {})
            for family in contract.families.values():
                for each in family.types.values():
                    found[family_of(each.file), each.name] = each
            for key, each in found.items():
                for names in ((), *((name,) for name in _member_names(each.node))):
                    self.since.setdefault((*key, *names), contract.version)

    def used_by(self, version: str) -> dict[Key, list[m.TypeDef]]:
        """Return the types that refer to each type, in order of their definition."""
        users: dict[Key, list[m.TypeDef]] = {}
        for each in self.by_version[version].values():
            for ref in refs_of(each.node):
                named = users.setdefault((family_of(ref.file), ref.name), [])
                if each not in named:
                    named.append(each)
        return users


def _member_names(node: m.Node) -> Iterator[str]:
    """Yield the names of what may come later: fields, tags of variants, values."""
    match node:
        case m.Object(properties=properties):
            yield from (prop.name for prop in properties)
        case m.Union(variants=variants):
            yield from (tag for tag, _ in variants)
        case m.Enum(values=values):
            yield from values
        case _:
            return


def pages(
    types: Types,
    current: str,
    summaries: Mapping[str, str],
    examples: Mapping[tuple[str, str], Examples],
) -> Iterator[Page]:
    """Yield the pages of all types, the current version's first.

    ``summaries`` is rule → its sentence, ``examples`` is version and name of a type
    (``message.Message``) → its documents. The search finds what is current alone.
    """
    versions = sorted(types.by_version, key=lambda each: each != current)
    for version in versions:
        users = types.used_by(version)
        yield _version_page(types, version, current)
        for key, each in types.by_version[version].items():
            name = ".".join(key)
            path = type_page(version, each.file, each.name)
            given = examples.get((version, name), Examples())
            body = [
                *_head(types, version, current, key, each, path),
                *_shape(types, version, key, each, path),
                *_rules(each, path, summaries),
                *_transitions(each, path),
                *_examples(each, given, path),
                *_users(users.get(key, ()), version, path),
            ]
            title = name if version == current else f"{name} ({version})"
            text = "\n\n".join(part for part in body if part) + "\n"
            yield Page(path, title, text, each.description, searched=version == current)


def type_link(page: str, version: str, file: str, name: str) -> str:
    """Return a link to a type's page under the type's own name."""
    return link(page, type_page(version, file, name), code(name))


def _version_page(types: Types, version: str, current: str) -> Page:
    path = version_page(version)
    parts: list[str] = []
    if version != current:
        newer = link(path, version_page(current), current)
        parts.append(f"An older version: {newer} is the current one.")
    by_family: dict[str, list[m.TypeDef]] = {}
    for (family, _), each in types.by_version[version].items():
        by_family.setdefault(family, []).append(each)
    for family, members in by_family.items():
        rows = [
            (
                type_link(path, version, each.file, each.name),
                prose(each.description),
                "yes" if each.entrypoint else "",
                types.since[family, each.name],
            )
            for each in sorted(members, key=lambda each: (not each.entrypoint, each.name))
        ]
        parts += [f"## {family}", table(("type", "what it is", "entry point", "since"), rows)]
    title = f"Types of {version}"
    summary = f"Every type of version {version} of the contract, by family."
    body = "\n\n".join([summary, *parts]) + "\n"
    return Page(path, title, body, summary, searched=version == current)


def _head(
    types: Types, version: str, current: str, key: Key, each: m.TypeDef, path: str
) -> Iterator[str]:
    schema = f"schemas/{version}/{each.file}"
    crumbs = [link(path, CONTRACT, "Contract"), link(path, version_page(version), version)]
    facts = [f"since {types.since[key]}", link(path, schema, "JSON Schema")]
    if each.entrypoint:
        facts.insert(0, "entry point")
    if each.reserved:
        facts.insert(0, "reserved: it may change")
    others = [
        link(path, type_page(name, found[key].file, each.name), name)
        for name, found in types.by_version.items()
        if name != version and key in found
    ]
    if others:
        facts.append(f"also in {', '.join(others)}")
    crumbs.append(link(path, f"{version_page(version)}#{key[0]}", key[0]))
    yield f"{' › '.join(crumbs)} · {' · '.join(facts)}"
    if version != current:
        yield f"**An older version of the contract; {current} is the current one.**"
    yield prose(each.description)


def _shape(types: Types, version: str, key: Key, each: m.TypeDef, path: str) -> Iterator[str]:
    """Yield what the values of a type look like."""
    match each.node:
        case m.Object():
            yield "## Fields"
            yield from _fields(types, version, key, each, each.node, path)
        case m.Union(tag=tag, variants=variants):
            yield from _shared(types, version, [ref for _, ref in variants], path)
            yield "## Variants"
            yield f"{code(tag)} says which variant a value is."
            rows = [
                (
                    code(value),
                    type_link(path, version, ref.file, ref.name),
                    prose(_described(types, version, ref)),
                    types.since[*key, value],
                )
                for value, ref in variants
            ]
            yield table((code(tag), "type", "what it is", "since"), rows)
        case m.Enum(values=values, safe_default=default):
            yield "## Values"
            yield table(
                ("value", "since"), [(code(value), types.since[*key, value]) for value in values]
            )
            yield _read_as(default)
        case node:
            yield "## Value"
            yield _expression(node, version, path) + "."


def _shared(types: Types, version: str, variants: Sequence[m.Ref], path: str) -> Iterator[str]:
    """Yield the fields that all variants of a union have, with the same values."""
    found = [types.by_version[version][family_of(ref.file), ref.name] for ref in variants]
    members = [
        {prop.name: prop for prop in each.node.properties}
        for each in found
        if isinstance(each.node, m.Object)
    ]
    if len(members) < len(found) or not found:
        return
    rows = [
        _field(types, version, found[0], prop, path)
        for name, prop in members[0].items()
        if all(name in each and each[name] == prop for each in members)
    ]
    if rows:
        yield "## Fields of every variant"
        yield table(("field", "value", "what it says", "required"), rows)


def _read_as(default: str | None) -> str:
    if default is None:
        return "A closed set: any other value is refused, also by tolerant readers."
    return f"Tolerant readers take any other string for {code(default)}, and report it."


def _fields(
    types: Types, version: str, key: Key, each: m.TypeDef, node: m.Object, path: str
) -> Iterator[str]:
    rows = [
        (*_field(types, version, each, prop, path), types.since[*key, prop.name])
        for prop in node.properties
    ]
    yield table(("field", "value", "what it says", "required", "since"), rows)
    for names in node.exactly_one:
        yield f"Exactly one of {_listed(names)} is there."
    if node.at_least_one:
        yield f"At least one of {_listed(node.at_least_one)} is there."
    if node.extensible:
        yield "Other members are allowed, and kept as they are."
    else:
        yield "Members that are not declared are ignored, and not kept."


def _field(
    types: Types, version: str, holder: m.TypeDef, prop: m.Property, path: str
) -> tuple[str, str, str, str]:
    """Return a field's row: its name, its value, what is said of it, and whether it is required."""
    said = holder.schema.get("properties", {}).get(prop.name, {}).get("description", "")
    if not said and isinstance(prop.node, m.Ref):
        said = _described(types, version, prop.node)
    required = "yes" if prop.required else ""
    return code(prop.name), _expression(prop.node, version, path), prose(said), required


def _described(types: Types, version: str, ref: m.Ref) -> str:
    return types.by_version[version][family_of(ref.file), ref.name].description


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))


def _expression(node: m.Node, version: str, path: str) -> str:
    """Return what a value may be, in words with links."""
    match node:
        case m.Ref(file=file, name=name):
            return type_link(path, version, file, name)
        case m.String():
            return ", ".join(["string", *_string(node)])
        case m.Enum(values=values):
            return " or ".join(map(code, values))
        case m.Const(value=value):
            return f"the string {code(value)}"
        case m.Integer(minimum=least, maximum=most) | m.Number(minimum=least, maximum=most):
            return ", ".join([type(node).__name__.lower(), *_bounds(least, most)])
        case m.Boolean():
            return "true or false"
        case m.Array(items=items, min_items=least):
            what = f"array of {_expression(items, version, path)}"
            return f"{what}, at least {least}" if least else what
        case m.Map(values=values):
            return f"object with any names, each value {_expression(values, version, path)}"
        case m.Free():
            return "any JSON object"
        case m.FreeArray():
            return "any JSON array"
        case m.Object(properties=properties):
            return f"object with {_listed(prop.name for prop in properties)}"
        case m.Union(variants=variants):
            return " or ".join(_expression(ref, version, path) for _, ref in variants)
        case m.Choice(members=members):
            return " or ".join(_expression(each, version, path) for each in members)


def _string(node: m.String) -> Iterator[str]:
    if node.min_length is not None:
        yield f"at least {node.min_length} long"
    if node.max_length is not None:
        yield f"at most {node.max_length} long"
    if node.pattern is not None:
        yield f"pattern {code(node.pattern)}"
    if node.known_values:
        yield f"such as {_listed(node.known_values)}"
    if node.unknown_value is not None:
        yield f"{code(node.unknown_value)} where it is not known"


def _bounds(least: float | None, most: float | None) -> Iterator[str]:
    if least is not None:
        yield f"at least {least}"
    if most is not None:
        yield f"at most {most}"


def _rules(each: m.TypeDef, path: str, summaries: Mapping[str, str]) -> Iterator[str]:
    if not each.rules:
        return
    yield "## Rules of meaning"
    rows = [
        (
            link(path, rule_page(rule.rule), code(rule.rule)),
            prose(summaries.get(rule.rule, "")),
            f"{code(rule.op)} {code(_compact(rule.args))}",
        )
        for rule in each.rules
    ]
    yield table(("rule", "what it says", "how it is checked"), rows)


def _compact(args: Mapping[str, Any]) -> str:
    return json.dumps(dict(args), ensure_ascii=False)


def _transitions(each: m.TypeDef, path: str) -> Iterator[str]:
    if each.transitions is None:
        return
    yield "## Moves"
    yield link(path, TOOL_STATES, "The states as a picture")
    rows = [(code(state), _listed(after) or "none") for state, after in each.transitions.items()]
    yield table(("state", "states that may follow"), rows)


def _examples(each: m.TypeDef, given: Examples, path: str) -> Iterator[str]:
    valid = [("", example) for example in each.examples] or list(given.valid)
    if valid:
        yield "## Valid examples"
    for said, example in valid[:_MOST_VALID]:
        yield prose(f"{said}:") if said else ""
        yield json_fence(example)
    if given.invalid:
        yield "## Invalid examples"
    for said, example, rule, pointer in given.invalid[:_MOST_INVALID]:
        place = code(pointer) if pointer else "the whole document"
        yield f"{prose(said)}: {link(path, rule_page(rule), code(rule))} at {place}"
        yield json_fence(example)


def _users(users: Sequence[m.TypeDef], version: str, path: str) -> Iterator[str]:
    if users:
        yield "## Used by"
        yield bullets(
            link(path, type_page(version, each.file, each.name), type_name(each.file, each.name))
            for each in users
        )
        yield link(path, VERSIONS, "Changes per version")
