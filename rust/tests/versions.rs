//! Migrations: the laws over documents made at random, and the interface as a caller meets it.

mod common;

use common::{Rng, Sample, mutated, samples};
use partwire::convert::versions::{
    DeltaDowngrade, MigrateOptions, Migrated, StoredRecord, TextMigrator, downgrade, load, migrate,
    migrate_record, migrate_value, negotiate, read_record, store, store_value, upgrade_value,
};
use partwire::{
    Error, Finding, LATEST_VERSION, LossSeverity, Version, canonical, decode_json, read,
    read_tolerant, v0_1, v0_2, validate_value,
};
use partwire::{Value, json};
use partwire::{dump, to_value};

const UP: MigrateOptions =
    MigrateOptions { to: Version::V0_2, from: Some(Version::V0_1), strict: false };

fn errors(value: &Value, name: &str, version: Version) -> Vec<Finding> {
    let mut found = validate_value(value, name, version).unwrap();
    found.retain(Finding::is_error);
    found
}

/// Calls `check` with valid documents of a version.
fn each_valid(version: Version, seed: u64, mut check: impl FnMut(&str, &Value)) {
    let mut rng = Rng::new(seed);
    let all: Vec<Sample> =
        samples().into_iter().filter(|each| each.version == version.as_str()).collect();
    for sample in &all {
        for _ in 0..8 {
            let mut value = sample.value.clone();
            for _ in 0..rng.below(4) {
                let other = rng.pick(&all).value.clone();
                value = mutated(&mut rng, &value, &other);
            }
            let declared =
                value.get("schema_version").is_none_or(|known| known == version.as_str());
            if declared && errors(&value, &sample.name, version).is_empty() {
                check(&sample.name, &value);
            }
        }
    }
}

fn same(one: &Value, other: &Value) -> bool {
    canonical(one) == canonical(other)
}

const STEPS: [(Version, Version); 2] =
    [(Version::V0_1, Version::V0_2), (Version::V0_2, Version::V0_3)];

fn migrated(
    value: &Value,
    name: &str,
    from: Version,
    to: Version,
) -> Result<Migrated<Value>, Error> {
    migrate(value, name, &MigrateOptions { to, from: Some(from), strict: false })
}

#[test]
fn up_loses_nothing_and_down_gives_the_same_again() {
    for (old, new) in STEPS {
        let mut count = 0;
        each_valid(old, 3, |name, document| {
            let Ok(up) = migrated(document, name, old, new) else { panic!("{name} {document}") };
            assert!(up.losses.iter().all(|loss| loss.code == "unknown-member"));
            assert_eq!(errors(&up.value, name, new), [], "{document}");
            let down = migrated(&up.value, name, new, old).unwrap();
            let is_lossy = |loss: &&partwire::Loss| loss.severity == LossSeverity::Lossy;
            assert_eq!(down.losses.iter().find(is_lossy), None, "{document}");
            if up.losses.is_empty() {
                assert!(same(&down.value, document), "{document}\n{}", down.value);
                count += 1;
            }
        });
        assert!(count > 250, "{old} {count}");
    }
}

#[test]
fn what_goes_down_is_valid_and_says_what_it_lost() {
    for (old, new) in STEPS {
        let mut changed = 0;
        each_valid(new, 5, |name, document| {
            let down = match migrated(document, name, new, old) {
                Ok(down) => down,
                Err(Error::Migration(refusal)) => return assert!(!refusal.losses.is_empty()),
                Err(error) => return assert_eq!(error.rule(), "usage/unknown-type"),
            };
            assert_eq!(errors(&down.value, name, old), [], "{document}");
            let back = migrated(&down.value, name, old, new).unwrap();
            assert_eq!(back.losses, []);
            let again = migrated(&back.value, name, new, old).unwrap();
            assert!(same(&again.value, &down.value), "{document}");
            let is_said = down.losses.iter().any(|loss| loss.code != "message-type");
            let mut known = document.clone();
            if let Some(said) = back.value.get("message_type") {
                known["message_type"] = said.clone();
            }
            assert_eq!(
                is_said,
                !same(&back.value, &known),
                "{name} {document}\n{:#?}",
                down.losses
            );
            changed += usize::from(is_said);
        });
        assert!(changed > 25, "{old} {changed}");
    }
}

const TURN: &str = "2026-01-02T03:04:05Z";

fn item(kind: &str) -> Value {
    json!({"kind": kind, "start": 0, "end": 2})
}

fn part(kind: &str, text: &str, items: &Value) -> Value {
    let opaque = json!({"provider": "p", "data": {"items": items}});
    json!({"kind": kind, "payload": {"text": text, "opaque": opaque}})
}

