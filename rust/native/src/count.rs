//! What valid documents have, counted along a plan: members, values, members that nobody declared,
//! and rows of tables.
//!
//! The plan and the counts are those of `partwire.archive.statistics`; a document that is odd is
//! left to it. Each document is walked through once, which notes where things are; only then, when it
//! is known not to be odd, is it counted.

mod calls;
mod column;
mod facts;
mod json;
mod key;
mod plan;
mod rows;
mod table;
mod text;
mod time;
mod undeclared;
mod values;
mod walk;

use std::io::Write;

use self::calls::Calls;
use self::facts::{Facts, Times};
use self::plan::Plan;
use self::rows::Example;
use self::table::Table;
use self::undeclared::Drift;
use self::values::Values;
use self::walk::{Notes, note};

/// Counts documents.
pub struct Counting {
    plan: Plan,
    /// How many members there are, by place.
    members: Vec<i64>,
    values: Values,
    drift: Drift,
    tables: Vec<Table>,
    calls: Option<Calls>,
    // What is made anew for each document, in the memory of the one before.
    notes: Notes,
    times: Times,
    key: Vec<u8>,
}

impl Counting {
    /// Makes what counts along a plan, JSON text; None for one that it does not know.
    pub fn new(plan: &str) -> Option<Self> {
        let (plan, tables, calls) = Plan::read(&serde_json::from_str(plan).ok()?)?;
        Some(Self {
            members: vec![0; plan.places.len()],
            values: Values::new(plan.places.len()),
            drift: Drift::default(),
            tables,
            calls,
            notes: Notes::new(plan.slots()),
            times: Times::new(plan.slots()),
            key: Vec::new(),
            plan,
        })
    }

    /// How many rows are held.
    pub fn rows(&self) -> usize {
        self.values.len()
            + self.drift.len()
            + self.tables.iter().map(Table::len).sum::<usize>()
            + self.calls.as_ref().map_or(0, Calls::len)
    }

    /// Says from which digest on things are not in a sample.
    pub fn bound(&mut self, table: &str, bound: u64) {
        if let Some(calls) = self.calls.as_mut().filter(|_| table == Calls::NAME) {
            calls.set_bound(bound);
        }
        for each in self.tables.iter_mut().filter(|each| each.name == table) {
            each.set_bound(bound);
        }
    }

    /// Counts a valid document, of which `at` is the number; false if it is odd: nothing of it is
    /// counted then.
    pub fn take(&mut self, text: &str, at: u64) -> bool {
        let is_noted = note(&self.plan, text, &mut self.notes).is_some();
        if is_noted {
            self.count(text, Example::new(text, at));
        }
        is_noted
    }

    /// Counts what is noted of a document.
    fn count(&mut self, text: &str, example: Example) {
        let mut facts = Facts::new(text, &self.notes.slots, &mut self.times);
        for table in &mut self.tables {
            table.add(&mut facts, example, &mut self.key);
        }
        for place in &self.notes.members {
            self.members[*place] += 1;
        }
        for (place, span) in &self.notes.values {
            if let Some(raw) = facts.raw_at(*span) {
                self.values.add(*place, raw, example);
            }
        }
        if !self.notes.undeclared.is_empty() {
            let day = self.plan.time.and_then(|slot| facts.day(slot));
            for member in &self.notes.undeclared {
                self.drift.add(&self.plan, text, member, example, day.as_deref());
            }
        }
        if let Some(calls) = &mut self.calls {
            calls.add(&facts, &self.notes.items, &mut self.key);
        }
    }

    /// Returns what has been counted since the last time, as JSON text.
    pub fn take_out(&mut self) -> Vec<u8> {
        let mut out = b"{\"members\":{".to_vec();
        for (place, count) in self.plan.places.iter().zip(&mut self.members) {
            if *count > 0 {
                json::comma(&mut out);
                json::string(&mut out, place);
                let _ = write!(out, ":{count}");
                *count = 0;
            }
        }
        out.extend_from_slice(b"},\"sums\":{\"values\":[");
        self.values.take_out(&self.plan.places, &mut out);
        out.extend_from_slice(b"],\"undeclared\":[");
        self.drift.take_out(&mut out);
        out.push(b']');
        for table in self.tables.iter_mut().filter(|table| !table.is_sample()) {
            table.take_out(&mut out);
        }
        out.extend_from_slice(b"},\"samples\":{");
        for table in self.tables.iter_mut().filter(|table| table.is_sample()) {
            table.take_out(&mut out);
        }
        if let Some(calls) = &mut self.calls {
            calls.take_out(&mut out);
        }
        out.extend_from_slice(b"}}");
        out
    }
}
