//! Requests as a user encodes them, and what the fixtures do not reach.

use partwire::providers::requests::{RequestInput, dialects, encode_request, encode_request_text};
use partwire::types::message::{Message, ModelConfig, ToolChoice, ToolSpec};
use partwire::{Error, Severity};
use partwire::{Value, json};

fn message(role: &str, parts: &Value) -> Value {
    json!({"runId": "r", "role": role, "parts": parts, "timestamp": "2026-01-02T03:04:05Z"})
}

fn text(text: &str) -> Value {
    json!({"kind": "text", "payload": {"text": text}})
}

fn asked(messages: &[Value]) -> Value {
    json!({"messages": messages, "config": {"modelId": "m", "maxTokens": 9}})
}

fn body(dialect: &str, document: &Value) -> Value {
    encode_request(dialect, &RequestInput::from_value(document)).expect("encodes").body.into()
}

fn rules(dialect: &str, document: &Value) -> Vec<String> {
    let encoded = encode_request(dialect, &RequestInput::from_value(document)).expect("encodes");
    encoded.findings.into_iter().map(|each| each.rule).collect()
}

#[test]
fn typed_values_make_the_same_request() -> Result<(), Box<dyn std::error::Error>> {
    let user = message("user", &json!([text("Hi")]));
    let spec = json!({"name": "weather", "parameterSchema": {}});
    let choice = json!({"toolName": "weather"});
    let config = json!({"modelId": "m", "maxTokens": 9});
    let messages: Vec<Message> = vec![partwire::json::from_value(user.clone())?];
    let tools: Vec<ToolSpec> = vec![partwire::json::from_value(spec.clone())?];
    let typed =
        RequestInput::new(&messages, &partwire::json::from_value::<ModelConfig>(config.clone())?)
            .tool_specs(&tools)
            .system_prompt("Be brief.")
            .tool_choice(&partwire::json::from_value::<ToolChoice>(choice.clone())?);
    let document = json!({
        "messages": [user],
        "toolSpecs": [spec],
        "systemPrompt": "Be brief.",
        "toolChoice": choice,
        "config": config,
    });
    assert_eq!(dialects().count(), 6);
    for dialect in dialects() {
        let encoded = encode_request(dialect, &typed)?;
        assert_eq!(Value::from(encoded.body), body(dialect, &document), "{dialect}");
        assert!(encoded.findings.is_empty(), "{dialect}");
    }
    Ok(())
}

#[test]
fn what_is_no_request_is_refused() {
    let refused = |dialect: &str, document: &Value| {
        let error = encode_request(dialect, &RequestInput::from_value(document)).err();
        let error = error.expect("is refused");
        (error.rule().to_owned(), error.findings()[0].pointer.clone(), error)
    };
    let right = asked(&[message("user", &json!([text("Hi")]))]);
    let (rule, _, error) = refused("no-such", &right);
    assert_eq!(rule, "usage/unknown-dialect");
    assert!(matches!(error, Error::Usage(_)));
    let by_alias = encode_request("openai", &RequestInput::from_value(&right)).unwrap();
    assert_eq!(by_alias.body["messages"][0]["content"], "Hi");
    let mut odd = right.clone();
    odd["messages"] = json!("Hi");
    let (rule, pointer, _) = refused("gemini", &odd);
    assert_eq!((rule.as_str(), pointer.as_str()), ("usage/invalid-argument", "/messages"));
    let mut odd = right.clone();
    odd["messages"][0]["role"] = json!(1);
    assert_eq!(refused("gemini", &odd).1, "/messages/0/role");
    let mut odd = right;
    odd["config"] = json!({});
    let (rule, pointer, _) = refused("gemini", &odd);
    assert_eq!((rule.as_str(), pointer.as_str()), ("shape/required", "/config"));
}

#[test]
fn extensions_join_and_the_contract_wins() {
    let mut document = asked(&[message("user", &json!([text("Hi")]))]);
    document["config"]["stream"] = json!(false);
    document["config"]["max_completion_tokens"] = json!(10);
    let asked = RequestInput::from_value(&document);
    let encoded = encode_request("openai-chat", &asked).expect("encodes");
    assert_eq!(encoded.body["stream"], json!(false));
    assert_eq!(encoded.body["max_completion_tokens"], json!(9));
    assert_eq!(encoded.findings.len(), 1);
    assert_eq!(encoded.findings[0].rule, "encode/config-conflict");
    assert_eq!(encoded.findings[0].pointer, "/config/max_completion_tokens");
    assert_eq!(encoded.findings[0].severity, Severity::Warning);
    document["config"]["max_completion_tokens"] = json!(9.0);
    assert!(rules("openai-chat", &document).is_empty(), "9.0 is 9");
}

