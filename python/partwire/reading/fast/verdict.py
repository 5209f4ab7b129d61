"""The quick look at one document: a typed decode, and the checks that types cannot do.

It knows valid documents only. What it does not let through may be valid all the same, and goes the
way of the generated checks, which would do for every document.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from ...contract.versions import TypeName, generated_module
from ...json.text import is_document, is_within_limits
from .closed import closed

__all__ = ["Verdict"]


class Verdict:
    """The quick look at documents of one type."""

    def __init__(self, type_name: TypeName) -> None:
        family, name, version = type_name
        residual = generated_module(version, "residual", family)
        self._struct_type = getattr(generated_module(version, "structs", family), name)
        # A variant alone: msgspec would take it without its tag.
        self._decoded = residual.DECODED_AS.get(name, self._struct_type)
        self.decode: Callable[[bytes], Any] = msgspec.json.Decoder(self._decoded).decode
        self._residual: Callable[[Any], bool] | None = residual.RESIDUAL.get(name)

    def decode_valid(self, data: bytes) -> Any:
        """Return the struct that ``data`` holds if nothing at all is found, else None.

        None says nothing about validity: integral floats and warnings go the slow path too.
        """
        try:
            value = self.decode(data)
        except (ValueError, RecursionError):
            return None
        if self._residual is not None and not self._residual(value):
            return None
        return value if is_document(data) else None

    def is_closed(self, data: bytes) -> bool:
        """Return whether nothing is found in ``data``, and every member is one that its type names.

        False says nothing, as in :meth:`decode_valid`.
        """
        try:
            self._decode_closed(data)
            value = self.decode(data)
        except (ValueError, RecursionError):
            return False
        if self._residual is not None and not self._residual(value):
            return False
        return is_within_limits(data)

    @cached_property
    def _decode_closed(self) -> Callable[[bytes], Any]:
        return msgspec.json.Decoder(closed(self._decoded)).decode

    def convert(self, value: Any) -> Any:
        """Return a JSON value without error findings as struct; None where that takes more."""
        try:
            built = msgspec.convert(value, self._struct_type)
        except ValueError:  # integral floats, unknown variants
            return None
        # Objects that stay dicts are taken over as they are; they may hold unknown members.
        return built if self._residual is None or self._residual(built) else None
