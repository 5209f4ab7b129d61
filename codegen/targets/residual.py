"""``residual/<family>.py``: what the typed decode of a struct has not looked at.

Per type a function from the decoded struct to True (nothing found), or None where the decode has
looked at everything. Left over are patterns, exactly-one-of, meaning rules and objects that stay
dicts because their unknown members are kept; for those the checks of the family are called, and
what they hold has to be as it is written: no unknown member further down, and 1 for 1.0.

msgspec takes a lone tagged struct without its tag, and nothing of that is seen afterwards. A
variant that is read on its own is therefore decoded as a union with a struct that no document
means (``DECODED_AS``); inside other types the answer is False there, and the checks look.
"""

from __future__ import annotations

from codegen import model as m
from codegen.lint import json_kinds
from codegen.targets.checks import function
from codegen.targets.rules import Lines, RuleEmitter, StructAccess, literal
from codegen.write import banner

_UNTAGGED = [
    "def _untagged(v: Any) -> bool:",
    '    """Ask for a closer look: a variant outside a union is decoded without its tag too."""',
    "    return False",
]


def _other(tag: str) -> str:
    return f"_Other{m.snake(tag).capitalize()}"


_PYTHON = {"string": "str", "number": "int, float", "boolean": "bool", "array": "list"}


def generate(contract: m.Contract) -> dict[str, str]:
    """Return one module per family, and the package's ``__init__.py``."""
    package = '"""What structs leave unchecked, one module per family."""\n'
    files = {"residual/__init__.py": banner(contract.version, contract.digest) + package}
    for family in contract.families.values():
        text = _Module(contract, family).text()
        files[f"residual/{family.name}.py"] = banner(contract.version, family.digest) + text
    return files


