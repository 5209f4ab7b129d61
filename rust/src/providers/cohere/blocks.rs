//! Content blocks of a Cohere message, with the tool plan and the citations between them.

use std::collections::HashMap;

use crate::contract::current::message::CitationSource;
use crate::json::raw::{Raw, RawObject, storable};
use crate::json::raw_text::RawText;
use crate::providers::core::citations::{citation, named, source, web_address};
use crate::providers::core::cited_text::{CitedPlace, CitedText, Unit};
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::ordered::Ordered;
use crate::providers::core::writer::{DeltaWriter, Kind};
use crate::providers::core::writing::whole_parts::Items;

const PLACE: &str = "/delta/message/content";
/// Kinds of blocks; each is also the name of the member that holds the block's text.
const KINDS: [(&str, Kind); 2] = [("thinking", Kind::Thinking), ("text", Kind::Text)];

/// One content block, and where in the message its text is.
struct Block {
    kind: Kind,
    part: i64,
    /// Characters of the part.
    start: usize,
    end: Option<usize>,
    /// Of the answer, as it has been written.
    text: CitedText,
}

/// The blocks of one message, by their index.
pub(crate) struct CohereBlocks {
    all: Vec<Block>,
    /// Places in `all`.
    open: Ordered<usize>,
    /// Also those that have ended: citations come late.
    by_index: HashMap<i128, usize>,
    last_text: Option<usize>,
    last_thinking: Option<usize>,
    last_index: i128,
    plan: RawText,
    has_plan: bool,
    plan_citations: Vec<Raw>,
}

impl Default for CohereBlocks {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            open: Ordered::default(),
            by_index: HashMap::new(),
            last_text: None,
            last_thinking: None,
            last_index: -1,
            plan: RawText::default(),
            has_plan: false,
            plan_citations: Vec::new(),
        }
    }
}

impl CohereBlocks {
    /// Tells whether there are blocks, or a plan that is not kept yet.
    pub(crate) fn any(&self) -> bool {
        !self.by_index.is_empty() || self.has_plan
    }

    /// Tells whether the block with this index is open.
    pub(crate) fn has(&self, index: i128) -> bool {
        self.open.has(index)
    }

    /// Reads one `content-start`.
    pub(crate) fn start(&mut self, writer: &mut DeltaWriter, index: &Raw, content: &Raw) {
        let index = index_or(writer, index, self.last_index.saturating_add(1));
        self.start_at(writer, index, content, PLACE);
    }

    /// Reads a block that begins, at `place`.
    pub(crate) fn start_at(
        &mut self,
        writer: &mut DeltaWriter,
        index: i128,
        content: &Raw,
        place: &str,
    ) {
        let Raw::Object(members) = content else {
            return writer.log.invalid(place, "an object", content);
        };
        if self.open.has(index) {
            note_order(writer, "A block begins on the index of one that is open", index);
            self.end_at(writer, index);
        }
        self.last_index = index;
        let kind = members.get("type");
        match KINDS.iter().find(|(name, _)| kind.str() == Some(name)) {
            Some((_, kind)) => {
                self.begin(writer, index, *kind);
                self.write(writer, index, members, place);
            }
            None => keep_foreign(writer, content, kind, place),
        }
    }

    /// Reads one `content-delta`: text, or thinking.
    pub(crate) fn piece(&mut self, writer: &mut DeltaWriter, index: &Raw, content: &Raw) {
        let index = index_or(writer, index, self.last_index.max(0));
        let Raw::Object(members) = content else {
            return writer.log.invalid(PLACE, "an object", content);
        };
        if !self.open.has(index) {
            note_order(writer, "A piece belongs to a block that is not open", index);
            let is_thinking = members.get("thinking").says_something();
            self.begin(writer, index, if is_thinking { Kind::Thinking } else { Kind::Text });
        }
        if !members.is_empty() && !KINDS.iter().any(|(name, _)| members.has(name)) {
            keep_foreign(writer, content, members.get("type"), PLACE);
        }
        self.write(writer, index, members, PLACE);
    }

    /// Reads one `content-end`.
    pub(crate) fn end(&mut self, writer: &mut DeltaWriter, index: &Raw) {
        let index = index_or(writer, index, self.last_index);
        self.end_at(writer, index);
    }

