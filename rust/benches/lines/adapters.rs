//! A provider's bytes → deltas → message, for every dialect.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use partwire::MessageAssembler;
use partwire::build::now;
use partwire::providers::{AdapterOptions, ByteAdapter, dialects, open_adapter};
use partwire::types::message::Message;

use crate::streams::{self, Response};
use crate::{Target, median, seconds};

const MOST_US: f64 = 0.6;
/// Near to what a network gives, and what a file does.
const CHUNKS: [(usize, &str); 2] = [(200, "200 bytes"), (64 * 1024, "64 KiB")];
const ROUNDS: usize = 15;
const SAMPLE: Duration = Duration::from_micros(300);

/// What the streams of one dialect cost, in µs, in chunks of one size.
pub struct Row {
    dialect: &'static str,
    chunks: &'static str,
    streams: usize,
    events: usize,
    bytes: usize,
    per_event: f64,
    fixed: f64,
}

pub fn measure() -> Vec<Row> {
    let mut rows = Vec::new();
    for dialect in dialects() {
        let streams = streams::of(dialect);
        let (events, bytes) = streams
            .iter()
            .fold((0, 0), |(events, bytes), each| (events + each.events, bytes + each.data.len()));
        for (size, chunks) in CHUNKS {
            let points: Vec<(f64, f64)> =
                streams.iter().map(|stream| point(dialect, stream, size)).collect();
            let (fixed, per_event) = line_through(&points);
            let streams = streams.len();
            rows.push(Row { dialect, chunks, streams, events, bytes, per_event, fixed });
        }
    }
    rows
}

/// Returns how many events a stream has, and how many µs it takes.
#[allow(clippy::cast_precision_loss)] // small counts
fn point(dialect: &str, stream: &Response, size: usize) -> (f64, f64) {
    let run = || _ = black_box(assembled(dialect, &stream.data, size));
    let micros = median((0..ROUNDS).map(|_| seconds(SAMPLE, run) * 1e6).collect());
    (stream.events as f64, micros)
}

fn assembled(dialect: &str, data: &[u8], size: usize) -> Option<Message> {
    let adapter =
        open_adapter(dialect, "run_1", now, AdapterOptions::default()).expect("a dialect");
    let mut reader = ByteAdapter::new(adapter);
    let mut assembler = MessageAssembler::new();
    for chunk in data.chunks(size) {
        for delta in reader.feed(chunk) {
            assembler.consume(&delta).expect("a delta of the stream");
        }
    }
    for delta in reader.close() {
        assembler.consume(&delta).expect("a delta of the stream");
    }
    assembler.build_final_message().ok() // None for a stream that ends with an error
}

/// Returns what is fixed and what an event costs, by least squares.
#[allow(clippy::cast_precision_loss)] // small counts
fn line_through(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean_of = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean_of(|point| point.0), mean_of(|point| point.1));
    let shared: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let slope = shared / spread;
    (mean_y - slope * mean_x, slope)
}

pub fn targets(rows: &[Row]) -> Vec<Target> {
    let worst = rows.iter().max_by(|one, other| one.per_event.total_cmp(&other.per_event));
    let worst = worst.expect("rows");
    let place = format!("{}, chunks of {}", worst.dialect, worst.chunks);
    let what = "adapters, bytes to message, per event".to_owned();
    vec![Target { what, limit: MOST_US, unit: "µs", measured: worst.per_event, place }]
}

pub fn table(rows: &[Row]) -> String {
    let mut out = "\n### Rust: provider streams\n\nA provider's bytes to deltas to the message, with a real \
clock. Streams are the fixtures, and the recordings where they are to be had; a line of least squares \
through their times says what a stream costs, and what an event adds to it.\n\n\
| dialect | streams | events | bytes per event | chunks | µs per event | fixed, µs per stream |\n\
| --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for row in rows {
        let Row { dialect, chunks, streams, events, bytes, per_event, fixed } = row;
        let length = bytes / events;
        _ = writeln!(
            out,
            "| {dialect} | {streams} | {events} | {length} | {chunks} | {per_event:.2} | {fixed:.1} |"
        );
    }
    out
}
