"""What is only read: the contract's schemas, the OpenAPI documents, the inspector's page, health
and figures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ...contract.current import FAMILIES, LATEST_VERSION
from ...contract.resources import interface, read_catalog, read_folder
from ...errors import UsageError, clip
from ...inspector import page as inspector_page
from ...version import __version__
from ..answers import json_answer
from ..exchange import Answer, Exchange
from ..negotiation import chosen_type, header
from ..parameters import choice, read_query
from ..problems import refuse

__all__ = ["health", "inspector", "list_schemas", "metrics", "openapi", "schema"]

_JSON: Final = ("application/json",)
_HTML: Final = "text/html"
_SCHEMA: Final = "application/schema+json"
_FOREVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "public, no-cache"
_EDITIONS: Final = ("3.1", "3.2")


_Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]


class _File(NamedTuple):
    data: bytes
    etag: str


def _file(data: bytes) -> _File:
    return _File(data, f'"{hashlib.sha256(data).hexdigest()}"')


@cache
def _schemas() -> Mapping[tuple[str, str, str], _File]:
    """Return every schema file of every version: only what is in here is ever given out."""
    return {
        (version, family, file): _file(data)
        for version in FAMILIES
        for name, data in read_folder(version).items()
        for family, _, file in [name.partition("/")]
        if family != "bundles"
    }


@cache
def _openapi(edition: str) -> _File:
    return _file(msgspec.json.encode(interface(f"openapi-{edition}")))


async def list_schemas(exchange: Exchange) -> Answer:
    """Answer with the names of all schema files."""
    read_query(exchange.query, {})
    chosen_type(exchange.headers, _JSON)
    catalog = read_catalog()
    rows = [
        {"version": version, "family": family, "file": file, "status": catalog[version]["status"]}
        for version, family, file in _schemas()
    ]
    return json_answer(msgspec.json.encode({"schemas": rows}))


async def schema(exchange: Exchange) -> Answer:
    """Answer with one schema file, byte for byte."""
    read_query(exchange.query, {})
    path = exchange.scope["path_params"]
    key = (path["version"], path["family"], path["file"])
    found = _schemas().get(key)
    if found is None:
        raise refuse(
            "service/unknown-path",
            "There is no such schema",
            expected="a file that /schemas names",
            actual=clip("/".join(key)),
        )
    chosen_type(exchange.headers, (_SCHEMA,))
    released = read_catalog()[key[0]]["status"] == "released"
    return _unless_known(exchange, found, _SCHEMA, _FOREVER if released else _ASK_AGAIN)


async def openapi(exchange: Exchange) -> Answer:
    """Answer with the OpenAPI document of this service."""
    given = read_query(exchange.query, {"edition": choice(*_EDITIONS)})
    chosen_type(exchange.headers, _JSON)
    document = _openapi(given.get("edition", _EDITIONS[0]))
    return _unless_known(exchange, document, "application/json", _ASK_AGAIN)


async def inspector(exchange: Exchange) -> Answer:
    """Answer with the inspector's page; raises Problem 404 where it has not been built."""
    read_query(exchange.query, {})
    chosen_type(exchange.headers, (_HTML,))
    try:
        page, policy = _inspector(inspector_page.PAGE)
    except UsageError as error:
        found = error.findings[0]
        raise refuse("service/unknown-path", found.message, expected=found.expected) from None
    more = tuple((name.encode(), value.encode()) for name, value in policy.items())
    return _unless_known(exchange, page, f"{_HTML}; charset=utf-8", _ASK_AGAIN, more)


@cache
def _inspector(_path: Path) -> tuple[_File, Mapping[str, str]]:
    """Return the page, and the headers that go with it, of the file that is the page."""
    page = inspector_page.read_page()
    return _file(page.encode()), inspector_page.headers_of(page)


def _unless_known(
    exchange: Exchange, file: _File, kind: str, keep: str, more: _Headers = ()
) -> Answer:
    headers = ((b"etag", file.etag.encode()), (b"cache-control", keep.encode()), *more)
    known = ",".join(header(exchange.headers, b"if-none-match"))
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    if file.etag in tags or "*" in tags:
        return Answer(304, headers)
    return Answer(200, ((b"content-type", kind.encode()), *headers), file.data)


async def health(exchange: Exchange) -> Answer:
    """Answer ok, or 503 once the service takes no new work."""
    read_query(exchange.query, {})
    chosen_type(exchange.headers, _JSON)
    if exchange.state.is_draining:
        raise exchange.state.draining()
    told = {"status": "ok", "version": __version__, "contract": LATEST_VERSION}
    return json_answer(msgspec.json.encode(told))


async def metrics(exchange: Exchange) -> Answer:
    """Answer with the figures for Prometheus."""
    read_query(exchange.query, {})
    chosen_type(exchange.headers, ("text/plain",))
    figures = exchange.state.metrics
    kind = (b"content-type", figures.content_type.encode())
    return Answer(200, (kind, (b"cache-control", b"no-store")), figures.text())
