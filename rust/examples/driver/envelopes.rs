//! What is asked of queue messages.

use partwire::envelope::{
    Sent, check_reply_value, check_tool_results, decode_prompt_block, parse_allowed_tools,
    parse_value, retry_event_value, sniff,
};
use partwire::types::envelope::ReportResultRequest;
use partwire::{Error, LATEST_VERSION, Mode, Version, read_value};
use partwire::{Value, json};

use crate::serving::served;
use crate::values::{Outcome, bytes, findings, refusal, text};

pub(crate) fn envelope(given: &Value, version: Version) -> Outcome {
    match called(given, version)? {
        Ok(result) => Ok(result),
        Err(error) => Ok(refusal(&error)),
    }
}

/// Returns what a call gives; the outer error is that of a call which the protocol does not have.
fn called(given: &Value, version: Version) -> Result<Result<Value, Error>, String> {
    let input = || bytes(&given["input"]);
    Ok(match text(given, "call") {
        "parse" => {
            let mode = if given["mode"] == "strict" { Mode::Strict } else { Mode::Tolerant };
            parse_value(text(given, "type"), &input()?, mode).map(
                |reading| json!({"value": reading.value, "findings": findings(&reading.findings)}),
            )
        }
        "sniff" => sniff(&input()?).map(|types| json!({"types": types})),
        "retry" => retried(given, &input()?, version),
        "reply" => {
            let (name, reply_name) = (text(given, "type"), text(given, "reply_type"));
            let reply = bytes(&given["reply"])?;
            message(&input()?, name).and_then(|before| {
                let after = message(&reply, reply_name)?;
                let found = check_reply_value(name, &before, reply_name, &after)?;
                Ok(json!({"findings": findings(&found)}))
            })
        }
        "tool-results" => results(given, &input()?),
        "allowed-tools" => {
            parse_allowed_tools(text(given, "text")).map(|tools| json!({"tools": tools}))
        }
        "prompt-block" => {
            decode_prompt_block(text(given, "text")).map(|text| json!({"text": text}))
        }
        other => return Err(format!("no such call: {other}")),
    })
}

fn message(document: &[u8], name: &str) -> Result<Value, Error> {
    read_value(document, name, Mode::Tolerant, LATEST_VERSION).map(|reading| reading.value)
}

fn retried(given: &Value, input: &[u8], version: Version) -> Result<Value, Error> {
    let (name, sent) = (text(given, "type"), &given["sent"]);
    let (message_id, sent_at) =
        (text(sent, "message_id").to_owned(), text(sent, "sent_at").to_owned());
    let mut event =
        retry_event_value(name, &message(input, name)?, &Sent { message_id, sent_at }, None)?;
    let declared = text(&event, "schema_version").parse::<Version>();
    if declared.is_ok_and(|declared| declared <= version) {
        return Ok(json!({"value": event})); // it is written for an older peer
    }
    if version != LATEST_VERSION {
        event["schema_version"] = LATEST_VERSION.as_str().into(); // what it goes down from
    }
    Ok(json!({"value": served(&event, "envelope.RetryEvent", version)?}))
}

fn results(given: &Value, input: &[u8]) -> Result<Value, Error> {
    let name = text(given, "type");
    let report = message(input, name)?;
    let report: Option<ReportResultRequest> =
        partwire::json::from_value(report).ok().filter(|_| name == "envelope.ReportResultRequest");
    let Some(report) = report else {
        // The types say it: there is no call with another one.
        return Ok(json!({"error": {
            "rule": "usage/invalid-argument", "pointer": "",
            "findings": [{"rule": "usage/invalid-argument", "pointer": "", "severity": "error"}],
        }}));
    };
    let ids = given["invocation_ids"].as_array().into_iter().flatten();
    let found = check_tool_results(&report, ids.filter_map(Value::as_str));
    Ok(json!({"findings": findings(&found)}))
}
