//! Responses, Gemini and Converse: what a caller gets of odd streams, and that nothing panics.

mod common;

use common::{Rng, broken, mutated};
use partwire::providers::{AdapterOptions, ByteAdapter, ProviderAdapter, open_adapter};
use partwire::{MessageAssembler, to_value};
use partwire::{Value, json};

fn open(dialect: &str) -> ProviderAdapter {
    let now = || "2026-01-02T03:04:05Z".to_owned();
    open_adapter(dialect, "run", now, AdapterOptions::default()).unwrap()
}

/// Returns the deltas of events, and the rules of what was found.
fn fed(dialect: &str, events: &[Value]) -> (Vec<Value>, Vec<String>) {
    let mut adapter = open(dialect);
    let mut deltas = Vec::new();
    for event in events {
        deltas.extend(adapter.feed(event.clone()));
    }
    deltas.extend(adapter.close());
    let found = adapter.findings().iter().map(|each| each.rule.clone()).collect();
    (deltas.iter().map(|delta| to_value(delta).unwrap()).collect(), found)
}

fn joined(deltas: &[Value], name: &str) -> String {
    deltas.iter().filter_map(|delta| delta["payload"][name].as_str()).collect()
}

fn item(kind: &str, index: u64, body: &Value) -> Value {
    json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": body})
}

fn piece(text: &str) -> Value {
    json!({
        "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text,
    })
}

fn completed(output: &Value) -> Value {
    let response = json!({"id": "r", "model": "m", "status": "completed", "output": output});
    json!({"type": "response.completed", "response": response})
}

#[test]
fn a_whole_response_adds_what_its_deltas_left_out() {
    let message = |text: &str| json!([{"type": "message", "content": [{"type": "output_text", "text": text}]}]);
    let added = item("added", 0, &json!({"type": "message", "id": "m1"}));
    let stream =
        |text: &str| [added.clone(), piece("Good "), piece("mor"), completed(&message(text))];
    let (deltas, found) = fed("openai-responses", &stream("Good morning"));
    assert_eq!((joined(&deltas, "textDelta").as_str(), found.len()), ("Good morning", 0));
    assert_eq!(deltas.last().unwrap()["payload"]["finishReason"], "stop");

    let (deltas, found) = fed("openai-responses", &stream("Something else"));
    assert_eq!(joined(&deltas, "textDelta"), "Good mor");
    assert_eq!(found, ["adapter/text-mismatch"]);
}

#[test]
fn state_goes_with_the_part_that_it_belongs_to() {
    let reasoning = json!({"type": "reasoning", "id": "rs", "encrypted_content": "sealed",
        "summary": [{"type": "summary_text", "text": "Hm"}]});
    let call = json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "f",
        "arguments": "{\"a\":1}"});
    let (deltas, found) = fed(
        "openai-responses",
        &[item("done", 0, &reasoning), item("done", 1, &call), completed(&json!([]))],
    );
    assert!(found.is_empty(), "{found:?}");
    let carried = |delta: &&Value| delta["payload"]["opaque"].is_object();
    let kinds: Vec<_> = deltas.iter().filter(carried).map(|delta| delta["kind"].clone()).collect();
    assert_eq!(kinds, ["thinking", "tool_call_end"]);
    assert_eq!(joined(&deltas, "argsTextDelta"), "{\"a\":1}");
}

