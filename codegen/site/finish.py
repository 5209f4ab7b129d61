"""What is done to the site that Zensical has built: a page fetches and holds no more than it needs."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any, Final

__all__ = ["drop_unused", "squeeze", "trim_search"]

_NOT_SEARCHED: Final = frozenset(
    {
        "invalid-examples",
        "on-the-command-line",
        "used-by",
        "valid-examples",
        "what-is-fine",
        "what-is-reported",
        "what-it-belongs-to",
        "where-it-shows",
    }
)
"""Sections of generated pages: their examples say the same words a thousand times."""

_FIGURES: Final = frozenset({"bench.html"})
"""Pages of figures: the search finds the page, and none of its sections."""

_QUOTES: Final = re.compile("&(?:#x27|quot);")


def trim_search(output: Path) -> None:
    """Leave examples and figures out of the search, and its items out of what pages fetch.

    What every page fetches is search.json, or search.js from files. The items are in
    search-index.js, which search.js of this folder fetches when the search is used. The titles of
    pages that an item is below are shown as they are, so that they have no entities.
    """
    index: dict[str, Any] = json.loads((output / "search.json").read_bytes())
    items = [item for item in index["items"] if _is_searched(item["location"])]
    for item in items:
        item["path"] = [_QUOTES.sub(lambda mark: unescape(mark[0]), each) for each in item["path"]]
    empty = _compact(index | {"items": []})
    _write(output / "search.json", empty)
    _write(output / "search.js", f"var __index = {empty}")
    _write(output / "search-index.js", f"var searchIndex = {_compact(items)}")


def _is_searched(location: str) -> bool:
    page, _, anchor = location.partition("#")
    return anchor not in _NOT_SEARCHED and not (anchor and page in _FIGURES)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_AS_IT_IS: Final = re.compile(r"(<(pre|script|svg|textarea)\b.*?</\2>)", re.DOTALL)
_INDENT: Final = re.compile(r"\s*\n\s*")


def squeeze(output: Path) -> None:
    """Leave empty lines and indents out of pages: templates make half of a page of them."""
    for path in output.rglob("*.html"):
        parts = _AS_IT_IS.split(path.read_text("utf-8"))
        # Of three parts one is between elements, the next is such an element, the third its name.
        parts[::3] = [_INDENT.sub("\n", part) for part in parts[::3]]
        del parts[2::3]
        _write(path, "".join(parts).lstrip())


_UNUSED: Final = ("assets/stylesheets/classic",)
"""Folders of Zensical's files for its other look."""


def drop_unused(output: Path) -> None:
    """Remove the files of Zensical that no page fetches."""
    for name in _UNUSED:
        for path in (output / name).iterdir():
            path.unlink()
        (output / name).rmdir()


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
