"""The base class of the generated structs."""

from __future__ import annotations

import msgspec

from .tool_spec import FromFunction

__all__ = ["Struct", "ToolSpecStruct"]


class Struct(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """A wire type: immutable, keyword-only, absent members are ``msgspec.UNSET`` and never None.

    Unknown members are dropped on reading. Decoding alone checks types, tags, enums, lengths and
    bounds; reading (:func:`partwire.read`) checks everything.
    """


class ToolSpecStruct(FromFunction, Struct, frozen=True):
    """The base of ToolSpec."""
