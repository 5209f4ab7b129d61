"""What somebody made of an archive, in the form in which the truth is kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from .streams import Digest, canonical

__all__ = ["Outcome", "outcome_of"]


class Outcome(NamedTuple):
    """Messages that were made, and their digest."""

    messages: int
    digest: str


def outcome_of(files: Iterable[Path]) -> Outcome:
    """Return the digest of the messages in files of JSON Lines, in any order and form."""
    decode, digest = msgspec.json.Decoder().decode, Digest()
    for path in files:
        with path.open("rb") as lines:
            for line in lines:
                digest.add(canonical(decode(line)))
    return Outcome(digest.count, digest.hex)
