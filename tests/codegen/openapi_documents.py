"""The OpenAPI documents of the service, for tests: as validators, and walked through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import jsonschema_rs

from partwire.contract.resources import interface

__all__ = [
    "EDITIONS",
    "Example",
    "Operation",
    "contract_types",
    "examples",
    "openapi",
    "operations",
    "parameters",
    "resolved",
    "validator",
]

EDITIONS: Final = ("3.1", "3.2")
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Operation(NamedTuple):
    """One method of one path."""

    path: str
    method: str
    spec: Mapping[str, Any]


class Example(NamedTuple):
    """An example of a media type. ``status`` is "" where it is one of a request's body."""

    operation: Operation
    status: str
    media_type: str
    name: str
    spec: Mapping[str, Any]
    schema: Mapping[str, Any]

    @property
    def value(self) -> Any:
        """The data that the schema describes."""
        return self.spec["dataValue"] if "dataValue" in self.spec else self.spec["value"]

    @property
    def text(self) -> str:
        """The bytes of a body, as text."""
        if "serializedValue" in self.spec:
            return str(self.spec["serializedValue"])
        return self.value if isinstance(self.value, str) else json.dumps(self.value)

    @property
    def id(self) -> str:
        where = self.status or "request"
        return f"{self.operation.spec['operationId']}-{where}-{self.media_type}-{self.name}"


@cache
def openapi(edition: str) -> dict[str, Any]:
    """Return one edition; it is not to be changed."""
    return interface(f"openapi-{edition}")


def resolved(part: Mapping[str, Any], edition: str) -> Mapping[str, Any]:
    """Return what a part of the document refers to, or itself."""
    while "$ref" in part:
        found: Any = openapi(edition)
        for step in part["$ref"].split("/")[1:]:
            found = found[step]
        part = found
    return part


def operations(edition: str) -> Iterator[Operation]:
    """Yield every operation, in order."""
    for path, item in openapi(edition)["paths"].items():
        assert set(item) <= set(_METHODS), f"{path}: what does {set(item)} hold?"
        for method, spec in item.items():
            yield Operation(path, method, spec)


def parameters(operation: Operation, edition: str) -> list[Mapping[str, Any]]:
    """Return the parameters of an operation."""
    return [resolved(each, edition) for each in operation.spec.get("parameters", ())]


def validator(schema: Mapping[str, Any], edition: str) -> Callable[[Any], bool]:
    """Return a validator of a schema that is in the document."""
    document = {**schema, "components": {"schemas": openapi(edition)["components"]["schemas"]}}
    return jsonschema_rs.Draft202012Validator(document).is_valid


def contract_types(edition: str) -> list[str]:
    """Return the names of the components that come from the contract, such as blocks.Message."""
    return [name for name in openapi(edition)["components"]["schemas"] if "." in name]


def examples(edition: str) -> Iterator[Example]:
    """Yield every example of a body."""
    for operation in operations(edition):
        places = [("", operation.spec.get("requestBody", {}))]
        places += [(name, each) for name, each in operation.spec["responses"].items()]
        for status, place in places:
            for media_type, spec in resolved(place, edition).get("content", {}).items():
                schema = spec.get("schema", {})
                for name, found in spec.get("examples", {}).items():
                    yield Example(
                        operation, status, media_type, name, resolved(found, edition), schema
                    )
