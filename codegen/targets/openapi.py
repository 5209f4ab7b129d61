"""``openapi-3.1.json`` and ``openapi-3.2.json``: the contract service, for OpenAPI's tools.

Made of ``schemas/openapi.src.json``, which is the 3.2 edition. OpenAPI 3.1 has no word for the
items of a sequence: there a body of lines or events is a string, and ``x-item-schema`` says what
a line or an event is. An example of one is then its text, where 3.2 shows its data as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from codegen.flatten import as_text, flatten, read_source

__all__ = ["SOURCE", "generate"]

SOURCE: Final = "openapi.src.json"

_SEQUENCES: Final = {
    "application/jsonl": "JSON Lines.",
    "application/x-ndjson": "JSON Lines.",
    "text/event-stream": "Server-sent events.",
}
_OLDER: Final = {
    "openapi": "3.1.2",
    "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
}


def generate(schemas: Path) -> dict[str, str]:
    """Return both editions; nothing where the folder has no source of them."""
    source = schemas / SOURCE
    if not source.exists():
        return {}
    newer = flatten(read_source(source), schemas, name=SOURCE)
    older = _without_items({**newer, **_OLDER})
    return {
        "openapi-3.1.json": as_text(_reachable(older), source),
        "openapi-3.2.json": as_text(_reachable(newer), source),
    }


def _without_items(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as 3.1 says it; sequences are in operations, not in components."""
    paths = {
        path: {method: _operation(operation) for method, operation in item.items()}
        for path, item in document["paths"].items()
    }
    components = {
        **document["components"],
        "examples": {
            name: _example(each) for name, each in document["components"]["examples"].items()
        },
    }
    return {**document, "paths": paths, "components": components}


def _example(example: dict[str, Any]) -> dict[str, Any]:
    if "serializedValue" not in example:
        return example
    kept = {key: each for key, each in example.items() if key != "dataValue"}
    return {("value" if key == "serializedValue" else key): each for key, each in kept.items()}


def _operation(operation: dict[str, Any]) -> dict[str, Any]:
    made = dict(operation)
    if "requestBody" in operation:
        made["requestBody"] = _body(operation["requestBody"])
    made["responses"] = {name: _body(each) for name, each in operation["responses"].items()}
    return made


def _body(body: dict[str, Any]) -> dict[str, Any]:
    if "content" not in body:
        return body
    content = {name: _media_type(name, each) for name, each in body["content"].items()}
    return {**body, "content": content}


def _media_type(name: str, media_type: dict[str, Any]) -> dict[str, Any]:
    if "itemSchema" not in media_type:
        return media_type
    kept = {key: each for key, each in media_type.items() if key not in _SCHEMAS}
    schema = {"type": "string", "description": _SEQUENCES[name]}
    return {"schema": schema, "x-item-schema": media_type["itemSchema"], **kept}


_SCHEMAS: Final = ("schema", "itemSchema")


def _reachable(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without the components that nothing leads to."""
    components = document["components"]
    reached: dict[str, None] = {}
    waiting = list(_references(document["paths"]))
    while waiting:
        place = waiting.pop()
        if place not in reached:
            reached[place] = None
            kind, name = place.split("/")[2:]
            waiting += _references(components[kind][name])
    kept = {
        kind: {
            name: each for name, each in group.items() if f"#/components/{kind}/{name}" in reached
        }
        for kind, group in components.items()
    }
    return {**document, "components": {kind: group for kind, group in kept.items() if group}}


def _references(value: Any) -> Iterator[str]:
    """Yield every reference in ``value``; no data of ours has a member of that name."""
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str):
            yield target
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
