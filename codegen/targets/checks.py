"""``checks/<family>.py``: validators over plain JSON values, without dependencies.

Per type one function: None when all is well, findings otherwise. Whether a value is right is
looked at inline, with exact types first; why it is wrong is left to ``partwire.bindings``.
"""

from __future__ import annotations

from codegen import model as m
from codegen.lint import json_kinds
from codegen.targets.rules import Lines, RuleEmitter, literal
from codegen.write import banner

_BIGGEST = "1.7976931348623157e308"
_CHOICE_TYPES = {
    "string": ("str", "a string"),
    "number": ("(int, float)", "a number"),
    "boolean": ("bool", "a boolean"),
    "array": ("list", "an array"),
    "object": ("dict", "an object"),
}


def generate(contract: m.Contract) -> dict[str, str]:
    """Return one module per family, and the package's ``__init__.py``."""
    package = '"""Checks of the contract, one module per family."""\n'
    files = {"checks/__init__.py": banner(contract.version, contract.digest) + package}
    for family in contract.families.values():
        text = _Module(contract, family).text()
        files[f"checks/{family.name}.py"] = banner(contract.version, family.digest) + text
    return files


def function(name: str) -> str:
    """Return the name of the function that checks the type ``name``."""
    return f"_{m.snake(name)}"


