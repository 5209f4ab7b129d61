//! The headers of one message of an AWS event stream.

use std::collections::HashSet;

use crate::error::{Error, clip_text};
use crate::framing::eventstream::{invalid_frame, refused};

/// The value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// True or false.
    Bool(bool),
    /// A byte, short, integer or long, or a timestamp: milliseconds since the epoch.
    Integer(i64),
    /// A byte array, or the 16 bytes of a UUID.
    Bytes(Vec<u8>),
    /// A string.
    Text(String),
}

/// Headers by name, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventStreamHeaders(Vec<(String, HeaderValue)>);

impl EventStreamHeaders {
    /// Returns the value of a header.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&HeaderValue> {
        self.0.iter().find(|(each, _)| each == name).map(|(_, value)| value)
    }

    /// Returns all headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &HeaderValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// Reads the headers of the frame that begins at byte `offset` of the stream.
pub(crate) fn read_headers(raw: &[u8], offset: usize) -> Result<EventStreamHeaders, Error> {
    let mut reader = Reader { rest: raw, offset };
    let mut headers = Vec::new();
    let mut names = HashSet::new();
    while let Some((&length, rest)) = reader.rest.split_first() {
        reader.rest = rest;
        let name = reader.text(usize::from(length))?;
        if !names.insert(name.clone()) {
            let what = "has a header twice";
            return Err(invalid_frame(offset, what, "each name once", clip_text(&name)));
        }
        headers.push((name, reader.value()?));
    }
    Ok(EventStreamHeaders(headers))
}

struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<HeaderValue, Error> {
        let [kind] = self.array()?;
        Ok(match kind {
            0 => HeaderValue::Bool(true),
            1 => HeaderValue::Bool(false),
            2 => HeaderValue::Integer(i8::from_be_bytes(self.array()?).into()),
            3 => HeaderValue::Integer(i16::from_be_bytes(self.array()?).into()),
            4 => HeaderValue::Integer(i32::from_be_bytes(self.array()?).into()),
            5 | 8 => HeaderValue::Integer(i64::from_be_bytes(self.array()?)),
            6 => {
                let length = u16::from_be_bytes(self.array()?);
                HeaderValue::Bytes(self.slice(length.into())?.to_vec())
            }
            7 => {
                let length = u16::from_be_bytes(self.array()?);
                HeaderValue::Text(self.text(length.into())?)
            }
            9 => HeaderValue::Bytes(self.array::<16>()?.to_vec()),
            _ => {
                let (what, due) = ("has a header of no known type", "a type from 0 to 9");
                return Err(invalid_frame(self.offset, what, due, kind.to_string()));
            }
        })
    }

    fn text(&mut self, length: usize) -> Result<String, Error> {
        let data = self.slice(length)?;
        std::str::from_utf8(data).map(str::to_owned).map_err(|cause| {
            let message = format!("A header of the frame at byte {} is not UTF-8", self.offset);
            not_utf8(&message, data, cause.valid_up_to())
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let data = self.slice(N)?;
        // A slice of N bytes is an array of N.
        Ok(data.first_chunk().copied().unwrap_or([0; N]))
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let Some((data, rest)) = self.rest.split_at_checked(length) else {
            let (what, found) = ("has a header that its end cuts off", self.rest.len());
            let (due, found) = (format!("{length} bytes"), found.to_string());
            return Err(invalid_frame(self.offset, what, due, found));
        };
        self.rest = rest;
        Ok(data)
    }
}

/// Returns the error for bytes that are no UTF-8; `at` is the first of them.
pub(crate) fn not_utf8(message: &str, data: &[u8], at: usize) -> Error {
    let byte = data.get(at).copied().unwrap_or(0);
    refused("framing/invalid-utf8", message, "UTF-8", format!("0x{byte:02x}"))
}
