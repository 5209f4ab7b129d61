//! Text that may hold halves of surrogate pairs, as escapes of JSON bring them.

use std::borrow::Cow;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

const HALVES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;

/// A string of code points: a `String`, but for halves of characters, which it may hold.
#[derive(Clone, Debug)]
pub struct RawText(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// Text that is short, most names and pieces among it: nothing is allocated for it.
    Short(Short),
    Whole(String),
    /// Code points, at least one of them half a character.
    Halved(Vec<u32>),
}

/// A piece of text that is borrowed; made of a `&str`, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text<'a>(Borrowed<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Borrowed<'a> {
    Whole(&'a str),
    Halved(&'a [u32]),
}

/// As many bytes of text as fit into the place of a `String` and what distinguishes the forms.
#[derive(Clone, Copy, Debug)]
struct Short {
    size: u8,
    bytes: [u8; Self::MOST],
}

impl Short {
    const MOST: usize = 30;

    /// Returns a short text; None for one that is long.
    fn of(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { size: u8::try_from(text.len()).ok()?, bytes })
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.size)).unwrap_or_default()
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl RawText {
    /// Returns the bytes of text that holds no half of a character.
    fn bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Short(text) => Some(text.bytes()),
            Repr::Whole(text) => Some(text.as_bytes()),
            Repr::Halved(_) => None,
        }
    }

    /// Returns the text of code points.
    #[must_use]
    pub fn of_points(points: Vec<u32>) -> Self {
        if points.iter().any(|point| HALVES.contains(point)) {
            return Self(Repr::Halved(points));
        }
        Self(Repr::Whole(points.into_iter().filter_map(char::from_u32).collect()))
    }

    /// Returns the text, borrowed.
    #[must_use]
    pub fn as_text(&self) -> Text<'_> {
        Text(match &self.0 {
            Repr::Short(text) => Borrowed::Whole(text.as_str()),
            Repr::Whole(text) => Borrowed::Whole(text),
            Repr::Halved(points) => Borrowed::Halved(points),
        })
    }

    /// Tells whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes().is_some_and(<[u8]>::is_empty)
    }

    /// Appends text; halves that meet stay two.
    pub fn push(&mut self, more: Text<'_>) {
        if let Repr::Short(text) = &self.0 {
            self.0 = Repr::Whole(text.as_str().to_owned());
        }
        match (&mut self.0, more.0) {
            (Repr::Short(_), _) => {}
            (Repr::Whole(text), Borrowed::Whole(more)) => text.push_str(more),
            (Repr::Halved(points), _) => points.extend(more.points()),
            (Repr::Whole(text), Borrowed::Halved(more)) => {
                let points = text.chars().map(u32::from).chain(more.iter().copied()).collect();
                self.0 = Repr::Halved(points);
            }
        }
    }

    /// Returns the text with surrogate pairs joined and other halves as U+FFFD.
    #[must_use]
    pub fn into_well_formed(self) -> String {
        match self.0 {
            Repr::Short(text) => text.as_str().to_owned(),
            Repr::Whole(text) => text,
            Repr::Halved(points) => joined(&points),
        }
    }
}

