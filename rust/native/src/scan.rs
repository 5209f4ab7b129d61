//! JSON text without values: where strings, numbers and whole values end, and what is in them.
//!
//! All functions take text that is UTF-8 and return None for what is not JSON, or is rarer than
//! this module cares to know: whoever gets None asks somebody who decodes.

use std::fmt::Write;

/// Levels of a value that is skimmed; deeper ones are rare.
pub const MOST_DEPTH: usize = 128;

/// Bytes of a number that is finite for sure, if its exponent has two digits at most.
const MOST_NUMBER: usize = 40;

/// The largest integer that every language reads exactly.
const MOST_SAFE: &[u8] = b"9007199254740991";

/// What is known of a string after one look.
#[derive(Clone, Copy)]
pub struct Text {
    /// Where its closing quote stands.
    pub end: usize,
    /// Its bytes in UTF-8 once it is decoded.
    pub size: usize,
    /// Whether it holds an escape.
    pub escaped: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

const QUOTES: u64 = 0x2222_2222_2222_2222;
const BACKSLASHES: u64 = 0x5c5c_5c5c_5c5c_5c5c;

const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// Returns where the next quote, backslash or control character stands, from `at` on.
#[inline(always)]
fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(chunk) = bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()) {
        let word = u64::from_le_bytes(chunk);
        let quotes = zero_bytes(word ^ QUOTES);
        let slashes = zero_bytes(word ^ BACKSLASHES);
        let controls = zero_bytes(word & (ONES * 0xe0));
        let found = quotes | slashes | controls;
        if found != 0 {
            // The lowest mark is right: borrows only reach bytes above a byte that is marked.
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).map(|found| at + found)
}

/// Looks at the string whose content begins at `at`, after its opening quote.
#[inline(always)]
pub fn string(bytes: &[u8], at: usize) -> Option<Text> {
    let end = special(bytes, at)?;
    if bytes[end] == b'"' {
        return Some(Text { end, size: end - at, escaped: false });
    }
    escaped_string(bytes, at, end)
}

#[cold]
#[inline(never)]
fn escaped_string(bytes: &[u8], begin: usize, mut at: usize) -> Option<Text> {
    let mut less = 0; // by how much the decoded text is shorter
    loop {
        match bytes[at] {
            b'"' => return Some(Text { end: at, size: at - begin - less, escaped: true }),
            b'\\' => {
                let (length, char) = escape(bytes, at)?;
                less += length - char.len_utf8();
                at = special(bytes, at + length)?;
            }
            _ => return None,
        }
    }
}

/// Returns the length of the escape at `at`, or of the two that are a pair, and its character.
fn escape(bytes: &[u8], at: usize) -> Option<(usize, char)> {
    let char = match bytes.get(at + 1)? {
        b'u' => return unicode(bytes, at),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
        _ => return None,
    };
    Some((2, char))
}

fn unicode(bytes: &[u8], at: usize) -> Option<(usize, char)> {
    let first = unit(bytes, at)?;
    if let Some(char) = char::from_u32(first) {
        return Some((6, char));
    }
    let second = unit(bytes, at + 6).filter(|second| (0xdc00..0xe000).contains(second))?;
    if first >= 0xdc00 {
        return None;
    }
    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    char::from_u32(code).map(|char| (12, char))
}

fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let six = bytes.get(at..at + 6)?;
    if six[0] != b'\\' || six[1] != b'u' {
        return None;
    }
    six[2..].iter().try_fold(0, |unit, digit| Some((unit << 4) | char::from(*digit).to_digit(16)?))
}

/// Appends what a string's content says, which [`string`] has looked at.
pub fn decode_into(content: &str, text: &mut String) {
    let bytes = content.as_bytes();
    let mut begin = 0;
    // Of what stops there, only the backslash is in a string.
    while let Some(at) = special(bytes, begin) {
        let Some((length, char)) = escape(bytes, at) else { return };
        text.push_str(&content[begin..at]);
        text.push(char);
        begin = at + length;
    }
    text.push_str(&content[begin..]);
}

/// Tells whether text needs escapes in a JSON string.
pub fn needs_escape(text: &str) -> bool {
    special(text.as_bytes(), 0).is_some()
}

