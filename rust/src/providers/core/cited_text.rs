//! Where a provider's citations point to: its places in text → places in one part of ours.

use crate::json::raw::Raw;
use crate::json::raw_text::{RawText, Text};
use crate::providers::core::citations::count;

/// Bytes of text that are looked through for one place.
const STEP: usize = 1024;

/// A stretch of a part's text: its code points from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CitedPlace {
    pub part: i64,
    pub start: usize,
    pub end: usize,
}

impl CitedPlace {
    /// The code points.
    pub(crate) fn span(self) -> (usize, usize) {
        (self.start, self.end)
    }
}

struct Piece {
    part: i64,
    /// Code points of the part before it.
    start: usize,
    text: String,
    /// Where it begins, as the provider counts.
    begin: usize,
}

/// What a provider counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Character,
    Byte,
}

impl Unit {
    fn width(self, text: &str) -> usize {
        match self {
            Self::Character => text.chars().count(),
            Self::Byte => text.len(),
        }
    }

    /// Returns the bytes that `units` of a text are, at most all; None where they end inside of a
    /// character.
    fn bytes(self, text: &str, units: usize) -> Option<usize> {
        match self {
            Self::Character => {
                Some(text.char_indices().nth(units).map_or(text.len(), |(at, _)| at))
            }
            Self::Byte => {
                let at = units.min(text.len());
                text.is_char_boundary(at).then_some(at)
            }
        }
    }
}

/// The text in which a provider counts, over all parts that it is in.
///
/// Text is that which is written: halves of characters are joined, and a lone one counts as U+FFFD.
pub(crate) struct CitedText {
    unit: Unit,
    pieces: Vec<Piece>,
    length: usize,
    /// Half a character, its part, and where it is there.
    half: Option<(u32, i64, usize)>,
}

impl CitedText {
    pub(crate) fn new(unit: Unit) -> Self {
        Self { unit, pieces: Vec::new(), length: 0, half: None }
    }

    /// The part that the last of it is in.
    pub(crate) fn part(&self) -> Option<i64> {
        let half = self.half.map(|(_, part, _)| part);
        half.or_else(|| self.pieces.last().map(|piece| piece.part))
    }

    /// Takes text that the provider sent; `start` is the part's length before it.
    pub(crate) fn add(&mut self, part: i64, start: usize, text: Text<'_>) {
        let held = self.half.take_if(|(_, at, _)| *at == part);
        self.end_half();
        let start = held.map_or(start, |(_, _, start)| start);
        if let (None, Some(text)) = (held, text.whole()) {
            return self.append_all(part, start, text);
        }
        let mut points: Vec<u32> = held.map(|(half, _, _)| half).into_iter().collect();
        points.extend(text.points());
        let half = points.last().copied().filter(|last| (0xd800..=0xdbff).contains(last));
        points.truncate(points.len() - usize::from(half.is_some()));
        let text = RawText::of_points(points).into_well_formed();
        self.append_all(part, start, &text);
        self.half = half.map(|half| (half, part, start + text.chars().count()));
    }

    /// Returns where a stretch is; None where it is in no one part, or `said` is not there.
    pub(crate) fn find(&mut self, start: &Raw, end: &Raw, said: &Raw) -> Option<CitedPlace> {
        self.end_half();
        let place = |value: &Raw| usize::try_from(count(value)?).ok();
        let (start, end) = (place(start)?, place(end)?);
        if start >= end || end > self.length {
            return None;
        }
        let said = said.text().map(Text::well_formed);
        if said.as_deref().is_some_and(|said| self.unit.width(said) != end - start) {
            return None;
        }
        let number = self.pieces.partition_point(|piece| piece.begin <= start).checked_sub(1)?;
        let first = self.pieces.get(number)?;
        let mut from = self.unit.bytes(&first.text, start - first.begin)?;
        let at = first.start + first.text.get(..from)?.chars().count();
        let (mut reached, mut found) = (at, String::new());
        for piece in self.pieces.get(number..)? {
            let is_next = piece.part == first.part
                && piece.start + piece.text.get(..from)?.chars().count() == reached;
            let to = self.unit.bytes(&piece.text, end - piece.begin)?;
            let stretch = piece.text.get(from..to).filter(|_| is_next)?;
            reached += stretch.chars().count();
            found.push_str(stretch);
            if piece.begin + self.unit.width(&piece.text) >= end {
                break;
            }
            from = 0;
        }
        let is_said = said.is_none_or(|said| said == found);
        is_said.then_some(CitedPlace { part: first.part, start: at, end: reached })
    }

    fn append_all(&mut self, part: i64, mut start: usize, mut text: &str) {
        while !text.is_empty() {
            let mut at = STEP.min(text.len());
            while !text.is_char_boundary(at) {
                at += 1;
            }
            let (piece, rest) = text.split_at(at);
            self.pieces.push(Piece { part, start, text: piece.to_owned(), begin: self.length });
            self.length += self.unit.width(piece);
            start += piece.chars().count();
            text = rest;
        }
    }

    fn end_half(&mut self) {
        if let Some((_, part, start)) = self.half.take() {
            self.append_all(part, start, "\u{fffd}");
        }
    }
}
