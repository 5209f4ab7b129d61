"""Anthropic Messages over the official client, ``anthropic.AsyncAnthropic``.

``AsyncAnthropicBedrock``, ``AsyncAnthropicVertex`` and their like are clients as well.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from .provider_model import ProviderModel, has_call, is_async_client, split_arguments

__all__ = ["AnthropicModel"]


class AnthropicModel(ProviderModel):
    """A model of Anthropic; see :class:`.ProviderModel`. Reads the response's own bytes."""

    provider: ClassVar[str] = "anthropic"
    dialect: ClassVar[str] = "anthropic-messages"
    extra: ClassVar[str] = "anthropic"
    takes: ClassVar[str] = "an asynchronous client such as anthropic.AsyncAnthropic"

    def _takes(self, client: Any) -> bool:
        return is_async_client(client) and has_call(
            client, "messages.with_streaming_response.create"
        )

    def _default_client(self) -> Any:
        return self._made(self._import("anthropic").AsyncAnthropic)

    async def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        messages = self.client.messages
        arguments = split_arguments(messages.create, body, "extra_body")
        async with messages.with_streaming_response.create(**arguments) as response:
            async for chunk in response.iter_bytes():
                yield chunk
