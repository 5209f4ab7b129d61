//! Function arguments that Gemini streams by path: pieces of values → pieces of JSON text.
//!
//! A piece says where it belongs (`$.stops[0].name`) and what is there; a string may come in many.
//! The text is written as the pieces come, which works as long as they come in the order of the
//! text. A member that is touched again after its text has been closed is written a second time, as
//! a whole, at the end: of equal keys the last one counts. What cannot be placed leaves the text
//! without its end, so that nobody takes the arguments for complete.

use std::collections::HashMap;
use std::fmt::Write;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_reader::decode_event;
use crate::json::raw_text::{RawText, Text, put_text};

/// The arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct StreamedArguments {
    /// Why they cannot be complete.
    pub broken: Option<&'static str>,
    /// A member that was complete in the text when more of it came.
    pub again: Option<RawText>,
    /// The text has a member.
    pub begun: bool,
    /// Members to be written whole, at the end.
    due: Vec<RawText>,
    tree: Tree,
    /// The path of the innermost container that the text is in.
    open: Vec<Step>,
    /// Brackets that close the containers of that path.
    closers: Vec<char>,
    /// The path of the string whose last quote is still due.
    quote: Option<Vec<Step>>,
}

impl StreamedArguments {
    /// Takes one piece; returns what it adds to the text.
    pub(crate) fn add(&mut self, piece: &RawObject) -> RawText {
        let value = value_of(piece);
        let more = *piece.get("willContinue") == Raw::Bool(true);
        let Some(path) = parse_path(piece.get("jsonPath")) else {
            return self.refuse("a path that cannot be read");
        };
        let Some(value) = value else {
            return self.add_nothing(&path, more);
        };
        match (self.tree.find_mut(&path), value) {
            (Some(Node::Text(text)), Raw::Text(piece)) => {
                text.push(piece.as_text());
                if self.quote.as_ref() != Some(&path) {
                    return self.touch_again(&path);
                }
                let mut text = escaped(piece.as_text());
                if !more {
                    text.push(self.end_string().into());
                }
                text
            }
            (Some(Node::Object(_) | Node::Array(_)), _) => {
                self.refuse("a value in place of an object or array")
            }
            (Some(place), value) => {
                *place = Node::of_piece(value);
                self.touch_again(&path)
            }
            (None, value) => self.write(path, value, more),
        }
    }

    /// Takes arguments that came as a whole after, or beside, pieces.
    pub(crate) fn merge(&mut self, given: &RawObject) {
        for (name, value) in given.iter() {
            let node = Node::of_value(value);
            let text = node.json_text();
            let is_known = self.tree.member(name).is_some_and(|known| known.json_text() == text);
            if !is_known {
                self.tree.set_member(name, node);
                self.add_due(name);
            }
        }
    }

    /// Returns what closes the text; of broken arguments what keeps it from being JSON.
    pub(crate) fn end(&mut self) -> RawText {
        if self.broken.is_some() {
            return self.cut();
        }
        let mut text = RawText::default();
        if !self.begun && self.due.is_empty() {
            return text;
        }
        if self.begun {
            text.push(self.end_string().into());
            let closers: String = self.closers.iter().rev().collect();
            text.push(closers.as_str().into());
        } else {
            text.push("{".into());
        }
        for (index, name) in self.due.iter().enumerate() {
            let parts = index > 0 || self.begun;
            text.push(if parts { "," } else { "" }.into());
            text.push(quoted(name.as_text()).as_text());
            text.push(":".into());
            if let Some(member) = self.tree.member(name) {
                text.push(member.json_text().as_text());
            }
        }
        text.push("}".into());
        text
    }

    /// Returns what makes sure that arguments which stop here are not JSON.
    pub(crate) fn cut(&self) -> RawText {
        if self.begun { "" } else { "{" }.into()
    }

    /// Says that the arguments cannot be completed any more.
    pub(crate) fn refuse(&mut self, why: &'static str) -> RawText {
        self.broken = self.broken.or(Some(why));
        RawText::default()
    }

    /// Takes a piece without a value: it may say that a string has ended.
    fn add_nothing(&mut self, path: &[Step], more: bool) -> RawText {
        if !matches!(self.tree.find_mut(path), Some(Node::Text(_))) {
            return self.refuse("a piece without a value");
        }
        if more || self.quote.as_deref() != Some(path) {
            return RawText::default();
        }
        self.end_string().into()
    }

