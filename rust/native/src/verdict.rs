//! Whether nothing at all is found in a document: its text and its schema, walked side by side.
//!
//! A document that is not clean may still be valid: whatever is rare is left to who knows all rules.

mod covers;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use partwire::internal::{Node, ObjectNode, Op, Path, Rule, Schemas, schemas_of};
use partwire::{MAX_DEPTH, Value, Version};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::{Anchored, Input};

use crate::scan::{
    Is, KINDS, decode_into, items, kind, literal, members, number, skim, space, string,
};

use self::covers::Comparison;

/// The number of a shape in a plan.
type Id = usize;

/// Members that an object declares at most: each has a bit.
const MOST_MEMBERS: usize = 128;
/// Names that rules look at, at most: for the same reason.
const MOST_ASKED: usize = 64;

/// Bytes of a value whose end is worth remembering: rules pass over it again.
const LONG: usize = 32;

/// What a value may be; like [`Node`], without names to look up.
enum Shape {
    Text {
        min: usize,
        max: Option<usize>,
        pattern: Option<Box<Pattern>>,
    },
    OneOf(Vec<String>),
    Number {
        whole: bool,
        min: Option<f64>,
        max: Option<f64>,
    },
    Boolean,
    Array {
        items: Id,
        min: usize,
    },
    Map(Id),
    Free,
    FreeArray,
    Object(Object),
    Union {
        tag: String,
        variants: Vec<(String, Id)>,
    },
    /// The shapes of objects, arrays, strings, numbers and booleans.
    Choice([Option<Id>; 5]),
}

struct Pattern {
    text: &'static str,
    automaton: dense::DFA<Vec<u32>>,
}

struct Object {
    /// Names and shapes, in the order of the schema.
    members: Vec<(String, Id)>,
    required: u128,
    exactly_one: Vec<u128>,
    /// Of these one at least; zero where any may be absent.
    at_least_one: u128,
    extensible: bool,
    rules: &'static [Rule],
}

impl Object {
    /// Returns the place of a member, which most often is `next` or soon behind it.
    fn position(&self, name: &str, next: usize) -> Option<usize> {
        let (before, behind) = self.members.split_at(next);
        let place = |members: &[(String, Id)]| members.iter().position(|(known, _)| known == name);
        place(behind).map(|place| next + place).or_else(|| place(before))
    }
}

/// What documents of one type are held against.
pub struct Verdict {
    shapes: Vec<Shape>,
    root: Id,
    /// The names of members that rules look at, each once; none if there are no rules.
    asked: Vec<&'static str>,
}

impl Verdict {
    /// Makes the verdict on a type such as `message.Message`; None if there is no such type.
    pub fn new(name: &str, version: &str) -> Option<Self> {
        let version: Version = version.parse().ok()?;
        let (schemas, name) = schemas_of(name, version)?;
        let mut plan = Plan { schemas, shapes: Vec::new(), named: HashMap::new() };
        let root = plan.named(name)?;
        let shapes = plan.shapes.into_iter().collect::<Option<Vec<_>>>()?;
        let asked = shapes.iter().flat_map(|shape| match shape {
            Shape::Object(object) => object.rules,
            _ => &[],
        });
        let asked = asked.flat_map(|rule| paths_of(&rule.op)).flatten().map(String::as_str);
        let asked: Vec<_> = asked.collect::<HashSet<_>>().into_iter().collect();
        (asked.len() <= MOST_ASKED).then_some(Self { shapes, root, asked })
    }

    /// Tells whether every document that is clean by `other`, and closed, is so by this verdict.
    ///
    /// False may be wrong.
    pub fn covers(&self, other: &Self) -> bool {
        Comparison::new(&self.shapes, &other.shapes).covers(self.root, other.root)
    }

    /// Tells whether nothing is found in a document, not even a warning.
    ///
    /// `closed`: nor a member that its object does not name. Where an object keeps all members, those
    /// in it count in any case: who reads it keeps them, too.
    pub fn is_clean(&self, document: &[u8], closed: bool) -> bool {
        std::str::from_utf8(document).is_ok_and(|text| self.is_clean_text(text, closed))
    }

