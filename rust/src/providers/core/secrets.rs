//! What of a raw event may be shown.

use std::borrow::Cow;

use crate::json::Value;

use crate::json::raw::{Raw, copied};
use crate::json::raw_text::{Text, is_space};
use crate::tables::credentials::{EVENT_MEMBERS, EVENT_PARAMETERS};

const HIDDEN: &str = "[redacted]";

/// Returns a copy of a JSON value without credentials: headers and query parameters.
///
/// What is nested deeper than 64 levels is left out: it is of no use to a reader either.
pub(crate) fn without_secrets(value: &Raw) -> Value {
    let hides = |name: &str| {
        let is_secret = EVENT_MEMBERS.contains(&name.to_lowercase().as_str());
        is_secret.then(|| Value::from(HIDDEN))
    };
    copied(value, 0, &hides, shown)
}

fn shown(text: Text<'_>) -> Cow<'_, str> {
    let text = text.well_formed();
    if !text.contains('=') {
        return text;
    }
    let mut made = String::new();
    let mut rest: &str = &text;
    while let Some(at) = rest.find(['?', '&']) {
        let (before, after) = rest.split_at(at + 1);
        made.push_str(before);
        rest = after;
        let Some((name, value)) = parameter(rest) else { continue };
        let secret = value.find(|char| matches!(char, '&' | '#' | '"' | '\'') || is_space(char));
        let (secret, behind) = value.split_at(secret.unwrap_or(value.len()));
        made.push_str(name);
        made.push_str(if secret.is_empty() { "" } else { HIDDEN });
        rest = behind;
    }
    made.push_str(rest);
    Cow::Owned(made)
}

/// Splits a text that begins with a parameter whose value is secret: behind the "=".
fn parameter(text: &str) -> Option<(&str, &str)> {
    let found = EVENT_PARAMETERS.iter().find_map(|name| {
        let mut chars = text.char_indices();
        let mut due = name.chars().chain(['=']);
        let fits = due.all(|due| chars.next().is_some_and(|(_, char)| fold(char) == due));
        fits.then(|| chars.next().map_or(text.len(), |(at, _)| at))
    });
    text.split_at_checked(found?)
}

/// Returns the lower-case letter that a character counts as where case does not.
fn fold(char: char) -> char {
    match char {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        other => other.to_ascii_lowercase(),
    }
}
