"""Which format a document has, as far as it shows: one table of what is looked for, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..json.pointer import escape_pointer
from .ag_ui.events import EVENTS, NOWHERE

__all__ = ["Sniffed", "sniff", "sniff_events"]

Where: TypeAlias = Literal["document", "entry", "block", "part", "untyped", "inner"]
"""A block stands in ``content`` or in ``parts``, a part in ``parts`` alone; an inner object in the
``source`` of a block, or the ``function`` of a call.
"""

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

    With ``values`` one that has one of them, with ``begins`` one whose text begins so, with
    ``type`` one of this type, with ``beside`` one that has this member, or these, beside it.
    """

    format: str
    where: Where
    member: str
    values: Collection[str] | None = None
    beside: str | tuple[str, ...] = ()
    begins: tuple[str, ...] | None = None
    type: type | None = None


_LANGCHAIN: Final = (
    "ai",
    "AIMessageChunk",
    "human",
    "HumanMessageChunk",
    "system",
    "tool",
    "function",
    "chat",
)
"""Types of messages, which stand for their role."""

# Types of events that only one format has.
_EVENTS: Final = {
    "ag-ui": EVENTS | NOWHERE,
    "ai-sdk": frozenset(
        {
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
        }
    ),
    "langchain": frozenset(
        {
            "AIMessageChunk",
            "content-block-start",
            "content-block-delta",
            "content-block-finish",
            "message-start",
            "message-finish",
        }
    ),
}
_MODES: Final = frozenset({"values", "updates", "messages"})
"""What LangGraph yields is ``[mode, data]``."""

