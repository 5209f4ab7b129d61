//! Bridges: the laws over documents made at random, and the interface as a caller meets it.

mod common;
#[path = "common/law.rs"]
mod law;

use std::sync::atomic::{AtomicU32, Ordering};

use common::{Rng, Sample, mutated, samples};
use law::assert_back;
use partwire::convert::{
    BridgeResult, CONVERSIONS, Context, ConvertOptions, LOSSES, convert, losses_for,
    messages_to_blocks, session_to_messages, source_types,
};
use partwire::types::message::Message;
use partwire::{Error, Finding, LossSeverity, Mode, Version, read, read_value, validate_value};
use partwire::{Value, json};

const LATEST: Version = Version::V0_3;

const TIMES: [&str; 4] = [
    "2026-01-02T03:04:05.1234567Z",
    "2026-01-02T03:04:05.120+01:30",
    "1969-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999-00:01",
];

struct Maker {
    rng: Rng,
    samples: Vec<Sample>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), samples: samples() }
    }

    /// Returns a valid document of a type, as it is read.
    fn valid(&mut self, name: &str) -> Value {
        let of_type: Vec<Sample> =
            self.samples.iter().filter(|each| each.name == name).cloned().collect();
        loop {
            let mut value = self.rng.pick(&of_type).value.clone();
            for _ in 0..self.rng.below(4) {
                let other = self.rng.pick(&self.samples).value.clone();
                value = mutated(&mut self.rng, &value, &other);
            }
            let document = value.to_string().into_bytes();
            if let Ok(read) = read_value(&document, name, Mode::Strict, LATEST) {
                return read.value;
            }
        }
    }

    /// Returns messages of which most results answer the calls right before them.
    fn history(&mut self) -> Value {
        let mut made = Vec::new();
        for _ in 0..=self.rng.below(3) {
            let mut message = self.valid("message.Message");
            if self.rng.below(3) == 0 {
                message["timestamp"] = (*self.rng.pick(&TIMES)).into();
            }
            let mut results = Vec::new();
            for part in message["parts"].as_array().unwrap() {
                if part["kind"] == "tool_call" && self.rng.below(8) > 0 {
                    let mut result = self.valid("message.ToolResult");
                    result["toolCallId"] = part["payload"]["toolCallId"].clone();
                    results.push(json!({"kind": "tool_result", "payload": result}));
                }
            }
            made.push(message);
            if self.rng.below(6) == 0 {
                results.reverse();
            }
            if !results.is_empty() {
                let (run, time) = ("run", "2026-01-02T03:04:05.5Z");
                made.push(
                    json!({"runId": run, "role": "tool", "parts": results, "timestamp": time}),
                );
            }
        }
        Value::Array(made)
    }
}

fn errors(value: &Value, name: &str) -> Vec<Finding> {
    let mut found = validate_value(value, name, LATEST).unwrap();
    found.retain(Finding::is_error);
    found
}

fn plainly(value: &Value, source: &str, to: &str) -> BridgeResult<Value> {
    convert(value, source, to, &ConvertOptions::default()).unwrap()
}

#[test]
fn there_and_back_is_the_original_but_for_what_was_reported() {
    let mut maker = Maker::new(3);
    for (source, target) in CONVERSIONS {
        for _ in 0..100 {
            let original = if source == "message.Message" {
                maker.history()
            } else {
                (0..=maker.rng.below(2)).map(|_| maker.valid(source)).collect()
            };
            let made = plainly(&original, source, target);
            for each in made.value.as_array().unwrap() {
                assert_eq!(errors(each, target), [], "{original}");
            }
            let back = plainly(&made.value, target, source);
            assert_back(&original, &back.value, &made.losses);
        }
    }
}

/// What a session says comes back whole: a message keeps in meta what it has no place for.
#[test]
fn a_session_loses_nothing() {
    let mut maker = Maker::new(5);
    for _ in 0..100 {
        let session = maker.valid("session.WithParts");
        let made = plainly(&session, "session.WithParts", "message");
        let is_lossy = |code: &str| made.losses.iter().any(|loss| loss.code == code);
        if is_lossy("timestamp-range") {
            continue;
        }
        assert!(made.losses.iter().all(|loss| loss.severity != LossSeverity::Lossy));
        let back = plainly(&made.value, "message.Message", "session");
        let same = partwire::canonical(&back.value);
        assert_eq!(same, partwire::canonical(&json!([session])), "{:#?}", back.losses);
    }
}

