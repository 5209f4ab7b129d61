"""What clients take together of something bounded, and what each of them takes at most.

A client is an address: who is alone may take most, never all, so that one of them does not shut
the others out.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from typing import Any, Final

from .problems import Problem, refuse

__all__ = ["Share", "client_of"]

_HOST_BITS: Final = 64
"""The part of an address of IPv6 that whoever has one of them chooses freely."""


class Share:
    """At most ``most`` of what ``what`` says, and of one client the part ``share`` of that."""

    def __init__(self, what: str, most: int, share: float) -> None:
        self.taken = 0
        self._what = what
        self._most = most
        self._each = max(1, math.ceil(most * share))
        self._of: dict[str, int] = {}

    def take(self, client: str, number: int = 1) -> None:
        """Count what a client takes. Raises Problem 429 ``service/busy`` where it is too much."""
        own = self._of.get(client, 0) + number
        if self.taken + number > self._most:
            raise _busy(f"The service has as many {self._what} as it may", f"{self._most}")
        if own > self._each:
            message = f"The client has as many {self._what} as one address may"
            raise _busy(message, f"{self._each} of {self._most}")
        self.taken += number
        self._of[client] = own

    def give_back(self, client: str, number: int = 1) -> None:
        """Count what a client no longer has."""
        self.taken -= number
        left = self._of.get(client, 0) - number
        if left > 0:
            self._of[client] = left
        else:
            self._of.pop(client, None)


def client_of(address: Any) -> str:
    """Return whom an address of an ASGI scope, or of a connection, belongs to."""
    if not address:
        return ""
    host = str(address[0])
    try:
        known = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if known.version == 4:
        return host
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_address(int(known) >> _HOST_BITS << _HOST_BITS))


def _busy(message: str, most: str) -> Problem:
    headers: Mapping[str, str] = {"retry-after": "1"}
    return refuse("service/busy", message, expected=f"at most {most}", headers=headers)
