//! Citations of Anthropic Messages.

use crate::contract::current::message::{Citation, CitationSource};
use crate::json::raw::RawObject;
use crate::providers::core::citations::{citation, locator, named, source, web_address};

/// Places in a document: the unit, and the members that count it.
const PLACES: [(&str, [&str; 3]); 3] = [
    ("char_location", ["character", "start_char_index", "end_char_index"]),
    ("page_location", ["page", "start_page_number", "end_page_number"]),
    ("content_block_location", ["block", "start_block_index", "end_block_index"]),
];

/// Returns the contract's citation for the stretch of text that it is about.
pub(crate) fn citation_of(given: &RawObject, start: usize, end: usize) -> Citation {
    let quoted = given.get("cited_text").text().map(|text| text.well_formed().into_owned());
    citation(source_of(given), Some((start, end)), quoted)
}

fn source_of(given: &RawObject) -> CitationSource {
    let kind = given.get("type").str().unwrap_or("");
    let title = named(given.get("title"));
    if kind == "search_result_location" {
        let from = given.get("source");
        let locator =
            locator("block", given.get("start_block_index"), given.get("end_block_index"));
        let (url, id) = (web_address(from), named(from));
        return CitationSource { url, title, id, locator, ..source("search_result") };
    }
    if let Some((_, [unit, start, end])) = PLACES.iter().find(|(name, _)| *name == kind) {
        let file = named(given.get("file_id"));
        let kind = if file.is_some() { "file" } else { "document" };
        return CitationSource {
            title: named(given.get("document_title")),
            id: file.or_else(|| named(given.get("document_index"))),
            locator: locator(unit, given.get(start), given.get(end)),
            ..source(kind)
        };
    }
    let url = named(given.get("url"));
    let kind = if url.is_some() { "url" } else { "unknown" };
    CitationSource { url, title, ..source(kind) }
}
