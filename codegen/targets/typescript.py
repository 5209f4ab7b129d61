"""``typescript/src/generated/<version>``: types, schema data and vocabularies for TypeScript.

Per family two modules: ``<family>.ts`` has the types, each union distinguished by its tag, and a
``Tolerant…`` form of what holds a union, where an ``Unknown`` may stand for a variant;
``<family>.data.ts`` has what checks and tolerant reading walk along (``src/contract/nodes.ts``).
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from codegen import model as m
from codegen.lint import json_kinds
from codegen.targets import vocabulary
from codegen.write import notice

Lines = list[str]


def generate(contract: m.Contract) -> dict[str, str]:
    """Return the files of one version's folder."""
    files: dict[str, str] = {}
    for family in contract.families.values():
        head = banner(contract.version, family.digest)
        types = _Types(family).lines()
        files[f"{family.name}.ts"] = head + "\n".join(types) + "\n"
        data = _Data(contract, family).lines()
        files[f"{family.name}.data.ts"] = head + "\n".join(data) + "\n"
    head = banner(contract.version, contract.digest)
    files["index.ts"] = head + "\n".join(_index(contract)) + "\n"
    files["vocabulary.ts"] = head + "\n".join(_vocabulary(contract)) + "\n"
    return files


def banner(version: str, digest: str) -> str:
    """Return the first lines of a generated TypeScript file."""
    first, last = notice(version, digest)
    return f"// {first.partition(' with ')[0]}.\n// {last}\n\n"


# --- types ----------------------------------------------------------------------------------------


class _Types:
    """Writes the types of one family."""

    def __init__(self, family: m.Family) -> None:
        self.family = family
        self.open = {name for name in family.types if _holds_union(family, m.Ref("", name))}

    def lines(self) -> Lines:
        lines: Lines = ['import type * as json from "../../json/values.js";']
        if self.open:
            lines.append('import type { Unknown } from "../../contract/unknown.js";')
        for definition in self.family.types.values():
            lines += ["", *self.definition(definition, tolerant=False)]
        for name in self.family.types:
            if name in self.open:
                lines += ["", *self.definition(self.family.types[name], tolerant=True)]
        names = list(self.family.types)
        lines += ["", "/** Every type of the family by its name. */", "export interface Types {"]
        lines += [f"  {name}: {name};" for name in names]
        lines += ["}", "", "/** What tolerant reading gives for every type. */"]
        lines += ["export interface TolerantTypes {"]
        lines += [f"  {name}: {self.name(name, tolerant=True)};" for name in names]
        return [*lines, "}"]

    def name(self, name: str, *, tolerant: bool) -> str:
        return f"Tolerant{name}" if tolerant and name in self.open else name

    def definition(self, definition: m.TypeDef, *, tolerant: bool) -> Lines:
        name = self.name(definition.name, tolerant=tolerant)
        lines = _comment(definition.description, "")
        node = definition.node
        if isinstance(node, m.Object):
            lines.append(f"export interface {name} {{")
            members = definition.schema.get("properties", {})
            for prop in node.properties:
                lines += _comment(members[prop.name].get("description", ""), "  ")
                mark = "" if prop.required else "?"
                lines.append(f"  {prop.name}{mark}: {self.node(prop.node, tolerant=tolerant)};")
            if node.extensible:
                lines.append("  [name: string]: unknown;")
            return [*lines, "}"]
        if isinstance(node, m.Union):
            variants = [self.name(ref.name, tolerant=tolerant) for _, ref in node.variants]
            variants += ["Unknown"] if tolerant else []
            lines.append(f"export type {name} =")
            lines += [f"  | {each}" for each in variants]
            lines[-1] += ";"
            return lines
        return [*lines, f"export type {name} = {self.node(node, tolerant=tolerant)};"]

    def node(self, node: m.Node, *, tolerant: bool) -> str:
        match node:
            case m.Ref(name=name):
                return self.name(name, tolerant=tolerant)
            case m.String(known_values=known):
                return " | ".join([*map(json.dumps, known), "(string & {})"]) if known else "string"
            case m.Enum(values=values):
                return " | ".join(map(json.dumps, values))
            case m.Const(value=value):
                return json.dumps(value)
            case m.Integer() | m.Number():
                return "number"
            case m.Boolean():
                return "boolean"
            case m.Array(items=items):
                inner = self.node(items, tolerant=tolerant)
                return f"({inner})[]" if " | " in inner else f"{inner}[]"
            case m.Map(values=values):
                return f"{{ [name: string]: {self.node(values, tolerant=tolerant)} }}"
            case m.Free():
                return "json.JsonObject"
            case m.FreeArray():
                return "json.JsonValue[]"
            case m.Choice(members=members):
                return " | ".join(self.node(member, tolerant=tolerant) for member in members)
            case _:
                raise AssertionError(f"{node} has a name")


def _holds_union(family: m.Family, node: m.Node, seen: frozenset[str] = frozenset()) -> bool:
    if isinstance(node, m.Ref):
        inner = family.types[node.name].node
        return node.name not in seen and _holds_union(family, inner, seen | {node.name})
    if isinstance(node, m.Union):
        return True
    return any(_holds_union(family, child, seen) for child in m.children(node))


def _comment(text: str, indent: str) -> Lines:
    if not text:
        return []
    lines = textwrap.wrap(text.replace("*/", "*\\/"), 100 - len(indent) - 7)
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


# --- data -----------------------------------------------------------------------------------------


