//! Queue messages: read, retried, and held against each other.

use partwire::envelope::{
    Sent, check_reply, check_tool_results, decode_prompt_block, decode_prompt_blocks,
    encode_prompt_block, encode_prompt_blocks, may_be_base64, parse, parse_allowed_tools,
    parse_value, reading_version, retry_event, sniff,
};
use partwire::types::envelope::{PromptBlocksResponse, ReportResultRequest, TaskEvent};
use partwire::{Error, LATEST_VERSION, Mode, Version};
use partwire::{Value, json};

const ID: &str = "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8";
const OTHER: &str = "7F8414D7-8e69-4d6e-b516-6c2ef3fca8d8";

fn document(members: &Value) -> Vec<u8> {
    let mut made = json!({
        "message_id": ID, "sent_at": "2025-07-15T02:03:04Z", "schema_version": "v0.2",
    });
    let all = members.as_object().unwrap().clone();
    made.as_object_mut().unwrap().extend(all);
    made.to_string().into_bytes()
}

fn task(count: u64) -> TaskEvent {
    let members = json!({
        "task_id": ID, "payload": {}, "retry_count": count, "max_attempts": 2, "trace_id": "t"
    });
    parse(&document(&members), Mode::Strict).unwrap().value
}

fn sent(id: &str) -> Sent {
    Sent { message_id: id.to_owned(), sent_at: "2025-07-15T02:03:05Z".to_owned() }
}

#[test]
fn a_retry_follows_from_its_task() {
    let first = retry_event(&task(0), &sent(OTHER), None).unwrap();
    assert_eq!((first.retry_count, first.trace_id.as_deref()), (1, Some("t")));
    assert_eq!(check_reply(&task(0), &first).unwrap(), []);
    let mut lost = first.clone();
    lost.trace_id = None;
    lost.message_id = ID.to_uppercase();
    lost.retry_count = 0;
    let found = check_reply(&task(0), &lost).unwrap();
    let rules: Vec<&str> = found.iter().map(|each| each.rule.as_str()).collect();
    let expected =
        ["envelope/retry-not-raised", "envelope/message-id-reused", "envelope/trace-mismatch"];
    assert_eq!(rules, expected);
    let older = retry_event(&first, &sent(ID), Some(Version::V0_1)).unwrap();
    assert_eq!((older.schema_version.as_str(), older.message_type), ("v0.1", None));
    assert!(matches!(retry_event(&task(2), &sent(OTHER), None), Err(Error::Exhausted(_))));
    let same = retry_event(&task(0), &sent(ID), None).unwrap_err();
    assert_eq!(same.rule(), "envelope/message-id-reused");
    assert!(matches!(retry_event(&task(0), &sent("x"), None), Err(Error::Write(_))));
    assert!(matches!(check_reply(&first, &task(0)), Err(Error::Usage(_))));
}

#[test]
fn versions_are_judged_first() {
    let newer = |mode| reading_version("v0.10", mode);
    assert_eq!(newer(Mode::Tolerant).unwrap(), LATEST_VERSION);
    assert_eq!(newer(Mode::Strict).unwrap_err().rule(), "envelope/unsupported-version");
    for wrong in ["v1.0", "v0.0", "0.2", "v0.02", "v0.1234567", "v0.2.1", "", "v0.-1", "v+0.2"] {
        assert!(reading_version(wrong, Mode::Tolerant).is_err(), "{wrong}");
    }
    let broken = document(&json!({"schema_version": "v1.0", "task_id": 1}));
    let error = parse_value("TaskEvent", &broken, Mode::Tolerant).unwrap_err();
    assert_eq!(error.findings().len(), 1);
    let error = parse_value("Task", &broken, Mode::Tolerant).unwrap_err();
    assert_eq!(error.rule(), "usage/unknown-type");
    let other = document(&json!({"message_type": "RetryEvent"}));
    let error = parse::<TaskEvent>(&other, Mode::Tolerant).unwrap_err();
    assert_eq!(error.rule(), "envelope/message-type-mismatch");
    for text in ["", "[", "[]", "null", "\"v0.2\""] {
        assert!(parse::<TaskEvent>(text.as_bytes(), Mode::Tolerant).is_err(), "{text}");
        _ = sniff(text.as_bytes());
    }
    assert_eq!(sniff(&other).unwrap(), ["envelope.RetryEvent"]);
}

#[test]
fn results_are_of_calls_that_were_made() {
    let result = json!({
        "invocation_id": ID, "tool_id": ID, "result_type": "tool_result", "data": {},
        "created_at": "2025-07-15T02:03:04Z"
    });
    let members = json!({"task_id": ID, "tool_results": [result], "task_results": {}});
    let report: ReportResultRequest = parse(&document(&members), Mode::Strict).unwrap().value;
    assert_eq!(check_tool_results(&report, [ID.to_uppercase().as_str()]), []);
    let found = check_tool_results(&report, [OTHER]);
    let places: Vec<&str> = found.iter().map(|each| each.pointer.as_str()).collect();
    assert_eq!(places, ["/tool_results/0/invocation_id", "/tool_results"]);
}

