//! Losses: what a conversion could not carry over, said as data.

use std::collections::BTreeMap;
use std::fmt;

/// How much a loss is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossSeverity {
    /// The source says something that the result does not.
    Lossy,
    /// The result says something that the source does not.
    Invented,
    /// Said in another way, nothing more or less.
    Info,
}

impl LossSeverity {
    /// Returns the word that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lossy => "lossy",
            Self::Invented => "invented",
            Self::Info => "info",
        }
    }
}

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
    pub detail: &'static str,
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

/// Most losses of one code that a [`LossLog`] keeps: no code is ever missing.
pub(crate) const MAX_PER_CODE: usize = 100;

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
        self.losses.push(Loss { pointer: pointer.into(), code, severity: *severity, detail });
    }
}
