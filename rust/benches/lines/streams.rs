//! Provider streams: those of the fixtures, and recordings where there are any.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use partwire::providers::framing::{
    DEFAULT_LIMIT_BYTES, EventStreamDecoder, JsonLinesDecoder, SseDecoder,
};
use serde_json::Value;

/// The bytes of one response, and how many events are in them.
pub struct Response {
    pub data: Vec<u8>,
    pub events: usize,
}

/// Returns the streams of a dialect.
///
/// Recordings are found where the tests find them: in `PARTWIRE_RECORDINGS`, or in
/// `shared/recordings` beside the checkout.
pub fn of(dialect: &str) -> Vec<Response> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    let fixtures = root.join("fixtures/v0.2/providers").join(dialect);
    for file in files(&fixtures) {
        let data = fs::read(&file).expect("a fixture");
        all.push(response(data));
    }
    let named = std::env::var_os("PARTWIRE_RECORDINGS").map(PathBuf::from);
    let recordings = named.unwrap_or_else(|| root.join("../shared/recordings"));
    for file in files(&recordings.join("data").join(dialect)) {
        if file.extension().is_some_and(|extension| extension == "jsonl") {
            let frames = file.with_extension("eventstream");
            let data = fs::read(&frames).unwrap_or_else(|_| framed(&file));
            all.push(response(data));
        }
    }
    all
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

/// Returns recorded events as the provider frames them: with the name of each that has one.
fn framed(file: &Path) -> Vec<u8> {
    let mut out = String::new();
    let text = fs::read_to_string(file).expect("a recording");
    for line in text.lines().filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(name) = value.get("type").and_then(Value::as_str) {
            _ = writeln!(out, "event: {name}");
        }
        _ = write!(out, "data: {line}\n\n");
    }
    out.into_bytes()
}

fn response(data: Vec<u8>) -> Response {
    const MOST: usize = DEFAULT_LIMIT_BYTES;
    // A damaged stream has the events before the damage.
    let events = match data.first() {
        Some(0..9) => {
            EventStreamDecoder::new(MOST).expect("a limit").feed(&data).map(|all| all.len())
        }
        Some(b'{' | b'[') => {
            JsonLinesDecoder::new(MOST).expect("a limit").feed(&data).map(|all| all.len())
        }
        _ => SseDecoder::new(MOST).expect("a limit").feed(&data).map(|all| all.len()),
    };
    Response { data, events: events.unwrap_or(0) }
}
