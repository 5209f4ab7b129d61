//! JSON while it arrives: the best-effort value of a text that is cut anywhere.

use crate::json::Value;

use crate::contract::types::Map;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    FirstKey,
    Key,
    Colon,
    FirstItem,
    Value,
    Text,
    Scalar,
    After,
    End,
    Broken,
}

/// Follows a JSON text that arrives in pieces, and shows what is known of it: that of an object, or
/// with [`of_any_value`](Self::of_any_value) of whatever it is.
///
/// For display only: what arguments are is decided by parsing the whole text when the call ends.
/// What [`value`](Self::value) shows depends on the text so far alone, never on how it was cut,
/// and only ever grows: a string by whole characters, containers at their end. A number, `true`,
/// `false` and `null` show once a delimiter follows; a name shows once its value does. A repeated
/// name takes its new value as soon as that shows.
///
/// [`is_broken`](Self::is_broken) turns true with the first character that no continuation can make
/// part of a valid text; that character and all after it add nothing. `feed` costs what is fed,
/// and once per piece the depth of what is open; `value` costs nothing.
#[derive(Clone, Debug)]
pub struct PartialJson {
    step: Step,
    max_depth: usize,
    /// Whether any value may come: it is then the only item of an array, which is `root`.
    any: bool,
    root: Value,
    /// The names of the open containers in those around them; the first has none.
    keys: Vec<String>,
    /// The open containers while a piece is fed.
    open: Vec<Value>,
    key: String,
    in_value: bool,
    /// A string, name, number or literal that has begun; between pieces, `root` has the string.
    text: String,
    /// An escape that has begun.
    held: String,
    /// A number or literal that has begun, with the first digit of each run alone.
    head: String,
}

impl Default for PartialJson {
    fn default() -> Self {
        Self::new(128)
    }
}

impl PartialJson {
    /// Returns a follower of one text; deeper nesting than `max_depth` breaks it.
    #[must_use]
    pub fn new(max_depth: usize) -> Self {
        Self {
            step: Step::Start,
            max_depth,
            any: false,
            root: Value::Object(Map::new()),
            keys: Vec::new(),
            open: Vec::new(),
            key: String::new(),
            in_value: false,
            text: String::new(),
            held: String::new(),
            head: String::new(),
        }
    }

    /// Returns a follower of a text that may be any JSON value.
    #[must_use]
    pub fn of_any_value(max_depth: usize) -> Self {
        let (root, keys) = (Value::Array(Vec::new()), vec![String::new()]);
        Self { step: Step::Value, any: true, root, keys, ..Self::new(max_depth) }
    }

