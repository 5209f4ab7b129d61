//! Tool states: transition.

use partwire::{Error, Map, Moved, Severity, Version, validate_value};
use partwire::{Value, json};

use crate::values::{Outcome, place, text, words};

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut made = words.next().unwrap_or("").to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        made.push_str(&first.to_uppercase());
        made.push_str(rest);
    }
    made
}

/// Returns the fields of a call, named as in documents.
pub(crate) fn fields_of(given: &Value) -> Map {
    let members = given.as_object().into_iter().flatten();
    members.map(|(name, value)| (camel(name), value.clone())).collect()
}

pub(crate) fn moved(given: &Value, version: Version) -> Outcome {
    let (state, fields) = (&given["state"], &given["fields"]);
    let after = match text(given, "call") {
        "expire" => {
            let error = fields["error"].as_str();
            partwire::expire_value(state, &fields["now"], &fields["timeout_ms"], error)
        }
        "fail_pending" => partwire::fail_pending_value(state, &fields["error"], &fields["now"]),
        _ => partwire::transition_value(state, text(given, "to"), &fields_of(fields)),
    };
    let mut result = match after {
        Ok(Moved::Same) => json!({"same": true}),
        Ok(Moved::State(state)) => {
            let found = validate_value(&state, "session.ToolState", version).map_err(words)?;
            if found.iter().any(|each| each.severity == Severity::Error) {
                return Err("the new state is not valid".to_owned());
            }
            json!({"state": state})
        }
        Err(error) => {
            let mut result = json!({"error": place(&error)});
            if let Error::Transition(refusal) = &error {
                // A peer of an older version is told the states that it knows.
                let is_known = |status: &&&str| {
                    !["awaiting_approval", "denied"].contains(status)
                        || version == Version::default()
                };
                let followers = partwire::followers(&refusal.current).iter().filter(is_known);
                result["details"] = json!({
                    "currentStatus": refusal.current,
                    "attemptedStatus": refusal.attempted,
                    "validTransitions": followers.collect::<Vec<_>>(),
                });
            }
            result
        }
    };
    result["before"] = state.clone();
    Ok(result)
}
