"""What an assembler accepts at most."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
from msgspec import structs

from ...errors import bad_argument
from ...tables.limits import DEFAULT_LIMITS, MAX_LIMIT_DEPTH

__all__ = ["DEFAULT", "Limits", "native_limits"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Upper bounds of one stream; a delta that would pass one is refused before it is kept.

    Bytes are those of the text in UTF-8 and ids count Unicode code points, so that every
    language draws the line at the same delta. Raises UsageError ``usage/invalid-argument`` for
    a bound that is not an integer of at least 1. Source: semantics, the assembler, limits.
    """

    text_bytes: int = DEFAULT_LIMITS.text_bytes
    """Text and thinking of the whole message."""
    arguments_bytes: int = DEFAULT_LIMITS.arguments_bytes
    """Argument text of one tool call."""
    tool_calls: int = DEFAULT_LIMITS.tool_calls
    """Tool calls of one message."""
    parts: int = DEFAULT_LIMITS.parts
    """Parts of one message, open tool calls included."""
    arguments_depth: int = DEFAULT_LIMITS.arguments_depth
    """Nesting of one tool call's arguments; the object itself is 1."""
    id_chars: int = DEFAULT_LIMITS.id_chars
    """Length of an id: of a run, message, turn, request, tool call, approval, media, and of the
    names of a model, an author, its agents and a form."""
    opaque_bytes: int = DEFAULT_LIMITS.opaque_bytes
    """Opaque data of the whole message: its strings and names, and 8 bytes for each value."""
    opaque_depth: int = DEFAULT_LIMITS.opaque_depth
    """Nesting of one opaque data; the object itself is 1."""
    payload_bytes: int = DEFAULT_LIMITS.payload_bytes
    """What comes whole (citations, results, requests for approval, warnings, what media is), of the
    whole message, counted as opaque data is."""
    payload_depth: int = DEFAULT_LIMITS.payload_depth
    """Nesting of one payload that comes whole; the payload itself is 1."""
    media_bytes: int = DEFAULT_LIMITS.media_bytes
    """Base64 of the bytes of all media that are held at once."""
    agents: int = DEFAULT_LIMITS.agents
    """Names in the path of an author."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            most = MAX_LIMIT_DEPTH if name.endswith("_depth") else None
            if type(value) is not int or value < 1 or (most is not None and value > most):
                raise bad_argument(
                    f"The limit {name} is not a count",
                    f"an integer {f'from 1 to {most}' if most else 'of at least 1'}",
                    value,
                )


DEFAULT: Final = Limits()


@lru_cache(16)
def native_limits(limits: Limits) -> tuple[int, ...]:
    """Return limits as the native core takes them."""
    return tuple(min(figure, 2**63) for figure in structs.astuple(limits))
