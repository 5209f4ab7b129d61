//! Sessions: messages built part by part, and findings about a part.

mod common;

use common::{Rng, mutated, samples};
use partwire::session::{
    IdProfile, PartBase, PartIds, TextOptions, WithPartsBuilder, create_completed, create_error,
    create_pending, create_running, create_text_part, pending_to_running, require_part,
    running_to_completed, running_to_error, validate_part, visible_to_model,
};
use partwire::types::session::{
    CacheTokenStats, MessagePath, ModelRef, Part, ReasoningTime, TokenStats, ToolState,
    ToolStatePending, UserSummary, tags,
};
use partwire::{Error, Map, StateFields, to_value};
use partwire::{Value, json};

const SESSION: &str = "0197c6f0-5a00-7000-8000-000000000001";
const MESSAGE: &str = "0197c6f0-5a00-7000-8000-000000000002";

fn numbered() -> impl FnMut() -> String + Send {
    let mut next = 0;
    move || {
        next += 1;
        format!("prt_{next}")
    }
}

fn assistant() -> WithPartsBuilder {
    let path = MessagePath { cwd: "/work".into(), root: "/work".into() };
    WithPartsBuilder::for_assistant(SESSION, MESSAGE, 1000, "build", &path, numbered()).unwrap()
}

fn user() -> WithPartsBuilder {
    let model = ModelRef { provider_id: "acme".into(), model_id: "m".into() };
    WithPartsBuilder::for_user(SESSION, MESSAGE, 1000, "build", &model, numbered()).unwrap()
}

fn pending() -> ToolState {
    let (status, input) = (tags::Pending, Map::new());
    ToolState::Pending(ToolStatePending { status, input, raw: "{}".into() })
}

fn tokens() -> TokenStats {
    let cache = CacheTokenStats { read: 0, write: 0 };
    TokenStats { input: 1, output: 2, reasoning: 0, cache, total: None }
}

fn rules(error: &Error) -> Vec<(String, String)> {
    error.findings().iter().map(|each| (each.rule.clone(), each.pointer.clone())).collect()
}

#[test]
fn a_message_is_built_step_by_step() {
    let mut builder = assistant();
    builder.add_step_start(None).unwrap();
    builder.add_reasoning("Hm.", ReasoningTime { start: 1001, end: None }, None).unwrap();
    builder.add_tool("call_1", "weather", pending(), None).unwrap();
    builder.add_text("Sun.", TextOptions::default()).unwrap();
    builder.add_file("image/png", "file:///map.png", None, None).unwrap();
    let start = StateFields { start: Some(1002), ..StateFields::default() };
    builder.move_to("call_1", "running", start).unwrap();
    let so_far = to_value(&builder.build_partial().unwrap()).unwrap();
    assert_eq!(so_far["info"]["tokens"]["cache"]["write"], 0);
    let (output, end) = (Some("7 °C".to_owned()), Some(1003));
    let ended = StateFields { output, end, ..StateFields::default() };
    let part = builder.move_to("call_1", "completed", ended).unwrap();
    let ToolState::Completed(state) = &part.state else { panic!("{:?}", part.state) };
    assert_eq!(state.title, "weather");
    builder.add_step_finish("stop".into(), 0.5, tokens(), None).unwrap();
    builder.set_usage(0.5, &tokens()).unwrap();
    let unfinished = rules(&builder.build().unwrap_err());
    assert_eq!(unfinished, [("session/not-completed".into(), "/info/time".into())]);
    builder.complete(1004);
    assert_eq!(builder.check().unwrap(), []);
    let message = to_value(&builder.build().unwrap()).unwrap();
    let kinds: Vec<&str> = message["parts"].as_array().unwrap().iter().map(kind).collect();
    assert_eq!(kinds, ["step-start", "reasoning", "tool", "text", "file", "step-finish"]);
    assert_eq!(message["parts"][2]["id"], "prt_3");
    assert_eq!(message["parts"][2]["sessionID"], SESSION);
}

fn kind(part: &Value) -> &str {
    part["type"].as_str().unwrap()
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut builder = assistant();
    builder.add_tool("call_1", "weather", pending(), None).unwrap();
    let twice = builder.add_tool("call_1", "weather", pending(), None).unwrap_err();
    let place = ("session/duplicate-tool-call".to_owned(), "/parts/1/callID".to_owned());
    assert_eq!(rules(&twice), [place]);
    let unknown = builder.move_to("call_2", "running", StateFields::default()).unwrap_err();
    assert_eq!(unknown.rule(), "session/unknown-tool-call");
    let skipped = builder.move_to("call_1", "completed", StateFields::default()).unwrap_err();
    assert_eq!(skipped.rule(), "session/invalid-transition");
    let other = ToolState::Pending(ToolStatePending {
        status: tags::Pending,
        input: Map::new(),
        raw: "[]".into(),
    });
    assert_eq!(builder.set_state("call_1", &other).unwrap_err().rule(), "session/state-changed");
    assert_eq!(builder.set_state("call_1", &pending()).unwrap().state, pending());
    assert!(builder.add_tool("", "weather", pending(), None).is_err());
    assert!(builder.set_summary(&UserSummary { title: None, body: None, diffs: None }).is_err());
    assert_eq!(builder.parts().count(), 1);
}

