//! Providers: adapt.

use std::collections::HashSet;

use partwire::convert::versions::DeltaDowngrade;
use partwire::providers::{AdapterOptions, ByteAdapter, dialects, open_adapter};
use partwire::types::message::{Author, MessageDelta, TextFormat};
use partwire::{LATEST_VERSION, Version, to_value};
use partwire::{Value, json};

use crate::clock::clock;
use crate::values::{Outcome, bytes, findings, flag, text, words};

pub(crate) fn adapt(given: &Value, version: Version) -> Outcome {
    let dialect = text(given, "api");
    if !dialects().any(|name| name == dialect) {
        return Ok(Value::Null);
    }
    // What adapters write as v0.2 is brought down for cases of v0.1.
    let written = version.max(Version::V0_2);
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
        author: given["author"].as_object().map(|author| Author {
            name: author.get("name").and_then(Value::as_str).map(str::to_owned),
            agent_path: author
                .get("agentPath")
                .and_then(Value::as_array)
                .map(|path| path.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        }),
        format: given["format"].as_object().map(|format| TextFormat {
            name: format.get("name").and_then(Value::as_str).map(str::to_owned),
            schema_ref: format.get("schemaRef").and_then(Value::as_str).map(str::to_owned),
        }),
        version: written,
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
    let target = if written == version { LATEST_VERSION } else { version };
    Ok(json!({"deltas": served(&deltas, target)?, "findings": found}))
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