    fn touch_again(&mut self, path: &[Step]) -> RawText {
        if let Some(Step::Name(name)) = path.first() {
            self.again = Some(name.clone());
            self.add_due(name);
        }
        RawText::default()
    }

    fn add_due(&mut self, name: &RawText) {
        if !self.due.contains(name) {
            self.due.push(name.clone());
        }
    }

    fn end_string(&mut self) -> &'static str {
        if self.quote.take().is_some() { "\"" } else { "" }
    }

    /// Puts a new value at its place; returns its text, if that can be written now.
    fn write(&mut self, path: Vec<Step>, value: Raw, more: bool) -> RawText {
        let Some(there) = self.tree.put(&path, Node::of_piece(value.clone())) else {
            return self.refuse("a piece that does not fit the others");
        };
        if self.open.get(..there) != path.get(..there) {
            return self.touch_again(&path);
        }
        let mut text = RawText::from(self.end_string());
        while self.open.len() > there {
            self.open.pop();
            text.push(self.closers.pop().map_or("", closing).into());
        }
        text.push(if self.begun { "," } else { "{" }.into());
        self.begun = true;
        let mut steps = path.iter().skip(there).peekable();
        while let Some(step) = steps.next() {
            if let Step::Name(name) = step {
                text.push(quoted(name.as_text()).as_text());
                text.push(":".into());
            }
            if let Some(next) = steps.peek() {
                let is_list = matches!(next, Step::Index(_));
                text.push(if is_list { "[" } else { "{" }.into());
                self.open.push(step.clone());
                self.closers.push(if is_list { ']' } else { '}' });
            }
        }
        if let Raw::Text(value) = &value {
            text.push("\"".into());
            text.push(escaped(value.as_text()).as_text());
            self.quote = Some(path);
            if !more {
                text.push(self.end_string().into());
            }
        } else {
            text.push(Node::Plain(value).json_text().as_text());
        }
        text
    }
}

fn closing(bracket: char) -> &'static str {
    if bracket == ']' { "]" } else { "}" }
}

/// Returns the value of a piece, None if it has none of its declared type.
fn value_of(piece: &RawObject) -> Option<Raw> {
    let text = piece.get("stringValue");
    if matches!(text, Raw::Text(_)) {
        return Some(text.clone());
    }
    let flag = piece.get("boolValue");
    if matches!(flag, Raw::Bool(_)) {
        return Some(flag.clone());
    }
    let number = piece.get("numberValue");
    if matches!(number, Raw::Int(_) | Raw::Huge(_) | Raw::Float(_)) {
        return Some(number.clone());
    }
    // JSON of protocol buffers writes this one as null; beside others null says "not given".
    let alone = !["stringValue", "boolValue", "numberValue"].iter().any(|name| piece.has(name));
    let is_null = match piece.find("nullValue")? {
        Raw::Null => alone,
        none => none.str() == Some("NULL_VALUE"),
    };
    is_null.then_some(Raw::Null)
}

// -------------------------------------------------------------------------------------------------
// The paths of Gemini's streamed arguments: where in the arguments a piece belongs.

const MAX_DEPTH: usize = 100;
const MAX_PATH: usize = 4096;
const MOST_DIGITS: usize = 6;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To a member.
    Name(RawText),
    /// To an item.
    Index(usize),
}

/// Returns the steps of a path below the root, the first of which is a name; None if it is not
/// a path, or too long or deep.
pub(crate) fn parse_path(path: &Raw) -> Option<Vec<Step>> {
    let path = path.text().filter(|path| path.chars() <= MAX_PATH)?;
    let points: Vec<u32> = path.points().collect();
    let mut rest = points.strip_prefix(&[u32::from('$')])?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_DEPTH {
            return None;
        }
        let (step, after) = named(rest).or_else(|| numbered(rest)).or_else(|| quoted_name(rest))?;
        steps.push(step);
        rest = after;
    }
    matches!(steps.first(), Some(Step::Name(_))).then_some(steps)
}

fn is(point: Option<&u32>, char: char) -> bool {
    point == Some(&u32::from(char))
}

