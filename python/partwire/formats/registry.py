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
    """A format: its name, what it is for people, and the module that reads it."""

    name: str
    title: str
    module: str

    def reader(self) -> Callable[[Any, Reading], None]:
        """Return the function that reads a document of the format."""
        found: Callable[[Any, Reading], None] = import_module(f"{__package__}.{self.module}").read
        return found


_ALL: Final = (
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
