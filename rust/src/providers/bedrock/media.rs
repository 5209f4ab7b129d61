//! Images, documents, video and audio as Converse takes them.

use std::collections::HashMap;

use crate::json::raw_text::is_space;
use crate::providers::core::ids::cut;
use crate::tables::media_types::BEDROCK;

const MAX_NAME_CHARS: usize = 200;

/// The member of a content block, and the provider's name of the format.
pub(crate) type MediaForm = (&'static str, &'static str);

/// Returns how the provider calls a media type, None if it does not take it.
///
/// Text of any other type is plain text.
pub(crate) fn media_form(mime_type: &str) -> Option<MediaForm> {
    let row = BEDROCK.iter().find(|(each, _, _)| *each == mime_type);
    let plain = mime_type.starts_with("text/").then_some(("document", "txt"));
    row.map(|(_, member, name)| (*member, *name)).or(plain)
}

/// Returns a name that the provider takes and that no other document has.
///
/// Letters, digits, hyphens, brackets and single blanks. The ending goes: the format says it. `used`
/// takes it: name → the last number that its repetitions have.
pub(crate) fn document_name(name: &str, used: &mut HashMap<String, usize>) -> String {
    let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
    let stem = if stem.is_empty() { name } else { stem };
    let takes = |char: char| char.is_ascii_alphanumeric() || "-()[]".contains(char);
    let words = stem.split(|char| !takes(char)).filter(|word| !word.is_empty());
    let plain = words.collect::<Vec<_>>().join(" ");
    let plain = cut(&plain, MAX_NAME_CHARS - 8).trim_matches(is_space);
    let base = if plain.is_empty() { "document" } else { plain };
    let mut made = base.to_owned();
    let mut number = used.get(base).copied().unwrap_or(1);
    while used.contains_key(&made) {
        number += 1;
        made = format!("{base} {number}");
    }
    used.insert(base.to_owned(), number);
    used.entry(made.clone()).or_insert(1);
    made
}