/// Reads `.name`; `.*` on its own would be all members.
fn named(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('.')])?;
    let ends = |point: &u32| ['.', '[', ']', '\'', '"'].iter().any(|end| is(Some(point), *end));
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let is_all = name == [u32::from('*')].as_slice();
    let is_step_end = after.is_empty() || is(after.first(), '.') || is(after.first(), '[');
    if name.is_empty() || (is_all && is_step_end) {
        return None;
    }
    Some((Step::Name(RawText::of_points(name.to_vec())), after))
}

/// Reads `[0]`.
fn numbered(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('[')])?;
    let end = rest.iter().position(|point| is(Some(point), ']'))?;
    let (digits, after) = rest.split_at(end);
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let digit = |point: &u32| char::from_u32(*point)?.to_digit(10);
    let digits: Vec<u32> = digits.iter().map(digit).collect::<Option<_>>()?;
    let index = digits.iter().fold(0, |index, digit| index * 10 + digit);
    Some((Step::Index(usize::try_from(index).ok()?), after.get(1..)?))
}

/// Reads `["name"]` or `['name']`.
fn quoted_name(rest: &[u32]) -> Option<(Step, &[u32])> {
    let rest = rest.strip_prefix(&[u32::from('[')])?;
    let (&quote, rest) = rest.split_first()?;
    if !is(Some(&quote), '"') && !is(Some(&quote), '\'') {
        return None;
    }
    let mut text = String::from('"');
    let mut points = rest.iter();
    loop {
        let point = *points.next()?;
        if point == quote {
            break;
        }
        if is(Some(&point), '\\') {
            let escaped = char::from_u32(*points.next()?)?;
            // JSON does not know this one.
            if !(escaped == '\'' && is(Some(&quote), '\'')) {
                text.push('\\');
            }
            text.push(escaped);
        } else {
            match char::from_u32(point) {
                Some('"') => text.push_str("\\\""),
                Some(char) => text.push(char),
                // Half a character: as the escape that it has been.
                None => _ = write!(text, "\\u{point:04x}"),
            }
        }
    }
    text.push('"');
    let after = points.as_slice().strip_prefix(&[u32::from(']')])?;
    match decode_event(&text) {
        Some(Raw::Text(name)) => Some((Step::Name(name), after)),
        _ => None,
    }
}

// -------------------------------------------------------------------------------------------------
// Arguments as far as they have come: a tree in which strings grow.

/// A value of the arguments.
#[derive(Debug)]
pub(crate) enum Node {
    /// An object: members in order, and where each is.
    Object(Members),
    /// An array.
    Array(Vec<Node>),
    /// A string that came in pieces: more may come.
    Text(RawText),
    /// Any other value, strings that came in a whole object among them.
    Plain(Raw),
}

/// Members of an object, in order.
#[derive(Debug, Default)]
pub(crate) struct Members {
    all: Vec<(RawText, Node)>,
    places: HashMap<RawText, usize>,
}

/// The arguments.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    root: Members,
}

impl Members {
    fn get(&self, name: &RawText) -> Option<&Node> {
        self.places.get(name).and_then(|at| self.all.get(*at)).map(|(_, node)| node)
    }

    fn get_mut(&mut self, name: &RawText) -> Option<&mut Node> {
        self.places.get(name).and_then(|at| self.all.get_mut(*at)).map(|(_, node)| node)
    }

    fn set(&mut self, name: &RawText, node: Node) {
        if let Some(place) = self.get_mut(name) {
            *place = node;
            return;
        }
        self.places.insert(name.clone(), self.all.len());
        self.all.push((name.clone(), node));
    }
}

impl Tree {
    /// Returns a member of the arguments.
    pub(crate) fn member(&self, name: &RawText) -> Option<&Node> {
        self.root.get(name)
    }

    /// Sets a member of the arguments, at its place if it has one.
    pub(crate) fn set_member(&mut self, name: &RawText, node: Node) {
        self.root.set(name, node);
    }

    /// Returns what is at a path.
    pub(crate) fn find_mut(&mut self, path: &[Step]) -> Option<&mut Node> {
        let (first, rest) = path.split_first()?;
        let Step::Name(name) = first else { return None };
        rest.iter().try_fold(self.root.get_mut(name)?, Node::child_mut)
    }

