"""What happened when, as plots: counts by day, week, month or year, whichever can be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from typing import Final

from .plots import Series, columns, seen
from .tables import Html

__all__ = ["largest", "over_time", "seen_within"]

_MOST_SERIES: Final = 5
_MOST_COLUMNS: Final = 92
_STRAY_SHARE: Final = 0.001


def over_time(about: str, by_name: Mapping[str, Mapping[str, int]]) -> str:
    """Return the plot of counts by day, for the names with the most, and the others together."""
    all_days: Counter[str] = Counter()
    for days in by_name.values():
        all_days.update(days)
    if not any(all_days.values()):
        return ""
    bins, of_day, strays = _bins(all_days)
    names = largest(by_name)
    series = [Series(name, _binned(by_name[name], bins, of_day)) for name in names]
    others = [days for name, days in by_name.items() if name not in names]
    if others:
        rest: Counter[str] = Counter()
        for days in others:
            rest.update(days)
        series.append(Series("others", _binned(rest, bins, of_day)))
    unit = {10: "day", 7: "month", 4: "year"}[len(bins[0])]
    if len(bins) > 1 and len(bins[0]) == 10 and bins[1] != _next(bins[0]):
        unit = "week"
    words = f"{about} by {unit}, from {bins[0]} to {bins[-1]}"
    told = f"<figcaption>{escape(about)} by {unit}"
    told += f"; {strays:,} are far before or behind and not shown" if strays else ""
    return f"<figure>{told}</figcaption>{columns(words, bins, series)}</figure>"


def largest(by_name: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the few names with the most, the largest first."""
    ordered = sorted(by_name, key=lambda name: (-sum(by_name[name].values()), name))
    return ordered[:_MOST_SERIES]


def _binned(
    days: Mapping[str, int], bins: Sequence[str], of_day: Callable[[str], str]
) -> list[int]:
    counts: Counter[str] = Counter()
    for day, count in days.items():
        counts[of_day(day)] += count
    return [counts[each] for each in bins]


def _bins(days: Mapping[str, int]) -> tuple[list[str], Callable[[str], str], int]:
    """Return days, weeks, months or years in order, what gives that of a day, and how many
    documents are so far from the others that they would only make the plot small.
    """
    total, before = sum(days.values()), 0
    kept = []
    for day in sorted(days):
        before += days[day]
        if before > total * _STRAY_SHARE and before - days[day] < total * (1 - _STRAY_SHARE):
            kept.append(day)
    first, last = date.fromisoformat(kept[0]), date.fromisoformat(kept[-1])
    strays = total - sum(days[day] for day in kept)
    count = (last - first).days + 1
    if count <= _MOST_COLUMNS:
        return [str(first + timedelta(each)) for each in range(count)], str, strays
    if count <= 7 * _MOST_COLUMNS:
        return _weeks(first, last), _week_of, strays
    if count <= 30 * _MOST_COLUMNS:
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        return [f"{at // 12:04}-{at % 12 + 1:02}" for at in months], lambda day: day[:7], strays
    years = [f"{year:04}" for year in range(first.year, last.year + 1)]
    return years, lambda day: day[:4], strays


def _weeks(first: date, last: date) -> list[str]:
    begin = date.fromisoformat(_week_of(str(first)))
    return [str(begin + timedelta(7 * each)) for each in range((last - begin).days // 7 + 1)]


def _week_of(day: str) -> str:
    found = date.fromisoformat(day)
    return str(found - timedelta(found.weekday()))


def _next(day: str) -> str:
    return str(date.fromisoformat(day) + timedelta(1))


def seen_within(first: str | None, last: str | None, begin: str, end: str) -> Html:
    """Return a bar from a first day to a last one, within all days."""
    if not (first and last and begin and end):
        return Html("")
    days = [date.fromisoformat(each).toordinal() for each in (begin, first, last, end)]
    whole = days[3] - days[0] + 1
    return Html(seen((days[1] - days[0]) / whole, (days[2] - days[0] + 1) / whole))
