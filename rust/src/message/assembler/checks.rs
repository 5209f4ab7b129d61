//! What a delta has to be in itself and in its place, and the words of each refusal.

use crate::json::Value;

use crate::contract::current::message::{MessageDelta, UsageSummary};
use crate::contract::types::Unknown;
use crate::errors::{Error, Finding, StreamRefusal, clip, clip_text};
use crate::tables::stream::{DONE, ERROR, IDLE, STARTED};

/// How far a stream has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Nothing has come.
    Idle,
    /// The start delta has come.
    Started,
    /// The done delta has come.
    Done,
    /// The error delta has come.
    Error,
}

pub(crate) const MAX_SEQ: u64 = (1 << 53) - 1;

/// Returns the error for a delta, or a call; the pointer leads into the delta.
pub(crate) fn refusal(finding: Finding, seq: Option<u64>) -> Error {
    Error::Stream(Box::new(StreamRefusal { finding, seq, limit: None }))
}

pub(crate) fn limit_exceeded(limit: &'static str, most: u64, seq: u64, pointer: &str) -> Error {
    let message = format!("The limit {limit} is passed");
    let finding = Finding::error("stream/limit-exceeded", pointer, &message)
        .expected(format!("at most {most} ({limit})"))
        .actual("more");
    Error::Stream(Box::new(StreamRefusal { finding, seq: Some(seq), limit: Some(limit) }))
}

/// Returns the error for a value that no reader would have let pass.
pub(crate) fn invalid_delta(
    pointer: &str,
    expected: &str,
    actual: String,
    seq: Option<u64>,
) -> Error {
    let finding = Finding::error("stream/invalid-delta", pointer, "Not a delta of the contract");
    let seq = seq.filter(|seq| *seq <= MAX_SEQ);
    refusal(finding.expected(expected).actual(actual), seq)
}

/// Refuses an empty string.
pub(crate) fn check_name(pointer: &str, value: &str, seq: u64) -> Result<(), Error> {
    if !value.is_empty() {
        return Ok(());
    }
    let expected = "a non-empty string of well-formed Unicode";
    Err(invalid_delta(pointer, expected, clip_text(value), Some(seq)))
}

/// Refuses a string of more than `most` code points.
pub(crate) fn check_length(pointer: &str, value: &str, seq: u64, most: u64) -> Result<(), Error> {
    if value.len() as u64 > most && value.chars().count() as u64 > most {
        return Err(limit_exceeded("id_chars", most, seq, pointer));
    }
    Ok(())
}

/// Refuses what is not an id: a name of at most `most` code points.
pub(crate) fn check_id(pointer: &str, value: &str, seq: u64, most: u64) -> Result<(), Error> {
    check_name(pointer, value, seq)?;
    check_length(pointer, value, seq, most)
}

/// Refuses a timestamp that may not stand in a message.
pub(crate) fn check_timestamp(value: &str, seq: u64) -> Result<(), Error> {
    if is_timestamp(value) {
        return Ok(());
    }
    let message = "The timestamp goes into the message and does not have its form";
    let finding = Finding::error("stream/invalid-timestamp", "/timestamp", message)
        .expected("RFC 3339 with a zone, such as 2026-01-02T03:04:05Z")
        .actual(clip_text(value));
    Err(refusal(finding, Some(seq)))
}

/// Tells whether text has the form of a Timestamp: RFC 3339 with a zone, upper-case T and Z, at most
/// nine fraction digits, a day that the calendar has, no leap second.
#[must_use]
pub fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, count: usize| {
        let digits = bytes.get(from..from + count)?;
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0')))
    };
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    let marks = is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':') && is(16, b':');
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 2), number(8, 2)) else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (number(11, 2), number(14, 2), number(17, 2))
    else {
        return false;
    };
    let is_day = (1..=days_of(year, month)).contains(&day);
    if !marks || !is_day || hour > 23 || minute > 59 || second > 59 {
        return false;
    }
    let rest = bytes.get(19..).unwrap_or_default();
    let digits = match rest.split_first() {
        Some((b'.', rest)) => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    if rest.first() == Some(&b'.') && !(1..=9).contains(&digits) {
        return false;
    }
    let zone = 19 + if digits > 0 { digits + 1 } else { 0 };
    match bytes.get(zone..) {
        Some([b'Z']) => true,
        Some([b'+' | b'-', _, _, b':', _, _]) => {
            number(zone + 1, 2).is_some_and(|hour| hour <= 23)
                && number(zone + 4, 2).is_some_and(|minute| minute <= 59)
        }
        _ => false,
    }
}

