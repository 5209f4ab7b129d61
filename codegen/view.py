"""What datamodel-code-generator gets to see: one flat schema per family, cut to what it does well.

It loses or splits what is beside ``properties`` (``allOf``), and copies every annotation into
the types; both are left out here, the checks and the templates bring them back.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from codegen import model as m

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class View:
    """Choices of one target."""

    patterns: bool  # a regular expression per decoded string costs structs three times the time
    extensible: bool  # structs cannot keep unknown members: there such an object is a dict
    any_json: str | None = None  # the type of a value of any kind, where Any takes too much
    any_number: str | None = None  # the type of a number of any kind, where int | float takes less

    def document(self, family: m.Family) -> dict[str, Any]:
        """Return the schema of the whole family."""
        types = {name: self.schema(definition.node) for name, definition in family.types.items()}
        return {"$schema": _DIALECT, "title": f"{family.name} family", "$defs": types}

    def schema(self, node: m.Node) -> dict[str, Any]:
        """Return the schema of one node."""
        match node:
            case m.Ref(name=name):
                return {"$ref": _ref(name)}
            case m.String():
                pattern = node.pattern if self.patterns else None
                return _present(
                    type="string",
                    minLength=node.min_length,
                    maxLength=node.max_length,
                    pattern=pattern,
                )
            case m.Enum(values=values):
                return {"type": "string", "enum": list(values)}
            case m.Const(value=value):
                return {"type": "string", "const": value}
            case m.Integer():
                return _present(type="integer", minimum=node.minimum, maximum=node.maximum)
            case m.Number():
                return self._number(node)
            case m.Boolean():
                return {"type": "boolean"}
            case m.Array(items=items, min_items=least):
                return _present(type="array", items=self.schema(items), minItems=least)
            case m.Map(values=values):
                return {"type": "object", "additionalProperties": self.schema(values)}
            case m.Free() | m.FreeArray():
                return self._free(node)
            case m.Object():
                return self._object(node)
            case m.Union(tag=tag, variants=variants):
                mapping = {value: _ref(ref.name) for value, ref in variants}
                return {
                    "oneOf": [{"$ref": target} for target in mapping.values()],
                    "discriminator": {"propertyName": tag, "mapping": mapping},
                }
            case m.Choice(members=members):
                return {"oneOf": [self.schema(member) for member in members]}

    def _number(self, node: m.Number) -> dict[str, Any]:
        if node.is_free:
            return _present(type=["integer", "number"], customTypePath=self.any_number)
        return _present(type="number", minimum=node.minimum, maximum=node.maximum)

    def _free(self, node: m.Free | m.FreeArray) -> dict[str, Any]:
        anything = _present(customTypePath=self.any_json)
        if isinstance(node, m.Free):
            return {"type": "object", "additionalProperties": anything}
        return {"type": "array", "items": anything}

    def _object(self, node: m.Object) -> dict[str, Any]:
        if node.extensible and not self.extensible:
            return {"type": "object", "additionalProperties": {}}
        return {
            "type": "object",
            "properties": {prop.name: self.schema(prop.node) for prop in node.properties},
            "required": [prop.name for prop in node.properties if prop.required],
        }


def docs(definition: m.TypeDef) -> dict[str, Any]:
    """Return the docstrings of a type and its members, as the templates print them."""
    members: dict[str, str] = {}
    if isinstance(definition.node, m.Object):
        for name, schema in definition.schema["properties"].items():
            if "description" in schema:
                members[name] = docstring(schema["description"], indent=4)
    return {
        "doc": docstring(definition.description, indent=0),
        "class_doc": docstring(definition.description, indent=4),
        "member_docs": members,
    }


def docstring(text: str, indent: int) -> str:
    """Return ``text`` as a docstring literal whose later lines are indented."""
    body, final = (text[:-1], '\\"') if text.endswith('"') else (text, "")
    safe = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + final
    pad = " " * indent
    lines = textwrap.wrap(safe, 100 - indent - 6, break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        return f'"""{lines[0]}"""'
    return '"""' + f"\n{pad}".join(lines) + f'\n{pad}"""'


def _ref(name: str) -> str:
    return f"#/$defs/{name}"


def _present(**schema: Any) -> dict[str, Any]:
    return {keyword: value for keyword, value in schema.items() if value is not None}
