"""Tables beside the schemas as code: each ``tables/NAME.json`` in the form of its schema.

Every property of a table file is a constant of the generated module. Its shape in a language comes
from ``tables/NAME.schema.json``:

====================================  ==================  ====================  ====================
schema                                Python              TypeScript            Rust
====================================  ==================  ====================  ====================
``string``, ``integer``, ``boolean``  the same            the same              &str, i64, bool
``enum`` of strings in ``$defs``      Literal             union of literals     &str
``oneOf`` of ``const`` in ``$defs``   Literal             union of literals     enum
``array`` with ``items``              tuple               readonly array        slice
``array`` with ``prefixItems``        tuple               readonly tuple        tuple
``additionalProperties``              Mapping             ReadonlyMap           slice of pairs
the same, of tuples                   Mapping             ReadonlyMap           slice of tuples
the same, with ``x-keys``             Mapping             object                slice of pairs
the same, ``propertyNames`` digits    Mapping by integer  ReadonlyMap           slice of pairs
``properties``, in ``$defs``          NamedTuple          interface             struct
====================================  ==================  ====================  ====================

``x-languages`` on a schema, property or item of a tuple names those that get it; with an empty
list it is for editors alone. ``x-keys`` is the TypeScript type of a table's keys; a tuple in
``$defs`` is written out where it is referred to; ``x-known-values-of`` on an enum names the type
of the contract whose known values they are, which a test compares. ``x-rust`` is the Rust type of
an integer; ``x-field-name`` says of a string that it is in snake_case in Python. ``$schema``,
``title`` and ``description`` say what the file is, and ``$comment`` speaks to who edits the table.
A member of ``properties`` that is not required is None (``null``, ``None``) where it is absent.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any, ClassVar, Final

import jsonschema

from codegen.load import no_duplicates
from codegen.model import snake
from codegen.problems import Problems, step

__all__ = ["rooms"]

_WIDTH: Final = 100
_ABOUT: Final = frozenset({"$schema", "$comment", "title", "description"})
_DIGITS: Final = "^[0-9]+$"

Schema = Mapping[str, Any]


def rooms(schemas: Path) -> dict[str, dict[str, str]]:
    """Return folder → file name → text, for every language; raise LintError for a wrong table."""
    problems = Problems()
    tables = [_Table(path, problems) for path in _table_files(schemas)]
    problems.raise_any()
    made: dict[str, dict[str, str]] = {}
    for language in (_Python(), _TypeScript(), _Rust()):
        own = [table for table in tables if language.wants(table.schema)]
        modules = {language.file(table.name): language.module(table) for table in own}
        made[language.folder] = modules | language.index(own)
    return made


def _table_files(schemas: Path) -> list[Path]:
    found = (schemas / "tables").glob("*.json")
    return sorted(path for path in found if not path.name.endswith(".schema.json"))


def _shown(path: Path) -> str:
    return f"../tables/{path.name}"


def _object(path: Path, problems: Problems) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"), object_pairs_hook=no_duplicates)
    except FileNotFoundError:
        problems.add(_shown(path), "", "table", "the file is missing")
    except ValueError as error:
        problems.add(_shown(path), "", "table", f"not JSON: {error}")
    else:
        if isinstance(value, dict):
            return value
        problems.add(_shown(path), "", "table", "not an object")
    return {}


class _Table:
    """One file of tables and its schema."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self.name = path.stem
        self.data = _object(path, problems)
        self.schema = _object(path.with_suffix(".schema.json"), problems)
        if not problems.found:
            validator = jsonschema.Draft202012Validator(self.schema)
            for error in validator.iter_errors(self.data):
                pointer = step("", *error.absolute_path)
                problems.add(_shown(path), pointer, "table", error.message)

    def constants(self, language: _Language) -> Iterator[tuple[str, Schema, Any]]:
        """Yield name, schema and value of each constant that a language has."""
        for name, value in self.data.items():
            schema: Schema = self.schema["properties"][name]
            if name not in _ABOUT and language.wants(schema):
                yield name, schema, value

    def resolve(self, schema: Schema) -> tuple[str, Schema]:
        """Return the name in ``$defs`` that a schema refers to, or "", and what is there."""
        if "$ref" not in schema:
            return "", schema
        name = schema["$ref"].removeprefix("#/$defs/")
        found: Schema = self.schema["$defs"][name]
        return ("" if "prefixItems" in found else name), found

    @property
    def definitions(self) -> dict[str, Schema]:
        """What is a named type: name → schema."""
        found = self.schema.get("$defs", {}).items()
        return {name: schema for name, schema in found if "prefixItems" not in schema}


