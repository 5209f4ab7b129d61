"""What a head must not be: the parser takes forms that other servers read in another way.

A proxy in front that reads a head otherwise than we do takes a part of a body for a request, or
the other way round. A name that is not ours is a page elsewhere that has let its name be looked
up as our address. Source: RFC 9112, sections 2.2, 2.3, 3.2 and 5.2.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from ..errors import clip
from .problems import Problem, refuse

__all__ = ["ANY_HOST", "check_host", "head_problem", "known_hosts"]

ANY_HOST: Final = "*"
"""In place of the names that are taken: all of them are."""

_END: Final = re.compile(rb"\n\r?\n")  # as the parser finds it
_VERSION: Final = re.compile(rb" HTTP/([0-9])\.[0-9]\r?\Z")
_PORT: Final = re.compile(r":[0-9]*\Z")
_CLOSE: Final = {"connection": "close"}
_HOSTS: Final = 64


def head_problem(data: bytes) -> Problem | None:
    """Return what is wrong with the form of a head that ``data`` begins with, if it is whole."""
    end = _END.search(data)
    if end is None:
        return None
    head = data[: end.end()]
    version = _VERSION.search(head.partition(b"\n")[0])
    if version is not None and version[1] != b"1":
        return refuse(
            "service/unsupported-version",
            "The version of HTTP is not spoken here",
            expected="HTTP/1.1 or HTTP/1.0",
            actual=clip(version[0].strip().decode("ascii")),
        )
    if head.count(b"\n") != head.count(b"\r\n"):
        return _malformed("A line of the head ends with LF alone", "CR LF at the end of a line")
    if b"\n " in head or b"\n\t" in head:
        return _malformed("A header goes on in the next line", "each header on one line")
    return None


def _malformed(message: str, expected: str) -> Problem:
    return refuse("service/bad-request", message, expected=expected)


def check_host(hosts: tuple[str, ...], given: bytes, server: Any) -> None:
    """Refuse a request for a host that is not ours.

    Ours are names of the loopback, the address at which the connection came in (``server``), and
    ``hosts``. Raises Problem 400 ``service/unknown-host``.
    """
    if ANY_HOST not in hosts:
        _check_host(hosts, given, str(server[0]) if server else "")


@lru_cache(maxsize=_HOSTS)  # of what is refused none is kept
def _check_host(hosts: tuple[str, ...], given: bytes, server: str) -> None:
    host = _host_of(given.decode("latin-1"))
    address = _address(host)
    if address is None:
        known = _is_loopback_name(host)
    else:
        known = address.is_loopback or address == _address(server)
    if not known and host not in hosts:
        raise refuse(
            "service/unknown-host",
            "The request is for another host",
            expected=", ".join(["localhost", *hosts]) + ", or the address that is listened at",
            actual=clip(host),
            headers=_CLOSE,
        )


def known_hosts(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names and addresses that somebody has listed as :func:`check_host` takes them."""
    return tuple(each.lower() if _address(each) else _host_of(each) for each in names)


def _host_of(authority: str) -> str:
    """Return the host of an authority, in lower case, without port and brackets."""
    host = _PORT.sub("", authority.strip()).lower()
    if host.startswith("[") and host.endswith("]"):
        return host[1:-1]
    return host.removesuffix(".")


def _is_loopback_name(host: str) -> bool:
    """Return whether a name is that of the loopback for everyone. Source: RFC 6761, section 6.3."""
    return host == "localhost" or host.endswith(".localhost")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
