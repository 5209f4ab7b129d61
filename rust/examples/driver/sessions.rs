//! Sessions: the steps that build a message.

use partwire::session::WithPartsBuilder;
use partwire::{Error, Finding, Version, validate_value};
use partwire::{Value, json};

use crate::states::fields_of;
use crate::values::{Outcome, findings, flag, refusal, served, text, words};

pub(crate) fn built(given: &Value, version: Version) -> Outcome {
    let session_id = text(given, "session_id");
    let builder = WithPartsBuilder::new(given["info"].clone(), session_id, String::new);
    let mut builder = match builder {
        Ok(builder) => builder.compacting(flag(given, "compacting")),
        Err(error) => return Ok(refusal(&error)),
    };
    for (index, step) in given["steps"].as_array().ok_or("no steps")?.iter().enumerate() {
        if let Err(error) = taken(&mut builder, step)? {
            let mut refusal = refusal(&error);
            refusal["error"]["step"] = index.into();
            return Ok(refusal);
        }
    }
    let partial = flag(given, "partial");
    let message = if partial { builder.build_partial() } else { builder.build() };
    let message = match message {
        Ok(message) => served(&message, version)?,
        Err(error) => return Ok(refusal(&error)),
    };
    let found = if partial { Vec::new() } else { builder.check().map_err(words)? };
    Ok(json!({"message": message, "findings": findings(&found)}))
}

/// Takes a step; the outer error is that of a step which the protocol does not have.
fn taken(builder: &mut WithPartsBuilder, step: &Value) -> Result<Result<(), Error>, String> {
    let members = step.as_object().filter(|members| members.len() == 1);
    let (name, given) = members.and_then(|members| members.iter().next()).ok_or("no step")?;
    Ok(match name.as_str() {
        "add" => builder.add_value(given.clone()),
        "move" => {
            let fields = fields_of(&given["fields"]);
            builder.move_value(text(given, "call_id"), text(given, "to"), fields)
        }
        "set_state" => builder.set_state_value(text(given, "call_id"), &state(&given["state"])?),
        "set_usage" => builder.set_usage_value(given["cost"].clone(), given["tokens"].clone()),
        "set_summary" => builder.set_summary_value(given.clone()),
        "complete" => {
            builder.complete_value(given.clone());
            Ok(())
        }
        _ => return Err(format!("no such step: {name}")),
    })
}

/// Returns a state; one that is not valid is running, and has what types can hold.
fn state(document: &Value) -> Outcome {
    let found = validate_value(document, "session.ToolState", Version::default()).map_err(words)?;
    if !found.iter().any(Finding::is_error) {
        return Ok(document.clone());
    }
    if document["status"] != "running" {
        return Err("a state that is not valid has to be running".to_owned());
    }
    Ok(json!({"status": "running", "input": document["input"], "time": document["time"]}))
}
