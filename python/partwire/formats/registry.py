"""The formats, by name: which there are, and where each is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from partwire.errors import bad_argument

from ..tables.event_dialects import ALIASES, Dialect

__all__ = ["FORMATS", "Format", "format_named", "format_of"]

Does: TypeAlias = Literal["read", "write", "reader", "writer"]
"""What is done with a format: its name in :mod:`partwire.formats`."""

# encode_request writes them.
_DIALECTS: Final = frozenset(get_args(Dialect))


class Format(NamedTuple):
    """A format: its name, what it is for people, and the modules that read and write it.

    ``module`` has ``read``, ``writes`` has ``write``; without it the format is read only, or the
    dialect of a provider, and :func:`~partwire.providers.encode_request` writes it.
    ``stream_reads`` has ``reader``, ``stream_writes`` has ``writer``; "" where the format has no
    streams. ``versions`` are those that can be written, the default first. ``is_lines``: a document
    is JSON Lines, and what is written is the list of its lines. ``is_session``: it is lines that
    come while somebody works, each is read by itself, and one that is broken is a loss.
    """

    name: str
    title: str
    module: str
    writes: str = ""
    stream_reads: str = ""
    stream_writes: str = ""
    versions: tuple[str, ...] = ()
    is_lines: bool = False
    is_session: bool = False

    def can(self, does: Does) -> bool:
        """Return whether this is done with the format."""
        return bool(self._module(does)) or (does == "write" and self.name in _DIALECTS)

    def check(self, does: Does) -> None:
        """Raise UsageError ``usage/invalid-argument``, with those that can, where it cannot."""
        if not self.can(does):
            which = ", ".join(name for name, each in FORMATS.items() if each.can(does))
            raise bad_argument(f"The format {self.name} {_CANNOT[does]}", which, self.name)

    def version_of(self, asked: str | None) -> str:
        """Return the version that is written: ``asked``, or the default; "" where there are none.

        Raises UsageError ``usage/invalid-argument``, with those that there are.
        """
        if asked is None:
            return self.versions[0] if self.versions else ""
        if asked not in self.versions:
            known = ", ".join(self.versions) or "none: the format has no versions"
            raise bad_argument(f"No such version of {self.name}", known, asked)
        return asked

    def function(self, does: Does) -> Callable[..., Any]:
        """Return the function of its own that does it; raises as :meth:`check` does."""
        self.check(does)
        module = import_module(f"{__package__}.{self._module(does)}")
        found: Callable[..., Any] = getattr(module, does)
        return found

    def _module(self, does: Does) -> str:
        return {
            "read": self.module,
            "write": self.writes,
            "reader": self.stream_reads,
            "writer": self.stream_writes,
        }[does]


_CANNOT: Final[Mapping[Does, str]] = {
    "read": "is not read",
    "write": "is only read, and not written",
    "reader": "has no streams that are read",
    "writer": "has no streams that are written",
}
_ALL: Final = (
    Format(
        "a2a",
        "Agent2Agent 1.x and 0.3: messages, and those of tasks",
        "a2a.read",
        writes="a2a.write",
        versions=("1.0", "0.3"),
    ),
    Format(
        "ag-ui",
        "AG-UI 1.0, 1.1 and before: messages, the input of a run, the event stream",
        "ag_ui.read",
        writes="ag_ui.write",
        stream_reads="ag_ui.stream_read",
        stream_writes="ag_ui.stream_write",
        versions=("1.0", "1.1"),
    ),
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
    Format(
        "claude-code",
        "Claude Code: a session on disk (JSON Lines), or a subagent's",
        "sessions.claude_code",
        stream_reads="sessions.claude_code",
        is_session=True,
    ),
    Format(
        "codex",
        "Codex CLI: a session on disk (rollout-*.jsonl)",
        "sessions.codex",
        stream_reads="sessions.codex",
        is_session=True,
    ),
    Format("cohere-v2", "Cohere Chat v2: a request, or its messages", "histories.cohere"),
    Format(
        "finetune",
        "Training data as JSON Lines: OpenAI's, ShareGPT, messages of chat templates; reads Alpaca",
        "finetune.read",
        writes="finetune.write",
        versions=("openai", "sharegpt", "messages"),
        is_lines=True,
    ),
    Format("gemini", "Gemini: a request, or its contents", "histories.gemini"),
    Format(
        "gemini-cli",
        "Gemini CLI: a session on disk (.jsonl, and the older .json)",
        "sessions.gemini_cli",
        stream_reads="sessions.gemini_cli",
        is_session=True,
    ),
    Format(
        "langchain",
        "LangChain and LangGraph: messages in any envelope, a state, the event stream",
        "langchain.read",
        writes="langchain.write",
        stream_reads="langchain.stream_read",
        versions=("messages_to_dict", "dumpd", "model_dump"),
    ),
    Format(
        "mcp",
        "Model Context Protocol: results of tools, messages of sampling and of prompts",
        "mcp.read",
        writes="mcp.write",
        versions=("2025-11-25", "2026-07-28"),
    ),
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
        "opencode", "opencode: a session as it exports it, or its messages", "sessions.opencode"
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