fn message(parts: &Value) -> Value {
    json!({"runId": "r", "role": "assistant", "parts": parts, "timestamp": TURN})
}

/// Places of state count characters, whatever they take in memory.
#[test]
fn joined_parts_count_characters() {
    let parts = json!([
        part("text", "é🌍", &json!([{"kind": "a"}])),
        part("text", "xy", &json!([item("b")])),
        {"kind": "text", "payload": {"text": "z"}},
    ]);
    let made = downgrade(&message(&parts), "message.Message", Version::V0_1).unwrap();
    let state = &made.value["meta"]["opaque"]["parts"]["0"];
    assert_eq!(state[0], json!({"kind": "a", "start": 0, "end": 2}));
    assert_eq!(state[1], json!({"kind": "b", "start": 2, "end": 4}));
    assert_eq!(made.value["parts"][0]["payload"]["text"], "é🌍xyz");
    let codes: Vec<&str> = made.losses.iter().map(|loss| loss.code).collect();
    assert_eq!(codes, ["parts-joined", "parts-joined"]);
}

#[test]
fn many_joined_parts_take_linear_time() {
    let row: Vec<Value> = (0..4_000).map(|_| part("text", "ab", &json!([item("a")]))).collect();
    let made = downgrade(&message(&row.into()), "message.Message", Version::V0_1).unwrap();
    let state = made.value["meta"]["opaque"]["parts"]["0"].as_array().unwrap();
    assert_eq!(state.last().unwrap()["end"], 8_000);
    // Of one code, no more losses are kept.
    assert_eq!(made.losses.len(), 100);
}

/// Where state belongs is anyone's number.
#[test]
fn offsets_lead_nowhere_else_than_to_parts() {
    let offsets = [
        json!(1),
        json!(1.0),
        json!(-1),
        json!(2),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!("1"),
        json!(0.5),
    ];
    for offset in offsets {
        let mut late = item("late");
        late["partOffset"] = offset.clone();
        let parts = json!([part("text", "a", &json!([late])), {
            "kind": "thinking", "payload": {"text": "b"}
        }]);
        let made = downgrade(&message(&parts), "message.Message", Version::V0_1).unwrap();
        assert_eq!(errors(&made.value, "message.Message", Version::V0_1), []);
        let state = made.value["meta"]["opaque"]["parts"].as_object().unwrap();
        let place = match offset.as_f64() {
            Some(1.0) => "1",
            Some(2.0) => "2",
            _ => "0",
        };
        assert_eq!(state.keys().collect::<Vec<_>>(), [place], "{offset}");
    }
}

#[test]
fn the_version_is_given_or_declared() {
    let delta = json!({"kind": "done", "runId": "r", "seq": 1, "timestamp": TURN,
        "payload": {"finishReason": "stop"}});
    let name = "message.MessageDelta";
    let refused = migrate(&delta, name, &MigrateOptions::default()).unwrap_err();
    assert_eq!(refused.rule(), "usage/unknown-version");
    let refused = migrate(&delta, "message.Nothing", &UP).unwrap_err();
    assert_eq!(refused.rule(), "usage/unknown-type");
    let refused = migrate(&json!({}), name, &UP).unwrap_err();
    assert!(matches!(refused, Error::Read(_)));
    let envelope = json!({"message_id": "5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a10", "sent_at": TURN,
        "schema_version": "v0.1"});
    let made = migrate(&envelope, "envelope.Envelope", &MigrateOptions::default()).unwrap();
    assert_eq!(made.value["schema_version"], LATEST_VERSION.as_str());
    let refused = downgrade(&envelope, "envelope.Envelope", Version::V0_1).unwrap_err();
    assert_eq!(refused.rule(), "migrate/version-mismatch");
}

#[test]
fn strict_refuses_what_would_be_lost() {
    let mut given = message(&json!([]));
    given["messageId"] = json!("m");
    let options = MigrateOptions { to: Version::V0_1, from: Some(Version::V0_2), strict: true };
    let refused = migrate(&given, "message.Message", &options).unwrap_err();
    let Error::Migration(refusal) = &refused else { panic!("{refused}") };
    assert_eq!((refused.rule(), refusal.losses.len()), ("migrate/lossy", 1));
    given.as_object_mut().unwrap().remove("messageId");
    assert!(migrate(&given, "message.Message", &options).is_ok());
}

