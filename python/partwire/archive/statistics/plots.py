"""Plots as HTML and SVG, in the page's own colours, without script.

Texts are HTML beside the SVG, which is stretched to the room that is there: so they are as large on
a telephone as on a desk. Each plot says in words what it shows; the same numbers are in a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

__all__ = ["Series", "bar", "columns", "histogram", "legend", "seen", "short"]

_MOST_COLUMNS: Final = 120


class Series(NamedTuple):
    """What is stacked in columns under one name."""

    name: str
    values: Sequence[float]


def columns(about: str, labels: Sequence[str], series: Sequence[Series], unit: str = "") -> str:
    """Return columns over time, those of all series on top of each other.

    ``labels`` name the columns, of which there should be at most some hundreds; ``about`` says to a
    screen reader what is seen.
    """
    totals = [sum(each) for each in zip(*(each.values for each in series), strict=True)]
    top = _round_up(max(totals, default=0))
    bottoms = [0.0] * len(labels)
    parts = []
    for color, each in enumerate(series, 1):
        for at, value in enumerate(each.values):
            if not value:
                continue
            height = 100 * value / top
            y = 100 - bottoms[at] - height
            bottoms[at] += height
            told = f"{labels[at]}: {value:,.0f}{unit}"
            told += f" {each.name}" if len(series) > 1 else ""
            parts.append(
                f'<rect class="s{color}" x="{at + 0.08:g}" y="{y:.2f}" width=".84" '
                f'height="{height:.2f}"><title>{escape(told)}</title></rect>'
            )
    drawn = (
        f'<svg viewBox="0 0 {max(len(labels), 1)} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(about)}">{"".join(parts)}</svg>'
    )
    middle = len(labels) // 2
    under = [labels[at] for at in sorted({0, middle, len(labels) - 1})] if labels else []
    axis = "".join(f"<span>{escape(each)}</span>" for each in under)
    marks = "".join(
        f'<span style="top:{100 - 50 * step}%">{short(top * step / 2)}{unit if step else ""}</span>'
        for step in (0, 1, 2)
    )
    return (
        f'<div class="plot"><div class="y" aria-hidden="true">{marks}</div>{drawn}'
        f'<div class="x" aria-hidden="true">{axis}</div></div>'
        f"{legend([each.name for each in series]) if len(series) > 1 else ''}"
    )


def legend(names: Sequence[str]) -> str:
    """Return what names the colours, in their order."""
    items = "".join(
        f'<li><i class="s{color}"></i>{escape(name)}</li>' for color, name in enumerate(names, 1)
    )
    return f'<ul class="legend" aria-hidden="true">{items}</ul>'


def histogram(about: str, buckets: Mapping[int, int], ends: tuple[int, int]) -> str:
    """Return how many numbers are in each bucket; ``ends`` are the least and the largest number of
    the axis, which goes by powers of two.
    """
    low, high = math.log2(max(ends[0], 1)), math.log2(max(ends[1], 2))
    width = max(high - low, 1)
    steps = 48
    heights = [0] * steps
    for bucket, count in buckets.items():
        at = (math.log2(max(bucket, 1)) - low) / width * (steps - 1)
        heights[min(max(int(at), 0), steps - 1)] += count
    top = max(heights) or 1
    drawn = "".join(
        f'<rect class="s1" x="{at}" y="{20 - 20 * each / top:.2f}" width=".9" '
        f'height="{20 * each / top:.2f}"/>'
        for at, each in enumerate(heights)
        if each
    )
    return (
        f'<svg class="spark" viewBox="0 0 {steps} 20" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(about)}">{drawn}</svg>'
    )


def bar(share: float, color: int = 1) -> str:
    """Return a bar that is as long as a share of the room."""
    drawn = f'<i class="s{color}" style="width:{100 * share:.2f}%"></i>'
    return f'<span class="bar" aria-hidden="true">{drawn}</span>'


def seen(begin: float, end: float) -> str:
    """Return a bar from one share of the room to another."""
    width = max(100 * (end - begin), 1.5)
    left = min(100 * begin, 100 - width)
    return (
        f'<span class="bar" aria-hidden="true"><i class="s1" '
        f'style="margin-left:{left:.2f}%;width:{width:.2f}%"></i></span>'
    )


def short(number: float) -> str:
    """Return a number in three digits, such as 1.25 M."""
    for unit in ("", " k", " M", " G", " T"):
        if abs(number) < 999.5 or unit == " T":
            break
        number /= 1000
    return f"{number:.3g}{unit}" if number % 1 else f"{number:.0f}{unit}"


def _round_up(number: float) -> float:
    """Return the next number that is easy to halve."""
    if number <= 0:
        return 1
    power: float = 10.0 ** math.floor(math.log10(number))
    return next(step * power for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= number)
