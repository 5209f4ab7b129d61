//! Tables: rows of documents that have the same key, with what the columns have of them.

use std::io::Write;

use serde_json::Value;

use super::column::Column;
use super::facts::Facts;
use super::json;
use super::key::{Key, size_of};
use super::plan::Plan;
use super::rows::{Example, Map, Sample};

/// The values of a row, by column.
type Values = Vec<Option<i64>>;

fn combine(values: &mut Values, columns: &[Column], facts: &mut Facts<'_>) {
    for (value, column) in values.iter_mut().zip(columns) {
        column.combine(value, facts);
    }
}

struct Row {
    example: Example,
    values: Values,
}

impl Row {
    fn of(example: Example, columns: &[Column], facts: &mut Facts<'_>) -> Self {
        Self { example, values: columns.iter().map(|column| column.value(facts)).collect() }
    }

    fn add(&mut self, example: Example, columns: &[Column], facts: &mut Facts<'_>) {
        self.example = self.example.min(example);
        combine(&mut self.values, columns, facts);
    }

    fn append(&self, out: &mut Vec<u8>) {
        let _ = write!(out, ",{},{},", self.example.mark, self.example.at);
        json::counts(out, &self.values);
    }
}

enum Rows {
    /// By JSON text: an array of what documents have.
    ByKey(Map<Box<[u8]>, Row>),
    /// By the bucket of the document's bytes, where that is the whole key.
    BySize(Map<u64, Row>),
    Sampled(Sample<Values>),
}

/// A table: its rows, and how they come about.
pub struct Table {
    pub name: String,
    /// Only documents with a value at this slot are in it.
    when: Option<usize>,
    key: Key,
    columns: Vec<Column>,
    rows: Rows,
}

impl Table {
    /// Reads a table of a plan, which gets the slots that are asked for; None for one that is not
    /// known.
    pub fn read(told: &Value, plan: &mut Plan) -> Option<Self> {
        let key = Key::read(&told["by"], plan)?;
        let mut columns = Vec::new();
        for each in told["of"].as_array()? {
            columns.push(Column::read(each, plan)?);
        }
        let when = told["when"].as_str()?;
        let most = told["most"].as_u64()?.try_into().ok()?;
        Some(Self {
            name: told["name"].as_str()?.to_owned(),
            when: (!when.is_empty()).then(|| plan.slot(when)),
            rows: if told["isSample"].as_bool()? {
                Rows::Sampled(Sample::new(most))
            } else if key.is_size() {
                Rows::BySize(Map::default())
            } else {
                Rows::ByKey(Map::default())
            },
            key,
            columns,
        })
    }

    /// Returns how many rows are held.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::ByKey(rows) => rows.len(),
            Rows::BySize(rows) => rows.len(),
            Rows::Sampled(sample) => sample.len(),
        }
    }

    pub fn is_sample(&self) -> bool {
        matches!(self.rows, Rows::Sampled(_))
    }

    /// Says from which digest on rows are not in it, if it is a sample.
    pub fn set_bound(&mut self, bound: u64) {
        if let Rows::Sampled(sample) = &mut self.rows {
            sample.set_bound(bound);
        }
    }

    /// Adds a document; `key` is what keys are made in.
    pub fn add(&mut self, facts: &mut Facts<'_>, example: Example, key: &mut Vec<u8>) {
        if self.when.is_some_and(|slot| !facts.has(slot)) {
            return;
        }
        let columns = &self.columns;
        match &mut self.rows {
            Rows::ByKey(rows) => {
                self.key.write(facts, key);
                if let Some(row) = rows.get_mut(key.as_slice()) {
                    row.add(example, columns, facts);
                } else {
                    rows.insert(key.as_slice().into(), Row::of(example, columns, facts));
                }
            }
            Rows::BySize(rows) => {
                let size = size_of(facts);
                if let Some(row) = rows.get_mut(&size) {
                    row.add(example, columns, facts);
                } else {
                    rows.insert(size, Row::of(example, columns, facts));
                }
            }
            Rows::Sampled(sample) => {
                self.key.write_name(facts, key);
                if let Some(values) = sample.row(key, || vec![None; columns.len()]) {
                    combine(values, columns, facts);
                }
            }
        }
    }

    /// Appends the rows as a member by the table's name, and lets go of them.
    pub fn take_out(&mut self, out: &mut Vec<u8>) {
        json::comma(out);
        json::string(out, &self.name);
        out.extend_from_slice(b":[");
        match &mut self.rows {
            Rows::ByKey(rows) => {
                for (key, row) in rows.drain() {
                    json::comma(out);
                    out.push(b'[');
                    out.extend_from_slice(&key);
                    row.append(out);
                    out.push(b']');
                }
            }
            Rows::BySize(rows) => {
                for (size, row) in rows.drain() {
                    json::comma(out);
                    let _ = write!(out, "[[{size}]");
                    row.append(out);
                    out.push(b']');
                }
            }
            Rows::Sampled(sample) => {
                for (digest, values) in sample.take_out() {
                    json::comma(out);
                    let _ = write!(out, "[\"{digest}\",");
                    json::counts(out, &values);
                    out.push(b']');
                }
            }
        }
        out.push(b']');
    }
}
