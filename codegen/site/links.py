"""Whether the built site holds together: every link leads somewhere, and nothing is fetched."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

__all__ = ["Fault", "faults"]

_FETCHED: Final = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
"""Element → the attribute whose address a browser fetches; of ``link`` it depends on ``rel``."""
_OF_STYLES: Final = re.compile(r"""(?:url\(|@import)\s*["']?([^"')]+)""")
_ELSEWHERE: Final = "it is fetched from elsewhere"
_FETCHED_LINKS: Final = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "prefetch"}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong on a page of the site."""

    page: str
    address: str
    problem: str

    def __str__(self) -> str:
        return f"{self.page}: {self.address}: {self.problem}"


@dataclass(frozen=True, slots=True)
class _Page:
    """What a page links to, fetches, and has as anchors."""

    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


_OPAQUE: Final = re.compile(r"<!--.*?-->|(?<=>)[^<]*(?=</script>)|<svg\b.*?</svg>", re.DOTALL)
_TAG: Final = re.compile(r"""<([a-z][a-z0-9]*)\b((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE: Final = re.compile(
    r"""(?<=\s)(id|name|href|src|data|rel)=(?:"([^"]*)"|'([^']*)'|(\S+))"""
)


def _read(text: str) -> _Page:
    """Return what a page has: a parser of all of HTML takes five times as long for a whole site."""
    page = _Page()
    for tag, words in _TAG.findall(_OPAQUE.sub("", text)):
        given = {
            name: unescape(double or single or bare)
            for name, double, single, bare in _ATTRIBUTE.findall(words)
        }
        page.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            page.links.append(given["href"])
        elif tag == "link" and _FETCHED_LINKS & set(given.get("rel", "").split()):
            page.fetched.append(given.get("href", ""))
        elif _FETCHED.get(tag) in given:
            page.fetched.append(given[_FETCHED[tag]])
    return page


def faults(site: Path) -> Iterator[Fault]:
    """Yield every link of a built site that leads nowhere, and all that is fetched from elsewhere.

    Addresses are to be relative, so that the site works below any path and from files.
    """
    pages = {
        path.relative_to(site).as_posix(): _read(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    for path in sorted(site.rglob("*.css")):
        for address in _OF_STYLES.findall(path.read_text("utf-8")):
            if _is_elsewhere(address):
                yield Fault(path.relative_to(site).as_posix(), address, _ELSEWHERE)
    for name, page in pages.items():
        for address in page.fetched:
            if _is_elsewhere(address):
                yield Fault(name, address, _ELSEWHERE)
        for address in dict.fromkeys((*page.links, *page.fetched)):
            problem = _problem(site, pages, name, address)
            if problem:
                yield Fault(name, address, problem)


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def _problem(site: Path, pages: dict[str, _Page], name: str, address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    if parts.path.startswith("/"):
        # The page of errors is served for any address: it alone cannot be relative.
        return "" if name == "404.html" else "it is not relative"
    folder = posixpath.dirname(name)
    path = posixpath.normpath(posixpath.join(folder, unquote(parts.path))) if parts.path else name
    if path.startswith(".."):
        return "it leaves the site"
    if (site / path).is_dir():
        return "" if path == "." or parts.path == "." else "it is a folder"
    if not (site / path).is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    if anchor and path in pages and anchor not in pages[path].anchors:
        return "there is no such place on the page"
    return ""
