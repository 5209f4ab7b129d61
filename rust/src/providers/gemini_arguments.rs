//! Function arguments that Gemini streams by path: pieces of values → pieces of JSON text.
//!
//! A piece says where it belongs (`$.stops[0].name`) and what is there; a string may come in many.
//! The text is written as the pieces come, which works as long as they come in the order of the
//! text. A member that is touched again after its text has been closed is written a second time, as
//! a whole, at the end: of equal keys the last one counts. What cannot be placed leaves the text
//! without its end, so that nobody takes the arguments for complete.

use crate::providers::gemini_paths::{Step, parse_path};
use crate::providers::gemini_tree::{Node, Tree, escaped, quoted};
use crate::providers::raw::{Raw, RawObject};
use crate::providers::raw_text::RawText;

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

    /// Returns what makes sure that arguments which stop here are no JSON.
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
