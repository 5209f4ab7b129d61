//! Content blocks of a Cohere message, with the tool plan and the citations between them.

use std::collections::HashMap;

use crate::json::raw::{Raw, RawObject, storable};
use crate::json::raw_text::RawText;
use crate::providers::core::kept_state::OpaqueItem;
use crate::providers::core::ordered::Ordered;
use crate::providers::core::writer::{DeltaWriter, Kind};

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
                write(writer, members, place);
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
        write(writer, members, PLACE);
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
        self.all.push(Block { kind, part, start, end: None });
        self.open.add(index, at);
        self.by_index.insert(index, at);
        match kind {
            Kind::Text => self.last_text = Some(at),
            Kind::Thinking => self.last_thinking = Some(at),
        }
        self.last_index = index;
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

    /// Keeps a citation with the characters that it is about.
    pub(crate) fn cite(&mut self, writer: &mut DeltaWriter, citation: &Raw, place: &str) {
        let Raw::Object(members) = citation else {
            return writer.log.invalid(place, "an object", citation);
        };
        if members.get("type").str() == Some("PLAN") {
            return self.plan_citations.push(citation.clone());
        }
        match self.covered(writer, members) {
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

    /// Returns part, start and end of what a citation is about, None where nothing shows it.
    fn covered(&self, writer: &DeltaWriter, citation: &RawObject) -> Option<(i64, usize, usize)> {
        let is_thinking = citation.get("type").str() == Some("THINKING_CONTENT");
        let last = if is_thinking { self.last_thinking } else { self.last_text };
        let at = match citation.get("content_index").int() {
            Some(index) => self.by_index.get(&index).copied(),
            None => last,
        };
        let block = self.all.get(at?)?;
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
        let (start, end) =
            covers.filter(|(start, end)| start < end).unwrap_or((block.start, limit));
        Some((block.part, start, end))
    }
}

fn write(writer: &mut DeltaWriter, content: &RawObject, place: &str) {
    for (name, kind) in KINDS {
        match (content.get(name), kind) {
            (Raw::Null, _) => {}
            (Raw::Text(text), Kind::Text) => writer.text(text),
            (Raw::Text(text), Kind::Thinking) => writer.thinking(text),
            (other, _) => writer.log.invalid(&format!("{place}/{name}"), "a string", other),
        }
    }
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
