//! Two answers in one stream, where nothing but the id of the pieces tells them apart.

use crate::providers::raw::Raw;

/// The id that the pieces of one answer carry.
///
/// Some servers make up an id for every piece: where ids changed before the answer was finished, they
/// tell nothing.
#[derive(Default)]
pub(crate) struct AnswerIds {
    /// Of the first piece that has one; null before.
    pub first: Raw,
    changes: bool,
}

impl AnswerIds {
    /// Takes the id of a piece; tells whether it is of another answer than the first one.
    pub(crate) fn is_other(&mut self, said: &Raw, finished: bool) -> bool {
        if said.some_text().is_none() || *said == self.first {
            return false;
        }
        if self.first.is_null() {
            self.first = said.clone();
            return false;
        }
        self.changes |= !finished;
        !self.changes
    }
}