#[test]
fn types_are_migrated_as_their_values_are() {
    let document = message(&json!([{"kind": "text", "payload": {"text": "Hi"}}, {"kind": "new"}]));
    let document = document.to_string().into_bytes();
    let newer = read_tolerant::<v0_2::message::Message>(&document).unwrap().value;
    let made = migrate_value::<_, v0_1::message::Message>(&newer, true).unwrap();
    assert_eq!(made.value.parts.len(), 2); // what nobody knows stays as it is
    let again: v0_2::message::Message = upgrade_value(&made.value).unwrap();
    assert_eq!(again, newer);
    let refused = migrate_value::<_, v0_1::message::ToolResult>(&newer, false).unwrap_err();
    assert_eq!(refused.rule(), "usage/invalid-argument");
}

fn delta(seq: u64, text: &str, with_state: bool) -> Value {
    let mut made = json!({"kind": "text", "runId": "r", "turnId": "t", "seq": seq,
        "timestamp": TURN, "payload": {"textDelta": text}});
    if with_state {
        made["payload"]["opaque"] = json!({"provider": "p", "data": {}});
    }
    made
}

#[test]
fn the_time_of_a_delta_is_looked_at_where_it_goes_into_the_message() {
    let soon = |kind: &str, payload: Value| json!({"runId": "r", "seq": 0, "kind": kind, "payload": payload, "timestamp": "soon"});
    let mut older = DeltaDowngrade::new(Version::V0_2);
    let hi = soon("text", json!({"textDelta": "Hi"}));
    assert_eq!(older.feed_value(&hi).unwrap(), Some(hi));
    assert!(older.feed_value(&soon("done", json!({"finishReason": "stop"}))).is_err());
}

#[test]
fn a_stream_of_deltas_has_no_gap() {
    let mut older = DeltaDowngrade::new(Version::V0_1);
    let mut fed = |value: &Value| older.feed_value(value).unwrap().map(|made| made["seq"].clone());
    assert_eq!(fed(&delta(0, "a", false)), Some(json!(0)));
    assert_eq!(fed(&delta(1, "", true)), None);
    assert_eq!(fed(&delta(2, "b", true)), Some(json!(1)));
    assert_eq!(fed(&delta(1, "", true)), None); // one that comes again
    assert_eq!(fed(&delta(3, "", false)), Some(json!(2)));
    let rows: Vec<(&str, &str)> =
        older.losses().iter().map(|loss| (loss.pointer.as_str(), loss.code)).collect();
    let state = [("/1/payload/opaque", "opaque"), ("/2/payload/opaque", "opaque")];
    assert_eq!(rows[0], ("/0/turnId", "turn-id"));
    assert_eq!(rows[1..3], state);
    // Refused, nothing has happened.
    assert!(older.feed_value(&json!({"kind": "new", "seq": 4})).is_err());
    let unknown = json!({"kind": "new", "seq": 4, "x": [1]}).to_string().into_bytes();
    let unknown = read_tolerant::<v0_2::message::MessageDelta>(&unknown).unwrap().value;
    assert_eq!(older.feed(&unknown).unwrap(), Some(json!({"kind": "new", "seq": 3, "x": [1]})));
    assert!(older.left_out().is_empty());
}

#[test]
fn records_say_what_they_are() {
    let result = br#"{"toolCallId": "c", "isError": false, "content": "4"}"#;
    let result: v0_2::message::ToolResult = read(result).unwrap();
    let text = store(&result).unwrap();
    assert_eq!(load::<v0_2::message::ToolResult>(&text).unwrap(), result);
    assert_eq!(load::<v0_2::message::Message>(&text).unwrap_err().rule(), "usage/invalid-argument");
    let record = read_record(&decode_json(&text).unwrap()).unwrap();
    let older = migrate_record(&record, Version::V0_1, true).unwrap().value;
    assert_eq!(older, StoredRecord { version: Version::V0_1, ..record });
    let refused = store_value(&json!({}), "message.ToolResult", Version::V0_1).unwrap_err();
    assert!(matches!(refused, Error::Write(_)));
    let mut value = older.to_value();
    value["data"]["isError"] = json!(1);
    let record = read_record(&value).unwrap();
    let refused = migrate_record(&record, Version::V0_2, false).unwrap_err();
    assert_eq!(refused.findings()[0].pointer, "/data/isError");
}

