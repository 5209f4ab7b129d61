"""Gemini over the official client, ``google.genai.Client``: Google AI and Vertex AI."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from datetime import date, datetime
from enum import Enum
from typing import Any, ClassVar, Final

from .provider_model import ProviderModel, has_call

__all__ = ["GeminiModel"]

# What goes over the wire is `extra_body`; the call itself wants something to say.
_STAND_IN: Final = [{"role": "user", "parts": [{"text": "-"}]}]


class GeminiModel(ProviderModel):
    """A model behind Gemini's ``generateContent``; see :class:`.ProviderModel`.

    Reads the client's objects: it gives no bytes. Members and kinds of parts that the client's
    version does not know are gone before they come here; keep it up to date. Nothing is called
    or continued automatically.
    """

    provider: ClassVar[str] = "google"
    dialect: ClassVar[str] = "gemini"
    extra: ClassVar[str] = "gemini"
    takes: ClassVar[str] = "a client such as google.genai.Client"

    def _takes(self, client: Any) -> bool:
        return has_call(client, "aio.models.generate_content_stream")

    def _default_client(self) -> Any:
        return self._made(self._import("google.genai").Client)

    async def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        wire = {name: value for name, value in body.items() if name not in ("model", "stream")}
        responses = await self.client.aio.models.generate_content_stream(
            model=model_id, contents=_STAND_IN, config=self._call_config(wire)
        )
        try:
            async for response in responses:
                event = _json(response.model_dump(by_alias=True, exclude_unset=True))
                event.pop("sdkHttpResponse", None)
                yield event
        finally:
            await _close(responses)

    def _call_config(self, wire: dict[str, Any]) -> dict[str, Any]:
        """Return the call's options: the whole body, and no work of the client's own."""
        config: dict[str, Any] = {
            "http_options": {"extra_body": wire},
            "automatic_function_calling": {"disable": True},
        }
        known = self._import("google.genai.types").GenerateContentConfig.model_fields
        if "automatic_continuation" in known:
            config["automatic_continuation"] = False
        return config


async def _close(responses: AsyncIterator[Any]) -> None:
    """Close the client's stream down to its connection.

    It is a chain of generators: closing the first leaves those behind it to the garbage
    collector. A cancellation reaches the last.
    """
    import anyio  # noqa: PLC0415 - the extra brings it

    with anyio.CancelScope() as scope, suppress(Exception):
        scope.cancel()
        async for _ in responses:
            pass


def _json(value: Any) -> Any:
    """Return a dumped object as the JSON that it came from.

    pydantic's own JSON writes bytes with another alphabet of Base64 than the provider does, and
    the client makes floats of the whole numbers of streamed arguments.
    """
    if isinstance(value, dict):
        out = {name: _json(member) for name, member in value.items()}
        number = out.get("numberValue")
        if isinstance(number, float) and number.is_integer():
            out["numberValue"] = int(number)
        return out
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return value