    /// Whether the text so far can no longer become a valid JSON object, or a value of its kind.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.step == Step::Broken
    }

    /// Returns the value of any kind as far as it is known; None while nothing is certain of it, and
    /// for good once the text is broken.
    #[must_use]
    pub fn any_value(&self) -> Option<&Value> {
        if self.is_broken() { None } else { self.shown() }
    }

    fn shown(&self) -> Option<&Value> {
        if self.any { self.root.as_array()?.first() } else { Some(&self.root) }
    }

    /// Returns the object as far as it is known; empty for any other value.
    #[must_use]
    pub fn value(&self) -> &Map {
        static NOTHING: std::sync::LazyLock<Map> = std::sync::LazyLock::new(Map::new);
        self.shown().and_then(Value::as_object).unwrap_or(&NOTHING)
    }

    /// Takes the next piece; it may end anywhere between characters.
    pub fn feed(&mut self, piece: &str) {
        if piece.is_empty() || self.is_broken() {
            return;
        }
        let text = std::mem::take(&mut self.held) + piece;
        self.unfold();
        let mut at = 0;
        while at < text.len() && !self.is_broken() {
            at = self.take(&text, at);
        }
        self.fold();
    }

    /// Takes the open containers out of each other.
    fn unfold(&mut self) {
        let mut node = std::mem::replace(&mut self.root, Value::Null);
        for key in self.keys.get(1..).unwrap_or_default() {
            let inner = match &mut node {
                Value::Array(items) => items.pop(),
                Value::Object(members) => members.get_mut(key).map(Value::take),
                _ => None,
            };
            self.open.push(node);
            node = inner.unwrap_or_default();
        }
        if self.in_value {
            let shown = match &mut node {
                Value::Array(items) => items.last_mut().map(Value::take),
                Value::Object(members) => members.get_mut(&self.key).map(Value::take),
                _ => None,
            };
            if let Some(Value::String(text)) = shown {
                self.text = text;
            }
        }
        self.open.push(node);
    }

    /// Puts the open containers back, and shows the string that is open.
    fn fold(&mut self) {
        if self.in_value {
            let text = Value::String(std::mem::take(&mut self.text));
            self.show(text);
        }
        let mut node = self.open.pop().unwrap_or_default();
        let keys = self.keys.get(1..).unwrap_or_default().iter().rev();
        for (mut outer, key) in self.open.drain(..).rev().zip(keys) {
            match &mut outer {
                Value::Array(items) => items.push(node),
                Value::Object(members) => {
                    members.insert(key.clone(), node);
                }
                _ => {}
            }
            node = outer;
        }
        self.root = node;
    }

    /// Puts a string that may still grow where its value belongs.
    fn show(&mut self, text: Value) {
        match self.open.last_mut() {
            // Of an open array item, what was shown before is the last item: see `begin_text`.
            Some(Value::Array(items)) => {
                items.pop();
                items.push(text);
            }
            Some(Value::Object(members)) => {
                members.insert(self.key.clone(), text);
            }
            _ => {}
        }
    }

    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Value::Array(items)) => items.push(value),
            Some(Value::Object(members)) => {
                members.insert(std::mem::take(&mut self.key), value);
            }
            _ => {}
        }
    }

    fn in_array(&self) -> bool {
        matches!(self.open.last(), Some(Value::Array(_)))
    }

    /// Reads at `at`, which is never the end, and returns where to go on.
    fn take(&mut self, text: &str, at: usize) -> usize {
        let byte = text.as_bytes().get(at).copied().unwrap_or(0);
        match self.step {
            Step::Text => self.string(text, at),
            Step::Scalar => self.scalar(text, at),
            Step::FirstItem if byte == b']' => self.close(at),
            Step::FirstItem | Step::Value => self.begin(byte, at),
            _ => self.structure(byte, at),
        }
    }

    fn structure(&mut self, byte: u8, at: usize) -> usize {
        match (self.step, byte) {
            (_, b' ' | b'\n' | b'\t' | b'\r') => at + 1,
            (Step::Start, b'{') => self.nest(Value::Object(Map::new()), at),
            (Step::After, b',') if self.in_array() => self.go(Step::Value, at),
            (Step::After, b',') => self.go(Step::Key, at),
            (Step::After, b']') if self.in_array() => self.close(at),
            (Step::After, b'}') if !self.in_array() => self.close(at),
            (Step::FirstKey, b'}') => self.close(at),
            (Step::FirstKey | Step::Key, b'"') => self.go(Step::Text, at),
            (Step::Colon, b':') => self.go(Step::Value, at),
            _ => self.fail(at),
        }
    }

    fn go(&mut self, step: Step, at: usize) -> usize {
        self.step = step;
        at + 1
    }

    fn fail(&mut self, at: usize) -> usize {
        self.step = Step::Broken;
        at
    }

    fn begin(&mut self, byte: u8, at: usize) -> usize {
        match byte {
            b'"' => {
                self.in_value = true;
                if self.in_array() {
                    self.add(Value::String(String::new()));
                }
                self.go(Step::Text, at)
            }
            b'{' => self.nest(Value::Object(Map::new()), at),
            b'[' => self.nest(Value::Array(Vec::new()), at),
            b' ' | b'\n' | b'\t' | b'\r' => at + 1,
            _ => {
                self.step = Step::Scalar;
                at
            }
        }
    }

    fn nest(&mut self, container: Value, at: usize) -> usize {
        if self.keys.len() - usize::from(self.any) >= self.max_depth {
            return self.fail(at);
        }
        let step = if container.is_array() { Step::FirstItem } else { Step::FirstKey };
        if self.keys.is_empty() {
            self.open.clear(); // the empty object that stood for nothing
        }
        self.keys.push(std::mem::take(&mut self.key));
        self.open.push(container);
        self.go(step, at)
    }

    fn close(&mut self, at: usize) -> usize {
        let key = self.keys.pop().unwrap_or_default();
        if self.keys.is_empty() {
            return self.go(Step::End, at);
        }
        let complete = self.open.pop().unwrap_or_default();
        self.key = key;
        self.add(complete);
        self.go(self.behind(), at)
    }

    /// Whether what stands here is the whole value, which may be of any kind.
    fn is_top(&self) -> bool {
        self.any && self.keys.len() == 1
    }

    /// Returns the step behind a value.
    fn behind(&self) -> Step {
        if self.is_top() { Step::End } else { Step::After }
    }

    /// Reads on in a string: plain runs at once, escapes and pairs as a whole.
    fn string(&mut self, text: &str, from: usize) -> usize {
        let bytes = text.as_bytes();
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let rest = bytes.get(from..).unwrap_or_default();
        let at = rest.iter().position(is_special).map_or(text.len(), |run| from + run);
        self.text.push_str(text.get(from..at).unwrap_or(""));
        match bytes.get(at) {
            None => at,
            Some(b'"') => self.end_string(at),
            Some(b'\\') => match escape(text.get(at..).unwrap_or("")) {
                Escape::Char(char, length) => {
                    self.text.push(char);
                    at + length
                }
                Escape::Cut => {
                    text.get(at..).unwrap_or("").clone_into(&mut self.held);
                    text.len()
                }
                Escape::Wrong => self.fail(at),
            },
            Some(_) => self.fail(at),
        }
    }

    fn end_string(&mut self, at: usize) -> usize {
        let complete = std::mem::take(&mut self.text);
        if !self.in_value {
            self.key = complete;
            return self.go(Step::Colon, at);
        }
        self.in_value = false;
        self.show(Value::String(complete));
        self.go(self.behind(), at)
    }

    fn scalar(&mut self, text: &str, from: usize) -> usize {
        let is_scalar =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_scalar(byte)).count();
        let at = from + length;
        let piece = text.get(from..at).unwrap_or("");
        self.text.push_str(piece);
        if at == text.len() {
            for char in piece.chars() {
                if !(char.is_ascii_digit()
                    && self.head.ends_with(|last: char| last.is_ascii_digit()))
                {
                    self.head.push(char);
                }
            }
            return if is_begun(&self.head) { at } else { self.fail(at) };
        }
        self.head.clear();
        let token = std::mem::take(&mut self.text);
        let closer = if self.in_array() { b']' } else { b'}' };
        let next = text.as_bytes().get(at).copied().unwrap_or(0);
        let ends = matches!(next, b' ' | b'\n' | b'\t' | b'\r')
            || !self.is_top() && (next == b',' || next == closer);
        match scalar_value(&token).filter(|_| ends) {
            Some(value) => {
                self.add(value);
                self.step = self.behind();
                at
            }
            None => self.fail(at),
        }
    }
}

