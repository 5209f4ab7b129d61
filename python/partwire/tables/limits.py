# Generated from schemas/tables/limits.json. Do not edit: change that, then
# run `python -m codegen`.

"""Limits: what is accepted, kept or shown at most.

A name ends in its unit: bytes, chars (code points), depth (levels), ms; others are counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["CLIP_CHARS", "DEFAULT_LIMITS", "DEFAULT_LIMIT_BYTES", "DEFAULT_REMEMBERED", "LAST_MS", "Limits", "MADE_ID_CHARS", "MAX_BARE_CHARS", "MAX_DEPTH", "MAX_FINDINGS", "MAX_HEADER_BYTES", "MAX_HEAD_BYTES", "MAX_ID_CHARS", "MAX_LIMIT_DEPTH", "MAX_PER_CODE", "MAX_UNKNOWN", "MOST_OFFERS", "VALUE_BYTES"]


class Limits(NamedTuple):
    """Upper bounds of one stream; a delta that would pass one is refused before it is kept. Bytes are
    those of the text in UTF-8 and ids count code points, so that every language draws the line at
    the same delta.
    """

    text_bytes: int
    """Text and thinking of the whole message."""
    arguments_bytes: int
    """Argument text of one tool call."""
    tool_calls: int
    """Tool calls of one message."""
    parts: int
    """Parts of one message, open tool calls included."""
    arguments_depth: int
    """Nesting of one tool call's arguments; the object itself is 1."""
    id_chars: int
    """Length of an id: of a run, message, turn, request, tool call, and of a model's name."""
    opaque_bytes: int
    """Opaque data of the whole message: its strings and names, and 8 bytes for each value."""
    opaque_depth: int
    """Nesting of one opaque data; the object itself is 1."""
    payload_bytes: int
    """Payloads of citations, results and approvals of the whole message, and its warnings."""
    payload_depth: int
    """Levels of one of these payloads."""
    media_bytes: int
    """Base64 of media that a message holds at once."""
    agents: int
    """Names of the path of the message's author."""


MAX_DEPTH: Final[int] = 512
"""Levels of a document; the outermost array or object is 1."""

CLIP_CHARS: Final[int] = 80
"""Code points of what a finding quotes."""

LAST_MS: Final[int] = 253402300799999
"""The last millisecond since the epoch that RFC 3339 can say."""

MAX_PER_CODE: Final[int] = 100
"""Losses of one code that a log of losses keeps."""

MOST_OFFERS: Final[int] = 1000
"""Offers of contract versions in one negotiation."""

DEFAULT_REMEMBERED: Final[int] = 16384
"""Answered calls that a check of a history remembers where nothing else is said."""

MAX_UNKNOWN: Final[int] = 1024
"""Unknown kinds, or types of chunks, of one stream that are reported."""

DEFAULT_LIMITS: Final[Limits] = Limits(
    16777216,
    16777216,
    1024,
    100000,
    128,
    512,
    16777216,
    128,
    16777216,
    128,
    67108864,
    64,
)
"""The limits of a stream where nothing else is said."""

MAX_LIMIT_DEPTH: Final[int] = 500
"""What a limit of nesting may be set to: a document has 512 levels, and a message takes some."""

VALUE_BYTES: Final[int] = 8
"""What a value of opaque data counts beside its text, in bytes."""

DEFAULT_LIMIT_BYTES: Final[int] = 67108864
"""Bytes of one event of a stream where nothing else is said: tool calls that write whole files come
as one event.
"""

MAX_HEADER_BYTES: Final[int] = 131072
"""Bytes of the headers of one message, as the AWS event stream format allows."""

MAX_HEAD_BYTES: Final[int] = 4096
"""Bytes at the start of a stream that are searched for what its framing is."""

MAX_BARE_CHARS: Final[int] = 65536
"""Code points of a text without events that is searched for an error."""

MAX_FINDINGS: Final[int] = 200
"""Findings that an adapter of a provider keeps."""

MAX_ID_CHARS: Final[int] = 512
"""Code points of an id, a model's name or a finish reason that an adapter writes."""

MADE_ID_CHARS: Final[int] = 24
"""Code points of the readable part of an id that an adapter makes."""
