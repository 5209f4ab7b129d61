//! Which dialect an event speaks, as far as one event alone tells.

use crate::json::raw::RawObject;

// Types that two dialects share ("error", "ping") say nothing.
const TYPES: [(&str, &[&str]); 2] = [
    (
        "anthropic-messages",
        &[
            "message",
            "message_start",
            "message_delta",
            "message_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
        ],
    ),
    (
        "cohere-v2",
        &[
            "message-start",
            "message-end",
            "content-start",
            "content-delta",
            "content-end",
            "tool-plan-delta",
            "tool-call-start",
            "tool-call-delta",
            "tool-call-end",
            "citation-start",
            "citation-end",
        ],
    ),
];

// Members that only one dialect has; all events of it have one, or its first ones do.
const MEMBERS: [(&str, &str); 10] = [
    ("choices", "openai-chat"),
    ("candidates", "gemini"),
    ("promptFeedback", "gemini"),
    ("usageMetadata", "gemini"),
    ("messageStart", "bedrock-converse"),
    ("messageStop", "bedrock-converse"),
    ("contentBlockStart", "bedrock-converse"),
    ("contentBlockDelta", "bedrock-converse"),
    ("contentBlockStop", "bedrock-converse"),
    ("generation_id", "cohere-v1"),
];

/// Returns the dialect of an event, and the place in it that tells; None if nothing does.
pub(crate) fn dialect_of(event: &RawObject) -> Option<(&'static str, String)> {
    let at = |dialect, member: &str| Some((dialect, format!("/{member}")));
    let kind = event.get("type").str();
    if let Some(kind) = kind {
        if let Some((dialect, _)) = TYPES.iter().find(|(_, types)| types.contains(&kind)) {
            return at(*dialect, "type");
        }
    }
    // Halves of characters may stand behind the beginning.
    let begins = |name: &str, head: &str| {
        event.get(name).text().is_some_and(|text| text.starts_with(head.into()))
    };
    if begins("type", "response.") {
        return at("openai-responses", "type");
    }
    // Others name their events so too; this one is the first of each stream.
    if event.get("event_type").str() == Some("stream-start") {
        return at("cohere-v1", "event_type");
    }
    if event.get("object").str() == Some("response") {
        return at("openai-responses", "object");
    }
    if begins("object", "chat.completion") {
        return at("openai-chat", "object");
    }
    let found = MEMBERS.iter().find(|(member, _)| event.has(member));
    found.and_then(|(member, dialect)| at(dialect, member))
}