_SIGNS: Final = (
    _Sign("claude-code", "document", "loglines"),
    _Sign("claude-code", "entry", "parentUuid"),
    _Sign("claude-code", "entry", "sessionId", beside="message"),
    _Sign("claude-code", "entry", "type", ("user", "assistant"), beside="message"),
    _Sign("claude-code", "entry", "type", ("file-history-snapshot", "queue-operation")),
    _Sign("claude-code", "entry", "leafUuid"),
    _Sign("claude-code", "entry", "agentId", beside="key"),
    _Sign("codex", "entry", "payload", beside=("timestamp", "type")),
    _Sign("gemini-cli", "document", "projectHash"),
    _Sign("gemini-cli", "entry", "projectHash"),
    _Sign("gemini-cli", "entry", "$set"),
    _Sign("gemini-cli", "entry", "$rewindTo"),
    _Sign("gemini-cli", "entry", "type", ("gemini",)),
    _Sign("opencode", "document", "info", beside="messages"),
    _Sign("opencode", "entry", "info", beside="parts"),
    _Sign("ag-ui", "document", "threadId"),
    _Sign("ag-ui", "entry", "threadId"),
    _Sign("ag-ui", "entry", "type", _EVENTS["ag-ui"]),
    _Sign("ag-ui", "entry", "toolCalls", beside="role"),
    _Sign("ag-ui", "entry", "toolCallId", beside="role"),
    _Sign("ag-ui", "entry", "activityType"),
    _Sign("ag-ui", "entry", "encryptedValue"),
    _Sign("ag-ui", "entry", "role", ("reasoning",)),
    _Sign("ag-ui", "block", "type", ("binary",), beside="mimeType"),
    _Sign("ag-ui", "inner", "value", beside="type"),
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
    _Sign("openai-responses", "entry", "type", ("message",), beside="role"),
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
    _Sign("pydantic-ai", "part", "part_kind"),
    _Sign("pydantic-ai", "entry", "kind", ("request", "response"), beside="parts"),
    _Sign("otel-genai", "document", "gen_ai.input.messages"),
    _Sign("otel-genai", "document", "gen_ai.output.messages"),
    _Sign("otel-genai", "document", "gen_ai.system_instructions"),
    _Sign("otel-genai", "part", "content", beside="type"),
    _Sign(
        "otel-genai",
        "part",
        "type",
        ("tool_call", "tool_call_response", "server_tool_call", "blob", "uri"),
    ),
    _Sign("cohere-v2", "entry", "tool_plan"),
    _Sign("cohere-v2", "document", "documents"),
    _Sign("cohere-v2", "document", "model", begins=("command-", "c4ai-")),
    _Sign("ai-sdk", "part", "text", beside="type"),
    _Sign("ai-sdk", "part", "url", beside="mediaType"),
    _Sign("ai-sdk", "entry", "toolInvocations"),
    _Sign("ai-sdk", "entry", "experimental_attachments"),
    _Sign("ai-sdk", "block", "toolCallId"),
    _Sign("ai-sdk", "block", "mediaType"),
    _Sign("ai-sdk", "block", "providerOptions"),
    _Sign("ai-sdk", "block", "providerMetadata"),
    _Sign("ai-sdk", "block", "type", ("step-start", "dynamic-tool", "tool-call", "source-url")),
    _Sign("ai-sdk", "block", "image", beside="type"),
    _Sign("ai-sdk", "part", "type", begins=("data-", "tool-")),
    _Sign("ai-sdk", "part", "type", ("custom",), beside="kind"),
    _Sign("cohere-v2", "document", "finish_reason"),
    _Sign("openai-chat", "document", "object", ("chat.completion",)),
    _Sign("openai-chat", "document", "choices"),
    _Sign("openai-chat", "entry", "tool_calls"),
    _Sign("openai-chat", "entry", "function_call"),
    _Sign("openai-chat", "entry", "reasoning_content"),
    _Sign("openai-chat", "entry", "refusal"),
    _Sign("openai-chat", "entry", "role", ("function",)),
    _Sign("openai-chat", "block", "type", ("image_url", "input_audio", "file")),
    _Sign("langchain", "document", "lc"),
    _Sign("langchain", "document", "type", _LANGCHAIN, beside="content"),
    _Sign("langchain", "document", "type", _LANGCHAIN, beside="data"),
    _Sign("langchain", "entry", "lc"),
    _Sign("langchain", "entry", "additional_kwargs"),
    _Sign("langchain", "entry", "response_metadata"),
    _Sign("langchain", "entry", "usage_metadata"),
    _Sign("langchain", "entry", "type", _LANGCHAIN, beside="content"),
    _Sign("langchain", "entry", "type", _LANGCHAIN, beside="data"),
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
    _Sign("mcp", "document", "type", ("tool_use",), beside="input"),
    _Sign("mcp", "document", "content", beside="role", type=dict),
    _Sign("mcp", "entry", "content", beside="role", type=dict),
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
    _Sign("finetune", "document", "images", beside="messages"),
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
    _Sign("finetune", "inner", "arguments", type=dict),
)
# A member of several formats decides only where none of the others' signs is there.
_WEAKER: Final = {
    "openai-chat": frozenset({"cohere-v2", "gemini", "ai-sdk", "finetune", "langchain"}),
    "ai-sdk": frozenset({"gemini", "a2a", "langchain"}),
    "anthropic-messages": frozenset({"mcp", "langchain", "pydantic-ai"}),
    "bedrock-converse": frozenset({"mcp", "langchain"}),
    "cohere-v2": frozenset({"langchain"}),
    "finetune": frozenset({"ag-ui", "langchain"}),
    "gemini": frozenset({"langchain", "otel-genai"}),
    "mcp": frozenset({"ag-ui", "ai-sdk", "langchain"}),
    "openai-responses": frozenset({"openai-agents", "langchain"}),
}
_SESSIONS: Final = frozenset({"claude-code", "codex", "gemini-cli", "opencode"})
"""Formats whose entries hold what other formats have by itself; an entry may be the document."""
_PLAIN: Final = {
    "openai-chat": None,
    "anthropic-messages": None,
    "openai-responses": None,
    "cohere-v2": None,
    "ai-sdk": None,
    "langchain": None,
    "ag-ui": "id",
    "finetune": "messages",
    "codex": "timestamp",
}
"""Formats whose shortest histories look alike: role and text, and what some have beside."""
_REQUESTS: Final = frozenset({"openai-chat", "anthropic-messages", "openai-responses", "cohere-v2"})
"""Those of them that are requests, which name their model."""


