//! No input makes the crate panic, and what it says of an input does not depend on how it comes.

mod common;

use common::{Rng, Sample, broken, mutated, samples};
use partwire::convert::versions::{
    DeltaDowngrade, MigrateOptions, TextMigrator, migrate, negotiate,
};
use partwire::convert::{CONVERSIONS, Context, ConvertOptions, convert};
use partwire::{
    Assemble, HistoryOptions, Map, MessageAssembler, Mode, PartialJson, Status, Version, canonical,
    check_history, decode_json, parse_arguments, read_delta, read_value, validate,
};
use partwire::{Value, json};

const DELTAS: [&str; 21] = [
    r#"{"kind":"start","runId":"r","seq":0,"timestamp":"2026-01-02T03:04:05Z","payload":{"modelId":"m","requestId":"q","author":{"agentPath":["a"]},"format":{}}}"#,
    r#"{"kind":"text","runId":"r","seq":1,"timestamp":"2026-01-02T03:04:05Z","payload":{"textDelta":"Hel"}}"#,
    r#"{"kind":"thinking","runId":"r","seq":2,"timestamp":"2026-01-02T03:04:05Z","payload":{"textDelta":"so","opaque":{"provider":"p","data":{"a":[1]}}}}"#,
    r#"{"kind":"tool_call_start","runId":"r","seq":3,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"c","toolName":"t"}}"#,
    r#"{"kind":"tool_call_args","runId":"r","seq":4,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"c","argsTextDelta":"{\"a\":[1,\"x\\u00e9"}}"#,
    r#"{"runId":"r","seq":5,"kind":"tool_call_args","timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"c","argsTextDelta":"\"],\"n\":12345678901234567890}"}}"#,
    r#"{"kind":"tool_call_end","runId":"r","seq":6,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"c"}}"#,
    r#"{"kind":"text_citation","runId":"r","seq":7,"timestamp":"2026-01-02T03:04:05Z","payload":{"citation":{"start":0,"end":2,"source":{"kind":"url","url":"u"},"opaque":{"provider":"p","data":{}}}}}"#,
    r#"{"kind":"server_tool_call_start","runId":"r","seq":8,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"s","toolName":"search"}}"#,
    r#"{"kind":"server_tool_call_args","runId":"r","seq":9,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"s","argsTextDelta":"{}"}}"#,
    r#"{"kind":"server_tool_call_end","runId":"r","seq":10,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"s"}}"#,
    r#"{"kind":"server_tool_result","runId":"r","seq":11,"timestamp":"2026-01-02T03:04:05Z","payload":{"toolCallId":"s","isError":false,"content":[{"kind":"text","payload":{"text":"a"}}],"structured":[[null]]}}"#,
    r#"{"kind":"approval_request","runId":"r","seq":12,"timestamp":"2026-01-02T03:04:05Z","payload":{"approvalId":"a","toolCallId":"c","choices":["once"],"requestedAt":"2026-01-02T03:04:05Z"}}"#,
    r#"{"kind":"media_start","runId":"r","seq":13,"timestamp":"2026-01-02T03:04:05Z","payload":{"mediaId":"m","mimeType":"audio/wav"}}"#,
    r#"{"kind":"media_data","runId":"r","seq":14,"timestamp":"2026-01-02T03:04:05Z","payload":{"mediaId":"m","dataDelta":"UklGRg==","transcriptDelta":"so"}}"#,
    r#"{"kind":"media_data","runId":"r","seq":15,"timestamp":"2026-01-02T03:04:05Z","payload":{"mediaId":"m","data":"UklG","dataDelta":"Ug=="}}"#,
    r#"{"kind":"media_end","runId":"r","seq":16,"timestamp":"2026-01-02T03:04:05Z","payload":{"mediaId":"m","sizeBytes":4}}"#,
    r#"{"kind":"warning","runId":"r","seq":17,"timestamp":"2026-01-02T03:04:05Z","payload":{"code":"other","message":"m"}}"#,
    r#"{"kind":"usage","runId":"r","seq":18,"timestamp":"2026-01-02T03:04:05Z","payload":{"inputTokens":1,"outputTokens":2,"totalTokens":3,"cost":0.5}}"#,
    r#"{"kind":"new","runId":"r","seq":19,"timestamp":"2026-01-02T03:04:05Z","payload":{}}"#,
    r#"{"kind":"done","runId":"r","seq":20,"timestamp":"2026-01-02T03:04:06Z","payload":{"finishReason":"stop"}}"#,
];

struct Hostile {
    rng: Rng,
    samples: Vec<Sample>,
    taken: usize,
    refused: usize,
}

impl Hostile {
    fn sample(&mut self) -> Sample {
        self.rng.pick(&self.samples).clone()
    }

