//! Builders: what they make is valid, or they say why not.

use partwire::build::{
    approval_request, approval_response, assistant, media, new_id, now, server_tool_call,
    server_tool_result, system, text, tool, tool_call, tool_error, tool_outcome, tool_result, user,
};
use partwire::types::message::{
    Author, MediaSource, Message, MessagePart, Role, ToolCall, ToolResultContent,
};
use partwire::{Error, HistoryOptions, Map, check_history, dump, json};

#[test]
fn a_conversation_is_built_and_fits() {
    let question = user("Which weather?").unwrap();
    let call = tool_call("weather", [("city".into(), "Oslo".into())]);
    let run = question.run_id.clone();
    let parts: Vec<MessagePart> = vec![text("I look.").into(), call.clone().into()];
    let answer = Message { run_id: run.clone(), ..assistant(parts).unwrap() };
    let results = tool([tool_result(&call, "rain")], &run).unwrap();
    let roles = [&question, &answer, &results].map(|each| each.role);
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    let history = [question, answer, results].map(|each| dump(&each).unwrap());
    assert_eq!(check_history(history, HistoryOptions::default()).unwrap(), []);
}

#[test]
fn content_is_a_text_a_part_or_several() {
    let count = |message: Result<Message, Error>| message.unwrap().parts.len();
    assert_eq!(count(user("one")), 1);
    assert_eq!(count(system(["one", "two"])), 2);
    assert_eq!(count(user(text(""))), 1);
    assert_eq!(count(assistant(Vec::<MessagePart>::new())), 0);
}

#[test]
fn what_is_not_valid_is_refused() {
    let refused = user(tool_call("f", Map::new())).unwrap_err();
    assert!(matches!(refused, Error::Usage(_)), "{refused}");
    assert_eq!(refused.rule(), "message/role-part-kind");
    assert_eq!(refused.findings()[0].pointer, "/parts/0/kind");
    assert_eq!(tool([tool_result("", "x")], "run_1").unwrap_err().rule(), "shape/min-length");
    assert!(tool([tool_result("c", "x")], "").is_err());
}

#[test]
fn results_name_their_call_and_say_whether_it_failed() {
    let call = tool_call("f", Map::new());
    let payload = &call.payload;
    let plain = ToolCall::clone(&ToolCall {
        tool_call_id: payload.tool_call_id.clone(),
        tool_name: "f".into(),
        arguments: Map::new(),
    });
    let ids = [
        tool_result(&call, "x"),
        tool_result(payload, "x"),
        tool_result(&plain, "x"),
        tool_result(&payload.tool_call_id, "x"),
        tool_result(payload.tool_call_id.as_str(), "x"),
    ];
    assert!(ids.iter().all(|each| each.payload.tool_call_id == payload.tool_call_id));
    assert!(!ids[0].payload.is_error);
    let failed = tool_error(&call, json!({"code": 1}).as_object().cloned().unwrap());
    assert!(failed.payload.is_error);
    assert!(matches!(failed.payload.content, ToolResultContent::Object(_)));
}

#[test]
fn times_and_ids_have_their_form() {
    let at = now();
    assert_eq!((at.len(), &at[10..11], &at[23..]), (24, "T", "Z"));
    assert!(at.as_str() > "2026-");
    assert_ne!(new_id(""), new_id(""));
    assert_eq!(new_id("call").split('_').next(), Some("call"));
}

#[test]
fn a_call_waits_is_approved_and_answered() {
    let call = tool_call("rm", Map::new());
    let search = server_tool_call("web_search", Map::new());
    let found = server_tool_result(&search, "rain");
    let asked = approval_request(&call);
    let yes = approval_response(&asked, "approved");
    assert!(asked.payload.approval_id.starts_with("apr_"));
    assert!(search.payload.tool_call_id.starts_with("srv_"));
    assert_eq!(approval_request(&search).payload.tool_call_id, found.payload.tool_call_id);
    let parts: Vec<MessagePart> =
        vec![search.into(), found.into(), call.clone().into(), asked.into()];
    let question = assistant(parts).unwrap();
    let answers: Vec<MessagePart> = vec![yes.clone().into(), tool_result(&call, "ok").into()];
    let results = tool(answers, &question.run_id).unwrap();
    assert_eq!(user(yes).unwrap().parts.len(), 1);
    let history = [question, results].map(|each| dump(&each).unwrap());
    assert_eq!(check_history(history, HistoryOptions::default()).unwrap(), []);
}

#[test]
fn an_outcome_says_whether_the_tool_failed() {
    let fails = |outcome: &str| tool_outcome("c1", "x", outcome).payload.is_error;
    assert!(["error", "denied", "interrupted", "timeout"].into_iter().all(fails));
    assert!(!["success", "partial", "retried"].into_iter().any(fails));
}

#[test]
fn media_and_authors_are_fields_away() {
    assert!(media("audio/wav", b"").is_err());
    let mut spoken = media("audio/wav", b"RIFF").unwrap();
    spoken.payload.transcript = Some("Hi".into());
    let MediaSource::Inline(source) = &spoken.payload.source else { unreachable!() };
    assert_eq!(source.data, "UklGRg==");
    let nobody = Message { author: Some(Author::default()), ..user("Hi").unwrap() };
    assert!(dump(&nobody).is_err());
    let message = Message { author: Some("Ada".into()), ..user(spoken).unwrap() };
    assert!(dump(&message).is_ok());
}
