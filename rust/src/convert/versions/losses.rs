//! Every loss that a migration between versions reports, by its code.

use crate::convert::losses::LossSeverity::{self, Info, Lossy};

/// Severity and words of every code.
#[rustfmt::skip]
pub const MIGRATION_LOSSES: &[(&str, LossSeverity, &str)] = &[
    // Any step.
    ("unknown-member", Lossy, "A member that its version does not name is left out"),
    // v0.2 to v0.1.
    ("message-id", Lossy, "The id of the message is left out"),
    ("turn-id", Lossy, "The id of the turn is left out"),
    ("opaque", Lossy, "Provider state has no place here, and is left out"),
    ("opaque-provider", Lossy, "meta.opaque holds the state of one provider: the first one's"),
    ("opaque-form", Lossy, "Provider state that no adapter wrote has no place in meta.opaque"),
    ("opaque-in-meta", Lossy, "meta.opaque gives way to the state of the parts"),
    ("opaque-lifted", Info, "Read again, the state in meta.opaque stands on the parts"),
    ("opaque-moved", Info, "Provider state stands at another part than in v0.2"),
    ("parts-joined", Info, "Parts that only provider state kept apart are one"),
    ("empty-meta", Info, "An empty meta holds the provider state, and is not told from none"),
    ("usage-detail", Lossy, "This count of tokens is left out"),
    ("provider-finish-reason", Lossy, "The provider's own finish reason is left out"),
    ("media-as-image", Info, "The media is an image part"),
    ("media-as-file", Info, "The media is a file_ref part; what it holds is a data: URL"),
    ("media-detail", Lossy, "The part has no place for this member of the media"),
    ("assistant-part", Lossy, "An assistant's message holds no images and files: it is left out"),
    ("message-type", Info, "The type of the message is not said; its queue tells it"),
    ("message-type-lost", Lossy, "The type of the message is left out"),
];

/// Returns what is said of a member that the older version does not name.
pub(crate) fn member_code(name: &str) -> &'static str {
    match name {
        "messageId" => "message-id",
        "turnId" => "turn-id",
        "opaque" => "opaque",
        "providerFinishReason" => "provider-finish-reason",
        "reasoningTokens" | "cacheReadTokens" | "cacheWriteTokens" | "total" => "usage-detail",
        "message_type" => "message-type",
        _ => "unknown-member",
    }
}
