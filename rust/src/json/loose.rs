//! JSON text that holds what no document may hold: lone surrogates and numbers beyond a double.
//!
//! Only text that plain decoding refuses, or that may say more than a value does, comes here.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Map, Number, Value};

use crate::errors::Finding;
use crate::json::documents::not_finite;
use crate::json::pointer::escape_pointer;

const MAX_SAFE: u64 = (1 << 53) - 1;

/// A JSON value, with what a [`Value`] cannot hold.
pub(crate) enum Loose {
    /// What a document may hold, but for strings and containers.
    Plain(Value),
    /// An integer beyond ±(2^53 - 1), written without fraction and exponent.
    Unsafe(Number),
    /// A number that no double holds, or NaN.
    Infinite,
    Text(Text),
    Array(Vec<Loose>),
    Object(Vec<(Text, Loose)>),
}

/// A string; lone surrogates are spelled out in it, and the first of them is kept.
#[derive(Clone)]
pub(crate) struct Text {
    text: String,
    lone: Option<u16>,
}

/// A parsed text, and what stands in it anywhere, even in members that a later one replaces.
pub(crate) struct Parsed {
    pub value: Loose,
    /// A lone surrogate, NaN, or a number with fraction or exponent beyond a double.
    pub refused: bool,
    /// Digits of the longest integer.
    pub digits: usize,
}

/// Returns the value of a text that is JSON, or has NaN and Infinity; None for any other. The
/// caller has made sure that it is not nested too deep to be walked.
pub(crate) fn parse(text: &str) -> Option<Parsed> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, refused: false, digits: 0 };
    let value = parser.value()?;
    parser.space();
    let Parser { refused, digits, .. } = parser;
    (parser.at == text.len()).then_some(Parsed { value, refused, digits })
}

impl Loose {
    /// Returns the value; None where it holds what no document may hold.
    pub(crate) fn into_value(self) -> Option<Value> {
        Some(match self {
            Self::Plain(value) => value,
            Self::Unsafe(number) => Value::Number(number),
            Self::Infinite => return None,
            Self::Text(text) => text.into_string().map(Value::String)?,
            Self::Array(items) => {
                Value::Array(items.into_iter().map(Self::into_value).collect::<Option<_>>()?)
            }
            Self::Object(members) => {
                let mut made = Map::new();
                for (name, member) in members {
                    made.insert(name.into_string()?, member.into_value()?);
                }
                Value::Object(made)
            }
        })
    }

    /// Tells whether the value, or one in it, is of a kind.
    pub(crate) fn holds(&self, is: fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Array(items) => items.iter().any(|item| item.holds(is)),
                Self::Object(members) => members.iter().any(|(_, member)| member.holds(is)),
                _ => false,
            }
    }

    /// Adds what keeps the value from being one of a document.
    pub(crate) fn findings(&self, pointer: &str, found: &mut Vec<Finding>) {
        match self {
            Self::Plain(_) | Self::Unsafe(_) => {}
            Self::Infinite => found.push(not_finite(pointer)),
            Self::Text(text) => text.check(pointer, found),
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    item.findings(&format!("{pointer}/{index}"), found);
                }
            }
            Self::Object(members) => {
                let place = |name: &Text| format!("{pointer}/{}", escape_pointer(&name.text));
                for (name, _) in members {
                    name.check(&place(name), found);
                }
                for (name, member) in members {
                    member.findings(&place(name), found);
                }
            }
        }
    }
}

impl Text {
    fn into_string(self) -> Option<String> {
        self.lone.is_none().then_some(self.text)
    }

    fn check(&self, pointer: &str, found: &mut Vec<Finding>) {
        if let Some(lone) = self.lone {
            let message = "A lone surrogate stands in the text";
            let finding = Finding::error("document/lone-surrogate", pointer, message);
            found.push(finding.expected("well-formed Unicode").actual(format!("U+{lone:04X}")));
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    refused: bool,
    digits: usize,
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

    fn value(&mut self) -> Option<Loose> {
        self.space();
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => self.string().map(Loose::Text),
            b't' => self.eat("true").map(|()| Loose::Plain(Value::Bool(true))),
            b'f' => self.eat("false").map(|()| Loose::Plain(Value::Bool(false))),
            b'n' => self.eat("null").map(|()| Loose::Plain(Value::Null)),
            b'N' => self.named("NaN"),
            b'I' => self.named("Infinity"),
            b'-' if self.bytes.get(self.at + 1) == Some(&b'I') => self.named("-Infinity"),
            _ => self.number(),
        }
    }

    fn named(&mut self, token: &str) -> Option<Loose> {
        self.refused = true;
        self.eat(token).map(|()| Loose::Infinite)
    }

    fn array(&mut self) -> Option<Loose> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(Loose::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.ends(b']')? {
                return Some(Loose::Array(items));
            }
        }
    }

