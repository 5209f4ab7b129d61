"""Content types: what a request brings, and what its sender takes as an answer.

Source: RFC 9110, sections 8.3, 8.4 and 12.5.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from ..errors import clip
from .problems import refuse

__all__ = ["Headers", "chosen_type", "content_coding", "content_type", "header", "headers_of"]

Headers = Mapping[bytes, tuple[bytes, ...]]
"""The values of each header in order; names are lower case, as servers give them."""
_QUALITY: Final = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
_MAX_RANGES: Final = 64
_UTF8: Final = frozenset({"utf-8", "utf8"})
_remembered = lru_cache(maxsize=64)
"""Clients say the same again and again. Few are kept: a header may be as long as a head."""


def headers_of(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of an ASGI scope by name."""
    found: dict[bytes, tuple[bytes, ...]] = {}
    for name, value in raw:
        found[name] = (*found[name], value) if name in found else (value,)
    return found


def header(headers: Headers, name: bytes) -> list[str]:
    """Return every value of a header, in order."""
    return _texts(headers.get(name, ()))


def _texts(values: tuple[bytes, ...]) -> list[str]:
    return [value.decode("latin-1") for value in values]


def content_type(headers: Headers, taken: tuple[str, ...]) -> str:
    """Return which of ``taken`` the body is. Raises Problem 415, which names them in Accept."""
    return _content_type(headers.get(b"content-type", ()), taken)


@_remembered
def _content_type(values: tuple[bytes, ...], taken: tuple[str, ...]) -> str:
    given = _texts(values)
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
    if b"content-encoding" not in headers:
        return "identity"
    values = header(headers, b"content-encoding")
    codings = [each.strip().lower() for value in values for each in value.split(",")]
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


def chosen_type(headers: Headers, offered: tuple[str, ...]) -> str:
    """Return which of ``offered`` the sender likes best; of equals the first one.

    Raises Problem 406 where it takes none of them. Ranges that cannot be read are passed over.
    """
    return _chosen_type(headers.get(b"accept", ()), offered)


@_remembered
def _chosen_type(accepted: tuple[bytes, ...], offered: tuple[str, ...]) -> str:
    values = _texts(accepted)
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


def _quality(kind: str, ranges: list[str]) -> float:
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
