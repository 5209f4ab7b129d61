//! JSON Lines: bytes in any cut → lines with their numbers.
//!
//! A line ends with LF or CRLF and with nothing else: a CR inside a line is white space of JSON,
//! U+2028 and U+2029 are data. Lines that hold nothing but spaces, tabs and CRs are passed over, but
//! counted. One byte order mark is dropped at the start; a later one is data. A last line without a
//! line end is given by `close`: many files end so.

use memchr::memchr;

use crate::errors::Error;
use crate::providers::framing::feeder::{Decode, Feeder, Start, too_large};

/// One line: its bytes without the line end, not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// The bytes.
    pub data: Vec<u8>,
    /// The 1-based number of the line.
    pub number: usize,
    /// False for a last line that no line end closes: it may be cut. Since no JSON object is the
    /// beginning of another one, decoding shows it.
    pub terminated: bool,
}

/// Cuts bytes into lines; an unfinished one is kept.
#[derive(Debug)]
pub struct Lines {
    start: Start,
    buffer: Vec<u8>,
    line: usize,
    limit: usize,
}

/// Decodes JSON Lines; UTF-8 and JSON are for the reader to check, line by line: a bad line does
/// not stop the others.
pub type JsonLinesDecoder = Feeder<Lines>;

impl JsonLinesDecoder {
    /// Returns a decoder of lines of at most `max_line_bytes`, without their line ends; beyond it:
    /// `framing/line-too-long`.
    pub fn new(max_line_bytes: usize) -> Result<Self, Error> {
        let (start, buffer) = (Start::default(), Vec::new());
        let lines = Lines { start, buffer, line: 1, limit: max_line_bytes };
        Self::of(lines, max_line_bytes, "max_line_bytes")
    }

    /// How many whole lines have come, blank ones included.
    #[must_use]
    pub fn lines_read(&self) -> usize {
        self.inner().line - 1
    }
}

impl Lines {
    fn read(&mut self, mut chunk: &[u8], events: &mut Vec<RawLine>) -> Result<(), Error> {
        while let Some(at) = memchr(b'\n', chunk) {
            let (line, rest) = chunk.split_at(at);
            chunk = rest.get(1..).unwrap_or_default();
            if self.buffer.is_empty() {
                self.add(line, true, events)?;
            } else {
                let mut whole = std::mem::take(&mut self.buffer);
                whole.extend_from_slice(line);
                self.add(&whole, true, events)?;
                whole.clear();
                self.buffer = whole;
            }
            self.line += 1;
        }
        // A last CR is half of a line end, which does not count.
        let ends = usize::from(chunk.last() == Some(&b'\r'));
        self.check_size(self.buffer.len() + chunk.len() - ends)?;
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    fn add(&self, line: &[u8], terminated: bool, events: &mut Vec<RawLine>) -> Result<(), Error> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.check_size(line.len())?;
        if line.iter().any(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            events.push(RawLine { data: line.to_vec(), number: self.line, terminated });
        }
        Ok(())
    }

    fn check_size(&self, size: usize) -> Result<(), Error> {
        if size <= self.limit {
            return Ok(());
        }
        let message = "The line is longer than max_line_bytes";
        Err(too_large("framing/line-too-long", message, self.limit, self.line))
    }
}

impl Decode for Lines {
    type Event = RawLine;

    fn take(&mut self, chunk: &[u8], events: &mut Vec<RawLine>) -> Result<(), Error> {
        match self.start.text(chunk) {
            Some((text, _)) => self.read(&text, events),
            None => Ok(()),
        }
    }

    fn end(&mut self, events: &mut Vec<RawLine>) -> Result<(), Error> {
        let mut line = std::mem::take(&mut self.start.held);
        line.append(&mut self.buffer);
        self.add(&line, false, events)
    }

    fn drop_rest(&mut self) {
        self.buffer = Vec::new();
    }
}
