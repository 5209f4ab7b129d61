"""Pages without what a browser does not need, and one file of the styles that they use."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

__all__ = ["tidy"]

_STYLE: Final = "partwire.css"
"""Ours, which every page links to last: it takes in those of Zensical that come before it."""
_SHEETS: Final = "assets/stylesheets"
_SHEET: Final = re.compile(r'<link rel="stylesheet" href="([^"]*)">\n')


def tidy(output: Path) -> None:
    """Leave out of pages what a browser does not need, and join their styles to one file.

    Templates make half of a page of empty lines and indents. Three files of styles have to come
    before a page is shown, and most of their rules are for what this site does not have.
    """
    pages = {path: _squeezed(path.read_text("utf-8")) for path in output.rglob("*.html")}
    words = {word for text in pages.values() for word in _words_of(text)}
    for script in output.rglob("assets/**/*.js"):
        words.update(_WORD.findall(script.read_text("utf-8")))
    sheets = [posixpath.normpath(each) for each in _SHEET.findall(pages[output / "index.html"])]
    styles = [_used((output / each).read_text("utf-8"), words) for each in sheets]
    shutil.rmtree(output / _SHEETS)
    (output / _STYLE).write_bytes("".join(styles).encode())
    for path, text in pages.items():
        path.write_bytes(_SHEET.sub(_if_ours, text).encode())


def _if_ours(link: re.Match[str]) -> str:
    return link[0] if link[1].endswith(_STYLE) else ""


_AS_IT_IS: Final = re.compile(r"(<(pre|script|svg|textarea)\b.*?</\2>)", re.DOTALL)
_INDENT: Final = re.compile(r"\s*\n\s*")


def _squeezed(text: str) -> str:
    parts = _AS_IT_IS.split(text)
    # Of three parts one is between elements, the next is such an element, the third its name.
    parts[::3] = [_INDENT.sub("\n", part) for part in parts[::3]]
    del parts[2::3]
    return "".join(parts).lstrip()


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


def _used(styles: str, words: Collection[str]) -> str:
    """Return the rules of styles whose classes and colours all are among ``words``."""

    def used(rule: re.Match[str]) -> str:
        selectors = [each for each in _COMMA.split(rule[1]) if _is_used(each, words)]
        return f"{','.join(selectors)}{{{rule[2]}}}" if selectors else ""

    return _EMPTY.sub("", _RULE.sub(used, styles))


def _is_used(selector: str, words: Collection[str]) -> bool:
    if selector.startswith(_SLOW):
        return False
    found = _NAME.findall(_IN_PARENTHESES.sub("", selector))
    return all(name in words for pair in found for name in pair if name)
