//! Keys of rows: what of a document tells one row from another.

use std::borrow::Cow;

use serde_json::Value;

use super::facts::Facts;
use super::json;
use super::plan::Plan;

/// Leading bits of a number that its bucket keeps.
const FINE_BITS: u32 = 6;

/// What stands between the parts of a name that a digest is made of.
pub const SEPARATOR: u8 = 0x1f;

/// What documents of one row have in common.
pub struct Key(Vec<By>);

impl Key {
    /// Reads the key of a table; the plan gets the slots that are asked for.
    pub fn read(told: &Value, plan: &mut Plan) -> Option<Self> {
        let parts = told.as_array()?.iter();
        parts.map(|each| By::read(each, plan)).collect::<Option<_>>().map(Self)
    }

    /// Tells whether the bucket of the document's bytes is the whole key.
    pub fn is_size(&self) -> bool {
        matches!(self.0.as_slice(), [By::Size])
    }

    /// Makes the key of a document: a JSON array.
    pub fn write(&self, facts: &mut Facts<'_>, key: &mut Vec<u8>) {
        key.clear();
        key.push(b'[');
        for by in &self.0 {
            json::comma(key);
            by.append(facts, key);
        }
        key.push(b']');
    }

    /// Makes the name that a digest is made of; of what is not text it has nothing.
    pub fn write_name(&self, facts: &Facts<'_>, name: &mut Vec<u8>) {
        name.clear();
        for (number, by) in self.0.iter().enumerate() {
            if number > 0 {
                name.push(SEPARATOR);
            }
            let text = match by {
                By::Text(slot) => facts.string(*slot),
                _ => None,
            };
            name.extend_from_slice(text.as_deref().unwrap_or("\0").as_bytes());
        }
    }
}

/// A part of a key, with the slots that it looks at.
enum By {
    Nothing,
    Text(usize),
    Day(usize),
    /// The bucket of the milliseconds between two times.
    Span(usize, usize),
    /// The bucket of an integer.
    Amount(usize),
    /// The bucket of the document's bytes.
    Size,
}

impl By {
    fn read(told: &Value, plan: &mut Plan) -> Option<Self> {
        let pointer = told[1].as_str()?;
        Some(match told[0].as_str()? {
            "size" => Self::Size,
            _ if pointer.is_empty() => Self::Nothing,
            "text" => Self::Text(plan.slot(pointer)),
            "day" => Self::Day(plan.slot(pointer)),
            "span" => Self::Span(plan.slot(pointer), plan.slot(told[2].as_str()?)),
            "amount" => Self::Amount(plan.slot(pointer)),
            _ => return None,
        })
    }

    /// Appends what a document has, as JSON text.
    fn append(&self, facts: &mut Facts<'_>, key: &mut Vec<u8>) {
        match self {
            Self::Nothing => json::null(key),
            Self::Text(slot) => match facts.string(*slot) {
                Some(Cow::Borrowed(text)) => json::plain(key, text),
                Some(Cow::Owned(text)) => json::string(key, &text),
                None => json::null(key),
            },
            Self::Day(slot) => json::plain_or_null(key, facts.day(*slot).as_deref()),
            Self::Span(begin, end) => match (facts.time(*begin), facts.time(*end)) {
                (Some(begin), Some(end)) if end >= begin => {
                    json::number(key, bucket(end.abs_diff(begin)));
                }
                (Some(_), Some(_)) => key.extend_from_slice(b"-1"),
                _ => json::null(key),
            },
            Self::Amount(slot) => match facts.integer(*slot) {
                Some(number) => json::number(key, bucket(number.unsigned_abs())),
                None => json::null(key),
            },
            Self::Size => json::number(key, size_of(facts)),
        }
    }
}

/// Returns the least number of the bucket that a number is in.
fn bucket(number: u64) -> u64 {
    let shift = (u64::BITS - number.leading_zeros()).saturating_sub(FINE_BITS);
    number >> shift << shift
}

/// Returns the bucket of a document's bytes.
pub fn size_of(facts: &Facts<'_>) -> u64 {
    bucket(facts.text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn buckets_have_a_few_bits() {
        assert_eq!((bucket(0), bucket(63), bucket(1000)), (0, 63, 992));
    }
}
