//! Argument text that comes piece by piece, or as a whole that grows with every chunk.
//!
//! A few servers repeat in each chunk all arguments so far; adding those up gives `{..}{..}{..}`.
//! What tells the two apart is never that a piece is JSON on its own ("{}" may stand inside a
//! string), only that chunks extend all that came before: twice in a row, or once where the text
//! ends there and the last chunk is a whole object. Until that is clear nothing is written that
//! could not be taken for either.

use std::mem::take;

use crate::providers::raw::Raw;
use crate::providers::raw_events::decode_event;
use crate::providers::raw_text::{RawText, Text, is_space};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No text yet.
    #[default]
    Open,
    /// One piece, written.
    One,
    /// One piece written, and others, each of which begins with all before it, held back.
    Held,
    Plain,
    Cumulative,
}

/// The argument text of one call; [`add`](Self::add) returns what may be written.
#[derive(Debug, Default)]
pub(crate) struct ArgumentPieces {
    state: State,
    /// First piece, then, if cumulative, all that has been written.
    whole: RawText,
    held: Vec<RawText>,
    growths: usize,
}

impl ArgumentPieces {
    /// Tells whether pieces are pieces, for certain: they may be written as they come.
    pub(crate) fn plain(&self) -> bool {
        self.state == State::Plain
    }

    /// Tells whether each chunk repeats all before it, for certain.
    pub(crate) fn cumulative(&self) -> bool {
        self.state == State::Cumulative
    }

    /// Takes the text of one chunk, not empty; returns what may be written of it, in order.
    pub(crate) fn add(&mut self, text: Text<'_>) -> Vec<RawText> {
        match self.state {
            State::Plain => vec![text.into()],
            State::Open => {
                // Only text that opens an object can be told apart later.
                self.state = if opens_object(text) { State::One } else { State::Plain };
                self.whole = text.into();
                vec![text.into()]
            }
            State::Cumulative => self.grow(text),
            State::One | State::Held => self.hold(text),
        }
    }

    fn hold(&mut self, text: Text<'_>) -> Vec<RawText> {
        let before = self.held.last().unwrap_or(&self.whole).as_text();
        if !text.starts_with(before) {
            return self.give_up(text);
        }
        self.growths += usize::from(text != before);
        self.held.push(text.into());
        self.state = State::Held;
        if self.growths == 2 {
            self.state = State::Cumulative;
            self.held.clear();
            return self.grow(text);
        }
        Vec::new()
    }

    /// Returns what is still held back now that the text has ended, and if it was cumulative.
    pub(crate) fn rest(&mut self) -> (Vec<RawText>, bool) {
        let held = take(&mut self.held);
        let Some(last) = held.last() else { return (Vec::new(), false) };
        self.state = State::Plain;
        // As pieces an object would begin with a part of one: the two readings cannot both be JSON.
        let last = last.as_text();
        if matches!(decode_event(&last.well_formed()), Some(Raw::Object(_))) {
            return (behind(last, self.whole.as_text()), true);
        }
        (held, false)
    }

    fn grow(&mut self, text: Text<'_>) -> Vec<RawText> {
        let whole = self.whole.as_text();
        if !text.starts_with(whole) {
            if whole.starts_with(text) {
                return Vec::new(); // an older whole again
            }
            return self.give_up(text);
        }
        let tail = behind(text, whole);
        self.whole = text.into();
        tail
    }

    fn give_up(&mut self, text: Text<'_>) -> Vec<RawText> {
        let mut held = take(&mut self.held);
        self.state = State::Plain;
        self.whole = RawText::default();
        held.push(text.into());
        held
    }
}

fn opens_object(text: Text<'_>) -> bool {
    let is_blank = |point: &u32| char::from_u32(*point).is_some_and(is_space);
    text.points().find(|point| !is_blank(point)) == Some(u32::from('{'))
}

/// Returns what a text has behind its beginning, as no piece or one.
fn behind(text: Text<'_>, head: Text<'_>) -> Vec<RawText> {
    let tail = text.after(head.chars());
    if tail.is_empty() { Vec::new() } else { vec![tail] }
}
