"""Which format a document has, as far as it shows: one table of what is looked for, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..json.pointer import escape_pointer

__all__ = ["Sniffed", "sniff", "sniff_events"]

Where: TypeAlias = Literal["document", "entry", "block", "part", "untyped"]
"""A block stands in ``content`` or in ``parts``, a part in ``parts`` alone."""

_MOST: Final = 2000
"""How many entries of a history are looked at, and how many blocks of each."""
_LISTS: Final = ("messages", "input", "contents", "output", "items")
_OPENED: Final = ("result", "params", "message", "task")
"""Members that hold a document of A2A or MCP, where it has no list itself."""
_BLOCKS: Final = ("content", "parts")


class Sniffed(NamedTuple):
    """A format that a document may have, and the place that shows it; "" where nothing but the
    general shape does.
    """

    format: str
    place: str


class _Sign(NamedTuple):
    """A member that only documents of one format have.

    With ``values`` one that has one of them, with ``beside`` one that has this member beside it.
    """

    format: str
    where: Where
    member: str
    values: tuple[Any, ...] | None = None
    beside: str | None = None


_SIGNS: Final = (
    _Sign("ag-ui", "document", "threadId"),
    _Sign("ag-ui", "entry", "threadId"),
    _Sign("ag-ui", "entry", "toolCalls"),
    _Sign("ag-ui", "entry", "toolCallId"),
    _Sign("ag-ui", "entry", "activityType"),
    _Sign("ag-ui", "entry", "encryptedValue"),
    _Sign("ag-ui", "entry", "role", ("reasoning",)),
    _Sign("ag-ui", "block", "type", ("binary",)),
    _Sign("gemini", "document", "contents"),
    _Sign("gemini", "document", "systemInstruction"),
    _Sign("gemini", "document", "system_instruction"),
    _Sign("gemini", "document", "candidates"),
    _Sign("gemini", "block", "functionCall"),
    _Sign("gemini", "block", "functionResponse"),
    _Sign("gemini", "block", "inlineData"),
    _Sign("gemini", "block", "fileData"),
    _Sign("gemini", "block", "thoughtSignature"),
    _Sign("gemini", "block", "function_call"),
    _Sign("gemini", "block", "function_response"),
    _Sign("gemini", "block", "inline_data"),
    _Sign("gemini", "block", "file_data"),
    _Sign("gemini", "block", "thought_signature"),
    _Sign("gemini", "entry", "role", ("model",)),
    _Sign("bedrock-converse", "document", "inferenceConfig"),
    _Sign("bedrock-converse", "document", "toolConfig"),
    _Sign("bedrock-converse", "document", "stopReason"),
    _Sign("bedrock-converse", "untyped", "text"),
    _Sign("bedrock-converse", "block", "toolUse"),
    _Sign("bedrock-converse", "block", "toolResult"),
    _Sign("bedrock-converse", "block", "reasoningContent"),
    _Sign("bedrock-converse", "block", "cachePoint"),
    _Sign("anthropic-messages", "document", "stop_reason"),
    _Sign("anthropic-messages", "document", "anthropic_version"),
    _Sign(
        "anthropic-messages",
        "block",
        "type",
        ("tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use"),
    ),
    _Sign("anthropic-messages", "block", "signature"),
    _Sign("openai-responses", "document", "instructions"),
    _Sign("openai-responses", "document", "object", ("response",)),
    _Sign("openai-responses", "document", "previous_response_id"),
    _Sign(
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
    ),
    _Sign("openai-responses", "block", "type", ("input_text", "output_text", "input_image")),
    _Sign("openai-agents", "entry", "id", ("__fake_id__",)),
    _Sign("openai-agents", "entry", "provider_data", beside="type"),
    _Sign("openai-agents", "entry", "providerData"),
    _Sign("openai-agents", "entry", "rawContent"),
    _Sign("openai-agents", "entry", "callId", beside="type"),
    _Sign("openai-agents", "entry", "raw_item"),
    _Sign("openai-agents", "entry", "rawItem"),
    _Sign(
        "openai-agents",
        "entry",
        "type",
        ("function_call_result", "computer_call_result", "hosted_tool_call"),
    ),
    _Sign("openai-agents", "block", "providerData"),
    _Sign("cohere-v2", "entry", "tool_plan"),
    _Sign("cohere-v2", "document", "documents"),
    _Sign("ai-sdk", "part", "text", beside="type"),
    _Sign("ai-sdk", "part", "url", beside="mediaType"),
    _Sign("ai-sdk", "entry", "toolInvocations"),
    _Sign("ai-sdk", "entry", "experimental_attachments"),
    _Sign("ai-sdk", "block", "toolCallId"),
    _Sign("ai-sdk", "block", "mediaType"),
    _Sign("ai-sdk", "block", "providerOptions"),
    _Sign("ai-sdk", "block", "providerMetadata"),
    _Sign("ai-sdk", "block", "type", ("step-start", "dynamic-tool", "tool-call", "source-url")),
    _Sign("cohere-v2", "document", "finish_reason"),
    _Sign("openai-chat", "document", "object", ("chat.completion",)),
    _Sign("openai-chat", "document", "choices"),
    _Sign("openai-chat", "entry", "tool_calls"),
    _Sign("openai-chat", "entry", "function_call"),
    _Sign("openai-chat", "entry", "reasoning_content"),
    _Sign("openai-chat", "entry", "refusal"),
    _Sign("openai-chat", "entry", "role", ("function",)),
    _Sign("openai-chat", "block", "type", ("image_url", "input_audio", "file")),
    _Sign("mcp", "document", "structuredContent"),
    _Sign("mcp", "document", "isError"),
    _Sign("mcp", "document", "resultType"),
    _Sign("mcp", "document", "systemPrompt"),
    _Sign("mcp", "document", "modelPreferences"),
    _Sign("mcp", "document", "maxTokens", beside="messages"),
    _Sign("mcp", "document", "stopReason", ("endTurn", "stopSequence", "maxTokens", "toolUse")),
    _Sign("mcp", "document", "toolUseId"),
    _Sign("mcp", "document", "mimeType", beside="data"),
    _Sign("mcp", "document", "type", ("resource", "resource_link")),
    _Sign("mcp", "block", "toolUseId", beside="type"),
    _Sign("mcp", "block", "mimeType", beside="data"),
    _Sign("mcp", "block", "type", ("resource", "resource_link")),
    _Sign("a2a", "document", "statusUpdate"),
    _Sign("a2a", "document", "artifactUpdate"),
    _Sign("a2a", "document", "artifacts"),
    _Sign("a2a", "document", "contextId"),
    _Sign("a2a", "document", "messageId", beside="parts"),
    _Sign("a2a", "document", "role", ("ROLE_USER", "ROLE_AGENT", "agent")),
    _Sign("a2a", "entry", "messageId", beside="parts"),
    _Sign("a2a", "entry", "artifactId"),
    _Sign("a2a", "entry", "role", ("ROLE_USER", "ROLE_AGENT", "agent")),
    _Sign("finetune", "document", "conversations"),
    _Sign("finetune", "document", "preferred_output"),
    _Sign("finetune", "document", "instruction", beside="output"),
    _Sign("finetune", "document", "chosen", beside="rejected"),
    _Sign("finetune", "document", "prompt", beside="completion"),
    _Sign("finetune", "entry", "conversations"),
    _Sign("finetune", "entry", "messages"),
    _Sign("finetune", "entry", "preferred_output"),
    _Sign("finetune", "entry", "instruction", beside="output"),
    _Sign("finetune", "entry", "chosen", beside="rejected"),
    _Sign("finetune", "entry", "prompt", beside="completion"),
    _Sign("finetune", "entry", "from", beside="value"),
    _Sign("finetune", "block", "value", beside="type"),
)
# A member of several formats decides only where none of the others' signs is there.
_WEAKER: Final = {
    "openai-chat": frozenset({"cohere-v2", "gemini", "ai-sdk", "finetune"}),
    "ai-sdk": frozenset({"gemini", "a2a"}),
    "anthropic-messages": frozenset({"mcp"}),
    "bedrock-converse": frozenset({"mcp"}),
    "mcp": frozenset({"ai-sdk"}),
    "openai-responses": frozenset({"openai-agents"}),
}
_PLAIN: Final = ("openai-chat", "anthropic-messages", "openai-responses", "cohere-v2")
"""Formats whose shortest histories look alike: role and text."""


def sniff(document: Any) -> list[Sniffed]:
    """Return the formats that a JSON value may have: one is sure, several are those that fit.

    None where no known format looks like it. A history of nothing but roles and texts is never
    guessed: several formats have such.
    """
    found: dict[str, str] = {}
    plain = False
    for where, place, members in _places(document):
        for sign in _SIGNS:
            is_there = sign.where == where or (sign.where == "block" and where == "part")
            if is_there and sign.format not in found and _has(members, sign):
                found[sign.format] = f"{place}/{escape_pointer(sign.member)}"
        plain = plain or (where == "entry" and "role" in members and "content" in members)
    for weaker, stronger in _WEAKER.items():
        if stronger & found.keys():
            found.pop(weaker, None)
    if found:
        return [Sniffed(name, place) for name, place in found.items()]
    return [Sniffed(name, "") for name in _PLAIN] if plain else []


# Types of events that only one format has.
_EVENTS: Final = {
    "ai-sdk": frozenset(
        {
            "start-step",
            "text-start",
            "text-delta",
            "text-end",
            "reasoning-start",
            "reasoning-delta",
            "tool-input-start",
            "tool-input-available",
            "tool-output-available",
            "tool-output-error",
            "finish-step",
        }
    ),
}


def sniff_events(events: Iterable[Any]) -> list[Sniffed]:
    """Return the formats of which these are events of a stream, the first ones or all."""
    found: dict[str, str] = {}
    for number, event in enumerate(events):
        kind = event.get("type") if isinstance(event, dict) else None
        for name, types in _EVENTS.items():
            if isinstance(kind, str) and kind in types:
                found.setdefault(name, f"/{number}/type")
    return [Sniffed(name, place) for name, place in found.items()]


def _has(members: dict[str, Any], sign: _Sign) -> bool:
    if sign.member not in members or (sign.beside and sign.beside not in members):
        return False
    value = members[sign.member]
    return sign.values is None or (isinstance(value, str) and value in sign.values)


def _places(document: Any) -> Iterator[tuple[Where, str, dict[str, Any]]]:
    """Yield the objects in which signs may stand: the document, its entries, their blocks."""
    place = ""
    for _ in range(3):  # what is opened may have something to open
        if not isinstance(document, dict):
            entries = _objects(document, place)
            break
        yield "document", place, document
        found = next((name for name in _LISTS if isinstance(document.get(name), list)), None)
        if found is not None:
            entries = _objects(document[found], f"{place}/{found}")
            break
        entries = iter([(place, document)])
        inner = next((name for name in _OPENED if isinstance(document.get(name), dict)), None)
        if inner is None:
            break
        place, document = f"{place}/{inner}", document[inner]
    for at, entry in entries:
        if at:
            yield "entry", at, entry
        for name in _BLOCKS:
            for inner, block in _objects(entry.get(name), f"{at}/{name}"):
                yield "part" if name == "parts" else "block", inner, block
                if name == "content" and "type" not in block:
                    yield "untyped", inner, block


def _objects(value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for number, each in enumerate(islice(value, _MOST)):
            if isinstance(each, dict):
                yield f"{place}/{number}", each
