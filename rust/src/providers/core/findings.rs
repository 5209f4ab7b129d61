//! What an adapter found: bounded, and without a payload.
//!
//! A stream of a million events may be odd in the same way at every one of them: the same finding
//! is kept once, and the number of different ones is bounded.

use std::collections::HashSet;

use crate::errors::Finding;
use crate::json::raw::Raw;
use crate::json::raw_text::Text;
use crate::tables::limits::MAX_FINDINGS;

/// The findings of one stream.
///
/// A pointer is `/<event>/<member>…`: the 0-based number of the raw event, then the place in it.
/// Repeats are recognised by rule, place in the event and actual value; a repeat is not kept.
#[derive(Default)]
pub(crate) struct FindingLog {
    pub findings: Vec<Finding>,
    /// How many raw events have come, the one that is being read among them.
    pub events: u64,
    seen: HashSet<(&'static str, String, Option<String>)>,
}

impl FindingLog {
    /// Keeps a finding about the raw event that is being read.
    pub(crate) fn note(
        &mut self,
        rule: &'static str,
        message: &str,
        place: &str,
        expected: Option<&str>,
        actual: Option<&str>,
    ) {
        let key = (rule, place.to_owned(), actual.map(str::to_owned));
        if self.seen.contains(&key) {
            return;
        }
        let pointer = format!("/{}{place}", self.events.saturating_sub(1));
        let mut finding = Finding::of(rule, &pointer, message);
        finding.expected = expected.map(str::to_owned);
        finding.actual = actual.map(str::to_owned);
        self.add(finding);
        if self.seen.len() < MAX_FINDINGS {
            self.seen.insert(key);
        }
    }

    /// Keeps a finding about a member of another type than the provider publishes.
    pub(crate) fn invalid(&mut self, place: &str, expected: &str, actual: &Raw) {
        let message = "The event does not have the form that the provider publishes";
        let actual = actual.clip();
        self.note("adapter/invalid-event", message, place, Some(expected), Some(&actual));
    }

    /// Keeps a finding about media whose type the provider does not say.
    pub(crate) fn unknown_type(&mut self, place: &str) {
        let message = "The stream does not say the type of this media; it counts as bytes";
        self.note("adapter/unknown-media-type", message, place, Some("a media type"), None);
    }

    /// Keeps a finding about figures that do not fit together; one for each `what`.
    pub(crate) fn usage(&mut self, what: &str) {
        let message = "Figures of the usage contradict each other";
        let expected = Some("figures that fit together");
        self.note("adapter/contradictory-usage", message, "", expected, Some(what));
    }

    /// Returns a string member, `""` where it is null, absent or, with a finding, none.
    pub(crate) fn string<'a>(&mut self, value: &'a Raw, place: &str) -> Text<'a> {
        if let Some(text) = value.text() {
            return text;
        }
        if !value.is_null() {
            self.invalid(place, "a string", value);
        }
        Text::from("")
    }

    /// Keeps a finding that another room made.
    pub(crate) fn add(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}