class _Module:
    """Collects the functions of one family."""

    def __init__(self, contract: m.Contract, family: m.Family) -> None:
        self.package = f"partwire.{contract.module}"
        self.family = family
        self.patterns: dict[str, str] = {}
        self.tables: dict[str, str] = {}
        self.functions: dict[str, Lines] = {}
        self.left_over: dict[str, bool] = {}
        self.differing: dict[str, bool] = {}
        self.variants = {  # name → tag member
            ref.name: definition.node.tag
            for definition in family.types.values()
            if isinstance(definition.node, m.Union)
            for _, ref in definition.node.variants
        }

    def text(self) -> str:
        for definition in self.family.types.values():
            if self.leaves(m.Ref(definition.file, definition.name), tagged=True):
                self.define(function(definition.name), definition.node, definition)
        table = self.entries()
        tables = "\n".join(self.tables.values())
        body = "\n\n\n".join("\n".join(lines) for lines in self.functions.values())
        head = "\n".join([*self.head(body, tables + table), *self.pattern_lines()])
        return "\n\n\n".join(part for part in (head, body, tables, table) if part) + "\n"

    def entries(self) -> str:
        """Return the tables by type name."""
        lines: Lines = []
        for tag in dict.fromkeys(self.variants.values()):
            lines += [
                f'class {_other(tag)}(Struct, frozen=True, tag_field={literal(tag)}, tag=""):',
                '    """Makes msgspec ask for the tag; the tag of no variant."""',
                "",
                "",
            ]
        lines.append("DECODED_AS: Final[Mapping[str, Any]] = {")
        for name, tag in self.variants.items():
            lines.append(f"    {literal(name)}: structs.{name} | {_other(tag)},")
        lines += ["}", "RESIDUAL: Final[Mapping[str, Test | None]] = {"]
        lines += [f"    {literal(name)}: {self.entry(name)}," for name in self.family.types]
        lines += ["}", "TEXTS: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {"]
        for name in self.family.types:
            if (texts := self.texts(name)) is not None:
                row = ", ".join(f"{literal(key)}: {value}" for key, value in texts.items())
                lines.append(f"    {literal(name)}: {{{row}}},")
        return "\n".join([*lines, "}"])

    def texts(self, name: str) -> dict[str, str] | None:
        """Return the attributes whose patterns are all that is left over, with their pattern.

        None where it is not as simple as that, or where the kind of the value has to be looked at.
        """
        node = self.family.types[name].node
        if name in self.variants:
            return None
        if not isinstance(node, m.Union):
            return self.texts_of_object(name)
        found = [self.texts_of_object(ref.name) for _, ref in node.variants]
        return found[0] if all(each == found[0] for each in found) else None

    def texts_of_object(self, name: str) -> dict[str, str] | None:
        definition = self.family.types[name]
        node = definition.node
        if definition.rules or not isinstance(node, m.Object):
            return None
        if node.extensible or node.exactly_one:
            return None
        texts = {}
        for prop in node.properties:
            resolved = self.family.resolve(prop.node)
            if isinstance(resolved, m.String) and resolved.pattern is not None and prop.required:
                name_of = self.patterns[resolved.pattern].replace("_P", "_R")
                texts[m.snake(prop.name)] = name_of
            elif self.leaves(prop.node):
                return None
        return texts

    def entry(self, name: str) -> str:
        """Return what the table holds for a type that is read on its own."""
        inner = function(name) if self.left_over[name] else "None"
        if name not in self.variants:
            return inner
        made = f"{function(name)}__alone"
        rest = f" and {inner}(v)" if self.left_over[name] else ""
        self.functions[made] = [
            f"def {made}(v: Any) -> bool:",
            f"    return type(v) is structs.{name}{rest}",
        ]
        return made

    def head(self, body: str, tables: str) -> Lines:
        lines = [
            f'"""What the typed decode of the {self.family.name} family leaves unchecked.',
            "",
            "``RESIDUAL[name](value)`` is True where nothing is found, False where the checks have",
            "to look; None: nothing is left to check. The value is decoded as ``DECODED_AS[name]``",
            "or, where there is none, as the struct of that name.",
            "",
            "``TEXTS[name]``: for the types where all that is left to check is that these texts",
            "match as a whole.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "import re",
            "from collections.abc import Callable, Mapping",
            "from typing import Any, Final, TypeAlias",
            "",
        ]
        imported = [name for name in ("UNSET", "Struct") if name in body + tables]
        if imported:
            lines += [f"from msgspec import {', '.join(imported)}", ""]
        if "CHECKS[" in body:
            lines.append(f"from {self.package}.checks.{self.family.name} import CHECKS")
        if "structs." in tables:
            lines.append(f"from {self.package}.structs import {self.family.name} as structs")
        return [*lines, "", "Test: TypeAlias = Callable[[Any], bool]"]

    def pattern_lines(self) -> Lines:
        lines = []
        for pattern, name in self.patterns.items():
            compiled = name.replace("_P", "_R")
            lines.append(f"{compiled} = re.compile({literal(pattern[1:-1])})")
            lines.append(f"{name} = {compiled}.fullmatch")
        return lines

    # --- what is left over ------------------------------------------------------------------

    def leaves(self, node: m.Node, *, tagged: bool = False) -> bool:
        """Return whether the decode leaves anything of ``node`` unchecked."""
        if isinstance(node, m.Ref):
            if node.name in self.variants and not tagged:
                return True
            if node.name not in self.left_over:
                definition = self.family.types[node.name]
                self.left_over[node.name] = False  # while a recursive type is looked at
                self.left_over[node.name] = bool(definition.rules) or self.leaves(definition.node)
            return self.left_over[node.name]
        if isinstance(node, m.String):
            return node.pattern is not None
        if isinstance(node, m.Object) and (node.extensible or node.exactly_one):
            return True
        tagged = isinstance(node, m.Union)
        found = [self.leaves(child, tagged=tagged) for child in m.children(node)]
        return any(found)

    def test(self, node: m.Node, x: str, name: str) -> str:
        """Return the condition that ``x`` is right; ``name`` is for its own function."""
        resolved = self.family.resolve(node)
        if isinstance(resolved, m.String) and resolved.pattern is not None:
            pattern = self.patterns.setdefault(resolved.pattern, f"_P{len(self.patterns) + 1}")
            return f"{pattern}({x})"
        if isinstance(node, m.Ref):
            made = "_untagged" if node.name in self.variants else function(node.name)
            if made == "_untagged":
                self.functions[made] = _UNTAGGED
            return f"{made}({x})"
        self.define(name, node, None)
        return f"{name}({x})"

    # --- values that stay dicts --------------------------------------------------------------

    def differs(self, node: m.Node) -> bool:
        """Return whether a valid dict may differ from what is written: unknown members, 1.0."""
        if isinstance(node, m.Ref):
            if node.name not in self.differing:
                self.differing[node.name] = False  # while a recursive type is looked at
                self.differing[node.name] = self.differs(self.family.types[node.name].node)
            return self.differing[node.name]
        if isinstance(node, m.Integer) or (isinstance(node, m.Object) and not node.extensible):
            return True
        return any(self.differs(child) for child in m.children(node))

    def as_written(self, node: m.Node, x: str, name: str) -> str:
        """Return the condition that the valid value ``x`` is written as it is."""
        if isinstance(node, m.Integer):
            return f"type({x}) is int"
        name = function(node.name) if isinstance(node, m.Ref) else name
        made = f"{name}__as_written"
        if made not in self.functions:
            inner = self.family.types[node.name].node if isinstance(node, m.Ref) else node
            self.functions[made] = []  # while a recursive type is looked at
            body = self.as_written_body(inner, name)
            self.functions[made] = [f"def {made}(v: Any) -> bool:", *(f"    {x}" for x in body)]
        return f"{made}({x})"

    def as_written_body(self, node: m.Node, name: str) -> Lines:
        match node:
            case m.Object():
                return [f"return {' and '.join(self.as_written_members(node, name)) or 'True'}"]
            case m.Union():
                table = f"{name.upper()}_WRITTEN"
                rows = [
                    f"    {literal(tag)}: {self.as_written(ref, '', '').removesuffix('()')},"
                    for tag, ref in node.variants
                ]
                head = f"{table}: Final[Mapping[str, Test]] = {{"
                self.tables[table] = "\n".join([head, *rows, "}"])
                return [f"return {table}[v[{literal(node.tag)}]](v)"]
            case m.Choice():
                return [*self.as_written_members_of_choice(node, name), "return True"]
            case m.Array(items=inner) | m.Map(values=inner):
                values = "v" if isinstance(node, m.Array) else "v.values()"
                return [
                    f"return all({self.as_written(inner, 'y', f'{name}__each')} for y in {values})"
                ]
        return [f"return {self.as_written(node, 'v', name)}"]

    def as_written_members(self, node: m.Object, name: str) -> Lines:
        tests = []
        if not node.extensible:
            names = ", ".join(literal(prop.name) for prop in node.properties)
            table = f"{name.upper()}_NAMES"
            self.tables[table] = f"{table}: Final = frozenset({{{names}}})"
            tests.append(f"{table}.issuperset(v)")
        for prop in node.properties:
            if self.differs(prop.node):
                key = literal(prop.name)
                test = self.as_written(prop.node, f"v[{key}]", f"{name}__{m.snake(prop.name)}")
                tests.append(test if prop.required else f"({key} not in v or {test})")
        return tests

    def as_written_members_of_choice(self, node: m.Choice, name: str) -> Lines:
        lines: Lines = []
        for index, member in enumerate(node.members):
            if self.differs(member):
                (kind,) = json_kinds(self.family, member)
                lines += [
                    f"if isinstance(v, {_PYTHON.get(kind, 'dict')}):",
                    f"    return {self.as_written(member, 'v', f'{name}__{index}')}",
                ]
        return lines

    # --- functions --------------------------------------------------------------------------

    def define(self, name: str, node: m.Node, definition: m.TypeDef | None) -> None:
        self.functions[name] = []
        match node:
            case m.Object(extensible=True):
                assert definition is not None
                lines = [f"return CHECKS[{literal(definition.name)}](v) is None"]
                if self.differs(node):
                    lines[0] += f" and {self.as_written(node, 'v', name)}"
            case m.Object():
                lines = self.object(name, node, definition)
            case m.Union():
                lines = self.union(name, node)
            case m.Choice():
                lines = self.choice(name, node)
            case m.Array(items=inner) | m.Map(values=inner):
                lines = self.collection(name, node, inner)
            case m.Ref():
                lines = [f"return {self.returned(node, 'v', name)}"]
            case _:
                lines = [f"return {self.test(node, 'v', name)} is not None"]
        self.functions[name] = [f"def {name}(v: Any) -> bool:", *(f"    {line}" for line in lines)]

    def returned(self, node: m.Node, x: str, name: str) -> str:
        """Return the condition as a bool: a pattern's match is none."""
        test = self.test(node, x, name)
        return f"{test} is not None" if test.startswith("_P") else test

    def unmet(self, test: str) -> str:
        """Return the condition that ``test`` does not hold."""
        plain = test.removesuffix(" is not None")
        return f"{plain} is None" if plain != test and not test.startswith("(") else f"not {test}"

    def object(self, name: str, node: m.Object, definition: m.TypeDef | None) -> Lines:
        tests: list[str] = []
        for prop in node.properties:
            if not self.leaves(prop.node):
                continue
            attribute = f"v.{m.snake(prop.name)}"
            test = self.returned(prop.node, attribute, f"{name}__{m.snake(prop.name)}")
            tests.append(test if prop.required else f"({attribute} is UNSET or {test})")
        for names in node.exactly_one:
            absent = " + ".join(f"(v.{m.snake(each)} is UNSET)" for each in names)
            tests.append(f"{absent} == {len(names) - 1}")
        rules = self.rules(definition) if definition is not None else []
        if not rules:
            return [f"return {' and '.join(tests) or 'True'}"]
        shape = [line for test in tests for line in (f"if {self.unmet(test)}:", "    return False")]
        return [*shape, *rules, "return True"]

    def rules(self, definition: m.TypeDef) -> Lines:
        access = StructAccess()
        emitter = RuleEmitter(
            self.family, definition, access, lambda *_: "return False", self.tables
        )
        # The checks leave a loop after a finding; here nothing follows the return.
        return [line for line in emitter.lines() if line.strip() != "break"]

    def union(self, name: str, node: m.Union) -> Lines:
        table = f"{name.upper()}_VARIANTS"
        rows = [
            f"    structs.{ref.name}: {function(ref.name)},"
            for _, ref in node.variants
            if self.leaves(ref, tagged=True)
        ]
        self.tables[table] = "\n".join([f"{table}: Final[Mapping[type, Test]] = {{", *rows, "}"])
        return [f"f = {table}.get(type(v))", "return f is None or f(v)"]

    def choice(self, name: str, node: m.Choice) -> Lines:
        lines: Lines = []
        for index, member in enumerate(node.members):
            if not self.leaves(member):
                continue
            (kind,) = json_kinds(self.family, member)
            test = self.returned(member, "v", f"{name}__{index}")
            if kind in _PYTHON:
                lines.append(f"if isinstance(v, ({_PYTHON[kind]})):")
            else:
                others = [_PYTHON[k] for k in sorted(self.kinds(node) - {"object"})]
                lines.append(f"if not isinstance(v, ({', '.join(others)})):")
            lines.append(f"    return {test}")
        return [*lines, "return True"]

    def kinds(self, node: m.Choice) -> frozenset[str]:
        return frozenset().union(*(json_kinds(self.family, member) for member in node.members))

    def collection(self, name: str, node: m.Node, inner: m.Node) -> Lines:
        values = "v" if isinstance(node, m.Array) else "v.values()"
        resolved = self.family.resolve(inner)
        if isinstance(resolved, m.Union) and isinstance(inner, m.Ref):
            # The table of the union is looked at here: one call less for every item.
            table = f"{function(inner.name).upper()}_VARIANTS"
            return [
                f"for y in {values}:",
                f"    f = {table}.get(type(y))",
                "    if f is not None and not f(y):",
                "        return False",
                "return True",
            ]
        test = self.test(inner, "y", f"{name}__each")
        return [f"for y in {values}:", f"    if not {test}:", "        return False", "return True"]
