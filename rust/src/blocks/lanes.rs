//! Blocks that are written at once, brought into the order in which they began.
//!
//! Deltas and chunks alike may go back and forth between the blocks of one message, but neither of
//! the two can say so in the other's way. So only the first block that is not closed, the front,
//! is written through; what comes for a later one waits in its lane.

use std::collections::VecDeque;

/// One block from its start to its end: text, some of which may wait, or an item.
pub(crate) struct Lane<T> {
    /// The number of what began it.
    pub at: u64,
    pub is_text: bool,
    pub item: Option<T>,
    pub index: u64,
    pub open: bool,
    /// Whether its text has been written on.
    pub begun: bool,
    /// Text that waits.
    pub held: String,
}

impl<T> Lane<T> {
    /// Returns a block of text that is open.
    pub(crate) fn text(at: u64, index: u64) -> Self {
        let held = String::new();
        Self { at, is_text: true, item: None, index, open: true, begun: false, held }
    }

    /// Returns a block of an item; it is closed if the item is there.
    pub(crate) fn item(at: u64, item: Option<T>) -> Self {
        Self { is_text: false, open: item.is_none(), item, ..Self::text(at, 0) }
    }
}

/// Identifies a lane of one stream; later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaneId(usize);

/// The blocks that are not written to their end, in the order of their start.
pub(crate) struct Lanes<T> {
    queue: VecDeque<Lane<T>>,
    /// How many lanes were left behind: the number of the front.
    gone: usize,
}

impl<T> Lanes<T> {
    pub(crate) fn new() -> Self {
        Self { queue: VecDeque::new(), gone: 0 }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, lane: Lane<T>) -> LaneId {
        self.queue.push_back(lane);
        LaneId(self.gone + self.queue.len() - 1)
    }

    /// Returns a block that has not been left behind.
    pub(crate) fn get_mut(&mut self, id: LaneId) -> Option<&mut Lane<T>> {
        self.queue.get_mut(id.0.checked_sub(self.gone)?)
    }

    /// Tells whether a block may be written through.
    pub(crate) fn is_front(&self, id: LaneId) -> bool {
        id.0 == self.gone
    }

    /// Leaves the front behind if it is closed; returns the block that becomes the front, closed
    /// or open.
    pub(crate) fn advance(&mut self) -> Option<LaneId> {
        if self.queue.front().is_none_or(|front| front.open) {
            return None;
        }
        self.queue.pop_front();
        self.gone += 1;
        (!self.queue.is_empty()).then_some(LaneId(self.gone))
    }

    /// Returns what waits behind the front.
    pub(crate) fn rest(&self) -> impl Iterator<Item = LaneId> + use<T> {
        (self.gone + 1..self.gone + self.queue.len()).map(LaneId)
    }
}
