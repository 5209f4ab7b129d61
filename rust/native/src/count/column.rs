//! Columns: what is summed up, or the least or largest, of the documents of a row.

use serde_json::Value;

use super::facts::Facts;
use super::plan::{Plan, texts};

#[derive(Clone, Copy)]
enum Op {
    Sum,
    Min,
    Max,
}

/// What a column has of a document, with the slot that it looks at.
enum Of {
    One,
    Bytes,
    Integer(usize),
    Billionths(usize),
    Time(usize),
}

/// A column of a table.
pub struct Column {
    op: Op,
    of: Of,
    /// Only of documents that have one of some texts at a slot.
    only: Option<(usize, Vec<String>)>,
}

impl Column {
    /// Reads a column; the plan gets the slots that are asked for.
    pub fn read(told: &Value, plan: &mut Plan) -> Option<Self> {
        let op = match told[0].as_str()? {
            "sum" => Op::Sum,
            "min" => Op::Min,
            "max" => Op::Max,
            _ => return None,
        };
        let pointer = told[2].as_str()?;
        let of = match told[1].as_str()? {
            "one" => Of::One,
            "bytes" => Of::Bytes,
            "integer" => Of::Integer(plan.slot(pointer)),
            "billionths" => Of::Billionths(plan.slot(pointer)),
            "time" => Of::Time(plan.slot(pointer)),
            _ => return None,
        };
        let only = match &told[3] {
            Value::Null => None,
            only => Some((plan.slot(only[0].as_str()?), texts(&only[1])?)),
        };
        Some(Self { op, of, only })
    }

    /// Returns what a document adds; None for nothing.
    pub fn value(&self, facts: &mut Facts<'_>) -> Option<i64> {
        if let Some((slot, texts)) = &self.only {
            if !facts.is_one(*slot, texts) {
                return None;
            }
        }
        match self.of {
            Of::One => Some(1),
            Of::Bytes => i64::try_from(facts.text.len()).ok(),
            Of::Integer(slot) => facts.integer(slot),
            Of::Billionths(slot) => facts.billionths(slot),
            Of::Time(slot) => facts.time(slot),
        }
    }

    /// Adds a document to what is known.
    pub fn combine(&self, known: &mut Option<i64>, facts: &mut Facts<'_>) {
        let Some(value) = self.value(facts) else { return };
        *known = Some(match (*known, self.op) {
            (None, _) => value,
            (Some(known), Op::Sum) => known.saturating_add(value),
            (Some(known), Op::Min) => known.min(value),
            (Some(known), Op::Max) => known.max(value),
        });
    }
}
