"""The ids that a caller gives to a stream: of its run, its message and its turn."""

from __future__ import annotations

from partwire.errors import bad_argument, printable

__all__ = ["check_id", "given_ids", "is_name"]


def check_id(what: str, value: object) -> None:
    """Raise UsageError for what cannot be an id; ``what`` is what it would be the id of."""
    if not is_name(value):
        raise bad_argument(
            f"A stream belongs to a {what}",
            f"a {what} id: a string of well-formed Unicode that is not empty",
            value,
        )


def is_name(value: object) -> bool:
    """Return whether a value is a string of well-formed Unicode that is not empty."""
    return type(value) is str and value != "" and printable(value) == value


def given_ids(message_id: str | None, turn_id: str | None) -> dict[str, str]:
    """Return ``message_id`` and ``turn_id`` as far as they are given, by these names.

    Raises UsageError ``usage/invalid-argument``.
    """
    ids: dict[str, str] = {}
    for what, value in (("message", message_id), ("turn", turn_id)):
        if value is not None:
            check_id(what, value)
            ids[f"{what}_id"] = value
    return ids
