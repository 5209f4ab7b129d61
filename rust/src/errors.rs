//! Findings and errors: the one shape in which the crate says that something does not fit.

use std::fmt;

use crate::json::{Map, Value};

use crate::contract::current::blocks;
use crate::contract::current::message::{ErrorDeltaPayload, Message};
use crate::convert::losses::Loss;
use crate::severities;
use crate::tables::limits::CLIP_CHARS;

pub use crate::contract::severity::Severity;

/// One result of a check: data, and never a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of the rule, such as `shape/required`.
    pub rule: String,
    /// A sentence for people.
    pub message: String,
    /// An RFC 6901 JSON Pointer into the document; empty for the whole document.
    pub pointer: String,
    /// How grave it is.
    pub severity: Severity,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there, at most 80 characters of it.
    pub actual: Option<String>,
    /// The 1-based line or item of a stream or file.
    pub line: Option<usize>,
}

impl Finding {
    /// Returns an error finding at `pointer`.
    #[must_use]
    pub fn error(rule: &str, pointer: &str, message: &str) -> Self {
        Self {
            rule: rule.to_owned(),
            message: message.to_owned(),
            pointer: pointer.to_owned(),
            severity: Severity::Error,
            expected: None,
            actual: None,
            line: None,
        }
    }

    /// A finding of the severity that its rule has.
    pub(crate) fn of(rule: &str, pointer: &str, message: &str) -> Self {
        Self { severity: severities::of(rule), ..Self::error(rule, pointer, message) }
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn actual(mut self, actual: impl Into<String>) -> Self {
        self.actual = Some(actual.into());
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Tells whether the finding is about shape: what JSON Schema can say.
    #[must_use]
    pub fn is_shape(&self) -> bool {
        self.rule.starts_with("shape/") || self.rule.starts_with("document/")
    }

    /// Tells whether the finding is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// All that the finding says, in one line, such as
/// `Unknown member at /parts/0; expected a part; actual 7 [shape/type]`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        text += &self.message;
        if !self.pointer.is_empty() {
            text = format!("{text} at {}", self.pointer);
        }
        if let Some(expected) = self.expected.as_ref().filter(|text| !text.is_empty()) {
            text = format!("{text}; expected {}", clipped(expected, 2 * CLIP_CHARS));
        }
        if let Some(actual) = self.actual.as_ref().filter(|text| !text.is_empty()) {
            text = format!("{text}; actual {actual}");
        }
        text = format!("{text} [{}]", self.rule);
        // One line: a member name of the document cannot begin another.
        for char in text.chars() {
            if char.is_control() || char == '\u{2028}' || char == '\u{2029}' {
                write!(f, "\\u{:04x}", u32::from(char))?;
            } else {
                fmt::Write::write_char(f, char)?;
            }
        }
        Ok(())
    }
}

/// A delta, or a call, that the stream's state does not allow; the state is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamRefusal {
    /// Why.
    pub finding: Finding,
    /// The number of the refused delta.
    pub seq: Option<u64>,
    /// The limit that it would pass, by its name in documents.
    pub limit: Option<&'static str>,
}

/// The stream ended with an error delta: there is no final message.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamFailed {
    /// The rule `stream/failed`.
    pub finding: Finding,
    /// The payload of the error delta.
    pub error: ErrorDeltaPayload,
    /// The message as far as it arrived.
    pub partial: Message,
}

/// The chunks ended with an error chunk: there is no response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseFailed {
    /// The rule `blocks/failed`.
    pub finding: Finding,
    /// The error chunk.
    pub error: blocks::ErrorChunk,
    /// The message as far as it arrived.
    pub partial: blocks::Message,
}

/// A state that may not follow; the state that there is stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidTransition {
    /// Why.
    pub finding: Finding,
    /// The status that there is.
    pub current: String,
    /// The status that was asked for; the same where a state was to get other content.
    pub attempted: String,
}

/// A conversion or migration that cannot be, or that would lose something and was asked to be
/// strict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossRefusal {
    /// Why.
    pub findings: Vec<Finding>,
    /// All losses of what was refused, where it came that far.
    pub losses: Vec<Loss>,
}

