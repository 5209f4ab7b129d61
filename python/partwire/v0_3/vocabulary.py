# Generated from schemas/v0.3 (digest 7b441ddb72e176ed) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Vocabularies of the contract.

Open strings: the values that are known, and per string a helper that maps every other value to
the one that stands for "unknown". Enums: their values and safe defaults. Unions with states: the
transitions that are allowed. All by family and place (``Type`` or ``Type.property``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KNOWN_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "message.FinishReason": ("stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"),
    "message.ErrorCode": ("authentication", "permission_denied", "not_found", "invalid_request", "context_length_exceeded", "rate_limited", "quota_exceeded", "overloaded", "timeout", "connection", "content_filtered", "provider_internal", "truncated_stream", "cancelled", "unknown"),
    "message.Outcome": ("success", "error", "denied", "interrupted", "timeout", "partial", "unknown"),
    "message.ApprovalDecision": ("approved", "denied", "unknown"),
    "message.WarningDeltaPayload.code": ("unsupported_setting", "deprecated", "tool_unavailable", "input_truncated", "other"),
    "message.CitationSourceKind": ("url", "document", "file", "search_result", "tool_result", "media", "unknown"),
    "message.LocatorUnit": ("character", "page", "block", "chunk", "unknown"),
    "session.StepFinishPart.reason": ("stop", "length", "tool-calls", "content-filter", "error", "other", "unknown"),
    "session.ToolApproval.decision": ("approved", "denied", "unknown"),
    "session.ToolApprovalChoice.decision": ("approved", "denied", "unknown"),
    "blocks.ImageBlock.image_type": ("base64", "url", "unknown"),
    "blocks.ModelResponse.stop_reason": ("stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"),
    "envelope.ToolResult.result_type": ("tool_result", "unknown"),
}
"""Open string → its known values."""

UNKNOWN_VALUES: Final[Mapping[str, str]] = {
    "message.FinishReason": "unknown",
    "message.ErrorCode": "unknown",
    "message.Outcome": "unknown",
    "message.ApprovalDecision": "unknown",
    "message.WarningDeltaPayload.code": "other",
    "message.CitationSourceKind": "unknown",
    "message.LocatorUnit": "unknown",
    "session.StepFinishPart.reason": "unknown",
    "session.ToolApproval.decision": "unknown",
    "session.ToolApprovalChoice.decision": "unknown",
    "blocks.ImageBlock.image_type": "unknown",
    "blocks.ModelResponse.stop_reason": "unknown",
    "envelope.ToolResult.result_type": "unknown",
}
"""Open string → the value that stands for every other one."""

ENUM_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "message.Role": ("system", "user", "assistant", "tool"),
    "message.ToolCallParseError.error": ("invalid_json", "not_an_object"),
    "message.Incomplete.ending": ("error", "cancelled", "truncated"),
    "message.ToolChoiceMode": ("auto", "required", "none"),
    "message.CacheConfig.strategy": ("auto",),
    "session.ToolStatus": ("pending", "awaiting_approval", "running", "completed", "error", "denied"),
    "session.ValidationFinding.severity": ("error", "warning", "info"),
    "blocks.Role": ("user", "assistant", "system"),
    "envelope.EvaluationResponse.status": ("pass", "fail"),
    "envelope.EvaluationResponse.next_action": ("retry", "next_slice", "none"),
}
"""Enum → values."""

SAFE_DEFAULTS: Final[Mapping[str, str]] = {
    "message.ToolCallParseError.error": "invalid_json",
    "message.Incomplete.ending": "truncated",
    "message.CacheConfig.strategy": "auto",
    "session.ValidationFinding.severity": "error",
    "envelope.EvaluationResponse.status": "fail",
    "envelope.EvaluationResponse.next_action": "none",
}
"""Enum → what tolerant reading takes an unknown value for; closed enums are not here."""