    fn document(&mut self) {
        let (sample, other) = (self.sample(), self.sample());
        let version: Version = sample.version.parse().unwrap();
        let value = mutated(&mut self.rng, &sample.value, &other.value);
        let mut bytes = value.to_string().into_bytes();
        for _ in 0..self.rng.below(3) {
            bytes = broken(&mut self.rng, &bytes);
        }
        let found = validate(&bytes, &sample.name, version).unwrap();
        let strict = read_value(&bytes, &sample.name, Mode::Strict, version);
        assert_eq!(strict.is_err(), found.iter().any(partwire::Finding::is_error));
        let Ok(strict) = strict else {
            self.refused += 1;
            _ = read_value(&bytes, &sample.name, Mode::Tolerant, version);
            return;
        };
        self.taken += 1;
        let tolerant = read_value(&bytes, &sample.name, Mode::Tolerant, version).unwrap();
        assert_eq!(canonical(&strict.value), canonical(&tolerant.value));
        let again = strict.value.to_string().into_bytes();
        let again = read_value(&again, &sample.name, Mode::Strict, version).unwrap();
        assert_eq!(canonical(&strict.value), canonical(&again.value));
    }

    /// Refused deltas change nothing: without them the message is the same.
    fn stream(&mut self) {
        let mut assembler = MessageAssembler::new();
        let mut taken = MessageAssembler::new();
        for line in DELTAS {
            let mut line = line.as_bytes().to_vec();
            let mode = if self.rng.below(2) == 0 { Mode::Strict } else { Mode::Tolerant };
            match self.rng.below(6) {
                0 => continue,
                1 => line = broken(&mut self.rng, &line),
                2 => {
                    let value = serde_json::from_slice(&line).unwrap();
                    let other = self.sample().value;
                    line = mutated(&mut self.rng, &value, &other).to_string().into_bytes();
                }
                _ => {}
            }
            let Ok(delta) = read_delta(&line, mode) else {
                self.refused += 1;
                continue;
            };
            if assembler.consume(&delta).is_ok() {
                taken.consume(&delta).unwrap();
                self.taken += 1;
            }
            if assembler.status() != Status::Idle {
                _ = assembler.progress().unwrap().to_value();
            }
        }
        let message = |assembler: &mut MessageAssembler| {
            _ = assembler.close();
            assembler.build_final_message().or_else(|_| assembler.build_partial(None))
        };
        assert_eq!(message(&mut assembler), message(&mut taken));
        let mut whole = Assemble::default();
        _ = whole.lines(&broken(&mut self.rng, DELTAS.join("\n").as_bytes()));
        _ = whole.finish();
    }

    /// What is shown of arguments depends on the text alone, and fits the whole.
    fn arguments(&mut self) {
        let sample = self.sample();
        let mut bytes = sample.value.to_string().into_bytes();
        for _ in 0..self.rng.below(3) {
            bytes = broken(&mut self.rng, &bytes);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (mut whole, mut pieces) = (PartialJson::new(64), PartialJson::new(64));
        let (mut any, mut any_pieces) =
            (PartialJson::of_any_value(64), PartialJson::of_any_value(64));
        whole.feed(&text);
        any.feed(&text);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let count = 1 + self.rng.below(5);
            let at = rest.char_indices().map(|(at, _)| at).nth(count).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(at);
            pieces.feed(piece);
            any_pieces.feed(piece);
            rest = after;
        }
        assert_eq!(whole.value(), pieces.value(), "{text}");
        assert_eq!(whole.is_broken(), pieces.is_broken(), "{text}");
        assert_eq!(any.any_value(), any_pieces.any_value(), "{text}");
        if !whole.is_broken() && !text.trim().is_empty() {
            assert_eq!(any.value(), whole.value(), "{text}");
        }
        let parsed = parse_arguments(&text, 64);
        let Some(parsed) = parsed.filter(|parsed| parsed.error.is_none()) else {
            self.refused += 1;
            return;
        };
        self.taken += 1;
        if !text.trim().is_empty() {
            assert!(!whole.is_broken(), "{text}");
            assert_eq!(whole.value(), &parsed.value, "{text}");
        }
    }

    fn history(&mut self) {
        let count = 1 + self.rng.below(4);
        let mut messages = Vec::new();
        for _ in 0..count {
            let other = self.sample().value;
            let message = loop {
                let sample = self.sample();
                if sample.name == "message.Message" {
                    break sample.value;
                }
            };
            let message = mutated(&mut self.rng, &message, &other).to_string().into_bytes();
            messages.push(message);
        }
        let found = check_history(&messages, HistoryOptions::default()).unwrap();
        let index = |pointer: &str| pointer.split('/').nth(1).unwrap().parse::<usize>().unwrap();
        assert!(found.is_sorted_by_key(|each| index(&each.pointer)));
    }

    fn state(&mut self) {
        let (sample, other) = (self.sample(), self.sample());
        let state = mutated(&mut self.rng, &sample.value, &other.value);
        let mut fields = Map::new();
        for name in ["start", "end", "output", "title", "error", "metadata"] {
            if self.rng.below(2) == 0 {
                let (one, other) = (self.sample().value, Value::from(5));
                let value = mutated(&mut self.rng, &Value::from(9), &one);
                let is_plain = self.rng.below(3) > 0;
                fields.insert(name.to_owned(), if is_plain { other } else { value });
            }
        }
        let to = *self.rng.pick(&["pending", "running", "completed", "error", "x"]);
        _ = partwire::transition_value(&state, to, &fields);
    }

