//! Adapters of providers: as a caller uses them, and what no provider should send.

mod common;

use std::collections::HashSet;

use common::{Rng, broken};
use partwire::providers::{
    AdapterOptions, ByteAdapter, Framing, ProviderAdapter, Raw, dialects, open_adapter,
};
use partwire::types::message::{Author, Message, MessageDelta, TextFormat};
use partwire::{Error, MessageAssembler, Version, to_value};
use partwire::{Value, json};

const NOW: &str = "2026-01-02T03:04:05Z";

fn adapter(dialect: &str) -> ProviderAdapter {
    with(dialect, AdapterOptions::default())
}

fn with(dialect: &str, options: AdapterOptions) -> ProviderAdapter {
    open_adapter(dialect, "run", || NOW.to_owned(), options).unwrap()
}

fn chat(delta: &Value) -> Value {
    json!({"id": "q", "model": "m", "choices": [{"index": 0, "delta": delta}]})
}

fn call(index: u64, function: &Value) -> Value {
    chat(&json!({"tool_calls": [{"index": index, "function": function}]}))
}

fn fed(adapter: &mut ProviderAdapter, events: &[Value]) -> Vec<Value> {
    let mut deltas: Vec<_> = events.iter().flat_map(|event| adapter.feed(event.clone())).collect();
    deltas.extend(adapter.close());
    deltas.iter().map(|delta| to_value(delta).unwrap()).collect()
}

fn message(deltas: &[MessageDelta]) -> Result<Message, Error> {
    let mut assembler = MessageAssembler::new();
    deltas.iter().try_for_each(|delta| assembler.consume(delta))?;
    assembler.close()?;
    assembler.build_final_message()
}

fn payloads(deltas: &[Value], kind: &str) -> Vec<Value> {
    deltas.iter().filter(|each| each["kind"] == kind).map(|each| each["payload"].clone()).collect()
}

fn rules(adapter: &ProviderAdapter) -> Vec<String> {
    let row = |each: &partwire::Finding| format!("{} {}", each.rule, each.pointer);
    adapter.findings().iter().map(row).collect()
}

#[test]
fn a_stream_becomes_a_message() {
    let mut adapter = adapter("openai-chat");
    let mut deltas = adapter.feed(chat(&json!({"content": "Hel"})));
    deltas.extend(adapter.feed_text(&chat(&json!({"content": "lo"})).to_string(), ""));
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    deltas.extend(adapter.feed(last));
    deltas.extend(adapter.feed_text("[DONE]", ""));
    assert!(adapter.ended() && adapter.close().is_empty());
    assert_eq!((adapter.model_id(), adapter.request_id()), ("m", "q"));
    assert_eq!(adapter.finish_reason(), Some("stop"));
    let message = to_value(&message(&deltas).unwrap()).unwrap();
    assert_eq!(message["parts"], json!([{"kind": "text", "payload": {"text": "Hello"}}]));
}

#[test]
fn what_cannot_be_opened_says_why() {
    let refused = |dialect, run_id, options| {
        let opened = open_adapter(dialect, run_id, String::new, options);
        opened.err().map(|error| error.rule().to_owned())
    };
    let options = AdapterOptions::default;
    assert_eq!(refused("x", "run", options()).unwrap(), "usage/unknown-dialect");
    for alias in ["anthropic", "bedrock", "cohere", "google", "openai"] {
        assert_eq!(refused(alias, "run", options()), None);
    }
    assert_eq!(refused("openai-chat", "", options()).unwrap(), "usage/invalid-argument");
    let name = |name: &str| Author { name: Some(name.to_owned()), agent_path: None };
    let path = |agent: Vec<String>| Author { name: None, agent_path: Some(agent) };
    let of = |author: Author| AdapterOptions { author: Some(author), ..options() };
    let form = TextFormat { name: Some(String::new()), schema_ref: None };
    for odd in [
        AdapterOptions { turn_id: Some(String::new()), ..options() },
        AdapterOptions { format: Some(form), ..options() },
        of(name("")),
        of(name(&"a".repeat(513))),
        of(path(Vec::new())),
        of(path(vec!["a".to_owned(), String::new()])),
        of(path(vec!["a".to_owned(); 65])),
    ] {
        assert_eq!(refused("openai-chat", "run", odd).unwrap(), "usage/invalid-argument");
    }
    let old = AdapterOptions { version: Version::V0_1, ..options() };
    assert_eq!(refused("openai-chat", "run", old).unwrap(), "usage/unknown-version");
    assert_eq!(refused("openai-chat", "run", of(path(vec!["é".repeat(512); 64]))), None);
    let limit = ByteAdapter::with(adapter("openai-chat"), Framing::Auto, 0);
    assert_eq!(limit.err().unwrap().rule(), "usage/invalid-argument");
    assert!(dialects().any(|name| name == "anthropic-messages"));
}