TAGS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "message.MessageDelta": ("kind", ("start", "text", "thinking", "tool_call_start", "tool_call_args", "tool_call_end", "text_citation", "server_tool_call_start", "server_tool_call_args", "server_tool_call_end", "server_tool_result", "approval_request", "media_start", "media_data", "media_end", "warning", "usage", "done", "error")),
    "message.MessagePart": ("kind", ("text", "thinking", "tool_call", "tool_result", "image", "file_ref", "media", "server_tool_call", "server_tool_result", "approval_request", "approval_response")),
    "message.ToolResultContentPart": ("kind", ("text", "image", "file_ref", "media")),
    "message.MediaSource": ("kind", ("inline", "url", "ref")),
    "session.Part": ("type", ("text", "reasoning", "tool", "step-start", "step-finish", "file")),
    "session.FilePartSource": ("type", ("file", "symbol", "resource")),
    "session.ToolState": ("status", ("pending", "awaiting_approval", "running", "completed", "error", "denied")),
    "session.MessageInfo": ("role", ("user", "assistant")),
    "blocks.ContentBlock": ("type", ("text", "tool_use", "tool_result", "image")),
    "blocks.ToolResultContentBlock": ("type", ("text", "image")),
    "blocks.StreamChunk": ("type", ("content_block_start", "content_block_delta", "content_block_stop", "tool_use", "message_stop", "error")),
}
"""Union → tag member and its values."""

TRANSITIONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "session.ToolState": {"pending": ("running", "awaiting_approval"), "awaiting_approval": ("running", "denied"), "running": ("completed", "error"), "completed": (), "error": (), "denied": ()},
}
"""State union → state → the states that may follow."""


def known_finish_reason(value: str) -> str:
    """Return ``value`` if ``message.FinishReason`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.FinishReason"] else UNKNOWN_VALUES["message.FinishReason"]


def known_error_code(value: str) -> str:
    """Return ``value`` if ``message.ErrorCode`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.ErrorCode"] else UNKNOWN_VALUES["message.ErrorCode"]


def known_outcome(value: str) -> str:
    """Return ``value`` if ``message.Outcome`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.Outcome"] else UNKNOWN_VALUES["message.Outcome"]


def known_approval_decision(value: str) -> str:
    """Return ``value`` if ``message.ApprovalDecision`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.ApprovalDecision"] else UNKNOWN_VALUES["message.ApprovalDecision"]


def known_warning_delta_payload_code(value: str) -> str:
    """Return ``value`` if ``message.WarningDeltaPayload.code`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.WarningDeltaPayload.code"] else UNKNOWN_VALUES["message.WarningDeltaPayload.code"]


def known_citation_source_kind(value: str) -> str:
    """Return ``value`` if ``message.CitationSourceKind`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.CitationSourceKind"] else UNKNOWN_VALUES["message.CitationSourceKind"]


def known_locator_unit(value: str) -> str:
    """Return ``value`` if ``message.LocatorUnit`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["message.LocatorUnit"] else UNKNOWN_VALUES["message.LocatorUnit"]


def known_step_finish_part_reason(value: str) -> str:
    """Return ``value`` if ``session.StepFinishPart.reason`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["session.StepFinishPart.reason"] else UNKNOWN_VALUES["session.StepFinishPart.reason"]


def known_tool_approval_decision(value: str) -> str:
    """Return ``value`` if ``session.ToolApproval.decision`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["session.ToolApproval.decision"] else UNKNOWN_VALUES["session.ToolApproval.decision"]


def known_tool_approval_choice_decision(value: str) -> str:
    """Return ``value`` if ``session.ToolApprovalChoice.decision`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["session.ToolApprovalChoice.decision"] else UNKNOWN_VALUES["session.ToolApprovalChoice.decision"]


def known_image_block_image_type(value: str) -> str:
    """Return ``value`` if ``blocks.ImageBlock.image_type`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["blocks.ImageBlock.image_type"] else UNKNOWN_VALUES["blocks.ImageBlock.image_type"]


def known_model_response_stop_reason(value: str) -> str:
    """Return ``value`` if ``blocks.ModelResponse.stop_reason`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["blocks.ModelResponse.stop_reason"] else UNKNOWN_VALUES["blocks.ModelResponse.stop_reason"]


def known_tool_result_result_type(value: str) -> str:
    """Return ``value`` if ``envelope.ToolResult.result_type`` knows it, else its unknown value."""
    return value if value in KNOWN_VALUES["envelope.ToolResult.result_type"] else UNKNOWN_VALUES["envelope.ToolResult.result_type"]