#[test]
fn texts_that_are_there_stay_byte_for_byte() {
    let text = br#" {"toolCallId":"c", "isError":false,"content":{"n":1.50}}"#;
    let name = "message.ToolResult";
    let up = TextMigrator::of_documents(Version::V0_2, name, Some(Version::V0_1), true).unwrap();
    assert_eq!(up.run(text).unwrap().text, text);
    // What has been migrated before is not migrated again.
    let done = br#"{"runId":"r","turnId":"t","role":"user","parts":[],"timestamp":"2026-01-02T03:04:05Z"}"#;
    let name = "message.Message";
    let up = TextMigrator::of_documents(Version::V0_2, name, Some(Version::V0_1), false).unwrap();
    assert_eq!(up.run(done).unwrap().text, done);
    assert_eq!(up.run(done).unwrap().losses, []);
    let refused = TextMigrator::of_documents(Version::V0_2, name, None, false).unwrap_err();
    assert_eq!(refused.rule(), "usage/invalid-argument");
    let records = TextMigrator::of_records(Version::V0_1, false);
    let record = json!({"contract": "partwire", "version": "v0.2", "type": name,
        "data": decode_json(done).unwrap()});
    let made = records.run(record.to_string().as_bytes()).unwrap();
    assert_eq!(made.losses[0].pointer, "/data/turnId");
    assert_eq!(decode_json(&made.text).unwrap()["version"], "v0.1");
    assert_eq!(records.run(&made.text).unwrap().text, made.text);
}

#[test]
fn peers_speak_the_best_version_that_both_know() {
    let known = ["v0.1", "v0.2", "v0.10"];
    let rows = [
        ("v0.1, v0.2", "v0.2"),
        ("v0.10,v0.2,,", "v0.10"),
        ("v0.2;q=0.5, v0.1", "v0.1"),
        ("*;q=0.1, v0.1 ; Q=1.000", "v0.1"),
        ("*, v0.10;q=0", "v0.2"),
        ("v0.2;q=0.2, v0.2;q=0.9, v0.1;q=0.5", "v0.2"),
        ("v0.1;q=0.001", "v0.1"),
    ];
    for (offers, best) in rows {
        assert_eq!(negotiate(offers, &known).unwrap(), best, "{offers}");
        let list: Vec<&str> = offers.split(',').filter(|offer| !offer.is_empty()).collect();
        assert_eq!(negotiate(&list, &known).unwrap(), best, "{offers}");
    }
    for offers in ["", "v9.9", "v0.1;q=0", "*;q=0."] {
        let refused = negotiate(offers, &known).unwrap_err();
        assert_eq!(refused.rule(), "negotiate/no-common-version", "{offers}");
    }
    let wrong = [
        "v1",
        "v0.01",
        "v0.1;",
        "v0.1;q=2",
        "v0.1;q=0.0001",
        "v0.1;q=1.1",
        "v0.1 x",
        "v0.1;q =1",
        "v0.1;q=+1",
        "v0.1000000",
        "\u{a0}v0.1",
    ];
    for offers in wrong {
        let refused = negotiate(offers, &known).unwrap_err();
        assert_eq!(refused.rule(), "negotiate/invalid-offer", "{offers}");
    }
}

#[test]
fn offers_are_bounded_and_versions_named() {
    let known = ["v0.1", "v0.2"];
    let many = vec!["v0.1"; 1001];
    assert_eq!(negotiate(&many, &known).unwrap_err().rule(), "negotiate/invalid-offer");
    assert_eq!(negotiate(&[""], &known).unwrap_err().rule(), "negotiate/invalid-offer");
    assert_eq!(negotiate("v0.1", &["0.1"]).unwrap_err().rule(), "usage/invalid-argument");
}

/// What tolerant reading deals with as a safe default is kept, and written back.
#[test]
fn enum_values_of_a_newer_writer() {
    use v0_2::envelope::{EvaluationResponse, EvaluationResponseNextAction as Next};
    let document = json!({
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8", "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": "v0.2", "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "status": "splendid", "score": 92.5, "next_action": "escalate_v2",
    });
    let text = document.to_string();
    assert!(matches!(read::<EvaluationResponse>(text.as_bytes()), Err(Error::Read(_))));
    let reading = read_tolerant::<EvaluationResponse>(text.as_bytes()).unwrap();
    let taken: Vec<_> =
        reading.defaults.iter().map(|(at, it)| (at.as_str(), it.as_str())).collect();
    assert_eq!(taken, [("/next_action", "none"), ("/status", "fail")]);
    let mut value = reading.value;
    assert_eq!(value.next_action.clone().or_safe_default(), Next::None);
    assert_eq!(decode_json(&dump(&value.clone()).unwrap()).unwrap(), document);
    assert!(matches!(
        store_value(&document, "envelope.EvaluationResponse", Version::V0_2),
        Err(Error::Write(_))
    ));
    let older: v0_1::envelope::EvaluationResponse = migrate_value(&value, false).unwrap().value;
    assert_eq!(to_value(&older).unwrap()["next_action"], json!("escalate_v2"));
    assert!(load::<EvaluationResponse>(&store(&value).unwrap()).is_err());
    value.next_action = Next::Retry;
    assert_eq!(to_value(&value).unwrap()["next_action"], json!("retry"));
}
