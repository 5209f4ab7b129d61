"""The error that says that an input cannot be read."""

from __future__ import annotations

from ..errors import Finding, UsageError

__all__ = ["unreadable"]


def unreadable(name: str, why: str, expected: str | None = None) -> UsageError:
    """Return the error that says that an input cannot be read."""
    rule, message = "usage/unreadable-input", f"Cannot be read: {why}"
    return UsageError(Finding(rule, message, expected=expected, source=name, actual=name))
