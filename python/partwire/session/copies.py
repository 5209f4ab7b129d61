"""Values that belong to whoever made them: checked, and copied down to the last member."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from partwire.contract.older import is_older
from partwire.errors import ReadError, WriteError
from partwire.reading.pipeline import dump, read
from partwire.reading.plain import plain_value

from .errors import NO_IDS, Ids, part_refused

__all__ = ["as_object", "copied", "listed", "of_now", "optional", "owned"]

T = TypeVar("T", bound=msgspec.Struct)


def owned(value: T, type_name: str, ids: Ids = NO_IDS) -> T:
    """Return a copy of ``value`` that is valid as ``type_name`` and shares nothing with others.

    A struct's dicts are the caller's, and may change while they are looked at: writing the value
    and reading it back is one look, and quicker than a deep copy. What a newer peer wrote, and
    tolerant reading kept, is kept. Raises PartValidationError.
    """
    try:
        made: T = read(dump(value, type_name), type_name, "tolerant")
    except (ReadError, WriteError) as error:
        raise part_refused(error.findings, ids) from None
    return made


def of_now(value: Any, type_name: str, ids: Ids = NO_IDS) -> Any:
    """Return a struct of an older version as this version's; anything else as it is.

    Raises as :func:`owned`.
    """
    return owned(value, type_name, ids) if is_older(value, "session") else value


def copied(value: Any) -> Any:
    """Return ``value``, which may be or hold structs and need not be valid, as a JSON value.

    Raises PartValidationError for what has no end.
    """
    try:
        return plain_value(value)[0]
    except WriteError as error:
        raise part_refused(error.findings) from None


def as_object(value: Any) -> Any:
    """Return a mapping of any kind as dict; what is none stays for the check to refuse."""
    return dict(value) if isinstance(value, Mapping) else value


def optional(value: Any) -> Any | UnsetType:
    """Return ``value``, or UNSET for None."""
    return UNSET if value is None else value


def listed(items: Any) -> Any:
    """Return a tuple as list, and None as UNSET; what is neither stays for the check to refuse."""
    return list(items) if isinstance(items, tuple) else optional(items)
