//! Members that nobody declared, by place and kind of value.

use std::io::Write;

use super::json;
use super::plan::Plan;
use super::rows::{Example, Map};
use super::text::clipped;
use super::walk::Undeclared;
use crate::scan::{KINDS, kind};

struct Row {
    example: Example,
    count: i64,
    /// The first and the last day of documents that have it.
    days: Option<(String, String)>,
}

/// What is known of members that their objects do not declare.
#[derive(Default)]
pub struct Drift(Map<(String, &'static str), Row>);

impl Drift {
    /// Returns how many rows are held.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a member of a document, and the document's day.
    pub fn add(
        &mut self,
        plan: &Plan,
        text: &str,
        member: &Undeclared,
        example: Example,
        day: Option<&str>,
    ) {
        let name = clipped(member.name.of(text)).replace('~', "~0").replace('/', "~1");
        let place = format!("{}/{name}", plan.objects[member.object].pointer);
        let kind = kind(text.as_bytes(), member.at).map_or("null", |kind| KINDS[kind]);
        let row = self.0.entry((place, kind)).or_insert(Row { example, count: 0, days: None });
        row.example = row.example.min(example);
        row.count += 1;
        let Some(day) = day else { return };
        let (first, last) = row.days.get_or_insert_with(|| (day.to_owned(), day.to_owned()));
        if *day < **first {
            day.clone_into(first);
        }
        if *day > **last {
            day.clone_into(last);
        }
    }

    /// Appends the rows as items, and lets go of them.
    pub fn take_out(&mut self, out: &mut Vec<u8>) {
        for ((place, kind), row) in self.0.drain() {
            json::comma(out);
            out.extend_from_slice(b"[[");
            json::string(out, &place);
            let Example { mark, at } = row.example;
            let _ = write!(out, ",\"{kind}\"],{mark},{at},[{}", row.count);
            let (first, last) = row.days.unzip();
            for day in [first, last] {
                out.push(b',');
                json::plain_or_null(out, day.as_deref());
            }
            out.extend_from_slice(b"]]");
        }
    }
}
