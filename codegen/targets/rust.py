"""``rust/src/generated/<version>``: serde types, schemas and vocabularies for Rust.

Per family ``<family>.rs`` with the types and ``<family>.schema.json`` with the bundle that checks
walk along. Constants are separate types (``tags``), open strings are enums with ``Unknown``,
and so are unions: what tolerant reading leaves of a variant that this version does not know.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

from codegen import model as m
from codegen.lint import json_kinds
from codegen.targets import bundles, vocabulary
from codegen.write import notice

Lines = list[str]
_WORDS = frozenset({"type", "ref", "match", "use", "mod", "move", "fn", "in", "for", "loop"})
_RUNTIME = (
    "Bounded",
    "Contract",
    "Map",
    "Number",
    "Value",
    "choice",
    "closed_enum",
    "defaulting_enum",
    "object",
    "open_enum",
    "present",
    "present_object",
    "rewritten",
    "tagged_union",
)
_ABSENT = 'skip_serializing_if = "Option::is_none"'


def generate(contract: m.Contract) -> dict[str, str]:
    """Return the files of one version's folder."""
    files: dict[str, str] = {}
    for family in contract.families.values():
        head = banner(contract.version, family.digest)
        files[f"{family.name}.rs"] = head + "\n".join(_Family(contract, family).lines()) + "\n"
        bundle = bundles.bundle(contract, family, "")
        bundle["$comment"] = " ".join(_notice(contract.version, family.digest))
        files[f"{family.name}.schema.json"] = f"{_bundle_text(bundle)}\n"
    head = banner(contract.version, contract.digest)
    files["mod.rs"] = head + "\n".join(_module(contract)) + "\n"
    files["vocabulary.rs"] = head + "\n".join(_vocabulary(contract)) + "\n"
    return files


def _bundle_text(bundle: dict[str, Any]) -> str:
    """Return the bundle with one line per type: it is embedded as it is."""
    types = bundle.pop("$defs")
    head = json.dumps(bundle, ensure_ascii=False)[:-1]
    rows = [f"{_text(name)}: {json.dumps(t, ensure_ascii=False)}" for name, t in types.items()]
    return f'{head}, "$defs": {{\n' + ",\n".join(rows) + "\n}}"


def banner(version: str, digest: str) -> str:
    """Return the first lines of a generated Rust file."""
    return "".join(f"// {line}\n" for line in _notice(version, digest)) + "\n"


def _notice(version: str, digest: str) -> list[str]:
    first, last = notice(version, digest)
    return [f"{first.partition(' with ')[0]}.", last]


def _module(contract: m.Contract) -> Lines:
    """Return the module that joins the families."""
    lines = [f"//! The types of contract version {contract.version}.", ""]
    lines += [f"pub mod {name};" for name in contract.families]
    lines += ["pub mod vocabulary;", "", "use crate::contract::types::Family;", ""]
    lines += ["/// Family, its schemas as JSON text, and what rewrites a value by its type."]
    lines += ["pub(crate) const FAMILIES: &[Family] = &["]
    for name in contract.families:
        text = f'include_str!("{name}.schema.json")'
        lines.append(f'    Family {{ name: "{name}", schema: {text}, rewrite: {name}::rewrite }},')
    lines += ["];"]
    return lines


def _vocabulary(contract: m.Contract) -> Lines:
    found = vocabulary.collect(contract)
    lines = ["//! Vocabularies by place: `family.Type` or `family.Type.member`.", ""]
    for name, rows, doc in (
        ("KNOWN_VALUES", found.known, "Open string → its known values."),
        ("ENUM_VALUES", found.enums, "Enum → values."),
    ):
        lines += [f"/// {doc}", f"pub const {name}: &[(&str, &[&str])] = &["]
        lines += [f"    ({_text(place)}, {_slice(values)})," for place, values in rows.items()]
        lines += ["];", ""]
    for name, pairs, doc in (
        ("UNKNOWN_VALUES", found.unknown, "Open string → what stands for every other value."),
        ("SAFE_DEFAULTS", found.defaults, "Enum → what an unknown value is taken for."),
        ("SEVERITIES", _severities(contract), "Rule of meaning → how grave it is."),
    ):
        lines += [f"/// {doc}", f"pub const {name}: &[(&str, &str)] = &["]
        lines += [f"    ({_text(key)}, {_text(value)})," for key, value in pairs.items()]
        lines += ["];", ""]
    lines += ["/// State union → state → the states that may follow."]
    lines += ["pub const TRANSITIONS: &[(&str, &[(&str, &[&str])])] = &["]
    for place, states in found.transitions.items():
        inner = ", ".join(f"({_text(state)}, {_slice(after)})" for state, after in states.items())
        lines.append(f"    ({_text(place)}, &[{inner}]),")
    return [*lines, "];"]


