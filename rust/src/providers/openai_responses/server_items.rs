//! Items of tools that the provider runs: what each says of its call, and of its result.

use crate::json::Value;
use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::providers::core::tool_results::read_result;
use crate::providers::core::writing::whole_parts::ServerResult;
use crate::tables::provider_names::{
    RESPONSES_BOOKKEEPING as BOOKKEEPING, RESPONSES_CLIENT_ITEMS as CLIENT_TOOLS,
    RESPONSES_PAIRED as PAIRED, RESPONSES_SERVER_CALLS as CALLS,
    RESPONSES_SERVER_ENDINGS as SERVER_ITEMS, RESPONSES_SERVER_RESULTS as RESULTS,
};

/// The item that asks for approval: a call, which has no result itself.
pub(crate) const APPROVAL: &str = "mcp_approval_request";
const ARGUMENTS: &str = "arguments";

fn found(table: &[(&str, &'static str)], kind: &str) -> Option<&'static str> {
    table.iter().find(|(each, _)| *each == kind).map(|(_, member)| *member)
}

/// Returns the member that says the arguments of a call which the provider runs.
pub(crate) fn server_arguments_of(kind: &str) -> Option<&'static str> {
    found(CALLS, kind)
}

/// Returns the item that is the output of a built-in tool's call, with the call's id.
pub(crate) fn output_kind(kind: &str) -> Option<&'static str> {
    found(PAIRED, kind)
}

/// Returns the item of the call that an output answers.
pub(crate) fn call_kind(output: &str) -> Option<&'static str> {
    PAIRED.iter().find(|(_, each)| *each == output).map(|(call, _)| *call)
}

/// Tells whether an item is the provider's own: nothing that a reader misses.
pub(crate) fn is_bookkeeping(kind: &str) -> bool {
    BOOKKEEPING.contains(&kind)
}

/// Tells whether an item is of a tool that the provider executes itself.
pub(crate) fn is_server_item(kind: &str, body: &RawObject) -> bool {
    if CLIENT_TOOLS.contains(&kind) {
        return false;
    }
    match kind {
        "tool_search_call" => body.get("execution").str() != Some("client"),
        "shell_call" => {
            let environment = body.get("environment").object();
            environment.is_some_and(|environment| environment.get("type").str() != Some("local"))
        }
        _ => kind.contains(':') || SERVER_ITEMS.iter().any(|end| kind.ends_with(end)),
    }
}

/// Tells whether an item is a call of the provider's that is reported as one.
pub(crate) fn is_server_call(kind: &str, body: &RawObject) -> bool {
    server_arguments_of(kind).is_some() && (kind == APPROVAL || is_server_item(kind, body))
}

/// Tells whether an item is the result alone of a call of the provider's.
pub(crate) fn is_server_output(kind: &str) -> bool {
    found(RESULTS, kind).is_some() && server_arguments_of(kind).is_none()
}

/// Returns the name of the tool that is called, null where it has not come.
pub(crate) fn name_of_tool(kind: &str, body: &RawObject) -> Raw {
    if server_arguments_of(kind) != Some(ARGUMENTS) || kind == "tool_search_call" {
        return bare_name(kind).into();
    }
    body.get("name").clone()
}

/// Returns the type of a call's item as the name of its tool.
pub(crate) fn bare_name(kind: &str) -> &str {
    kind.strip_suffix("_call").unwrap_or(kind)
}

/// Returns the arguments of a whole call as text, but for those that come as code.
pub(crate) fn arguments_text(kind: &str, body: &RawObject) -> Raw {
    let Some(member) = server_arguments_of(kind) else { return Raw::Null };
    let value = body.get(member);
    if value.is_null() || (member == ARGUMENTS && value.text().is_some()) {
        return value.clone();
    }
    if member == ARGUMENTS {
        return as_json_text(value).as_str().into();
    }
    let mut said = value.clone();
    if let ("web_search_call", Raw::Object(action)) = (kind, &mut said) {
        let sources = found(RESULTS, kind).unwrap_or_default();
        action.retain(|name, _| *name != *sources);
    }
    as_json_text(&[(member, said)].into_iter().collect::<RawObject>().into()).as_str().into()
}

// -------------------------------------------------------------------------------------------------
// Results: for readers, as data, and how they came out.

/// Returns what an item says of its result.
pub(crate) fn result_of(kind: &str, body: &RawObject) -> ServerResult {
    let error = body.get("error");
    let (outcome, (content, structured)) = if error.says_something() {
        ("error", of_error(error))
    } else {
        let action = body.get("action").object().filter(|_| kind == "web_search_call");
        let value = action.unwrap_or(body).get(found(RESULTS, kind).unwrap_or_default());
        let is_plain = kind == "tool_search_output";
        (outcome_of(body), if is_plain { read_result(value) } else { read_list(value) })
    };
    let is_error = outcome != "success";
    ServerResult { is_error, content, outcome: Some(outcome.to_owned()), structured }
}

fn outcome_of(body: &RawObject) -> &'static str {
    let outputs = body.get("output").array().unwrap_or_default();
    match body.get("status").str() {
        Some("failed") => "error",
        _ if outputs.iter().any(timed_out) => "timeout",
        Some("incomplete") => "interrupted",
        _ => "success",
    }
}

fn timed_out(entry: &Raw) -> bool {
    let outcome = entry.object().and_then(|entry| entry.get("outcome").object());
    outcome.is_some_and(|outcome| outcome.get("type").str() == Some("timeout"))
}

/// Returns what a result says; a list is the texts of its entries, one below the other.
fn read_list(value: &Raw) -> (String, Value) {
    let (content, data) = read_result(value);
    let texts: Option<Vec<String>> =
        value.array().and_then(|items| items.iter().map(text_of).collect());
    (texts.map_or(content, |texts| joined(&texts)), data)
}

/// Returns what one of several results says, None where that is not text.
fn text_of(entry: &Raw) -> Option<String> {
    let entry = entry.object()?;
    if entry.has("stdout") || entry.has("stderr") {
        return Some(joined(&texts(entry, &["stdout", "stderr"])));
    }
    if let Some(text) = texts(entry, &["text", "logs"]).into_iter().next() {
        return Some(text);
    }
    let page = texts(entry, &["title", "name", "url"]); // or an image, or where a search looked
    (!page.is_empty()).then(|| page.join(" "))
}

/// Returns the members of these names that are text, and not empty.
fn texts(entry: &RawObject, names: &[&str]) -> Vec<String> {
    let texts = names.iter().filter_map(|name| entry.get(name).some_text());
    texts.map(|text| text.well_formed().into_owned()).collect()
}

fn joined(texts: &[String]) -> String {
    let mut all = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        all.push_str(text);
    }
    all
}

/// Returns an error: its message, what the tool said, or its code.
fn of_error(error: &Raw) -> (String, Value) {
    let (content, data) = read_result(error);
    let members = error.object();
    let said = ["message", "content", "code"].into_iter().find_map(|name| {
        let value = members?.get(name);
        let read = if name == "content" { read_list(value) } else { read_result(value) };
        Some(read.0).filter(|content| value.says_something() && !content.is_empty())
    });
    (said.unwrap_or(content), data)
}
