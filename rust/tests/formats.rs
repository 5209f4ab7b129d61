//! Documents of other formats as messages: the interface as a caller meets it, what nobody should
//! store, and what long histories cost.

use std::time::Duration;

use cpu_time::ThreadTime;
use partwire::formats::{Context, Data, FORMATS, FormatResult, read};
use partwire::types::message::MessagePart;
use partwire::{Error, LossSeverity, MAX_DEPTH, Map, Value, json};

fn made<'a>(format: &str, data: impl Into<Data<'a>>) -> FormatResult {
    read(format, data, &Context::new()).unwrap()
}

fn error<'a>(format: &str, data: impl Into<Data<'a>>, context: &Context) -> String {
    let error = read(format, data, context).unwrap_err();
    assert!(matches!(error, Error::Read(_) | Error::Usage(_)), "{error}");
    error.rule().to_owned()
}

/// Returns arrays in each other.
fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

#[test]
fn a_loss_says_how_bad_it_is_and_what() {
    let source = json!([{"role": "user", "content": "Hi", "x": 1}]);
    let context = Context::new().run_id("run_1").timestamp("2026-01-02T03:04:05Z");
    let made = read("openai-chat", &source, &context).unwrap();
    let lost = made.losses.last().unwrap();
    assert_eq!((lost.pointer.as_str(), lost.code), ("/0/x", "foreign-member"));
    assert_eq!(lost.severity, LossSeverity::Lossy);
    assert_eq!(lost.detail, "A message has no place for this member");
    let codes: Vec<&str> = made.losses.iter().map(|loss| loss.code).collect();
    assert_eq!(codes, ["given", "foreign-member"]);
    assert_eq!(made.messages[0].run_id, "run_1");
    assert_eq!(made.messages[0].timestamp, "2026-01-02T03:04:05Z");
}

#[test]
fn losses_are_bounded_by_code_and_those_left_out_are_counted() {
    let odd = (0..11_234).map(|number| (format!("odd{number}"), json!(1)));
    let content: Value = (0..10_002).map(|_| json!({"type": "odd"})).collect();
    let mut message: Map = odd.collect();
    message.insert("role", "user".into());
    message.insert("content", content);
    let made = made("openai-chat", &json!([message]));
    assert_eq!(made.losses.len(), 20_004);
    let more = made.losses.iter().filter(|loss| loss.code == "losses-left-out");
    let more: Vec<&str> = more.map(|loss| loss.detail.as_ref()).collect();
    assert_eq!(
        more,
        [
            "More losses of this code are counted only: foreign-part, 2",
            "More losses of this code are counted only: foreign-member, 1,234",
        ]
    );
}

