"""The ASGI application: routes, and what is around them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, Router
from starlette.types import ASGIApp
from starlette.websockets import WebSocketClose

from ..errors import clip
from .endpoints import publish as publishing
from .endpoints.assemble import assemble
from .endpoints.convert import compare, convert
from .endpoints.validate import validate
from .exchange import Answer, Receive, Scope, Send, exchange_of
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
    ("GET", "/inspect", publishing.inspector),
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

    app = _Application(
        routes=[_Route(path, function, methods=[method]) for method, path, function in _ROUTES],
        middleware=[Middleware(Edge, state, record or _forget, access=access, hosts=hosts)],
        lifespan=lifespan,
    )
    app.state.service = state
    return app


def _forget(entry: dict[str, Any]) -> None:
    """Keep no log."""


class _Application(Starlette):
    """Starlette's application, of whose own layers the edge leaves nothing to do."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return what every request goes through."""
        self.router.redirect_slashes = False
        self.router.default = _not_found
        app: ASGIApp = _Index(self.router)
        for layer, args, kwargs in reversed(self.user_middleware):
            app = layer(app, *args, **kwargs)
        return app


class _Index:
    """Finds the route of a path without parameters at once, and leaves all others to the router."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._routes = {
            route.path: route
            for route in router.routes
            if isinstance(route, _Route) and not route.param_convertors
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_plain = scope["type"] == "http" and not scope.get("root_path")
        route = self._routes.get(scope["path"]) if is_plain else None
        if route is None:
            await self._router(scope, receive, send)
            return
        scope["route"] = route
        await route.handle(scope, receive, send)


class _Route(Route):
    """A path, whose endpoint takes an exchange; what it returns, if anything, is the answer."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; OPTIONS with the methods of the path, any other method with 405."""
        exchange, method = exchange_of(scope), scope["method"]
        known = self.methods or set()
        if method in known:
            answer = await self.endpoint(exchange)
            if answer is not None:
                await exchange.answer(answer)
            return
        allow = ", ".join([*sorted(known), "OPTIONS"])
        if method != "OPTIONS":
            raise refuse(
                "service/method-not-allowed",
                "The path does not know the method",
                expected=allow,
                actual=clip(method),
                headers={"allow": allow},
            )
        await exchange.answer(Answer(204, ((b"allow", allow.encode()),)))


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await WebSocketClose()(scope, receive, send)
        return
    expected = ", ".join(path for _, path, _ in _ROUTES)
    raise refuse(
        "service/unknown-path",
        "There is no such path",
        expected=expected,
        actual=clip(scope["path"]),
    )