# --- languages ------------------------------------------------------------------------------------


class _Language(ABC):
    """How one language writes tables."""

    name: str
    folder: str
    comment: str
    doc: str
    scalars: ClassVar[Mapping[str, str]]
    true_false_none: tuple[str, str, str]
    indent: str
    list_ends: tuple[str, str]
    tuple_ends: tuple[str, str]

    @abstractmethod
    def file(self, table: str) -> str:
        """Return the name of a table's module."""

    def index(self, tables: list[_Table]) -> dict[str, str]:
        """Return the file that lists the modules, where there is one: file name → text."""
        del tables
        return {}

    @abstractmethod
    def module(self, table: _Table) -> str:
        """Return the module of a table."""

    @abstractmethod
    def type_of(self, table: _Table, schema: Schema) -> str:
        """Return the type of a value."""

    def wants(self, schema: Schema) -> bool:
        """Return whether a table or member is for this language."""
        return self.name in schema.get("x-languages", (self.name,))

    def item_types(self, table: _Table, schema: Schema) -> list[str]:
        """Return the types of the items of a tuple."""
        return [self.type_of(table, each) for each in schema["prefixItems"] if self.wants(each)]

    def members(self, record: Schema) -> list[tuple[str, Schema]]:
        """Return name and schema of the members of a record."""
        return [each for each in record["properties"].items() if self.wants(each[1])]

    def literal(self, table: _Table, schema: Schema, value: Any, indent: int, head: int = 0) -> str:
        """Return a value as code; ``head`` characters come before it in its line."""
        name, schema = table.resolve(schema)
        if isinstance(value, bool) or value is None:
            return self.true_false_none[(True, False, None).index(value)]
        if isinstance(value, str):
            return self.word(name, schema, value)
        if isinstance(value, int):
            return str(value)
        inner = indent + len(self.indent)
        if isinstance(value, list):
            ends = self.tuple_ends if "prefixItems" in schema else self.list_ends
            return self.fit(ends, self.items(table, schema, value, inner), indent, head)
        if "properties" in schema:
            members = self.members(schema)
            return self.record(table, name, members, value, indent, head)
        rows = [
            self.row(table, schema, key if _has_digits(schema) else _quoted(key), each, inner)
            for key, each in value.items()
        ]
        return self.table_of(schema, rows, indent)

    def word(self, name: str, schema: Schema, value: str) -> str:
        """Return a string; ``name`` is that of its type, if it has one."""
        del name, schema
        return _quoted(value)

    def items(self, table: _Table, schema: Schema, value: list[Any], indent: int) -> list[str]:
        """Return the items of a list or tuple that the language gets."""
        shapes = schema.get("prefixItems", [schema.get("items", {})] * len(value))
        return [
            self.literal(table, shape, each, indent, 1)
            for shape, each in zip(shapes, value, strict=True)
            if self.wants(shape)
        ]

    def row(self, table: _Table, schema: Schema, key: str, value: Any, indent: int) -> str:
        """Return one row of a map."""
        shape = schema["additionalProperties"]
        return self.pair(schema, key, self.literal(table, shape, value, indent, len(key) + 5))

    @abstractmethod
    def pair(self, schema: Schema, key: str, value: str) -> str:
        """Return key and value of a map."""

    @abstractmethod
    def table_of(self, schema: Schema, rows: list[str], indent: int) -> str:
        """Return a map of rows."""

    @abstractmethod
    def record(
        self,
        table: _Table,
        name: str,
        members: list[tuple[str, Schema]],
        value: Mapping[str, Any],
        indent: int,
        head: int,
    ) -> str:
        """Return a value of a named type."""

    def fit(self, ends: tuple[str, str], items: list[str], indent: int, head: int) -> str:
        """Return items between brackets, in one line where they fit."""
        line = f"{ends[0]}{', '.join(items)}{ends[1]}"
        if "\n" not in line and indent + head + len(line) + 1 <= _WIDTH:
            return line
        return self.block(ends, items, indent)

    def block(self, ends: tuple[str, str], items: list[str], indent: int) -> str:
        """Return items between brackets, one per line."""
        margin = " " * indent
        lines = [f"{margin}{self.indent}{item}," for item in items]
        return "\n".join([ends[0].rstrip(), *lines, f"{margin}{ends[1].lstrip(', ')}"])

    def head(self, table: _Table) -> list[str]:
        """Return the first lines of a module."""
        notice = f"Generated from schemas/tables/{table.name}.json. Do not edit: change that, then"
        return [f"{self.comment} {notice}", f"{self.comment} run `python -m codegen`.", ""]


