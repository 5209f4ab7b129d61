"""Which version two peers speak: the best one that both know.

Versions are ordered, and each takes in the older ones, so the best is the newest that both know.
A peer that wants it otherwise says so by weights, as HTTP's Accept has them (RFC 9110, 12.4.2):
``v0.2;q=0.5, v0.1``. A weight of 0 excludes; ``*`` stands for every version that is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from partwire.errors import Finding, PartwireError, UsageError, bad_argument, clip
from partwire.tables.limits import MOST_OFFERS

from .steps import VERSIONS

__all__ = ["NegotiationError", "negotiate"]

_VERSION: Final = re.compile(r"v(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_OFFER: Final = re.compile(
    rf"[ \t]*({_VERSION.pattern}|\*)[ \t]*"
    r"(?:;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?"
)


class NegotiationError(PartwireError, ValueError):
    """No version that both peers know, or an offer that is none."""


def negotiate(offers: str | Iterable[str], supported: Sequence[str] = VERSIONS) -> str:
    """Return the version that both sides know: the greatest weight, then the newest.

    ``offers`` is a list of versions, or one text with commas between them; each may have a weight.
    Their order says nothing. ``supported`` are the versions of this side, by default all that this
    package knows. Raises NegotiationError ``negotiate/no-common-version`` and
    ``negotiate/invalid-offer``, UsageError ``usage/invalid-argument`` for ``supported``, and for
    offers that are not a list.
    """
    mine = {version: _numbers(version) for version in _checked(supported)}
    weights: dict[str, float] = {}
    for version, weight in _weighed(offers):
        weights[version] = max(weight, weights.get(version, 0.0))
    others = weights.get("*", 0.0)
    wanted = {version: weights.get(version, others) for version in mine}
    best = max(mine, key=lambda version: (wanted[version], mine[version]), default=None)
    if best is None or not wanted[best]:
        raise NegotiationError(
            Finding(
                "negotiate/no-common-version",
                "No offered version is supported",
                expected=", ".join(sorted(mine, key=_numbers)) or "nothing",
                actual=clip(", ".join(weights) or "no offer"),
            )
        )
    return best


def _weighed(offers: Any) -> Iterator[tuple[str, float]]:
    texts = offers.split(",") if isinstance(offers, str) else offers
    for count, text in enumerate(_iterated(texts)):
        if isinstance(offers, str) and not text.strip(" \t"):
            continue  # RFC 9110 has readers pass over empty elements
        match = _OFFER.fullmatch(text) if isinstance(text, str) else None
        if match is None or count >= MOST_OFFERS:
            raise NegotiationError(
                Finding(
                    "negotiate/invalid-offer",
                    "Not an offer of a version",
                    expected=f"at most {MOST_OFFERS} offers"
                    if match
                    else "a version such as v0.2, and ;q=0.5 for a weight",
                    actual=clip(text),
                )
            )
        yield match[1], float(match[4] or 1)


def _checked(supported: Any) -> list[str]:
    if isinstance(supported, str):
        raise _no_list(supported)
    versions = list(_iterated(supported))
    for version in versions:
        if not _is_version(version):
            raise _no_list(version)
    return versions


def _iterated(values: Any) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise _no_list(values) from None


def _no_list(actual: Any) -> UsageError:
    return bad_argument("Not a list of versions", "versions such as v0.2", actual)


def _is_version(text: object) -> bool:
    return isinstance(text, str) and _VERSION.fullmatch(text) is not None


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version[1:].partition(".")
    return int(major), int(minor)