fn days_of(year: u32, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    }
}

/// Refuses figures that may not stand in a message.
pub(crate) fn check_usage(usage: &UsageSummary, seq: u64) -> Result<(), Error> {
    let counts = [
        ("inputTokens", Some(usage.input_tokens)),
        ("outputTokens", Some(usage.output_tokens)),
        ("totalTokens", Some(usage.total_tokens)),
        ("reasoningTokens", usage.reasoning_tokens),
        ("cacheReadTokens", usage.cache_read_tokens),
        ("cacheWriteTokens", usage.cache_write_tokens),
    ];
    for (name, value) in counts {
        if let Some(value) = value.filter(|value| *value > MAX_SEQ) {
            let pointer = format!("/payload/{name}");
            let actual = value.to_string();
            return Err(invalid_delta(&pointer, "a count of tokens", actual, Some(seq)));
        }
    }
    match usage.cost {
        Some(cost) if !(cost.is_finite() && cost >= 0.0) => {
            let expected = "a finite number of at least 0";
            Err(invalid_delta("/payload/cost", expected, cost.to_string(), Some(seq)))
        }
        _ => Ok(()),
    }
}

/// What says whether a delta may come; ids are None where it has none.
pub(crate) struct Head<'a> {
    pub kind: &'a str,
    pub run_id: Option<&'a str>,
    pub seq: Option<u64>,
    pub message_id: Option<&'a str>,
    pub turn_id: Option<&'a str>,
}

macro_rules! head {
    ($kind:literal, $delta:ident) => {
        Head {
            kind: $kind,
            run_id: Some(&$delta.run_id),
            seq: Some($delta.seq),
            message_id: $delta.message_id.as_deref(),
            turn_id: $delta.turn_id.as_deref(),
        }
    };
}

/// Returns the head of a delta; fails for one of an unknown kind that is none.
pub(crate) fn head_of(delta: &MessageDelta) -> Result<Head<'_>, Error> {
    Ok(match delta {
        MessageDelta::Start(delta) => head!("start", delta),
        MessageDelta::Text(delta) => head!("text", delta),
        MessageDelta::Thinking(delta) => head!("thinking", delta),
        MessageDelta::ToolCallStart(delta) => head!("tool_call_start", delta),
        MessageDelta::ToolCallArgs(delta) => head!("tool_call_args", delta),
        MessageDelta::ToolCallEnd(delta) => head!("tool_call_end", delta),
        MessageDelta::TextCitation(delta) => head!("text_citation", delta),
        MessageDelta::ServerToolCallStart(delta) => head!("server_tool_call_start", delta),
        MessageDelta::ServerToolCallArgs(delta) => head!("server_tool_call_args", delta),
        MessageDelta::ServerToolCallEnd(delta) => head!("server_tool_call_end", delta),
        MessageDelta::ServerToolResult(delta) => head!("server_tool_result", delta),
        MessageDelta::ApprovalRequest(delta) => head!("approval_request", delta),
        MessageDelta::MediaStart(delta) => head!("media_start", delta),
        MessageDelta::MediaData(delta) => head!("media_data", delta),
        MessageDelta::MediaEnd(delta) => head!("media_end", delta),
        MessageDelta::Warning(delta) => head!("warning", delta),
        MessageDelta::Usage(delta) => head!("usage", delta),
        MessageDelta::Done(delta) => head!("done", delta),
        MessageDelta::Error(delta) => head!("error", delta),
        MessageDelta::Unknown(unknown) => head_of_unknown(unknown)?,
    })
}

// The kind of the table that is any of a newer version.
const ANY_OTHER: &str = "*";

fn is_known(kind: &str) -> bool {
    kind != ANY_OTHER && STARTED.iter().any(|(known, _)| *known == kind)
}

// An id that is there and no string: no stream has one like it.
const NO_ID: &str = "\u{0}";

/// Returns an integer, which may be written with a fraction of zero.
fn whole(value: &Value) -> Option<u64> {
    const BEYOND: f64 = 9_007_199_254_740_992.0; // 2^53: the smallest integer that is not a seq
    let float = || value.as_f64().filter(|value| value.fract() == 0.0);
    let in_range = || float().filter(|value| (0.0..BEYOND).contains(value));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it is in range
    value.as_u64().or_else(|| in_range().map(|value| value as u64))
}

