//! Providers: adapt.

use std::collections::HashSet;

use partwire::convert::versions::DeltaDowngrade;
use partwire::providers::{AdapterOptions, ByteAdapter, dialects, open_adapter};
use partwire::types::message::MessageDelta;
use partwire::{LATEST_VERSION, Version, to_value};
use partwire::{Value, json};

use crate::clock::clock;
use crate::values::{Outcome, bytes, findings, flag, text, words};

pub(crate) fn adapt(given: &Value, version: Version) -> Outcome {
    let dialect = text(given, "api");
    if !dialects().any(|name| name == dialect) {
        return Ok(Value::Null);
    }
    let used = given["used_tool_call_ids"].as_array().into_iter().flatten();
    let id = |name: &str| given[name].as_str().map(str::to_owned);
    let options = AdapterOptions {
        used_tool_call_ids: used
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<HashSet<_>>(),
        keep_raw: flag(given, "keep_raw"),
        message_id: id("message_id"),
        turn_id: id("turn_id"),
    };
    let clock = clock(&given["clock"])?;
    let adapter = open_adapter(dialect, text(given, "run_id"), clock, options).map_err(words)?;
    let mut reader = ByteAdapter::new(adapter);
    let data = bytes(&given["input"])?;
    let size = given["chunk_bytes"].as_u64().and_then(|size| usize::try_from(size).ok());
    let mut deltas = Vec::new();
    for chunk in data.chunks(size.unwrap_or(data.len()).max(1)) {
        deltas.extend(reader.feed(chunk));
    }
    deltas.extend(reader.close());
    let found = findings(reader.adapter().findings());
    Ok(json!({"deltas": served(&deltas, version)?, "findings": found}))
}

/// Returns deltas as a reader of a version gets them.
fn served(deltas: &[MessageDelta], version: Version) -> Result<Vec<Value>, String> {
    let mut older = DeltaDowngrade::new(version);
    let each = deltas.iter().map(|delta| match version {
        LATEST_VERSION => to_value(delta).map(Some),
        _ => older.feed(delta),
    });
    each.filter_map(Result::transpose).collect::<Result<_, _>>().map_err(words)
}
