"""Providers: raw events of each provider's stream → deltas of the contract, sans-IO.

    adapter = open_adapter("openai-chat", "run_1", clock=now)
    for event in events:              # JSON objects as the provider sent them
        deltas += adapter.feed(event)
    deltas += adapter.close()         # done, or an error delta: truncated_stream

From bytes: :func:`adapt_bytes`, or :class:`ByteAdapter` chunk by chunk. A new provider is one
module and one row in the registry.
"""

from __future__ import annotations

from .adapter import ProviderAdapter
from .anthropic_messages import AnthropicMessagesAdapter
from .bedrock_converse import BedrockConverseAdapter
from .byte_adapter import ByteAdapter, Framing, adapt_bytes
from .cohere import CohereAdapter
from .error_codes import RETRYABLE, ProviderError
from .gemini import GeminiAdapter
from .opaque import OpaqueItem
from .openai_chat import OpenAIChatAdapter
from .openai_responses import OpenAIResponsesAdapter
from .registry import ADAPTERS, open_adapter

__all__ = [
    "ADAPTERS",
    "RETRYABLE",
    "AnthropicMessagesAdapter",
    "BedrockConverseAdapter",
    "ByteAdapter",
    "CohereAdapter",
    "Framing",
    "GeminiAdapter",
    "OpaqueItem",
    "OpenAIChatAdapter",
    "OpenAIResponsesAdapter",
    "ProviderAdapter",
    "ProviderError",
    "adapt_bytes",
    "open_adapter",
]
