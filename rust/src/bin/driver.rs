//! The driver of the conformance suite: JSON Lines on standard input, answers on standard output,
//! as docs/conformance.md says.

use std::io::{BufRead, Write, stdin, stdout};

use partwire::{
    Error, Finding, HistoryOptions, Limits, Map, MessageAssembler, Mode, Moved, RepairOptions,
    Severity, Status, Version, check_history, read_delta, read_value, repair_history, to_value,
    validate, validate_value,
};
use serde_json::{Value, json};

const OPERATIONS: [&str; 7] = [
    "validate",
    "read",
    "read_tolerant",
    "assemble",
    "transition",
    "check_history",
    "repair_history",
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
        "operations": OPERATIONS,
    })
}

fn ran(request: &Value) -> Value {
    let (id, given) = (&request["id"], &request["input"]);
    let version = request["version"].as_str().unwrap_or("").parse::<Version>();
    let version = match version {
        Ok(version) => version,
        Err(error) => return errored(id, &error.to_string()),
    };
    let result = match request["operation"].as_str().unwrap_or("") {
        "validate" => checked(given, version),
        "read" => read(given, Mode::Strict, version),
        "read_tolerant" => read(given, Mode::Tolerant, version),
        "assemble" => assemble(given, version),
        "transition" => moved(given, version),
        "check_history" => history(given, version),
        "repair_history" => repaired(given, version),
        other => {
            let reason = format!("The Rust crate has no {other}");
            return json!({"type": "skipped", "id": id, "reason": reason});
        }
    };
    match result {
        Ok(result) => json!({"type": "result", "id": id, "result": result}),
        Err(message) => errored(id, &message),
    }
}

fn errored(id: &Value, message: &str) -> Value {
    json!({"type": "errored", "id": id, "message": message})
}

/// A result, or why the driver itself failed.
type Outcome = Result<Value, String>;

#[allow(clippy::needless_pass_by_value)] // as map_err wants it
fn words(error: Error) -> String {
    error.to_string()
}

// --- values -------------------------------------------------------------------------------------

/// Returns the bytes that a Text of the protocol stands for.
fn bytes(text: &Value) -> Result<Vec<u8>, String> {
    match text {
        Value::String(text) => Ok(text.clone().into_bytes()),
        other => from_base64(other["base64"].as_str().ok_or("no text")?),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn from_base64(text: &str) -> Result<Vec<u8>, String> {
    let (mut made, mut bits, mut count) = (Vec::new(), 0u32, 0u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = ALPHABET.iter().position(|each| *each == byte).ok_or("no base64")?;
        bits = (bits << 6) | u32::try_from(digit).unwrap_or(0);
        count += 6;
        if count >= 8 {
            count -= 8;
            made.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    Ok(made)
}

/// Returns bytes as a Text of the protocol.
fn text_of(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::String(text),
        Err(cause) => json!({"base64": to_base64(cause.as_bytes())}),
    }
}

fn to_base64(bytes: &[u8]) -> String {
    let mut made = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, byte| (bits << 8) | u32::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or(0);
            made.push(if place > chunk.len() { '=' } else { char::from(ALPHABET[digit]) });
        }
    }
    made
}

fn findings<'a>(found: impl IntoIterator<Item = &'a Finding>) -> Value {
    let row = |finding: &Finding| {
        let Finding { rule, pointer, severity, .. } = finding;
        json!({"rule": rule, "pointer": pointer, "severity": severity.as_str()})
    };
    found.into_iter().map(row).collect()
}

fn place(error: &Error) -> Value {
    let pointer = error.findings().first().map_or("", |found| &found.pointer);
    json!({"rule": error.rule(), "pointer": pointer})
}

fn refusal(error: &Error) -> Value {
    let mut made = place(error);
    made["findings"] = findings(error.findings());
    json!({"error": made})
}

fn text<'a>(given: &'a Value, name: &str) -> &'a str {
    given[name].as_str().unwrap_or("")
}

fn flag(given: &Value, name: &str) -> bool {
    given[name].as_bool().unwrap_or(false)
}

// --- documents ----------------------------------------------------------------------------------

fn checked(given: &Value, version: Version) -> Outcome {
    let document = bytes(&given["document"])?;
    let found = validate(&document, text(given, "type"), version).map_err(words)?;
    Ok(json!({"findings": findings(&found)}))
}

fn read(given: &Value, mode: Mode, version: Version) -> Outcome {
    let document = bytes(&given["document"])?;
    match read_value(&document, text(given, "type"), mode, version) {
        Ok(read) => Ok(json!({"value": read.value, "findings": findings(&read.findings)})),
        Err(error @ Error::Usage(_)) => Err(words(error)),
        Err(error) => Ok(refusal(&error)),
    }
}

// --- streams ------------------------------------------------------------------------------------

/// What was to be seen on the way.
#[derive(Default)]
struct Seen {
    snapshots: Vec<Value>,
    progress: Vec<Value>,
    refused: Vec<Value>,
}