class _Python(_Language):
    name = "python"
    folder = "python/partwire/tables"
    comment = "#"
    indent = "    "
    list_ends = ("(", ")")
    tuple_ends = ("(", ")")
    scalars: ClassVar = {"string": "str", "integer": "int", "boolean": "bool"}
    true_false_none = ("True", "False", "None")

    def file(self, table: str) -> str:
        return f"{table.replace('-', '_')}.py"

    def index(self, tables: list[_Table]) -> dict[str, str]:
        text = '"""Generated tables: what all languages look up."""\n'
        return {"__init__.py": text}

    def module(self, table: _Table) -> str:
        definitions = table.definitions
        names = [name.upper() for name, _, _ in table.constants(self)]
        lines = [*self.head(table), *_docstring(table.data["title"], table.data["description"])]
        lines += ["", "from __future__ import annotations", ""]
        lines += ["from collections.abc import Mapping"]
        lines += ["from typing import Final, Literal, NamedTuple", ""]
        exported = ", ".join(f'"{name}"' for name in sorted([*definitions, *names]))
        lines += [f"__all__ = [{exported}]", ""]
        for name, schema in definitions.items():
            lines += self._definition(table, name, schema)
        for name, schema, value in table.constants(self):
            head = f"{name.upper()}: Final[{self.type_of(table, schema)}] = "
            lines += ["", head + self.literal(table, schema, value, 0, len(head))]
            lines += _docstring(schema.get("description", ""))
        return "\n".join([*lines, ""])

    def _definition(self, table: _Table, name: str, schema: Schema) -> list[str]:
        about = _docstring(schema["description"])
        if values := _values(schema):
            about = _docstring(schema["description"], *_meanings(schema, "``"))
            return ["", f"{name} = Literal[{', '.join(map(_quoted, values))}]", *about]
        lines = ["", f"class {name}(NamedTuple):", *(f"    {line}" for line in about), ""]
        for member, shape in self.members(schema):
            absent = "" if member in schema.get("required", ()) else " | None"
            lines.append(f"    {snake(member)}: {self.type_of(table, shape)}{absent}")
            lines += [f"    {line}" for line in _docstring(shape.get("description", ""))]
        return [*lines, ""]

    def type_of(self, table: _Table, schema: Schema) -> str:
        name, schema = table.resolve(schema)
        if name:
            return name
        if "prefixItems" in schema:
            return f"tuple[{', '.join(self.item_types(table, schema))}]"
        if "items" in schema:
            return f"tuple[{self.type_of(table, schema['items'])}, ...]"
        if "additionalProperties" in schema:
            value = self.type_of(table, schema["additionalProperties"])
            return f"Mapping[{'int' if _has_digits(schema) else 'str'}, {value}]"
        return self.scalars[schema["type"]]

    def fit(self, ends: tuple[str, str], items: list[str], indent: int, head: int) -> str:
        closing = ",)" if len(items) == 1 and ends[1] == ")" else ends[1]
        return super().fit((ends[0], closing), items, indent, head)

    def word(self, name: str, schema: Schema, value: str) -> str:
        return _quoted(snake(value) if schema.get("x-field-name") else value)

    def pair(self, schema: Schema, key: str, value: str) -> str:
        return f"{key}: {value}"

    def table_of(self, schema: Schema, rows: list[str], indent: int) -> str:
        return self.block(("{", "}"), rows, indent)

    def record(
        self,
        table: _Table,
        name: str,
        members: list[tuple[str, Schema]],
        value: Mapping[str, Any],
        indent: int,
        head: int,
    ) -> str:
        items = [
            self.literal(table, shape, value.get(member), indent + 4, 1)
            for member, shape in members
        ]
        return self.fit((f"{name}(", ")"), items, indent, head)


