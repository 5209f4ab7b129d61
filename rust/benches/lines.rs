//! Assembling lines against their floor: decoding the same lines into the same types.
//!
//! Prints one ratio per stream, of medians taken in turns; exits with 1 where one is above 1.5.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use partwire::types::message::MessageDelta;
use partwire::{MessageAssembler, Mode, read_delta};

const MOST: f64 = 1.5;
const ROUNDS: usize = 15;

fn line(seq: usize, kind: &str, payload: &str) -> String {
    format!(
        r#"{{"kind":"{kind}","runId":"run_0123456789abcdef","seq":{seq},"timestamp":"2026-01-02T03:04:05.678Z","payload":{payload}}}"#
    )
}

/// Returns a stream of `count` deltas: text of some characters each, or arguments.
fn stream(count: usize, arguments: bool) -> Vec<String> {
    let mut lines = vec![line(0, "start", r#"{"modelId":"m","requestId":"q"}"#)];
    if arguments {
        let payload = r#"{"toolCallId":"c","toolName":"write"}"#;
        lines.push(line(1, "tool_call_start", payload));
        lines.push(args(2, r#"{\"a\":\""#));
    }
    for seq in lines.len()..count - 3 {
        let text = || line(seq, "text", r#"{"textDelta":"some words, "}"#);
        lines.push(if arguments { args(seq, "some words, ") } else { text() });
    }
    if arguments {
        lines.push(args(count - 3, r#"\"}"#));
        lines.push(line(count - 2, "tool_call_end", r#"{"toolCallId":"c"}"#));
    }
    lines.push(line(count - 1, "done", r#"{"finishReason":"stop"}"#));
    lines
}

fn args(seq: usize, text: &str) -> String {
    let payload = format!(r#"{{"toolCallId":"c","argsTextDelta":"{text}"}}"#);
    line(seq, "tool_call_args", &payload)
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn floor(lines: &[String]) {
    for line in lines {
        black_box(serde_json::from_slice::<MessageDelta>(line.as_bytes()).expect("a delta"));
    }
}

fn assembled(lines: &[String]) {
    let mut assembler = MessageAssembler::new();
    for line in lines {
        let delta = read_delta(line.as_bytes(), Mode::Strict).expect("a delta");
        assembler.consume(&delta).expect("a stream");
    }
    black_box(assembler.build_final_message().expect("a message"));
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

fn main() -> ExitCode {
    let mut worst = 0.0f64;
    for (name, arguments) in [("text", false), ("arguments", true)] {
        for count in [100, 1_000, 10_000, 100_000] {
            let lines = stream(count, arguments);
            let repeat = 100_000 / count;
            let (mut floors, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                floors.push(timed(|| (0..repeat).for_each(|_| floor(&lines))));
                ours.push(timed(|| (0..repeat).for_each(|_| assembled(&lines))));
            }
            let (floor, ours) = (median(floors) / 100_000.0, median(ours) / 100_000.0);
            let ratio = ours / floor;
            println!(
                "{name:<10} {count:>7} deltas  floor {:>6.0} ns  assembled {:>6.0} ns  ratio {ratio:.2}",
                floor * 1e9,
                ours * 1e9
            );
            worst = worst.max(ratio);
        }
    }
    println!("worst ratio {worst:.2}, at most {MOST} allowed");
    ExitCode::from(u8::from(worst > MOST))
}