def _severities(contract: m.Contract) -> dict[str, str]:
    rules = {
        rule.rule
        for family in contract.families.values()
        for definition in family.types.values()
        for rule in definition.rules
    }
    return {rule: contract.severities[rule] for rule in sorted(rules)}


class _Family:
    """Writes the types of one family."""

    def __init__(self, contract: m.Contract, family: m.Family) -> None:
        self.contract = contract
        self.family = family
        self.tags: dict[str, str] = {}
        self.made: Lines = []  # types of members that have no name

    def lines(self) -> Lines:
        body: Lines = []
        for definition in self.family.types.values():
            body += ["", *self.definition(definition)]
        body += [*self.made, *self.rewrite(), *self.bounds()]
        lines = [f"//! The {self.family.name} family.", "", *_imports("\n".join(body)), *body]
        if self.tags:
            lines += ["", "/// Constants: the values that tell variants apart."]
            lines += ["pub mod tags {", "    use crate::contract::types::tag;", ""]
            lines += [f"    tag!({name}, {_text(tag)});" for tag, name in sorted(self.tags.items())]
            lines += ["}"]
        return lines

    # --- types ----------------------------------------------------------------------------------

    def definition(self, definition: m.TypeDef) -> Lines:
        name, node = definition.name, definition.node
        lines = _comment(definition.description, "")
        match node:
            case m.Object():
                types = {
                    prop.name: self.type(prop.node, name + _pascal(prop.name))
                    for prop in node.properties
                }
                lines += self.object(definition, node, types)
                lines += self.constructor(name, node, types)
            case m.Union():
                rows = [f"{_pascal(tag)}({ref.name}) = {_text(tag)}" for tag, ref in node.variants]
                lines += [f"tagged_union! {{ {name}, {_text(node.tag)}, {{ {', '.join(rows)} }} }}"]
                lines = self.documented(lines)
            case m.Choice():
                lines += [f"choice! {{ {name} {{ {', '.join(self.members(node, name))} }} }}"]
                lines = self.documented(lines)
            case m.Enum() | m.String() if _is_enum(node):
                lines = self.documented([*lines, _enum(name, node)])
            case _:
                return [*lines, f"pub type {name} = {self.type(node, name)};"]
        version = self.contract.module.upper()
        lines += [f"impl Contract for {name} {{"]
        lines += [f"    const TYPE: &'static str = {_text(f'{self.family.name}.{name}')};"]
        lines += [f"    const VERSION: crate::Version = crate::Version::{version};", "}"]
        return lines

    def documented(self, lines: Lines) -> Lines:
        """Return a macro call with its comment inside it, where macros want it."""
        *comment, call = lines
        head, brace, rest = call.partition("{ ")
        return [f"{head}{brace}", *comment, rest]

    def object(self, definition: m.TypeDef, node: m.Object, types: dict[str, str]) -> Lines:
        described = definition.schema.get("properties", {})
        can_default = not any(prop.required for prop in node.properties)
        default = ", Default" if can_default else ""
        lines = [f"#[derive(Clone, Debug, PartialEq, Serialize, Deserialize{default})]"]
        lines += [f"pub struct {definition.name} {{"]
        for prop in node.properties:
            inner = types[prop.name]
            lines += _comment(described[prop.name].get("description", ""), "    ")
            if not described[prop.name].get("description") and isinstance(prop.node, m.Ref):
                lines += _comment(self.family.types[prop.node.name].description, "    ")
            options = [f"rename = {_text(prop.name)}"]
            is_object = isinstance(self.family.resolve(prop.node), m.Object)
            options += [] if prop.required else ["default", _ABSENT]
            if is_object or not prop.required:
                reader = ("present_object" if is_object else "present", "object")[prop.required]
                options.append(f'deserialize_with = "{reader}"')
            is_tag = isinstance(prop.node, m.Const) and prop.required
            options += ["default"] if is_tag else []
            lines.append(f"    #[serde({', '.join(options)})]")
            inner = inner if prop.required else f"Option<{inner}>"
            lines.append(f"    pub {_field(prop.name)}: {inner},")
        if node.extensible:
            lines += ["    /// Members that are not named here.", "    #[serde(flatten)]"]
            lines += ["    pub extra: Map,"]
        return [*lines, "}"]

    def constructor(self, name: str, node: m.Object, types: dict[str, str]) -> Lines:
        """Return what makes a value of the required members, if that is shorter than a literal."""
        given = [p for p in node.properties if p.required and not isinstance(p.node, m.Const)]
        if not given or (len(given) == len(node.properties) and not node.extensible):
            return []
        takes, sets = [], []
        for prop in node.properties:
            field = _field(prop.name)
            if prop not in given:
                tag = isinstance(prop.node, m.Const) and prop.required
                sets.append(f"{field}: {types[prop.name] if tag else 'None'}")
                continue
            resolved = self.family.resolve(prop.node)
            is_text = isinstance(resolved, m.String) and not _is_enum(resolved)
            takes.append(f"{field}: {'impl Into<String>' if is_text else types[prop.name]}")
            sets.append(f"{field}: {field}.into()" if is_text else field)
        sets += ["extra: Map::new()"] if node.extensible else []
        lines = [f"impl {name} {{", "    /// Returns one with the members that it must have."]
        lines += ["    #[must_use]", f"    pub fn new({', '.join(takes)}) -> Self {{"]
        return [*lines, f"        Self {{ {', '.join(sets)} }}", "    }", "}"]

    def type(self, node: m.Node, name: str) -> str:
        """Return the Rust type of a node; ``name`` is for one that has to be made."""
        match node:
            case m.Ref():
                return node.name
            case m.Enum() | m.String() if _is_enum(node):
                self.made += [
                    "",
                    *self.documented([f"/// One of the values of `{name}`.", _enum(name, node)]),
                ]
                return name
            case m.String() | m.Enum():
                return "String"
            case m.Const(value=value):
                self.tags[value] = _pascal(value)
                assert len(set(self.tags.values())) == len(self.tags), value
                return f"tags::{_pascal(value)}"
            case m.Integer(minimum=least):
                return "i64" if least is None or least < 0 else "u64"
            case m.Number(is_free=is_free):
                return "Number" if is_free else "f64"
            case m.Boolean():
                return "bool"
            case m.Array(items=items):
                return f"Vec<{self.type(items, name + 'Item')}>"
            case m.Map(values=values):
                return f"BTreeMap<String, {self.type(values, name + 'Value')}>"
            case m.Free():
                return "Map"
            case m.FreeArray():
                return "Vec<Value>"
            case _:
                raise AssertionError(f"{node} has a name")

    def members(self, node: m.Choice, name: str) -> Lines:
        rows = []
        for member in node.members:
            kinds = sorted(json_kinds(self.family, member))
            variant = member.name if isinstance(member, m.Ref) else _pascal(kinds[0])
            if isinstance(self.family.resolve(member), m.Free):
                variant = "Object"
            rows.append(f"{variant}({self.type(member, name + variant)}) = {' | '.join(kinds)}")
        return rows

    def rewrite(self) -> Lines:
        """Return the function that takes a value through its type, by name."""
        lines = ["", "/// Takes a valid value through its type; the inside of dynamic reading."]
        lines += [
            "pub(crate) fn rewrite(name: &str, value: Value) -> Option<serde_json::Result<Value>> {"
        ]
        lines += ["    Some(match name {"]
        for name in self.family.types:
            lines.append(f"        {_text(name)} => rewritten::<{name}>(value),")
        return [*lines, "        _ => return None,", "    })", "}"]

    # --- bounds ---------------------------------------------------------------------------------

    def bounds(self) -> Lines:
        """Return what types of deltas cannot say, but for forms: lengths and ranges.

        A delta that holds more than that is out of bounds, and read by the schema.
        """
        if "MessageDelta" not in self.family.types:
            return []
        reached, waiting = {"MessageDelta": None}, ["MessageDelta"]
        lines: Lines = []
        while waiting:
            name = waiting.pop(0)
            node = self.family.types[name].node
            lines += ["", *self.bounded(name, node)]
            for ref in _refs(node):
                if ref.name not in reached and self.checked(ref):
                    reached[ref.name] = None
                    waiting.append(ref.name)
        return lines

    def checked(self, ref: m.Ref) -> bool:
        return isinstance(self.family.types[ref.name].node, (m.Object, m.Union))

    def bounded(self, name: str, node: m.Node) -> Lines:
        lines = [f"impl Bounded for {name} {{", "    fn in_bounds(&self) -> bool {"]
        if isinstance(node, m.Union):
            lines += ["        match self {"]
            lines += [
                f"            Self::{_pascal(tag)}(v) => v.in_bounds()," for tag, _ in node.variants
            ]
            return [*lines, "            Self::Unknown(_) => false,", "        }", "    }", "}"]
        assert isinstance(node, m.Object), name
        tests = [test for prop in node.properties if (test := self.test(prop))]
        body = "\n            && ".join(tests) or "true"
        return [*lines, f"        {body}", "    }", "}"]

    def test(self, prop: m.Property) -> str:
        field = f"self.{_field(prop.name)}"
        node = self.family.resolve(prop.node)
        value = "v" if not prop.required else field
        match node:
            case m.Object() | m.Union():
                test = f"{value}.in_bounds()"
            case m.String(min_length=1, max_length=None):
                test = f"!{value}.is_empty()"
            case m.String(min_length=None, max_length=None) | m.Const():
                return ""
            case m.Boolean() | m.Free() | m.FreeArray():
                return ""
            case m.Integer(minimum=0, maximum=most):
                test = f"{'*' if not prop.required else ''}{value} <= {most}"
            case m.Number(minimum=0, maximum=None):
                test = f"{'*' if not prop.required else ''}{value} >= 0.0"
            case _:  # a slower reader looks at what cannot be said in a line
                return "false" if prop.required else f"{field}.is_none()"
        return test if prop.required else f"{field}.as_ref().is_none_or(|v| {test})"


