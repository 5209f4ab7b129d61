//! Citations of chat completions: annotations of a message, and what chunks say of the answer.

use std::collections::HashSet;

use crate::contract::current::message::{Citation, CitationSource};
use crate::json::raw::{Raw, as_json_text};
use crate::providers::core::citations::{annotation_source, citation, named, source, web_address};
use crate::providers::core::findings::FindingLog;
use crate::providers::core::writer::{DeltaWriter, Kind};

/// A citation without its places, and these in the text of the answer; both are 0 where the
/// annotation has none. Some vendors say so, too.
type Annotation = (Citation, usize, usize);

fn annotation_of(annotation: &Raw) -> Option<Annotation> {
    let annotation = annotation.object()?;
    let kind = annotation.get("type").str()?;
    let said = annotation.get(kind).object().unwrap_or(annotation);
    let source = annotation_source(kind, said)?;
    let quoted = said.get("content").some_text().map(|text| text.well_formed().into_owned());
    let places = said.get("start_index").int().zip(said.get("end_index").int());
    let places = places.filter(|(start, end)| *start >= 0 && start < end).unwrap_or_default();
    let place = |at: i128| usize::try_from(at).unwrap_or(usize::MAX); // behind every text
    Some((citation(source, None, quoted), place(places.0), place(places.1)))
}

/// Tells whether an annotation is a citation.
pub(crate) fn is_citation(annotation: &Raw) -> bool {
    annotation_of(annotation).is_some()
}

/// Writes the sources of an answer as a whole, each once: its citations, then what was found.
///
/// Returns false where there is no text, or no source.
pub(crate) fn cite_sources(writer: &mut DeltaWriter, citations: &Raw, results: &Raw) -> bool {
    let mut pages: Vec<(String, Raw)> = Vec::new();
    let nothing = Raw::default();
    for each in [citations, results].into_iter().filter_map(Raw::array).flatten() {
        let Some(url) = address_of(each) else { continue };
        let title = each.object().map_or(&nothing, |page| page.get("title"));
        match pages.iter_mut().find(|(known, _)| *known == url) {
            Some((_, known)) if known.says_something() => {}
            Some((_, known)) => known.clone_from(title),
            None => pages.push((url, title.clone())),
        }
    }
    let mut is_cited = !pages.is_empty();
    for (url, title) in pages {
        let made = CitationSource { url: Some(url), title: named(&title), ..source("url") };
        is_cited &= writer.cite(citation(made, None, None), &[], None);
    }
    is_cited
}

/// Notes what [`cite_sources`] passes over.
pub(crate) fn note_odd_sources(sources: &Raw, place: &str, log: &mut FindingLog) {
    let Some(items) = sources.array() else { return log.invalid(place, "an array", sources) };
    let expected = "the address of a page, or an object with it";
    for (number, each) in items.iter().enumerate().filter(|(_, each)| address_of(each).is_none()) {
        log.invalid(&format!("{place}/{number}"), expected, each);
    }
}

fn address_of(source: &Raw) -> Option<String> {
    web_address(source.object().map_or(source, |page| page.get("url")))
}

/// The annotations of one answer.
///
/// They come before the text, in it or behind it, and count in all of it: each is written when its
/// text is over, or at the end.
#[derive(Default)]
pub(crate) struct Annotations {
    waiting: Vec<Raw>,
    /// Those that were too early, or are none.
    late: Vec<Raw>,
    seen: HashSet<String>,
    /// Each part of text, and where it begins in all of it.
    parts: Vec<(i64, usize)>,
    length: usize,
}

impl Annotations {
    /// Takes annotations, each once: some vendors close with the whole message.
    pub(crate) fn add(&mut self, annotations: &Raw) {
        for each in annotations.array().unwrap_or(std::slice::from_ref(annotations)) {
            if self.seen.insert(as_json_text(each)) {
                self.waiting.push(each.clone());
            }
        }
    }

    /// Writes those whose text is there.
    pub(crate) fn write(&mut self, writer: &mut DeltaWriter) {
        if writer.kind == Some(Kind::Text) {
            if self.parts.last().is_none_or(|(part, _)| *part != writer.part) {
                self.parts.push((writer.part, self.length));
            }
            self.length = self.parts.last().map_or(0, |(_, begin)| *begin) + writer.chars;
        }
        if self.parts.is_empty() {
            return;
        }
        for each in std::mem::take(&mut self.waiting) {
            if !self.cite(writer, &each, false) {
                self.late.push(each);
            }
        }
    }

    /// Writes the rest; without any text they are kept as they came.
    pub(crate) fn finish(&mut self, writer: &mut DeltaWriter) {
        if self.waiting.is_empty() && self.late.is_empty() {
            return;
        }
        writer.flush_half();
        self.write(writer);
        let mut late = std::mem::take(&mut self.late);
        late.append(&mut self.waiting);
        late.retain(|each| !self.cite(writer, each, true));
        if !late.is_empty() {
            writer.keep("annotations", &Raw::Array(late), None);
        }
    }

    /// Writes a citation; tells whether it has been written.
    fn cite(&self, writer: &mut DeltaWriter, annotation: &Raw, is_end: bool) -> bool {
        let Some((mut made, start, end)) = annotation_of(annotation) else { return false };
        if end > self.length && !is_end {
            return false;
        }
        let number = self.parts.partition_point(|(_, begin)| *begin <= start);
        let after = self.parts.get(number).map_or(self.length, |(_, begin)| *begin);
        let text = number.checked_sub(1).and_then(|number| self.parts.get(number));
        let text = text.filter(|_| end > 0 && end <= after);
        let Some((part, begin)) = text else { return writer.cite(made, &[], None) };
        let place = |at: usize| u64::try_from(at - begin).ok();
        (made.start, made.end) = (place(start), place(end));
        writer.cite(made, &[], Some(*part))
    }
}
