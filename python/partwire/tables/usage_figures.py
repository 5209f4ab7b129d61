# Generated from schemas/tables/usage-figures.json. Do not edit: change that, then
# run `python -m codegen`.

"""Usage figures: the members in which providers count tokens.

What they mean together, each adapter says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["ANTHROPIC", "ANTHROPIC_DETAILS", "BEDROCK", "COHERE", "COHERE_CACHED", "GEMINI", "OPENAI", "OPENAI_CACHE_READ", "OPENAI_CACHE_WRITE", "OPENAI_DETAILS", "OPENAI_REASONING"]


ANTHROPIC: Final[tuple[str, ...]] = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
"""Figures of Anthropic."""

ANTHROPIC_DETAILS: Final[tuple[str, ...]] = ("thinking_tokens",)
"""Figures in its output_tokens_details."""

BEDROCK: Final[tuple[str, ...]] = (
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "cacheReadInputTokens",
    "cacheWriteInputTokens",
    "cacheReadInputTokenCount",
    "cacheWriteInputTokenCount",
)
"""Figures of Bedrock; the last two are in the metrics of an invocation."""

COHERE: Final[tuple[str, ...]] = ("input_tokens", "output_tokens")
"""Figures in the tokens of Cohere's usage."""

COHERE_CACHED: Final[tuple[str, ...]] = ("cached_tokens",)
"""Figures beside them."""

GEMINI: Final[tuple[str, ...]] = (
    "promptTokenCount",
    "candidatesTokenCount",
    "totalTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
)
"""Figures of Gemini."""

OPENAI: Final[tuple[str, ...]] = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "input_tokens",
    "output_tokens",
)
"""Figures of OpenAI's dialects."""

OPENAI_DETAILS: Final[Mapping[str, tuple[str, ...]]] = {
    "prompt_tokens_details": (
        "cached_tokens",
        "cache_write_tokens",
        "cache_creation_input_tokens",
    ),
    "input_tokens_details": (
        "cached_tokens",
        "cache_write_tokens",
        "cache_creation_input_tokens",
    ),
    "completion_tokens_details": ("reasoning_tokens",),
    "output_tokens_details": ("reasoning_tokens",),
}
"""Details of them → what vendors count in there; these count before those beside the figures."""

OPENAI_CACHE_READ: Final[tuple[str, ...]] = (
    "cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
)
"""Beside the figures: how many were read from a cache; the first that is given counts."""

OPENAI_CACHE_WRITE: Final[tuple[str, ...]] = ("cache_write_tokens", "cache_creation_input_tokens")
"""How many were written to one; the first that is given counts."""

OPENAI_REASONING: Final[tuple[str, ...]] = ("reasoning_tokens",)
"""How many were thought."""
