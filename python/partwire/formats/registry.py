"""The formats, by name: which there are, and where each is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from partwire.errors import bad_argument

from ..tables.event_dialects import ALIASES
from .core.reading import Reading

__all__ = ["FORMATS", "Format", "format_named", "format_of"]


class Format(NamedTuple):
    """A format: its name, what it is for people, and the modules that read and write it.

    ``module`` has ``read``, ``writes`` has ``write``; without it the format is the dialect of a
    provider, and :func:`~partwire.providers.encode_request` writes it. ``stream_reads`` has
    ``reader``, ``stream_writes`` has ``writer``; "" where the format has no streams. ``versions``
    are those that can be written, the default first.
    """

    name: str
    title: str
    module: str
    writes: str = ""
    stream_reads: str = ""
    stream_writes: str = ""
    versions: tuple[str, ...] = ()

    def reader(self) -> Callable[[Any, Reading], None]:
        """Return the function that reads a document of the format."""
        return _function(self.module, "read")

    def function(self, module: str, name: str) -> Callable[..., Any]:
        """Return a function of one of its modules; raises UsageError where it has none such."""
        if not module:
            raise bad_argument(f"The format {self.name} has no {name}", "another format", self.name)
        return _function(module, name)


def _function(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
    return found


_ALL: Final = (
    Format(
        "ai-sdk",
        "Vercel AI SDK 4 to 7: UI messages, model messages, the UI message stream",
        "ai_sdk.read",
        writes="ai_sdk.write",
        stream_reads="ai_sdk.stream_read",
        stream_writes="ai_sdk.stream_write",
        versions=("6", "5", "7"),
    ),
    Format(
        "anthropic-messages",
        "Anthropic Messages: a request, or its messages",
        "histories.anthropic",
    ),
    Format(
        "bedrock-converse",
        "Amazon Bedrock Converse: a request, or its messages",
        "histories.bedrock",
    ),
    Format("cohere-v2", "Cohere Chat v2: a request, or its messages", "histories.cohere"),
    Format("gemini", "Gemini: a request, or its contents", "histories.gemini"),
    Format("openai-agents", "OpenAI Agents SDK: the items of a session", "histories.openai_agents"),
    Format(
        "openai-chat",
        "OpenAI chat completions: a request, its messages, or an answer",
        "histories.openai_chat",
    ),
    Format(
        "openai-responses",
        "OpenAI Responses: a request, its items, or an answer",
        "histories.openai_responses",
    ),
    Format(
        "otel-genai",
        "OpenTelemetry GenAI: input and output messages, system instructions",
        "otel_genai.read",
        writes="otel_genai.write",
        versions=("1.41",),
    ),
    Format(
        "pydantic-ai",
        "pydantic-ai: messages as ModelMessagesTypeAdapter stores them",
        "pydantic_ai.read",
        writes="pydantic_ai.write",
        versions=("2",),
    ),
)

FORMATS: Final[Mapping[str, Format]] = MappingProxyType({each.name: each for each in _ALL})
"""Name → format."""


def format_named(name: object) -> Format:
    """Return the format of a name or an alias; raises UsageError ``usage/unknown-format``."""
    known = ALIASES.get(name, name) if isinstance(name, str) else name
    if isinstance(known, str) and known in FORMATS:
        return FORMATS[known]
    raise bad_argument("No such format", ", ".join(FORMATS), name, "usage/unknown-format")


def format_of(name: str) -> str | None:
    """Return the name of the format that ``name`` or an alias means; None where there is none."""
    known = ALIASES.get(name, name)
    return known if known in FORMATS else None