#[test]
fn losses_stand_in_the_order_of_the_document() {
    let part = json!({"kind": "thinking", "payload": {"text": "so"}});
    let message = json!({
        "runId": "r", "role": "assistant", "timestamp": "2026-01-02T03:04:05Z",
        "parts": vec![part; 12],
    });
    let made = plainly(&message, "message.Message", "blocks");
    let places: Vec<&str> = made.losses.iter().map(|loss| loss.pointer.as_str()).collect();
    assert_eq!(places[1..4], ["/parts/1", "/parts/2", "/parts/3"]);
    assert_eq!(places[10..], ["/parts/10", "/parts/11", "/runId", "/timestamp"]);
    // In a list, they begin with the index.
    let made = plainly(&json!([message]), "message.Message", "blocks");
    assert_eq!(made.losses[0].pointer, "/0/parts/0");
}

#[test]
fn strict_refuses_what_is_not_accepted() {
    let result = json!({"toolCallId": "call_1", "isError": false, "content": "4"});
    let mut options = ConvertOptions { strict: true, ..ConvertOptions::default() };
    let refused = convert(&result, "message.ToolResult", "envelope", &options).unwrap_err();
    let Error::Bridge(refusal) = &refused else { panic!("{refused}") };
    assert_eq!(refused.rule(), "bridge/lossy");
    assert_eq!(refusal.findings.len(), 1);
    assert!(refusal.losses.len() > 1);
    options.accept = vec!["call-id".to_owned()];
    assert!(convert(&result, "message.ToolResult", "envelope", &options).is_ok());
    options.accept = vec!["no-such-code".to_owned()];
    let refused = convert(&result, "message.ToolResult", "envelope", &options).unwrap_err();
    assert_eq!(refused.rule(), "usage/invalid-argument");
}

#[test]
fn the_context_is_checked_whether_it_is_needed_or_not() {
    let result = json!({"toolCallId": "call_1", "isError": false, "content": "4"});
    let contexts = [
        Context::new().session_id("no uuid"),
        Context::new().timestamp("yesterday"),
        Context::new().cost(-1.0),
        Context::new().with("tokens", 7),
        Context::new().with("colour", "red"),
        Context::new().make_id(|| "no uuid".to_owned()),
    ];
    for context in contexts {
        let shown = format!("{context:?}");
        let options = ConvertOptions { context, ..ConvertOptions::default() };
        let to = "envelope.ToolCallResponse";
        let refused = convert(&result, "message.ToolResult", to, &options).unwrap_err();
        assert_eq!(refused.rule(), "usage/invalid-argument", "{shown}");
    }
}

#[test]
fn ids_come_from_the_maker_one_by_one() {
    let message = br#"{"runId": "r", "role": "user", "timestamp": "2026-01-02T03:04:05Z",
        "parts": [{"kind": "text", "payload": {"text": "Hi"}}]}"#;
    let message: Message = read(message).unwrap();
    let count = AtomicU32::new(0);
    let context =
        Context::new().session_id("5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a10").make_id(move || {
            format!("00000000-0000-0000-0000-{:012}", count.fetch_add(1, Ordering::Relaxed))
        });
    let made = partwire::convert::messages_to_session(&[message], &context).unwrap();
    let value = partwire::json::to_value(&made.value).unwrap();
    assert_eq!(value[0]["info"]["id"], "00000000-0000-0000-0000-000000000000");
    assert_eq!(value[0]["parts"][0]["id"], "00000000-0000-0000-0000-000000000001");
    let back = session_to_messages(&made.value, &Context::new().run_id("r")).unwrap();
    assert_eq!(back.value[0].parts.len(), 1);
}

