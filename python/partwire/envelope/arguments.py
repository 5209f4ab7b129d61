"""What the calls of this package take: anything else is refused before it is looked into."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UnsetType

from ..errors import bad_argument

__all__ = ["require_fields", "require_text"]

# A struct checks nothing when it is made by hand. These are the fields that calls compare.
_FIELDS: Final[dict[str, tuple[type | tuple[type, ...], str]]] = {
    "message_id": (str, "text"),
    "task_id": (str, "text"),
    "invocation_id": (str, "text"),
    "trace_id": ((str, UnsetType), "text, or UNSET"),
    "retry_count": (int, "an integer"),
    "max_attempts": (int, "an integer"),
}


def require_text(name: str, value: object, expected: str = "text (a str)") -> None:
    """Raise UsageError ``usage/invalid-argument`` unless ``value`` is a str."""
    if not isinstance(value, str):
        raise bad_argument(f"{name} is wrong", expected, value)


def require_fields(name: str, struct: Any) -> None:
    """Raise UsageError ``usage/invalid-argument`` where ids or counts of a message are none."""
    for field, (kinds, expected) in _FIELDS.items():
        if hasattr(struct, field) and not isinstance(getattr(struct, field), kinds):
            raise bad_argument(f"{name}.{field} is wrong", expected, getattr(struct, field))
