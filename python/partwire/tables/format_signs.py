# Generated from schemas/tables/format-signs.json. Do not edit: change that, then
# run `python -m codegen`.

"""Signs of formats: what shows which format a document or an event has.

A format without a row in formats has only signs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["ENTRIES", "FORMATS", "FormatName", "FormatRow", "FormatSign", "MODES", "MOST", "OPENED", "Plain", "SIGNS", "WORDS", "Where"]


FormatName = Literal["a2a", "ag-ui", "ai-sdk", "anthropic-messages", "bedrock-converse", "claude-code", "codex", "cohere-v2", "finetune", "gemini", "gemini-cli", "langchain", "mcp", "openai-agents", "openai-chat", "openai-responses", "opencode", "otel-genai", "pydantic-ai"]
"""A format that documents are read in."""

Where = Literal["document", "entry", "block", "part", "untyped", "inner"]
"""Which objects of a document have a sign.

``document``: the document itself, or what it holds in a member that is opened
``entry``: an entry of its list; of a session, the document may be an entry
``block``: an object in content or in parts of an entry
``part``: an object in parts of an entry
``untyped``: an object in content of an entry that has no type
``inner``: the source of a block, or the function of a call
"""

Plain = Literal["history", "request"]
"""Formats whose shortest documents look alike, with roles and texts alone.

