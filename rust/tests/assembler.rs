//! What callers of the library see, beside what the conformance suite asks.

use partwire::types::message::{
    Message, MessageDelta, MessagePart, TextDelta, TextDeltaPayload, tags,
};
use partwire::{
    Assemble, Contract, Error, HistoryChecker, HistoryOptions, Limits, MessageAssembler, Mode,
    ParseError, PartialJson, Status, canonical, dump, parse_arguments, read, read_delta,
    read_tolerant, to_value,
};
use partwire::{Value, json};

const START: &str = r#"{"kind":"start","runId":"r","seq":0,"timestamp":"2026-01-02T03:04:05Z","payload":{"modelId":"m","requestId":"q"}}"#;

fn text(seq: u64, text: &str) -> MessageDelta {
    MessageDelta::from(TextDelta {
        run_id: "r".to_owned(),
        message_id: None,
        turn_id: None,
        seq,
        kind: tags::Text,
        payload: TextDeltaPayload { text_delta: text.to_owned(), opaque: None },
        timestamp: "2026-01-02T03:04:05Z".to_owned(),
        provider_raw: None,
    })
}

fn started(limits: Limits) -> MessageAssembler {
    let mut assembler = MessageAssembler::with(None, limits).unwrap();
    assembler.consume(&read_delta(START.as_bytes(), Mode::Strict).unwrap()).unwrap();
    assembler
}

#[test]
fn a_refused_delta_changes_nothing() {
    let mut assembler = started(Limits { text_bytes: 4, ..Limits::default() });
    assembler.consume(&text(1, "abc")).unwrap();
    let before = assembler.snapshot().unwrap().to_message();
    let error = assembler.consume(&text(2, "de")).unwrap_err();
    let Error::Stream(refusal) = &error else { panic!("{error}") };
    assert_eq!((refusal.seq, refusal.limit), (Some(2), Some("text_bytes")));
    assert_eq!(assembler.snapshot().unwrap().to_message(), before);
    assembler.consume(&text(2, "d")).unwrap();
    assembler.reset();
    assert_eq!(assembler.status(), Status::Idle);
    assert_eq!(assembler.snapshot().err().unwrap().rule(), "stream/not-started");
}

#[test]
fn limits_are_counts() {
    let limits = Limits { arguments_depth: 501, ..Limits::default() };
    assert_eq!(
        MessageAssembler::with(None, limits).err().unwrap().rule(),
        "usage/invalid-argument"
    );
    let none = MessageAssembler::with(Some(String::new()), Limits::default());
    assert_eq!(none.err().unwrap().rule(), "usage/invalid-argument");
}

#[test]
fn a_struct_is_no_array() {
    let line =
        r#"{"kind":"text","runId":"r","seq":1,"timestamp":"2026-01-02T03:04:05Z","payload":["a"]}"#;
    assert_eq!(read_delta(line.as_bytes(), Mode::Strict).unwrap_err().rule(), "shape/type");
}

#[test]
fn of_duplicate_names_the_last_wins() {
    let line = r#"{"kind":"text","kind":"thinking","runId":"r","seq":1,"seq":2,"timestamp":"2026-01-02T03:04:05Z","payload":{"textDelta":"a"}}"#;
    let delta = read_delta(line.as_bytes(), Mode::Strict).unwrap();
    assert_eq!(delta.tag(), "thinking");
    assert_eq!(partwire::json::to_value(&delta).unwrap()["seq"], 2);
}

#[test]
fn null_is_not_absent() {
    let line = START.replace("\"payload\"", "\"messageId\":null,\"payload\"");
    assert_eq!(read_delta(line.as_bytes(), Mode::Strict).unwrap_err().rule(), "shape/null");
    assert!(read_delta(line.as_bytes(), Mode::Tolerant).is_ok());
}

#[test]
fn a_newer_part_is_kept_and_written_back() {
    let document = br#"{"runId":"r","role":"user","parts":[{"kind":"hologram","x":[1.5]}],"timestamp":"2026-01-02T03:04:05Z"}"#;
    assert_eq!(read::<Message>(document).unwrap_err().rule(), "shape/unknown-variant");
    let reading = read_tolerant::<Message>(document).unwrap();
    assert_eq!(reading.findings[0].rule, "read/unknown-variant");
    assert!(
        matches!(&reading.value.parts[0], MessagePart::Unknown(part) if part.tag() == "hologram")
    );
    assert_eq!(dump(&reading.value).unwrap(), document);
}

#[test]
fn what_is_not_valid_is_not_written() {
    let document = br#"{"runId":"r","role":"user","parts":[],"timestamp":"2026-01-02T03:04:05Z"}"#;
    let mut message: Message = read(document).unwrap();
    assert!(to_value(&message).is_ok());
    message.timestamp = "today".to_owned();
    let error = to_value(&message).unwrap_err();
    assert_eq!((error.rule(), Message::TYPE), ("shape/pattern", "message.Message"));
}

