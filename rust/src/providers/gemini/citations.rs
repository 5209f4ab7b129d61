//! Gemini's grounding and citations: metadata of the answer → citations of its text.
//!
//! Places are UTF-8 bytes of the answer's text without thoughts, all pieces joined, as recorded
//! streams show. Metadata may come before the text that it is about, and again with more: citations
//! are written at the end, each once.

use std::collections::HashSet;

use crate::json::raw::{Raw, RawObject};
use crate::providers::core::citations::{citation, count, source};
use crate::providers::core::cited_text::{CitedPlace, CitedText, Unit};
use crate::providers::core::writer::DeltaWriter;

const KINDS: [(&str, &str); 3] = [("web", "url"), ("maps", "url"), ("retrievedContext", "file")];
const GROUNDING: &str = "groundingMetadata";
/// Characters of all citations: any number of supports may name one long chunk.
const MAX_CHARS: usize = 1 << 22;

/// The citations of one answer.
pub(crate) struct GeminiCitations {
    /// What they are about.
    pub text: CitedText,
    metadata: Vec<(&'static str, Raw)>,
}

impl Default for GeminiCitations {
    fn default() -> Self {
        Self { text: CitedText::new(Unit::Byte), metadata: Vec::new() }
    }
}

/// What a segment is from, and what that says.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Source {
    kind: &'static str,
    url: Option<String>,
    title: Option<String>,
    id: Option<String>,
    quoted: Option<String>,
}

impl GeminiCitations {
    /// Takes `groundingMetadata` or `citationMetadata`; others are none.
    pub(crate) fn take(&mut self, writer: &DeltaWriter, name: &'static str, metadata: &Raw) {
        if writer.says_new && [GROUNDING, "citationMetadata"].contains(&name) {
            self.metadata.push((name, metadata.clone()));
        }
    }

    /// Writes all citations; what names no source is none.
    pub(crate) fn write(&mut self, writer: &mut DeltaWriter) {
        let mut room = MAX_CHARS;
        let mut written = HashSet::new();
        for (name, metadata) in std::mem::take(&mut self.metadata) {
            let Some(metadata) = metadata.object() else { continue };
            let found = if name == GROUNDING { grounding(metadata) } else { citations(metadata) };
            for (segment, from) in found {
                let said = |name: &str| segment.map_or(&Raw::Null, |segment| segment.get(name));
                // Protocol buffers leave out what is 0.
                let start = Some(said("startIndex")).filter(|start| !start.is_null());
                let start = start.unwrap_or(&Raw::Int(0));
                let place = self.text.find(start, said("endIndex"), said("text"));
                let Some(left) = room.checked_sub(from.chars()) else { return };
                room = left;
                if !written.insert((place, from.clone())) {
                    continue;
                }
                let mut cited = source(from.kind);
                (cited.url, cited.title, cited.id) = (from.url, from.title, from.id);
                let spans = place.map(CitedPlace::span);
                let part = place.map(|place| place.part);
                writer.cite(citation(cited, spans, from.quoted), &[], part);
            }
        }
    }
}

impl Source {
    fn of(about: &RawObject, kind: &'static str) -> Self {
        let said = |name: &str| {
            let text = about.get(name).some_text();
            text.map(|text| text.well_formed().into_owned())
        };
        let url = said("uri");
        let kind = if url.is_some() { "url" } else { kind };
        Self { kind, url, title: said("title"), id: said("documentName"), quoted: None }
    }

    fn members(&self) -> impl Iterator<Item = &String> {
        [&self.url, &self.title, &self.id, &self.quoted].into_iter().flatten()
    }

    fn chars(&self) -> usize {
        self.kind.len() + self.members().map(|text| text.chars().count()).sum::<usize>()
    }

    fn says_something(&self) -> bool {
        self.members().next().is_some()
    }
}

type Found<'a> = Box<dyn Iterator<Item = (Option<&'a RawObject>, Source)> + 'a>;

fn grounding(metadata: &RawObject) -> Found<'_> {
    let chunks = metadata.get("groundingChunks").array().unwrap_or_default();
    let supports = metadata.get("groundingSupports").array().unwrap_or_default();
    Box::new(supports.iter().filter_map(Raw::object).flat_map(move |support| {
        let segment = support.get("segment").object();
        let indexes = support.get("groundingChunkIndices").array().unwrap_or_default();
        let at = |index: &Raw| usize::try_from(count(index)?).ok();
        let named = indexes.iter().filter_map(move |index| chunks.get(at(index)?)?.object());
        named.flat_map(move |chunk| {
            let about = KINDS.iter().filter_map(|(name, kind)| {
                let about = chunk.get(name).object()?;
                let text = about.get("text").some_text();
                let text = text.filter(|_| *name == "retrievedContext");
                let quoted = text.map(|text| text.well_formed().into_owned());
                Some(Source { quoted, ..Source::of(about, kind) })
            });
            about.filter(Source::says_something).map(move |from| (segment, from))
        })
    }))
}

fn citations(metadata: &RawObject) -> Found<'_> {
    // Google AI and Vertex AI have different names for the array.
    let lists = ["citationSources", "citations"].map(|name| metadata.get(name).array());
    let each = lists.into_iter().flatten().flatten().filter_map(Raw::object);
    let found = each.map(|segment| (Some(segment), Source::of(segment, "url")));
    Box::new(found.filter(|(_, from)| from.says_something()))
}
