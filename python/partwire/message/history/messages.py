"""Messages as a history has them: structs, JSON values or JSON text, of this peer or a newer one.

A history is judged as a whole, so a message is refused only for its shape: what the contract says
of roles and tool calls, the history says itself, in its own rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from msgspec import UNSET

from ...contract.current import LATEST_VERSION
from ...contract.current.message import (
    ApprovalRequest,
    ApprovalRequestPart,
    ApprovalResponse,
    ApprovalResponsePart,
    FileRefPart,
    ImagePart,
    MediaPart,
    Message,
    ServerToolCallPart,
    ServerToolResult,
    ServerToolResultPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
)
from ...contract.resources import bundle
from ...errors import Finding, PartwireError, bad_argument
from ...json.text import decode_json, value_findings
from ...reading.inputs import message_of, text_of, texts_or_values
from ...reading.pipeline import Binding
from ...reading.plain import plain_value
from ...reading.tolerant import Schemas, Unknown

__all__ = [
    "APPROVALS",
    "CALLS",
    "RESULTS",
    "allowed_kinds",
    "has_outcome",
    "plain_message",
    "read_message",
    "several_messages",
]

CALLS: Final = frozenset({"tool_call", "server_tool_call"})
RESULTS: Final = frozenset({"tool_result", "server_tool_result"})
APPROVALS: Final = frozenset({"approval_request", "approval_response"})

_REPORTED_BY_HISTORY = frozenset(
    {
        "message/role-part-kind",
        "message/duplicate-approval",
        "message/duplicate-tool-call",
        "message/duplicate-tool-result",
    }
)
_PAYLOADS: Final[Mapping[type, type]] = {
    ToolCallPart: ToolCallPayload,
    ServerToolCallPart: ToolCallPayload,
    ToolResultPart: ToolResult,
    ServerToolResultPart: ServerToolResult,
    ApprovalRequestPart: ApprovalRequest,
    ApprovalResponsePart: ApprovalResponse,
}
_MEMBERS: Final[Mapping[str, type]] = {  # of payloads, those that a history looks at
    "tool_call_id": str,
    "is_error": bool,
    "outcome": str,
    "approval_id": str,
    "decision": str,
    "choice": str,
    "choices": list,
}
_OPTIONAL: Final = frozenset({"outcome", "choice", "choices"})
_PLAIN_PARTS = frozenset({TextPart, ThinkingPart, ImagePart, FileRefPart, MediaPart, Unknown})


@cache
def allowed_kinds(version: str = LATEST_VERSION) -> Mapping[str, frozenset[str]]:
    """Return role → the kinds of parts that it may hold, as that version's Message declares them.

    Raises UsageError ``usage/unknown-version``.
    """
    rules = bundle("message", version)["$defs"]["Message"]["x-rules"]
    table = next(rule["table"] for rule in rules if rule["op"] == "tag-table")
    return {role: frozenset(kinds) for role, kinds in table.items()}


@cache
def has_outcome(version: str) -> bool:
    """Return whether results of that version may say how the call came out."""
    return "outcome" in bundle("message", version)["$defs"]["ToolResult"]["properties"]


def several_messages(messages: Any) -> Iterable[Any]:
    """Return ``messages``, which are to be several: one alone may be iterable and is not a history.

    JSON text that is an array gives its items. Raises UsageError ``usage/invalid-argument`` for
    other text, a mapping, a struct, a model, a snapshot and what is not iterable.
    """
    messages = texts_or_values(messages)
    alone = isinstance(messages, (str, bytes, bytearray, memoryview, Mapping))
    # A model can be iterated, over its fields; structs and snapshots cannot.
    alone = alone or hasattr(messages, "model_dump")
    if alone or not isinstance(messages, Iterable):
        raise bad_argument(
            "A history is several messages, and not one",
            "an iterable of messages, such as a list, or JSON text that is an array",
            messages,
        )
    return messages


def read_message(value: Any) -> tuple[Message | None, list[Finding]]:
    """Return ``value`` as struct, read tolerantly, and the findings; None if not a message.

    ``value`` is a Message (struct, model or snapshot), a JSON value, or JSON text. Never
    raises for a value; pointers are relative to the message.
    """
    if type(value) is Message and _is_sound(value):
        return value, []
    binding = Binding.of("message.Message")
    try:
        text = text_of(value)
        if text is None:
            value = message_of(value)
            text = binding.text_of(value)
        if text is not None and (message := binding.decode_valid(text)) is not None:
            return message, []
        document = plain_message(value if text is None else text)
    except PartwireError as error:
        return None, list(error.findings)
    if found := value_findings(document):
        return None, found
    return _read_document(document, binding)


def plain_message(value: Any) -> Any:
    """Return ``value`` as JSON value, which need not be a message.

    Raises ReadError for text that is not JSON, WriteError for what holds no JSON value.
    """
    text = text_of(value)
    if text is not None:
        return decode_json(text)
    return plain_value(message_of(value))[0]


def _read_document(document: Any, binding: Binding) -> tuple[Message | None, list[Finding]]:
    schemas = Schemas.of(binding.type)
    relaxed, notes = schemas.relax(document, binding.type.name)
    unknown = {
        note.pointer.rpartition("/")[0] for note in notes if note.rule == "read/unknown-variant"
    }
    found = [
        finding
        for finding in binding.check_beside(relaxed, unknown)
        if finding.rule not in _REPORTED_BY_HISTORY
    ]
    if any(finding.severity == "error" for finding in found):
        return None, found
    message: Message = schemas.build_relaxed(relaxed, binding.type.name)
    return message, notes + found


def _is_sound(message: Any) -> bool:
    """Tell whether a Message, which anybody may have made, is what the checker relies on."""
    if type(message.run_id) is not str or type(message.parts) is not list:
        return False
    if type(message.role) is not str or message.role not in allowed_kinds():
        return False
    for part in message.parts:
        if type(part) in _PLAIN_PARTS:
            continue
        payload = getattr(part, "payload", None)
        if payload is None or type(payload) is not _PAYLOADS.get(type(part)):
            return False
        for name, wanted in _MEMBERS.items():
            value = getattr(payload, name, None)
            if value is None or (value is UNSET and name in _OPTIONAL):
                continue
            if type(value) is not wanted:
                return False
            if isinstance(value, list) and any(type(each) is not str for each in value):
                return False
    return True