#[test]
fn arguments_keep_what_a_value_cannot_say() {
    let parsed = |text: &str| {
        let parsed = parse_arguments(text, 8).unwrap();
        (partwire::Value::Object(parsed.value), parsed.keep_text, parsed.error)
    };
    assert_eq!(parsed(" "), (json!({}), false, None));
    assert_eq!(parsed(r#"{"a":1,"a":2}"#), (json!({"a": 2}), false, None));
    assert!(parsed(r#"{"a":9007199254740993}"#).1);
    assert!(!parsed(r#"{"a":9007199254740991}"#).1);
    assert!(!parsed(r#"{"a":9007199254740993.0}"#).1);
    assert!(!parsed(r#"{"a":9007199254740993,"a":1}"#).1);
    for wrong in [r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#, r#"{"a":NaN}"#, "{", "\u{feff}{}"] {
        assert_eq!(parsed(wrong), (json!({}), true, Some(ParseError::InvalidJson)), "{wrong}");
    }
    assert_eq!(parsed("[1]").2, Some(ParseError::NotAnObject));
    assert_eq!(parse_arguments(&"[".repeat(9), 8), None);
}

#[test]
fn partial_arguments_show_what_is_certain() {
    let mut partial = PartialJson::new(8);
    let mut shown = Vec::new();
    for piece in ["{\"a", "\":\"x", "\\u00", "e9\",\"b\":[1", "2,{\"c\":tr", "ue}]", "}"] {
        partial.feed(piece);
        shown.push(partwire::Value::Object(partial.value().clone()));
    }
    let expected = [
        json!({}),
        json!({"a": "x"}),
        json!({"a": "x"}),
        json!({"a": "xé", "b": []}),
        json!({"a": "xé", "b": [12, {}]}),
        json!({"a": "xé", "b": [12, {"c": true}]}),
        json!({"a": "xé", "b": [12, {"c": true}]}),
    ];
    assert_eq!(shown, expected);
    partial.feed("x");
    assert!(partial.is_broken());
}

/// RFC 8785, sections 3.2.2 and 3.2.3.
#[test]
fn canonical_json_is_that_of_the_rfc() {
    let value = json!({
        "numbers": [333_333_333.333_333_3, 1e30, 4.50, 2e-3, 1e-27, -0.0, 1.0],
        "string": "€$\u{f}\nA'B\"\\\\\"/",
        "literals": [null, true, false],
    });
    let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
    assert_eq!(canonical(&value).unwrap(), expected);
    let sorted = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
    let expected = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}";
    assert_eq!(canonical(&sorted).unwrap(), expected);
}

#[test]
fn a_refusal_tells_the_line_that_it_is_about() {
    let whole = format!("{START}\n \n{START}\n");
    let mut assemble = Assemble::new(MessageAssembler::new(), Mode::Strict);
    let error = assemble.lines(whole.as_bytes()).unwrap_err();
    assert_eq!((error.rule(), error.findings()[0].line), ("stream/duplicate-start", Some(3)));
    let error = assemble.line(b"{").unwrap_err();
    assert_eq!((error.rule(), error.findings()[0].line), ("document/invalid-json", Some(4)));
}

#[test]
fn a_checker_that_is_closed_is_as_new() {
    let message = |role: &str, part: &str| {
        format!(
            r#"{{"runId":"r","role":"{role}","parts":[{part}],"timestamp":"2026-01-02T03:04:05Z"}}"#
        )
    };
    let mut checker =
        HistoryChecker::new(HistoryOptions { remember: Some(1), ..HistoryOptions::default() })
            .unwrap();
    let call = r#"{"kind":"tool_call","payload":{"toolCallId":"c","toolName":"t","arguments":{}}}"#;
    let result =
        r#"{"kind":"tool_result","payload":{"toolCallId":"c","isError":false,"content":"ok"}}"#;
    for _ in 0..2 {
        for line in [message("assistant", call), message("tool", result)] {
            assert_eq!(checker.add(line.as_bytes(), None), []);
        }
        assert_eq!(checker.close(), []);
    }
}

fn line(seq: u64, kind: &str, payload: &Value) -> Vec<u8> {
    let line = json!({"kind": kind, "runId": "r", "seq": seq, "payload": payload.clone(),
        "timestamp": "2026-01-02T03:04:05Z"});
    line.to_string().into_bytes()
}

fn delta(seq: u64, kind: &str, payload: &Value) -> MessageDelta {
    read_delta(&line(seq, kind, payload), Mode::Strict).unwrap()
}

/// What types cannot say of a payload that comes whole is looked at before all else.
#[test]
fn a_payload_that_comes_whole_is_checked_as_its_schema_says() {
    let mut assembler = started(Limits::default());
    let mut piece = delta(0, "media_data", &json!({"mediaId": "m", "dataDelta": "UklG"}));
    let MessageDelta::MediaData(media) = &mut piece else { panic!("{piece:?}") };
    media.payload.data_delta = Some("UklG=".to_owned());
    let error = assembler.consume(&piece).unwrap_err();
    assert_eq!(error.rule(), "stream/invalid-delta");
    assert_eq!(error.findings()[0].pointer, "/payload/dataDelta");
    for (kind, payload, rule) in [
        ("media_data", json!({"mediaId": "m", "dataDelta": "UklG="}), "shape/pattern"),
        (
            "text_citation",
            json!({"citation": {"start": 2, "end": 1, "source": {"kind": "url"}}}),
            "message/citation-range",
        ),
        (
            "approval_request",
            json!({"approvalId": "a", "toolCallId": "c", "choices": [1]}),
            "shape/type",
        ),
    ] {
        assert_eq!(read_delta(&line(1, kind, &payload), Mode::Strict).unwrap_err().rule(), rule);
    }
}

/// A newer source of media is kept where reading was tolerant, in a result too.
#[test]
fn what_a_newer_peer_has_inside_is_kept() {
    let mut assembler = started(Limits::default());
    let source = json!({"kind": "hologram", "x": [1.5]});
    for (seq, kind, payload) in [
        (1, "media_start", json!({"mediaId": "m", "mimeType": "a/b"})),
        (2, "media_end", json!({"mediaId": "m", "source": source.clone()})),
    ] {
        let delta = read_delta(&line(seq, kind, &payload), Mode::Tolerant).unwrap();
        assembler.consume(&delta).unwrap();
    }
    let shown = to_value(&assembler.snapshot().unwrap().to_message()).unwrap();
    assert_eq!(shown["parts"][0]["payload"]["source"], source);
}

#[test]
fn progress_shows_what_is_open() {
    let mut assembler = MessageAssembler::new();
    let start = json!({"modelId": "m", "requestId": "q", "format": {}});
    for (seq, kind, payload) in [
        (0, "start", start),
        (1, "text", json!({"textDelta": " [1, \"a"})),
        (2, "server_tool_call_start", json!({"toolCallId": "s", "toolName": "search"})),
        (3, "media_start", json!({"mediaId": "m", "mimeType": "audio/wav"})),
        (4, "media_data", json!({"mediaId": "m", "dataDelta": "Ukk=", "transcriptDelta": "so"})),
        (5, "media_data", json!({"mediaId": "m", "dataDelta": "RkY="})),
        (6, "text", json!({"textDelta": "no JSON"})),
    ] {
        assembler.consume(&delta(seq, kind, &payload)).unwrap();
    }
    assert_eq!(assembler.tool_calls().count(), 0);
    let progress = assembler.progress().unwrap();
    assert!(progress.open_calls[0].is_server());
    let media = progress.open_media[0];
    assert_eq!((media.data(), media.transcript()), (&b"RIFF"[..], "so"));
    let values: Vec<_> = progress
        .partial_values
        .iter()
        .map(|each| (each.part_index, each.partial_value()))
        .collect();
    assert_eq!(values, [(0, Some(&json!([1, "a"]))), (3, None)]);
    let partial = assembler.build_partial(None).unwrap().meta.unwrap().incomplete.unwrap();
    assert_eq!(partial.open_tool_call_ids, ["s"]);
    assert_eq!(partial.open_media_ids.unwrap(), ["m"]);
}

#[test]
fn a_partial_value_is_of_any_kind() {
    let shown = |text: &str| {
        let mut partial = PartialJson::of_any_value(2);
        partial.feed(text);
        partial.any_value().cloned()
    };
    for (text, value) in [
        ("", None),
        (" \n", None),
        ("\"", Some(json!(""))),
        ("\"a\" ", Some(json!("a"))),
        ("12", None),
        ("12 ", Some(json!(12))),
        ("null\n", Some(json!(null))),
        ("[", Some(json!([]))),
        ("[1,", Some(json!([1]))),
        ("[[2]]", Some(json!([[2]]))),
        ("[[[", None),
        ("{\"a\":[tr", Some(json!({"a": []}))),
        ("{} x", None),
        ("1,", None),
        ("]", None),
        ("```json", None),
    ] {
        assert_eq!(shown(text), value, "{text}");
    }
}

#[test]
fn a_blank_line_counts_and_is_passed_over() {
    let mut lines = Assemble::default();
    for line in [START, "", " \t\r\n"] {
        lines.line(line.as_bytes()).unwrap();
    }
    let error = lines.line(b"x").unwrap_err();
    assert_eq!(error.findings()[0].line, Some(4));
}
