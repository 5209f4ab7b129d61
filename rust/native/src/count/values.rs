//! Texts and booleans, by place.

use std::io::Write;

use super::json;
use super::rows::{Example, Map};
use super::text::{clipped, content};

/// How often each place has each value, and a document that has it.
pub struct Values(Vec<Map<Box<str>, (Example, i64)>>);

impl Values {
    /// Makes what counts the values at so many places.
    pub fn new(places: usize) -> Self {
        let mut by_place = Vec::new();
        by_place.resize_with(places, Map::default);
        Self(by_place)
    }

    /// Returns how many values are held.
    pub fn len(&self) -> usize {
        self.0.iter().map(Map::len).sum()
    }

    /// Adds a value, JSON text; what is neither a text nor a boolean is not counted.
    pub fn add(&mut self, place: usize, raw: &str, example: Example) {
        let value = match content(raw) {
            Some(content) => clipped(content),
            None if matches!(raw, "true" | "false") => raw.into(),
            None => return,
        };
        let known = &mut self.0[place];
        if let Some((least, count)) = known.get_mut(&*value) {
            *least = (*least).min(example);
            *count += 1;
        } else {
            known.insert(value.into(), (example, 1));
        }
    }

    /// Appends the values as items, and lets go of them.
    pub fn take_out(&mut self, places: &[String], out: &mut Vec<u8>) {
        for (place, known) in places.iter().zip(&mut self.0) {
            for (value, (example, count)) in known.drain() {
                json::comma(out);
                out.extend_from_slice(b"[[");
                json::string(out, place);
                out.push(b',');
                json::string(out, &value);
                let _ = write!(out, "],{},{},[{count}]]", example.mark, example.at);
            }
        }
    }
}
