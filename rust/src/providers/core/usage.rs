//! Token figures of a provider: the last figure per field wins, nothing is ever added up twice.

use std::collections::HashMap;

use crate::contract::current::message::UsageSummary;
use crate::json::raw::{Raw, RawObject};

/// Most tokens of one figure: what adapters add up is a count that the contract has, too.
const MAX: u64 = 1 << 50;

/// The figures of one stream so far: a later one replaces an earlier one of its name.
///
/// A figure that is null, absent, or no figure at all never replaces one.
#[derive(Default)]
pub(crate) struct Figures {
    values: HashMap<&'static str, u64>,
}

impl Figures {
    /// Takes the figures `names` out of `usage`; returns the name of the last one that is not a
    /// count.
    pub(crate) fn take(
        &mut self,
        usage: &RawObject,
        names: &[&'static str],
    ) -> Option<&'static str> {
        let mut bad = None;
        for name in names {
            let value = usage.get(name);
            if let Some(count) = count_of(value) {
                self.values.insert(name, count);
            } else if !value.is_null() {
                bad = Some(*name);
            }
        }
        bad
    }

    /// Returns the figure of the first name that has one.
    pub(crate) fn get(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| self.values.get(name).copied())
    }

    /// Returns a figure, 0 where there is none.
    pub(crate) fn of(&self, name: &str) -> u64 {
        self.get(&[name]).unwrap_or(0)
    }
}

/// Returns a count, which may be written with a fraction of zero.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and in range by now
#[allow(clippy::cast_precision_loss)] // the bound is exact
fn count_of(value: &Raw) -> Option<u64> {
    match value {
        Raw::Int(count) => u64::try_from(*count).ok().filter(|count| *count <= MAX),
        Raw::Float(count) => {
            let is_count = count.fract() == 0.0 && *count >= 0.0 && *count <= MAX as f64;
            is_count.then_some(*count as u64)
        }
        _ => None,
    }
}

/// Parts of the figures that are known.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts {
    /// Of what was written.
    pub reasoning: Option<u64>,
    /// Of what was read.
    pub cache_read: Option<u64>,
    /// Of what was read.
    pub cache_write: Option<u64>,
}

/// Returns a usage of tokens read and written, with those parts of them that are known.
///
/// A part that is larger than its whole is none of it, and left out.
pub(crate) fn usage_summary(read: u64, written: u64, total: u64, parts: Parts) -> UsageSummary {
    UsageSummary {
        input_tokens: read,
        output_tokens: written,
        total_tokens: total,
        reasoning_tokens: parts.reasoning.filter(|part| *part <= written),
        cache_read_tokens: parts.cache_read.filter(|part| *part <= read),
        cache_write_tokens: parts.cache_write.filter(|part| *part <= read),
        cost: None,
    }
}