fn assemble(given: &Value, version: Version) -> Outcome {
    let mode = if text(given, "mode") == "tolerant" { Mode::Tolerant } else { Mode::Strict };
    let run_id = given["run_id"].as_str().map(str::to_owned);
    let mut assembler = MessageAssembler::with(run_id, limits(&given["limits"])).map_err(words)?;
    let mut seen = Seen::default();
    let mut result = None;
    for (index, line) in given["deltas"].as_array().ok_or("no deltas")?.iter().enumerate() {
        let line = bytes(line)?;
        let taken = read_delta(&line, mode).and_then(|delta| assembler.consume(&delta));
        if let Err(error) = taken {
            let found = line_error(&error, index + 1);
            if !flag(given, "drop_refused") {
                result = Some(json!({"error": found}));
                break;
            }
            seen.refused.push(found);
        }
        look(&mut assembler, given, version, &mut seen)?;
    }
    let mut result = match result {
        Some(result) => result,
        None => ending(&mut assembler, version)?,
    };
    result["findings"] = findings(assembler.findings());
    for (asked, name, rows) in [
        ("snapshots", "snapshots", seen.snapshots),
        ("progress", "progress", seen.progress),
        ("drop_refused", "refused", seen.refused),
    ] {
        if flag(given, asked) {
            result[name] = Value::Array(rows);
        }
    }
    Ok(result)
}

fn limits(given: &Value) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in given.as_object().into_iter().flatten() {
        let Some(value) = value.as_u64() else { continue };
        match name.as_str() {
            "text_bytes" => limits.text_bytes = value,
            "arguments_bytes" => limits.arguments_bytes = value,
            "tool_calls" => limits.tool_calls = value,
            "parts" => limits.parts = value,
            "arguments_depth" => limits.arguments_depth = value,
            "id_chars" => limits.id_chars = value,
            "opaque_bytes" => limits.opaque_bytes = value,
            "opaque_depth" => limits.opaque_depth = value,
            _ => {}
        }
    }
    limits
}

fn line_error(error: &Error, line: usize) -> Value {
    let mut found = json!({"rule": error.rule(), "line": line});
    if let Error::Stream(refusal) = error {
        if let Some(seq) = refusal.seq {
            found["seq"] = seq.into();
        }
        if let Some(limit) = refusal.limit {
            found["limit"] = limit.into();
        }
    }
    found
}

fn look(
    assembler: &mut MessageAssembler,
    given: &Value,
    version: Version,
    seen: &mut Seen,
) -> Result<(), String> {
    if assembler.status() == Status::Idle {
        return Ok(());
    }
    if flag(given, "snapshots") {
        let snapshot = assembler.snapshot().map_err(words)?.to_message();
        seen.snapshots.push(message(&snapshot, version)?);
    }
    if flag(given, "progress") {
        seen.progress.push(assembler.progress().map_err(words)?.to_value());
    }
    Ok(())
}

/// Returns a message as a reader of a version gets it.
fn message(message: &partwire::v0_2::message::Message, version: Version) -> Outcome {
    let value = to_value(message).map_err(words)?;
    let document = value.to_string().into_bytes();
    let read = read_value(&document, "message.Message", Mode::Strict, version);
    read.map(|read| read.value).map_err(words)
}

fn ending(assembler: &mut MessageAssembler, version: Version) -> Outcome {
    let built = assembler.close().and_then(|()| assembler.build_final_message());
    let error = match built {
        Ok(built) => return Ok(json!({"message": message(&built, version)?})),
        Err(error) => error,
    };
    let mut outcome = json!({"error": {"rule": error.rule()}});
    if let Error::Failed(failed) = &error {
        outcome["failure"] = serde_json::to_value(&failed.error).unwrap_or_default();
        outcome["partial"] = message(&failed.partial, version)?;
    } else if assembler.status() != Status::Idle {
        let partial = assembler.build_partial(None).map_err(words)?;
        outcome["partial"] = message(&partial, version)?;
    }
    Ok(outcome)
}

// --- tool states --------------------------------------------------------------------------------

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

fn moved(given: &Value, version: Version) -> Outcome {
    let (state, fields) = (&given["state"], &given["fields"]);
    let after = match text(given, "call") {
        "expire" => {
            let error = fields["error"].as_str();
            partwire::expire_value(state, &fields["now"], &fields["timeout_ms"], error)
        }
        "fail_pending" => partwire::fail_pending_value(state, &fields["error"], &fields["now"]),
        _ => {
            let members = fields.as_object().into_iter().flatten();
            let fields: Map = members.map(|(name, value)| (camel(name), value.clone())).collect();
            partwire::transition_value(state, text(given, "to"), &fields)
        }
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
                result["details"] = json!({
                    "currentStatus": refusal.current,
                    "attemptedStatus": refusal.attempted,
                    "validTransitions": partwire::followers(&refusal.current),
                });
            }
            result
        }
    };
    result["before"] = state.clone();
    Ok(result)
}

// --- histories ----------------------------------------------------------------------------------

fn history(given: &Value, version: Version) -> Outcome {
    let messages = given["messages"].as_array().ok_or("no messages")?;
    let messages: Vec<Vec<u8>> = messages.iter().map(bytes).collect::<Result<_, _>>()?;
    let options =
        HistoryOptions { ongoing: flag(given, "ongoing"), version, ..HistoryOptions::default() };
    let found = check_history(messages, options).map_err(words)?;
    Ok(json!({"findings": findings(&found)}))
}

fn repaired(given: &Value, version: Version) -> Outcome {
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
