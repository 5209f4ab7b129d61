"""What is not a schema, and what it looks like: data has no keyword of any draft at its root.

A description of an API is none either, but holds schemas: those of its components are compared.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from ...json.pointer import escape_pointer
from .dialects import ANNOTATIONS, DIALECTS

__all__ = [
    "Api",
    "api_of",
    "holder_of",
    "holds_schemas",
    "is_compared",
    "is_wrapped",
    "looks_like",
    "prepared",
]

_CORE: Final = frozenset(
    {
        *("$defs", "definitions", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "then"),
        *("else", "additionalItems", "exclusiveMinimum", "exclusiveMaximum", "minContains"),
        *("maxContains", "$recursiveRef"),
    }
)
_KEYWORDS: Final = _CORE.union(ANNOTATIONS, *(each.keywords for each in DIALECTS.values()))
_ORDINARY: Final = frozenset({"title", "description", "id", "default", "example", "format"})
"""Keywords that are names of ordinary data as well, and ask for nothing."""
_MARKS: Final = (
    (("openrpc",), "an OpenRPC document"),
    (("arazzo",), "an Arazzo document"),
    (("name", "version"), "the manifest of a package"),
    (("input_schema",), "a tool: its schema is the member input_schema"),
    (("parameters", "name"), "a tool: its schema is the member parameters"),
    (("schema",), "a wrapper: its schema is the member schema"),
)
_SHOWN: Final = 4
_API_MEMBERS: Final = frozenset({"info", "paths", "components"})
"""One of them is in every description of an API: a schema may be marked as one is, too."""
# Formats of schemas in AsyncAPI that are JSON Schema of the document's own draft, or near to it.
_FORMAT: Final = re.compile(
    r"(?i)application/(?:schema\+(?:json|yaml)(?:;\s*version=draft-07)?"
    r"|vnd\.(?:aai\.asyncapi|oai\.openapi)(?:\+(?:json|yaml))?;\s*version=(?P<version>[\d.]+))"
)


class Api(NamedTuple):
    """A kind of description of an API: what it is called, and the draft of its schemas."""

    name: str
    dialect: str


def api_of(document: Any) -> Api | None:
    """Return which description of an API a document is, if it is one."""
    if not isinstance(document, dict) or not _API_MEMBERS.intersection(document):
        return None
    version = document.get("openapi")
    if isinstance(version, str):
        return Api(f"an OpenAPI {version} document", _dialect_of(document, version))
    if isinstance(document.get("swagger"), str):
        return Api(f"a Swagger {document['swagger']} document", "draft-04")
    if isinstance(document.get("asyncapi"), str):
        return Api(f"an AsyncAPI {document['asyncapi']} document", "draft-07")
    return None


def _dialect_of(document: dict[str, Any], version: str) -> str:
    named = document.get("jsonSchemaDialect")
    known = [each.name for each in DIALECTS.values() if named in (each.uri, each.uri + "#")]
    return known[0] if known else "draft-04" if version.startswith("3.0") else "2020-12"


def holder_of(api: Api) -> tuple[str, ...]:
    """Return where the schemas of such a document are: the members on the way, from its root."""
    return ("definitions",) if "Swagger" in api.name else ("components", "schemas")


def prepared(document: Any) -> Any:
    """Return a description of an API as a schema document; anything else as it is.

    It names its draft, and ``nullable`` of OpenAPI 3.0 is the type null: it counts only beside a
    type.
    """
    api = api_of(document)
    if api is None:
        return document
    made = {"$schema": DIALECTS[api.dialect].uri, **document}
    if "AsyncAPI" in api.name:
        return _of_many_formats(made)
    return _nullable(made) if "OpenAPI 3.0" in api.name else made


def is_wrapped(value: Any) -> bool:
    """Whether a schema of AsyncAPI 3 is in an object that names its format."""
    return isinstance(value, dict) and isinstance(value.get("schemaFormat"), str)


def is_compared(wrapped: dict[str, Any]) -> bool:
    """Whether the format that a wrapped schema names is read as JSON Schema of draft-07."""
    found = _FORMAT.fullmatch(wrapped["schemaFormat"].strip())
    if found is None or not isinstance(wrapped.get("schema"), (dict, bool)):
        return False
    return "openapi" not in found[0].lower() or found["version"].startswith("3.0")


def _of_many_formats(document: dict[str, Any]) -> dict[str, Any]:
    """Let whoever refers to a wrapped schema come to the schema itself."""
    components = document.get("components")
    if not isinstance(components, dict) or not isinstance(components.get("schemas"), dict):
        return document
    held = components["schemas"]
    made = {name: _referring(name, value) for name, value in held.items()}
    return {**document, "components": {**components, "schemas": made}}


def _referring(name: str, value: Any) -> Any:
    if not is_wrapped(value) or not is_compared(value):
        return value
    schema = value["schema"]
    if "openapi" in value["schemaFormat"].lower():
        schema = _nullable(schema)
    pointer = f"/components/schemas/{escape_pointer(name)}/schema"
    return {**value, "schema": schema, "$ref": f"#{quote(pointer, safe='/~')}"}


def _nullable(part: Any) -> Any:
    if isinstance(part, list):
        return [_nullable(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {name: _nullable(member) for name, member in part.items()}
    if made.get("nullable") is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return made


def holds_schemas(document: Any) -> bool:
    """Whether every member of an object is a schema: others of a folder may refer to them."""
    members = document.values() if isinstance(document, dict) else ()
    return all(isinstance(each, dict) and looks_like(each) is None for each in members)


def looks_like(document: Any) -> str | None:
    """Return what a document is that is not a schema; None: it is one, or a boolean.

    An empty object is a schema. So is what has a keyword at its root; but a title beside members
    that no schema has is somebody's data.
    """
    if not isinstance(document, dict) or not document:
        return None
    names = set(document)
    foreign = {name for name in names - _KEYWORDS if not name.startswith("x-")}
    if names & (_KEYWORDS - _ORDINARY) or not foreign:
        return None
    for marks, name in _MARKS:
        if names.issuperset(marks):
            return name
    shown = sorted(names)
    told = ", ".join(shown[:_SHOWN]) + (", …" if len(shown) > _SHOWN else "")
    return f"data: an object with the members {told}"