impl<'a> Text<'a> {
    /// Returns the text if it holds no half of a character.
    #[must_use]
    pub fn whole(self) -> Option<&'a str> {
        if let Borrowed::Whole(text) = self.0 { Some(text) } else { None }
    }

    /// Tells whether there is no text.
    #[must_use]
    pub fn is_empty(self) -> bool {
        match self.0 {
            Borrowed::Whole(text) => text.is_empty(),
            Borrowed::Halved(points) => points.is_empty(),
        }
    }

    /// How many code points there are.
    #[must_use]
    pub fn chars(self) -> usize {
        match self.0 {
            Borrowed::Whole(text) => text.chars().count(),
            Borrowed::Halved(points) => points.len(),
        }
    }

    /// The code points.
    pub fn points(self) -> impl Iterator<Item = u32> + 'a {
        let (text, halved) = match self.0 {
            Borrowed::Whole(text) => (text, [].as_slice()),
            Borrowed::Halved(points) => ("", points),
        };
        text.chars().map(u32::from).chain(halved.iter().copied())
    }

    /// Returns the first half of a character that is in the text without its other half.
    pub(crate) fn first_half(self) -> Option<u32> {
        self.points().find(|point| HALVES.contains(point))
    }

    /// Tells whether the text begins with `head`.
    #[must_use]
    pub fn starts_with(self, head: Text<'_>) -> bool {
        match (self.0, head.0) {
            (Borrowed::Whole(text), Borrowed::Whole(head)) => text.starts_with(head),
            (Borrowed::Halved(points), Borrowed::Halved(head)) => points.starts_with(head),
            (Borrowed::Whole(_), Borrowed::Halved(_)) => false,
            (Borrowed::Halved(points), Borrowed::Whole(head)) => {
                let mut rest = points.iter();
                head.chars().all(|char| rest.next() == Some(&u32::from(char)))
            }
        }
    }

    /// Tells whether the text ends with `tail`.
    #[must_use]
    pub fn ends_with(self, tail: &str) -> bool {
        match self.0 {
            Borrowed::Whole(text) => text.ends_with(tail),
            Borrowed::Halved(points) => {
                let mut rest = points.iter().rev();
                tail.chars().rev().all(|char| rest.next() == Some(&u32::from(char)))
            }
        }
    }

    /// Returns what follows the first `count` code points.
    #[must_use]
    pub fn after(self, count: usize) -> RawText {
        self.points_from(count, None)
    }

    /// Returns the code points from one on, at most as many as are asked for.
    #[must_use]
    pub fn points_from(self, from: usize, count: Option<usize>) -> RawText {
        let count = count.unwrap_or(usize::MAX);
        match self.0 {
            Borrowed::Whole(text) => {
                RawText(Repr::Whole(text.chars().skip(from).take(count).collect()))
            }
            Borrowed::Halved(points) => {
                RawText::of_points(points.iter().copied().skip(from).take(count).collect())
            }
        }
    }

    /// Returns the text with surrogate pairs joined and other halves as U+FFFD.
    #[must_use]
    pub fn well_formed(self) -> Cow<'a, str> {
        match self.0 {
            Borrowed::Whole(text) => Cow::Borrowed(text),
            Borrowed::Halved(points) => Cow::Owned(joined(points)),
        }
    }
}

fn joined(points: &[u32]) -> String {
    let mut units = Vec::with_capacity(points.len());
    for point in points {
        match (u16::try_from(*point), char::from_u32(*point)) {
            (Ok(unit), _) => units.push(unit),
            (_, Some(char)) => units.extend_from_slice(char.encode_utf16(&mut [0; 2])),
            _ => {}
        }
    }
    String::from_utf16_lossy(&units)
}

impl PartialEq for RawText {
    fn eq(&self, other: &Self) -> bool {
        match (self.bytes(), other.bytes()) {
            (Some(one), Some(other)) => one == other,
            _ => self.as_text() == other.as_text(),
        }
    }
}

impl Eq for RawText {}

impl Hash for RawText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_text().hash(state);
    }
}

impl PartialEq<str> for RawText {
    fn eq(&self, other: &str) -> bool {
        self.bytes() == Some(other.as_bytes())
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.whole() == Some(*other)
    }
}

impl From<String> for RawText {
    fn from(text: String) -> Self {
        Self(Repr::Whole(text))
    }
}

impl From<&str> for RawText {
    fn from(text: &str) -> Self {
        Self(Short::of(text).map_or_else(|| Repr::Whole(text.to_owned()), Repr::Short))
    }
}

impl From<Text<'_>> for RawText {
    fn from(text: Text<'_>) -> Self {
        match text.0 {
            Borrowed::Whole(text) => text.into(),
            Borrowed::Halved(points) => Self(Repr::Halved(points.to_vec())),
        }
    }
}

impl Default for RawText {
    fn default() -> Self {
        Self(Repr::Whole(String::new()))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Borrowed::Whole(text))
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(text: &'a String) -> Self {
        Self(Borrowed::Whole(text))
    }
}

impl<'a> From<&'a RawText> for Text<'a> {
    fn from(text: &'a RawText) -> Self {
        text.as_text()
    }
}

/// Writes text as a JSON string; halves of characters are spelled out, and all else that is not
/// ASCII if asked.
pub(crate) fn put_text(text: Text<'_>, is_ascii: bool, out: &mut String) {
    out.push('"');
    for point in text.points() {
        match char::from_u32(point) {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(char) if char >= ' ' && (char.is_ascii() || !is_ascii) => out.push(char),
            Some(char) => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    _ = write!(out, "\\u{unit:04x}");
                }
            }
            None => _ = write!(out, "\\u{point:04x}"),
        }
    }
    out.push('"');
}

/// Returns code points as a string, pairs joined, and whether another half became U+FFFD.
pub(crate) fn whole_of(points: &[u32]) -> (String, bool) {
    let text = joined(points);
    let given = points.iter().filter(|point| **point == 0xfffd).count();
    let made = text.chars().filter(|char| *char == '\u{fffd}').count();
    (text, made > given)
}

/// Tells whether a character is white space: what Unicode calls so, and the separators of ASCII.
pub(crate) fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}