    fn conversion(&mut self) {
        let (source, target) = *self.rng.pick(&CONVERSIONS);
        let value = self.some(source);
        let mut context = Context::new();
        for name in ["run_id", "timestamp", "session_id", "tokens", "cost", "message_id"] {
            if self.rng.below(12) == 0 {
                context = context.with(name, self.sample().value);
            }
        }
        let strict = self.rng.below(4) == 0;
        let options = ConvertOptions { strict, context, ..ConvertOptions::default() };
        match convert(&value, source, target, &options) {
            Ok(made) => {
                self.taken += 1;
                let back = convert(&made.value, target, source, &ConvertOptions::default());
                assert!(back.is_ok(), "{value}");
            }
            Err(_) => self.refused += 1,
        }
    }

    /// Returns a list of documents that were of a type.
    fn some(&mut self, name: &str) -> Value {
        let of_type: Vec<Sample> =
            self.samples.iter().filter(|each| each.name == name).cloned().collect();
        let count = 1 + self.rng.below(4);
        let mut made = Vec::new();
        for _ in 0..count {
            let (value, other) = (self.rng.pick(&of_type).value.clone(), self.sample().value);
            let is_changed = self.rng.below(2) == 0;
            made.push(if is_changed { mutated(&mut self.rng, &value, &other) } else { value });
        }
        Value::Array(made)
    }

    fn migration(&mut self) {
        let (sample, other) = (self.sample(), self.sample());
        let value = mutated(&mut self.rng, &sample.value, &other.value);
        let from = sample.version.parse().unwrap();
        let to = *self.rng.pick(partwire::VERSIONS);
        let options = MigrateOptions { to, from: Some(from), strict: false };
        match migrate(&value, &sample.name, &options) {
            Ok(made) => {
                self.taken += 1;
                let found = validate(made.value.to_string().as_bytes(), &sample.name, to).unwrap();
                assert!(!found.iter().any(partwire::Finding::is_error), "{value}");
            }
            Err(_) => self.refused += 1,
        }
        let record = json!({
            "contract": "partwire", "version": sample.version, "type": sample.name, "data": value
        });
        let text = mutated(&mut self.rng, &record, &other.value).to_string();
        let text = broken(&mut self.rng, text.as_bytes());
        _ = TextMigrator::of_records(to, false).run(&text);
        let mut older = DeltaDowngrade::new(to);
        for line in DELTAS {
            let line: Value = serde_json::from_str(line).unwrap();
            _ = older.feed_value(&mutated(&mut self.rng, &line, &other.value));
        }
        let offers = broken(&mut self.rng, b"v0.3;q=0.5, v0.1 ;Q=0, *;q=0.125");
        _ = negotiate(String::from_utf8_lossy(&offers).as_ref(), &["v0.1", "v0.2"]);
    }
}

fn run(count: usize, seed: u64) {
    let samples = samples();
    let mut hostile = Hostile { rng: Rng::new(seed), samples, taken: 0, refused: 0 };
    for number in 0..count {
        match number % 11 {
            0..=2 => hostile.document(),
            3 | 4 => hostile.arguments(),
            5 => hostile.stream(),
            6 => hostile.history(),
            7 | 8 => hostile.conversion(),
            9 => hostile.migration(),
            _ => hostile.state(),
        }
    }
    let Hostile { taken, refused, .. } = hostile;
    assert!(taken > count / 20 && refused > count / 20, "{taken} taken, {refused} refused");
}

#[test]
fn hostile_input_is_no_panic() {
    run(16_000, 7);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn a_million_hostile_inputs_are_no_panic() {
    run(1_000_000, 11);
}

/// Nesting far beyond every limit, in each place that takes text.
#[test]
fn depth_is_no_stack_overflow() {
    for open in ["[", "{\"a\":", "[{\"b\":"] {
        let text = open.repeat(200_000);
        assert_eq!(decode_json(text.as_bytes()).unwrap_err().rule(), "document/too-deep");
        assert_eq!(parse_arguments(&text, 128), None);
        let mut partial = PartialJson::default();
        partial.feed(&text);
        assert!(partial.is_broken());
        assert!(read_delta(text.as_bytes(), Mode::Tolerant).is_err());
    }
    let wrong = format!("[{{]{}", "[".repeat(2_000));
    assert_eq!(decode_json(wrong.as_bytes()).unwrap_err().rule(), "document/too-deep");
    let deep = format!("{}{}", "[".repeat(512), "]".repeat(512));
    assert!(decode_json(deep.as_bytes()).is_ok());
    let deeper = format!("[{deep}]");
    assert_eq!(decode_json(deeper.as_bytes()).unwrap_err().rule(), "document/too-deep");
}
