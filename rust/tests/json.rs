//! JSON values are the same whatever other crates ask `serde_json` for: these tests run with the
//! features that change its own values, and without them.

use partwire::types::message::{Message, ModelConfig};
use partwire::{Map, Mode, Value, decode_json, json, read, read_value};

const ORDERED: &str = r#"{"z":1,"a":{"y":1.0,"b":-0.0,"c":18446744073709551615},"m":[1e+20]}"#;

#[test]
fn members_keep_their_order_and_numbers_what_they_are() {
    let value = decode_json(ORDERED.as_bytes()).unwrap();
    assert_eq!(value.to_string(), ORDERED);
    assert_eq!(serde_json::from_str::<Value>(ORDERED).unwrap(), value);
    assert_eq!(partwire::json::to_value(&value).unwrap().to_string(), ORDERED);
    assert_eq!(partwire::json::from_value::<Value>(value).unwrap().to_string(), ORDERED);
}

#[test]
fn what_is_written_as_minus_zero_is_a_double() {
    assert_eq!(decode_json(b"-0").unwrap().to_string(), "-0.0");
    let theirs: serde_json::Value = serde_json::from_str("[-0, -5, 7, 2.50, 1E2]").unwrap();
    assert_eq!(Value::from(theirs).to_string(), "[-0.0,-5,7,2.5,100.0]");
}

#[test]
fn a_number_beyond_a_double_is_refused() {
    for text in ["1e999", "-1e999", "[1e999]", r#"{"a":1e999}"#] {
        let error = decode_json(text.as_bytes()).unwrap_err();
        assert_eq!(error.rule(), "document/not-finite", "{text}");
    }
}

#[test]
fn free_members_of_types_are_kept_as_they_are() {
    let config: ModelConfig = read(br#"{"modelId":"m","z":1.50,"a":{"q":-3,"b":[0.1]}}"#).unwrap();
    assert_eq!(config.extra.to_string(), r#"{"z":1.5,"a":{"q":-3,"b":[0.1]}}"#);
    let decoded: ModelConfig =
        serde_json::from_str(r#"{"modelId":"m","temperature":1,"z":1.50}"#).unwrap();
    assert_eq!(decoded.extra["z"], 1.5);
    assert_eq!(decoded.temperature, Some(1.0));
}

#[test]
fn values_of_serde_json_become_types_and_back() {
    let document = json!({
        "runId": "r", "role": "user", "timestamp": "2026-01-02T03:04:05Z",
        "parts": [{"payload": {"text": "Hello", "opaque": {"provider": "x", "data": {"n": 1.5}}}, "kind": "text"}],
    });
    let theirs = serde_json::Value::from(document.clone());
    assert_eq!(Value::from(theirs.clone()), document);
    let message: Message = serde_json::from_value(theirs).unwrap();
    assert_eq!(partwire::json::to_value(&message).unwrap(), document);
    let version = partwire::LATEST_VERSION;
    let text = document.to_string();
    let again = read_value(text.as_bytes(), "message.Message", Mode::Strict, version).unwrap();
    assert_eq!(again.value, document);
}

#[test]
fn literals_are_json() {
    let (name, missing) = ("key", None::<u8>);
    let value = json!({name: [missing, 1 + 1, {"a": null, "b": []}, [true]], "text": name,});
    assert_eq!(value.to_string(), r#"{"key":[null,2,{"a":null,"b":[]},[true]],"text":"key"}"#);
    assert_eq!(json!(f64::NAN), Value::Null);
}

#[test]
fn objects_are_equal_in_any_order_and_forget_in_place() {
    let mut one: Map = [("a", 1), ("b", 2), ("c", 3)]
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .into_iter()
        .collect();
    let mut other = one.clone();
    other.remove("a");
    assert_eq!(other.to_string(), r#"{"b":2,"c":3}"#);
    other.insert("a", 1.into());
    assert_eq!((&one, one.to_string() == other.to_string()), (&other, false));
    one.insert("b", 9.into());
    assert_eq!(one.to_string(), r#"{"a":1,"b":9,"c":3}"#);
    assert_eq!(one["missing"], Value::Null);
}