#[test]
fn a_summary_is_for_compaction() {
    let summary = UserSummary { title: Some("So far".into()), body: None, diffs: None };
    let mut builder = user();
    builder.set_summary(&summary).unwrap();
    let found = rules(&builder.build().unwrap_err());
    assert_eq!(found, [("session/summary-without-compaction".into(), "/info/summary".into())]);
    assert!(builder.compacting(true).build().is_ok());
    assert!(user().set_usage(1.0, &tokens()).is_err());
}

#[test]
fn info_is_an_object() {
    let made = WithPartsBuilder::new(json!([1]), SESSION, String::new);
    assert!(matches!(made, Err(Error::Usage(_))));
    let mut deep = json!(1);
    for _ in 0..520 {
        deep = json!([deep]);
    }
    let mut builder = user();
    assert_eq!(builder.add_value(deep).unwrap_err().rule(), "document/too-deep");
}

#[test]
fn ids_of_other_systems_are_taken_where_asked_for() {
    let file = json!({
        "id": "f", "sessionID": "ses_1", "messageID": "", "type": "file", "mime": "a/b", "url": "u"
    });
    let state = json!({
        "status": "completed", "input": {}, "output": "(no output)", "title": "t", "metadata": {},
        "time": {"start": 1, "end": 2}, "attachments": [file]
    });
    let part = json!({
        "id": "p", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool", "callID": "c",
        "tool": "t", "state": state
    });
    let found = validate_part(&part, IdProfile::Opaque);
    let places: Vec<&str> = found.findings.iter().map(|each| each.pointer.as_str()).collect();
    assert_eq!(places, ["/state/attachments/0/messageID", "/state/output"]);
    assert!(!found.valid);
    assert_eq!(found.findings[0].expected.as_deref(), Some("at least 1"));
    assert!(validate_part(&part, IdProfile::Uuid).findings.len() > 3);
    let errors = require_part(&part, IdProfile::Opaque).unwrap_err();
    assert_eq!(errors.findings().len(), 1);
}

#[test]
fn ignored_text_is_not_for_the_model() {
    let mut builder = user();
    let ignored = TextOptions { ignored: Some(true), ..TextOptions::default() };
    let hidden: Part = builder.add_text("a", ignored).unwrap().into();
    let seen: Part = builder.add_text("b", TextOptions::default()).unwrap().into();
    let all = [hidden, seen];
    let visible: Vec<&Part> = visible_to_model(&all).collect();
    assert_eq!(visible, [&all[1]]);
}

/// Whatever is added, what is built is valid, and what is not valid is never built.
#[test]
fn hostile_parts_are_no_panic() {
    let (all, mut rng) = (samples(), Rng::new(5));
    let parts: Vec<Value> = all
        .iter()
        .filter(|each| each.name == "session.Part")
        .map(|each| each.value.clone())
        .collect();
    let (mut built, mut refused) = (0, 0);
    for _ in 0..400 {
        let mut builder = assistant();
        builder.set_usage(0.0, &tokens()).unwrap();
        builder.complete(5);
        for _ in 0..rng.below(3) {
            let mut part = rng.pick(&parts).clone();
            if rng.below(2) == 0 {
                let other = rng.pick(&all).value.clone();
                part = mutated(&mut rng, &part, &other);
            }
            _ = validate_part(&part, IdProfile::Opaque);
            _ = builder.add_value(part.clone());
            let call = part["callID"].as_str().unwrap_or("").to_owned();
            let fields = rng.pick(&all).value.as_object().cloned().unwrap_or_default();
            let to = *rng.pick(&["running", "completed", "error"]);
            _ = builder.move_value(&call, to, fields);
            _ = builder.set_state_value(&call, &rng.pick(&all).value);
        }
        match builder.build() {
            Ok(message) => {
                built += 1;
                to_value(&message).unwrap();
                assert!(!builder.check().unwrap().iter().any(partwire::Finding::is_error));
            }
            Err(error) => {
                refused += 1;
                assert!(error.findings().iter().all(partwire::Finding::is_error));
            }
        }
    }
    assert!(built > 50 && refused > 50, "{built} built, {refused} refused");
}

#[test]
fn states_are_made_and_moved_under_the_names_of_the_document() -> Result<(), Error> {
    let input = Map::new();
    let pending = create_pending(&input, "{}")?;
    let titled = StateFields { title: Some("t".to_owned()), ..StateFields::default() };
    let running = pending_to_running(&pending, 1, titled)?;
    assert_eq!(running, create_running(&input, Some("t"), 1)?);
    let completed = running_to_completed(&running, "out", 5, StateFields::default())?;
    assert_eq!(completed, create_completed(&input, "out", "t", &Map::new(), 1, 5)?);
    let failed = running_to_error(&running, "no", 5, StateFields::default())?;
    assert_eq!(failed, create_error(&input, "no", 1, 5)?);
    let refused = running_to_completed(&running, "", 5, StateFields::default());
    assert_eq!(
        rules(&refused.expect_err("an empty output")),
        [("shape/min-length".to_owned(), "/output".to_owned())]
    );
    Ok(())
}

#[test]
fn every_part_has_a_base() -> Result<(), Error> {
    let ids = PartIds { id: "p", session_id: SESSION, message_id: SESSION };
    let part = create_text_part(ids, "Hi", TextOptions::default())?;
    let base: &dyn PartBase = &part;
    assert_eq!((base.id(), base.session_id(), base.message_id()), ("p", SESSION, SESSION));
    Ok(())
}
