"""How each rule of registries is hit: by a client that answers as such a registry would.

What real answers over a socket become is in ``test_registry_failures.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka.schema_registry.error import SchemaRegistryError

from partwire.errors import PartwireError
from partwire.registry import Registry, plan, publish, wanted_subjects

__all__ = ["REGISTRY_HITS"]


def rules(found: Any) -> set[str]:
    return {finding.rule for finding in found}


def failing(error: Exception) -> set[str]:
    """The rules of a run whose registration fails."""

    def fail(subject: str, schema: object) -> None:
        raise error

    with Registry("mock://hits") as registry:
        registry._client.register_schema_full_response = fail
        outcome = publish(registry, plan(registry, wanted_subjects(["message.ToolChoice"])))
        assert isinstance(outcome.error, PartwireError)
        return rules([*outcome.error.findings, *outcome.findings()])


def refused(status: int) -> Callable[[], set[str]]:
    return lambda: failing(SchemaRegistryError(status, status, "No."))


def unreachable() -> set[str]:
    from httpx import ConnectError  # noqa: PLC0415

    return failing(ConnectError("refused"))


def planned(*texts: str) -> set[str]:
    """The rules of a plan over what is registered: ``=`` is the schema that is wanted."""
    (wanted,) = wanted_subjects(["message.ToolChoice"])
    with Registry("mock://hits") as registry:
        for text in texts:
            registry.register(wanted.subject, wanted.text if text == "=" else text)
        (made,) = plan(registry, [wanted])
    return rules(made.findings)


REGISTRY_HITS: dict[str, Callable[[], set[str]]] = {
    "registry/foreign-schema": lambda: planned('{"type": 1}'),
    "registry/incompatible": refused(409),
    "registry/invalid-schema": refused(422),
    "registry/not-published": refused(409),
    "registry/older-version": lambda: planned("=", "{}"),
    "registry/unauthorized": refused(401),
    "registry/unavailable": refused(503),
    "registry/unexpected-answer": lambda: failing(TypeError("no id")),
    "registry/unreachable": unreachable,
}
