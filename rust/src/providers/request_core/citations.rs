//! Citations of a text, as state that covers it: a text is cut where its citations say.

use std::collections::HashSet;

use crate::json::Value;
use crate::json::fields::Fields;
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;

type Span = Option<(usize, usize)>;

/// Returns the citations that go back: those that carry the provider's own.
///
/// `items` are the state of the text; with one of a kind in `citing` its citations go back. Several
/// citations of one stretch may be one to the provider, and the first carries it. What is left out
/// is noted once for the text.
pub(crate) fn read_citations(
    payload: &Value,
    place: &str,
    items: &[Item],
    dialect: &str,
    citing: &[&str],
    notes: &Notes,
) -> Vec<Item> {
    let citations = payload.list("citations");
    let mut found = Vec::new();
    if citations.is_empty() {
        return found;
    }
    let length = payload.text("text").chars().count();
    let mut own: HashSet<Span> = HashSet::new();
    let mut is_lost = false;
    for (number, citation) in citations.iter().enumerate() {
        let (span, opaque) = (span_of(citation, length), citation.at("opaque"));
        if opaque.is_object() && opaque.text("provider") == dialect {
            let at = format!("{place}/payload/citations/{number}/opaque/data");
            found.extend(items_of(opaque.at("data"), span, &at, notes));
            own.insert(span);
        } else if !own.contains(&span) {
            is_lost = true;
        }
    }
    if is_lost && !items.iter().any(|item| citing.contains(&item.kind.as_str())) {
        note_citations(payload, place, notes);
    }
    found
}

/// Notes citations that are not sent.
pub(crate) fn note_citations(payload: &Value, place: &str, notes: &Notes) {
    if payload.list("citations").is_empty() {
        return;
    }
    let message =
        "The provider's format has no place for these citations; the text goes without them";
    notes.add("encode/citation-left-out", message, &format!("{place}/payload/citations"));
}

/// Returns where a citation begins and ends in a text, None without places.
fn span_of(citation: &Value, length: usize) -> Span {
    if !citation.has("start") || !citation.has("end") {
        return None;
    }
    let place = |name| usize::try_from(citation.whole(name)).map_or(length, |at| at.min(length));
    Some((place("start"), place("end")))
}

fn items_of(data: &Value, span: Span, at: &str, notes: &Notes) -> Vec<Item> {
    let Some(given) = data.at("items").as_array() else {
        notes.malformed(at, "an object with items", data);
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, each) in given.iter().enumerate() {
        let pointer = format!("{at}/items/{number}");
        match (each.at("kind").as_str(), each.get("data")) {
            (Some(kind), Some(data)) => {
                found.push(Item { kind: kind.to_owned(), data: data.clone(), pointer, span });
            }
            _ => notes.malformed(&pointer, "an item with kind and data", each),
        }
    }
    found
}
