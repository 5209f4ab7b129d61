# Generated from schemas/tables/provider-names.json. Do not edit: change that, then
# run `python -m codegen`.

"""Names of providers: events, members and items that adapters and encoders tell apart.

What is done with each, the code of the provider says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["ANTHROPIC_EVENTS", "ANTHROPIC_RESPONSE_ONLY", "ANTHROPIC_SERVER_CALLS", "BEDROCK_EVENTS", "BEDROCK_IGNORED", "BEDROCK_RESPONSE_ONLY", "CHAT_CHUNKS", "CHAT_CHUNK_STATE", "CHAT_UNFINISHED", "COHERE_FAILED", "GEMINI_BESIDE", "GEMINI_EVENTS", "GEMINI_MEDIA", "GEMINI_OUTCOMES", "GEMINI_REQUEST_MEMBERS", "GEMINI_SERVER_CALLS", "GEMINI_SERVER_PARTS", "GEMINI_SNAKE_CASE", "GEMINI_STATE", "GEMINI_UNSPECIFIED", "RESPONSES_BOOKKEEPING", "RESPONSES_CALLS", "RESPONSES_CLIENT_ITEMS", "RESPONSES_PAIRED", "RESPONSES_RESPONSE_ONLY", "RESPONSES_SEALED", "RESPONSES_SERVER_CALLS", "RESPONSES_SERVER_ENDINGS", "RESPONSES_SERVER_RESULTS", "RESPONSES_XAI_TOOLS"]


ANTHROPIC_EVENTS: Final[tuple[str, ...]] = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
)
"""Types of events; one may be the name that its framing gives it."""

ANTHROPIC_SERVER_CALLS: Final[tuple[str, ...]] = ("server_tool_use", "mcp_tool_use")
"""Blocks of calls that Anthropic executes itself."""

ANTHROPIC_RESPONSE_ONLY: Final[tuple[str, ...]] = (
    "stop_sequence",
    "stop_details",
    "container",
    "citation",
    "tool_use",
    "unknown",
)
"""Kinds of state that a response says about itself: neither a block, nor what a request takes."""

BEDROCK_EVENTS: Final[tuple[str, ...]] = (
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
)
"""Members of events, and the names that their framing gives them."""

BEDROCK_IGNORED: Final[tuple[str, ...]] = (
    "amazon-bedrock-guardrailAction",
    "amazon-bedrock-trace",
    "p",
)
"""Members of events that say nothing that a message holds."""

BEDROCK_RESPONSE_ONLY: Final[tuple[str, ...]] = (
    "additionalModelResponseFields",
    "citation",
    "unknown",
)
"""Kinds of state that a response says about itself."""

COHERE_FAILED: Final[tuple[str, ...]] = ("ERROR", "ERROR_TOXIC", "TIMEOUT", "USER_CANCEL")
"""Finish reasons that are failures."""

GEMINI_EVENTS: Final[tuple[str, ...]] = (
    "candidates",
    "promptFeedback",
    "usageMetadata",
    "modelVersion",
    "responseId",
    "createTime",
)
"""Members of events, of which each has one."""

GEMINI_SNAKE_CASE: Final[tuple[str, ...]] = (
    "prompt_feedback",
    "usage_metadata",
    "model_version",
    "response_id",
)
"""Those whose snake case shows that all names of a stream are in it."""

GEMINI_UNSPECIFIED: Final[tuple[str, ...]] = (
    "",
    "FINISH_REASON_UNSPECIFIED",
    "BLOCK_REASON_UNSPECIFIED",
    "BLOCKED_REASON_UNSPECIFIED",
)
"""Reasons that say nothing; Google AI and Vertex AI spell the last one differently."""

GEMINI_STATE: Final[tuple[str, ...]] = (
    "citationMetadata",
    "groundingMetadata",
    "urlContextMetadata",
    "finishMessage",
    "continuationToken",
)
"""Members of a candidate that belong to the answer as a whole, or to the next request."""

GEMINI_SERVER_PARTS: Final[tuple[str, ...]] = (
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
"""Parts of calls that Gemini executes itself, and what came of them."""

GEMINI_SERVER_CALLS: Final[tuple[str, ...]] = ("executableCode", "toolCall")
"""Those of them that are calls."""

GEMINI_OUTCOMES: Final[Mapping[str, str]] = {
    "OUTCOME_UNSPECIFIED": "",
    "OUTCOME_OK": "success",
    "OUTCOME_FAILED": "error",
    "OUTCOME_DEADLINE_EXCEEDED": "timeout",
}
"""How a call that Gemini executed came out → ours; nothing where it does not say."""

GEMINI_MEDIA: Final[tuple[str, ...]] = ("inlineData", "fileData")
"""Parts of media."""

GEMINI_BESIDE: Final[tuple[str, ...]] = (
    "text",
    "thoughtSignature",
    "partMetadata",
    "videoMetadata",
    "mediaResolution",
)
"""Members of a part that say something about its content, and text."""

GEMINI_REQUEST_MEMBERS: Final[tuple[str, ...]] = (
    "thoughtSignature",
    "partMetadata",
    "mediaResolution",
    "mediaProcessing",
    "videoMetadata",
    "audioMetadata",
    "speechMetadata",
    "documentMetadata",
    "spreadsheetMetadata",
)
"""What a request may say beside the text or the call of a part."""

CHAT_CHUNKS: Final[tuple[str, ...]] = (
    "choices",
    "usage",
    "x_groq",
    "prompt_filter_results",
    "citations",
)
"""Members of a chunk of Chat Completions: one of the dialect carries one of these, even with no
choices.
"""

CHAT_CHUNK_STATE: Final[tuple[str, ...]] = ("citations", "search_results")
"""Members of a chunk that are a vendor's own and belong to the answer as a whole."""

