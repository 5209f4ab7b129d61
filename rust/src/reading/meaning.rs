//! Rules of meaning, which schemas declare as data: where a value breaks one, and why.

use std::collections::HashMap;

use crate::json::Value;

use crate::contract::schema::{Op, Rule};
use crate::errors::{Finding, clip};
use crate::json::pointer::escape_pointer;

/// Returns what a rule has against `value`, whose shape is right; pointers are relative to it.
pub(crate) fn broken(rule: &Rule, value: &Value) -> Vec<Finding> {
    let check = Check { rule, value };
    match &rule.op {
        Op::TagTable { tag, items, item_tag, table } => {
            check.tag_table(tag, items, item_tag, table)
        }
        Op::Unique { items, key, only } => check.unique(items, key, only.as_ref()),
        Op::ItemsEqual { items, key, to } => check.items_equal(items, key, to),
        Op::ItemsSame { items, key } => check.items_same(items, key),
        Op::NotLess { value, than } => check.not_less(value, than),
        Op::PresentWhen { when, is, member } => check.present_when(when, is, member),
    }
}

/// Returns what is at a path of member names.
pub(crate) fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |node, name| node.as_object()?.get(name))
}

fn pointer_of(path: &[String]) -> String {
    path.iter().flat_map(|name| ["/".to_owned(), escape_pointer(name)]).collect()
}

/// Two scalars are the same; numbers as numbers, however they were written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.is_same_double(*other),
        _ => one == other,
    }
}

struct Check<'a> {
    rule: &'a Rule,
    value: &'a Value,
}

impl<'a> Check<'a> {
    fn finding(&self, pointer: &str, message: &str, expected: &str) -> Finding {
        Finding::error(&self.rule.id, pointer, message)
            .severity(self.rule.severity)
            .expected(expected)
    }

    /// Returns pointer and key of every item that has one, and that `only` selects.
    fn keys(
        &self,
        items: &[String],
        key: &[String],
        only: Option<&(Vec<String>, Value)>,
    ) -> Vec<(String, &'a Value)> {
        let Some(Value::Array(values)) = at(self.value, items) else {
            return Vec::new();
        };
        let (items, place) = (pointer_of(items), pointer_of(key));
        let selected = values.iter().enumerate().filter_map(|(index, item)| {
            let is_selected = only
                .is_none_or(|(path, wanted)| at(item, path).is_some_and(|found| found == wanted));
            let given = at(item, key).filter(|_| is_selected)?;
            Some((format!("{items}/{index}{place}"), given))
        });
        selected.collect()
    }

    fn tag_table(
        &self,
        tag: &[String],
        items: &[String],
        item_tag: &[String],
        table: &HashMap<String, Vec<String>>,
    ) -> Vec<Finding> {
        let row = at(self.value, tag).and_then(Value::as_str).unwrap_or("");
        let Some(allowed) = table.get(row) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (pointer, kind) in self.keys(items, item_tag, None) {
            if !kind.as_str().is_some_and(|kind| allowed.iter().any(|each| each == kind)) {
                let message = format!("Not allowed where {} is {row}", tag.join("/"));
                found
                    .push(self.finding(&pointer, &message, &allowed.join(", ")).actual(clip(kind)));
            }
        }
        found
    }

    fn unique(
        &self,
        items: &[String],
        key: &[String],
        only: Option<&(Vec<String>, Value)>,
    ) -> Vec<Finding> {
        let mut first: HashMap<String, String> = HashMap::new();
        let mut found = Vec::new();
        for (pointer, key) in self.keys(items, key, only) {
            if let Some(before) = first.get(&key.to_string()) {
                let message = format!("The same as at {before}");
                let expected = "a value that no other has";
                found.push(self.finding(&pointer, &message, expected).actual(clip(key)));
            } else {
                first.insert(key.to_string(), pointer);
            }
        }
        found
    }

    fn items_equal(&self, items: &[String], key: &[String], to: &[String]) -> Vec<Finding> {
        let Some(expected) = at(self.value, to) else {
            return Vec::new();
        };
        let message = format!("Not the same as at {}", pointer_of(to));
        let differing =
            self.keys(items, key, None).into_iter().filter(|(_, key)| !same(key, expected));
        differing
            .map(|(pointer, key)| {
                self.finding(&pointer, &message, &clip(expected)).actual(clip(key))
            })
            .collect()
    }

    fn items_same(&self, items: &[String], key: &[String]) -> Vec<Finding> {
        let keys = self.keys(items, key, None);
        let Some((place, first)) = keys.first() else {
            return Vec::new();
        };
        let message = format!("Not the same as at {place}");
        let differing = keys.iter().filter(|(_, key)| !same(key, first));
        differing
            .map(|(pointer, key)| self.finding(pointer, &message, &clip(first)).actual(clip(key)))
            .collect()
    }

    fn not_less(&self, value: &[String], than: &[String]) -> Vec<Finding> {
        let number = |path| at(self.value, path).and_then(Value::as_f64);
        match (number(value), number(than)) {
            (Some(given), Some(least)) if given < least => {
                let message = format!("Less than {}", pointer_of(than));
                let expected = format!("at least {least}");
                let finding = self.finding(&pointer_of(value), &message, &expected);
                vec![finding.actual(given.to_string())]
            }
            _ => Vec::new(),
        }
    }

    fn present_when(&self, when: &[String], is: &Value, member: &[String]) -> Vec<Finding> {
        let holds = at(self.value, when).is_some_and(|given| same(given, is));
        if !holds || at(self.value, member).is_some() {
            return Vec::new();
        }
        let name = member.last().map_or("", String::as_str);
        let message =
            format!("The member {name} is missing where {} is {}", pointer_of(when), clip(is));
        vec![self.finding("", &message, &format!("a member {name}"))]
    }
}