    /// Tells the same of a document that is UTF-8.
    pub fn is_clean_text(&self, text: &str, closed: bool) -> bool {
        let document = text.as_bytes();
        let ends = RefCell::default();
        let ends = (!self.asked.is_empty()).then_some(&ends);
        let asked = &self.asked;
        let walk = Walk { shapes: &self.shapes, text, bytes: document, closed, ends, asked };
        let end = walk.value(self.root, space(document, 0), MAX_DEPTH);
        end.is_some_and(|end| space(document, end) == document.len())
    }
}

/// A verdict, while it is made.
struct Plan {
    schemas: &'static Schemas,
    /// None while a type that may hold itself is made.
    shapes: Vec<Option<Shape>>,
    named: HashMap<&'static str, Id>,
}

impl Plan {
    fn named(&mut self, name: &'static str) -> Option<Id> {
        if let Some(id) = self.named.get(name) {
            return Some(*id);
        }
        let node = self.schemas.types.get(name)?;
        if let Node::Ref(other) = node {
            let id = self.named(other)?;
            self.named.insert(name, id);
            return Some(id);
        }
        self.named.insert(name, self.shapes.len());
        self.add(node)
    }

    fn add(&mut self, node: &'static Node) -> Option<Id> {
        if let Node::Ref(name) = node {
            return self.named(name);
        }
        let id = self.shapes.len();
        self.shapes.push(None);
        self.shapes[id] = Some(self.shape(node)?);
        Some(id)
    }

    fn shape(&mut self, node: &'static Node) -> Option<Shape> {
        Some(match node {
            Node::Ref(_) => return None,
            Node::Text { min, max, pattern } => Shape::Text {
                min: *min,
                max: *max,
                pattern: match pattern {
                    Some(pattern) => Some(Box::new(compiled(pattern.regex.as_str())?)),
                    None => None,
                },
            },
            Node::Enum { values, .. } => Shape::OneOf(values.clone()),
            Node::Const(value) => Shape::OneOf(vec![value.clone()]),
            Node::Number { whole, min, max } => {
                Shape::Number { whole: *whole, min: *min, max: *max }
            }
            Node::Boolean => Shape::Boolean,
            Node::Array { items, min } => Shape::Array { items: self.add(items)?, min: *min },
            Node::Map(values) => Shape::Map(self.add(values)?),
            Node::Free => Shape::Free,
            Node::FreeArray => Shape::FreeArray,
            Node::Object(object) => Shape::Object(self.object(object)?),
            Node::Union { tag, variants } => {
                let variants = variants.iter();
                let added = variants.map(|(tag, name)| Some((tag.clone(), self.named(name)?)));
                Shape::Union { tag: tag.clone(), variants: added.collect::<Option<_>>()? }
            }
            Node::Choice(members) => self.choice(members)?,
        })
    }

    fn object(&mut self, node: &'static ObjectNode) -> Option<Object> {
        if node.members.len() > MOST_MEMBERS {
            return None;
        }
        let bit = |name: &String| {
            let at = node.members.iter().position(|member| member.name == *name)?;
            Some(1_u128 << at)
        };
        let required = node.members.iter().filter(|member| member.required);
        let mut members = Vec::new();
        for member in &node.members {
            members.push((member.name.clone(), self.add(&member.node)?));
        }
        let groups = node.exactly_one.iter();
        Some(Object {
            members,
            required: required.filter_map(|member| bit(&member.name)).sum(),
            exactly_one: groups.map(|names| names.iter().map(bit).sum()).collect::<Option<_>>()?,
            at_least_one: node.at_least_one.iter().map(bit).sum::<Option<_>>()?,
            extensible: node.extensible,
            rules: &node.rules,
        })
    }

    /// Returns a choice by the kind of value; a kind that two members take is left to others.
    fn choice(&mut self, members: &'static [Node]) -> Option<Shape> {
        let mut by_kind = [None; 5];
        let mut taken = [0; 5];
        for member in members {
            let id = self.add(member)?;
            for kind in self.schemas.kinds(member) {
                let at = KINDS.iter().position(|each| *each == kind)?;
                taken[at] += 1;
                by_kind[at] = (taken[at] == 1).then_some(id);
            }
        }
        Some(Shape::Choice(by_kind))
    }
}