#[test]
fn types_are_converted_as_their_values_are() {
    let message = br#"{"runId": "r", "role": "user", "timestamp": "2026-01-02T03:04:05Z",
        "parts": [{"kind": "text", "payload": {"text": "Hi"}}]}"#;
    let message: Message = read(message).unwrap();
    let made = messages_to_blocks(&[message], &Context::new()).unwrap();
    assert_eq!(
        partwire::json::to_value(&made.value).unwrap(),
        json!([{"role": "user", "content": "Hi"}])
    );
    let codes: Vec<&str> = made.losses.iter().map(|loss| loss.code).collect();
    assert_eq!(codes, ["run-id", "timestamp"]);
}

#[test]
fn what_does_not_exist_is_refused() {
    let empty = json!([]);
    for (source, to) in
        [("message.Message", "nowhere"), ("no.Type", "blocks"), ("blocks.Message", "session")]
    {
        let refused = convert(&empty, source, to, &ConvertOptions::default()).unwrap_err();
        assert_eq!(refused.rule(), "bridge/unsupported");
    }
    assert_eq!(
        source_types("message"),
        ["session.WithParts", "blocks.Message", "envelope.ToolResult", "envelope.ToolCallResponse",]
    );
    assert_eq!(plainly(&empty, "message.Message", "session").value, json!([]));
}

#[test]
fn a_result_that_nests_its_source_too_deep_is_refused() {
    let deep = (1..509).fold(json!({}), |inner, _| json!({"a": inner}));
    let block = |parameters: &Value| {
        json!({"role": "assistant", "content": [{
            "type": "tool_use", "tool_use_id": "c", "tool_name": "t", "parameters": parameters,
        }]})
    };
    let asked = |document: &Value| {
        convert(document, "blocks.Message", "message", &ConvertOptions::default())
    };
    assert_eq!(asked(&block(&deep)).unwrap_err().rule(), "bridge/unsupported");
    assert!(asked(&block(&deep["a"])).is_ok());
    let deeper = block(&json!({"a": deep}));
    assert_eq!(asked(&deeper).unwrap_err().rule(), "document/too-deep");
}

/// Whatever is in a record, or in the message around it, they agree or a finding says so.
#[test]
fn anyone_may_write_a_record() {
    let mut maker = Maker::new(9);
    let mut left_out = 0;
    for _ in 0..400 {
        let session = maker.valid("session.WithParts");
        let mut messages = plainly(&session, "session.WithParts", "message").value;
        let spoken = messages.as_array_mut().unwrap();
        let one = spoken.iter_mut().find(|each| each["meta"]["session"].is_object()).unwrap();
        let other = maker.rng.pick(&maker.samples).value.clone();
        match maker.rng.below(3) {
            0 => one["timestamp"] = (*maker.rng.pick(&TIMES)).into(),
            1 => *one = mutated(&mut maker.rng, one, &other),
            _ => {
                let record = mutated(&mut maker.rng, &one["meta"]["session"], &other);
                one["meta"]["session"] = record;
            }
        }
        if !errors(one, "message.Message").is_empty() {
            continue;
        }
        let read = read_value(one.to_string().as_bytes(), "message.Message", Mode::Strict, LATEST);
        *one = read.unwrap().value;
        let made = plainly(&messages, "message.Message", "session");
        left_out += usize::from(made.losses.iter().any(|loss| loss.code == "record-misfit"));
        for each in made.value.as_array().unwrap() {
            assert_eq!(errors(each, "session.WithParts"), []);
        }
        let back = plainly(&made.value, "session.WithParts", "message");
        assert_back(&messages, &back.value, &made.losses);
    }
    assert!(left_out > 50, "{left_out}");
}

#[test]
fn a_reader_of_an_older_version_gets_the_losses_that_it_knows() {
    let message = json!({
        "runId": "r", "messageId": "m", "role": "user", "parts": [],
        "timestamp": "2026-01-02T03:04:05Z",
    });
    let made = plainly(&message, "message.Message", "blocks");
    let codes = |version| -> Vec<&str> {
        losses_for(&made.losses, version).iter().map(|loss| loss.code).collect()
    };
    assert_eq!(codes(Version::V0_2), ["message-id", "run-id", "timestamp"]);
    assert_eq!(codes(Version::V0_1), ["run-id", "timestamp"]);
    // Of each code there is one row, and every row is found.
    assert!(
        LOSSES.iter().all(|(code, ..)| LOSSES.iter().filter(|row| row.0 == *code).count() == 1)
    );
}