class _TypeScript(_Language):
    name = "typescript"
    folder = "typescript/src/generated/tables"
    comment = "//"
    indent = "  "
    list_ends = ("[", "]")
    tuple_ends = ("[", "]")
    scalars: ClassVar = {"string": "string", "integer": "number", "boolean": "boolean"}
    true_false_none = ("true", "false", "null")

    def file(self, table: str) -> str:
        return f"{table}.ts"

    def module(self, table: _Table) -> str:
        lines = [*self.head(table), *_block(f"{table.data['title']}\n{table.data['description']}")]
        for name, schema in table.definitions.items():
            about = "\n".join([schema["description"], *_meanings(schema, "`")])
            lines += ["", *_block(about)]
            if values := _values(schema):
                lines.append(f"export type {name} = {' | '.join(map(_quoted, values))};")
                continue
            lines.append(f"export interface {name} {{")
            for member, shape in self.members(schema):
                absent = "" if member in schema.get("required", ()) else " | null"
                lines += [f"  {line}" for line in _block(shape.get("description", ""))]
                lines.append(f"  readonly {member}: {self.type_of(table, shape)}{absent};")
            lines.append("}")
        for name, schema, value in table.constants(self):
            lines += ["", *_block(schema.get("description", ""))]
            kind = self.type_of(table, schema)
            if keys := schema.get("x-keys"):
                shown = self.literal(table, schema, value, 0)
                lines.append(f"export const {name.upper()} = {shown} as const satisfies {kind};")
                lines += ["", f"/** The keys of {{@link {name.upper()}}}. */"]
                lines.append(f"export type {keys} = keyof typeof {name.upper()};")
                continue
            head = f"export const {name.upper()}: {kind} = "
            lines.append(f"{head}{self.literal(table, schema, value, 0, len(head))};")
        return "\n".join([*lines, ""])

    def type_of(self, table: _Table, schema: Schema) -> str:
        name, schema = table.resolve(schema)
        if name:
            return name
        if "prefixItems" in schema:
            return f"readonly [{', '.join(self.item_types(table, schema))}]"
        if "items" in schema:
            return f"ReadonlyArray<{self.type_of(table, schema['items'])}>"
        if "additionalProperties" in schema:
            value = self.type_of(table, schema["additionalProperties"])
            if "x-keys" in schema:
                return f"Readonly<Record<string, {value}>>"
            return f"ReadonlyMap<{'number' if _has_digits(schema) else 'string'}, {value}>"
        return self.scalars[schema["type"]]

    def pair(self, schema: Schema, key: str, value: str) -> str:
        return f"{key}: {value}" if "x-keys" in schema else f"[{key}, {value}]"

    def table_of(self, schema: Schema, rows: list[str], indent: int) -> str:
        if "x-keys" in schema:
            return self.block(("{", "}"), rows, indent)
        return f"new Map({self.block(('[', ']'), rows, indent)})"

    def record(
        self,
        table: _Table,
        name: str,
        members: list[tuple[str, Schema]],
        value: Mapping[str, Any],
        indent: int,
        head: int,
    ) -> str:
        items = []
        for member, shape in members:
            shown = self.literal(table, shape, value.get(member), indent + 2, len(member) + 2)
            items.append(f"{member}: {shown}")
        return self.fit(("{ ", " }"), items, indent, head)


