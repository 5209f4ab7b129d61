"""A page in place of the inspector's, with the same place for sources, and what is in it."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from partwire.inspector import page

__all__ = ["POLICY", "STAND_IN", "bytes_of", "put_in_place", "sources_in"]

POLICY = "default-src 'none'; connect-src 'self'"
STAND_IN = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>Inspector</title>
{page.HOLE}
</html>
"""


def put_in_place(
    monkeypatch: pytest.MonkeyPatch, folder: Path, text: str | None = STAND_IN
) -> None:
    """Make a text the inspector's page; None is a page that has not been built."""
    path = folder / "stand-in" / "page.html"
    path.parent.mkdir()
    if text is not None:
        path.write_text(text, "utf-8")
    monkeypatch.setattr(page, "PAGE", path)


class _Scripts(HTMLParser):
    """The script elements of a page, as a browser finds them: attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[dict[str, str | None], str]] = []
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = tag == "script"
        if self._is_inside:
            self.found.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = False

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            attrs, text = self.found[-1]
            self.found[-1] = (attrs, text + data)


def sources_in(text: str) -> list[dict[str, Any]]:
    """Return the sources of a page, which has one script element, with nothing else in it."""
    scripts = _Scripts()
    scripts.feed(text)
    scripts.close()
    ((attrs, inside),) = scripts.found
    assert attrs == {"type": "application/json", "id": "partwire-data"}
    told = json.loads(inside)
    if told is None:
        return []
    assert set(told) == {"sources"}
    sources: list[dict[str, Any]] = told["sources"]
    return sources


def bytes_of(source: dict[str, Any]) -> bytes:
    """Return the bytes of a source."""
    return gzip.decompress(base64.b64decode(source["gzip"], validate=True))