def sniff(document: Any) -> list[Sniffed]:
    """Return the formats that a JSON value may have: one is sure, several are those that fit.

    None where no known format looks like it. A history of nothing but roles and texts is never
    guessed: several formats have such.
    """
    if _is_conversations(document):
        return [Sniffed("finetune", "/0/0/role")]
    found: dict[str, str] = {}
    plain, shown = False, set[str]()
    for where, place, members in _places(document):
        for sign in _SIGNS:
            is_there = sign.where == where or (sign.where == "block" and where == "part")
            is_there |= sign.where == "entry" and where == "document" and sign.format in _SESSIONS
            if is_there and sign.format not in found and _has(members, sign):
                found[sign.format] = f"{place}/{escape_pointer(sign.member)}"
        is_message = where == "entry" and "role" in members and "content" in members
        plain = plain or is_message
        if is_message or where == "document":
            shown.update(members)
    if sessions := _SESSIONS & found.keys():
        found = {name: place for name, place in found.items() if name in sessions}
    for weaker, stronger in _WEAKER.items():
        if stronger & found.keys():
            found.pop(weaker, None)
    if found or not plain:
        return [Sniffed(name, place) for name, place in found.items()]
    is_request = isinstance(document, dict) and "model" in document
    return [
        Sniffed(name, "")
        for name, needed in _PLAIN.items()
        if (name in _REQUESTS if is_request else needed is None or needed in shown)
    ]


def _is_conversations(document: Any) -> bool:
    """Return whether it is a list of lists of messages, which only training data is."""
    first = document[0] if isinstance(document, list) and document else None
    entry = first[0] if isinstance(first, list) and first else None
    return isinstance(entry, dict) and {"role", "content"} <= entry.keys() and not _is_ours(entry)


def sniff_events(events: Iterable[Any]) -> list[Sniffed]:
    """Return the formats of which these are events of a stream, the first ones or all."""
    found: dict[str, str] = {}
    for number, event in enumerate(events):
        if _is_of_graph(event):
            found.setdefault("langchain", f"/{number}/0")
        if not isinstance(event, dict):
            continue
        member = "type" if "type" in event else "event"
        kind = event.get(member)
        for name, types in _EVENTS.items():
            if isinstance(kind, str) and kind in types:
                found.setdefault(name, f"/{number}/{member}")
    return [Sniffed(name, place) for name, place in found.items()]


def _is_of_graph(event: Any) -> bool:
    is_pair = isinstance(event, list) and len(event) == 2 and isinstance(event[0], str)
    return is_pair and event[0] in _MODES


def _has(members: dict[str, Any], sign: _Sign) -> bool:
    beside = (sign.beside,) if isinstance(sign.beside, str) else sign.beside
    if not all(name in members for name in (sign.member, *beside)):
        return False
    value = members[sign.member]
    if sign.type is not None:
        return isinstance(value, sign.type)
    if sign.begins is not None:
        return isinstance(value, str) and value.startswith(sign.begins)
    return sign.values is None or (isinstance(value, str) and value in sign.values)


def _places(document: Any) -> Iterator[tuple[Where, str, dict[str, Any]]]:
    """Yield the objects in which signs may stand: the document, its entries, their blocks."""
    place = ""
    entries: Iterator[tuple[str, dict[str, Any]]] = iter(())
    for _ in range(3):  # what is opened may have something to open
        if not isinstance(document, dict):
            entries = _objects(document, place)
            break
        if _is_ours(document):
            return
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
        if _is_ours(entry):
            continue
        if at:
            yield "entry", at, entry
        yield from _places_in(at, entry)


def _places_in(at: str, entry: dict[str, Any]) -> Iterator[tuple[Where, str, dict[str, Any]]]:
    for name in _BLOCKS:
        for place, block in _objects(entry.get(name), f"{at}/{name}"):
            yield "part" if name == "parts" else "block", place, block
            if name == "content" and "type" not in block:
                yield "untyped", place, block
            if isinstance(source := block.get("source"), dict):
                yield "inner", f"{place}/source", source
    for place, call in _objects(entry.get("tool_calls"), f"{at}/tool_calls"):
        if isinstance(function := call.get("function"), dict):
            yield "inner", f"{place}/function", function


def _is_ours(members: dict[str, Any]) -> bool:
    """Return whether it is meant to be a message, a part or a delta of the contract."""
    if "role" in members:
        parts = members.get("parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        is_ours = "runId" in members or (parts is not None and "timestamp" in members)
        return is_ours or (isinstance(first, dict) and _is_ours(first))
    return "kind" in members and "payload" in members


def _objects(value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for number, each in enumerate(islice(value, _MOST)):
            if isinstance(each, dict):
                yield f"{place}/{number}", each