CHAT_UNFINISHED: Final[tuple[str, ...]] = ("", "null", "None")
"""Finish reasons that some servers send for "not yet"."""

RESPONSES_CALLS: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
}
"""Item of a call of the caller's tools → the member that holds its arguments."""

RESPONSES_CLIENT_ITEMS: Final[tuple[str, ...]] = (
    "computer_call",
    "local_shell_call",
    "apply_patch_call",
    "mcp_approval_request",
)
"""Items of calls that the caller executes."""

RESPONSES_SERVER_ENDINGS: Final[tuple[str, ...]] = (
    "_call",
    "_output",
    "mcp_list_tools",
    "program",
)
"""What the type of an item ends with that OpenAI executes itself; a vendor's own has a colon."""

RESPONSES_BOOKKEEPING: Final[tuple[str, ...]] = (
    "compaction",
    "compaction_summary",
    "additional_tools",
)
"""Items that are the provider's own: nothing that a reader misses."""

RESPONSES_SEALED: Final[tuple[str, ...]] = ("reasoning", "compaction", "compaction_summary")
"""Items that go back with their encrypted content, unless the provider keeps the response."""

RESPONSES_XAI_TOOLS: Final[tuple[str, ...]] = (
    "x_keyword_search",
    "x_semantic_search",
    "x_thread_fetch",
    "x_user_search",
)
"""What xAI searches on X: it comes as custom tool calls, which the caller never declared."""

RESPONSES_PAIRED: Final[Mapping[str, str]] = {
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
    "program": "program_output",
}
"""Call of a built-in tool → the item of its output, which has the call's id."""

RESPONSES_SERVER_CALLS: Final[Mapping[str, str]] = {
    "web_search_call": "action",
    "file_search_call": "queries",
    "code_interpreter_call": "code",
    "tool_search_call": "arguments",
    "shell_call": "action",
    "program": "code",
    "mcp_call": "arguments",
    "mcp_approval_request": "arguments",
}
"""Item of a call that OpenAI executes itself → the member that holds its arguments."""

RESPONSES_SERVER_RESULTS: Final[Mapping[str, str]] = {
    "web_search_call": "sources",
    "file_search_call": "results",
    "code_interpreter_call": "outputs",
    "mcp_call": "output",
    "tool_search_output": "tools",
    "shell_call_output": "output",
    "program_output": "result",
}
"""Item that holds what such a call gave → the member that does; that of a search is in its action.
"""

RESPONSES_RESPONSE_ONLY: Final[tuple[str, ...]] = ("audio", "content_part", "unnamed_tool_call")
"""Kinds of state that a response says to readers, or that an adapter could make nothing of."""