class _Rust(_Language):
    name = "rust"
    folder = "rust/src/generated/tables"
    comment = "//"
    indent = "    "
    list_ends = ("&[", "]")
    tuple_ends = ("(", ")")
    scalars: ClassVar = {"string": "&'static str", "integer": "i64", "boolean": "bool"}
    true_false_none = ("true", "false", "None")

    def file(self, table: str) -> str:
        return f"{table.replace('-', '_')}.rs"

    def index(self, tables: list[_Table]) -> dict[str, str]:
        lines = ["//! Generated tables: what all languages look up.", ""]
        lines += [f"pub mod {table.name.replace('-', '_')};" for table in tables]
        return {"mod.rs": "\n".join([*lines, ""])}

    def module(self, table: _Table) -> str:
        about = f"{table.data['title']}\n\n{table.data['description']}"
        lines = [*self.head(table), *_slashes("//!", about)]
        for name, schema in table.definitions.items():
            lines += ["", *_slashes("///", schema["description"])]
            if "enum" in schema:
                lines.append(f"pub type {name} = &'static str;")
                continue
            if "oneOf" in schema:
                lines += self._enum(name, schema)
                continue
            lines += ["#[derive(Clone, Copy, Debug, PartialEq, Eq)]", f"pub struct {name} {{"]
            for member, shape in self.members(schema):
                kind = self.type_of(table, shape)
                kind = kind if member in schema.get("required", ()) else f"Option<{kind}>"
                lines += [f"    {line}" for line in _slashes("///", shape.get("description", ""))]
                lines.append(f"    pub {snake(member)}: {kind},")
            lines.append("}")
        for name, schema, value in table.constants(self):
            kind = self.type_of(table, schema).replace("&'static ", "&")
            head = f"pub const {name.upper()}: {kind} = "
            lines += ["", *_slashes("///", schema.get("description", ""))]
            lines.append(f"{head}{self.literal(table, schema, value, 0, len(head))};")
        return "\n".join([*lines, ""])

    def _enum(self, name: str, schema: Schema) -> list[str]:
        lines = ["#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", f"pub enum {name} {{"]
        for row in schema["oneOf"]:
            lines += [f"    {line}" for line in _slashes("///", row["description"])]
            lines.append(f"    {_pascal(row['const'])},")
        lines += ["}", "", f"impl {name} {{", "    /// Returns the word that documents use."]
        lines += ["    #[must_use]", "    pub fn as_str(self) -> &'static str {"]
        lines.append("        match self {")
        for value in _values(schema):
            lines.append(f"            Self::{_pascal(value)} => {_quoted(value)},")
        return [*lines, "        }", "    }", "}"]

    def type_of(self, table: _Table, schema: Schema) -> str:
        name, schema = table.resolve(schema)
        if name:
            return name
        if "prefixItems" in schema:
            return f"({', '.join(self.item_types(table, schema))})"
        if "items" in schema:
            return f"&'static [{self.type_of(table, schema['items'])}]"
        if "additionalProperties" in schema:
            key = self.scalars["integer" if _has_digits(schema) else "string"]
            _, value = table.resolve(schema["additionalProperties"])
            if "prefixItems" in value:
                return f"&'static [({', '.join([key, *self.item_types(table, value)])})]"
            return f"&'static [({key}, {self.type_of(table, schema['additionalProperties'])})]"
        return str(schema.get("x-rust", self.scalars[schema["type"]]))

    def word(self, name: str, schema: Schema, value: str) -> str:
        return f"{name}::{_pascal(value)}" if "oneOf" in schema else _quoted(value)

    def row(self, table: _Table, schema: Schema, key: str, value: Any, indent: int) -> str:
        _, shape = table.resolve(schema["additionalProperties"])
        if "prefixItems" not in shape:
            return super().row(table, schema, key, value, indent)
        items = [key, *self.items(table, shape, value, indent + len(self.indent))]
        return self.fit(self.tuple_ends, items, indent, 0)

    def pair(self, schema: Schema, key: str, value: str) -> str:
        return f"({key}, {value})"

    def table_of(self, schema: Schema, rows: list[str], indent: int) -> str:
        return self.block(("&[", "]"), rows, indent)

    def record(
        self,
        table: _Table,
        name: str,
        members: list[tuple[str, Schema]],
        value: Mapping[str, Any],
        indent: int,
        head: int,
    ) -> str:
        required = table.schema["$defs"][name].get("required", ())
        items = []
        for member, shape in members:
            shown = self.literal(table, shape, value.get(member), indent + 4, len(member) + 2)
            if member not in required and shown != "None":
                shown = f"Some({shown})"
            items.append(f"{snake(member)}: {shown}")
        return self.fit((f"{name} {{ ", " }"), items, indent, head)


# --- texts ----------------------------------------------------------------------------------------


def _has_digits(schema: Schema) -> bool:
    """Return whether the keys of a map are integers."""
    return bool(schema.get("propertyNames", {}).get("pattern") == _DIGITS)


def _values(schema: Schema) -> list[str]:
    """Return the values of an enumeration."""
    return schema.get("enum") or [row["const"] for row in schema.get("oneOf", ())]


def _meanings(schema: Schema, mark: str) -> list[str]:
    """Return a line per value of an enumeration that says what each means."""
    rows = schema.get("oneOf", ())
    return [f"{mark}{row['const']}{mark}: {row['description']}" for row in rows]


def _pascal(word: str) -> str:
    """Return a word of documents as the name of a variant: ``tool_calls`` → ``ToolCalls``."""
    return "".join(part.capitalize() for part in word.replace("-", "_").split("_"))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _docstring(title: str, *more: str) -> list[str]:
    if not title:
        return []
    if not more and len(title) <= _WIDTH - 6:
        return [f'"""{title}"""']
    first, *rest = wrap(title, _WIDTH - 3)
    lines = [f'"""{first}', *rest]
    if more:
        lines += ["", *(line for each in more for line in wrap(each, _WIDTH))]
    return [*lines, '"""']


def _block(text: str) -> list[str]:
    if not text:
        return []
    if "\n" not in text and len(text) <= _WIDTH - 7:
        return [f"/** {text} */"]
    paragraphs = [line for part in text.split("\n") for line in (*wrap(part, _WIDTH - 3), "")]
    return ["/**", *(f" * {line}".rstrip() for line in paragraphs[:-1]), " */"]


def _slashes(mark: str, text: str) -> list[str]:
    lines = [line for part in text.split("\n") for line in wrap(part, _WIDTH - 4) or [""]]
    return [f"{mark} {line}".rstrip() for line in lines] if text else []
