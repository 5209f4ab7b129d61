"""What a row of the differences is, and what several dialects' rows ask of a recording."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from tests.providers.recordings import Recording

UNCOMPARED: Final = object()
"""The field has no value of ours that could be compared."""


class Difference(NamedTuple):
    """One field in which our rule differs from the index's.

    ``rule`` names it; rows of one rule share the name. ``applies`` says to which recordings,
    ``ours`` gives the value that we must have. ``seen`` is False for a row that the published
    format asks for and no recording at hand shows: another test shows it then.
    """

    rule: str
    field: str
    reason: str
    applies: Callable[[Recording], Any]
    ours: Callable[[Recording], Any]
    seen: bool = True


class Dialect(NamedTuple):
    """How the recordings of one dialect are read.

    ``reasons``: the provider's finish reasons → ours. ``errors``: codes of the errors that the
    index names → ours. ``ends`` says whether an event is the provider's end marker or an error,
    read from its JSON.
    """

    reasons: Mapping[str, str]
    errors: Mapping[str, str]
    ends: Callable[[dict[str, Any]], bool]
    differences: tuple[Difference, ...]


def detail(recording: Recording, name: str) -> int:
    """Return a figure of the index's ``usageDetail``, 0 where there is none."""
    return int(recording.expected.get("usageDetail", {}).get(name, 0))


def usage(recording: Recording, name: str) -> int:
    """Return a figure of the index's ``usage``, 0 where there is none."""
    return int((recording.expected["usage"] or {}).get(name, 0))


def cached(recording: Recording) -> int:
    """Return how many tokens were read from or written to a cache."""
    return detail(recording, "cacheReadTokens") + detail(recording, "cacheWriteTokens")


def compact(value: object) -> str:
    """Return JSON text as adapters write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rows(
    rule: str,
    reason: str,
    applies: Callable[[Recording], Any],
    **ours: Callable[[Recording], Any],
) -> tuple[Difference, ...]:
    """Return the rows of a rule that concerns several fields."""
    return tuple(Difference(rule, field, reason, applies, value) for field, value in ours.items())


def _has_cut_arguments(recording: Recording) -> bool:
    calls = recording.expected["toolCalls"]
    return any(call["arguments"] is None and not call.get("custom") for call in calls)


CUT_ARGUMENTS: Final = Difference(
    "cut-arguments-are-raw-text",
    "toolCalls",
    "The index has no arguments where their text is cut or not JSON. The contract's arguments are "
    "an object: ours is empty, and the text is in rawArgsText.",
    _has_cut_arguments,
    lambda r: [
        (call["id"], call["name"], {} if call["arguments"] is None else call["arguments"])
        for call in r.expected["toolCalls"]
    ],
    seen=False,
)
"""A call whose arguments cannot be read: the same rule in every dialect that streams text."""
