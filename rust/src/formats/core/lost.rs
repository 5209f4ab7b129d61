//! The losses of one document that is read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::convert::losses::{Loss, LossSeverity};
use crate::tables::losses::FORMAT_LOSSES;

/// Losses of one code that are kept: histories are long, and each place counts; but what a hostile
/// document costs has an end.
const MOST_LOSSES: usize = 10_000;

/// A code, its severity, and a sentence.
type Row = (&'static str, LossSeverity, &'static str);

/// Losses by code and place, each once, and bounded whatever the document.
///
/// Of one code the first [`MOST_LOSSES`] are kept; a loss `losses-left-out` for the code says how
/// many more there were.
#[derive(Default)]
pub(crate) struct Losses {
    kept: Vec<Loss>,
    places: HashMap<&'static str, HashSet<String>>,
    /// Codes as they came first, and how many losses of each there were.
    counts: Vec<(&'static str, usize)>,
}

impl Losses {
    /// Notes a loss at a place of the source; a code that the table does not have is none.
    pub(crate) fn note(&mut self, code: &str, place: &str) {
        let Some((code, severity, detail)) = row_of(code) else { return };
        let places = self.places.entry(code).or_default();
        if places.contains(place) {
            return;
        }
        let at = self.counts.iter().position(|(each, _)| *each == code);
        let at = at.unwrap_or_else(|| {
            self.counts.push((code, 0));
            self.counts.len() - 1
        });
        let Some((_, count)) = self.counts.get_mut(at) else { return };
        *count += 1;
        if *count <= MOST_LOSSES {
            places.insert(place.to_owned());
            let pointer = place.to_owned();
            self.kept.push(Loss { pointer, code, severity, detail: detail.into() });
        }
    }

    /// Returns the losses as they came, and behind them the counts of those left out.
    pub(crate) fn found(self) -> Vec<Loss> {
        let mut found = self.kept;
        let Some((code, severity, words)) = row_of("losses-left-out") else { return found };
        for (each, count) in self.counts {
            if let Some(more) = count.checked_sub(MOST_LOSSES).filter(|more| *more > 0) {
                let detail = Cow::Owned(format!("{words}: {each}, {}", grouped(more)));
                found.push(Loss { pointer: String::new(), code, severity, detail });
            }
        }
        found
    }
}

fn row_of(code: &str) -> Option<Row> {
    FORMAT_LOSSES.iter().find(|(each, ..)| *each == code).copied()
}

/// Returns a count with a comma between each three digits.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut made = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            made.push(',');
        }
        made.push(digit);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_in_groups() {
        let rows = [(1, "1"), (999, "999"), (1234, "1,234"), (1_234_567, "1,234,567")];
        for (count, text) in rows {
            assert_eq!(grouped(count), text);
        }
    }
}
