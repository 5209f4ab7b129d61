//! Citations of Converse.

use crate::contract::current::message::{Citation, CitationSource};
use crate::json::raw::RawObject;
use crate::providers::core::citations::{citation, locator, named, source, web_address};

/// Locations: the kind of source, the unit of its places, and the member that is its index.
const PLACES: [(&str, [&str; 3]); 4] = [
    ("documentChar", ["document", "character", "documentIndex"]),
    ("documentPage", ["document", "page", "documentIndex"]),
    ("documentChunk", ["document", "chunk", "documentIndex"]),
    ("searchResultLocation", ["search_result", "block", "searchResultIndex"]),
];

/// Returns the contract's citation for the stretch of text that it is about.
pub(crate) fn citation_of(given: &RawObject, start: usize, end: usize) -> Citation {
    let items = given.get("sourceContent").array().unwrap_or_default().iter();
    let texts = items.filter_map(|item| item.object()?.get("text").text());
    let quoted: String = texts.map(|text| text.well_formed().into_owned()).collect();
    citation(source_of(given), Some((start, end)), Some(quoted))
}

fn source_of(given: &RawObject) -> CitationSource {
    let title = named(given.get("title"));
    for (name, place) in given.get("location").object().into_iter().flat_map(RawObject::iter) {
        let Some(place) = place.object() else { continue };
        if let Some((_, [kind, unit, index])) = PLACES.iter().find(|(each, _)| name == *each) {
            let from = given.get("source");
            let own = if *kind == "search_result" { named(from) } else { None };
            let url = own.as_ref().and_then(|_| web_address(from));
            let id = own.or_else(|| named(place.get(index)));
            let locator = locator(unit, place.get("start"), place.get("end"));
            return CitationSource { url, title, id, locator, ..source(kind) };
        }
        if name == "web" {
            return CitationSource { url: named(place.get("url")), title, ..source("url") };
        }
    }
    CitationSource { title, ..source("unknown") }
}