fn head_of_unknown(unknown: &Unknown) -> Result<Head<'_>, Error> {
    let seq = unknown.get("seq").and_then(whole);
    let kind = unknown.get("kind").and_then(Value::as_str);
    let Some(kind) = kind.filter(|kind| !is_known(kind)) else {
        let actual = unknown.get("kind").map_or("none".to_owned(), clip);
        let expected = "a kind that this version does not know";
        return Err(invalid_delta("/kind", expected, actual, seq));
    };
    // Nobody has read what is of an unknown kind: null may still stand for absent.
    let id = |name: &str| match unknown.get(name) {
        None | Some(Value::Null) => None,
        Some(value) => Some(value.as_str().unwrap_or(NO_ID)),
    };
    Ok(Head { kind, run_id: id("runId"), seq, message_id: id("messageId"), turn_id: id("turnId") })
}

/// The stream as far as it has come; the run id is None where any will do.
pub(crate) struct Expected<'a> {
    pub status: Status,
    pub run_id: Option<&'a str>,
    pub last_seq: Option<u64>,
    pub message_id: Option<&'a str>,
    pub turn_id: Option<&'a str>,
}

/// Returns the seq of a delta that may come here, and the status that follows; refuses any other,
/// whatever it says.
pub(crate) fn check_head(head: &Head<'_>, expected: &Expected<'_>) -> Result<(u64, Status), Error> {
    let Some(seq) = head.seq.filter(|seq| *seq <= MAX_SEQ) else {
        let actual = head.seq.map_or("no such integer".to_owned(), |seq| seq.to_string());
        return Err(invalid_delta("/seq", "an integer from 0 to 2^53 - 1", actual, None));
    };
    let status = step_of(expected.status, head.kind, seq)?;
    if expected.run_id.is_some() && head.run_id != expected.run_id {
        let message = "The delta belongs to another run";
        let finding = Finding::error("stream/run-id-mismatch", "/runId", message)
            .expected(clip_text(expected.run_id.unwrap_or("")))
            .actual(clip_text(head.run_id.unwrap_or("")));
        return Err(refusal(finding, Some(seq)));
    }
    if expected.status == Status::Started {
        check_same("message", head.message_id, expected.message_id, seq)?;
        check_same("turn", head.turn_id, expected.turn_id, seq)?;
    }
    if let Some(last) = expected.last_seq.filter(|last| seq <= *last) {
        let finding = Finding::error("stream/seq-not-increasing", "/seq", "seq does not increase")
            .expected(format!("more than {last}"))
            .actual(seq.to_string());
        return Err(refusal(finding, Some(seq)));
    }
    Ok((seq, status))
}

/// Refuses an id that is not the start delta's; a delta need not repeat it.
fn check_same(
    what: &str,
    given: Option<&str>,
    expected: Option<&str>,
    seq: u64,
) -> Result<(), Error> {
    let Some(given) = given.filter(|given| Some(*given) != expected) else {
        return Ok(());
    };
    let rule = format!("stream/{what}-id-mismatch");
    let message = format!("The delta belongs to another {what}");
    let finding = Finding::error(&rule, &format!("/{what}Id"), &message)
        .expected(expected.map_or("none, as in the start delta".to_owned(), clip_text))
        .actual(clip_text(given));
    Err(refusal(finding, Some(seq)))
}

/// Returns the status that a delta of this kind leads to; refuses one that may not come here.
fn step_of(status: Status, kind: &str, seq: u64) -> Result<Status, Error> {
    let (row, name) = match status {
        Status::Idle => (IDLE, "idle"),
        Status::Started => (STARTED, "started"),
        Status::Done => (DONE, "done"),
        Status::Error => (ERROR, "error"),
    };
    let step = |kind| row.iter().find(|(known, _)| *known == kind).map(|(_, step)| *step);
    let (rule, message, expected) = match step(kind).or_else(|| step(ANY_OTHER)).unwrap_or(name) {
        "idle" => return Ok(Status::Idle),
        "started" => return Ok(Status::Started),
        "done" => return Ok(Status::Done),
        "error" => return Ok(Status::Error),
        rule @ "stream/start-expected" => (rule, "The stream has not started".to_owned(), "start"),
        rule @ "stream/duplicate-start" => {
            (rule, "The stream has started already".to_owned(), "any kind but start")
        }
        rule => (rule, format!("The stream has ended with {name}"), "no more deltas"),
    };
    let finding = Finding::error(rule, "/kind", &message).expected(expected);
    Err(refusal(finding.actual(clip_text(kind)), Some(seq)))
}