fn compiled(text: &'static str) -> Option<Pattern> {
    let config = dense::Config::new().start_kind(StartKind::Anchored);
    let automaton = dense::Builder::new().configure(config).build(text).ok()?;
    Some(Pattern { text, automaton })
}

/// One document, while it is looked at; None is for whatever is not clean.
struct Walk<'a> {
    shapes: &'a [Shape],
    text: &'a str,
    bytes: &'a [u8],
    closed: bool,
    /// Where long values begin and end, by their beginning, if rules will ask for it.
    ends: Option<&'a RefCell<Vec<(usize, usize)>>>,
    asked: &'a [&'static str],
}

impl<'a> Walk<'a> {
    /// Returns where the value at `at` ends; in it, `left` more levels may be opened.
    fn value(&self, id: Id, at: usize, left: usize) -> Option<usize> {
        let Some(ends) = self.ends else { return self.shaped(id, at, left) };
        if matches!(self.bytes.get(at), Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f')) {
            let end = self.shaped(id, at, left)?;
            if end - at >= LONG {
                ends.borrow_mut().push((at, end));
            }
            return Some(end);
        }
        // What is in it begins behind it.
        let place = ends.borrow().len();
        ends.borrow_mut().push((at, at));
        let end = self.shaped(id, at, left)?;
        ends.borrow_mut()[place].1 = end;
        if end - at < LONG {
            ends.borrow_mut().truncate(place);
        }
        Some(end)
    }

    fn shaped(&self, id: Id, at: usize, left: usize) -> Option<usize> {
        match &self.shapes[id] {
            Shape::Text { min, max, pattern } => {
                let (content, size, escaped, end) = self.content(at)?;
                if pattern.is_none() && max.is_none() && *min <= 1 {
                    return (size >= *min).then_some(end);
                }
                let mut decoded = String::new();
                let mut content = content;
                if escaped {
                    decode_into(content, &mut decoded);
                    content = &decoded;
                }
                if max.is_some() || *min > 1 {
                    let count = content.chars().count();
                    if count < *min || max.is_some_and(|max| count > max) {
                        return None;
                    }
                } else if size < *min {
                    return None;
                }
                match pattern {
                    Some(pattern) if !is_match(pattern, content) => None,
                    _ => Some(end),
                }
            }
            Shape::OneOf(values) => {
                let (content, _, escaped, end) = self.content(at)?;
                (!escaped && values.iter().any(|value| value == content)).then_some(end)
            }
            Shape::Number { whole, min, max } => self.number(at, *whole, *min, *max),
            Shape::Boolean => {
                let end = literal(self.bytes, at)?;
                (self.bytes[at] != b'n').then_some(end)
            }
            Shape::Array { items: each, min } => {
                let left = left.checked_sub(1)?;
                let mut count = 0;
                let end = items(self.bytes, at, |at| {
                    count += 1;
                    self.value(*each, at, left)
                })?;
                (count >= *min).then_some(end)
            }
            Shape::Map(values) => {
                let left = left.checked_sub(1)?;
                let mut met = 0;
                self.members(at, |name, at| {
                    self.is_first(name, &mut met).then(|| self.value(*values, at, left))?
                })
            }
            Shape::Free => {
                let seen = skim(self.bytes, at)?;
                (seen.is == Is::Object && seen.depth <= left).then_some(seen.end)
            }
            Shape::FreeArray => {
                let seen = skim(self.bytes, at)?;
                (seen.is == Is::Array && seen.depth <= left).then_some(seen.end)
            }
            Shape::Object(object) => self.object(object, at, left.checked_sub(1)?),
            Shape::Union { tag, variants } => {
                // A second one is refused later.
                let tag = self.member(at, tag, |at| Some(skim(self.bytes, at)?.end))?;
                let (content, _, escaped, _) = self.content(tag)?;
                let known = variants.iter().filter(|_| !escaped).find(|(tag, _)| tag == content);
                self.shaped(known?.1, at, left)
            }
            Shape::Choice(by_kind) => self.shaped(by_kind[kind(self.bytes, at)?]?, at, left),
        }
    }

    /// Reads a string: its content, the bytes that it decodes to, whether it has escapes, its end.
    fn content(&self, at: usize) -> Option<(&'a str, usize, bool, usize)> {
        if self.bytes.get(at) != Some(&b'"') {
            return None;
        }
        let seen = string(self.bytes, at + 1)?;
        Some((&self.text[at + 1..seen.end], seen.size, seen.escaped, seen.end + 1))
    }