// -------------------------------------------------------------------------------------------------
// The tokens of JSON text that is cut anywhere: escapes, numbers and literals.

pub(crate) fn scalar_value(token: &str) -> Option<Value> {
    match token {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if token.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) => {
            serde_json::from_str(token).ok().filter(Value::is_number)
        }
        _ => None,
    }
}

/// Tells whether a token can go on to be a number or a literal.
pub(crate) fn is_begun(token: &str) -> bool {
    if ["true", "false", "null"].iter().any(|literal| literal.starts_with(token)) {
        return true;
    }
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let rest = unsigned.get(whole..).unwrap_or("");
    let rest = match rest.strip_prefix('.') {
        None => rest,
        Some(_) if whole == 0 => return false,
        Some(fraction) => {
            let count = digits(fraction);
            let rest = fraction.get(count..).unwrap_or("");
            if count == 0 {
                return rest.is_empty();
            }
            rest
        }
    };
    match rest.strip_prefix(['e', 'E']) {
        None => rest.is_empty(),
        Some(_) if whole == 0 => false,
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            digits(exponent) == exponent.len()
        }
    }
}

pub(crate) enum Escape {
    /// A character, and the length of what says it.
    Char(char, usize),
    Cut,
    Wrong,
}

/// Reads the escape, or the two that are a pair, with which `text` begins.
pub(crate) fn escape(text: &str) -> Escape {
    let Some(byte) = text.as_bytes().get(1) else {
        return Escape::Cut;
    };
    let char = match byte {
        b'u' => return unicode(text),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        plain @ (b'"' | b'\\' | b'/') => char::from(*plain),
        _ => return Escape::Wrong,
    };
    Escape::Char(char, 2)
}

fn unicode(text: &str) -> Escape {
    let first = match unit(text, 0) {
        Ok(unit) => unit,
        Err(how) => return how,
    };
    if let Some(char) = char::from_u32(first) {
        return Escape::Char(char, 6);
    }
    if first >= 0xdc00 {
        return Escape::Wrong;
    }
    // What is there of the second half has to be its beginning.
    let second = text.as_bytes().get(6..).unwrap_or_default();
    let fits = second.iter().take(6).enumerate().all(|(at, byte)| match at {
        0 => *byte == b'\\',
        1 => *byte == b'u',
        2 => matches!(byte, b'd' | b'D'),
        3 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
        _ => byte.is_ascii_hexdigit(),
    });
    if !fits {
        return Escape::Wrong;
    }
    match unit(text, 6) {
        Ok(low) => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(code).map_or(Escape::Wrong, |char| Escape::Char(char, 12))
        }
        Err(how) => how,
    }
}

/// Returns the unit of the escape `\uXXXX` at `at`.
fn unit(text: &str, at: usize) -> Result<u32, Escape> {
    let hex: Vec<u8> = text.bytes().skip(at + 2).take(4).collect();
    if !hex.iter().all(u8::is_ascii_hexdigit) {
        return Err(Escape::Wrong);
    }
    if hex.len() < 4 {
        return Err(Escape::Cut);
    }
    let digits = hex.iter().filter_map(|byte| char::from(*byte).to_digit(16));
    Ok(digits.fold(0, |sum, digit| sum * 16 + digit))
}
