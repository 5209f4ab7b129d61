"""Messages of older contract versions among those of the current one.

In a program every message is a struct of the current version, whatever its sender wrote:
``schema_version`` stays what the sender says. Structs of older versions, as reading by their own
types gives them, are taken wherever one of ours is.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from ..contract.current import LATEST_VERSION
from ..contract.versions import generated_module, room_of
from ..convert import downgrade, upgrade_value

__all__ = ["as_version", "as_written", "knows_message_type", "name_of"]

T = TypeVar("T")


def name_of(value: object) -> str:
    """Return the name of a struct of the family, of whichever version; empty for anything else."""
    room = room_of(type(value))
    return type(value).__name__ if room and room[1:] == ("structs", "envelope") else ""


@cache
def knows_message_type(version: str) -> bool:
    """Return whether messages of a known version may say which message they are."""
    envelope = generated_module(version, "structs", "envelope").Envelope
    return "message_type" in envelope.__struct_encode_fields__


def as_written(value: Any) -> Any:
    """Return a struct of an older version as the current one's, saying what its sender wrote.

    The version that it declares stays, and what that version does not know is absent.
    """
    made = upgrade_value(value)
    said = getattr(value, "message_type", UNSET)
    return replace(made, schema_version=value.schema_version, message_type=said)


def as_version(message: T, version: str) -> T:
    """Return a message as services write it that speak ``version``.

    Raises UsageError ``usage/unknown-version``, and MigrationError ``migrate/lossy`` where that
    version cannot say what the message says.
    """
    if version == LATEST_VERSION:
        return message
    made: T = as_written(downgrade(message, version, strict=True).value)
    return made