#[test]
fn data_urls_are_read_as_they_are_written() {
    let sent = |path: &str| {
        let part = json!({"kind": "file_ref", "payload": {"path": path}});
        body("anthropic-messages", &asked(&[message("user", &json!([text("Hi"), part]))]))
            ["messages"][0]["content"][1]
            .clone()
    };
    let document = |data: &str| json!({"type": "text", "media_type": "text/plain", "data": data});
    assert_eq!(sent("DATA:,caf%C3%A9%")["source"], document("café%"));
    assert_eq!(sent("data:Text/Plain;base64, aGk%3D\n")["source"], document("hi"));
    assert_eq!(sent("data:;name=a%20b.txt,x")["title"], json!("a b.txt"));
    assert_eq!(sent("data:text/plain;base64,aGk"), Value::Null);
    assert_eq!(sent("https:///x"), Value::Null);
}

#[test]
fn state_is_cut_by_characters() {
    let item = |start: usize, end: usize| json!({"kind": "citation", "data": {"at": start}, "start": start, "end": end});
    let opaque = |items: Value| json!({"provider": "anthropic-messages", "data": {"items": items}});
    let said = |items: Value| {
        let part = json!({"kind": "text", "payload": {"text": "é🙂aé", "opaque": opaque(items)}});
        let user = message("user", &json!([text("Hi")]));
        asked(&[user, message("assistant", &json!([part]))])
    };
    let made = body("anthropic-messages", &said(json!([item(1, 3)])));
    let texts = made["messages"][1]["content"].as_array().expect("blocks").iter();
    let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(texts, ["é", "🙂a", "é"]);
    assert_eq!(rules("anthropic-messages", &said(json!([item(3, 5)]))), ["encode/malformed-state"]);
    let whole =
        json!([{"kind": "citation", "data": {}, "start": 1.0, "end": 2.0, "partOffset": 0.0}]);
    assert!(rules("anthropic-messages", &said(whole)).is_empty(), "1.0 is 1");
    let late = json!([{"kind": "citation", "data": {}, "partOffset": 9}]);
    assert_eq!(rules("anthropic-messages", &said(late)), ["encode/malformed-state"]);
}

#[test]
fn ids_that_no_provider_takes_are_the_same_for_call_and_result() {
    let call = json!({"kind": "tool_call", "payload":
        {"toolCallId": "a_/b", "toolName": "t", "arguments": {"n": 1.0}}});
    let result = json!({"kind": "tool_result", "payload":
        {"toolCallId": "a_/b", "isError": true, "content": ""}});
    let user = message("user", &json!([text("Hi")]));
    let said = [user, message("assistant", &json!([call])), message("tool", &json!([result]))];
    let made = body("anthropic-messages", &asked(&said));
    let id = &made["messages"][1]["content"][0]["id"];
    assert!(id.as_str().is_some_and(|id| id.starts_with("a___") || id.starts_with("a__b_")));
    assert_eq!(&made["messages"][2]["content"][0]["tool_use_id"], id);
    assert_eq!(made["messages"][2]["content"][0]["content"], json!("Error"));
    let made = body("openai-chat", &asked(&said));
    assert_eq!(made["messages"][1]["tool_calls"][0]["function"]["arguments"], "{\"n\":1.0}");
}

#[test]
fn a_request_as_text_has_integers_as_they_were_written() -> Result<(), Box<dyn std::error::Error>> {
    let raw = r#"{"n": 123456789012345678901234567890, "q": {"a": [-9007199254740993]}}"#;
    let call = |id: &str, raw: &str| {
        let payload =
            json!({"toolCallId": id, "toolName": "t", "arguments": {}, "rawArgsText": raw});
        json!({"kind": "tool_call", "payload": payload})
    };
    let said = text("arguments-0-");
    let document = asked(&[
        message("user", &json!([said])),
        message("assistant", &json!([call("a", raw), call("b", "{\"x\": 1}"), call("c", raw)])),
    ]);
    for dialect in dialects() {
        let encoded = encode_request_text(dialect, &RequestInput::from_value(&document))?;
        let is_object = ["anthropic-messages", "bedrock-converse", "gemini"].contains(&dialect);
        let written = if is_object { raw.to_owned() } else { serde_json::to_string(raw)? };
        assert_eq!(encoded.text.matches(&written).count(), 2, "{dialect}");
        assert_eq!(serde_json::from_str::<Value>(&encoded.text)?, body(dialect, &document));
        assert!(encoded.findings.iter().all(|each| each.rule != "encode/wide-integer"));
        let named = rules(dialect, &document);
        let wide = named.iter().filter(|rule| *rule == "encode/wide-integer").count();
        assert_eq!(wide, if is_object { 2 } else { 0 }, "{dialect}");
    }
    Ok(())
}

#[test]
fn the_same_again_and_again_costs_no_square() {
    let call = json!({"toolCallId": "a", "toolName": "t", "arguments": {}});
    let turn = message("assistant", &json!([{"kind": "tool_call", "payload": call}]));
    let file = json!({"path": "s3://abcd/x", "mimeType": "application/pdf"});
    let files = vec![json!({"kind": "file_ref", "payload": file}); 3000];
    let named = rules("bedrock-converse", &asked(&vec![turn; 3000]));
    let renamed = named.iter().filter(|rule| *rule == "encode/renamed-tool-call").count();
    assert_eq!(renamed, 2999);
    let documents = body("bedrock-converse", &asked(&[message("user", &json!(files))]));
    assert!(documents.to_string().contains("\"document 3000\""));
}
