// Generated from schemas/v0.3 (digest 7b441ddb72e176ed) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

//! Vocabularies by place: `family.Type` or `family.Type.member`.

/// Open string → its known values.
pub const KNOWN_VALUES: &[(&str, &[&str])] = &[
    ("message.FinishReason", &["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"]),
    ("message.ErrorCode", &["authentication", "permission_denied", "not_found", "invalid_request", "context_length_exceeded", "rate_limited", "quota_exceeded", "overloaded", "timeout", "connection", "content_filtered", "provider_internal", "truncated_stream", "cancelled", "unknown"]),
    ("message.Outcome", &["success", "error", "denied", "interrupted", "timeout", "partial", "unknown"]),
    ("message.ApprovalDecision", &["approved", "denied", "unknown"]),
    ("message.WarningDeltaPayload.code", &["unsupported_setting", "deprecated", "tool_unavailable", "input_truncated", "other"]),
    ("message.CitationSourceKind", &["url", "document", "file", "search_result", "tool_result", "media", "unknown"]),
    ("message.LocatorUnit", &["character", "page", "block", "chunk", "unknown"]),
    ("session.StepFinishPart.reason", &["stop", "length", "tool-calls", "content-filter", "error", "other", "unknown"]),
    ("session.ToolApproval.decision", &["approved", "denied", "unknown"]),
    ("session.ToolApprovalChoice.decision", &["approved", "denied", "unknown"]),
    ("blocks.ImageBlock.image_type", &["base64", "url", "unknown"]),
    ("blocks.ModelResponse.stop_reason", &["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"]),
    ("envelope.ToolResult.result_type", &["tool_result", "unknown"]),
];

/// Enum → values.
pub const ENUM_VALUES: &[(&str, &[&str])] = &[
    ("message.Role", &["system", "user", "assistant", "tool"]),
    ("message.ToolCallParseError.error", &["invalid_json", "not_an_object"]),
    ("message.Incomplete.ending", &["error", "cancelled", "truncated"]),
    ("message.ToolChoiceMode", &["auto", "required", "none"]),
    ("message.CacheConfig.strategy", &["auto"]),
    ("session.ToolStatus", &["pending", "awaiting_approval", "running", "completed", "error", "denied"]),
    ("session.ValidationFinding.severity", &["error", "warning", "info"]),
    ("blocks.Role", &["user", "assistant", "system"]),
    ("envelope.EvaluationResponse.status", &["pass", "fail"]),
    ("envelope.EvaluationResponse.next_action", &["retry", "next_slice", "none"]),
];

/// Open string → what stands for every other value.
pub const UNKNOWN_VALUES: &[(&str, &str)] = &[
    ("message.FinishReason", "unknown"),
    ("message.ErrorCode", "unknown"),
    ("message.Outcome", "unknown"),
    ("message.ApprovalDecision", "unknown"),
    ("message.WarningDeltaPayload.code", "other"),
    ("message.CitationSourceKind", "unknown"),
    ("message.LocatorUnit", "unknown"),
    ("session.StepFinishPart.reason", "unknown"),
    ("session.ToolApproval.decision", "unknown"),
    ("session.ToolApprovalChoice.decision", "unknown"),
    ("blocks.ImageBlock.image_type", "unknown"),
    ("blocks.ModelResponse.stop_reason", "unknown"),
    ("envelope.ToolResult.result_type", "unknown"),
];

/// Enum → what an unknown value is taken for.
pub const SAFE_DEFAULTS: &[(&str, &str)] = &[
    ("message.ToolCallParseError.error", "invalid_json"),
    ("message.Incomplete.ending", "truncated"),
    ("message.CacheConfig.strategy", "auto"),
    ("session.ValidationFinding.severity", "error"),
    ("envelope.EvaluationResponse.status", "fail"),
    ("envelope.EvaluationResponse.next_action", "none"),
];

/// Rule of meaning → how grave it is.
pub const SEVERITIES: &[(&str, &str)] = &[
    ("envelope/duplicate-invocation", "warning"),
    ("envelope/response-outcome", "error"),
    ("envelope/retry-count", "warning"),
    ("message/citation-range", "error"),
    ("message/duplicate-approval", "error"),
    ("message/duplicate-tool-call", "error"),
    ("message/duplicate-tool-result", "error"),
    ("message/role-part-kind", "error"),
    ("session/duplicate-part-id", "error"),
    ("session/part-message-id", "warning"),
    ("session/part-session-id", "warning"),
    ("session/range-order", "warning"),
    ("session/time-order", "warning"),
];

/// State union → state → the states that may follow.
pub const TRANSITIONS: &[(&str, &[(&str, &[&str])])] = &[
    ("session.ToolState", &[("pending", &["running", "awaiting_approval"]), ("awaiting_approval", &["running", "denied"]), ("running", &["completed", "error"]), ("completed", &[]), ("error", &[]), ("denied", &[])]),
];
