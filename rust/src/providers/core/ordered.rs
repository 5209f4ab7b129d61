//! What is open in a stream, by its number, in the order in which it began.

use std::collections::{BTreeMap, HashMap};

/// A table that is read by number and emptied in order.
pub(crate) struct Ordered<T> {
    places: HashMap<i128, u64>,
    items: BTreeMap<u64, (i128, T)>,
    count: u64,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self { places: HashMap::new(), items: BTreeMap::new(), count: 0 }
    }
}

impl<T> Ordered<T> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Tells whether there is one of a number.
    pub(crate) fn has(&self, number: i128) -> bool {
        self.places.contains_key(&number)
    }

    /// Returns that of a number.
    pub(crate) fn get(&self, number: i128) -> Option<&T> {
        self.items.get(self.places.get(&number)?).map(|(_, item)| item)
    }

    /// Returns that of a number, to change it.
    pub(crate) fn get_mut(&mut self, number: i128) -> Option<&mut T> {
        let place = self.places.get(&number)?;
        self.items.get_mut(place).map(|(_, item)| item)
    }

    /// Adds one, of a number that none has.
    pub(crate) fn add(&mut self, number: i128, item: T) {
        self.places.insert(number, self.count);
        self.items.insert(self.count, (number, item));
        self.count += 1;
    }

    /// Takes out that of a number.
    pub(crate) fn remove(&mut self, number: i128) -> Option<T> {
        let place = self.places.remove(&number)?;
        self.items.remove(&place).map(|(_, item)| item)
    }

    /// Returns the numbers of all, in order.
    pub(crate) fn numbers(&self) -> Vec<i128> {
        self.items.values().map(|(number, _)| *number).collect()
    }

    /// Takes out all, in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        self.places.clear();
        std::mem::take(&mut self.items).into_values().map(|(_, item)| item)
    }
}
