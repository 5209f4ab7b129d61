"""What today's code makes, as a reader of an older contract version is served it."""

from __future__ import annotations

from typing import Any

from ..contract import LATEST_VERSION

__all__ = ["served", "served_deltas"]


def served(value: Any, type_name: str, version: str) -> Any:
    """Return a JSON value of the latest version as ``version`` has it."""
    if version == LATEST_VERSION:
        return value
    if type_name.startswith("envelope.") and "schema_version" in value:
        return {**value, "schema_version": version}
    return value


def served_deltas(deltas: list[Any], version: str) -> list[Any]:
    """Return a stream's deltas of the latest version as ``version`` has them."""
    return [served(delta, "message.MessageDelta", version) for delta in deltas]
