//! Which call a result answers, by the ids that the source has, or by name and order.

use std::collections::HashMap;

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    /// Its id in the messages.
    pub call_id: String,
    /// Its tool.
    pub name: String,
    /// The id that the source gives it.
    pub own: Option<String>,
}

/// The calls of one history.
///
/// Some sources use an id again, others have no ids: a result is that of the first call that still
/// waits and fits, as results come in the order of their calls.
#[derive(Default)]
pub(crate) struct Calls {
    found: Vec<OpenCall>,
    /// Which of them wait.
    waits: Vec<bool>,
    all: Queue,
    by_own: HashMap<String, Queue>,
    by_name: HashMap<String, Queue>,
}

/// Numbers of calls in the order of the source; what is before `from` has been passed.
#[derive(Default)]
struct Queue {
    numbers: Vec<usize>,
    from: usize,
}

impl Queue {
    /// Passes calls that do not wait, up to the one at `end`; returns the next one.
    fn next(&mut self, end: usize, waits: &[bool]) -> Option<usize> {
        let is_over = |call: Option<&usize>| call.and_then(|call| waits.get(*call)) != Some(&true);
        while self.from < end && is_over(self.numbers.get(self.from)) {
            self.from += 1;
        }
        self.numbers.get(self.from).copied()
    }
}

impl Calls {
    /// Adds a call.
    pub(crate) fn add(&mut self, call: OpenCall) {
        let number = self.found.len();
        self.all.numbers.push(number);
        self.by_name.entry(call.name.clone()).or_default().numbers.push(number);
        if let Some(own) = &call.own {
            self.by_own.entry(own.clone()).or_default().numbers.push(number);
        }
        self.found.push(call);
        self.waits.push(true);
    }

    /// Returns the call that a result with an id answers; the last one where none waits.
    pub(crate) fn of_id(&mut self, own: &str) -> Option<&OpenCall> {
        let queue = self.by_own.get_mut(own)?;
        let number = queue.next(queue.numbers.len().saturating_sub(1), &self.waits)?;
        self.answer(number)
    }

    /// Returns the call that a result without an id answers, None where none waits.
    pub(crate) fn of_name(&mut self, name: Option<&str>) -> Option<&OpenCall> {
        let queue = match name {
            Some(name) => self.by_name.get_mut(name)?,
            None => &mut self.all,
        };
        let number = queue.next(queue.numbers.len(), &self.waits)?;
        self.answer(number)
    }

    fn answer(&mut self, number: usize) -> Option<&OpenCall> {
        if let Some(waits) = self.waits.get_mut(number) {
            *waits = false;
        }
        self.found.get(number)
    }
}