    fn number(&self, at: usize, whole: bool, min: Option<f64>, max: Option<f64>) -> Option<usize> {
        let (end, is_long) = number(self.bytes, at)?;
        let text = &self.text[at..end];
        if whole && (is_long || text.contains(['.', 'e', 'E'])) {
            return None;
        }
        if min.is_some() || max.is_some() {
            let value: f64 = text.parse().ok()?;
            if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
                return None;
            }
        }
        Some(end)
    }

    /// Walks through an object, by names as they are meant, and values; returns where it ends.
    fn members(
        &self,
        at: usize,
        mut member: impl FnMut(&str, usize) -> Option<usize>,
    ) -> Option<usize> {
        members(self.bytes, at, |name, at| {
            let content = name.of(self.text);
            if !name.escaped {
                return member(content, at);
            }
            let mut decoded = String::new();
            decode_into(content, &mut decoded);
            member(&decoded, at)
        })
    }

    fn object(&self, object: &Object, at: usize, left: usize) -> Option<usize> {
        let inside = Walk { closed: self.closed || object.extensible, ..*self };
        let (mut seen, mut next, mut met) = (0_u128, 0, 0);
        let end = self.members(at, |name, at| {
            let Some(place) = object.position(name, next) else {
                if (self.closed && !object.extensible) || !self.is_first(name, &mut met) {
                    return None;
                }
                let seen = skim(self.bytes, at)?;
                return (seen.depth <= left).then_some(seen.end);
            };
            // Of a name that comes twice, others know which one holds.
            if seen & 1 << place != 0 {
                return None;
            }
            seen |= 1 << place;
            next = place + 1;
            inside.value(object.members[place].1, at, left)
        })?;
        let has_all = seen & object.required == object.required;
        let has_one = object.exactly_one.iter().all(|group| (seen & group).is_power_of_two());
        let has_any = object.at_least_one == 0 || seen & object.at_least_one != 0;
        let holds = || object.rules.iter().all(|rule| self.holds(rule, at) == Some(true));
        (has_all && has_one && has_any && holds()).then_some(end)
    }

    /// Tells whether a member that its type does not name is not one that rules look at, or is
    /// `met` the first time: of those that come twice, others know which one holds.
    fn is_first(&self, name: &str, met: &mut u64) -> bool {
        let Some(place) = self.asked.iter().position(|each| *each == name) else { return true };
        let before = *met;
        *met |= 1 << place;
        *met != before
    }

    // --- rules of meaning, on objects whose shape is right ---

    /// Returns where a value ends that was walked through before.
    fn end(&self, at: usize) -> Option<usize> {
        let ends = self.ends?.borrow();
        match ends.binary_search_by_key(&at, |(begin, _)| *begin) {
            Ok(place) => Some(ends[place].1),
            Err(_) => Some(skim(self.bytes, at)?.end),
        }
    }

    /// Returns where the member of a name has its value, of which there is one at most; None where
    /// there is none. `end` returns where other values end.
    fn member(&self, at: usize, name: &str, end: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        let mut found = None;
        let _ = self.members(at, |each, at| {
            if each == name {
                found = Some(at);
                return None;
            }
            end(at)
        });
        found
    }

    /// Returns where the value at a path of member names is.
    fn at(&self, at: usize, path: &[String]) -> Option<usize> {
        path.iter().try_fold(at, |at, name| self.member(at, name, |at| self.end(at)))
    }

    /// Returns a value as it is compared; None for what has several ways to be written.
    fn scalar(&self, at: usize) -> Option<Cow<'a, str>> {
        let seen = skim(self.bytes, at)?;
        let text = &self.text[at..seen.end];
        let is_plain = match seen.is {
            Is::String if text.contains('\\') => {
                let mut decoded = String::from('"');
                decode_into(&text[1..text.len() - 1], &mut decoded);
                decoded.push('"');
                return Some(Cow::Owned(decoded));
            }
            Is::String | Is::Literal => true,
            Is::Number => !seen.long && text != "-0" && !text.contains(['.', 'e', 'E']),
            Is::Object | Is::Array => false,
        };
        is_plain.then_some(Cow::Borrowed(text))
    }

    /// Returns, of every item of an array that has it, the value at a path; with `only`, of those it
    /// selects.
    fn keys(
        &self,
        array: Option<usize>,
        key: &[String],
        only: Option<&(Vec<String>, Value)>,
    ) -> Option<Vec<Cow<'a, str>>> {
        let mut keys = Vec::new();
        let Some(array) = array else { return Some(keys) };
        let only = only.map(|(path, is)| (path, is.to_string()));
        items(self.bytes, array, |item| {
            let is_selected = match &only {
                None => true,
                Some((path, is)) => match self.at(item, path) {
                    None => false,
                    Some(given) => self.scalar(given)? == *is,
                },
            };
            if let Some(key) = self.at(item, key).filter(|_| is_selected) {
                keys.push(self.scalar(key)?);
            }
            self.end(item)
        })?;
        Some(keys)
    }

    /// Tells whether an array has more than one item.
    fn has_several(&self, array: usize) -> bool {
        let mut count = 0;
        let _ = items(self.bytes, array, |item| {
            count += 1;
            self.end(item).filter(|_| count < 2)
        });
        count > 1
    }

    /// Tells whether the object at `at` keeps a rule; None where that takes more than a look.
    fn holds(&self, rule: &Rule, at: usize) -> Option<bool> {
        Some(match &rule.op {
            Op::TagTable { tag, items, item_tag, table } => {
                let row = match self.at(at, tag) {
                    Some(tag) => self.scalar(tag)?,
                    None => Cow::Borrowed(""),
                };
                let Some(allowed) = table.get(row.trim_matches('"')) else { return Some(true) };
                let is_allowed = |tag: &Cow<'_, str>| {
                    let tag = tag.trim_matches('"');
                    allowed.iter().any(|each| each == tag)
                };
                self.keys(self.at(at, items), item_tag, None)?.iter().all(is_allowed)
            }
            Op::Unique { items, key, only } => {
                let Some(items) = self.at(at, items).filter(|items| self.has_several(*items))
                else {
                    return Some(true);
                };
                let keys = self.keys(Some(items), key, only.as_ref())?;
                if keys.len() < 2 {
                    return Some(true);
                }
                let mut known = HashSet::with_capacity(keys.len());
                keys.into_iter().all(|key| known.insert(key))
            }
            Op::ItemsEqual { items, key, to } => match self.at(at, to) {
                None => true,
                Some(to) => {
                    let expected = self.scalar(to)?;
                    self.keys(self.at(at, items), key, None)?.iter().all(|key| *key == expected)
                }
            },
            Op::ItemsSame { items, key } => {
                let keys = self.keys(self.at(at, items), key, None)?;
                keys.windows(2).all(|two| two[0] == two[1])
            }
            Op::NotLess { value, than } => match (self.at(at, value), self.at(at, than)) {
                (Some(value), Some(than)) => self.double(value)? >= self.double(than)?,
                _ => true,
            },
            Op::PresentWhen { when, is, member } => {
                let holds = match self.at(at, when) {
                    Some(given) => self.scalar(given)? == is.to_string(),
                    None => false,
                };
                !holds || self.at(at, member).is_some()
            }
        })
    }

    fn double(&self, at: usize) -> Option<f64> {
        self.text[at..number(self.bytes, at)?.0].parse().ok()
    }
}

/// Returns the paths of names that a rule follows.
fn paths_of(op: &'static Op) -> Vec<&'static Path> {
    match op {
        Op::TagTable { tag, items, item_tag, .. } => vec![tag, items, item_tag],
        Op::Unique { items, key, only } => {
            [items, key].into_iter().chain(only.iter().map(|(path, _)| path)).collect()
        }
        Op::ItemsEqual { items, key, to } => vec![items, key, to],
        Op::ItemsSame { items, key } => vec![items, key],
        Op::NotLess { value, than } => vec![value, than],
        Op::PresentWhen { when, member, .. } => vec![when, member],
    }
}

fn is_match(pattern: &Pattern, text: &str) -> bool {
    let input = Input::new(text).anchored(Anchored::Yes);
    matches!(pattern.automaton.try_search_fwd(&input), Ok(Some(_)))
}
