// Generated from schemas/rules/. Do not edit: change those, then run `python -m codegen`.

use crate::errors::Severity;

/// Returns the severity of a rule `adapter/…`.
pub(crate) fn adapter(rule: &str) -> Severity {
    match rule {
        "adapter/minted-id"
        | "adapter/other-choice"
        | "adapter/server-tool-call"
        | "adapter/whole-body" => Severity::Info,
        "adapter/after-end"
        | "adapter/block-order"
        | "adapter/contradictory-usage"
        | "adapter/cumulative-arguments"
        | "adapter/incomplete-usage"
        | "adapter/invalid-event"
        | "adapter/lone-surrogate"
        | "adapter/text-mismatch"
        | "adapter/tool-call-mismatch"
        | "adapter/unknown-event"
        | "adapter/unknown-finish-reason"
        | "adapter/unsupported-content" => Severity::Warning,
        _ => Severity::Error,
    }
}

/// Returns the severity of a rule `encode/…`.
pub(crate) fn encode(rule: &str) -> Severity {
    match rule {
        "encode/default-max-tokens"
        | "encode/empty-message"
        | "encode/empty-text"
        | "encode/foreign-state"
        | "encode/moved-system"
        | "encode/moved-tool-result"
        | "encode/renamed-tool"
        | "encode/renamed-tool-call"
        | "encode/response-only-state"
        | "encode/thinking-left-out" => Severity::Info,
        "encode/arguments-lost"
        | "encode/config-conflict"
        | "encode/dangling-state"
        | "encode/malformed-state"
        | "encode/orphan-tool-result"
        | "encode/repeated-state"
        | "encode/stand-in-tool"
        | "encode/system-prompt-twice"
        | "encode/unsupported-config"
        | "encode/unsupported-part"
        | "encode/unsupported-tool"
        | "encode/wide-integer" => Severity::Warning,
        _ => Severity::Error,
    }
}
