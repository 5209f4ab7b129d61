//! Arguments as far as they have come: a tree in which strings grow.

use std::collections::HashMap;

use crate::providers::gemini_paths::Step;
use crate::providers::raw::Raw;
use crate::providers::raw_dump::{as_json_text, put_text};
use crate::providers::raw_text::{RawText, Text};

/// A value of the arguments.
#[derive(Debug)]
pub(crate) enum Node {
    /// An object: members in order, and where each stands.
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

    /// Returns what stands at a path.
    pub(crate) fn find_mut(&mut self, path: &[Step]) -> Option<&mut Node> {
        let (first, rest) = path.split_first()?;
        let Step::Name(name) = first else { return None };
        rest.iter().try_fold(self.root.get_mut(name)?, Node::child_mut)
    }

    /// Puts a value where nothing stands; returns how many steps of the path were there, None if
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

/// Returns text as a JSON string in which halves of characters stand as they are: the other half may
/// come with the next piece.
pub(crate) fn quoted(text: Text<'_>) -> RawText {
    let mut made = RawText::from("\"");
    made.push(escaped(text).as_text());
    made.push("\"".into());
    made
}

/// Returns text as it stands between the quotes of a JSON string; see [`quoted`].
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
