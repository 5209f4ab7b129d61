"""Tables of a page as HTML; all that comes from documents is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from .words import NOTHING

__all__ = ["Html", "code", "folded", "table_of"]

_MOST_ROWS: Final = 200
_ONE_LINE: Final = 28


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def table_of(
    head: Sequence[str], rows: Sequence[Sequence[Any]], most: int = _MOST_ROWS, name: str = ""
) -> str:
    """Return a table of at most ``most`` rows; columns of numbers are aligned to the right.

    A cell is text, a number, :class:`Html`, or None for what is not known. ``name`` says to a
    screen reader what is in the table; without it the names of its columns do.
    """
    numeric = {
        at
        for at in range(len(head))
        if rows and all(_is_number(row[at]) for row in rows if row[at] is not None)
    }
    cells = "".join(
        f'<th scope="col" class={_form(each, at in numeric)}>{escape(each)}</th>'
        if each
        else "<td></td>"
        for at, each in enumerate(head)
    )
    body = "".join(
        f"<tr>{''.join(_cell(each, at in numeric) for at, each in enumerate(row))}</tr>"
        for row in rows[:most]
    )
    label = escape(name or ", ".join(filter(None, head)))
    # Where a column is a picture, it takes the room that is left.
    wide = (
        ' class="wide"' if any(isinstance(each, Html) for row in rows[:1] for each in row) else ""
    )
    more = len(rows) - most
    rest = f"<p>{more:,} more are in <code>statistics.json</code>.</p>" if more > 0 else ""
    return (
        f'<div class="table" role="region" aria-label="{label}" tabindex="0"><table{wide}>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>{rest}"
    )


def folded(
    name: str, head: Sequence[str], rows: Sequence[Sequence[Any]], most: int = _MOST_ROWS
) -> str:
    """Return a table that is closed until somebody opens it."""
    table = table_of(head, rows, most, name)
    return f"<details><summary>{escape(name)}</summary>{table}</details>"


def _cell(value: Any, is_number: bool) -> str:
    if isinstance(value, Html):
        return f"<td>{value}</td>"
    told = NOTHING if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    return f"<td class={_form(told, is_number)}>{escape(told)}</td>"


def _form(text: str, is_number: bool) -> str:
    """Return the class of a cell: a number, a text that stays in one line, or a longer one."""
    return "n" if is_number else "t" if len(text) <= _ONE_LINE else "l"


def _is_number(value: Any) -> bool:
    if isinstance(value, Html):
        return False
    return isinstance(value, (int, float)) or (
        isinstance(value, str) and (value == NOTHING or value[:1].isdigit()) and len(value) < 12
    )


def code(text: str) -> Html:
    """Return a name as it is written in documents."""
    return Html(f"<code>{escape(text)}</code>")
