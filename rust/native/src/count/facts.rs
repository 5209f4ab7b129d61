//! What is asked of one document: the values at its slots, as what they are counted as.

use std::borrow::Cow;

use super::text::{clipped, content, same};
use super::time::{LAST_MS, Reader, day_of};
use super::walk::{NOWHERE, Span};

/// What is known of the time at a slot.
#[derive(Clone, Copy)]
enum Time {
    NotRead,
    /// There is none, or one that is not counted.
    Missing,
    At(i64),
}

/// The times of one document by slot: many tables ask for them, each is read once.
pub struct Times {
    by_slot: Vec<Time>,
    reader: Reader,
}

impl Times {
    pub fn new(slots: usize) -> Self {
        Self { by_slot: vec![Time::NotRead; slots], reader: Reader::default() }
    }
}

/// One document: its JSON text, and where the values at slots are.
pub struct Facts<'a> {
    pub text: &'a str,
    slots: &'a [Span],
    times: &'a mut Times,
}

impl<'a> Facts<'a> {
    pub fn new(text: &'a str, slots: &'a [Span], times: &'a mut Times) -> Self {
        times.by_slot.fill(Time::NotRead);
        Self { text, slots, times }
    }

    /// Tells whether there is a value at a slot.
    pub fn has(&self, slot: usize) -> bool {
        self.slots[slot] != NOWHERE
    }

    /// Returns the JSON text of a value.
    pub fn raw_at(&self, span: Span) -> Option<&'a str> {
        (span != NOWHERE).then(|| &self.text[span.0 as usize..span.1 as usize])
    }

    /// Returns what a string says, cut to what is kept of it.
    pub fn string_at(&self, span: Span) -> Option<Cow<'a, str>> {
        content(self.raw_at(span)?).map(clipped)
    }

    fn raw(&self, slot: usize) -> Option<&'a str> {
        self.raw_at(self.slots[slot])
    }

    /// Returns what the string at a slot says, cut to what is kept of it.
    pub fn string(&self, slot: usize) -> Option<Cow<'a, str>> {
        self.string_at(self.slots[slot])
    }

    /// Tells whether the text at a slot is one of some that need no escapes.
    pub fn is_one(&self, slot: usize, texts: &[String]) -> bool {
        self.raw(slot).and_then(content).is_some_and(|content| {
            texts.iter().any(|text| same(content.as_bytes(), text.as_bytes()))
        })
    }

    /// Returns a time, text or a number, in milliseconds since 1970.
    pub fn time(&mut self, slot: usize) -> Option<i64> {
        if matches!(self.times.by_slot[slot], Time::NotRead) {
            let found = self.raw(slot).and_then(|raw| match content(raw) {
                Some(text) => self.times.reader.read(text.as_bytes()),
                None => raw.parse().ok().filter(|ms| (0..=LAST_MS).contains(ms)),
            });
            self.times.by_slot[slot] = found.map_or(Time::Missing, Time::At);
        }
        match self.times.by_slot[slot] {
            Time::At(ms) => Some(ms),
            Time::NotRead | Time::Missing => None,
        }
    }

    /// Returns the day of a time, such as `2024-02-29`.
    pub fn day(&mut self, slot: usize) -> Option<Cow<'a, str>> {
        let ms = self.time(slot)?;
        Some(match content(self.raw(slot)?) {
            Some(text) if text.ends_with('Z') => Cow::Borrowed(&text[..10]),
            _ => Cow::Owned(day_of(ms)),
        })
    }

    /// Returns an integer that is not negative, and that every language reads exactly.
    pub fn integer(&self, slot: usize) -> Option<i64> {
        self.raw(slot)?.parse().ok().filter(|value| (0..1 << 53).contains(value))
    }

    /// Returns a number from 0 to less than a billion in billionths.
    pub fn billionths(&self, slot: usize) -> Option<i64> {
        let value: f64 = self.raw(slot).filter(|raw| !raw.starts_with('"'))?.parse().ok()?;
        #[allow(clippy::cast_possible_truncation)] // it is less than 1e18
        (0.0..1e9).contains(&value).then(|| (value * 1e9).round_ties_even() as i64)
    }
}
