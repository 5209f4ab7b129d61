//! Streams: assemble.

use partwire::{Error, MessageAssembler, Mode, Status, Version, read_delta};
use partwire::{Value, json};

use crate::values::{Outcome, bytes, findings, flag, limits, line_error, served, text, words};

/// What was to be seen on the way.
#[derive(Default)]
struct Seen {
    snapshots: Vec<Value>,
    progress: Vec<Value>,
    refused: Vec<Value>,
}

pub(crate) fn assemble(given: &Value, version: Version) -> Outcome {
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
        seen.snapshots.push(served(&snapshot, version)?);
    }
    if flag(given, "progress") {
        seen.progress.push(assembler.progress().map_err(words)?.to_value());
    }
    Ok(())
}

fn ending(assembler: &mut MessageAssembler, version: Version) -> Outcome {
    let built = assembler.close().and_then(|()| assembler.build_final_message());
    let error = match built {
        Ok(built) => return Ok(json!({"message": served(&built, version)?})),
        Err(error) => error,
    };
    let mut outcome = json!({"error": {"rule": error.rule()}});
    if let Error::Failed(failed) = &error {
        outcome["failure"] = partwire::json::to_value(&failed.error).unwrap_or_default();
        outcome["partial"] = served(&failed.partial, version)?;
    } else if assembler.status() != Status::Idle {
        let partial = assembler.build_partial(None).map_err(words)?;
        outcome["partial"] = served(&partial, version)?;
    }
    Ok(outcome)
}