#[test]
fn an_alias_is_a_name() {
    let made = made("anthropic", r#"[{"role": "user", "content": "Hi"}]"#);
    assert_eq!(made.messages[0].run_id, "run");
    let title = FORMATS.iter().find(|format| format.name == "openai-chat").unwrap().title;
    assert!(title.contains("OpenAI"));
}

#[test]
fn what_cannot_be_read_says_why() {
    let none = Context::new();
    let chat = |text: &str| error("openai-chat", text, &none);
    assert_eq!(error("cobol", "[]", &none), "usage/unknown-format");
    assert_eq!(error("", "[]", &none), "usage/unknown-format");
    for context in [
        Context::new().run_id(""),
        Context::new().timestamp("2026-02-30T00:00:00Z"),
        Context::new().timestamp("now"),
    ] {
        assert_eq!(error("openai-chat", "[]", &context), "usage/invalid-argument");
    }
    assert_eq!(chat("{"), "document/invalid-json");
    assert_eq!(chat(""), "document/empty");
    assert_eq!(chat(" \n"), "document/empty");
    assert_eq!(chat(r#"[{"role": "user", "content": 1e999}]"#), "document/not-finite");
    assert_eq!(chat(r#"[{"role": "user", "content": "\ud800"}]"#), "document/lone-surrogate");
    assert_eq!(
        chat(r#"[{"role": "user", "content": "", "\udc00": 1}]"#),
        "document/lone-surrogate"
    );
    assert_eq!(error("openai-chat", &b"\xff[]"[..], &none), "document/invalid-utf8");
    assert_eq!(chat("null"), "format/wrong-shape");
    for format in FORMATS {
        let deep = nested(MAX_DEPTH + 1);
        assert_eq!(error(format.name, &deep, &none), "document/too-deep");
        assert_eq!(error(format.name, &deep.to_string(), &none), "document/too-deep");
        assert_eq!(error(format.name, &"[".repeat(100_000), &none), "document/too-deep");
        assert_eq!(error(format.name, &nested(MAX_DEPTH), &none), "format/wrong-shape");
        assert_eq!(error(format.name, "7", &none), "format/wrong-shape");
    }
}

#[test]
fn of_duplicated_names_the_last_counts() {
    let text = r#"[{"role": "user", "content": "a", "role": "system", "content": "b"}]"#;
    for format in FORMATS.iter().filter(|format| format.name.starts_with("openai")) {
        let made = made(format.name, text);
        assert_eq!(made.messages[0].role.as_str(), "system");
        let MessagePart::Text(part) = &made.messages[0].parts[0] else { panic!() };
        assert_eq!(part.payload.text, "b");
    }
}

/// What is nested within the limit of documents is read, or refused with the place.
#[test]
fn nesting_is_bounded_everywhere() {
    for levels in [60, 70, 200, 400, MAX_DEPTH - 8, MAX_DEPTH - 4] {
        let deep = nested(levels);
        let tool_use = json!({"type": "tool_use", "id": "t", "name": "look", "input": {"a": deep}});
        let text = json!({"a": deep}).to_string();
        let function = json!({"name": "look", "arguments": text});
        let call = json!({"type": "function_call", "call_id": "t", "name": "l", "arguments": text});
        let deep_use = json!({"toolUse": {"toolUseId": "t", "name": "look", "input": {"a": deep}}});
        let deep_result = json!({"toolResult": {"toolUseId": "t", "content": [{"json": deep}]}});
        let deep_document = json!({"type": "document", "document": {"data": {"a": deep}}});
        let deep_call = json!({"name": "look", "args": {"a": deep}});
        let deep_response = json!({"name": "look", "response": {"a": deep}});
        let documents = [
            ("anthropic-messages", json!([{"role": "assistant", "content": [tool_use]}])),
            ("anthropic-messages", json!([{"role": "assistant", "content": [{"type": deep}]}])),
            ("anthropic-messages", json!([{"role": "user", "content": [{"a": deep}]}])),
            (
                "openai-chat",
                json!([{"role": "assistant", "tool_calls": [{"id": "t", "function": function}]}]),
            ),
            ("openai-chat", json!([{"role": "tool", "tool_call_id": "t", "content": {"a": deep}}])),
            ("openai-responses", json!([call])),
            ("bedrock-converse", json!([{"role": "assistant", "content": [deep_use]}])),
            ("bedrock-converse", json!([{"role": "user", "content": [deep_result]}])),
            ("cohere-v2", json!([{"role": "assistant", "tool_calls": [{"function": function}]}])),
            ("cohere-v2", json!([{"role": "user", "content": [deep_document]}])),
            ("gemini", json!([{"role": "model", "parts": [{"functionCall": deep_call}]}])),
            ("gemini", json!([{"parts": [{"functionResponse": deep_response}]}])),
            ("gemini", json!({"candidates": [{"groundingMetadata": {"a": deep}}]})),
            ("openai-responses", json!([{"type": "reasoning", "summary": deep}])),
        ];
        for (format, document) in documents {
            match read(format, &document, &Context::new()) {
                Ok(made) => assert!(!made.messages.is_empty()),
                Err(Error::Read(found)) => {
                    assert!(levels > 200, "{format} {levels} {found:?}");
                    assert!(document.pointer(&found[0].pointer).is_some(), "{found:?}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Returns a history of calls that all have one id, with their results.
fn history(format: &str, calls: usize) -> Value {
    (0..calls).flat_map(|_| turn(format, "t")).collect()
}

/// Returns a history of calls whose ids are those that are minted for as many calls behind them,
/// which all have one id.
fn hostile_history(format: &str, calls: usize) -> Value {
    let minted = made(format, &history(format, 2 * calls));
    let minted = minted.messages.iter().flat_map(|each| &each.parts).map(call_id);
    let ids = minted.skip(2 * calls).step_by(2).chain(std::iter::repeat_n("t", calls));
    ids.flat_map(|id| turn(format, id)).collect()
}

/// Returns a call, and its result.
fn turn(format: &str, id: &str) -> [Value; 2] {
    match format {
        "anthropic-messages" => [
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": "look", "input": {}}
            ]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": "x"}
            ]}),
        ],
        "bedrock-converse" => [
            json!({"role": "assistant", "content": [
                {"toolUse": {"toolUseId": id, "name": "look", "input": {}}}
            ]}),
            json!({"role": "user", "content": [
                {"toolResult": {"toolUseId": id, "content": [{"text": "x"}]}}
            ]}),
        ],
        "gemini" => [
            json!({"role": "model", "parts": [
                {"functionCall": {"id": id, "name": "look", "args": {}}}
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"id": id, "name": "look", "response": {"output": "x"}}}
            ]}),
        ],
        "openai-chat" | "cohere-v2" => [
            json!({"role": "assistant", "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ]}),
            json!({"role": "tool", "tool_call_id": id, "content": "x"}),
        ],
        _ => [
            json!({"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"}),
            json!({"type": "function_call_output", "call_id": id, "output": "x"}),
        ],
    }
}

#[test]
fn a_long_history_takes_time_in_proportion() {
    for format in FORMATS.iter().map(|format| format.name) {
        for (history, share) in [(history as fn(&str, usize) -> Value, 1), (hostile_history, 2)] {
            let time = |calls: usize| -> Duration {
                let source = history(format, calls / share);
                let start = ThreadTime::now();
                let made = made(format, &source);
                let took = start.elapsed();
                let ids: Vec<&str> =
                    made.messages.iter().flat_map(|each| &each.parts).map(call_id).collect();
                assert_eq!(ids.len(), 2 * calls);
                assert!(ids.chunks(2).all(|pair| pair[0] == pair[1]));
                let distinct: std::collections::HashSet<&str> = ids.into_iter().collect();
                assert_eq!(distinct.len(), calls);
                took
            };
            let (few, many) = (time(250), time(2000));
            assert!(many < few * 24, "{format}: {few:?} for 250 calls, {many:?} for 2000");
        }
    }
}

fn call_id(part: &MessagePart) -> &str {
    match part {
        MessagePart::ToolCall(call) => &call.payload.tool_call_id,
        MessagePart::ToolResult(result) => &result.payload.tool_call_id,
        other => panic!("{other:?}"),
    }
}