#[test]
fn every_delta_says_the_ids_of_the_caller() {
    let id = |name: &str| Some(name.to_owned());
    let options =
        AdapterOptions { message_id: id("msg"), turn_id: id("turn"), ..AdapterOptions::default() };
    for delta in fed(&mut with("openai-chat", options), &[chat(&json!({"content": "a"}))]) {
        assert_eq!((&delta["messageId"], &delta["turnId"]), (&json!("msg"), &json!("turn")));
    }
}

#[test]
fn the_start_says_author_and_form_where_the_version_has_them() {
    let format = || Some(TextFormat { name: Some("x".to_owned()), schema_ref: None });
    let options = AdapterOptions {
        author: Some("Ada".into()),
        format: format(),
        ..AdapterOptions::default()
    };
    let deltas = fed(&mut with("openai-chat", options), &[chat(&json!({"content": "a"}))]);
    let start = &deltas[0]["payload"];
    let due = json!({"author": {"name": "Ada"}, "format": {"name": "x"}});
    assert_eq!(json!({"author": start["author"], "format": start["format"]}), due);
    for (author, format) in [(Some("Ada".into()), None), (None, format())] {
        let version = Version::V0_2;
        let options = AdapterOptions { author, format, version, ..AdapterOptions::default() };
        let opened = open_adapter("openai-chat", "run", String::new, options);
        assert_eq!(
            opened.err().map(|error| error.rule().to_owned()).unwrap(),
            "usage/invalid-argument"
        );
    }
}

#[test]
fn halves_of_a_character_are_joined_across_deltas() {
    let mut adapter = adapter("openai-chat");
    let event = |text: &str| {
        format!(r#"{{"id":"q","model":"m","choices":[{{"delta":{{"content":"{text}"}}}}]}}"#)
    };
    let mut deltas = adapter.feed_text(&event(r"a\ud83d"), "");
    deltas.extend(adapter.feed_text(&event(r"\ude00b\ud83d"), ""));
    deltas.extend(adapter.close());
    let deltas: Vec<Value> = deltas.iter().map(|delta| to_value(delta).unwrap()).collect();
    let texts: Vec<Value> = payloads(&deltas, "text");
    let text = |text: &str| json!({"textDelta": text});
    assert_eq!(texts, [text("a"), text("\u{1f600}b"), text("\u{fffd}")]);
    assert!(rules(&adapter)[0].starts_with("adapter/lone-surrogate"));
}

#[test]
fn ids_that_cannot_stand_are_minted() {
    let used = HashSet::from(["c".to_owned()]);
    let mut adapter = with(
        "openai-chat",
        AdapterOptions { used_tool_call_ids: used, ..AdapterOptions::default() },
    );
    let entry = json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}});
    let event = json!({
        "id": "a request of no use as a name", "model": "m",
        "choices": [{"delta": {"tool_calls": [entry]}, "finish_reason": "tool_calls"}]
    });
    let deltas = fed(&mut adapter, &[event]);
    // The first 15 letters, and the first bytes of SHA-256.
    let id = payloads(&deltas, "tool_call_start")[0]["toolCallId"].as_str().unwrap().to_owned();
    assert_eq!(id, "call_a_request_of_no-f47fc549_0");
    assert_eq!(adapter.provider_ids()[&id].as_deref(), Some("c"));
    let end = &payloads(&deltas, "tool_call_end")[0];
    assert_eq!(end["opaque"]["data"]["toolCallId"], "c");
}