    /// Reads a block that ends.
    pub(crate) fn end_at(&mut self, writer: &mut DeltaWriter, index: i128) {
        if let Some(at) = self.open.remove(index) {
            self.close(writer, at);
        } else if !self.by_index.contains_key(&index) && index != self.last_index {
            note_order(writer, "A block ends that never began", index);
        }
    }

    fn begin(&mut self, writer: &mut DeltaWriter, index: i128, kind: Kind) {
        self.keep_plan(writer);
        // Text that follows text of its kind joins the part: the block begins inside it.
        let joins = writer.kind == Some(kind);
        let (part, start) = if joins { (writer.part, writer.chars) } else { (writer.part + 1, 0) };
        let at = self.all.len();
        let text = CitedText::new(Unit::Character);
        self.all.push(Block { kind, part, start, end: None, text });
        self.open.add(index, at);
        self.by_index.insert(index, at);
        match kind {
            Kind::Text => self.last_text = Some(at),
            Kind::Thinking => self.last_thinking = Some(at),
        }
        self.last_index = index;
    }

    fn write(&mut self, writer: &mut DeltaWriter, index: i128, content: &RawObject, place: &str) {
        let block = self.by_index.get(&index).and_then(|at| self.all.get_mut(*at));
        let mut cited = block.map(|block| &mut block.text);
        for (name, kind) in KINDS {
            match (content.get(name), kind) {
                (Raw::Null, _) => {}
                (Raw::Text(text), Kind::Text) => {
                    let start = if writer.kind == Some(kind) { writer.chars } else { 0 };
                    writer.text(text);
                    if let Some(cited) = cited.as_mut().filter(|_| !text.is_empty()) {
                        cited.add(writer.part, start, text.as_text());
                    }
                }
                (Raw::Text(text), Kind::Thinking) => writer.thinking(text),
                (other, _) => writer.log.invalid(&format!("{place}/{name}"), "a string", other),
            }
        }
    }

    /// Notes where a block ends, and keeps what the parts alone do not say.
    ///
    /// That is, that thinking is Cohere's, and where in a part a block begins behind another.
    fn close(&mut self, writer: &mut DeltaWriter, at: usize) {
        let Some(block) = self.all.get_mut(at).filter(|block| block.part == writer.part) else {
            return;
        };
        block.end = Some(writer.chars);
        let says_more = block.kind == Kind::Thinking || block.start > 0;
        if writer.chars > block.start && says_more {
            let named = KINDS.iter().find(|(_, kind)| *kind == block.kind);
            let kind = named.map_or("", |(name, _)| name);
            writer.state.keep(OpaqueItem {
                kind: kind.to_owned(),
                data: crate::json::json!({"type": kind}),
                part: block.part,
                start: Some(block.start),
                end: block.end,
            });
        }
    }

    /// Ends the blocks: what comes after them is a separate part.
    pub(crate) fn close_all(&mut self, writer: &mut DeltaWriter) {
        self.keep_plan(writer);
        for at in self.open.drain() {
            self.close(writer, at);
        }
    }

    // --- the plan --------------------------------------------------------------------------------

    /// Reads one `tool-plan-delta`.
    pub(crate) fn plan(&mut self, writer: &mut DeltaWriter, text: &Raw, place: &str) {
        match text {
            Raw::Text(text) => {
                self.has_plan = true;
                self.plan.push(text.as_text());
            }
            Raw::Null => {}
            other => writer.log.invalid(place, "a string", other),
        }
    }

    /// Keeps the plan so far, where it is.
    fn keep_plan(&mut self, writer: &mut DeltaWriter) {
        if !self.plan.is_empty() {
            self.has_plan = false;
            writer.keep("tool_plan", &std::mem::take(&mut self.plan).into(), None);
        }
        for citation in self.plan_citations.drain(..) {
            writer.keep("citation", &citation, None);
        }
    }

    // --- citations -------------------------------------------------------------------------------