fn streamed(args: &Value, goes_on: bool) -> Value {
    let call = json!({"name": "f", "partialArgs": args, "willContinue": goes_on});
    json!({"responseId": "r", "modelVersion": "m",
        "candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
}

fn arguments(pieces: &[(&str, Value)]) -> (String, Vec<String>) {
    let mut events: Vec<Value> = Vec::new();
    for (path, value) in pieces {
        let mut piece = json!({"jsonPath": path});
        let name = match value {
            Value::String(_) => "stringValue",
            Value::Bool(_) => "boolValue",
            Value::Null => "nullValue",
            _ => "numberValue",
        };
        piece[name] = value.clone();
        events.push(streamed(&json!([piece]), true));
    }
    events.push(streamed(&json!([]), false));
    events.push(json!({"candidates": [{"finishReason": "STOP"}]}));
    let (deltas, found) = fed("gemini", &events);
    (
        joined(&deltas, "argsTextDelta"),
        found.into_iter().filter(|rule| rule != "adapter/minted-id").collect(),
    )
}

#[test]
fn arguments_that_come_by_path_become_text() {
    let (text, found) = arguments(&[
        ("$.a.b[0]", json!(1)),
        ("$.a.b[1]['it\\'s \"x\"']", json!(true)),
        ("$[\"c\"]", Value::Null),
        ("$.d", json!("é\n")),
    ]);
    assert_eq!(text, r#"{"a":{"b":[1,{"it's \"x\"":true}]},"c":null,"d":"é\n"}"#);
    assert!(found.is_empty(), "{found:?}");

    let (text, found) = arguments(&[("$.a.b", json!(1)), ("$.c", json!(2)), ("$.a.d", json!(3))]);
    assert_eq!(text, r#"{"a":{"b":1},"c":2,"a":{"b":1,"d":3}}"#);
    assert_eq!(found, ["adapter/block-order"]);

    for path in ["$", "$.*", "a", "$.a[b]", "$[0]", "$.a[1234567]", "$['\\q']", "$.a.", "$.a[2]"] {
        let (text, found) = arguments(&[(path, json!(1))]);
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{path}: {text}");
        assert_eq!(found, ["adapter/invalid-event"], "{path}");
    }
}

#[test]
fn one_is_not_true() {
    let flagged = |flag: &Value| {
        let call = json!({"functionCall": {"name": "f", "willContinue": flag}});
        let parts = json!([{"text": "Hm", "thought": flag}, call, {"text": "Hi"}]);
        let content = json!({"content": {"parts": parts}, "finishReason": "STOP"});
        fed("gemini", &[json!({"candidates": [content]})])
    };
    assert_eq!(flagged(&json!(1)), flagged(&json!(false)));
    assert_ne!(flagged(&json!(true)), flagged(&json!(false)));
}

#[test]
fn metadata_that_is_repeated_is_kept_once() {
    let kept = |one: &Value, other: &Value| {
        let mut adapter = open("gemini");
        for value in [one, other] {
            let citations = json!({"citationMetadata": {"a": value}});
            adapter.feed(json!({"candidates": [citations]}));
        }
        adapter.opaque().len()
    };
    assert_eq!(kept(&json!(1), &json!(1.0)), 1);
    assert_eq!(kept(&json!(1), &json!(true)), 2);
}

#[test]
fn halves_of_a_character_are_joined_across_pieces() {
    let mut adapter = open("gemini");
    let mut deltas = Vec::new();
    for half in ["x\\ud83d", "\\ude00y"] {
        let piece = format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"f","willContinue":true,"partialArgs":[{{"jsonPath":"$.a","stringValue":"{half}","willContinue":true}}]}}}}]}}}}]}}"#
        );
        deltas.extend(adapter.feed_text(&piece, ""));
    }
    let end = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}"#;
    deltas.extend(adapter.feed_text(end, ""));
    deltas.extend(adapter.close());
    let deltas: Vec<Value> = deltas.iter().map(|delta| to_value(delta).unwrap()).collect();
    assert_eq!(joined(&deltas, "argsTextDelta"), "{\"a\":\"x😀y\"}");
}

