//! Histories: check and repair.

use partwire::{HistoryOptions, RepairOptions, Version, check_history, repair_history};
use partwire::{Value, json};

use crate::values::{Outcome, bytes, findings, flag, refusal, text_of, words};

pub(crate) fn history(given: &Value, version: Version) -> Outcome {
    let messages = given["messages"].as_array().ok_or("no messages")?;
    let messages: Vec<Vec<u8>> = messages.iter().map(bytes).collect::<Result<_, _>>()?;
    let options =
        HistoryOptions { ongoing: flag(given, "ongoing"), version, ..HistoryOptions::default() };
    let found = check_history(messages, options).map_err(words)?;
    Ok(json!({"findings": findings(&found)}))
}

pub(crate) fn repaired(given: &Value, version: Version) -> Outcome {
    let messages = given["messages"].as_array().ok_or("no messages")?;
    let messages: Vec<Vec<u8>> = messages.iter().map(bytes).collect::<Result<_, _>>()?;
    let rows = given["policy"].as_object().into_iter().flatten();
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let policy = rows.map(|(defect, action)| (defect.clone(), word(action))).collect();
    let options = RepairOptions { policy, ongoing: flag(given, "ongoing"), version };
    let repaired = match repair_history(messages, &options) {
        Ok(repaired) => repaired,
        Err(error) => return Ok(refusal(&error)),
    };
    let changes = repaired.changes.into_iter().map(|change| {
        let mut row = json!({
            "rule": change.rule, "pointer": change.pointer, "action": change.action
        });
        if let Some(result) = change.result {
            row["result"] = result.into();
        }
        row
    });
    let changes: Value = changes.collect();
    let messages: Value = repaired.messages.into_iter().map(text_of).collect();
    Ok(json!({"messages": messages, "changes": changes}))
}
