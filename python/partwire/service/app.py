"""The ASGI application: routes, and what is around them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..errors import clip
from .answers import Endpoint
from .endpoints import publish as publishing
from .endpoints.assemble import assemble
from .endpoints.convert import compare, convert
from .endpoints.validate import validate
from .heads import ANY_HOST
from .limits import Limits
from .middleware import Edge, Record
from .problems import refuse
from .state import State

__all__ = ["create_app"]

_ROUTES: Final[tuple[tuple[str, str, Callable[..., Any]], ...]] = (
    ("POST", "/v1/validate", validate),
    ("POST", "/v1/assemble", assemble),
    ("POST", "/v1/convert", convert),
    ("POST", "/v1/compat", compare),
    ("GET", "/schemas", publishing.list_schemas),
    ("GET", "/schemas/{version}/{family}/{file}", publishing.schema),
    ("GET", "/openapi.json", publishing.openapi),
    ("GET", "/healthz", publishing.health),
    ("GET", "/metrics", publishing.metrics),
)


def create_app(
    limits: Limits | None = None,
    *,
    record: Record | None = None,
    access: bool = False,
    hosts: Collection[str] = (ANY_HOST,),
) -> Starlette:
    """Return the service as an ASGI application, for any server.

    ``record`` takes entries of the log, of every request with ``access``. ``hosts`` are the names
    under which it is asked, beside those of the loopback and the address that a connection came
    to; ``*`` is any. Its state, with limits and figures, is ``app.state.service``.
    """
    state = State(limits or Limits())

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, State]]:
        try:
            yield {"service": state}
        finally:
            await state.workers.close()

    app = Starlette(
        routes=[
            Route(path, Endpoint(function), methods=[method], name=function.__name__)
            for method, path, function in _ROUTES
        ],
        middleware=[Middleware(Edge, state, record or _forget, access=access, hosts=hosts)],
        exception_handlers={404: _not_found, 405: _other_method},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service = state
    return app


def _forget(entry: dict[str, Any]) -> None:
    """Keep no log."""


async def _not_found(request: Request, _error: Exception) -> Response:
    expected = ", ".join(path for _, path, _ in _ROUTES)
    raise refuse(
        "service/unknown-path",
        "There is no such path",
        expected=expected,
        actual=clip(request.url.path),
    )


async def _other_method(request: Request, error: Exception) -> Response:
    """Answer OPTIONS with the methods of the path, and any other method with 405."""
    assert isinstance(error, HTTPException)
    known = sorted((error.headers or {})["Allow"].split(", "))
    allow = ", ".join([*known, "OPTIONS"])
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"allow": allow})
    raise refuse(
        "service/method-not-allowed",
        "The path does not know the method",
        expected=allow,
        actual=clip(request.method),
        headers={"allow": allow},
    )
