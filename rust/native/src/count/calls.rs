//! Calls of tools: what items of many documents tell of each.

use std::io::Write;

use serde_json::Value;

use super::facts::Facts;
use super::json;
use super::key::SEPARATOR;
use super::plan::{CALL, FAILED, Plan, TOOL, texts};
use super::rows::Sample;
use super::walk::{Item, NOWHERE};

/// What is known of a call: its tool, and whether it failed.
type Call = (Option<String>, Option<i64>);

/// A sample of calls, by run and call.
pub struct Calls {
    /// The slot of the run.
    run: usize,
    /// What says that a call has not failed, and that it has; without it booleans do.
    words: Option<[String; 2]>,
    sample: Sample<Call>,
}

impl Calls {
    /// The table's name.
    pub const NAME: &str = "calls";

    /// Reads what a plan says of calls; the plan gets to know its items.
    pub fn read(told: &Value, plan: &mut Plan) -> Option<Self> {
        let items = told["items"].as_str()?;
        let within = ["call", "tool", "failed"].map(|name| told[name].as_str());
        let [Some(call), Some(tool), Some(failed)] = within else { return None };
        let pointer = if items.is_empty() { String::new() } else { format!("{items}/*") };
        plan.set_items(&pointer, [call, tool, failed]);
        Some(Self {
            run: plan.slot(told["run"].as_str()?),
            words: match &told["words"] {
                Value::Null => None,
                words => Some(texts(words)?.try_into().ok()?),
            },
            sample: Sample::new(told["most"].as_u64()?.try_into().ok()?),
        })
    }

    /// Returns how many calls are held.
    pub fn len(&self) -> usize {
        self.sample.len()
    }

    /// Says from which digest on calls are not in the sample.
    pub fn set_bound(&mut self, bound: u64) {
        self.sample.set_bound(bound);
    }

    /// Adds what the items of a document tell; `key` is what keys are made in.
    pub fn add(&mut self, facts: &Facts<'_>, items: &[Item], key: &mut Vec<u8>) {
        if items.iter().all(|item| item[CALL] == NOWHERE) {
            return;
        }
        let Some(run) = facts.string(self.run) else { return };
        for item in items {
            let Some(call) = facts.string_at(item[CALL]) else { continue };
            let tool = facts.string_at(item[TOOL]);
            let failed = match &self.words {
                None => match facts.raw_at(item[FAILED]) {
                    Some("true") => Some(1),
                    Some("false") => Some(0),
                    _ => None,
                },
                Some([no, yes]) => match facts.string_at(item[FAILED]) {
                    Some(word) if *word == **no => Some(0),
                    Some(word) if *word == **yes => Some(1),
                    _ => None,
                },
            };
            if tool.is_none() && failed.is_none() {
                continue;
            }
            key.clear();
            key.extend_from_slice(run.as_bytes());
            key.push(SEPARATOR);
            key.extend_from_slice(call.as_bytes());
            let Some(known) = self.sample.row(key, Call::default) else { continue };
            if let Some(tool) = tool {
                if known.0.as_deref().is_none_or(|known| *known < *tool) {
                    known.0 = Some(tool.into_owned());
                }
            }
            known.1 = known.1.max(failed);
        }
    }

    /// Appends the calls as a member by the table's name, and lets go of them.
    pub fn take_out(&mut self, out: &mut Vec<u8>) {
        json::comma(out);
        json::plain(out, Self::NAME);
        out.extend_from_slice(b":[");
        for (digest, (tool, failed)) in self.sample.take_out() {
            json::comma(out);
            let _ = write!(out, "[\"{digest}\",[");
            match tool {
                Some(tool) => json::string(out, &tool),
                None => json::null(out),
            }
            out.push(b',');
            json::count_or_null(out, failed);
            out.extend_from_slice(b"]]");
        }
        out.push(b']');
    }
}
