//! The walk through one document, along the plan: what it has is noted before any of it is counted.

use super::plan::{Id, Member, Plan, Shape};
use super::text::same;
use crate::scan::{Name, items, kind, literal, members, number, skim, space, string};

/// Names of one object that are compared with each other, at most.
const MOST_NAMES: usize = 64;

/// Where a value begins and ends.
pub type Span = (u32, u32);

/// The span of what is not there.
pub const NOWHERE: Span = (0, 0);

/// Where the call, the tool and the outcome of an item are.
pub type Item = [Span; 3];

/// A member that its object does not declare.
pub struct Undeclared {
    /// The number of the object in the plan.
    pub object: usize,
    /// A name without escapes.
    pub name: Name,
    /// Where the value begins.
    pub at: usize,
}

/// What one document has.
pub struct Notes {
    /// The place of each member.
    pub members: Vec<usize>,
    /// The place of each value that is counted, and where it is.
    pub values: Vec<(usize, Span)>,
    pub undeclared: Vec<Undeclared>,
    /// Where the value of each slot is.
    pub slots: Vec<Span>,
    /// What may tell of a call.
    pub items: Vec<Item>,
    is_in_item: bool,
}

impl Notes {
    /// Makes notes on a document, of which so many slots are asked for.
    pub fn new(slots: usize) -> Self {
        Self {
            members: Vec::new(),
            values: Vec::new(),
            undeclared: Vec::new(),
            slots: vec![NOWHERE; slots],
            items: Vec::new(),
            is_in_item: false,
        }
    }

    fn clear(&mut self) {
        self.members.clear();
        self.values.clear();
        self.undeclared.clear();
        self.slots.fill(NOWHERE);
        self.items.clear();
        self.is_in_item = false;
    }
}

/// Notes what a valid document has; None if it is odd, with notes that say nothing then.
pub fn note(plan: &Plan, text: &str, notes: &mut Notes) -> Option<()> {
    notes.clear();
    let bytes = text.as_bytes();
    if bytes.len() >= u32::MAX as usize {
        return None;
    }
    let end = Walk { plan, text, notes }.value(plan.root, space(bytes, 0))?;
    (space(bytes, end) == bytes.len()).then_some(())
}

/// One document, while it is walked through; None is for what is odd.
struct Walk<'a> {
    plan: &'a Plan,
    text: &'a str,
    notes: &'a mut Notes,
}

impl<'a> Walk<'a> {
    /// Returns where the value at `at` ends.
    fn value(&mut self, id: Id, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        match &self.plan.shapes[id] {
            Shape::Free | Shape::Counted => end_of(bytes, at),
            Shape::List(item) => items(bytes, at, |at| self.value(*item, at)),
            Shape::Map(value) => self.map(*value, at),
            Shape::Fixed(number) => self.fixed(*number, at),
            Shape::Tagged { tag, variants } => {
                let found = self.tag(tag, at)?;
                let known = variants.iter().find(|(tag, _)| same(tag.as_bytes(), found))?;
                self.value(known.1, at)
            }
            Shape::Chosen(by_kind) => match kind(bytes, at).and_then(|kind| by_kind[kind]) {
                Some(shape) => self.value(shape, at),
                None => end_of(bytes, at),
            },
        }
    }

    fn map(&mut self, value: Id, at: usize) -> Option<usize> {
        let text = self.text;
        let mut names: Vec<&str> = Vec::new();
        members(text.as_bytes(), at, |name, at| {
            let content = name.of(text);
            if name.escaped || names.contains(&content) || names.len() == MOST_NAMES {
                return None;
            }
            names.push(content);
            self.value(value, at)
        })
    }

    fn fixed(&mut self, number: usize, at: usize) -> Option<usize> {
        let (plan, text) = (self.plan, self.text);
        let object = &plan.objects[number];
        if object.is_item {
            self.notes.items.push([NOWHERE; 3]);
            self.notes.is_in_item = true;
        }
        let before = self.notes.undeclared.len();
        let mut next = 0;
        let end = members(text.as_bytes(), at, |name, at| {
            // Of names that come twice, and of those with escapes, others know which one holds.
            if name.escaped {
                return None;
            }
            let Some((found, member)) = object.find(name.of(text).as_bytes(), next) else {
                return self.undeclared(number, name, before, at);
            };
            next = found + 1;
            self.member(member, at)
        });
        if object.is_item {
            self.notes.is_in_item = false;
        }
        end
    }

    fn member(&mut self, member: &Member, at: usize) -> Option<usize> {
        let plan = self.plan;
        self.notes.members.push(member.place);
        let end = self.value(member.shape, at)?;
        let place = span(at, end);
        if matches!(plan.shapes[member.shape], Shape::Counted) {
            self.notes.values.push((member.place, place));
        }
        if let Some(slot) = plan.slot_at[member.place] {
            self.notes.slots[slot] = place;
        }
        if self.notes.is_in_item {
            if let Some(slot) = plan.item_slot_at[member.place] {
                self.notes.items.last_mut()?[slot] = place;
            }
        }
        Some(end)
    }

    /// Notes a member that its object does not declare; those from `before` on are of the object, or
    /// of what is in it.
    fn undeclared(&mut self, object: usize, name: Name, before: usize, at: usize) -> Option<usize> {
        let content = name.of(self.text);
        let mine = &self.notes.undeclared[before..];
        let is_known =
            |each: &Undeclared| each.object == object && each.name.of(self.text) == content;
        if mine.len() == MOST_NAMES || mine.iter().any(is_known) {
            return None;
        }
        // Tables may ask for what is not declared: others see to it.
        if self.plan.is_asked(&format!("{}/{content}", self.plan.objects[object].pointer)) {
            return None;
        }
        self.notes.undeclared.push(Undeclared { object, name, at });
        Some(skim(self.text.as_bytes(), at)?.end)
    }

    /// Returns the text of an object's tag.
    fn tag(&self, tag: &str, at: usize) -> Option<&'a [u8]> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut found = None;
        let _ = members(bytes, at, |name, at| {
            if !same(name.of(text).as_bytes(), tag.as_bytes()) {
                return end_of(bytes, at);
            }
            if bytes.get(at) == Some(&b'"') {
                let seen = string(bytes, at + 1)?;
                found = (!seen.escaped).then(|| &bytes[at + 1..seen.end]);
            }
            None
        });
        found
    }
}

#[allow(clippy::cast_possible_truncation)] // longer documents are not walked through
fn span(begin: usize, end: usize) -> Span {
    (begin as u32, end as u32)
}

/// Returns where the value at `at` ends.
fn end_of(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(string(bytes, at + 1)?.end + 1),
        b'-' | b'0'..=b'9' => Some(number(bytes, at)?.0),
        b'{' | b'[' => Some(skim(bytes, at)?.end),
        _ => literal(bytes, at),
    }
}
