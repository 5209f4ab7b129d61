"""The contract service: validate, assemble, convert and compare over HTTP.

    app = create_app(Limits(streams=100))    # any ASGI server
    partwire serve --port 8080               # uvicorn, with signals, limits and logs

Needs the extra ``serve``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..extras import import_extra
from .limits import Limits

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["Limits", "create_app"]


def create_app(limits: Limits | None = None, **options: Any) -> Starlette:
    """Return the service as an ASGI application; options as of :func:`.app.create_app`.

    Raises UsageError ``usage/missing-extra``.
    """
    require_extra()
    from .app import create_app as create  # noqa: PLC0415

    return create(limits, **options)


def require_extra() -> None:
    """Raise UsageError ``usage/missing-extra`` where the extra ``serve`` is not installed."""
    for package in ("prometheus_client", "starlette", "uvicorn"):
        import_extra(package, "serve", "The service")
