//! Which dialect an event speaks, as far as one event alone tells.

use crate::json::raw::{Raw, RawObject};
use crate::tables::event_dialects::{SIGNS, Sign};

/// Returns the dialect of an event, and the place in it that tells; None if nothing does.
pub(crate) fn dialect_of(event: &RawObject) -> Option<(&'static str, String)> {
    let fits = |sign: &&Sign| event.find(sign.member).is_some_and(|value| fits(sign, value));
    let found = SIGNS.iter().find(fits);
    found.map(|sign| (sign.dialect, format!("/{}", sign.member)))
}

fn fits(sign: &Sign, value: &Raw) -> bool {
    if let Some(values) = sign.values {
        return value.str().is_some_and(|text| values.contains(&text));
    }
    // Halves of characters may be behind the beginning.
    let begins = |head: &str| value.text().is_some_and(|text| text.starts_with(head.into()));
    sign.prefix.is_none_or(begins)
}
