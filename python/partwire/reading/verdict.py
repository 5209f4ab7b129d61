"""The quick look at documents: which of them have no findings at all.

It knows valid documents only. What it does not let through may be valid all the same, and goes the
way of the generated checks, which would do for every document. The native core walks through text
and schema; without it, it is a typed decode and the checks that types cannot do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import msgspec

from ..contract.versions import TypeName, generated_module
from ..json.text import is_document
from ..native_core import core
from .undeclared import find_unknown_members

__all__ = ["Verdict"]


class Verdict:
    """The quick look at documents of one type."""

    def __init__(self, type_name: TypeName) -> None:
        family, name, version = type_name
        self._type = type_name
        residual = generated_module(version, "residual", family)
        self._struct_type = getattr(generated_module(version, "structs", family), name)
        # A variant alone: msgspec would take it without its tag.
        decoded = residual.DECODED_AS.get(name, self._struct_type)
        self.decode: Callable[[bytes], Any] = msgspec.json.Decoder(decoded).decode
        self._residual: Callable[[Any], bool] | None = residual.RESIDUAL.get(name)

    def decode_valid(self, data: bytes) -> Any:
        """Return the struct that ``data`` holds if nothing at all is found, else None.

        None says nothing about validity: integral floats and warnings go the slow path too.
        """
        if core() is not None:
            return self.decode(data) if self._native.is_clean(data, False) else None
        try:
            value = self.decode(data)
        except (ValueError, RecursionError):
            return None
        if self._residual is not None and not self._residual(value):
            return None
        return value if is_document(data) else None

    def is_clean(self, data: bytes, *, closed: bool) -> bool:
        """Return whether nothing is found in ``data``; False says nothing, as in
        :meth:`decode_valid`.

        ``closed``: nor a member that its type does not name.
        """
        if core() is not None:
            clean: bool = self._native.is_clean(data, closed)
            return clean
        if self.decode_valid(data) is None:
            return False
        return not closed or not any(
            find_unknown_members(msgspec.json.decode(data), self._type, "warn")
        )

    def refused(self, documents: Sequence[bytes], *, closed: bool) -> list[int]:
        """Return the indexes of the JSON texts that may have findings, ascending.

        None of the others has any, not even a warning. ``closed``: nor a member that its type does
        not name.
        """
        if core() is not None:
            refused: list[int] = self._native.refused(list(documents), closed)
            return refused
        return [
            index for index, each in enumerate(documents) if not self.is_clean(each, closed=closed)
        ]

    @cached_property
    def _native(self) -> Any:
        family, name, version = self._type
        return core().Verdict(f"{family}.{name}", version)

    def convert(self, value: Any) -> Any:
        """Return a JSON value without error findings as struct; None where that takes more."""
        try:
            built = msgspec.convert(value, self._struct_type)
        except ValueError:  # integral floats, unknown variants
            return None
        # Objects that stay dicts are taken over as they are; they may hold unknown members.
        return built if self._residual is None or self._residual(built) else None
