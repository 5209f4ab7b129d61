"""Providers: raw events of each provider's stream → deltas of the contract, sans-IO.

    adapter = open_adapter("openai-chat", "run_1", clock=now)
    for event in events:              # JSON objects as the provider sent them
        deltas += adapter.feed(event)
    deltas += adapter.close()         # done, or an error delta: truncated_stream

From bytes: :func:`adapt_bytes`, or :class:`ByteAdapter` chunk by chunk. The way back, from messages
to a request's body:

    encoded = encode_request("anthropic-messages", messages, tools, "Be brief.", config=config)
    client.messages.create(**encoded.body)  # encoded.findings: what could not be said as it was

A new provider is one folder, a row in ``registry`` and one in ``requests``.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .adapt import adapt_bytes as adapt_bytes
    from .adapt import adapt_bytes_async as adapt_bytes_async
    from .adapt import detect_dialect as detect_dialect
    from .anthropic.stream import AnthropicMessagesAdapter as AnthropicMessagesAdapter
    from .bedrock.media import bedrock_arguments as bedrock_arguments
    from .bedrock.stream import BedrockConverseAdapter as BedrockConverseAdapter
    from .byte_adapter import ByteAdapter as ByteAdapter
    from .byte_adapter import Framing as Framing
    from .cohere.stream import CohereAdapter as CohereAdapter
    from .core.adapter import ProviderAdapter as ProviderAdapter
    from .core.errors import RETRYABLE as RETRYABLE
    from .core.errors import ProviderError as ProviderError
    from .core.opaque import OpaqueItem as OpaqueItem
    from .gemini.stream import GeminiAdapter as GeminiAdapter
    from .openai_chat.stream import OpenAIChatAdapter as OpenAIChatAdapter
    from .openai_responses.stream import OpenAIResponsesAdapter as OpenAIResponsesAdapter
    from .registry import ADAPTERS as ADAPTERS
    from .registry import open_adapter as open_adapter
    from .request_core.encoder import EncodedRequest as EncodedRequest
    from .request_core.encoder import EncodedText as EncodedText
    from .request_core.encoder import RequestEncoder as RequestEncoder
    from .requests import ENCODERS as ENCODERS
    from .requests import encode_request as encode_request
    from .requests import encode_request_text as encode_request_text

_HOMES = {
    "adapt": (
        "adapt_bytes",
        "adapt_bytes_async",
        "detect_dialect",
    ),
    "anthropic.stream": ("AnthropicMessagesAdapter",),
    "bedrock.media": ("bedrock_arguments",),
    "bedrock.stream": ("BedrockConverseAdapter",),
    "byte_adapter": (
        "ByteAdapter",
        "Framing",
    ),
    "cohere.stream": ("CohereAdapter",),
    "core.adapter": ("ProviderAdapter",),
    "core.errors": (
        "RETRYABLE",
        "ProviderError",
    ),
    "core.opaque": ("OpaqueItem",),
    "gemini.stream": ("GeminiAdapter",),
    "openai_chat.stream": ("OpenAIChatAdapter",),
    "openai_responses.stream": ("OpenAIResponsesAdapter",),
    "registry": (
        "ADAPTERS",
        "open_adapter",
    ),
    "request_core.encoder": (
        "EncodedRequest",
        "EncodedText",
        "RequestEncoder",
    ),
    "requests": (
        "ENCODERS",
        "encode_request",
        "encode_request_text",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
