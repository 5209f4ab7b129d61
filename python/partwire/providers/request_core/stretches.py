"""Text of a part, cut where the provider's state says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from .state import Item

__all__ = ["Stretch", "stretches"]


class Stretch(NamedTuple):
    """A stretch of a part's text, and the items that cover it in order of arrival.

    An item that stands between characters is a separate stretch, without text.
    """

    text: str
    items: tuple[Item, ...]


class _Span(NamedTuple):
    start: int
    end: int
    items: list[Item]


def stretches(text: str, items: list[Item], *, blank: bool) -> Iterator[Stretch]:
    """Yield a part's text in order, cut where an item begins, ends or stands.

    Items that overlap cover one stretch together, and what stands inside of it comes behind it.
    An item without a place covers the whole. Unless a stretch may be ``blank``, white space joins
    the stretch before it, and what covers it comes along; at the beginning it joins the next one.
    """
    spans = list(_all_spans(len(text), items))
    for start, end, mine in spans if blank else _without_blanks(text, spans):
        yield Stretch(text[start:end], tuple(mine))


def _all_spans(length: int, items: list[Item]) -> Iterator[_Span]:
    at = 0
    for span in _spans(length, items):
        if span.start > at:
            yield _Span(at, span.start, [])
        yield span
        at = span.end
    if at < length:
        yield _Span(at, length, [])


def _without_blanks(text: str, spans: list[_Span]) -> list[_Span]:
    made: list[_Span] = []
    last = -1  # number of the last one with text
    only_blank = False  # whether that is white space, since nothing else came before
    for each in spans:
        span = each
        if span.start < span.end:
            is_blank = not text[span.start : span.end].strip()
            if last >= 0 and (is_blank or only_blank):
                start, _, items = made[last]
                items += span.items
                span = _Span(start, span.end, items)
                if is_blank:
                    made[last] = span
                    continue
                del made[last]
            last, only_blank = len(made), is_blank
        made.append(span)
    return made


def _spans(length: int, items: list[Item]) -> list[_Span]:
    """Return where items cover or stand, in order; no two spans overlap."""
    covering: list[_Span] = []
    points: list[tuple[int, Item]] = []
    placed = [(*_range(item, length), item) for item in items]
    for start, end, item in sorted(placed, key=lambda each: each[0]):  # stable
        if start == end:
            points.append((start, item))
        elif covering and start < covering[-1].end:
            first, last, mine = covering[-1]
            mine.append(item)
            covering[-1] = _Span(first, max(last, end), mine)
        else:
            covering.append(_Span(start, end, [item]))
    starts = [span.start for span in covering]
    spans = list(covering)
    for point, item in points:
        before = bisect_left(starts, point) - 1
        at = point if before < 0 else max(point, covering[before].end)
        spans.append(_Span(at, at, [item]))
    return sorted(spans, key=lambda span: span[:2])  # what stands at a place, then what begins


def _range(item: Item, length: int) -> tuple[int, int]:
    return (0, length) if item.start is None or item.end is None else (item.start, item.end)
