//! The JSON of one raw event, read as it is meant: vendors' own writers are not strict.
//!
//! Wider than JSON where nothing is lost by it: halves of surrogate pairs (the writer joins them),
//! raw control characters in strings, NaN and Infinity (read as null: a figure that is none).

use std::collections::HashMap;

use crate::json::documents::MOST_DIGITS;
use crate::json::raw::{Raw, RawObject};
use crate::json::raw_text::RawText;
use crate::providers::core::base64;

/// How deep brackets may be nested in an event.
const MAX_DEPTH: usize = 990;

/// Of so many members on, names are looked up and not compared one by one.
const MANY: usize = 16;

/// Returns the JSON value of an event's text; None for what is no JSON.
pub(crate) fn decode_event(text: &str) -> Option<Raw> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    let value = parser.value()?;
    parser.space();
    (parser.at == text.len()).then_some(value)
}

/// Returns the objects and arrays that begin on a line of their own, whatever follows them; None for
/// each line that begins like one, inside of none, and is not JSON.
pub(crate) fn values_on_lines(text: &str) -> Vec<Option<Raw>> {
    let mut values = Vec::new();
    let mut from = 0;
    let mut line = 0;
    for each in text.split_inclusive('\n') {
        let at = line + each.len() - each.trim_start_matches([' ', '\t']).len();
        if line >= from && each.trim_start_matches([' ', '\t']).starts_with(['{', '[']) {
            let mut parser = Parser { text, bytes: text.as_bytes(), at, depth: 0 };
            values.push(parser.value());
            if let Some(Some(_)) = values.last() {
                from = parser.at;
            }
        }
        line += each.len();
    }
    values
}

/// Returns the text of the event in `{"bytes": …}`, Base64; None if there is none.
pub(crate) fn chunk_text(payload: &Raw) -> Option<String> {
    let data = payload.object()?.get("bytes").str().and_then(base64::decode)?;
    String::from_utf8(data).ok()
}

/// Returns the JSON value that `{"chunk": {"bytes": …}}` carries.
pub(crate) fn chunk_event(event: &RawObject) -> Option<Raw> {
    decode_event(&chunk_text(event.get("chunk"))?)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        let found = self.bytes.get(self.at..)?.starts_with(token.as_bytes());
        self.at += token.len();
        found.then_some(())
    }

    fn value(&mut self) -> Option<Raw> {
        self.space();
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => self.string().map(Raw::Text),
            b't' => self.eat("true").map(|()| Raw::Bool(true)),
            b'f' => self.eat("false").map(|()| Raw::Bool(false)),
            b'n' => self.eat("null").map(|()| Raw::Null),
            b'N' => self.eat("NaN").map(|()| Raw::Null),
            b'I' => self.eat("Infinity").map(|()| Raw::Null),
            b'-' if self.bytes.get(self.at + 1) == Some(&b'I') => {
                self.eat("-Infinity").map(|()| Raw::Null)
            }
            _ => self.number(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Raw>) -> Option<Raw> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.at += 1;
        self.space();
        let made = read(self);
        self.depth -= 1;
        made
    }

    fn array(&mut self) -> Option<Raw> {
        let mut items = Vec::new();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(Raw::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.ends(b']')? {
                return Some(Raw::Array(items));
            }
        }
    }

    fn object(&mut self) -> Option<Raw> {
        let mut members = Members::default();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(Raw::Object(members.into()));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.eat(":")?;
            let member = self.value()?;
            members.set(name, member);
            if self.ends(b'}')? {
                return Some(Raw::Object(members.into()));
            }
        }
    }

    /// Takes a comma or the closing bracket; says whether it was the bracket.
    fn ends(&mut self, closer: u8) -> Option<bool> {
        self.space();
        let byte = self.peek()?;
        self.at += 1;
        (byte == closer || byte == b',').then_some(byte == closer)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Option<Raw> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leads = self.peek();
        let whole = self.digits();
        if whole == 0 || (whole > 1 && leads == Some(b'0')) {
            return None;
        }
        let end = self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return None;
            }
        }
        let token = self.text.get(from..self.at)?;
        if self.at > end {
            return token.parse().ok().map(Raw::Float);
        }
        if whole > MOST_DIGITS {
            return None;
        }
        Some(token.parse().map_or_else(|_| Raw::Huge(token.to_owned()), Raw::Int))
    }

    fn string(&mut self) -> Option<RawText> {
        self.eat("\"")?;
        let mut made = String::new();
        loop {
            let from = self.at;
            while !matches!(self.peek()?, b'"' | b'\\') {
                self.at += 1;
            }
            made.push_str(self.text.get(from..self.at)?);
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(made.into());
            }
            match self.escape()? {
                Ok(char) => made.push(char),
                Err(half) => return self.halved(&made, half),
            }
        }
    }

    /// Reads on behind the first half of a character in a string.
    fn halved(&mut self, before: &str, half: u32) -> Option<RawText> {
        let mut points: Vec<u32> = before.chars().map(u32::from).chain([half]).collect();
        loop {
            let from = self.at;
            while !matches!(self.peek()?, b'"' | b'\\') {
                self.at += 1;
            }
            points.extend(self.text.get(from..self.at)?.chars().map(u32::from));
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(RawText::of_points(points));
            }
            points.push(self.escape()?.map_or_else(|half| half, u32::from));
        }
    }

    /// Reads an escape: a character, or half of one.
    fn escape(&mut self) -> Option<Result<char, u32>> {
        let char = match self.bytes.get(self.at + 1)? {
            b'u' => return self.unicode(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
            _ => return None,
        };
        self.at += 2;
        Some(Ok(char))
    }

    fn unicode(&mut self) -> Option<Result<char, u32>> {
        let unit = self.unit(self.at)?;
        self.at += 6;
        if (0xd800..0xdc00).contains(&unit) {
            if let Some(low) = self.unit(self.at).filter(|low| (0xdc00..0xe000).contains(low)) {
                self.at += 6;
                let point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Some(char::from_u32(point).ok_or(point));
            }
        }
        Some(char::from_u32(unit).ok_or(unit))
    }

    /// Returns the unit of the escape at `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let hex = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u32::from_str_radix(hex, 16).ok()).flatten()
    }
}

/// Members of an object in the making: of duplicate names the last wins, at the first's place.
#[derive(Default)]
pub(crate) struct Members {
    all: Vec<(RawText, Raw)>,
    /// Places by name, once there are many.
    places: HashMap<RawText, usize>,
}

impl Members {
    pub(crate) fn set(&mut self, name: RawText, member: Raw) {
        let at = if self.places.is_empty() {
            self.all.iter().position(|(each, _)| *each == name)
        } else {
            self.places.get(&name).copied()
        };
        if let Some((_, before)) = at.and_then(|at| self.all.get_mut(at)) {
            *before = member;
            return;
        }
        self.all.push((name, member));
        if self.places.is_empty() && self.all.len() >= MANY {
            self.places = (0..).zip(&self.all).map(|(at, (name, _))| (name.clone(), at)).collect();
        } else if let (false, Some((name, _))) = (self.places.is_empty(), self.all.last()) {
            self.places.insert(name.clone(), self.all.len() - 1);
        }
    }
}

impl From<Members> for RawObject {
    fn from(members: Members) -> Self {
        Self::of_distinct(members.all)
    }
}
