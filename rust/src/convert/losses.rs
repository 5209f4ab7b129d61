//! Losses: what a conversion could not carry over, said as data.

use crate::tables::limits::MAX_PER_CODE;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

pub use crate::tables::losses::LossSeverity;

/// One thing that a conversion changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// An RFC 6901 JSON Pointer into what was converted; a stream counts as the array of its items.
    pub pointer: String,
    /// What was lost; stable.
    pub code: &'static str,
    /// How much that is.
    pub severity: LossSeverity,
    /// A sentence for people.
    pub detail: Cow<'static, str>,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "" } else { " at " };
        let Self { pointer, code, severity, detail } = self;
        write!(f, "{detail}{place}{pointer} [{}: {code}]", severity.as_str())
    }
}

/// The severity of each code of a conversion, and its words.
pub(crate) type LossTable = [(&'static str, LossSeverity, &'static str)];

/// The losses of one conversion, in order, bounded whatever is converted.
#[derive(Clone, Debug)]
pub(crate) struct LossLog {
    table: &'static LossTable,
    counts: BTreeMap<&'static str, usize>,
    pub losses: Vec<Loss>,
    /// How many more losses of a code there were.
    pub left_out: BTreeMap<&'static str, usize>,
}

impl LossLog {
    pub(crate) fn new(table: &'static LossTable) -> Self {
        Self { table, counts: BTreeMap::new(), losses: Vec::new(), left_out: BTreeMap::new() }
    }

    /// Keeps a loss; a code that the table does not have is none.
    pub(crate) fn note(&mut self, code: &str, pointer: impl Into<String>) {
        let Some((code, severity, detail)) = self.table.iter().find(|(each, ..)| *each == code)
        else {
            return;
        };
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count > MAX_PER_CODE {
            *self.left_out.entry(code).or_default() += 1;
            return;
        }
        let (pointer, detail) = (pointer.into(), (*detail).into());
        self.losses.push(Loss { pointer, code, severity: *severity, detail });
    }

    /// Keeps a loss for each member that reading left out of an item of a stream.
    pub(crate) fn note_unknown_members(&mut self, number: u64, pointers: &[String]) {
        let mut pointers: Vec<&String> = pointers.iter().collect();
        pointers.sort_by(|one, other| by_place(one, other));
        for pointer in pointers {
            self.note("unknown-member", format!("/{number}{pointer}"));
        }
    }
}

/// Returns losses as the document is ordered, each once.
pub(crate) fn in_order(losses: Vec<Loss>) -> Vec<Loss> {
    let mut seen = HashSet::new();
    let mut is_new =
        |loss: &Loss| seen.insert((loss.pointer.clone(), loss.code, loss.detail.clone()));
    let mut kept: Vec<Loss> = losses.into_iter().filter(|loss| is_new(loss)).collect();
    kept.sort_by(|one, other| by_place(&one.pointer, &other.pointer));
    kept
}

/// Orders pointers: indexes by number, and before members.
fn by_place(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.split('/').skip(1), other.split('/').skip(1));
    one.map(Token::of).cmp(other.map(Token::of))
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Token<'a> {
    /// How many digits, and which.
    Index(usize, &'a str),
    Name(&'a str),
}

impl<'a> Token<'a> {
    fn of(token: &'a str) -> Self {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::Name(token);
        }
        let digits = token.trim_start_matches('0');
        Self::Index(digits.len(), digits)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::by_place;

    #[test]
    fn indexes_are_ordered_by_number() {
        for (one, other) in
            [("", "/0"), ("/2", "/10"), ("/10", "/a"), ("/a/9/b", "/a/10"), ("/a", "/a/0")]
        {
            assert_eq!(by_place(one, other), Ordering::Less, "{one} {other}");
        }
        assert_eq!(
            by_place("/99999999999999999999999", "/100000000000000000000000"),
            Ordering::Less
        );
    }
}