def _imports(body: str) -> Lines:
    """Return the imports of what ``body`` uses."""
    # A member or field of that name does not use it.
    code = re.sub(r'///.*|rename = "\w+"', "", body)
    used = [name for name in _RUNTIME if re.search(rf"\b{name}\b(?!:(?!:))", code)]
    lines = [
        f"use crate::contract::types::{{{', '.join(used)}}};",
        "use serde::{Deserialize, Serialize};",
    ]
    return [*lines, "use std::collections::BTreeMap;"] if "BTreeMap<" in body else lines


def _refs(node: m.Node) -> list[m.Ref]:
    found = [node] if isinstance(node, m.Ref) else []
    for child in m.children(node):
        found += _refs(child)
    return found


def _is_enum(node: m.Node) -> bool:
    return isinstance(node, m.Enum) or (isinstance(node, m.String) and bool(node.known_values))


def _enum(name: str, node: m.Node) -> str:
    """Return the call that makes an enum: closed, or with ``Unknown``."""
    closed = isinstance(node, m.Enum)
    assert isinstance(node, (m.Enum, m.String))
    values = node.values if isinstance(node, m.Enum) else node.known_values
    rows = [
        f"{_pascal(value)} = {_text(value)}" for value in values if closed or value != "unknown"
    ]
    if isinstance(node, m.Enum) and node.safe_default is not None:
        kind, name = "defaulting", f"{name} or {_pascal(node.safe_default)}"
    else:
        kind = "closed" if closed else "open"
    return f"{kind}_enum! {{ {name} {{ {', '.join(rows)} }} }}"


def _comment(text: str, indent: str) -> Lines:
    plain = re.sub(r"([\[\]<>])", r"\\\1", text)
    return [f"{indent}/// {line}" for line in textwrap.wrap(plain, 96 - len(indent))]


def _pascal(name: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", name)
    made = "".join(word[:1].upper() + word[1:] for word in words)
    return made if made[:1].isalpha() else f"V{made}"


def _field(name: str) -> str:
    made = m.snake(name)
    return f"r#{made}" if made in _WORDS else made


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _slice(values: tuple[str, ...]) -> str:
    return f"&[{', '.join(map(_text, values))}]"
