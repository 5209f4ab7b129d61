"""The inspector's page: where it is, what may run in it, and how sources are put into it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import Finding, UsageError

__all__ = ["HOLE", "PAGE", "Exhibit", "headers_of", "policy_of", "read_page", "with_exhibits"]

PAGE: Final = Path(__file__).with_name("page.html")
HOLE: Final = '<script type="application/json" id="partwire-data">null</script>'
"""Where the sources go, once in the page."""

_BEGIN, _END = HOLE.split("null")
_LEVEL: Final = 6  # the gzip command's own
_META: Final = re.compile(r"<meta\b[^>]*>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ESCAPES: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&"}


class Exhibit(NamedTuple):
    """A source that the page shows.

    ``kind`` says what it holds; None where the page is to find out. ``data`` are its bytes, or
    ``live`` is the address, relative to the page, at which they come. ``members`` are those that
    the page has beside these: ``run``, ``history``, ``readAs``, ``losses``.
    """

    name: str
    kind: str | None = None
    data: bytes = b""
    live: str | None = None
    members: Mapping[str, Any] = {}

    def to_wire(self) -> dict[str, Any]:
        """Return it as the page reads it."""
        told: dict[str, Any] = {"name": self.name}
        if self.kind is not None:
            told["as"] = self.kind
        if self.live is not None:
            told["live"] = self.live
        else:
            told["gzip"] = _packed(self.data)
        return {**told, **self.members}


def read_page() -> str:
    """Return the page, without a source.

    Raises UsageError ``usage/missing-resource`` where it has not been built, or is damaged.
    """
    try:
        page = PAGE.read_text("utf-8")
    except FileNotFoundError:
        raise _missing("The inspector's page has not been built") from None
    except (OSError, ValueError) as error:
        raise _missing(f"The inspector's page cannot be read: {error}") from None
    if page.count(HOLE) != 1:
        raise _missing("The inspector's page has no place for the sources")
    policy_of(page)
    return page


def with_exhibits(page: str, exhibits: Sequence[Exhibit]) -> str:
    """Return the page with sources in it; of the same sources always the same text.

    What they hold is in Base64, and what is named is escaped: nothing of it ends the script
    element, whatever it is. Without sources the page stays as it is.
    """
    if not exhibits:
        return page
    text = json.dumps({"sources": [each.to_wire() for each in exhibits]}, separators=(",", ":"))
    return page.replace(HOLE, f"{_BEGIN}{text.translate(_ESCAPES)}{_END}")


def policy_of(page: str) -> str:
    """Return the Content-Security-Policy that the page states in a meta element.

    Raises UsageError ``usage/missing-resource`` where it has none.
    """
    for found in _META.finditer(page):
        members = {name.lower(): one or two for name, one, two in _ATTRIBUTE.findall(found[0])}
        if members.get("http-equiv", "").lower() == "content-security-policy":
            return unescape(members.get("content", ""))
    raise _missing("The inspector's page has no Content-Security-Policy")


def headers_of(page: str) -> dict[str, str]:
    """Return the headers that go with the page: its policy, and what a meta element cannot say.

    Raises as :func:`policy_of`.
    """
    return {
        "Content-Security-Policy": f"{policy_of(page)}; frame-ancestors 'none'",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _packed(data: bytes) -> str:
    """Return bytes in gzip and Base64, without the time of day."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", _LEVEL, packed, mtime=0) as file:
        file.write(data)
    return base64.b64encode(packed.getvalue()).decode("ascii")


def _missing(message: str) -> UsageError:
    return UsageError(
        Finding(
            "usage/missing-resource",
            message,
            expected="partwire as it is released; in a checkout, with npm: make inspector",
            actual=str(PAGE),
        )
    )
