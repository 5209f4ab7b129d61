//! What is kept of a response's items for the next request, and who executes which tool.

use crate::providers::kept_state::OpaqueItem;
use crate::providers::raw::{Raw, RawObject, storable};
use crate::providers::responses_items::{Channel, Item};

// Built-in tools that the caller is to execute, though they are no functions of its own.
const CLIENT_TOOLS: [&str; 4] =
    ["computer_call", "local_shell_call", "apply_patch_call", "mcp_approval_request"];
const SERVER_ITEMS: [&str; 4] = ["_call", "_output", "mcp_list_tools", "program"];
const BOOKKEEPING: [&str; 3] = ["compaction", "compaction_summary", "additional_tools"];

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

/// Returns what is kept of an item that is whole.
///
/// Reasoning and the items of server-side tools unchanged; a message without its texts, which the
/// parts hold, and without log probabilities: what is left of each of its content parts follows,
/// where there is more to say than that it is text.
pub(crate) fn kept_items(item: &Item) -> Vec<OpaqueItem> {
    let (place, at) = item.place;
    let (part, start, end) = item.part.map_or((place, at, at), |part| (part, item.start, item.end));
    let kept = |kind: &str, data: RawObject, start: usize, end: usize| OpaqueItem {
        kind: kind.to_owned(),
        data: storable(&data.into()),
        part,
        start: Some(start),
        end: Some(end),
    };
    if item.kind != "message" {
        return vec![kept(&item.kind, item.body.clone(), start, end)];
    }
    let mut all = vec![kept("message", without(&item.body, &["content"]), start, end)];
    let contents = item.body.get("content").array().unwrap_or_default();
    let mut at = start;
    for content in contents {
        let channel = Channel::of(content, Channel::Text);
        let Some(members) = content.object() else { continue };
        let text = channel.and_then(|channel| members.get(channel.whole()).text());
        let stop = text.map_or(at, |text| end.min(at + text.chars()));
        let state = match channel {
            Some(_) => without(members, &["text", "refusal", "logprobs"]),
            None => members.clone(),
        };
        if contents.len() > 1 || says_more(&state) {
            all.push(kept("content_part", state, at, stop));
        }
        at = stop;
    }
    all
}

fn without(members: &RawObject, names: &[&str]) -> RawObject {
    let mut left = members.clone();
    left.retain(|name, _| !names.iter().any(|each| name == *each));
    left
}

fn says_more(part: &RawObject) -> bool {
    let is_text = matches!(part.get("type").str(), Some("output_text" | "text"));
    let says = |member: &Raw| member.says_something();
    !is_text || part.iter().any(|(name, member)| name != "type" && says(member))
}