#[test]
fn prompt_blocks_hold_text() {
    let response: PromptBlocksResponse = parse(
        &document(&json!({
            "system": "é", "task": "", "allowed_tools": "[]", "context_data": "c",
            "instruction": "i"
        })),
        Mode::Strict,
    )
    .unwrap()
    .value;
    let encoded = encode_prompt_blocks(&response);
    assert_eq!(decode_prompt_blocks(&encoded).unwrap(), response);
    let wrong = decode_prompt_blocks(&response).unwrap_err();
    assert_eq!(wrong.findings()[0].pointer, "/system");
    assert_eq!(decode_prompt_block(" w6\u{1c}k=\n").unwrap(), "é");
    for wrong in ["w6l=", "w6k", "w6k==", "=", "é", "/w==", "w6k=w6k="] {
        assert_eq!(decode_prompt_block(wrong).unwrap_err().rule(), "envelope/prompt-block");
    }
    assert!(!may_be_base64("") && may_be_base64(&encode_prompt_block("a")));
}

#[test]
fn what_is_no_list_allows_nothing() {
    assert_eq!(parse_allowed_tools(r#"["a", "a", " "]"#).unwrap(), ["a", "a", " "]);
    assert_eq!(parse_allowed_tools("[]").unwrap(), [""; 0]);
    for (text, pointer) in [(" \u{1f}\n", ""), ("{}", ""), ("[\"\"]", "/0"), ("[\"a\",1]", "/1")] {
        let error = parse_allowed_tools(text).unwrap_err();
        let finding = &error.findings()[0];
        assert_eq!(
            (finding.rule.as_str(), finding.pointer.as_str()),
            ("envelope/allowed-tools", pointer)
        );
    }
    assert_eq!(
        parse_allowed_tools(&" ".repeat(65_537)).unwrap_err().rule(),
        "envelope/allowed-tools"
    );
}

#[cfg(not(feature = "yaml"))]
#[test]
fn lists_are_json_alone_without_the_feature() {
    assert_eq!(parse_allowed_tools("- a").unwrap_err().rule(), "usage/missing-extra");
}

#[cfg(feature = "yaml")]
#[test]
fn lists_are_in_yaml_too() {
    for (text, names) in [
        ("- a\n- 'it''s'\n- \"\\x41b\"\n", vec!["a", "it's", "Ab"]),
        ("---\n[a, 'b c',\n d,]\n", vec!["a", "b c", "d"]),
        ("- a # b\n\n-\n  c\n- >-\n  e\n- |-\n  g\n", vec!["a", "c", "e", "g"]),
        ("[y, n, a:b, 'yes', '1.0']", vec!["y", "n", "a:b", "yes", "1.0"]),
        ("- \"\\U0001F600\"\r\n- é", vec!["\u{1f600}", "é"]),
    ] {
        assert_eq!(parse_allowed_tools(text).unwrap(), names, "{text}");
    }
}

#[cfg(feature = "yaml")]
#[test]
fn lists_in_yaml_are_plain() {
    let (deep, lines) = ("[".repeat(60_000), "- ".repeat(30_000));
    for (text, pointer) in [
        ("a", ""),
        ("a: [b]", ""),
        ("&a [b]", ""),
        ("&a\n- b", ""),
        ("- a\n---\n- b", ""),
        ("- a\n...\n", ""),
        ("- a\n]", ""),
        ("- a\nThese are all.\n- *b", ""),
        ("[a, b: c]", ""),
        ("%YAML 1.2\n--- [a]", ""),
        ("- a\tb", ""),
        ("- a\r- b", ""),
        ("- \u{7}", ""),
        ("- a\n- @b", "/1"),
        ("- \"a", "/0"),
        ("- \"\\U00110000\"", "/0"),
        ("- !x!y a", "/0"),
        ("- a\n- *b", "/1"),
        ("- &b c", "/0"),
        ("- !!str a", "/0"),
        ("- a\n-\n- b", "/1"),
        ("- a\n- [b]", "/1"),
        ("- a\n- Yes", "/1"),
        ("- 1_0:30", "/0"),
        ("- 2025-07-15 1:02:03Z", "/0"),
        ("- .5", "/0"),
        ("- =", "/0"),
        ("- a:", "/0"),
        ("- b  c", "/0"),
        ("- ''", "/0"),
        ("- 'a\n  b'", "/0"),
        ("# c\n  - a\n\n  # d\n  - >-\n   b\n  - *c", "/2"),
        ("- a\n- \"\\ud83d\\ude00\"\n- '\\ud83d'", "/1"),
        (&deep, "/0"),
        (&lines, "/0"),
    ] {
        let error = parse_allowed_tools(text).unwrap_err();
        let finding = &error.findings()[0];
        let found = (error.rule(), finding.pointer.as_str());
        assert_eq!(found, ("envelope/allowed-tools", pointer), "{text}");
    }
}
