"""OpenAI over the official client, ``openai.AsyncOpenAI``: Chat Completions and Responses.

``AsyncAzureOpenAI`` is a client as well, and ``base_url`` points at any vendor of the dialect.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from .provider_model import ProviderModel, has_call, is_async_client, split_arguments

__all__ = ["OpenAIChatModel", "OpenAIResponsesModel"]


class _OpenAIModel(ProviderModel):
    provider: ClassVar[str] = "openai"
    extra: ClassVar[str] = "openai"
    takes: ClassVar[str] = "an asynchronous client such as openai.AsyncOpenAI"

    def _takes(self, client: Any) -> bool:
        return is_async_client(client) and all(
            has_call(client, f"{name}.with_streaming_response.create")
            for name in ("chat.completions", "responses")
        )

    def _default_client(self) -> Any:
        return self._made(self._import("openai").AsyncOpenAI)

    @abstractmethod
    def _resource(self) -> Any:
        """Return the client's part that sends the request."""

    async def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        resource = self._resource()
        arguments = split_arguments(resource.create, body, "extra_body")
        async with resource.with_streaming_response.create(**arguments) as response:
            async for chunk in response.iter_bytes():
                yield chunk


class OpenAIChatModel(_OpenAIModel):
    """A model behind Chat Completions, OpenAI's or any vendor's; see :class:`.ProviderModel`.

    Reads the response's own bytes.
    """

    dialect: ClassVar[str] = "openai-chat"

    def _resource(self) -> Any:
        return self.client.chat.completions


class OpenAIResponsesModel(_OpenAIModel):
    """A model behind OpenAI's Responses API; see :class:`.ProviderModel`.

    Reads the response's own bytes.
    """

    dialect: ClassVar[str] = "openai-responses"

    def _resource(self) -> Any:
        return self.client.responses