#[test]
fn arguments_that_grow_are_taken_apart() {
    let mut adapter = adapter("openai-chat");
    let pieces = ["{\"a\"", "{\"a\":1", "{\"a\":1}"];
    let mut events = vec![call(0, &json!({"name": "f"}))];
    events.extend(pieces.map(|piece| call(0, &json!({"arguments": piece}))));
    let deltas = fed(&mut adapter, &events);
    let text: String = payloads(&deltas, "tool_call_args")
        .iter()
        .map(|each| each["argsTextDelta"].as_str().unwrap())
        .collect();
    assert_eq!(text, "{\"a\":1}");
    assert!(rules(&adapter).iter().any(|rule| rule.starts_with("adapter/cumulative-arguments")));
}

#[test]
fn arguments_as_a_value_are_spelled_as_json() {
    let mut adapter = adapter("openai-chat");
    let value = json!({"a": [1.0, 1e16, 1e-5, -0.5, "é\n\u{7f}", null, true]});
    let deltas = fed(&mut adapter, &[call(0, &json!({"name": "f", "arguments": value}))]);
    let expected = "{\"a\":[1.0,1e+16,1e-05,-0.5,\"é\\n\u{7f}\",null,true]}";
    assert_eq!(payloads(&deltas, "tool_call_args")[0]["argsTextDelta"], expected);
}

#[test]
fn raw_events_are_carried_once_and_without_credentials() {
    let mut adapter =
        with("openai-chat", AdapterOptions { keep_raw: true, ..AdapterOptions::default() });
    let first =
        json!({"choices": [], "usage": null, "X-Api-Key": "s", "u": "https://h/?KEY=s&a=1"});
    let deltas = fed(&mut adapter, &[first, chat(&json!({"content": "a"}))]);
    let events = &deltas[0]["providerRaw"]["events"];
    assert_eq!(events[0]["X-Api-Key"], "[redacted]");
    assert_eq!(events[0]["u"], "https://h/?KEY=[redacted]&a=1");
    assert_eq!(events.as_array().unwrap().len(), 2);
    assert!(deltas.iter().skip(1).all(|delta| delta.get("providerRaw").is_none()));
}

#[test]
fn a_stream_ends_once() {
    let mut adapter = adapter("anthropic-messages");
    let deltas = adapter.abort("connection", "gone", None).unwrap();
    assert_eq!(deltas.len(), 2);
    assert!(adapter.abort("connection", "again", None).unwrap().is_empty());
    assert_eq!(adapter.abort("gone", "", None).unwrap_err().rule(), "usage/invalid-argument");
    assert!(adapter.feed(json!({"type": "ping"})).is_empty());
    assert!(adapter.feed(json!({"type": "message_stop"})).is_empty());
    assert_eq!(rules(&adapter), ["adapter/after-end /1"]);
}

#[test]
fn errors_have_a_code_of_the_contract() {
    let rows = [
        (json!({"error": {"type": "overloaded_error", "message": "m"}}), "overloaded"),
        (json!({"error": {"code": 429, "message": "slow down"}}), "rate_limited"),
        (json!({"detail": [{"msg": "bad"}]}), "invalid_request"),
        (json!({"base_resp": {"status_code": 1008, "status_msg": "m"}}), "quota_exceeded"),
        (json!({"ThrottlingException": {"message": "m"}}), "rate_limited"),
        (json!({"error": "no idea"}), "unknown"),
    ];
    for (event, code) in rows {
        let deltas = fed(&mut adapter("openai-chat"), std::slice::from_ref(&event));
        assert_eq!(payloads(&deltas, "error")[0]["errorCode"], code, "{event}");
    }
}

