"""Docstrings and doc comments as Markdown that shows them and does nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from codegen.site.markdown import bullets, code, fence, prose

__all__ = ["first_sentence", "inline", "markdown_of"]

_ITEM: Final = re.compile(r"^[-*] ")
_CODE: Final = re.compile(r"(?::\w+:)?(``?)(?P<code>(?:(?!\1).)+)\1")
_LINK: Final = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<to>https?:[^)\s]+)\)")


def inline(text: str) -> str:
    """Return a text as one line, its code in backquotes as code; roles of reST are left out."""
    made, end = "", 0
    for found in _CODE.finditer(text):
        made += _spaced(text[end : found.start()], at_start=not end) + code(
            " ".join(found["code"].removeprefix("~").split())
        )
        end = found.end()
    return made + _spaced(text[end:], at_start=not end)


def _spaced(text: str, *, at_start: bool) -> str:
    """Return prose within a line, with the blanks that are around it."""
    if not text.strip():
        return " " if text else ""
    # Only what begins a line can be taken for a mark of a block.
    shown = prose(text) if at_start else prose(f"x {text}").removeprefix("x ")
    before = " " if text[0].isspace() and not at_start else ""
    return before + shown + (" " if text[-1].isspace() else "")


def markdown_of(docstring: str) -> str:
    """Return a docstring with its paragraphs, lists, and blocks of code."""
    return "\n\n".join(_blocks(docstring.strip("\n")))


def _blocks(text: str) -> Iterator[str]:
    fenced = re.split(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    for index in range(0, len(fenced), 3):
        yield from _paragraphs(fenced[index])
        if index + 2 < len(fenced):
            yield fence(fenced[index + 2], fenced[index + 1] or "text")


def _paragraphs(text: str) -> Iterator[str]:
    parts = [part for part in re.split(r"\n(?:[ \t]*\n)+", text) if part.strip()]
    for is_code, group in groupby(parts, key=lambda part: part.startswith("    ")):
        if is_code:
            lines = "\n\n".join(group).split("\n")
            yield fence("\n".join(line.removeprefix("    ") for line in lines), "python")
            continue
        for part in group:
            text = part.strip("\n")
            yield _paragraph(f"{text[:-2]}:" if text.endswith("::") else text)


def _paragraph(text: str) -> str:
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if _ITEM.match(line)), None)
    if first is None:
        return inline(text)
    items: list[str] = []
    for line in lines[first:]:
        if _ITEM.match(line):
            items.append(line[2:])
        else:
            items[-1] += f" {line.strip()}"
    head = [inline("\n".join(lines[:first]))] if first else []
    return "\n\n".join([*head, bullets(inline(each) for each in items)])


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring as one line of Markdown."""
    paragraph = re.split(r"\n[ \t]*\n", docstring.strip())[0]
    return inline(re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0])
