// Generated from schemas/v0.3 (digest 7b441ddb72e176ed) by codegen 1.
// Do not edit: change the schemas, then run `python -m codegen`.

/** Open string → its known values. */
export const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  "message.FinishReason": ["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"],
  "message.ErrorCode": ["authentication", "permission_denied", "not_found", "invalid_request", "context_length_exceeded", "rate_limited", "quota_exceeded", "overloaded", "timeout", "connection", "content_filtered", "provider_internal", "truncated_stream", "cancelled", "unknown"],
  "message.Outcome": ["success", "error", "denied", "interrupted", "timeout", "partial", "unknown"],
  "message.ApprovalDecision": ["approved", "denied", "unknown"],
  "message.WarningDeltaPayload.code": ["unsupported_setting", "deprecated", "tool_unavailable", "input_truncated", "other"],
  "message.CitationSourceKind": ["url", "document", "file", "search_result", "tool_result", "media", "unknown"],
  "message.LocatorUnit": ["character", "page", "block", "chunk", "unknown"],
  "session.StepFinishPart.reason": ["stop", "length", "tool-calls", "content-filter", "error", "other", "unknown"],
  "session.ToolApproval.decision": ["approved", "denied", "unknown"],
  "session.ToolApprovalChoice.decision": ["approved", "denied", "unknown"],
  "blocks.ImageBlock.image_type": ["base64", "url", "unknown"],
  "blocks.ModelResponse.stop_reason": ["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "awaiting_approval", "error", "unknown"],
  "envelope.ToolResult.result_type": ["tool_result", "unknown"],
};

/** Open string → what stands for every other value. */
export const UNKNOWN_VALUES: Readonly<Record<string, string>> = {
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
};

/** Enum → values. */
export const ENUM_VALUES: Readonly<Record<string, readonly string[]>> = {
  "message.Role": ["system", "user", "assistant", "tool"],
  "message.ToolCallParseError.error": ["invalid_json", "not_an_object"],
  "message.Incomplete.ending": ["error", "cancelled", "truncated"],
  "message.ToolChoiceMode": ["auto", "required", "none"],
  "message.CacheConfig.strategy": ["auto"],
  "session.ToolStatus": ["pending", "awaiting_approval", "running", "completed", "error", "denied"],
  "session.ValidationFinding.severity": ["error", "warning", "info"],
  "blocks.Role": ["user", "assistant", "system"],
  "envelope.EvaluationResponse.status": ["pass", "fail"],
  "envelope.EvaluationResponse.next_action": ["retry", "next_slice", "none"],
};

/** Enum → what an unknown value is taken for. */
export const SAFE_DEFAULTS: Readonly<Record<string, string>> = {
  "message.ToolCallParseError.error": "invalid_json",
  "message.Incomplete.ending": "truncated",
  "message.CacheConfig.strategy": "auto",
  "session.ValidationFinding.severity": "error",
  "envelope.EvaluationResponse.status": "fail",
  "envelope.EvaluationResponse.next_action": "none",
};

/** State union → state → the states that may follow. */
export const TRANSITIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "session.ToolState": {"pending": ["running", "awaiting_approval"], "awaiting_approval": ["running", "denied"], "running": ["completed", "error"], "completed": [], "error": [], "denied": []},
};

/** Returns `value` if `message.FinishReason` knows it, else its unknown value. */
export function knownFinishReason(value: string): string {
  return KNOWN_VALUES["message.FinishReason"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `message.ErrorCode` knows it, else its unknown value. */
export function knownErrorCode(value: string): string {
  return KNOWN_VALUES["message.ErrorCode"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `message.Outcome` knows it, else its unknown value. */
export function knownOutcome(value: string): string {
  return KNOWN_VALUES["message.Outcome"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `message.ApprovalDecision` knows it, else its unknown value. */
export function knownApprovalDecision(value: string): string {
  return KNOWN_VALUES["message.ApprovalDecision"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `message.WarningDeltaPayload.code` knows it, else its unknown value. */
export function knownWarningDeltaPayloadCode(value: string): string {
  return KNOWN_VALUES["message.WarningDeltaPayload.code"]?.includes(value) ? value : "other";
}

/** Returns `value` if `message.CitationSourceKind` knows it, else its unknown value. */
export function knownCitationSourceKind(value: string): string {
  return KNOWN_VALUES["message.CitationSourceKind"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `message.LocatorUnit` knows it, else its unknown value. */
export function knownLocatorUnit(value: string): string {
  return KNOWN_VALUES["message.LocatorUnit"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `session.StepFinishPart.reason` knows it, else its unknown value. */
export function knownStepFinishPartReason(value: string): string {
  return KNOWN_VALUES["session.StepFinishPart.reason"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `session.ToolApproval.decision` knows it, else its unknown value. */
export function knownToolApprovalDecision(value: string): string {
  return KNOWN_VALUES["session.ToolApproval.decision"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `session.ToolApprovalChoice.decision` knows it, else its unknown value. */
export function knownToolApprovalChoiceDecision(value: string): string {
  return KNOWN_VALUES["session.ToolApprovalChoice.decision"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `blocks.ImageBlock.image_type` knows it, else its unknown value. */
export function knownImageBlockImageType(value: string): string {
  return KNOWN_VALUES["blocks.ImageBlock.image_type"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `blocks.ModelResponse.stop_reason` knows it, else its unknown value. */
export function knownModelResponseStopReason(value: string): string {
  return KNOWN_VALUES["blocks.ModelResponse.stop_reason"]?.includes(value) ? value : "unknown";
}

/** Returns `value` if `envelope.ToolResult.result_type` knows it, else its unknown value. */
export function knownToolResultResultType(value: string): string {
  return KNOWN_VALUES["envelope.ToolResult.result_type"]?.includes(value) ? value : "unknown";
}