#[test]
fn blocks_of_converse_are_told_apart_by_their_index() {
    let block = |name: &str, index: i64, member: &str, value: &Value| json!({name: {"contentBlockIndex": index, member: value}});
    let start = |index, id: &str| {
        let tool = json!({"toolUse": {"toolUseId": id, "name": "f"}});
        block("contentBlockStart", index, "start", &tool)
    };
    let input = |index, text: &str| {
        block("contentBlockDelta", index, "delta", &json!({"toolUse": {"input": text}}))
    };
    let signed = |name: &str, text: &str| {
        let piece = json!({"reasoningContent": {name: text}});
        block("contentBlockDelta", 0, "delta", &piece)
    };
    let (deltas, found) = fed(
        "bedrock-converse",
        &[
            signed("text", "Hm"),
            signed("signature", "s"),
            start(1, "a"),
            start(2, "b"),
            input(2, "{\"n\":2}"),
            input(1, "{\"n\":1}"),
            json!({"messageStop": {"stopReason": "tool_use"}}),
            json!({"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4}}}),
        ],
    );
    assert_eq!(found, ["adapter/block-order"]); // the calls are open when the message ends
    let sealed = deltas.iter().find(|delta| delta["payload"]["opaque"].is_object()).unwrap();
    assert_eq!(sealed["payload"]["opaque"]["data"]["items"][0]["data"], "s");
    let of = |id: &str| -> String {
        let is = |delta: &&Value| delta["payload"]["toolCallId"] == id;
        deltas
            .iter()
            .filter(is)
            .filter_map(|delta| delta["payload"]["argsTextDelta"].as_str())
            .collect()
    };
    assert_eq!((of("a").as_str(), of("b").as_str()), ("{\"n\":1}", "{\"n\":2}"));
    let usage = deltas.iter().find(|delta| delta["kind"] == "usage").unwrap();
    assert_eq!(usage["payload"]["totalTokens"], 7);
    assert_eq!(deltas.last().unwrap()["payload"]["finishReason"], "tool_calls");
}

fn streams() -> [(&'static str, Vec<Value>); 3] {
    let call =
        json!({"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""});
    let responses = vec![
        json!({"type": "response.created", "response": {"id": "r", "model": "m", "tools": [{"type": "custom", "name": "x"}]}}),
        item("added", 0, &json!({"type": "reasoning", "id": "rs", "summary": []})),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "Hm"}),
        item(
            "done",
            0,
            &json!({"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm, so"}], "encrypted_content": "e"}),
        ),
        item("added", 1, &json!({"type": "message", "id": "m", "content": []})),
        json!({"type": "response.content_part.added", "output_index": 1, "content_index": 0, "part": {"type": "output_text", "text": ""}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Héllo"}),
        item("added", 2, &call),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"a\":"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"a\":1}"}),
        item(
            "added",
            3,
            &json!({"type": "custom_tool_call", "id": "u", "call_id": "d", "name": "x", "input": ""}),
        ),
        completed(
            &json!([{"type": "message", "content": [{"type": "refusal", "refusal": "No"}]}, call]),
        ),
    ];
    let gemini = vec![
        json!({"responseId": "r", "modelVersion": "m", "candidates": [{"content": {"parts": [{"text": "Hm", "thought": true}, {"text": "Hé", "thoughtSignature": "s"}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "willContinue": true, "partialArgs": [{"jsonPath": "$.a[0].b", "stringValue": "x", "willContinue": true}]}}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"c": [1, 1.5, null]}, "partialArgs": [{"jsonPath": "$.a[0].b", "stringValue": "y"}, {"jsonPath": "$.a[1]", "numberValue": 2}]}}, {"executableCode": {"code": "1"}}]}}]}),
        json!({"candidates": [{"finishReason": "STOP", "groundingMetadata": {"a": []}}], "usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 4}}),
    ];
    let converse = vec![
        json!({"messageStart": {"role": "assistant"}}),
        json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hm", "signature": "s"}}}}),
        json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "Hé", "citation": {"title": "t"}}}}),
        json!({"contentBlockStart": {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "c", "name": "f", "input": {"a": 1}}}}}),
        json!({"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"toolUse": {"input": "{}"}}}}),
        json!({"contentBlockStop": {"contentBlockIndex": 2}}),
        json!({"contentBlockStart": {"contentBlockIndex": 3, "start": {"toolResult": {"type": "x", "content": [{"text": "a"}]}}}}),
        json!({"contentBlockDelta": {"contentBlockIndex": 3, "delta": {"toolResult": [{"text": "b"}, {"text": "c"}]}}}),
        json!({"messageStop": {"stopReason": "tool_use"}}),
        json!({"metadata": {"usage": {"inputTokens": 3, "outputTokens": 4, "cacheReadInputTokens": 2}}}),
    ];
    [("openai-responses", responses), ("gemini", gemini), ("bedrock-converse", converse)]
}

/// Whatever comes: no panic, the same in any cut, and deltas that the assembler takes.
#[test]
fn hostile_streams_are_no_panic() {
    let streams = streams();
    let mut rng = Rng::new(5);
    let mut ended = 0;
    for round in 0..1_200 {
        let (dialect, events) = &streams[round % streams.len()];
        let mut lines = Vec::new();
        for event in events {
            let other = rng.pick(events).clone();
            match rng.below(8) {
                0 => lines.push(mutated(&mut rng, event, &other)),
                1 => lines.extend([event.clone(), other]),
                2 if rng.below(4) == 0 => {}
                _ => lines.push(event.clone()),
            }
        }
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let mut data = lines.join("\n").into_bytes();
        if rng.below(4) == 0 {
            data = broken(&mut rng, &data);
        }
        let adapted = |size: usize| {
            let mut reader = ByteAdapter::new(open(dialect));
            let mut deltas = Vec::new();
            for chunk in data.chunks(size.max(1)) {
                deltas.extend(reader.feed(chunk));
            }
            deltas.extend(reader.close());
            (deltas, reader.adapter().findings().to_vec())
        };
        let whole = adapted(data.len());
        assert_eq!(whole, adapted(1 + rng.below(9)));
        let mut assembler = MessageAssembler::new();
        for delta in &whole.0 {
            // A sum of figures may be beyond what a double counts.
            if let Err(error) = assembler.consume(delta) {
                let place = &error.findings()[0].pointer;
                assert!(place.ends_with("Tokens"), "{error}");
                break;
            }
        }
        ended += usize::from(assembler.close().is_ok());
    }
    assert!(ended > 100, "{ended}");
}

/// A stream of many pieces takes time in proportion, in all of its wholes too.
#[test]
fn long_streams_are_read_in_linear_time() {
    let count = 20_000;
    let mut events = vec![item("added", 0, &json!({"type": "message", "id": "m"}))];
    events.extend((0..count).map(|_| piece("word ")));
    let text = "word ".repeat(count);
    events.push(item(
        "done",
        0,
        &json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]}),
    ));
    events.push(completed(&json!([])));
    let began = std::time::Instant::now();
    let (deltas, found) = fed("openai-responses", &events);
    assert_eq!((deltas.len(), found.len()), (count + 2 + 1, 0));
    assert!(began.elapsed().as_secs() < 20);
}
