//! Input for tests: the examples of the schemas, and what becomes of them at random.

#![allow(dead_code)] // each test uses a part

use partwire::{Map, Value, json};

const BUNDLES: [(&str, &str, &str); 12] = [
    ("v0.1", "blocks", include_str!("../../src/generated/v0_1/blocks.schema.json")),
    ("v0.1", "envelope", include_str!("../../src/generated/v0_1/envelope.schema.json")),
    ("v0.1", "message", include_str!("../../src/generated/v0_1/message.schema.json")),
    ("v0.1", "session", include_str!("../../src/generated/v0_1/session.schema.json")),
    ("v0.2", "blocks", include_str!("../../src/generated/v0_2/blocks.schema.json")),
    ("v0.2", "envelope", include_str!("../../src/generated/v0_2/envelope.schema.json")),
    ("v0.2", "message", include_str!("../../src/generated/v0_2/message.schema.json")),
    ("v0.2", "session", include_str!("../../src/generated/v0_2/session.schema.json")),
    ("v0.3", "blocks", include_str!("../../src/generated/v0_3/blocks.schema.json")),
    ("v0.3", "envelope", include_str!("../../src/generated/v0_3/envelope.schema.json")),
    ("v0.3", "message", include_str!("../../src/generated/v0_3/message.schema.json")),
    ("v0.3", "session", include_str!("../../src/generated/v0_3/session.schema.json")),
];

/// An example of a type.
#[derive(Clone)]
pub struct Sample {
    pub version: &'static str,
    pub name: String,
    pub value: Value,
}

/// Returns every example of every type of every version.
pub fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    for (version, family, text) in BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for (name, schema) in bundle["$defs"].as_object().unwrap() {
            for value in schema["examples"].as_array().into_iter().flatten() {
                let name = format!("{family}.{name}");
                all.push(Sample { version, name, value: value.clone() });
            }
        }
    }
    assert!(all.len() > 300, "{}", all.len());
    all
}

/// Numbers that look random, the same ones for the same seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next()).unwrap() % most.max(1)
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Returns `value` with one change, somewhere in it; `other` may give a part.
pub fn mutated(rng: &mut Rng, value: &Value, other: &Value) -> Value {
    let mut made = value.clone();
    let count = count_of(&made);
    let at = rng.below(count);
    let mut left = at;
    let part = nth(other, &mut rng.below(count_of(other))).clone();
    if let Some(node) = nth_mut(&mut made, &mut left) {
        change(rng, node, part);
    }
    made
}

fn count_of(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count_of).sum(),
        Value::Object(members) => members.values().map(count_of).sum(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a Value, left: &mut usize) -> &'a Value {
    let inner: Vec<&Value> = match value {
        _ if *left == 0 => return value,
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    *left -= 1;
    for each in inner {
        let count = count_of(each);
        if *left < count {
            return nth(each, left);
        }
        *left -= count;
    }
    value
}

fn nth_mut<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for each in inner {
        let count = count_of(each);
        if *left < count {
            return nth_mut(each, left);
        }
        *left -= count;
    }
    None
}

fn change(rng: &mut Rng, node: &mut Value, part: Value) {
    let choice = rng.below(8);
    match node {
        Value::Object(members) if choice < 3 => {
            let names: Vec<String> = members.keys().cloned().collect();
            if !names.is_empty() {
                members.remove(rng.pick(&names).as_str());
            }
        }
        Value::Object(members) if choice < 5 => {
            members.insert(rng.pick(&NAMES).to_string(), part);
        }
        Value::Array(items) if choice < 2 => {
            items.pop();
        }
        Value::Array(items) if choice < 5 => {
            let item = items.first().cloned().unwrap_or(part);
            items.push(item);
        }
        Value::String(text) if choice < 3 => {
            let at = rng.below(text.chars().count() + 1);
            let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(text.len());
            let added: &&str = rng.pick(&TEXTS);
            text.insert_str(at, added);
        }
        Value::String(text) if choice < 5 => {
            text.pop();
        }
        node if choice == 5 => *node = part,
        node => *node = rng.pick(&scalars()).clone(),
    }
}

const NAMES: [&str; 12] = [
    "kind",
    "type",
    "status",
    "role",
    "x",
    "__proto__",
    "constructor",
    "payload",
    "meta",
    "opaque",
    "a/b~c",
    "",
];
const TEXTS: [&str; 10] = [" ", "a", "é", "😀", "0", "-", "\n", "\u{0}", "~/", "Z"];

fn scalars() -> [Value; 16] {
    [
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(0.5),
        json!(9_007_199_254_740_991_u64),
        json!(9_007_199_254_740_992_u64),
        json!(u64::MAX),
        json!(-1e300),
        json!(""),
        json!("text"),
        json!([]),
        json!([[{}]]),
        Value::Object(Map::new()),
        json!({"kind": "new", "a": [1]}),
    ]
}

/// Returns bytes with one change, which need be neither JSON nor UTF-8.
pub fn broken(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut made = bytes.to_vec();
    let at = rng.below(made.len() + 1);
    match rng.below(6) {
        0 => made.truncate(at),
        1 if at < made.len() => made[at] = u8::try_from(rng.below(256)).unwrap(),
        2 if at < made.len() => {
            made.remove(at);
        }
        3 => {
            let token = rng.pick(&TOKENS).as_bytes();
            let times = if rng.below(50) == 0 { 700 } else { 1 };
            made.splice(at..at, token.repeat(times));
        }
        4 => {
            let end = (at + rng.below(20)).min(made.len());
            let piece = made[at..end].to_vec();
            let to = rng.below(made.len() + 1);
            made.splice(to..to, piece);
        }
        _ => {
            let token = rng.pick(&TOKENS).as_bytes();
            let end = (at + token.len()).min(made.len());
            made.splice(at..end, token.iter().copied());
        }
    }
    made
}

const TOKENS: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\\",
    "\\u",
    "\\ud800",
    "\\udc00",
    "\\ud83d\\ude00",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "1e999",
    "-0",
    "1.0",
    "9007199254740993",
    "1e400",
    "\u{0}",
    "\u{feff}",
    "\"kind\":",
    "\"a\":1,",
    " ",
    "\n",
    "é",
    "😀",
    "12345678901234567890",
];
