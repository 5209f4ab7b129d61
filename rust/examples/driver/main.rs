//! The driver of the conformance suite: JSON Lines on standard input, answers on standard output,
//! as docs/conformance.md says.

use std::io::{BufRead, Write, stdin, stdout};

mod blocks;
mod clock;
mod conversions;
mod documents;
mod envelopes;
mod histories;
mod migrations;
mod providers;
mod requests;
mod serving;
mod sessions;
mod states;
mod streams;
mod values;

use partwire::{Mode, Version};
use partwire::{Value, json};

use values::Outcome;

/// Gives the result of an input.
type Operation = fn(&Value, Version) -> Outcome;

const OPERATIONS: &[(&str, Operation)] = &[
    ("validate", documents::checked),
    ("read", |given, version| documents::read(given, Mode::Strict, version)),
    ("read_tolerant", |given, version| documents::read(given, Mode::Tolerant, version)),
    ("assemble", streams::assemble),
    ("transition", states::moved),
    ("check_history", histories::history),
    ("convert_stream", blocks::converted),
    ("collect", blocks::collected),
    ("build_session", sessions::built),
    ("envelope", envelopes::envelope),
    ("repair_history", histories::repaired),
    ("adapt", providers::adapt),
    ("encode_request", requests::encode),
    ("convert", conversions::documents),
    ("migrate", migrations::called),
];

fn main() -> std::io::Result<()> {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?).unwrap_or_default();
        let answer = match request["type"].as_str() {
            Some("start") => started(),
            Some("run") => ran(&request),
            _ => break,
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn started() -> Value {
    json!({
        "type": "started",
        "protocol": 1,
        "implementation": {
            "name": "partwire-rs",
            "version": env!("CARGO_PKG_VERSION"),
            "language": "Rust",
        },
        "versions": partwire::VERSIONS.iter().map(|version| version.as_str()).collect::<Vec<_>>(),
        "operations": OPERATIONS.iter().map(|(name, _)| name).collect::<Vec<_>>(),
    })
}

fn ran(request: &Value) -> Value {
    let (id, given) = (&request["id"], &request["input"]);
    let version = request["version"].as_str().unwrap_or("").parse::<Version>();
    let version = match version {
        Ok(version) => version,
        Err(error) => return errored(id, &error.to_string()),
    };
    let asked = request["operation"].as_str().unwrap_or("");
    let Some((_, operation)) = OPERATIONS.iter().find(|(name, _)| *name == asked) else {
        let reason = format!("The Rust crate has no {asked}");
        return json!({"type": "skipped", "id": id, "reason": reason});
    };
    match operation(given, version) {
        Ok(Value::Null) => {
            let reason = format!("The Rust crate has no such {asked}");
            json!({"type": "skipped", "id": id, "reason": reason})
        }
        Ok(result) => json!({"type": "result", "id": id, "result": result}),
        Err(message) => errored(id, &message),
    }
}

fn errored(id: &Value, message: &str) -> Value {
    json!({"type": "errored", "id": id, "message": message})
}
