"""starlette and jsonschema-rs: the shortest service that says whether a document is valid."""

from __future__ import annotations

import importlib
from typing import Any

from partwire.contract.resources import bundle

__all__ = ["create_app"]


def create_app() -> Any:
    """Return the service as an ASGI application; raises ImportError."""
    applications = importlib.import_module("starlette.applications")
    responses = importlib.import_module("starlette.responses")
    routing = importlib.import_module("starlette.routing")
    schema = {**bundle("message"), "$ref": "#/$defs/Message"}
    validator = importlib.import_module("jsonschema_rs").Draft202012Validator(schema)

    async def validate(request: Any) -> Any:
        document = await request.json()
        return responses.JSONResponse({"valid": validator.is_valid(document)})

    route = routing.Route("/v1/validate", validate, methods=["POST"])
    return applications.Starlette(routes=[route])
