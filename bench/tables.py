"""What a table is, and how it looks: in the terminal and in docs/bench.md."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Table", "markdown", "text"]


class Table(NamedTuple):
    """A heading, what it is about in Markdown, and rows; the first row is the header.

    A section without rows is all in ``about``.
    """

    title: str
    about: str
    rows: list[list[str]]


def text(table: Table) -> str:
    """Render for the terminal."""
    lines = [table.title, "=" * len(table.title), *([table.about] if table.about else [])]
    rows = [[cell.replace("**", "") for cell in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        lines.append("  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join([*lines, ""])


def markdown(table: Table) -> str:
    """Render as a section."""
    lines = [f"## {table.title}", "", *([table.about, ""] if table.about else [])]
    if table.rows:
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines.insert(-len(table.rows) + 1 or len(lines), "|" + " --- |" * len(table.rows[0]))
        lines.append("")
    return "\n".join(lines)
