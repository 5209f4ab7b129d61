"""The form of the contract's timestamps, for those that go into a message."""

from __future__ import annotations

import re

__all__ = ["is_timestamp"]

# The pattern of the schema's Timestamp; a test holds the two together. Loading the schema here
# would cost every import of the package more than all of this room.
_TIMESTAMP = re.compile(
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


def is_timestamp(value: object) -> bool:
    """Return whether ``value`` is an RFC 3339 instant with a zone, on a day that exists."""
    return type(value) is str and _TIMESTAMP.fullmatch(value) is not None