class _Module:
    """Collects functions, patterns and tables while the types are walked."""

    def __init__(self, contract: m.Contract, family: m.Family) -> None:
        self.contract = contract
        self.family = family
        self.patterns: dict[str, str] = {}
        self.tables: dict[str, str] = {}
        self.functions: dict[str, Lines] = {}

    def text(self) -> str:
        for definition in self.family.types.values():
            self.define(function(definition.name), definition.node, definition)
        names = {name: function(name) for name in self.family.types}
        checks = ["CHECKS: Final[Mapping[str, Check]] = {"]
        checks += [f'    "{name}": {made},' for name, made in names.items()]
        checks += ["}"]
        patterns = [
            line
            for pattern, name in self.patterns.items()
            for line in self.pattern_lines(pattern, name)
        ]
        body = "\n\n\n".join("\n".join(lines) for lines in self.functions.values())
        head = _HEAD.format(family=self.family.name, imports=_imports(body))
        if patterns:
            head = head.replace("from collections", "import re\nfrom collections")
        tables = "\n".join(self.tables.values())
        parts = [head + "\n".join(patterns), body, tables, "\n".join(checks) + _TAIL]
        return "\n\n\n".join(part.strip("\n") for part in parts if part) + "\n"

    def pattern_lines(self, pattern: str, name: str) -> Lines:
        """Return the compiled pattern, and in words what it asks for."""
        words = next(
            (
                definition.description
                for definition in self.family.types.values()
                if isinstance(definition.node, m.String) and definition.node.pattern == pattern
            ),
            pattern,
        )
        # fullmatch, not match and $: that takes a final newline, which ECMA's $ does not.
        compiled = f"{name} = re.compile({literal(pattern[1:-1])}).fullmatch"
        return [compiled, f"{name}_FORM = {literal(words)}"]

    # --- expressions ------------------------------------------------------------------------

    def pattern(self, node: m.String) -> str | None:
        if node.pattern is None:
            return None
        return self.patterns.setdefault(node.pattern, f"_P{len(self.patterns) + 1}")

    def right(self, node: m.Node, x: str) -> str | None:
        """Return the condition that ``x`` is right, or None where a function has to look."""
        match self.family.resolve(node):
            case m.String() as string:
                tests = [f"type({x}) is str"]
                if string.min_length:
                    tests.append(
                        x if string.min_length == 1 else f"len({x}) >= {string.min_length}"
                    )
                if string.max_length is not None:
                    tests.append(f"len({x}) <= {string.max_length}")
                if string.pattern is not None:
                    tests.append(f"{self.pattern(string)}({x})")
                return " and ".join(tests)
            case m.Enum(values=allowed):
                return f"type({x}) is str and {x} in {literal(allowed)}"
            case m.Const(value=value):
                return f"type({x}) is str and {x} == {literal(value)}"
            case m.Integer(minimum=least, maximum=most):
                return f"type({x}) is int and {least} <= {x} <= {most}"
            case m.Number(minimum=least, maximum=most):
                low = f"-{_BIGGEST}" if least is None else least
                high = _BIGGEST if most is None else most
                return f"(type({x}) is float or type({x}) is int) and {low} <= {x} <= {high}"
            case m.Boolean():
                return f"({x} is True or {x} is False)"
            case m.Free():
                return f"type({x}) is dict"
            case m.FreeArray():
                return f"type({x}) is list"
            case _:
                return None

    def why(self, node: m.Node, x: str, name: str) -> str:
        """Return the call that finds what is wrong with ``x``; ``name`` is for a new function."""
        match node:
            case m.Ref():
                return f"{function(node.name)}({x})"
            case m.String(min_length=least, max_length=most):
                matches = self.pattern(node)
                if matches is not None:
                    return f"string({x}, {least}, {most}, {matches}, {matches}_FORM)"
                if most is not None:
                    return f"string({x}, {least}, {most})"
                return f"string({x})" if least is None else f"string({x}, {least})"
            case m.Enum(values=allowed):
                return f"enum({x}, {literal(allowed)})"
            case m.Const(value=value):
                return f"const({x}, {literal(value)})"
            case m.Integer(minimum=least, maximum=most):
                return f"integer({x}, {least}, {most})"
            case m.Number(minimum=low, maximum=high):
                return f"number({x}, {low}, {high})"
            case m.Boolean():
                return f"boolean({x})"
            case m.Free():
                return f"free({x})"
            case m.FreeArray():
                return f"free_array({x})"
            case _:
                self.define(name, node, None)
                return f"{name}({x})"

    # --- functions --------------------------------------------------------------------------

    def define(self, name: str, node: m.Node, definition: m.TypeDef | None) -> None:
        self.functions[name] = []  # keeps its place: what it needs is defined after it
        match node:
            case m.Object():
                lines = self.object(name, node, definition)
            case m.Union():
                lines = self.union(name, node)
            case m.Choice():
                lines = self.choice(name, node)
            case m.Array() | m.Map():
                lines = self.collection(name, node)
            case _:
                lines = [f"return {self.why(node, 'v', name)}"]
        self.functions[name] = [f"def {name}(v: Any) -> Found:", *(f"    {line}" for line in lines)]

    def object(self, name: str, node: m.Object, definition: m.TypeDef | None) -> Lines:
        lines = ["if not isinstance(v, dict):", '    return wrong_type(v, "an object")']
        lines.append("found: Found = None")
        for prop in node.properties:
            lines += self.member(prop, f"{name}__{m.snake(prop.name)}")
        for names in node.exactly_one:
            present = " + ".join(f"({literal(each)} in v)" for each in names)
            lines.append(f"if {present} != 1:")
            lines.append(f"    found = exactly_one(found, v, {literal(names)})")
        if node.at_least_one:
            absent = " and ".join(f"{literal(each)} not in v" for each in node.at_least_one)
            lines += [f"if {absent}:", f"    found = none_of(found, {literal(node.at_least_one)})"]
        if definition is not None and definition.rules:
            lines += self.rules(definition)
        return [*lines, "return found"]

    def member(self, prop: m.Property, name: str) -> Lines:
        key = literal(prop.name)
        right, why = self.right(prop.node, "x"), self.why(prop.node, "x", name)
        lines = [f"x = v.get({key}, ABSENT)"]
        if right is not None:
            there = "" if prop.required else "x is not ABSENT and "
            lines.append(f"if {there}not ({right}):")
            return [*lines, f"    found = member(found, {key}, x, {why})"]
        if prop.required:
            lines += [f"f = {why}", "if f is not None:"]
        else:
            lines.append(f"if x is not ABSENT and (f := {why}) is not None:")
        return [*lines, f"    found = member(found, {key}, x, f)"]

    def rules(self, definition: m.TypeDef) -> Lines:
        def fail(rule: m.Rule, table: str) -> str:
            severity = self.contract.severities[rule.rule]
            args = [rule.args[key] for key in _RULE_ARGS[rule.op]]
            if rule.op == "unique":
                args.append(next(iter(rule.args.get("where", {}).items()), None))
            if rule.op == "present-when":
                args = [next(iter(rule.args["when"])), rule.args["member"]]
            given = [literal(each) for each in (rule.rule, severity)] + ["v"]
            given += [literal(each) for each in args] + ([table] if table else [])
            return f"found = {rule.op.replace('-', '_')}(found, {', '.join(given)})"

        emitter = RuleEmitter(self.family, definition, fail, self.tables)
        return ["if found is None or shape_holds(found):", *(f"    {x}" for x in emitter.lines())]

    def union(self, name: str, node: m.Union) -> Lines:
        table = f"{name.upper()}_VARIANTS"
        rows = [f"    {literal(tag)}: {function(ref.name)}," for tag, ref in node.variants]
        self.tables[table] = "\n".join([f"{table}: Final[Mapping[str, Check]] = {{", *rows, "}"])
        return [
            "if isinstance(v, dict):",
            f"    tag = v.get({literal(node.tag)})",
            f"    f = {table}.get(tag) if isinstance(tag, str) else None",
            "    if f is not None:",
            "        return f(v)",
            f"return tag_of(v, {literal(node.tag)}, {table})",
        ]

    def choice(self, name: str, node: m.Choice) -> Lines:
        lines: Lines = []
        for index, member in enumerate(node.members):
            for kind in sorted(json_kinds(self.family, member)):
                python, _ = _CHOICE_TYPES[kind]
                but = " and not isinstance(v, bool)" if kind == "number" else ""
                lines.append(f"if isinstance(v, {python}){but}:")
                lines.append(f"    return {self.why(member, 'v', f'{name}__{index}')}")
        kinds = [
            _CHOICE_TYPES[kind][1] for x in node.members for kind in json_kinds(self.family, x)
        ]
        return [*lines, f"return no_member_type(v, {literal(' or '.join(kinds))})"]

    def collection(self, name: str, node: m.Array | m.Map) -> Lines:
        is_array = isinstance(node, m.Array)
        inner = node.items if isinstance(node, m.Array) else node.values
        right, why = self.right(inner, "y"), self.why(inner, "y", f"{name}__each")
        kind, words = ("list", "an array") if is_array else ("dict", "an object")
        lines = [f"if not isinstance(v, {kind}):", f'    return wrong_type(v, "{words}")']
        lines.append("found: Found = None")
        if isinstance(node, m.Array) and node.min_items:
            lines += [
                f"if len(v) < {node.min_items}:",
                f"    found = fewer_items(v, {node.min_items})",
            ]
        lines.append("for k, y in enumerate(v):" if is_array else "for k, y in v.items():")
        if right is not None:
            lines += [f"    if not ({right}):", f"        found = below(found, {why}, k)"]
        else:
            lines += [
                f"    f = {why}",
                "    if f is not None:",
                "        found = below(found, f, k)",
            ]
        return [*lines, "        if full(found):", "            break", "return found"]


