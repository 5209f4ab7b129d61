"""The quick look at documents: which of them have no findings at all.

It knows valid documents only. What it does not let through may be valid all the same, and gets the
full look of the generated checks. The native core walks through text and schema; without it, the
quick look is the full one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from ..bindings.check import finds
from ..contract.versions import TypeName, generated_module
from ..errors import ReadError
from ..json.text import decode_json
from ..native_core import core
from .exact import exact_text, native_exact
from .tolerant import Schemas

__all__ = ["Verdict"]


class Verdict:
    """The quick look at documents of one type."""

    def __init__(self, type_name: TypeName) -> None:
        family, name, version = self._type = type_name
        self._check = generated_module(version, "checks", family).CHECKS[name]

    def decode_valid(self, data: bytes) -> Any:
        """Return the struct that ``data`` holds if nothing at all is found, else None.

        None says nothing about validity: warnings go the full way, too.
        """
        if core() is not None:
            return self.decode(data) if self._native.is_clean(data, False) else None
        value = self._value(data)
        return None if value is None else Schemas.of(self._type).build(value, self._type.name)

    def is_clean(self, data: bytes, *, closed: bool) -> bool:
        """Return whether nothing is found in ``data``; False says nothing, as in
        :meth:`decode_valid`.

        ``closed``: nor a member that its type does not name.
        """
        if core() is not None:
            clean: bool = self._native.is_clean(data, closed)
            return clean
        value = self._value(data)
        if value is None:
            return False
        return not closed or not any(Schemas.of(self._type).unnamed(value, self._type.name))

    def text_of(self, value: Any) -> bytes | None:
        """Return a JSON value, or a struct of the type's family, as :func:`.exact_text` does."""
        return exact_text(value, self._type)

    def clean_text(
        self, value: Any, *, closed: bool = False, holder: TypeName | None = None
    ) -> bytes | None:
        """Return the text of a value, as :meth:`text_of` does, if it :meth:`is_clean`; its structs
        may be of the family of ``holder`` instead.

        None says nothing, and is all that is said without the native core: who has the value looks
        at it in no more time than this would take.
        """
        if core() is None:
            return None
        exact = self._exact if holder is None else native_exact(holder)
        try:
            text: bytes | None = self._native.clean_text(value, closed, exact)
        except RecursionError:
            return None
        return text

    def covers(self, other: Verdict) -> bool:
        """Return whether all that is clean by ``other``, and closed, is so by this one, too; False
        says nothing, and is all that is said without the native core.
        """
        if core() is None:
            return False
        covers: bool = self._native.covers(other._native)
        return covers

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

    def _value(self, data: bytes) -> Any:
        """Return the value of a JSON text if the checks find nothing in it, else None."""
        try:
            value = decode_json(data)
        except ReadError:
            return None
        return None if finds(self._check, value) else value  # no type takes null

    @cached_property
    def _exact(self) -> Any:
        return native_exact(self._type)

    @cached_property
    def _native(self) -> Any:
        family, name, version = self._type
        return core().Verdict(f"{family}.{name}", version)

    @cached_property
    def decode(self) -> Any:
        """What returns the struct that a JSON text holds in which nothing is found."""
        family, name, version = self._type
        struct = getattr(generated_module(version, "structs", family), name)
        return msgspec.json.Decoder(struct).decode
