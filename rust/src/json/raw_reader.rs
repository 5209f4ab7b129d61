//! JSON text, read wider than JSON is: halves of surrogate pairs, integers of any size, numbers
//! beyond a double, NaN and Infinity.
//!
//! Vendors' own writers are not strict, and an event is read as it is meant: raw control characters
//! may be in its strings, NaN and Infinity are null. A document is JSON, or has NaN and Infinity; what
//! it may not hold is reported with its place, which plain decoding does not give.

use memchr::memchr2;

use crate::json::raw::{Members, Raw};
use crate::json::raw_text::RawText;
use crate::tables::limits::MOST_DIGITS;

/// How deep brackets may be nested.
const MAX_DEPTH: usize = 990;

/// What the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Event,
    Document,
}

/// What is in a text anywhere, even in members that a later one replaces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Half a character, NaN, or a number with fraction or exponent beyond a double.
    pub refused: bool,
    /// Digits of the longest integer.
    pub digits: usize,
}

/// Returns the value of a text that is JSON, or has NaN and Infinity, and what is in it; None for any
/// other.
pub(crate) fn decode_document(text: &str) -> Option<(Raw, Seen)> {
    let mut reader = Reader::at(text, 0, Kind::Document);
    let value = reader.whole()?;
    Some((value, reader.seen))
}

/// Returns the JSON value of an event's text; None for what is not JSON.
pub(crate) fn decode_event(text: &str) -> Option<Raw> {
    Reader::at(text, 0, Kind::Event).whole()
}

/// Returns the objects and arrays that begin on their own line, whatever follows them; None for
/// each line that begins like one, inside of none, and is not JSON.
pub(crate) fn values_on_lines(text: &str) -> Vec<Option<Raw>> {
    let mut values = Vec::new();
    let mut from = 0;
    let mut line = 0;
    for each in text.split_inclusive('\n') {
        let at = line + each.len() - each.trim_start_matches([' ', '\t']).len();
        if line >= from && each.trim_start_matches([' ', '\t']).starts_with(['{', '[']) {
            let mut reader = Reader::at(text, at, Kind::Event);
            values.push(reader.value());
            if let Some(Some(_)) = values.last() {
                from = reader.at;
            }
        }
        line += each.len();
    }
    values
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    kind: Kind,
    seen: Seen,
}

impl<'a> Reader<'a> {
    fn at(text: &'a str, at: usize, kind: Kind) -> Self {
        Self { text, bytes: text.as_bytes(), at, depth: 0, kind, seen: Seen::default() }
    }

    /// Reads a value that nothing follows.
    fn whole(&mut self) -> Option<Raw> {
        let value = self.value()?;
        self.space();
        (self.at == self.text.len()).then_some(value)
    }

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
            b'N' => self.no_figure("NaN"),
            b'I' => self.no_figure("Infinity"),
            b'-' if self.bytes.get(self.at + 1) == Some(&b'I') => self.no_figure("-Infinity"),
            _ => self.number(),
        }
    }

    fn no_figure(&mut self, token: &str) -> Option<Raw> {
        self.seen.refused = true;
        let made = if self.kind == Kind::Event { Raw::Null } else { Raw::Float(f64::NAN) };
        self.eat(token).map(|()| made)
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
            let number = token.parse::<f64>().ok()?;
            self.seen.refused |= number.is_infinite();
            return Some(Raw::Float(number));
        }
        self.seen.digits = self.seen.digits.max(whole);
        match self.kind {
            Kind::Event if whole > MOST_DIGITS => return None,
            // Documents keep the sign of zero.
            Kind::Document if token == "-0" => return Some(Raw::Float(-0.0)),
            _ => {}
        }
        Some(token.parse().map_or_else(|_| Raw::Huge(token.to_owned()), Raw::Int))
    }

    fn string(&mut self) -> Option<RawText> {
        self.eat("\"")?;
        let plain = self.plain()?;
        if self.peek()? == b'"' {
            self.at += 1;
            return Some(plain.into());
        }
        let mut made = plain.to_owned();
        loop {
            match self.escape()? {
                Ok(char) => made.push(char),
                Err(half) => {
                    self.seen.refused = true;
                    return self.halved(&made, half);
                }
            }
            made.push_str(self.plain()?);
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(made.into());
            }
        }
    }

    /// Reads on behind the first half of a character in a string.
    fn halved(&mut self, before: &str, half: u32) -> Option<RawText> {
        let mut points: Vec<u32> = before.chars().map(u32::from).chain([half]).collect();
        loop {
            points.extend(self.plain()?.chars().map(u32::from));
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(RawText::of_points(points));
            }
            points.push(self.escape()?.map_or_else(|half| half, u32::from));
        }
    }

    /// Takes the characters of a string before its next escape, or its end.
    fn plain(&mut self) -> Option<&'a str> {
        let from = self.at;
        self.at += memchr2(b'"', b'\\', self.bytes.get(from..)?)?;
        let plain = self.text.get(from..self.at)?;
        let is_odd = self.kind == Kind::Document && plain.bytes().any(|byte| byte < 0x20);
        (!is_odd).then_some(plain)
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