``history``: such a document is a history
``request``: it is a history, or a request, which names its model
"""

class FormatRow(NamedTuple):
    """A format, and what its documents and events have."""

    format: FormatName
    is_session: bool | None
    """Whether its entries hold what other formats have by themselves: no other format is found beside
    it.
    """
    plain: Plain | None
    plain_beside: str | None
    """What a plain history has beside roles and texts, if it is of this format."""
    unless: tuple[FormatName, ...] | None
    """Its signs count only where none of these formats is found."""
    events: str | None
    """The list of words that are types of its events."""


class FormatSign(NamedTuple):
    """A member that only documents of one format have: by its value where a member here says of it,
    else by being there.
    """

    format: FormatName
    where: Where
    member: str
    values: tuple[str, ...] | None
    """What its text is one of."""
    words: str | None
    """The list of words that its text is one of."""
    begins: tuple[str, ...] | None
    """What its text begins with one of."""
    is_object: bool | None
    """Whether it has to be an object."""
    beside: tuple[str, ...] | None
    """Members that have to be beside it."""


MOST: Final[int] = 2000
"""How many entries of a history are looked at, and how many blocks of each."""

ENTRIES: Final[tuple[str, ...]] = ("messages", "input", "contents", "output", "items")
"""Members of a document whose list holds its entries; the first that is there counts."""

OPENED: Final[tuple[str, ...]] = ("result", "params", "message", "task")
"""Members that hold a document of A2A or MCP, where the document has no list itself; the first that
is there counts.
"""

MODES: Final[tuple[str, ...]] = ("values", "updates", "messages")
"""What LangGraph yields is a pair of one of these modes and data."""

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "ag-ui-events": (
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_CHUNK",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_CHUNK",
        "TOOL_CALL_RESULT",
        "REASONING_START",
        "REASONING_END",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_ENCRYPTED_VALUE",
        "THINKING_START",
        "THINKING_END",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
        "MESSAGES_SNAPSHOT",
        "CUSTOM",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "STEP_STARTED",
        "STEP_FINISHED",
        "RAW",
        "SUBAGENT_STARTED",
        "SUBAGENT_FINISHED",
        "SUBAGENT_ERROR",
    ),
    "ai-sdk-events": (
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-available",
        "tool-input-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
        "custom",
        "source-url",
        "source-document",
        "message-metadata",
        "finish-step",
    ),
    "langchain-events": (
        "AIMessageChunk",
        "content-block-start",
        "content-block-delta",
        "content-block-finish",
        "message-start",
        "message-finish",
    ),
    "langchain-messages": (
        "ai",
        "AIMessageChunk",
        "human",
        "HumanMessageChunk",
        "system",
        "tool",
        "function",
        "chat",
    ),
}
"""Lists of words that rows name: types of events that only one format has, and types of messages
that LangChain has in place of roles.
"""

FORMATS: Final[tuple[FormatRow, ...]] = (
    FormatRow(
        "openai-chat",
        None,
        "request",
        None,
        ("ai-sdk", "cohere-v2", "finetune", "gemini", "langchain"),
        None,
    ),
    FormatRow(
        "anthropic-messages",
        None,
        "request",
        None,
        ("langchain", "mcp", "pydantic-ai"),
        None,
    ),
    FormatRow("openai-responses", None, "request", None, ("langchain", "openai-agents"), None),
    FormatRow("cohere-v2", None, "request", None, ("langchain",), None),
    FormatRow("ai-sdk", None, "history", None, ("a2a", "gemini", "langchain"), "ai-sdk-events"),
    FormatRow("langchain", None, "history", None, None, "langchain-events"),
    FormatRow("ag-ui", None, "history", "id", None, "ag-ui-events"),
    FormatRow("finetune", None, "history", "messages", ("ag-ui", "langchain"), None),
    FormatRow("codex", True, "history", "timestamp", None, None),
    FormatRow("bedrock-converse", None, None, None, ("langchain", "mcp"), None),
    FormatRow("gemini", None, None, None, ("langchain", "otel-genai"), None),
    FormatRow("mcp", None, None, None, ("ag-ui", "ai-sdk", "langchain"), None),
    FormatRow("claude-code", True, None, None, None, None),
    FormatRow("gemini-cli", True, None, None, None, None),
    FormatRow("opencode", True, None, None, None, None),
)
"""What there is to say of a format beside its signs."""

SIGNS: Final[tuple[FormatSign, ...]] = (
    FormatSign("claude-code", "document", "loglines", None, None, None, None, None),
    FormatSign("claude-code", "entry", "parentUuid", None, None, None, None, None),
    FormatSign("claude-code", "entry", "sessionId", None, None, None, None, ("message",)),
    FormatSign(
        "claude-code",
        "entry",
        "type",
        ("user", "assistant"),
        None,
        None,
        None,
        ("message",),
    ),
    FormatSign(
        "claude-code",
        "entry",
        "type",
        ("file-history-snapshot", "queue-operation"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("claude-code", "entry", "leafUuid", None, None, None, None, None),
    FormatSign("claude-code", "entry", "agentId", None, None, None, None, ("key",)),
    FormatSign("codex", "entry", "payload", None, None, None, None, ("timestamp", "type")),
    FormatSign("gemini-cli", "document", "projectHash", None, None, None, None, None),
    FormatSign("gemini-cli", "entry", "projectHash", None, None, None, None, None),
    FormatSign("gemini-cli", "entry", "$set", None, None, None, None, None),
    FormatSign("gemini-cli", "entry", "$rewindTo", None, None, None, None, None),
    FormatSign("gemini-cli", "entry", "type", ("gemini",), None, None, None, None),
    FormatSign("opencode", "document", "info", None, None, None, None, ("messages",)),
    FormatSign("opencode", "entry", "info", None, None, None, None, ("parts",)),
    FormatSign("ag-ui", "document", "threadId", None, None, None, None, None),
    FormatSign("ag-ui", "entry", "threadId", None, None, None, None, None),
    FormatSign("ag-ui", "entry", "type", None, "ag-ui-events", None, None, None),
    FormatSign("ag-ui", "entry", "toolCalls", None, None, None, None, ("role",)),
    FormatSign("ag-ui", "entry", "toolCallId", None, None, None, None, ("role",)),
    FormatSign("ag-ui", "entry", "activityType", None, None, None, None, None),
    FormatSign("ag-ui", "entry", "encryptedValue", None, None, None, None, None),
    FormatSign("ag-ui", "entry", "role", ("reasoning",), None, None, None, None),
    FormatSign("ag-ui", "block", "type", ("binary",), None, None, None, ("mimeType",)),
    FormatSign("ag-ui", "inner", "value", None, None, None, None, ("type",)),
    FormatSign("gemini", "document", "contents", None, None, None, None, None),
    FormatSign("gemini", "document", "systemInstruction", None, None, None, None, None),
    FormatSign("gemini", "document", "system_instruction", None, None, None, None, None),
    FormatSign("gemini", "document", "candidates", None, None, None, None, None),
    FormatSign("gemini", "block", "functionCall", None, None, None, None, None),
    FormatSign("gemini", "block", "functionResponse", None, None, None, None, None),
    FormatSign("gemini", "block", "inlineData", None, None, None, None, None),
    FormatSign("gemini", "block", "fileData", None, None, None, None, None),
    FormatSign("gemini", "block", "thoughtSignature", None, None, None, None, None),
    FormatSign("gemini", "block", "function_call", None, None, None, None, None),
    FormatSign("gemini", "block", "function_response", None, None, None, None, None),
    FormatSign("gemini", "block", "inline_data", None, None, None, None, None),
    FormatSign("gemini", "block", "file_data", None, None, None, None, None),
    FormatSign("gemini", "block", "thought_signature", None, None, None, None, None),
    FormatSign("gemini", "entry", "role", ("model",), None, None, None, None),
    FormatSign("bedrock-converse", "document", "inferenceConfig", None, None, None, None, None),
    FormatSign("bedrock-converse", "document", "toolConfig", None, None, None, None, None),
    FormatSign("bedrock-converse", "document", "stopReason", None, None, None, None, None),
    FormatSign("bedrock-converse", "untyped", "text", None, None, None, None, None),
    FormatSign("bedrock-converse", "block", "toolUse", None, None, None, None, None),
    FormatSign("bedrock-converse", "block", "toolResult", None, None, None, None, None),
    FormatSign("bedrock-converse", "block", "reasoningContent", None, None, None, None, None),
    FormatSign("bedrock-converse", "block", "cachePoint", None, None, None, None, None),
    FormatSign("anthropic-messages", "document", "stop_reason", None, None, None, None, None),
    FormatSign(
        "anthropic-messages",
        "document",
        "anthropic_version",
        None,
        None,
        None,
        None,
        None,
    ),
    FormatSign(
        "anthropic-messages",
        "block",
        "type",
        ("tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("anthropic-messages", "block", "signature", None, None, None, None, None),
    FormatSign("openai-responses", "document", "instructions", None, None, None, None, None),
    FormatSign("openai-responses", "document", "object", ("response",), None, None, None, None),
    FormatSign(
        "openai-responses",
        "document",
        "previous_response_id",
        None,
        None,
        None,
        None,
        None,
    ),
    FormatSign(
        "openai-responses",
        "entry",
        "type",
        (
            "function_call",
            "function_call_output",
            "reasoning",
            "item_reference",
            "web_search_call",
            "file_search_call",
            "code_interpreter_call",
            "computer_call",
            "mcp_call",
            "mcp_list_tools",
            "mcp_approval_request",
            "mcp_approval_response",
            "custom_tool_call",
            "local_shell_call",
            "image_generation_call",
            "compaction",
        ),
        None,
        None,
        None,
        None,
    ),
    FormatSign("openai-responses", "entry", "type", ("message",), None, None, None, ("role",)),
    FormatSign(
        "openai-responses",
        "block",
        "type",
        ("input_text", "output_text", "input_image"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("openai-agents", "entry", "id", ("__fake_id__",), None, None, None, None),
    FormatSign("openai-agents", "entry", "provider_data", None, None, None, None, ("type",)),
    FormatSign("openai-agents", "entry", "providerData", None, None, None, None, None),
    FormatSign("openai-agents", "entry", "rawContent", None, None, None, None, None),
    FormatSign("openai-agents", "entry", "callId", None, None, None, None, ("type",)),
    FormatSign("openai-agents", "entry", "raw_item", None, None, None, None, None),
    FormatSign("openai-agents", "entry", "rawItem", None, None, None, None, None),
    FormatSign(
        "openai-agents",
        "entry",
        "type",
        ("function_call_result", "computer_call_result", "hosted_tool_call"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("openai-agents", "block", "providerData", None, None, None, None, None),
    FormatSign("pydantic-ai", "part", "part_kind", None, None, None, None, None),
    FormatSign(
        "pydantic-ai",
        "entry",
        "kind",
        ("request", "response"),
        None,
        None,
        None,
        ("parts",),
    ),
    FormatSign("otel-genai", "document", "gen_ai.input.messages", None, None, None, None, None),
    FormatSign("otel-genai", "document", "gen_ai.output.messages", None, None, None, None, None),
    FormatSign(
        "otel-genai",
        "document",
        "gen_ai.system_instructions",
        None,
        None,
        None,
        None,
        None,
    ),
    FormatSign("otel-genai", "part", "content", None, None, None, None, ("type",)),
    FormatSign(
        "otel-genai",
        "part",
        "type",
        ("tool_call", "tool_call_response", "server_tool_call", "blob", "uri"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("cohere-v2", "entry", "tool_plan", None, None, None, None, None),
    FormatSign("cohere-v2", "document", "documents", None, None, None, None, None),
    FormatSign("cohere-v2", "document", "model", None, None, ("command-", "c4ai-"), None, None),
    FormatSign("ai-sdk", "part", "text", None, None, None, None, ("type",)),
    FormatSign("ai-sdk", "part", "url", None, None, None, None, ("mediaType",)),
    FormatSign("ai-sdk", "entry", "toolInvocations", None, None, None, None, None),
    FormatSign("ai-sdk", "entry", "experimental_attachments", None, None, None, None, None),
    FormatSign("ai-sdk", "block", "toolCallId", None, None, None, None, None),
    FormatSign("ai-sdk", "block", "mediaType", None, None, None, None, None),
    FormatSign("ai-sdk", "block", "providerOptions", None, None, None, None, None),
    FormatSign("ai-sdk", "block", "providerMetadata", None, None, None, None, None),
    FormatSign(
        "ai-sdk",
        "block",
        "type",
        ("step-start", "dynamic-tool", "tool-call", "source-url"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("ai-sdk", "block", "image", None, None, None, None, ("type",)),
    FormatSign("ai-sdk", "part", "type", None, None, ("data-", "tool-"), None, None),
    FormatSign("ai-sdk", "part", "type", ("custom",), None, None, None, ("kind",)),
    FormatSign("cohere-v2", "document", "finish_reason", None, None, None, None, None),
    FormatSign("openai-chat", "document", "object", ("chat.completion",), None, None, None, None),
    FormatSign("openai-chat", "document", "choices", None, None, None, None, None),
    FormatSign("openai-chat", "entry", "tool_calls", None, None, None, None, None),
    FormatSign("openai-chat", "entry", "function_call", None, None, None, None, None),
    FormatSign("openai-chat", "entry", "reasoning_content", None, None, None, None, None),
    FormatSign("openai-chat", "entry", "refusal", None, None, None, None, None),
    FormatSign("openai-chat", "entry", "role", ("function",), None, None, None, None),
    FormatSign(
        "openai-chat",
        "block",
        "type",
        ("image_url", "input_audio", "file"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("langchain", "document", "lc", None, None, None, None, None),
    FormatSign(
        "langchain",
        "document",
        "type",
        None,
        "langchain-messages",
        None,
        None,
        ("content",),
    ),
    FormatSign("langchain", "document", "type", None, "langchain-messages", None, None, ("data",)),
    FormatSign("langchain", "entry", "lc", None, None, None, None, None),
    FormatSign("langchain", "entry", "additional_kwargs", None, None, None, None, None),
    FormatSign("langchain", "entry", "response_metadata", None, None, None, None, None),
    FormatSign("langchain", "entry", "usage_metadata", None, None, None, None, None),
    FormatSign("langchain", "entry", "type", None, "langchain-messages", None, None, ("content",)),
    FormatSign("langchain", "entry", "type", None, "langchain-messages", None, None, ("data",)),
    FormatSign("mcp", "document", "structuredContent", None, None, None, None, None),
    FormatSign("mcp", "document", "isError", None, None, None, None, None),
    FormatSign("mcp", "document", "resultType", None, None, None, None, None),
    FormatSign("mcp", "document", "systemPrompt", None, None, None, None, None),
    FormatSign("mcp", "document", "modelPreferences", None, None, None, None, None),
    FormatSign("mcp", "document", "maxTokens", None, None, None, None, ("messages",)),
    FormatSign(
        "mcp",
        "document",
        "stopReason",
        ("endTurn", "stopSequence", "maxTokens", "toolUse"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("mcp", "document", "toolUseId", None, None, None, None, None),
    FormatSign("mcp", "document", "mimeType", None, None, None, None, ("data",)),
    FormatSign("mcp", "document", "type", ("resource", "resource_link"), None, None, None, None),
    FormatSign("mcp", "document", "type", ("tool_use",), None, None, None, ("input",)),
    FormatSign("mcp", "document", "content", None, None, None, True, ("role",)),
    FormatSign("mcp", "entry", "content", None, None, None, True, ("role",)),
    FormatSign("mcp", "block", "toolUseId", None, None, None, None, ("type",)),
    FormatSign("mcp", "block", "mimeType", None, None, None, None, ("data",)),
    FormatSign("mcp", "block", "type", ("resource", "resource_link"), None, None, None, None),
    FormatSign("a2a", "document", "statusUpdate", None, None, None, None, None),
    FormatSign("a2a", "document", "artifactUpdate", None, None, None, None, None),
    FormatSign("a2a", "document", "artifacts", None, None, None, None, None),
    FormatSign("a2a", "document", "contextId", None, None, None, None, None),
    FormatSign("a2a", "document", "messageId", None, None, None, None, ("parts",)),
    FormatSign(
        "a2a",
        "document",
        "role",
        ("ROLE_USER", "ROLE_AGENT", "agent"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("a2a", "entry", "messageId", None, None, None, None, ("parts",)),
    FormatSign("a2a", "entry", "artifactId", None, None, None, None, None),
    FormatSign(
        "a2a",
        "entry",
        "role",
        ("ROLE_USER", "ROLE_AGENT", "agent"),
        None,
        None,
        None,
        None,
    ),
    FormatSign("finetune", "document", "conversations", None, None, None, None, None),
    FormatSign("finetune", "document", "images", None, None, None, None, ("messages",)),
    FormatSign("finetune", "document", "preferred_output", None, None, None, None, None),
    FormatSign("finetune", "document", "instruction", None, None, None, None, ("output",)),
    FormatSign("finetune", "document", "chosen", None, None, None, None, ("rejected",)),
    FormatSign("finetune", "document", "prompt", None, None, None, None, ("completion",)),
    FormatSign("finetune", "entry", "conversations", None, None, None, None, None),
    FormatSign("finetune", "entry", "messages", None, None, None, None, None),
    FormatSign("finetune", "entry", "preferred_output", None, None, None, None, None),
    FormatSign("finetune", "entry", "instruction", None, None, None, None, ("output",)),
    FormatSign("finetune", "entry", "chosen", None, None, None, None, ("rejected",)),
    FormatSign("finetune", "entry", "prompt", None, None, None, None, ("completion",)),
    FormatSign("finetune", "entry", "from", None, None, None, None, ("value",)),
    FormatSign("finetune", "block", "value", None, None, None, None, ("type",)),
    FormatSign("finetune", "inner", "arguments", None, None, None, True, None),
)
"""The signs, in the order in which they are looked for."""
