//! What the decoders share: bytes in any cut in, events out.

use std::borrow::Cow;

use crate::json::Value;

use crate::errors::{Error, Finding};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads one format; what [`Feeder`] makes a decoder of.
pub trait Decode {
    /// What comes out.
    type Event;

    /// Reads a chunk; appends each event as soon as it is complete.
    fn take(&mut self, chunk: &[u8], events: &mut Vec<Self::Event>) -> Result<(), Error>;

    /// Reads what is unfinished when the stream has ended.
    fn end(&mut self, events: &mut Vec<Self::Event>) -> Result<(), Error>;

    /// Lets go of what is unfinished: nothing will be read on.
    fn drop_rest(&mut self);
}

/// A decoder of one stream; a reconnected stream takes a new one.
///
/// - Cutting or joining the input anywhere changes neither the events nor the error.
/// - What arrived before an error is never lost: the call that meets the error returns it, and the
///   next call fails. A call that has nothing to return fails at once. From then on every call
///   fails with that error; [`error`](Self::error) holds it from the moment it is known.
/// - Memory is counted before it is taken: at most one unfinished line or frame within the limit is
///   kept. Work is proportional to the bytes fed, also when they come one by one.
#[derive(Debug)]
pub struct Feeder<D> {
    decode: D,
    found: Option<Error>,
    closed: bool,
}

impl<D: Decode> Feeder<D> {
    /// Returns a decoder; refuses a limit of 0, whose name is `name`.
    pub(crate) fn of(decode: D, limit: usize, name: &str) -> Result<Self, Error> {
        if limit < 1 {
            let message = format!("{name} is not a size");
            let expected = "a positive integer of bytes";
            return Err(Error::argument(&message, expected, &Value::from(limit)));
        }
        Ok(Self { decode, found: None, closed: false })
    }

    /// The error that ended the decoding, also before a call had the occasion to fail.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        self.found.clone()
    }

    /// Returns the events that `chunk` completes, in order; `chunk` may be empty.
    ///
    /// Fails with [`Error::Framing`] if the stream cannot be read on, once the events before that
    /// place have been returned, and with [`Error::Usage`] after [`close`](Self::close).
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<D::Event>, Error> {
        self.due()?;
        if self.closed {
            let (message, expected) =
                ("feed was called after close", "a new decoder for a new stream");
            return Err(Error::argument(message, expected, &Value::Null));
        }
        let mut events = Vec::new();
        if let Err(error) = self.decode.take(chunk, &mut events) {
            self.fail(error);
            if events.is_empty() {
                self.due()?;
            }
        }
        Ok(events)
    }

    /// Says that the stream has ended; returns what it left unfinished, if anything.
    ///
    /// What comes from here is marked as not terminated. Fails with the error that is still due. A
    /// second call returns nothing.
    pub fn close(&mut self) -> Result<Vec<D::Event>, Error> {
        self.due()?;
        let mut events = Vec::new();
        if !self.closed {
            self.closed = true;
            if let Err(error) = self.decode.end(&mut events) {
                self.fail(error);
                self.due()?;
            }
            self.decode.drop_rest();
        }
        Ok(events)
    }

    /// Feeds a chunk, or closes.
    pub(crate) fn read(&mut self, chunk: Option<&[u8]>) -> Result<Vec<D::Event>, Error> {
        match chunk {
            Some(chunk) => self.feed(chunk),
            None => self.close(),
        }
    }

    pub(crate) fn inner(&self) -> &D {
        &self.decode
    }

    fn due(&self) -> Result<(), Error> {
        self.error().map_or(Ok(()), Err)
    }

    fn fail(&mut self, error: Error) {
        self.decode.drop_rest();
        self.found = Some(error);
    }
}

/// Returns the error for an event or a line beyond a limit.
pub(crate) fn too_large(rule: &str, message: &str, limit: usize, line: usize) -> Error {
    let mut finding = Finding::error(rule, "", message)
        .expected(format!("at most {limit} bytes"))
        .actual(format!("more than {limit} bytes"));
    finding.line = Some(line);
    Error::Framing(vec![finding])
}

/// What may be a byte order mark at the start of a stream.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Bytes that may yet become one.
    pub held: Vec<u8>,
    begun: bool,
}

impl Start {
    /// Returns the text that a chunk adds, and whether it follows a byte order mark; None for bytes
    /// that are held back.
    pub(crate) fn text<'a>(&mut self, chunk: &'a [u8]) -> Option<(Cow<'a, [u8]>, bool)> {
        if self.begun {
            return Some((Cow::Borrowed(chunk), false));
        }
        self.held.extend_from_slice(chunk);
        if self.held.len() < BOM.len() && BOM.starts_with(&self.held) {
            return None;
        }
        self.begun = true;
        let start = std::mem::take(&mut self.held);
        match start.strip_prefix(BOM) {
            Some(text) => Some((Cow::Owned(text.to_vec()), true)),
            None => Some((Cow::Owned(start), false)),
        }
    }
}
