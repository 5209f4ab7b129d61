"""Content types: what a request brings, and what its sender takes as an answer.

Source: RFC 9110, sections 8.3, 8.4 and 12.5.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..errors import clip
from .problems import refuse

__all__ = ["chosen_type", "content_coding", "content_type", "header"]

Headers = Sequence[tuple[bytes, bytes]]
_QUALITY: Final = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
_MAX_RANGES: Final = 64
_UTF8: Final = frozenset({"utf-8", "utf8"})


def header(headers: Headers, name: bytes) -> list[str]:
    """Return every value of a header, in order; names are lower case, as servers give them."""
    return [value.decode("latin-1") for key, value in headers if key == name]


def content_type(headers: Headers, taken: Sequence[str]) -> str:
    """Return which of ``taken`` the body is. Raises Problem 415, which names them in Accept."""
    given = header(headers, b"content-type")
    kind, *parameters = given[0].split(";") if given else [""]
    kind = kind.strip().lower()
    charset = next(
        (
            value.strip(' "').lower()
            for name, _, value in (each.partition("=") for each in parameters)
            if name.strip().lower() == "charset"
        ),
        "utf-8",
    )
    if len(given) != 1 or kind not in taken or charset not in _UTF8:
        raise refuse(
            "service/unsupported-type",
            "The body has a content type that is not taken here",
            expected=" or ".join(taken) + ", in UTF-8",
            actual=clip(", ".join(given)) if given else "none",
            headers={"accept": ", ".join(taken)},
        )
    return kind


def content_coding(headers: Headers) -> str:
    """Return ``identity`` or ``gzip``. Raises Problem 415 for any other coding, or several."""
    codings = [
        each.strip().lower()
        for value in header(headers, b"content-encoding")
        for each in value.split(",")
    ]
    meant = [each for each in codings if each not in ("", "identity")]
    if not meant:
        return "identity"
    if meant in (["gzip"], ["x-gzip"]):
        return "gzip"
    raise refuse(
        "service/unsupported-encoding",
        "The body has a content encoding that is not taken",
        expected="gzip, once, or none",
        actual=clip(", ".join(codings)),
        headers={"accept-encoding": "gzip, identity"},
    )


def chosen_type(headers: Headers, offered: Sequence[str]) -> str:
    """Return which of ``offered`` the sender likes best; of equals the first one.

    Raises Problem 406 where it takes none of them. Ranges that cannot be read are passed over.
    """
    values = header(headers, b"accept")
    ranges = [each for value in values for each in value.split(",") if each.strip()][:_MAX_RANGES]
    if not ranges:
        return offered[0]
    liked = [(_quality(kind, ranges), -index, kind) for index, kind in enumerate(offered)]
    quality, _, kind = max(liked)
    if quality <= 0:
        raise refuse(
            "service/not-acceptable",
            "The answer comes in no type that is accepted",
            expected=" or ".join(offered),
            actual=clip(", ".join(values)),
        )
    return kind


def _quality(kind: str, ranges: Sequence[str]) -> float:
    """Return how much a type is liked: the closest range that covers it says it."""
    best = (-1, 0.0)
    for each in ranges:
        name, *parameters = [part.strip().lower() for part in each.split(";")]
        closeness = _closeness(kind, name)
        said = next((part[2:].strip() for part in parameters if part.startswith("q=")), "1")
        if closeness > best[0] and _QUALITY.fullmatch(said):
            best = (closeness, float(said))
    return best[1] if best[0] >= 0 else 0.0


def _closeness(kind: str, name: str) -> int:
    main, _, sub = kind.partition("/")
    if name == kind:
        return 3
    if sub.endswith("+json") and name == f"{main}/json":
        return 2  # who takes JSON takes JSON of a kind
    if name == f"{main}/*":
        return 1
    return 0 if name == "*/*" else -1
