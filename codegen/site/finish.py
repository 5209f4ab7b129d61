"""What is done to the site that Zensical has built: a page fetches and holds no more than it needs."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from collections.abc import Collection, Iterator
from html import unescape
from pathlib import Path
from typing import Any, Final

__all__ = ["tidy", "trim_search"]

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


def tidy(output: Path) -> None:
    """Leave out of pages what a browser does not need, and join their styles to one file.

    Templates make half of a page of empty lines and indents. Three files of styles have to come
    before a page is shown, and most of their rules are for what this site does not have.
    """
    pages = {path: _squeezed(path.read_text("utf-8")) for path in output.rglob("*.html")}
    words = {word for text in pages.values() for word in _words_of(text)}
    for script in output.rglob("assets/**/*.js"):
        words.update(_WORD.findall(script.read_text("utf-8")))
    styles = _style_sheets(pages[output / "index.html"])
    joined = "".join(_used((output / name).read_text("utf-8"), words) for name in styles)
    _write(output / _STYLE, joined)
    for path, text in pages.items():
        _write(path, _STYLES.sub(rf'<link rel="stylesheet" href="\1{_STYLE}">', text))
    shutil.rmtree(output / "assets" / "stylesheets")
    for name in styles:
        (output / name).unlink(missing_ok=True)


_AS_IT_IS: Final = re.compile(r"(<(pre|script|svg|textarea)\b.*?</\2>)", re.DOTALL)
_INDENT: Final = re.compile(r"\s*\n\s*")


def _squeezed(text: str) -> str:
    parts = _AS_IT_IS.split(text)
    # Of three parts one is between elements, the next is such an element, the third its name.
    parts[::3] = [_INDENT.sub("\n", part) for part in parts[::3]]
    del parts[2::3]
    return "".join(parts).lstrip()


_STYLE: Final = "style.css"
_STYLES: Final = re.compile(
    r'<link rel="stylesheet" href="((?:\.{0,2}/)*)[^"]*">(?:\s*<link rel="stylesheet" href="[^"]*">)*'
)
_WORD: Final = re.compile(r"[\w-]+")
_CLASSES: Final = re.compile(r' (?:class|data-md-color-\w+)="([^"]*)"')
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_EMPTY: Final = re.compile(r"@(?:media|supports)[^{}]*\{\}")
_COMMA: Final = re.compile(r",(?![^(]*\))")
_IN_PARENTHESES: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_NAME: Final = re.compile(r"\.(-?[A-Za-z_][\w-]*)|\[data-md-color-\w+=([\w-]+)\]")
_SLOW: Final = "[data-md-color-switching]"
"""Zensical sets it for a moment on every page, and then all elements get their styles anew, twice.

Its only rule is that colours change at once, where others would fade for a quarter of a second.
"""


def _words_of(page: str) -> Iterator[str]:
    """Yield the classes of elements, and the names of their colours."""
    for words in _CLASSES.findall(page):
        yield from words.split()


def _style_sheets(page: str) -> list[str]:
    """Return the files of styles of the first page, which are relative to the site's root."""
    return [
        posixpath.normpath(name) for name in re.findall(r'<link rel="stylesheet" href="(.*?)">', page)
    ]


def _used(styles: str, words: Collection[str]) -> str:
    """Return the rules whose classes and colours all are among ``words``."""

    def used(rule: re.Match[str]) -> str:
        selectors = [each for each in _COMMA.split(rule[1]) if _is_used(each, words)]
        return f"{','.join(selectors)}{{{rule[2]}}}" if selectors else ""

    return _EMPTY.sub("", _RULE.sub(used, styles))


def _is_used(selector: str, words: Collection[str]) -> bool:
    if selector.startswith(_SLOW):
        return False
    found = _NAME.findall(_IN_PARENTHESES.sub("", selector))
    return all(name in words for pair in found for name in pair if name)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
