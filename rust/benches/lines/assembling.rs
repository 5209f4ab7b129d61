//! Lines → message, as a multiple of the floor.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use partwire::types::message::{Message, MessageDelta, MessagePart};
use partwire::{Assemble, MessageAssembler, Mode};

use crate::content::{Content, MIXES};
use crate::{Target, median, seconds};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const MOST: f64 = 1.5;
const ROUNDS: usize = 15;
const SAMPLE: Duration = Duration::from_millis(1);

/// Writes one figure of a row.
type Figure = fn(&Row) -> String;

/// What one stream took: seconds of the floor, and how many times that assembling takes.
pub struct Row {
    mix: &'static str,
    size: usize,
    deltas: usize,
    floor: f64,
    ratio: f64,
}

pub fn measure() -> Vec<Row> {
    let mut rows = Vec::new();
    for (mix, label) in MIXES {
        for size in SIZES {
            let content = Content::new(mix, size);
            let lines = content.lines();
            check(&content, &assembled(&lines));
            let rounds = (0..ROUNDS).map(|_| {
                let floor = seconds(SAMPLE, || decoded(&lines));
                (floor, seconds(SAMPLE, || _ = black_box(assembled(&lines))) / floor)
            });
            let (floors, ratios) = rounds.unzip();
            let (floor, ratio) = (median(floors), median(ratios));
            rows.push(Row { mix: label, size, deltas: lines.len(), floor, ratio });
        }
    }
    rows
}

fn decoded(lines: &[String]) {
    for line in lines {
        black_box(serde_json::from_str::<MessageDelta>(line).expect("a delta"));
    }
}

fn assembled(lines: &[String]) -> Message {
    let mut stream = Assemble::new(MessageAssembler::new(), Mode::Strict);
    for line in lines {
        stream.line(line.as_bytes()).expect("a delta of the stream");
    }
    stream.finish().expect("a message")
}

/// Panics if the message is not what the content says.
fn check(content: &Content, message: &Message) {
    let mut text = String::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            MessagePart::Text(part) => text += &part.payload.text,
            MessagePart::ToolCall(part) => calls.push(&part.payload),
            other => panic!("a part that the content does not have: {other:?}"),
        }
    }
    assert_eq!(text, content.text());
    assert_eq!(calls.len(), content.calls.len());
    for (call, due) in calls.iter().zip(&content.calls) {
        assert_eq!((&call.tool_call_id, &call.tool_name), (&due.id, &due.name));
        let arguments = serde_json::to_value(&call.arguments).expect("JSON");
        let due: serde_json::Value = serde_json::from_str(&due.arguments).expect("JSON");
        assert_eq!(arguments, due);
    }
}

pub fn targets(rows: &[Row]) -> Vec<Target> {
    let worst = rows.iter().max_by(|one, other| one.ratio.total_cmp(&other.ratio)).expect("rows");
    let place = format!("{}, {} deltas", worst.mix, grouped(worst.size));
    let what = "assembling lines, times the floor".to_owned();
    vec![Target { what, limit: MOST, unit: "×", measured: worst.ratio, place }]
}

#[allow(clippy::cast_precision_loss)] // small counts
pub fn table(rows: &[Row]) -> String {
    let mut out =
        "\n### Rust: assembling lines\n\nColumns: content deltas in the stream.\n\n|  |".to_owned();
    for size in SIZES {
        _ = write!(out, " {} |", grouped(size));
    }
    out += "\n| --- | --- | --- | --- | --- |\n";
    let figures: [(&str, Figure); 4] = [
        ("times the floor", |row| format!("{:.2}", row.ratio)),
        ("µs per delta", |row| format!("{:.3}", row.floor * row.ratio / row.deltas as f64 * 1e6)),
        ("floor, µs per delta", |row| format!("{:.3}", row.floor / row.deltas as f64 * 1e6)),
        ("µs per stream", |row| format!("{:.0}", row.floor * row.ratio * 1e6)),
    ];
    for of_mix in rows.chunks(SIZES.len()) {
        for (what, figure) in figures {
            _ = write!(out, "| {}: {what} |", of_mix[0].mix);
            for row in of_mix {
                _ = write!(out, " {} |", figure(row));
            }
            out.push('\n');
        }
    }
    out
}

/// Writes a count of thousands with its commas.
fn grouped(count: usize) -> String {
    if count < 1_000 {
        count.to_string()
    } else {
        format!("{},{:03}", count / 1_000, count % 1_000)
    }
}