/// Returns the error for a call, an approval or media whose id has been used already.
pub(crate) fn used(rule: &str, what: &str, pointer: &str, id: &str, seq: u64) -> Error {
    let message = format!("The {what} id has been used already");
    let finding = Finding::error(rule, pointer, &message).expected("an id that has not been used");
    refusal(finding.actual(clip_text(id)), Some(seq))
}

/// Returns the error for a delta that wants something that is still open to have ended.
pub(crate) fn still_open(what: &str, message: &str, id: &str, seq: u64) -> Error {
    let (rule, ends, pointer) = match what {
        "media" => ("stream/media-open", "media_end for each", ""),
        "tool call" => ("stream/tool-call-open", "tool_call_end for each", ""),
        _ => ("stream/tool-call-open", "a call that has ended", "/payload/toolCallId"),
    };
    let finding = Finding::error(rule, pointer, message).expected(ends);
    refusal(finding.actual(format!("open: {}", clip_text(id))), Some(seq))
}

/// Returns the error for media that is not open; `closed` says when it was closed.
pub(crate) fn media_refusal(id: &str, closed: Option<u64>, seq: u64) -> Error {
    let (rule, message) = match closed {
        Some(_) => ("stream/media-closed", "The media has ended already"),
        None => ("stream/unknown-media", "The media was never started"),
    };
    let when = closed.map_or(String::new(), |seq| format!(" (closed by seq {seq})"));
    let finding = Finding::error(rule, "/payload/mediaId", message).expected("open media");
    refusal(finding.actual(clip_text(id) + &when), Some(seq))
}

/// Returns the error for a call that is not open; `closed` says when it was closed.
pub(crate) fn call_refusal(id: &str, closed: Option<u64>, open: Option<&str>, seq: u64) -> Error {
    let (rule, message) = match closed {
        Some(_) => ("stream/tool-call-closed", "The tool call is closed already"),
        None => ("stream/unknown-tool-call", "The tool call was never started"),
    };
    let when = closed.map_or(String::new(), |seq| format!(" (closed by seq {seq})"));
    let which = open.map_or(String::new(), |open| format!(": {}", clip_text(open)));
    let finding = Finding::error(rule, "/payload/toolCallId", message)
        .expected(format!("an open tool call{which}"))
        .actual(clip_text(id) + &when);
    refusal(finding, Some(seq))
}

/// Reports that the content of deltas of a kind is passed over.
pub(crate) fn unknown_kind(tag: &str) -> Finding {
    let message = "A delta of an unknown kind: its content is ignored";
    Finding::of("stream/unknown-delta-kind", "/kind", message)
        .expected("a kind of this version")
        .actual(clip_text(tag))
}

#[cfg(test)]
mod tests {
    use super::is_timestamp;
    use crate::contract::catalog::binding;
    use crate::contract::current::LATEST_VERSION;
    use crate::reading::explain::explain;

    /// The form that is looked for by hand is the schema's.
    #[test]
    fn timestamps_are_those_of_the_schema() {
        let schemas = &binding("message.Timestamp", LATEST_VERSION).unwrap().room.schemas;
        let right = "2024-02-29T23:59:59.123456789+08:00";
        let letters = "0123456789-+:.TtZz ";
        let mut tried = 0;
        for base in
            [right, "2023-02-28T00:00:00Z", "1900-02-29T10:10:10-23:59", "0000-12-31T00:00:60Z"]
        {
            for at in 0..=base.len() {
                for letter in letters.chars() {
                    let end = (at + 1).min(base.len());
                    for text in [
                        format!("{}{letter}{}", &base[..at], &base[end..]),
                        format!("{}{letter}{}", &base[..at], &base[at..]),
                        format!("{}{}", &base[..at], &base[end..]),
                    ] {
                        let found = explain(schemas, "Timestamp", &text.clone().into());
                        assert_eq!(is_timestamp(&text), found.is_empty(), "{text}");
                        tried += usize::from(found.is_empty());
                    }
                }
            }
        }
        assert!(tried > 500, "{tried}");
    }
}