    /// Writes a citation of the answer's text; keeps any other with what it is about.
    pub(crate) fn cite(&mut self, writer: &mut DeltaWriter, citation: &Raw, place: &str) {
        let Raw::Object(members) = citation else {
            return writer.log.invalid(place, "an object", citation);
        };
        if members.get("type").str() == Some("PLAN") {
            return self.plan_citations.push(citation.clone());
        }
        let block = self.cited(members).and_then(|at| self.all.get_mut(at));
        let Some(block) = block else {
            return writer.keep("citation", citation, None);
        };
        if write_citation(writer, block, citation, members) {
            return;
        }
        match covered(writer, block, members) {
            None => writer.keep("citation", citation, None),
            Some((part, start, end)) => writer.state.keep(OpaqueItem {
                kind: "citation".to_owned(),
                data: storable(citation),
                part,
                start: Some(start),
                end: Some(end),
            }),
        }
    }

    /// Returns the block that a citation is of.
    fn cited(&self, citation: &RawObject) -> Option<usize> {
        match citation.get("content_index").int() {
            Some(index) => self.by_index.get(&index).copied(),
            None if is_of_thinking(citation) => self.last_thinking,
            None => self.last_text,
        }
    }
}

fn is_of_thinking(citation: &RawObject) -> bool {
    citation.get("type").str() == Some("THINKING_CONTENT")
}

/// Writes a citation for each source; tells whether there is one, and text of the answer.
fn write_citation(
    writer: &mut DeltaWriter,
    block: &mut Block,
    whole: &Raw,
    given: &RawObject,
) -> bool {
    let Some(last) = block.text.part().filter(|_| writer.says_new) else { return false };
    let sources = given.get("sources").array().unwrap_or_default();
    let sources: Vec<&RawObject> = sources.iter().filter_map(Raw::object).collect();
    if sources.is_empty() || is_of_thinking(given) {
        return false;
    }
    let found = block.text.find(given.get("start"), given.get("end"), given.get("text"));
    let part = found.map_or(last, |found| found.part);
    // Once: it names all of them.
    let mut own: Items<'_> = &[("citation", whole)];
    for from in sources {
        let spans = found.map(CitedPlace::span);
        writer.cite(citation(source_of(from), spans, None), own, Some(part));
        own = &[];
    }
    true
}

/// Returns what a citation is from; a document says its title and address in its own members.
fn source_of(given: &RawObject) -> CitationSource {
    let kind = match given.get("type").str() {
        Some("tool") => "tool_result",
        Some("document") => "document",
        _ => "unknown",
    };
    let about = given.get("document").object();
    let title = about.and_then(|about| named(about.get("title")));
    let url = about.and_then(|about| web_address(about.get("url")));
    CitationSource { id: named(given.get("id")), title, url, ..source(kind) }
}

/// Returns part, start and end of what a citation is about, None where nothing shows it.
fn covered(
    writer: &DeltaWriter,
    block: &Block,
    citation: &RawObject,
) -> Option<(i64, usize, usize)> {
    let is_last = block.part == writer.part && Some(block.kind) == writer.kind;
    let limit = block.end.or(is_last.then_some(writer.chars))?;
    if limit <= block.start {
        return None;
    }
    let place = |name: &str| {
        let count = usize::try_from(citation.get(name).int()?).ok()?;
        Some(block.start.saturating_add(count))
    };
    let covers = place("start").zip(place("end").map(|end| end.min(limit)));
    let (start, end) = covers.filter(|(start, end)| start < end).unwrap_or((block.start, limit));
    Some((block.part, start, end))
}

fn keep_foreign(writer: &mut DeltaWriter, content: &Raw, kind: &Raw, place: &str) {
    writer.log.note(
        "adapter/unsupported-content",
        "The contract has no part for this content; it is kept beside the message",
        &format!("{place}/type"),
        None,
        Some(&kind.clip()),
    );
    writer.keep("content", content, None);
}

fn index_or(writer: &mut DeltaWriter, index: &Raw, other: i128) -> i128 {
    index.int().unwrap_or_else(|| {
        writer.log.invalid("/index", "the block's number", index);
        other
    })
}

fn note_order(writer: &mut DeltaWriter, message: &str, index: i128) {
    let actual = index.to_string();
    writer.log.note("adapter/block-order", message, "/index", None, Some(&actual));
}
