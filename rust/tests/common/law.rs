//! There and back is the original, but for what was reported.

use std::collections::BTreeSet;

use partwire::Value;
use partwire::{Loss, LossSeverity, canonical};

fn tokens(pointer: &str) -> Vec<String> {
    let each = pointer.split('/').skip(1);
    each.map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

fn step<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
        Value::Object(members) => members.get(token),
        _ => None,
    }
}

fn holder<'a>(value: &'a Value, tokens: &[String]) -> Option<&'a Value> {
    tokens.split_last()?.1.iter().try_fold(value, |node, token| step(node, token))
}

fn holder_mut<'a>(value: &'a mut Value, tokens: &[String]) -> Option<&'a mut Value> {
    tokens.split_last()?.1.iter().try_fold(value, |node, token| match node {
        Value::Array(items) => token.parse().ok().and_then(|index: usize| items.get_mut(index)),
        Value::Object(members) => members.get_mut(token),
        _ => None,
    })
}

/// Returns `value` without the reported members, and with `items` without reported items.
fn without(value: &Value, pointers: &BTreeSet<String>, items: bool) -> Value {
    let mut made = value.clone();
    let mut all: Vec<Vec<String>> = pointers.iter().map(|pointer| tokens(pointer)).collect();
    for tokens in &all {
        if let Some(Value::Object(members)) = holder_mut(&mut made, tokens) {
            members.remove(tokens.last().unwrap());
        }
    }
    // The innermost first, and of one array the last.
    all.sort_by_key(|tokens| (tokens.len(), tokens.last().unwrap().parse::<usize>().unwrap_or(0)));
    for tokens in all.iter().rev().filter(|_| items) {
        if let Some(Value::Array(values)) = holder_mut(&mut made, tokens) {
            values.remove(tokens.last().unwrap().parse().unwrap());
        }
    }
    made
}

/// Returns where the place is once the items `gone` are out of `original`.
fn moved(pointer: &str, original: &Value, gone: &BTreeSet<String>) -> String {
    let (mut at, mut made) = (String::new(), String::new());
    let mut node = Some(original);
    for raw in pointer.split('/').skip(1) {
        let mut place = raw.to_owned();
        if let (Some(Value::Array(_)), Ok(index)) = (node, raw.parse::<usize>()) {
            let before = (0..index).filter(|n| gone.contains(&format!("{at}/{n}"))).count();
            place = (index - before).to_string();
        }
        node = node.and_then(|node| step(node, &tokens(&format!("/{raw}"))[0]));
        at = format!("{at}/{raw}");
        made = format!("{made}/{place}");
    }
    made
}

/// Checks the law; a report of severity info at an item masks nothing: the item has to come back.
pub fn assert_back(original: &Value, returned: &Value, losses: &[Loss]) {
    let is_item =
        |loss: &&Loss| matches!(holder(original, &tokens(&loss.pointer)), Some(Value::Array(_)));
    let (items, others): (Vec<&Loss>, Vec<&Loss>) = losses.iter().partition(is_item);
    let lost = items.iter().filter(|loss| loss.severity != LossSeverity::Info);
    let gone: BTreeSet<String> = lost.map(|loss| loss.pointer.clone()).collect();
    let is_inside = |pointer: &str| gone.iter().any(|out| pointer.starts_with(&format!("{out}/")));
    let members: BTreeSet<String> =
        others.iter().map(|loss| loss.pointer.clone()).filter(|each| !is_inside(each)).collect();
    let there: BTreeSet<String> =
        members.iter().map(|pointer| moved(pointer, original, &gone)).collect();
    let left = without(original, &members.union(&gone).cloned().collect(), true);
    let right = without(returned, &there, false);
    assert_eq!(canonical(&left), canonical(&right), "{original}\n{losses:#?}");
}