/// Returns text as the content of a JSON string: itself, or what is put into `escaped`.
pub fn encoded<'a>(text: &'a str, escaped: &'a mut String) -> (&'a str, Text) {
    let mut piece = Text { end: 0, size: text.len(), escaped: false };
    if !needs_escape(text) {
        return (text, piece);
    }
    let bytes = text.as_bytes();
    let mut begin = 0;
    while let Some(at) = special(bytes, begin) {
        escaped.push_str(&text[begin..at]);
        match bytes[at] {
            b'"' => escaped.push_str("\\\""),
            b'\\' => escaped.push_str("\\\\"),
            b'\n' => escaped.push_str("\\n"),
            control => drop(write!(escaped, "\\u{control:04x}")),
        }
        begin = at + 1;
    }
    escaped.push_str(&text[begin..]);
    piece.escaped = true;
    (escaped, piece)
}

/// Returns where white space ends.
#[inline]
pub fn space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

/// Returns where the number that begins at `begin` ends, and whether it is an integer that may be
/// unsafe; None for one beyond the largest double.
pub fn number(bytes: &[u8], begin: usize) -> Option<(usize, bool)> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let whole = begin + usize::from(bytes.get(begin) == Some(&b'-'));
    let mut end = digits(whole);
    if end == whole || (bytes[whole] == b'0' && end - whole > 1) {
        return None;
    }
    let integer = &bytes[whole..end];
    let is_long = (integer.len(), integer) > (MOST_SAFE.len(), MOST_SAFE);
    let (mut is_whole, mut is_small) = (true, true);
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits(fraction);
        is_whole = false;
        if end == fraction {
            return None;
        }
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        end = digits(exponent);
        is_whole = false;
        if end == exponent {
            return None;
        }
        is_small = end - exponent <= 2;
    }
    if !is_small || end - begin > MOST_NUMBER {
        let text = std::str::from_utf8(&bytes[begin..end]).ok()?;
        text.parse().ok().filter(|value: &f64| value.is_finite())?;
    }
    Some((end, is_whole && is_long))
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Is {
    Object,
    Array,
    String,
    Number,
    Literal,
}

/// What is known of a value after one look at its text.
#[derive(Clone, Copy)]
pub struct Skim {
    pub is: Is,
    /// Where it ends.
    pub end: usize,
    /// Levels of objects and arrays, itself included.
    pub depth: usize,
    /// Bytes in UTF-8 of all strings and names in it, once they are decoded.
    pub size: usize,
    /// Members and items in it, at all levels.
    pub count: usize,
    /// Whether it holds an integer that may be beyond ±(2^53 - 1).
    pub long: bool,
}

/// Looks at the value that begins at `at`.
pub fn skim(bytes: &[u8], begin: usize) -> Option<Skim> {
    let is = match bytes.get(begin)? {
        b'{' => Is::Object,
        b'[' => Is::Array,
        b'"' => Is::String,
        b'-' | b'0'..=b'9' => Is::Number,
        _ => Is::Literal,
    };
    let mut seen = Skim { is, end: begin, depth: 0, size: 0, count: 0, long: false };
    let mut open: u128 = 0; // a bit for each level: whether it is an object
    let mut depth = 0;
    let mut at = begin;
    loop {
        // A value.
        match bytes.get(at)? {
            b'"' => {
                let text = string(bytes, at + 1)?;
                seen.size += text.size;
                at = text.end + 1;
            }
            opening @ (b'{' | b'[') => {
                let is_object = *opening == b'{';
                let inside = space(bytes, at + 1);
                if depth == MOST_DEPTH {
                    return None;
                }
                depth += 1;
                seen.depth = seen.depth.max(depth);
                open = open << 1 | u128::from(is_object);
                if bytes.get(inside) == Some(if is_object { &b'}' } else { &b']' }) {
                    at = inside;
                } else {
                    seen.count += 1;
                    at = if is_object { name(bytes, inside, &mut seen)? } else { inside };
                    continue;
                }
            }
            b'-' | b'0'..=b'9' => {
                let (end, long) = number(bytes, at)?;
                seen.long |= long;
                at = end;
            }
            _ => at = literal(bytes, at)?,
        }
        // What follows it.
        loop {
            if depth == 0 {
                seen.end = at;
                return Some(seen);
            }
            at = space(bytes, at);
            let is_object = open & 1 == 1;
            match bytes.get(at)? {
                b',' => {
                    seen.count += 1;
                    at = space(bytes, at + 1);
                    if is_object {
                        at = name(bytes, at, &mut seen)?;
                    }
                    break;
                }
                b'}' if is_object => {}
                b']' if !is_object => {}
                _ => return None,
            }
            at += 1;
            depth -= 1;
            open >>= 1;
        }
    }
}

