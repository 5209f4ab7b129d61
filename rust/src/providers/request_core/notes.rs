//! What an encoder found: as data, with pointers into the request as a document.
//!
//! That document is `{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}`.

use std::cell::RefCell;

use crate::json::Value;

use crate::errors::{Finding, clip, clip_text};
use crate::json::fields::{Fields, object};
use crate::providers::request_core::values::Json;

/// The findings of one request, in the order in which they were made.
///
/// All that writes a body holds it at once, so that it is changed through a shared reference.
#[derive(Default)]
pub(crate) struct Notes {
    findings: RefCell<Vec<Finding>>,
    exact: Option<ExactTexts>,
}

/// Texts of arguments that no JSON value keeps, for a request that becomes text.
///
/// In the body an object with one member holds the place of each: `mark` and its number.
struct ExactTexts {
    mark: String,
    texts: RefCell<Vec<String>>,
}

impl Notes {
    /// Returns notes for a request as text; nothing in the request says `mark`.
    pub(crate) fn for_text(mark: String) -> Self {
        let exact = ExactTexts { mark, texts: RefCell::default() };
        Self { findings: RefCell::default(), exact: Some(exact) }
    }

    /// Returns what holds the place of a text; None where the request does not become text.
    pub(crate) fn kept_exact(&self, text: &str) -> Option<Json> {
        let ExactTexts { mark, texts } = self.exact.as_ref()?;
        let mut texts = texts.borrow_mut();
        let place = format!("{mark}{}", texts.len());
        texts.push(text.to_owned());
        Some(object([(&place, Value::Null)]))
    }

    /// Returns the text of a body with every kept text in its place.
    pub(crate) fn written(&self, body: Json) -> String {
        let text = Value::Object(body).to_string();
        let Some(ExactTexts { mark, texts }) = &self.exact else { return text };
        let texts = texts.borrow();
        let begin = format!("{{\"{mark}");
        let mut pieces = text.split(&begin);
        let mut written = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_once("\":null}").unwrap_or((piece, ""));
            let kept = number.parse::<usize>().ok().and_then(|number| texts.get(number));
            written.push_str(kept.map_or("{}", String::as_str));
            written.push_str(rest);
        }
        written
    }

    pub(crate) fn take_findings(&self) -> Vec<Finding> {
        self.findings.take()
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
        self.findings.borrow_mut().push(finding);
    }

    pub(crate) fn add(&self, rule: &str, message: &str, pointer: &str) {
        self.push(Finding::of(rule, pointer, message));
    }

    pub(crate) fn add_with(
        &self,
        rule: &str,
        message: &str,
        pointer: &str,
        expected: &str,
        actual: impl Into<String>,
    ) {
        self.push(Finding::of(rule, pointer, message).expected(expected).actual(actual));
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

    /// Notes a request for approval, or an answer, that is not sent.
    pub(crate) fn approval_left_out(&self, pointer: &str, why: &str) {
        self.add("encode/approval-left-out", &format!("{why}; it is left out"), pointer);
    }

    /// Notes which of these members an approval has that is sent without them.
    pub(crate) fn approval_members(&self, pointer: &str, payload: &Value, names: &[&str]) {
        let given: Vec<&str> = names.iter().copied().filter(|name| payload.has(name)).collect();
        if given.is_empty() {
            return;
        }
        let message = "The provider's format has no place for members of this approval";
        let finding =
            Finding::of("encode/approval-left-out", &format!("{pointer}/payload"), message);
        self.push(finding.actual(given.join(", ")));
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