/// Every error of the crate.
///
/// What `unwrap` and a `main` that fails print is what people read, too: `{:?}` says what `{}` says,
/// and `{:#?}` all findings as data.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A document that is not JSON, or that its type refuses: all findings.
    Read(Vec<Finding>),
    /// A value that cannot be written: its document would not be valid.
    Write(Vec<Finding>),
    /// A call that names a type, version or option that does not exist.
    Usage(Vec<Finding>),
    /// A part or a state that is not valid.
    Part(Vec<Finding>),
    /// Bytes of a stream that cannot be read on.
    Framing(Vec<Finding>),
    /// A delta, or a call, that the stream's state does not allow.
    Stream(Box<StreamRefusal>),
    /// The stream ended with an error delta.
    Failed(Box<StreamFailed>),
    /// The chunks ended with an error chunk.
    Response(Box<ResponseFailed>),
    /// A tool state that may not follow.
    Transition(Box<InvalidTransition>),
    /// A conversion between families that does not exist, or that was to lose nothing.
    Bridge(Box<LossRefusal>),
    /// A migration between versions that cannot be, or that was to lose nothing.
    Migration(Box<LossRefusal>),
    /// No version that both peers know, or an offer that is not one.
    Negotiation(Vec<Finding>),
    /// A retry of a task that its sender does not allow to be tried again.
    Exhausted(Box<Finding>),
}

impl Error {
    /// Returns what was found; never empty.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match self {
            Self::Read(all)
            | Self::Write(all)
            | Self::Usage(all)
            | Self::Part(all)
            | Self::Framing(all)
            | Self::Negotiation(all) => all,
            Self::Bridge(refusal) | Self::Migration(refusal) => &refusal.findings,
            Self::Stream(refusal) => std::slice::from_ref(&refusal.finding),
            Self::Exhausted(finding) => std::slice::from_ref(finding),
            Self::Failed(failed) => std::slice::from_ref(&failed.finding),
            Self::Response(failed) => std::slice::from_ref(&failed.finding),
            Self::Transition(refusal) => std::slice::from_ref(&refusal.finding),
        }
    }

    /// Returns the rule id of the first finding.
    #[must_use]
    pub fn rule(&self) -> &str {
        self.findings().first().map_or("", |found| &found.rule)
    }

    /// Returns the error with the 1-based number of the line or item that it is about.
    #[must_use]
    pub fn at_line(mut self, line: usize) -> Self {
        match &mut self {
            Self::Read(all) => all.iter_mut().for_each(|each| each.line = Some(line)),
            Self::Stream(refusal) => refusal.finding.line = Some(line),
            _ => {}
        }
        self
    }

    pub(crate) fn argument(message: &str, expected: &str, actual: &Value) -> Self {
        let finding = Finding::error("usage/invalid-argument", "", message);
        Self::Usage(vec![finding.expected(expected).actual(clip(actual))])
    }
}

/// How many findings an error spells out where it is printed.
const MOST_SAID: usize = 3;

/// The first three findings, one a line, and how many more there are.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.findings();
        for (index, finding) in found.iter().take(MOST_SAID).enumerate() {
            write!(f, "{}{finding}", if index == 0 { "" } else { "\n" })?;
        }
        match found.len().saturating_sub(MOST_SAID) {
            0 => Ok(()),
            more => write!(f, "\nand {} in findings()", counted(more, "more finding")),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.debug_tuple("Error").field(&self.findings()).finish();
        }
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Returns a value as one line of at most 80 characters.
pub(crate) fn clip(value: &Value) -> String {
    match value {
        Value::String(text) => clip_text(text),
        Value::Array(items) => format!("array with {}", counted(items.len(), "item")),
        Value::Object(members) => clip_object(members),
        other => other.to_string(),
    }
}

pub(crate) fn clip_object(members: &Map) -> String {
    format!("object with {}", counted(members.len(), "member"))
}

pub(crate) fn clip_text(text: &str) -> String {
    let head: String = text.chars().take(CLIP_CHARS + 1).collect();
    clipped(&Value::String(head).to_string(), CLIP_CHARS)
}

fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
