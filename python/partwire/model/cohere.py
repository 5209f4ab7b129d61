"""Cohere's chat over the official client, ``cohere.AsyncClientV2``."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from .provider_model import ProviderModel, has_call, is_async_client, split_arguments
from .pump import Identity

__all__ = ["CohereModel"]

_OPTIONS = "request_options"
_EXTRA = "additional_body_parameters"


class CohereModel(ProviderModel):
    """A model of Cohere; see :class:`.ProviderModel`. Reads the response's own bytes."""

    provider: ClassVar[str] = "cohere"
    dialect: ClassVar[str] = "cohere-v2"
    extra: ClassVar[str] = "cohere"
    takes: ClassVar[str] = "an asynchronous client such as cohere.AsyncClientV2"

    def _takes(self, client: Any) -> bool:
        return is_async_client(client) and has_call(client, "with_raw_response.chat_stream")

    def _default_client(self) -> Any:
        return self._made(self._import("cohere").AsyncClientV2)

    async def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        send = self.client.with_raw_response.chat_stream
        # "stream" is what makes the call another method of this client.
        asked = {name: value for name, value in body.items() if name != "stream"}
        arguments = split_arguments(send, asked, _EXTRA)
        if others := arguments.pop(_EXTRA, None):
            options = arguments.get(_OPTIONS) or {}
            given = options.get(_EXTRA) or {}
            arguments[_OPTIONS] = {**options, _EXTRA: {**others, **given}}
        yield Identity(model_id)
        async with send(**arguments) as response:
            async for chunk in response.response.aiter_bytes():
                yield chunk
