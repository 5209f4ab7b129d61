//! Names of dialects, and which one an event speaks, as far as one event alone shows it.

use crate::errors::{Error, Finding, clip_text};
use crate::json::raw::{Raw, RawObject};
use crate::tables::event_dialects::{ALIASES, SIGNS, Sign};

/// Returns the row of a dialect, which its name or an alias (`anthropic`) says.
///
/// Fails with [`Error::Usage`] `usage/unknown-dialect`.
pub(crate) fn row_of_dialect<Row: Copy>(
    rows: &[(&'static str, Row)],
    name: &str,
) -> Result<(&'static str, Row), Error> {
    let meant = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |&(_, to)| to);
    rows.iter().find(|(dialect, _)| *dialect == meant).copied().ok_or_else(|| {
        let known: Vec<&str> = rows.iter().map(|(dialect, _)| *dialect).collect();
        let finding = Finding::error("usage/unknown-dialect", "", "No such dialect");
        Error::Usage(vec![finding.expected(known.join(", ")).actual(clip_text(name))])
    })
}

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
