"""Pages of Markdown: what they are, and how a text gets into one without becoming markup."""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from partwire.cli.report.explain import json_lines

__all__ = [
    "Page",
    "bullets",
    "code",
    "fence",
    "inside",
    "json_fence",
    "link",
    "prose",
    "relative",
    "table",
]

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_MARKS = {mark: f"\\{mark}" for mark in "\\`*_[]"}
_TEXT = str.maketrans({**_ENTITIES, **_MARKS})
_AT_START = re.compile(r"^(?:[#\-+=!?:~^/{}]|\d+[.)])")
_PLAIN_CODE = re.compile(r"[^`|<>&\\\n]*[^`|<>&\\\s]")


@dataclass(frozen=True, slots=True)
class Page:
    """One page: ``path`` is below the root of the site and ends in ``.md``, ``title`` is text.

    ``body`` is Markdown below the title. A page that is not ``searched`` is left out of the search,
    and of llms.txt; ``heading`` is there where the title's heading is part of ``body``.
    """

    path: str
    title: str
    body: str
    description: str = ""
    searched: bool = True
    heading: bool = False

    @property
    def markdown(self) -> str:
        """The page as people and programs read it beside its HTML."""
        return self.body if self.heading else f"# {prose(self.title)}\n\n{self.body}"

    def source(self, section: str = "", index: str = "") -> str:
        """Return the page as Zensical reads it; a JSON string is a YAML string, too.

        ``section`` is the one of the navigation that the page is shown in, though it does not list
        the page, and ``index`` the page in it that leads to this one. What is in front goes into
        HTML as it is: it is escaped here.
        """
        front = [f"title: {json.dumps(html.escape(self.title))}"]
        if self.description:
            front.append(f"description: {json.dumps(html.escape(self.description))}")
        if section:
            front.append(f"section: {json.dumps(section)}")
        if index:
            front.append(f"index: {json.dumps(index.removesuffix('.md') + '.html')}")
        if not self.searched:
            front.append("search:\n  exclude: true")
        return "\n".join(["---", *front, "---", "", self.markdown])


def prose(text: str) -> str:
    """Return a text as one line of Markdown that shows it and does nothing else."""
    line = " ".join(text.split()).translate(_TEXT)
    start = _AT_START.match(line)
    if start is None:
        return line
    return "".join(f"&#{ord(char)};" for char in start.group()) + line[start.end() :]


def code(text: str) -> str:
    """Return a text as code within a line; backquotes and other marks may be in it."""
    if _PLAIN_CODE.fullmatch(text) and not text[0].isspace():
        return f"`{text}`"
    safe = "".join(
        char if char.isalnum() or char in " /.,:-" else f"&#{ord(char)};" for char in text
    )
    return f"<code>{safe}</code>"


def fence(text: str, language: str = "text") -> str:
    """Return a text as a block of code, behind more backquotes than it has itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip(chr(10))}\n{marks}"


def json_fence(value: Any) -> str:
    """Return a JSON value as a block of code, with what fits into a line on one."""
    return fence("\n".join(json_lines(value, 88, 88)), "json")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already, or "" where there is no row."""
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines])


def bullets(items: Iterable[str]) -> str:
    """Return a list of items that are Markdown already."""
    return "\n".join(f"- {item}" for item in items)


def inside(tag: str, text: str, **attributes: str) -> str:
    """Return a text within an element of HTML."""
    words = "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())
    safe = html.escape(" ".join(text.split()), quote=False)
    return f"<{tag}{words}>{safe.translate(_ENTITY_MARKS)}</{tag}>"


_ENTITY_MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*_[]"}


def relative(page: str, target: str) -> str:
    """Return the address of a file of the site as it is written on a page."""
    path, mark, anchor = target.partition("#")
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def link(page: str, target: str, label: str) -> str:
    """Return a link on a page to a file of the site; the label is Markdown already."""
    return f"[{label}]({relative(page, target)})"
