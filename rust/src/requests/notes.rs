//! What an encoder found: as data, with pointers into the request as a document.
//!
//! That document is `{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}`.

use std::cell::RefCell;

use serde_json::Value;

use crate::error::{Finding, Severity, clip, clip_text};

const INFO: [&str; 10] = [
    "encode/default-max-tokens",
    "encode/empty-message",
    "encode/empty-text",
    "encode/foreign-state",
    "encode/moved-system",
    "encode/moved-tool-result",
    "encode/renamed-tool",
    "encode/renamed-tool-call",
    "encode/response-only-state",
    "encode/thinking-left-out",
];

/// The findings of one request, in the order in which they were made.
///
/// All that writes a body holds it at once, so that it is changed through a shared reference.
#[derive(Default)]
pub(crate) struct Notes {
    findings: RefCell<Vec<Finding>>,
}

impl Notes {
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_inner()
    }

    /// Keeps what reading found, at the place of what was read.
    pub(crate) fn extend(&self, found: Vec<Finding>, place: &str) {
        let placed = found.into_iter().map(|mut each| {
            each.pointer.insert_str(0, place);
            each
        });
        self.findings.borrow_mut().extend(placed);
    }

    fn push(&self, finding: Finding) {
        let is_info = INFO.contains(&finding.rule.as_str());
        let severity = if is_info { Severity::Info } else { Severity::Warning };
        self.findings.borrow_mut().push(finding.severity(severity));
    }

    pub(crate) fn add(&self, rule: &str, message: &str, pointer: &str) {
        self.push(Finding::error(rule, pointer, message));
    }

    pub(crate) fn add_with(
        &self,
        rule: &str,
        message: &str,
        pointer: &str,
        expected: &str,
        actual: impl Into<String>,
    ) {
        self.push(Finding::error(rule, pointer, message).expected(expected).actual(actual));
    }

    /// Notes provider state that is not what an adapter writes; it is left out.
    pub(crate) fn malformed(&self, pointer: &str, expected: &str, actual: &Value) {
        let message =
            "The provider's state does not have the form in which it was kept; it is left out";
        self.add_with("encode/malformed-state", message, pointer, expected, clip(actual));
    }

    /// Notes provider state that is for readers, and goes back in no request.
    pub(crate) fn response_only(&self, pointer: &str, kind: &str) {
        let message = format!("State of the kind {kind} goes back in no request");
        self.add("encode/response-only-state", &message, pointer);
    }

    /// Notes a part, or a part of a tool result, that the provider takes in no form.
    pub(crate) fn unsupported_part(&self, pointer: &str, expected: &str, actual: &str) {
        let message = "The provider's format cannot say this part; it is left out";
        self.add_with("encode/unsupported-part", message, pointer, expected, clip_text(actual));
    }

    /// Notes media of an assistant, for providers that take media from users and tools only.
    pub(crate) fn assistant_media(&self, pointer: &str, actual: &str) {
        self.unsupported_part(pointer, "media in messages of users or tools alone", actual);
    }

    /// Notes a value of the configuration that the provider does not take.
    pub(crate) fn unsupported_config(&self, pointer: &str, expected: &str, actual: &Value) {
        let message = "The provider's format cannot say this value; it is left out";
        self.add_with("encode/unsupported-config", message, pointer, expected, clip(actual));
    }

    /// Notes a message of which nothing is left.
    pub(crate) fn empty_message(&self, pointer: &str) {
        let message = "Nothing of this message can be sent; it is left out";
        self.add("encode/empty-message", message, pointer);
    }

    /// Notes a system message that changes its place.
    pub(crate) fn moved_system(&self, pointer: &str) {
        let message = "A system message behind others is sent before them all";
        self.add("encode/moved-system", message, pointer);
    }

    /// Notes reasoning that does not go back.
    pub(crate) fn thinking_left_out(&self, message: &str, pointer: &str) {
        self.add("encode/thinking-left-out", message, pointer);
    }
}
