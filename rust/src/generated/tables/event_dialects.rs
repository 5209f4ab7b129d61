// Generated from schemas/tables/event-dialects.json. Do not edit: change that, then
// run `python -m codegen`.

//! Dialects of events: what else they are called, and which one an event speaks, as far as one
//! event alone says it.
//!
//! The first row that an event fits counts.

/// A dialect; there is no adapter for cohere-v1, which is known so that it can be refused by name.
pub type Dialect = &'static str;

/// A member of an event that says its dialect: by its value where values or a prefix are given,
/// else by being there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    pub member: &'static str,
    /// What its text is one of.
    pub values: Option<&'static [&'static str]>,
    /// What its text begins with.
    pub prefix: Option<&'static str>,
    pub dialect: Dialect,
}

/// Another name of a dialect → its name.
pub const ALIASES: &[(&str, Dialect)] = &[
    ("anthropic", "anthropic-messages"),
    ("bedrock", "bedrock-converse"),
    ("cohere", "cohere-v2"),
    ("google", "gemini"),
    ("openai", "openai-chat"),
];

/// Signs of a dialect, in the order in which they count.
pub const SIGNS: &[Sign] = &[
    Sign {
        member: "type",
        values: Some(&[
            "message",
            "message_start",
            "message_delta",
            "message_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
        ]),
        prefix: None,
        dialect: "anthropic-messages",
    },
    Sign {
        member: "type",
        values: Some(&[
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
        ]),
        prefix: None,
        dialect: "cohere-v2",
    },
    Sign { member: "type", values: None, prefix: Some("response."), dialect: "openai-responses" },
    Sign {
        member: "event_type",
        values: Some(&["stream-start"]),
        prefix: None,
        dialect: "cohere-v1",
    },
    Sign {
        member: "object",
        values: Some(&["response"]),
        prefix: None,
        dialect: "openai-responses",
    },
    Sign {
        member: "object",
        values: None,
        prefix: Some("chat.completion"),
        dialect: "openai-chat",
    },
    Sign { member: "choices", values: None, prefix: None, dialect: "openai-chat" },
    Sign { member: "candidates", values: None, prefix: None, dialect: "gemini" },
    Sign { member: "promptFeedback", values: None, prefix: None, dialect: "gemini" },
    Sign { member: "usageMetadata", values: None, prefix: None, dialect: "gemini" },
    Sign { member: "messageStart", values: None, prefix: None, dialect: "bedrock-converse" },
    Sign { member: "messageStop", values: None, prefix: None, dialect: "bedrock-converse" },
    Sign { member: "contentBlockStart", values: None, prefix: None, dialect: "bedrock-converse" },
    Sign { member: "contentBlockDelta", values: None, prefix: None, dialect: "bedrock-converse" },
    Sign { member: "contentBlockStop", values: None, prefix: None, dialect: "bedrock-converse" },
    Sign { member: "generation_id", values: None, prefix: None, dialect: "cohere-v1" },
];
