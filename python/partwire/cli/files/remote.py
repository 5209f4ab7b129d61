"""What a service sends at a URL, as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import (
    BadStatusLine,
    HTTPException,
    HTTPResponse,
    IncompleteRead,
    LineTooLong,
    RemoteDisconnected,
)
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from ...files.limits import CHUNK_BYTES
from ...files.unreadable import unreadable
from ...version import __version__

__all__ = ["is_url", "opened_url"]

_HEADERS: Final = {
    "Accept": "text/event-stream, application/x-ndjson, application/json;q=0.9, */*;q=0.5",
    "User-Agent": f"partwire/{__version__}",
}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_url(name: str) -> bool:
    """Return whether a name is an address of the web, and not of a file."""
    return name.lower().startswith(("http://", "https://"))


def opened_url(url: str) -> Iterator[bytes]:
    """Ask at a URL, and return what yields the answer as it comes, without end where it has none.

    Raises UsageError ``usage/unreadable-input`` where there is no answer, or one that is not 2xx;
    what is returned raises it for an answer that breaks off.
    """
    try:
        is_here = urlsplit(url).hostname in _LOOPBACK
        # No proxy is on the way to this machine, whatever the environment says.
        response = _opener(ProxyHandler({}) if is_here else ProxyHandler()).open(
            Request(url, headers=_HEADERS)  # noqa: S310 - is_url was asked
        )
    except HTTPError as error:
        with error:
            raise unreadable(url, f"the service answers {error.code} {error.reason}") from None
    except URLError as error:
        raise unreadable(url, _why(error.reason)) from None
    except (OSError, HTTPException, ValueError) as error:
        raise unreadable(url, _why(error)) from None
    if (coding := response.headers.get("Content-Encoding", "identity")) != "identity":
        response.close()
        raise unreadable(url, f"the answer is compressed by {coding}", "an answer as it is")
    return _chunks(url, response)


def _opener(proxy: ProxyHandler) -> OpenerDirector:
    """Return what asks over HTTP alone, wherever a service may send it."""
    opener = OpenerDirector()
    for handler in (
        proxy,
        UnknownHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPRedirectHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _chunks(url: str, response: HTTPResponse) -> Iterator[bytes]:
    with response:
        try:
            while chunk := response.read1(CHUNK_BYTES):
                yield chunk
            if left := response.length:  # of what was announced
                raise unreadable(url, f"the answer breaks off: {left:,} bytes are missing")
        except (OSError, HTTPException, ValueError) as error:
            raise unreadable(url, f"the answer breaks off: {_why(error)}") from None


def _why(error: object) -> str:
    if isinstance(error, HTTPException):
        return next((words for kind, words in _PLAIN if isinstance(error, kind)), str(error))
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


_PLAIN: Final = (
    (IncompleteRead, "it ends before its last part has come"),
    (RemoteDisconnected, "the service ends the connection without an answer"),
    (BadStatusLine, "what answers does not speak HTTP"),
    (LineTooLong, "the head of the answer is too long"),
)
"""What errors of HTTP mean: their own words are those of programs."""