#[test]
fn a_body_on_many_lines_is_one_event() {
    let body = json!({"id": "q", "model": "m", "choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]});
    let text = serde_json::to_string_pretty(&body).unwrap();
    for size in [1, text.len()] {
        let mut reader = ByteAdapter::new(adapter("openai-chat"));
        let mut deltas: Vec<_> =
            text.as_bytes().chunks(size).flat_map(|chunk| reader.feed(chunk)).collect();
        deltas.extend(reader.close());
        assert_eq!(message(&deltas).unwrap().parts.len(), 1);
        assert_eq!(rules(reader.adapter()), ["adapter/whole-body /0/choices/0/message"]);
    }
}

#[test]
fn an_error_that_stands_bare_among_events_is_read() {
    let text =
        "data: {\"id\":\"q\",\"choices\":[]}\n\n{\"error\":{\"code\":503,\"message\":\"m\"}}\n";
    let mut reader = ByteAdapter::new(adapter("openai-chat"));
    let mut deltas = reader.feed(text.as_bytes());
    deltas.extend(reader.close());
    let last = to_value(deltas.last().unwrap()).unwrap();
    assert_eq!(last["payload"]["errorCode"], "overloaded");
}

#[test]
fn values_are_read_more_widely_than_json() {
    let mut adapter = adapter("openai-chat");
    let text = "{\"id\":\"q\",\"model\":\"m\",\"usage\":{\"prompt_tokens\":NaN,\"total_tokens\":3.0,\"completion_tokens\":1},\"choices\":[{\"delta\":{\"content\":\"a\u{1}\"}}]}";
    let deltas: Vec<_> =
        adapter.feed_text(text, "").iter().map(|each| to_value(each).unwrap()).collect();
    assert_eq!(payloads(&deltas, "text")[0]["textDelta"], "a\u{1}");
    assert_eq!(rules(&adapter), [""; 0]);
    let raw: Raw = json!({"a": 1.0, "b": [true]}).into();
    assert_eq!(raw, json!({"b": [true], "a": 1}).into());
    assert_ne!(raw, json!({"b": [1], "a": 1}).into());
}

#[test]
fn depth_and_length_exhaust_nothing() {
    for text in
        ["[".repeat(100_000), "{\"a\":".repeat(100_000), "{\"choices\":[{\"delta\":".repeat(300)]
    {
        let mut adapter = adapter("openai-chat");
        let mut deltas = adapter.feed_text(&text, "");
        deltas.extend(adapter.close());
        assert!(matches!(deltas.last(), Some(MessageDelta::Error(_))));
    }
    let many: partwire::Map = (0..50_000).map(|n| (n.to_string(), n.into())).collect();
    assert!(adapter("cohere-v2").feed(json!({"error": {"message": many}})).len() == 2);
}

const STREAMS: [(&str, &str); 3] = [
    (
        "openai-chat",
        "data: {\"id\":\"q\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"t\",\"content\":\"\\ud83d\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
    ),
    (
        "anthropic-messages",
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"q\",\"model\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"so\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
    ),
    (
        "cohere-v2",
        "data: {\"type\":\"message-start\",\"id\":\"q\",\"delta\":{\"message\":{\"role\":\"assistant\"}}}\n\ndata: {\"type\":\"tool-plan-delta\",\"delta\":{\"message\":{\"tool_plan\":\"I will\"}}}\n\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"Hi\"}}}}\n\ndata: {\"type\":\"citation-start\",\"index\":0,\"delta\":{\"message\":{\"citations\":{\"start\":0,\"end\":2}}}}\n\ndata: {\"type\":\"content-end\",\"index\":0}\n\ndata: {\"type\":\"tool-call-start\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}}}}\n\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\n",
    ),
];

/// Whatever comes, deltas keep the contract, end once, and do not depend on the cut.
#[test]
fn broken_streams_keep_the_contract() {
    let mut rng = Rng::new(7);
    for round in 0..300 {
        let (dialect, text) = *rng.pick(&STREAMS);
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..rng.below(4) {
            bytes = broken(&mut rng, &bytes);
        }
        let other = rng.pick(&STREAMS).0;
        let dialect = if round % 20 == 0 { other } else { dialect };
        let mut seen = Vec::new();
        for size in [bytes.len().max(1), 1, 1 + rng.below(40)] {
            let mut reader = ByteAdapter::new(adapter(dialect));
            let mut deltas: Vec<_> =
                bytes.chunks(size).flat_map(|chunk| reader.feed(chunk)).collect();
            deltas.extend(reader.close());
            let is_end = |each: &MessageDelta| {
                matches!(each, MessageDelta::Done(_) | MessageDelta::Error(_))
            };
            assert!(deltas.iter().position(is_end) == Some(deltas.len() - 1));
            let mut assembler = MessageAssembler::new();
            for delta in &deltas {
                to_value(delta).unwrap();
                assembler.consume(delta).unwrap();
            }
            seen.push((deltas, rules(reader.adapter())));
        }
        assert!(
            seen.windows(2).all(|pair| pair[0] == pair[1]),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
    }
}
