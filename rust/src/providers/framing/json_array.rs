//! One JSON array, or several: bytes in any cut → its elements, as soon as each is whole.
//!
//! For responses that come as one array whose elements arrive one by one. An object or array among
//! the elements ends with its last bracket, anything else before the next comma, bracket or line
//! end. Commas and white space between elements say nothing; what is outside an array is given
//! as an element is. Whether an element is JSON is for the reader to say: brackets are counted
//! here, not paired. One byte order mark is passed over at the start.

use crate::errors::Error;
use crate::providers::framing::feeder::{Decode, Feeder, Start, too_large};
use crate::providers::framing::json_lines::RawLine;

/// Cuts bytes into elements; an unfinished one is kept.
#[allow(clippy::struct_excessive_bools)] // each of them is a separate place
#[derive(Debug)]
pub struct Elements {
    start: Start,
    buffer: Vec<u8>,
    line: usize,
    limit: usize,
    in_array: bool,
    in_element: bool,
    in_string: bool,
    escaped: bool,
    /// Of brackets inside the element.
    depth: usize,
}

/// Decodes arrays. An element is given as a [`RawLine`]: its bytes, the number of the line on which
/// it begins, and whether it is whole.
pub type JsonArrayDecoder = Feeder<Elements>;

impl JsonArrayDecoder {
    /// Returns a decoder of elements of at most `max_event_bytes`; beyond it:
    /// `framing/event-too-large`.
    pub fn new(max_event_bytes: usize) -> Result<Self, Error> {
        let elements = Elements {
            start: Start::default(),
            buffer: Vec::new(),
            line: 1,
            limit: max_event_bytes,
            in_array: false,
            in_element: false,
            in_string: false,
            escaped: false,
            depth: 0,
        };
        Self::of(elements, max_event_bytes, "max_event_bytes")
    }
}

impl Elements {
    fn read(&mut self, mut chunk: &[u8], events: &mut Vec<RawLine>) -> Result<(), Error> {
        while !chunk.is_empty() {
            if !self.in_element {
                chunk = self.skip_gap(chunk);
                continue;
            }
            let end = self.element_end(chunk);
            let (element, rest) = chunk.split_at(end.unwrap_or(chunk.len()).min(chunk.len()));
            self.check_size(self.buffer.len() + element.len())?;
            self.buffer.extend_from_slice(element);
            chunk = rest;
            if end.is_some() {
                self.give(true, events);
            }
        }
        Ok(())
    }

    /// Returns what follows the gap before an element, or behind another bracket of the array.
    fn skip_gap<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let is_gap = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',');
        let end = chunk.iter().position(|byte| !is_gap(byte)).unwrap_or(chunk.len());
        let (gap, rest) = chunk.split_at(end);
        self.line += breaks(gap);
        let bracket = if self.in_array { b']' } else { b'[' };
        if rest.first() == Some(&bracket) {
            self.in_array = !self.in_array;
            return rest.get(1..).unwrap_or_default();
        }
        self.in_element = !rest.is_empty();
        rest
    }

    /// Returns where the element ends that `chunk` goes on with, None if not in it.
    fn element_end(&mut self, chunk: &[u8]) -> Option<usize> {
        for (at, byte) in chunk.iter().enumerate() {
            if self.in_string {
                match (self.escaped, byte) {
                    (true, _) => self.escaped = false,
                    (_, b'\\') => self.escaped = true,
                    (_, b'"') => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' if self.depth == 1 => return Some(at + 1),
                b']' if self.in_array => return Some(at),
                b',' | b'\n' if self.depth == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }

    fn give(&mut self, terminated: bool, events: &mut Vec<RawLine>) {
        let data = std::mem::take(&mut self.buffer);
        (self.in_element, self.in_string, self.escaped, self.depth) = (false, false, false, 0);
        let breaks = breaks(&data);
        events.push(RawLine { data, number: self.line, terminated });
        self.line += breaks;
    }

    fn check_size(&self, size: usize) -> Result<(), Error> {
        if size <= self.limit {
            return Ok(());
        }
        let message = "The element is larger than max_event_bytes";
        Err(too_large("framing/event-too-large", message, self.limit, self.line))
    }
}

impl Decode for Elements {
    type Event = RawLine;

    fn take(&mut self, chunk: &[u8], events: &mut Vec<RawLine>) -> Result<(), Error> {
        match self.start.text(chunk) {
            Some((text, _)) => self.read(&text, events),
            None => Ok(()),
        }
    }

    fn end(&mut self, events: &mut Vec<RawLine>) -> Result<(), Error> {
        if !self.start.held.is_empty() {
            self.buffer = std::mem::take(&mut self.start.held); // half a byte order mark
            self.check_size(self.buffer.len())?;
            self.in_element = true;
        }
        if self.in_element {
            self.give(false, events);
        }
        Ok(())
    }

    fn drop_rest(&mut self) {
        self.buffer = Vec::new();
    }
}

fn breaks(data: &[u8]) -> usize {
    data.split(|byte| *byte == b'\n').count() - 1
}
