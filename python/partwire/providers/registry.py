"""Which adapter speaks which dialect: one row per provider API."""

from __future__ import annotations

from collections.abc import Callable, Set
from types import MappingProxyType
from typing import Final

from partwire.contract.current import LATEST_VERSION

from .anthropic.stream import AnthropicMessagesAdapter
from .bedrock.stream import BedrockConverseAdapter
from .cohere.stream import CohereAdapter
from .core.adapter import ProviderAdapter
from .core.sniff import dialect_named
from .core.stream_words import AuthorLike, FormatLike
from .gemini.stream import GeminiAdapter
from .openai_chat.stream import OpenAIChatAdapter
from .openai_responses.stream import OpenAIResponsesAdapter

__all__ = ["ADAPTERS", "open_adapter"]

ADAPTERS: Final = MappingProxyType[str, type[ProviderAdapter]](
    {
        "anthropic-messages": AnthropicMessagesAdapter,
        "bedrock-converse": BedrockConverseAdapter,
        "cohere-v2": CohereAdapter,
        "gemini": GeminiAdapter,
        "openai-chat": OpenAIChatAdapter,
        "openai-responses": OpenAIResponsesAdapter,
    }
)
"""Dialect → adapter."""


def open_adapter(  # noqa: PLR0913 - those of the adapter
    dialect: str,
    run_id: str,
    *,
    clock: Callable[[], str],
    used_tool_call_ids: Set[str] = frozenset(),
    keep_raw: bool = False,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
) -> ProviderAdapter:
    """Return a new adapter for one stream of ``dialect``; see :class:`~.adapter.ProviderAdapter`.

    Aliases such as ``anthropic`` are taken too. Raises UsageError ``usage/unknown-dialect``,
    ``usage/unknown-version`` or ``usage/invalid-argument``.
    """
    return ADAPTERS[dialect_named(dialect, ADAPTERS)](
        run_id,
        clock=clock,
        used_tool_call_ids=used_tool_call_ids,
        keep_raw=keep_raw,
        message_id=message_id,
        turn_id=turn_id,
        author=author,
        format=format,
        version=version,
    )