    fn object(&mut self) -> Option<Loose> {
        self.at += 1;
        let mut members: Vec<(Text, Loose)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.space();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(Loose::Object(members));
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.eat(":")?;
            let member = self.value()?;
            // Of duplicate names the last wins, at the place of the first.
            if let Some((_, before)) = places.get(&name.text).and_then(|at| members.get_mut(*at)) {
                *before = member;
            } else {
                places.insert(name.text.clone(), members.len());
                members.push((name, member));
            }
            if self.ends(b'}')? {
                return Some(Loose::Object(members));
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

    fn number(&mut self) -> Option<Loose> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let token = self.text.get(from..self.at)?;
        let is_whole = !token.contains(['.', 'e', 'E']);
        let digits = token.trim_start_matches('-').len();
        if is_whole {
            if !is_integer(token) {
                return None;
            }
            self.digits = self.digits.max(digits);
        }
        match serde_json::from_str::<Number>(token) {
            Ok(number) if is_whole && is_unsafe(token) => Some(Loose::Unsafe(number)),
            Ok(number) => Some(Loose::Plain(Value::Number(number))),
            Err(_) if is_whole => Some(Loose::Infinite),
            Err(_) => {
                let infinite = is_float(token) && token.parse::<f64>().is_ok_and(f64::is_infinite);
                self.refused |= infinite;
                infinite.then_some(Loose::Infinite)
            }
        }
    }

    fn string(&mut self) -> Option<Text> {
        self.eat("\"")?;
        let mut made = Text { text: String::new(), lone: None };
        loop {
            let from = self.at;
            while !matches!(self.peek()?, b'"' | b'\\' | 0..0x20) {
                self.at += 1;
            }
            made.text.push_str(self.text.get(from..self.at)?);
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(made);
                }
                b'\\' => self.escape(&mut made)?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self, made: &mut Text) -> Option<()> {
        let char = match self.bytes.get(self.at + 1)? {
            b'u' => return self.unicode(made),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
            _ => return None,
        };
        self.at += 2;
        made.text.push(char);
        Some(())
    }

    fn unicode(&mut self, made: &mut Text) -> Option<()> {
        let unit = self.unit(self.at)?;
        self.at += 6;
        let pair = match unit {
            0xd800..=0xdbff => self.unit(self.at).filter(|low| (0xdc00..=0xdfff).contains(low)),
            _ => None,
        };
        if let Some(low) = pair {
            self.at += 6;
            made.text.extend(char::decode_utf16([unit, low]).filter_map(Result::ok));
        } else if let Some(char) = char::from_u32(u32::from(unit)) {
            made.text.push(char);
        } else {
            made.lone = made.lone.or(Some(unit));
            _ = write!(made.text, "\\u{unit:04x}");
            self.refused = true;
        }
        Some(())
    }

    /// Returns the unit of the escape at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let hex = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(hex, 16).ok()).flatten()
    }
}

fn is_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all && (digits.len() == 1 || !digits.starts_with('0'))
}

/// Tells whether a token with fraction or exponent is a number of JSON.
fn is_float(token: &str) -> bool {
    let mantissa = token.split(['e', 'E']).next().unwrap_or("");
    let exponent = token.get(mantissa.len() + 1..);
    let (whole, fraction) =
        mantissa.split_once('.').map_or((mantissa, None), |(a, b)| (a, Some(b)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_integer(whole)
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

fn is_unsafe(token: &str) -> bool {
    let digits = token.trim_start_matches('-');
    digits.len() > 16 || (digits.len() == 16 && digits.parse::<u64>().is_ok_and(|n| n > MAX_SAFE))
}
