"""States and moves as a picture: SVG within the page, in the page's own colours, without script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

__all__ = ["Move", "picture"]

_WIDTH, _HEIGHT = 168, 52
_GAP_X, _GAP_Y = 96, 34
_STEP: Final = _WIDTH + _GAP_X
_MARGIN: Final = 12
_LOOP: Final = 44
_STYLE: Final = (
    "width:100%;min-width:34rem;height:auto;color:inherit;font-family:inherit",
    "fill:none;stroke:currentColor;stroke-width:1.5",
    "fill:currentColor;font-size:15px;text-anchor:middle",
    "fill:currentColor;font-size:12.5px;text-anchor:middle",
)


@dataclass(frozen=True, slots=True)
class Move:
    """An arrow from one state to another, or to the same one; ``label`` may be empty."""

    old: str
    new: str
    label: str = ""


def picture(name: str, title: str, about: str, states: Sequence[str], moves: Sequence[Move]) -> str:
    """Return an SVG element: the first state is at the left, each further right than those before.

    ``name`` makes its ids unique on a page; ``title`` and ``about`` are what a screen reader says.
    """
    places = _places(states, moves)
    top = _LOOP if any(_is_above(places, move) for move in moves) else 0
    width = max(x for x, _ in places.values()) + _WIDTH + _MARGIN
    height = max(y for _, y in places.values()) + _HEIGHT + _MARGIN + top
    canvas, line, big, small = _STYLE
    parts = [
        '<div style="overflow-x:auto" tabindex="0">',
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'role="img" aria-labelledby="{name}-title {name}-about" '
            f'style="{canvas}">'
        ),
        f'<title id="{name}-title">{escape(title)}</title>',
        f'<desc id="{name}-about">{escape(about)}</desc>',
        (
            f'<defs><marker id="{name}-arrow" viewBox="0 0 10 10" refX="9" refY="5" '
            'markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M0 0 10 5 0 10z" style="fill:currentColor"/></marker></defs>'
        ),
    ]
    for move in moves:
        path, (x, y) = _arrow(places[move.old], places[move.new], top)
        parts.append(f'<path d="{path}" style="{line}" marker-end="url(#{name}-arrow)"/>')
        if move.label:
            parts.append(f'<text x="{x}" y="{y}" style="{small}">{escape(move.label)}</text>')
    for state in states:
        x, y = places[state]
        parts += [
            (
                f'<rect x="{x}" y="{y + top}" width="{_WIDTH}" height="{_HEIGHT}" rx="8" '
                f'style="{line}"/>'
            ),
            (
                f'<text x="{x + _WIDTH // 2}" y="{y + top + _HEIGHT // 2 + 5}" style="{big}">'
                f"{escape(state)}</text>"
            ),
        ]
    return "\n".join([*parts, "</svg>", "</div>"])


def _places(states: Sequence[str], moves: Sequence[Move]) -> Mapping[str, tuple[int, int]]:
    """Return where each state is: a column behind the last one that leads to it, in order."""
    columns = dict.fromkeys(states, 0)
    for _ in states:
        for move in moves:
            if move.old != move.new:
                columns[move.new] = max(columns[move.new], columns[move.old] + 1)
    rows: dict[int, int] = {}
    places = {}
    for state in states:
        column = columns[state]
        row = rows.get(column, 0)
        rows[column] = row + 1
        places[state] = (
            _MARGIN + column * _STEP,
            _MARGIN + row * (_HEIGHT + _GAP_Y),
        )
    return places


def _is_above(places: Mapping[str, tuple[int, int]], move: Move) -> bool:
    """Return whether an arrow goes over states: a loop, or one that leaves columns out."""
    return move.old == move.new or places[move.new][0] - places[move.old][0] > _STEP


def _arrow(old: tuple[int, int], new: tuple[int, int], top: int) -> tuple[str, tuple[int, int]]:
    """Return the path of an arrow, and where its label is."""
    (x, y), (to_x, to_y) = old, new
    y, to_y = y + top, to_y + top
    if old == new:
        left, right = x + _WIDTH // 3, x + 2 * _WIDTH // 3
        return f"M{left} {y}C{left} {y - _LOOP} {right} {y - _LOOP} {right} {y - 2}", (
            x + _WIDTH // 2,
            y - _LOOP + 6,
        )
    if to_x - x > _STEP:  # over what is between
        start, end = x + _WIDTH // 2, to_x + _WIDTH // 2
        above = y - _LOOP
        return f"M{start} {y}C{start} {above} {end} {above} {end} {to_y - 2}", (
            (start + end) // 2,
            above + 6,
        )
    left, right = x + _WIDTH, to_x - 3
    middle, level, to_level = (left + right) // 2, y + _HEIGHT // 2, to_y + _HEIGHT // 2
    path = f"M{left} {level}C{middle} {level} {middle} {to_level} {right} {to_level}"
    return path, (middle, level - 8) if level == to_level else (right - 44, to_level + 18)
