"""Which type a document was probably meant to be, where the one that was asked for refuses it."""

from __future__ import annotations

from typing import Any

from ..contract.current import LATEST_VERSION
from ..contract.schemas import describe_types
from ..contract.versions import parse_type
from .pipeline import Binding
from .undeclared import find_unknown_members

__all__ = ["fitting_types", "guess_type"]


def fitting_types(value: Any, version: str = LATEST_VERSION) -> list[str]:
    """Return the public types that a JSON value is a valid document of, in the schemas' order."""
    return [
        row.type
        for row in describe_types(version)
        if row.public and not _has_error(value, Binding.of(row.type, version))
    ]


def guess_type(value: Any, version: str = LATEST_VERSION) -> str | None:
    """Return the one public type that ``value`` is valid of and that names all of its members.

    None where there is none or more than one: a wrong guess would cost more than it saves.
    """
    found = [
        name
        for name in fitting_types(value, version)
        if next(find_unknown_members(value, parse_type(name, version), "error"), None) is None
    ]
    return found[0] if len(found) == 1 else None


def _has_error(value: Any, binding: Binding) -> bool:
    # One finding is an error if there is any.
    found, _ = binding.check_within(value, 1)
    return any(finding.severity == "error" for finding in found)
