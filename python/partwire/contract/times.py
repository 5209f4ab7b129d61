"""RFC 3339 text and milliseconds since the epoch, for every year from 0000 to 9999."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from ..tables.limits import LAST_MS

__all__ = ["LAST_MS", "Instant", "instant_of", "is_timestamp", "text_of"]


# --- timestamps -----------------------------------------------------------------------------------

# The pattern of the schema's Timestamp; a test holds the two together. Loading the schema here
# would cost every import of the package more than all of this room.
_TIMESTAMP = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


@cache
def _timestamp() -> re.Pattern[str]:
    return re.compile(_TIMESTAMP)  # not at import: it takes long


def is_timestamp(value: object) -> bool:
    """Return whether ``value`` is an RFC 3339 instant with a zone, on a day that exists."""
    return type(value) is str and _timestamp().fullmatch(value) is not None


# --- milliseconds ---------------------------------------------------------------------------------

"""The last millisecond that RFC 3339 can say."""


class Instant(NamedTuple):
    """An instant in milliseconds since the epoch, cut; ``exact`` where nothing was cut off, and
    ``usual`` where :func:`text_of` writes the same text, if the instant is in its range.
    """

    ms: int
    exact: bool
    usual: bool


def instant_of(text: str) -> Instant:
    """Return the instant of a valid timestamp; before the epoch it is negative."""
    seconds = _seconds_of(text[:19])
    is_utc = text[-1] == "Z"
    fraction = text[20 : -1 if is_utc else -6] if text[19] == "." else ""
    if not is_utc:
        offset = (int(text[-5:-3]) * 60 + int(text[-2:])) * 60
        seconds += -offset if text[-6] == "+" else offset
    usual = is_utc and (len(text) == 20 or (len(fraction) == 3 and fraction != "000"))
    ms = int(fraction[:3].ljust(3, "0")) if fraction else 0
    return Instant(seconds * 1000 + ms, not fraction[3:].strip("0"), usual)


@lru_cache(maxsize=64)  # the times of a stream lie within a few seconds
def _seconds_of(text: str) -> int:
    """Return the seconds since the epoch of a date and a time without a zone."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    seconds = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    return _days(year, month, day) * 86_400 + seconds


def text_of(ms: int) -> str:
    """Return milliseconds from 0 to ``LAST_MS`` in UTC, with a fraction only where there is one."""
    days, rest = divmod(ms, 86_400_000)
    seconds, milli = divmod(rest, 1000)
    year, month, day = _date(days)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{year:04}-{month:02}-{day:02}T{clock}{f'.{milli:03}' if milli else ''}Z"


# Days since the epoch and the Gregorian calendar, by eras of 400 years that begin in March: the
# standard library has no year 0.


def _days(year: int, month: int, day: int) -> int:
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    years = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + (3 if shifted < 10 else -9)
    return years + era * 400 + (month <= 2), month, day
