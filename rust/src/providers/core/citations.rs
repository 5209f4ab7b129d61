//! Sources of citations, out of members as providers have them.

use crate::contract::current::message::{Citation, CitationLocator, CitationSource};
use crate::json::raw::{Raw, RawObject};

/// Returns a source of a kind, without members.
pub(crate) fn source(kind: &str) -> CitationSource {
    CitationSource::new(kind.into())
}

/// Returns a citation of a source; places are code points of the part's text.
pub(crate) fn citation(
    source: CitationSource,
    places: Option<(usize, usize)>,
    quoted_text: Option<String>,
) -> Citation {
    let place = |at: usize| u64::try_from(at).ok();
    let (start, end) = places.map_or((None, None), |(start, end)| (place(start), place(end)));
    Citation { start, end, quoted_text, ..Citation::new(source) }
}

/// Returns a member of a source that is text; an index is the text of an id.
pub(crate) fn named(value: &Raw) -> Option<String> {
    let text = value.some_text().map(|text| text.well_formed().into_owned());
    text.or_else(|| count(value).map(|index| index.to_string()))
}

/// Returns the place in a source; none where the provider does not count so.
pub(crate) fn locator(unit: &str, start: &Raw, end: &Raw) -> Option<CitationLocator> {
    let start = count(start)?;
    Some(CitationLocator { end: count(end), ..CitationLocator::new(unit.into(), start) })
}

/// Returns a value that is the address of a page.
pub(crate) fn web_address(value: &Raw) -> Option<String> {
    let text = value.text()?;
    let is_web = text.starts_with("http://".into()) || text.starts_with("https://".into());
    is_web.then(|| text.well_formed().into_owned())
}

/// Returns what an annotation of OpenAI's points to, None for what is not one, or to nothing.
pub(crate) fn annotation_source(kind: &str, said: &RawObject) -> Option<CitationSource> {
    let made = match kind {
        "url_citation" => CitationSource {
            url: named(said.get("url")),
            title: named(said.get("title")),
            ..source("url")
        },
        "file" | "file_citation" | "file_path" | "container_file_citation" => CitationSource {
            id: named(said.get("file_id")),
            title: named(said.get("filename")),
            ..source("file")
        },
        _ => return None,
    };
    let says = made.url.is_some() || made.title.is_some() || made.id.is_some();
    says.then_some(made)
}

/// Returns a place in text.
pub(crate) fn place_of(value: &Raw) -> Option<usize> {
    const MOST: i128 = 1 << 50;
    let place = value.int().filter(|place| (0..=MOST).contains(place))?;
    usize::try_from(place).ok()
}

/// Returns a whole number that is not negative, and which may be written 1.0.
pub(crate) fn count(value: &Raw) -> Option<u64> {
    const MOST: i128 = (1 << 53) - 1;
    let whole = match value {
        #[allow(clippy::cast_possible_truncation)] // a whole number, and a small one
        Raw::Float(number) if number.fract() == 0.0 && number.abs() < 1e16 => *number as i128,
        other => other.int()?,
    };
    (0..=MOST).contains(&whole).then(|| whole.try_into().ok()).flatten()
}
