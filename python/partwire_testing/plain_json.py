"""What tests hold in their hands, as JSON values."""

from __future__ import annotations

from typing import Any

import msgspec

from partwire.errors import WriteError
from partwire.json.text import decode_json, value_findings
from partwire.reading.plain import plain_value

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Return a JSON value: structs and models by their wire names, JSON text (bytes) parsed.

    What holds structs and models, such as a list of deltas, is written as well; a message's
    snapshot is written as its message. Nothing is checked against a type. Raises WriteError for
    what has no JSON, ReadError for text that is none.
    """
    if isinstance(value, (bytes, bytearray)):
        return decode_json(bytes(value))
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "to_message") and not isinstance(value, type):
        value = value.to_message()
    if isinstance(value, msgspec.Struct) or hasattr(value, "model_dump"):
        value = plain_value(value)[0]
    if found := value_findings(value):
        raise WriteError(*found)
    return value