    /// Puts a value where there is none; returns how many steps of the path were there, None if
    /// it does not fit.
    ///
    /// Items come in order: what a missing one may have been cannot be known.
    pub(crate) fn put(&mut self, path: &[Step], value: Node) -> Option<usize> {
        let (Step::Name(first), rest) = path.split_first()? else { return None };
        let mut there = path.len();
        if self.root.get(first).is_none() {
            there = 0;
            self.root.set(first, Node::opening(rest));
        }
        let mut place = self.root.get_mut(first)?;
        for (at, step) in rest.iter().enumerate() {
            if place.child_mut_is_missing(step) {
                there = there.min(at + 1);
                let new = Node::opening(rest.get(at + 1..).unwrap_or_default());
                place.add(step, new)?;
            }
            place = place.child_mut(step)?;
        }
        *place = value;
        Some(there)
    }
}

impl Node {
    /// Returns the value of a piece.
    pub(crate) fn of_piece(value: Raw) -> Self {
        if let Raw::Text(text) = value { Self::Text(text) } else { Self::Plain(value) }
    }

    /// Returns a value that came whole.
    pub(crate) fn of_value(value: &Raw) -> Self {
        match value {
            Raw::Array(items) => Self::Array(items.iter().map(Self::of_value).collect()),
            Raw::Object(members) => {
                let mut made = Members::default();
                for (name, member) in members.iter() {
                    made.set(name, Self::of_value(member));
                }
                Self::Object(made)
            }
            other => Self::Plain(other.clone()),
        }
    }

    /// Returns a container that the next of `steps` leads into, or what a value will replace.
    fn opening(steps: &[Step]) -> Self {
        match steps.first() {
            Some(Step::Name(_)) => Self::Object(Members::default()),
            Some(Step::Index(_)) => Self::Array(Vec::new()),
            None => Self::Plain(Raw::Null),
        }
    }

    fn child_mut(&mut self, step: &Step) -> Option<&mut Self> {
        match (self, step) {
            (Self::Object(members), Step::Name(name)) => members.get_mut(name),
            (Self::Array(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        }
    }

    fn child_mut_is_missing(&mut self, step: &Step) -> bool {
        self.child_mut(step).is_none()
    }

    /// Adds a member, or the next item; None where there is no place for it.
    fn add(&mut self, step: &Step, node: Self) -> Option<()> {
        match (self, step) {
            (Self::Object(members), Step::Name(name)) => members.set(name, node),
            (Self::Array(items), Step::Index(index)) if *index == items.len() => items.push(node),
            _ => return None,
        }
        Some(())
    }

    /// Returns the JSON text of the value.
    pub(crate) fn json_text(&self) -> RawText {
        match self {
            Self::Text(text) | Self::Plain(Raw::Text(text)) => quoted(text.as_text()),
            Self::Plain(value) => as_json_text(value).into(),
            Self::Array(items) => {
                let items = items.iter().map(Self::json_text);
                enclosed("[", items, "]")
            }
            Self::Object(members) => {
                let member = |(name, node): &(RawText, Self)| {
                    let mut text = quoted(name.as_text());
                    text.push(":".into());
                    text.push(node.json_text().as_text());
                    text
                };
                enclosed("{", members.all.iter().map(member), "}")
            }
        }
    }
}

fn enclosed(open: &str, parts: impl Iterator<Item = RawText>, close: &str) -> RawText {
    let mut text = RawText::from(open);
    for (index, part) in parts.enumerate() {
        text.push(if index == 0 { "" } else { "," }.into());
        text.push(part.as_text());
    }
    text.push(close.into());
    text
}

/// Returns text as a JSON string in which halves of characters are as they came: the other half may
/// come with the next piece.
pub(crate) fn quoted(text: Text<'_>) -> RawText {
    let mut made = RawText::from("\"");
    made.push(escaped(text).as_text());
    made.push("\"".into());
    made
}

/// Returns text as it is between the quotes of a JSON string; see [`quoted`].
pub(crate) fn escaped(text: Text<'_>) -> RawText {
    let spelled = |text: &str| {
        let mut spelled = String::new();
        put_text(text.into(), false, &mut spelled);
        let inner = spelled.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.unwrap_or_default().to_owned()
    };
    if let Some(whole) = text.whole() {
        return spelled(whole).into();
    }
    let spelled =
        |point: u32| char::from_u32(point).map(|char| spelled(char.encode_utf8(&mut [0; 4])));
    let points = text.points().flat_map(|point| match spelled(point) {
        Some(text) => text.chars().map(u32::from).collect(),
        None => vec![point],
    });
    RawText::of_points(points.collect())
}
