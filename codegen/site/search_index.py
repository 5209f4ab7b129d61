"""The index of the search: less than Zensical makes, and apart from what every page fetches."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any, Final

__all__ = ["trim_search"]

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
    (output / "search.json").write_bytes(empty.encode())
    (output / "search.js").write_bytes(f"var __index = {empty}".encode())
    whole = f"var searchIndex = {_compact(items)}"
    (output / "search-index.js").write_bytes(whole.encode())


def _is_searched(location: str) -> bool:
    page, _, anchor = location.partition("#")
    return anchor not in _NOT_SEARCHED and not (anchor and page in _FIGURES)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