_RULE_ARGS = {
    "tag-table": ("tag", "items", "itemTag"),
    "unique": ("items", "key"),
    "items-equal": ("items", "key", "to"),
    "items-same": ("items", "key"),
    "not-less": ("value", "than"),
    "present-when": (),
}
_HEAD = '''"""Checks of the {family} family.

``check(type_name, document)`` returns findings; ``CHECKS`` has one function per type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

{imports}
from partwire.errors import Finding
'''
_TAIL = '''

def check(type_name: str, document: object, level: Level = "all") -> list[Finding]:
    """Return the findings of ``document``; UsageError (usage/unknown-type) for an unknown type."""
    return run(CHECKS, type_name, document, level)
'''
_RUNTIME = {
    "check": (
        "ABSENT below boolean const enum exactly_one fewer_items free free_array full integer"
        " member no_member_type none_of number string tag_of wrong_type"
    ),
    "meaning": "items_equal items_same not_less present_when shape_holds tag_table unique",
}


def _imports(body: str) -> str:
    """Return the imports of what ``body`` calls."""
    lines = []
    for module, names in _RUNTIME.items():
        used = [name for name in names.split() if f"{name}(" in body or f"{name})" in body]
        if module == "check":
            used = sorted([*used, "Check", "Found", "Level", "run"], key=_import_order)
        if used:
            inner = "".join(f"    {name},\n" for name in used)
            lines.append(f"from partwire.bindings.{module} import (\n{inner})")
    return "\n".join(lines)


def _import_order(name: str) -> tuple[bool, bool, str]:
    return (not name.isupper(), not name[0].isupper(), name)