/// Reads a member's name and colon; returns where its value begins.
fn name(bytes: &[u8], at: usize, seen: &mut Skim) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let text = string(bytes, at + 1)?;
    seen.size += text.size;
    colon(bytes, text.end + 1)
}

/// Returns where the value behind a name begins; `at` is where the name ends.
fn colon(bytes: &[u8], at: usize) -> Option<usize> {
    let at = space(bytes, at);
    (bytes.get(at) == Some(&b':')).then(|| space(bytes, at + 1))
}

/// Returns where `true`, `false` or `null` ends.
pub fn literal(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    ["true", "false", "null"]
        .into_iter()
        .find(|word| rest.starts_with(word.as_bytes()))
        .map(|word| at + word.len())
}

/// The kinds of values that a choice is made by; `null` is of none.
pub const KINDS: [&str; 5] = ["object", "array", "string", "number", "boolean"];

/// Returns which of [`KINDS`] the value at `at` is of, by its first byte.
#[inline(always)]
pub fn kind(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'{' => Some(0),
        b'[' => Some(1),
        b'"' => Some(2),
        b'-' | b'0'..=b'9' => Some(3),
        b't' | b'f' => Some(4),
        _ => None,
    }
}

/// Walks through the array at `at`; returns where it ends.
///
/// `item` gets where an item begins, and returns where it ends, or None to stop.
#[inline(always)]
pub fn items(
    bytes: &[u8],
    at: usize,
    mut item: impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    if bytes.get(at) != Some(&b'[') {
        return None;
    }
    let mut at = space(bytes, at + 1);
    if bytes.get(at) == Some(&b']') {
        return Some(at + 1);
    }
    loop {
        at = space(bytes, item(at)?);
        match bytes.get(at)? {
            b',' => at = space(bytes, at + 1),
            b']' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Where the name of a member stands, without its quotes.
#[derive(Clone, Copy)]
pub struct Name {
    begin: usize,
    end: usize,
    /// Whether it holds an escape.
    pub escaped: bool,
}

impl Name {
    /// Returns the name as it is written in the text that was walked through.
    #[inline(always)]
    pub fn of(self, text: &str) -> &str {
        &text[self.begin..self.end]
    }
}

/// Walks through the object at `at`; returns where it ends.
///
/// `member` gets a name and where its value begins, and returns where the value ends, or None to
/// stop. A name may come twice.
#[inline(always)]
pub fn members(
    bytes: &[u8],
    at: usize,
    mut member: impl FnMut(Name, usize) -> Option<usize>,
) -> Option<usize> {
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    let mut at = space(bytes, at + 1);
    if bytes.get(at) == Some(&b'}') {
        return Some(at + 1);
    }
    loop {
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let seen = string(bytes, at + 1)?;
        let name = Name { begin: at + 1, end: seen.end, escaped: seen.escaped };
        let value = colon(bytes, seen.end + 1)?;
        at = space(bytes, member(name, value)?);
        match bytes.get(at)? {
            b',' => at = space(bytes, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// One member of an object: its name, and where its value stands.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    pub name: &'a str,
    pub at: usize,
    pub skim: Skim,
}

/// Members that an object has at most to be looked at here.
const MOST_MEMBERS: usize = 16;

/// The members of one object, in the order of the text, each name once.
pub struct Members<'a> {
    list: [Option<Member<'a>>; MOST_MEMBERS],
    length: usize,
    /// Where the object ends.
    pub end: usize,
}

impl<'a> Members<'a> {
    /// Reads the object that begins at `at`; None if a name comes twice or has escapes: others read
    /// such an object.
    pub fn read(text: &'a str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut read = Self { list: [None; MOST_MEMBERS], length: 0, end: at };
        read.end = members(bytes, at, |name, at| {
            if name.escaped {
                return None;
            }
            let skim = skim(bytes, at)?;
            read.add(Member { name: name.of(text), at, skim })?;
            Some(skim.end)
        })?;
        Some(read)
    }

    fn add(&mut self, member: Member<'a>) -> Option<()> {
        if self.iter().any(|known| known.name == member.name) {
            return None;
        }
        *self.list.get_mut(self.length)? = Some(member);
        self.length += 1;
        Some(())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Member<'a>> {
        self.list[..self.length].iter().flatten()
    }

    pub fn get(&self, name: &str) -> Option<&Member<'a>> {
        self.iter().find(|member| member.name == name)
    }
}