class _Data:
    """Writes the schema of one family as data; ``src/contract/nodes.ts`` explains the letters."""

    def __init__(self, contract: m.Contract, family: m.Family) -> None:
        self.contract = contract
        self.family = family

    def lines(self) -> Lines:
        lines = ['import type { FamilyData } from "../../contract/nodes.js";', ""]
        lines += ["export const data: FamilyData = {"]
        for definition in self.family.types.values():
            node = self.node(definition.node)
            if definition.rules:
                node["r"] = [self.rule(rule) for rule in definition.rules]
            lines.append(f"  {definition.name}: {_literal(node)},")
        return [*lines, "};"]

    def node(self, node: m.Node) -> dict[str, Any]:
        match node:
            case m.Ref(name=name):
                return {"t": "ref", "n": name}
            case m.String(min_length=least, max_length=most, pattern=pattern):
                words = None if pattern is None else self.words(pattern)
                return _present(t="string", min=least, max=most, p=pattern, w=words)
            case m.Enum(values=values, safe_default=default):
                return _present(t="enum", v=list(values), d=default)
            case m.Const(value=value):
                return {"t": "const", "v": value}
            case m.Integer(minimum=least, maximum=most):
                return _present(t="integer", min=least, max=most)
            case m.Number(minimum=least, maximum=most):
                return _present(t="number", min=least, max=most)
            case m.Boolean():
                return {"t": "boolean"}
            case m.Array(items=items, min_items=least):
                return _present(t="array", i=self.node(items), min=least)
            case m.Map(values=values):
                return {"t": "map", "i": self.node(values)}
            case m.Free() | m.FreeArray():
                return {"t": "free" if isinstance(node, m.Free) else "freeArray"}
            case m.Object():
                return self.object(node)
            case m.Union(tag=tag, variants=variants):
                return {"t": "union", "k": tag, "v": [[value, ref.name] for value, ref in variants]}
            case m.Choice(members=members):
                rows = [[sorted(json_kinds(self.family, x)), self.node(x)] for x in members]
                return {"t": "choice", "m": rows}

    def object(self, node: m.Object) -> dict[str, Any]:
        members = [
            [prop.name, self.node(prop.node), 1 if prop.required else 0] for prop in node.properties
        ]
        return _present(
            t="object",
            m=members,
            x=1 if node.extensible else None,
            one=[list(names) for names in node.exactly_one] or None,
            any=list(node.at_least_one) or None,
        )

    def words(self, pattern: str) -> str:
        """Return in words what a pattern asks for."""
        return next(
            (
                definition.description
                for definition in self.family.types.values()
                if isinstance(definition.node, m.String) and definition.node.pattern == pattern
            ),
            pattern,
        )

    def rule(self, rule: m.Rule) -> dict[str, Any]:
        severity = self.contract.severities[rule.rule]
        args = {
            name: next(iter(value.items())) if name in ("where", "when") else value
            for name, value in rule.args.items()
        }
        return {"rule": rule.rule, "severity": severity, "op": rule.op, **args}


def _present(**node: Any) -> dict[str, Any]:
    return {name: value for name, value in node.items() if value is not None}


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


# --- the version ----------------------------------------------------------------------------------


def _index(contract: m.Contract) -> Lines:
    """Return the module that joins the families."""
    families = list(contract.families)
    lines = [f'import {{ data as {name} }} from "./{name}.data.js";' for name in families]
    lines += [f'import type * as {name}Types from "./{name}.js";' for name in families]
    lines += ['import type { FamilyData } from "../../contract/nodes.js";', ""]
    lines += [f'export type * as {name} from "./{name}.js";' for name in families]
    lines += ["", "/** The schemas of the families, as checks walk along them. */"]
    lines += ["export const families: Readonly<Record<string, FamilyData>> = {"]
    lines += [*(f"  {name}," for name in families), "};"]
    for title, kind in (
        ("Every type of the version by its name.", "Types"),
        ("What tolerant reading gives for every type.", "TolerantTypes"),
    ):
        lines += ["", f"/** {title} */", f"export interface {kind} {{"]
        for family in contract.families.values():
            lines += [
                f'  "{family.name}.{name}": {family.name}Types.{kind}["{name}"];'
                for name in family.types
            ]
        lines.append("}")
    return lines


def _vocabulary(contract: m.Contract) -> Lines:
    """Return open strings, enums, tags and transitions as data, and the helpers of open strings."""
    found = vocabulary.collect(contract)
    lines: Lines = []
    for name, kind, rows, doc in _TABLES:
        lines += _comment(doc, "")
        lines.append(f"export const {name}: Readonly<Record<string, {kind}>> = {{")
        table = getattr(found, rows)
        lines += [f'  "{place}": {_literal(value)},' for place, value in table.items()]
        lines += ["};", ""]
    lines += _helpers(found.known, found.unknown)
    return lines[:-1]


def _helpers(known: Iterable[str], unknown: Mapping[str, str]) -> Lines:
    lines: Lines = []
    for name, place in vocabulary.helper_names(known).items():
        camel = "".join(word.title() for word in name.split("_"))
        lines += _comment(f"Returns `value` if `{place}` knows it, else its unknown value.", "")
        lines += [f"export function {camel[0].lower() + camel[1:]}(value: string): string {{"]
        other = _literal(unknown[place])
        lines.append(f'  return KNOWN_VALUES["{place}"]?.includes(value) ? value : {other};')
        lines += ["}", ""]
    return lines


_TABLES = (
    ("KNOWN_VALUES", "readonly string[]", "known", "Open string → its known values."),
    ("UNKNOWN_VALUES", "string", "unknown", "Open string → what stands for every other value."),
    ("ENUM_VALUES", "readonly string[]", "enums", "Enum → values."),
    ("SAFE_DEFAULTS", "string", "defaults", "Enum → what an unknown value is taken for."),
    (
        "TRANSITIONS",
        "Readonly<Record<string, readonly string[]>>",
        "transitions",
        "State union → state → the states that may follow.",
    ),
)
