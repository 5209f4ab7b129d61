// Generated from schemas/tables/losses.json. Do not edit: change that, then
// run `python -m codegen`.

//! Losses: what a conversion cannot carry over, by code.
//!
//! The fixtures of the suites bridges, migrations and blocks show each of them.

/// How much a loss is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossSeverity {
    /// The source says something that the result does not.
    Lossy,
    /// The result says something that the source does not.
    Invented,
    /// Said in another way, nothing more or less.
    Info,
}

impl LossSeverity {
    /// Returns the word that documents use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lossy => "lossy",
            Self::Invented => "invented",
            Self::Info => "info",
        }
    }
}

/// Bridges between documents: code, then severity and sentence.
pub const LOSSES: &[(&str, LossSeverity, &str)] = &[
    (
        "unknown-variant",
        LossSeverity::Lossy,
        "A variant that this version does not know is left out",
    ),
    ("unknown-member", LossSeverity::Lossy, "A member that its version does not name is left out"),
    ("run-id", LossSeverity::Lossy, "The result has no place for the run"),
    ("message-id", LossSeverity::Lossy, "The result has no place for the message's id"),
    ("turn-id", LossSeverity::Lossy, "The result has no place for the turn"),
    ("opaque", LossSeverity::Lossy, "What a provider wants back with the part is left out"),
    ("timestamp", LossSeverity::Lossy, "The result has no place for the time"),
    ("timestamp-precision", LossSeverity::Lossy, "Times finer than a millisecond are cut"),
    ("timestamp-range", LossSeverity::Lossy, "The time is outside of what the result can say"),
    ("timestamp-form", LossSeverity::Info, "The same instant is written in UTC"),
    ("meta", LossSeverity::Lossy, "The result has no place for this member of meta"),
    ("raw-args-text", LossSeverity::Lossy, "The argument text is left out"),
    ("run-id-invented", LossSeverity::Invented, "The run is not known, and made up"),
    ("timestamp-invented", LossSeverity::Invented, "The time is not known, and taken as the epoch"),
    ("given", LossSeverity::Info, "What the source does not say was given by the caller"),
    ("ids-made", LossSeverity::Invented, "Ids of the message and its parts are made"),
    (
        "message-id-made",
        LossSeverity::Invented,
        "The message has no id; that of the session's is made",
    ),
    ("session-id-invented", LossSeverity::Invented, "The session is not known, and made up"),
    ("agent-invented", LossSeverity::Invented, "The agent is not known"),
    ("model-invented", LossSeverity::Invented, "The model is not known"),
    ("path-invented", LossSeverity::Invented, "The folders are not known"),
    ("usage-invented", LossSeverity::Invented, "Tokens and cost are not known, and taken as 0"),
    (
        "counts-invented",
        LossSeverity::Invented,
        "The tokens of this kind are not known, and taken as 0",
    ),
    ("cost-invented", LossSeverity::Invented, "The cost is not known, and taken as 0"),
    ("mime-invented", LossSeverity::Invented, "The media type is not known"),
    ("usage-total", LossSeverity::Lossy, "The total is not kept apart from input and output"),
    ("file-size", LossSeverity::Lossy, "The size of the file is left out"),
    ("file-hash", LossSeverity::Lossy, "The hash of the file is left out"),
    (
        "file-kind",
        LossSeverity::Lossy,
        "A session tells images from files by media type and URL alone",
    ),
    (
        "system-message",
        LossSeverity::Lossy,
        "No user's message follows that could carry the system prompt",
    ),
    ("system-parts", LossSeverity::Lossy, "The system prompt becomes one text"),
    ("system-time", LossSeverity::Lossy, "The system prompt takes the time of the user's message"),
    (
        "result-without-call",
        LossSeverity::Lossy,
        "The result answers no call of the message before it",
    ),
    ("result-order", LossSeverity::Lossy, "Results are joined in the order of their calls"),
    ("result-layout", LossSeverity::Lossy, "The result becomes one text with files"),
    ("result-files", LossSeverity::Lossy, "A failed call has no place for files"),
    (
        "result-empty",
        LossSeverity::Lossy,
        "An empty result becomes (no output), as one that says so",
    ),
    (
        "record-misfit",
        LossSeverity::Lossy,
        "meta.session does not fit the message, and is left out",
    ),
    (
        "usage-parts",
        LossSeverity::Lossy,
        "The count is smaller than the counts that are part of it",
    ),
    (
        "from-record",
        LossSeverity::Info,
        "The message does not say this; it is taken from meta.session",
    ),
    (
        "kept-in-meta",
        LossSeverity::Info,
        "No part of a message says this; it is kept in meta.session",
    ),
    (
        "ignored-text",
        LossSeverity::Info,
        "Text that is not for the model is kept in meta.session alone",
    ),
    (
        "reasoning-apart",
        LossSeverity::Invented,
        "Tokens of reasoning are taken as apart from the output",
    ),
    ("thinking", LossSeverity::Lossy, "Blocks have no place for reasoning"),
    ("file-ref", LossSeverity::Lossy, "Blocks have no place for references to files"),
    ("media", LossSeverity::Lossy, "Blocks have no place for media but images"),
    ("media-kind", LossSeverity::Lossy, "Media that is an image becomes an image"),
    ("result-object", LossSeverity::Lossy, "A result that is an object becomes JSON text"),
    ("tool-role", LossSeverity::Lossy, "A message without results looks like a user's"),
    ("content-form", LossSeverity::Info, "The same content is written in another form"),
    ("image-type", LossSeverity::Lossy, "A message holds images as base64 or as URL alone"),
    ("block-role", LossSeverity::Lossy, "A message of this role cannot hold this block"),
    ("duplicate-id", LossSeverity::Lossy, "A message cannot hold two calls or results of one id"),
    ("call-id", LossSeverity::Lossy, "The call's id is not a UUID; one is made from it"),
    ("result-content", LossSeverity::Lossy, "The content looks like another form of it"),
    ("result-type", LossSeverity::Lossy, "The type of the result is left out"),
    ("tool-id", LossSeverity::Lossy, "The tool's id is left out"),
    ("tool-id-invented", LossSeverity::Invented, "The tool's id is not known, and nil"),
    ("envelope", LossSeverity::Lossy, "The fields of the envelope are left out"),
    (
        "message-type",
        LossSeverity::Info,
        "The response does not say which message it is; one made again does",
    ),
    (
        "envelope-invented",
        LossSeverity::Invented,
        "The fields of the envelope are not known, and made up",
    ),
    ("error-code-invented", LossSeverity::Invented, "The error's code is not known"),
    ("author", LossSeverity::Lossy, "The author of the message is left out"),
    ("citation", LossSeverity::Lossy, "Citations of the text are left out"),
    ("text-format", LossSeverity::Lossy, "That the text was asked for as JSON is left out"),
    ("result-outcome", LossSeverity::Lossy, "Only isError says how the call came out"),
    ("result-structured", LossSeverity::Lossy, "The result as data is left out"),
    ("server-tool", LossSeverity::Lossy, "What the provider ran itself is left out"),
    ("approval", LossSeverity::Lossy, "The approval is left out"),
    ("transcript", LossSeverity::Lossy, "The words of the media are left out"),
    ("author-as-agent", LossSeverity::Info, "The author is the agent of the session"),
    (
        "approval-order",
        LossSeverity::Lossy,
        "Approvals become part of their calls, and come back right behind them",
    ),
    ("outcome-form", LossSeverity::Info, "What isError says is written as an outcome"),
    (
        "error-beside-data",
        LossSeverity::Lossy,
        "The data is taken, and the error beside it is left out",
    ),
];

/// The version that brought a code of a bridge, where that is not the first one.
pub const SINCE: &[(&str, &str)] = &[
    ("message-id", "v0.2"),
    ("turn-id", "v0.2"),
    ("opaque", "v0.2"),
    ("message-id-made", "v0.2"),
    ("counts-invented", "v0.2"),
    ("file-hash", "v0.2"),
    ("from-record", "v0.2"),
    ("media", "v0.2"),
    ("media-kind", "v0.2"),
    ("message-type", "v0.2"),
    ("author", "v0.3"),
    ("citation", "v0.3"),
    ("text-format", "v0.3"),
    ("result-outcome", "v0.3"),
    ("result-structured", "v0.3"),
    ("server-tool", "v0.3"),
    ("approval", "v0.3"),
    ("transcript", "v0.3"),
    ("author-as-agent", "v0.3"),
    ("approval-order", "v0.3"),
    ("outcome-form", "v0.3"),
];

/// Migrations between versions: code, then severity and sentence.
pub const MIGRATION_LOSSES: &[(&str, LossSeverity, &str)] = &[
    ("unknown-member", LossSeverity::Lossy, "A member that its version does not name is left out"),
    ("message-id", LossSeverity::Lossy, "The id of the message is left out"),
    ("turn-id", LossSeverity::Lossy, "The id of the turn is left out"),
    ("opaque", LossSeverity::Lossy, "Provider state has no place here, and is left out"),
    (
        "opaque-provider",
        LossSeverity::Lossy,
        "meta.opaque holds the state of one provider: the first one's",
    ),
    (
        "opaque-form",
        LossSeverity::Lossy,
        "Provider state that no adapter wrote has no place in meta.opaque",
    ),
    ("opaque-in-meta", LossSeverity::Lossy, "meta.opaque gives way to the state of the parts"),
    ("opaque-lifted", LossSeverity::Info, "Read again, the state in meta.opaque is in the parts"),
    ("opaque-moved", LossSeverity::Info, "Provider state is in another part than before"),
    ("parts-joined", LossSeverity::Info, "Parts that only provider state kept apart are one"),
    (
        "empty-meta",
        LossSeverity::Info,
        "An empty meta holds the provider state, and looks like none",
    ),
    ("usage-detail", LossSeverity::Lossy, "This count of tokens is left out"),
    ("provider-finish-reason", LossSeverity::Lossy, "The provider's own finish reason is left out"),
    ("media-as-image", LossSeverity::Info, "The media is an image part"),
    (
        "media-as-file",
        LossSeverity::Info,
        "The media is a file_ref part; what it holds is a data: URL",
    ),
    ("media-detail", LossSeverity::Lossy, "The part has no place for this member of the media"),
    (
        "assistant-part",
        LossSeverity::Lossy,
        "An assistant's message holds no images and files: it is left out",
    ),
    ("message-type", LossSeverity::Info, "The type of the message is not said; its queue tells it"),
    ("author", LossSeverity::Lossy, "The author of the message is left out"),
    ("citation", LossSeverity::Lossy, "Citations of the text are left out"),
    ("text-format", LossSeverity::Lossy, "That the text was asked for as JSON is left out"),
    ("result-outcome", LossSeverity::Lossy, "Only isError says how the call came out"),
    ("result-structured", LossSeverity::Lossy, "The result as data is left out"),
    ("server-tool", LossSeverity::Lossy, "What the provider ran itself is left out"),
    ("approval", LossSeverity::Lossy, "The approval is left out"),
    ("transcript", LossSeverity::Lossy, "The words of the media are left out"),
    ("media", LossSeverity::Lossy, "Media that comes in pieces has no delta here"),
    ("warning", LossSeverity::Lossy, "The provider's warning has no delta here"),
    ("open-media", LossSeverity::Lossy, "Which media was left open is not said"),
    ("message-type-lost", LossSeverity::Lossy, "The type of the message is left out"),
];

/// The code for a member that the older version does not name.
pub const MEMBER_CODES: &[(&str, &str)] = &[
    ("messageId", "message-id"),
    ("turnId", "turn-id"),
    ("opaque", "opaque"),
    ("providerFinishReason", "provider-finish-reason"),
    ("reasoningTokens", "usage-detail"),
    ("cacheReadTokens", "usage-detail"),
    ("cacheWriteTokens", "usage-detail"),
    ("total", "usage-detail"),
    ("message_type", "message-type"),
    ("author", "author"),
    ("citations", "citation"),
    ("format", "text-format"),
    ("outcome", "result-outcome"),
    ("structured", "result-structured"),
    ("transcript", "transcript"),
    ("approval", "approval"),
    ("openMediaIds", "open-media"),
];

/// The code for a part or delta of a kind that v0.3 brought, where there is no place for it.
pub const KIND_CODES: &[(&str, &str)] = &[
    ("server_tool_call", "server-tool"),
    ("server_tool_result", "server-tool"),
    ("approval_request", "approval"),
    ("approval_response", "approval"),
    ("text_citation", "citation"),
    ("server_tool_call_start", "server-tool"),
    ("server_tool_call_args", "server-tool"),
    ("server_tool_call_end", "server-tool"),
    ("media_start", "media"),
    ("media_data", "media"),
    ("media_end", "media"),
    ("warning", "warning"),
];

/// Chunks to deltas: code, then severity and sentence.
pub const CHUNK_LOSSES: &[(&str, LossSeverity, &str)] = &[
    ("block-boundary", LossSeverity::Lossy, "Text of adjacent blocks becomes one part"),
    ("unknown-chunk", LossSeverity::Lossy, "A chunk of an unknown type is left out"),
    ("unknown-member", LossSeverity::Lossy, "A member that its version does not name is left out"),
    (
        "no-error-code",
        LossSeverity::Invented,
        "An error chunk names no code: unknown, not retryable",
    ),
    ("no-finish-reason", LossSeverity::Invented, "message_stop names no finish reason: unknown"),
    ("no-model-id", LossSeverity::Invented, "Chunks name no model: unknown"),
    ("no-request-id", LossSeverity::Invented, "Chunks name no request: unknown"),
    ("no-total-tokens", LossSeverity::Invented, "Usage has no total: the sum of input and output"),
    (
        "truncated",
        LossSeverity::Invented,
        "The stream stops without its end: an error of our own ends it",
    ),
    (
        "block-end",
        LossSeverity::Info,
        "That the last block was closed before the error has no delta",
    ),
    ("block-index", LossSeverity::Info, "The block's index is not its place in the content"),
    ("empty-block", LossSeverity::Info, "A block without text becomes no part"),
    ("empty-delta", LossSeverity::Info, "An empty piece of text becomes no delta"),
    (
        "held-back",
        LossSeverity::Info,
        "What came while a block before it was open comes after that block",
    ),
];

/// Deltas to chunks: code, then severity and sentence.
pub const DELTA_LOSSES: &[(&str, LossSeverity, &str)] = &[
    (
        "arguments-text",
        LossSeverity::Lossy,
        "Argument text that is not a JSON object becomes empty parameters",
    ),
    ("cost", LossSeverity::Lossy, "Usage of chunks has no cost"),
    ("error-code", LossSeverity::Lossy, "An error chunk has neither code nor retryable"),
    ("finish-reason", LossSeverity::Lossy, "message_stop has no finish reason"),
    ("message-id", LossSeverity::Lossy, "Chunks have no id of the message"),
    ("model-id", LossSeverity::Lossy, "Chunks name no model"),
    ("opaque", LossSeverity::Lossy, "Chunks have no place for what a provider wants back"),
    ("open-tool-call", LossSeverity::Lossy, "A tool call without its end becomes no chunk"),
    (
        "provider-finish-reason",
        LossSeverity::Lossy,
        "message_stop has no finish reason of the provider",
    ),
    ("request-id", LossSeverity::Lossy, "Chunks name no request"),
    ("run-id", LossSeverity::Lossy, "Chunks name no run"),
    ("thinking", LossSeverity::Lossy, "Reasoning has no chunk"),
    ("timestamp", LossSeverity::Lossy, "Chunks have no time"),
    (
        "token-counts",
        LossSeverity::Lossy,
        "Usage of chunks does not tell tokens of this kind apart",
    ),
    ("turn-id", LossSeverity::Lossy, "Chunks name no turn"),
    ("unknown-delta", LossSeverity::Lossy, "A delta of an unknown kind is left out"),
    ("unknown-member", LossSeverity::Lossy, "A member that its version does not name is left out"),
    ("usage", LossSeverity::Lossy, "An error chunk has no usage"),
    ("author", LossSeverity::Lossy, "The author of the message is left out"),
    ("text-format", LossSeverity::Lossy, "That the text was asked for as JSON is left out"),
    ("citation", LossSeverity::Lossy, "Chunks have no place for citations"),
    ("server-tool", LossSeverity::Lossy, "What the provider ran itself has no chunk"),
    ("approval", LossSeverity::Lossy, "An approval has no chunk"),
    ("media", LossSeverity::Lossy, "Media has no chunk"),
    ("warning", LossSeverity::Lossy, "A warning has no chunk"),
    (
        "no-error-message",
        LossSeverity::Invented,
        "The error has no message: its code takes its place",
    ),
    ("no-usage", LossSeverity::Invented, "The stream reports no usage: zero tokens"),
    (
        "truncated",
        LossSeverity::Invented,
        "The stream stops without its end: an error of our own ends it",
    ),
    (
        "held-back",
        LossSeverity::Info,
        "What came while a call before it was open comes after that call",
    ),
    ("provider-raw", LossSeverity::Info, "Raw events, for debugging only, have no chunk"),
];

/// Documents of other formats to messages: code, then severity and sentence.
pub const FORMAT_LOSSES: &[(&str, LossSeverity, &str)] = &[
    ("run-id-invented", LossSeverity::Invented, "The run is not known, and made up"),
    (
        "timestamp-invented",
        LossSeverity::Invented,
        "The times are not known, and taken as the epoch",
    ),
    ("given", LossSeverity::Info, "What the source does not say was given by the caller"),
    (
        "request-member",
        LossSeverity::Lossy,
        "What the request says beside its messages is left out",
    ),
    ("foreign-member", LossSeverity::Lossy, "A message has no place for this member"),
    ("foreign-part", LossSeverity::Lossy, "A message has no part for this content"),
    ("foreign-message", LossSeverity::Lossy, "A message of this role is left out"),
    (
        "malformed-part",
        LossSeverity::Lossy,
        "Content of the answer does not have the form of its type",
    ),
    ("content-form", LossSeverity::Lossy, "The content has a simpler form in a message"),
    ("mime-invented", LossSeverity::Invented, "The media type is not known"),
    (
        "call-id-invented",
        LossSeverity::Invented,
        "The call has no id here: one is made up, or found by name and order",
    ),
    ("role-form", LossSeverity::Info, "The role has another name in a message"),
    ("state-form", LossSeverity::Info, "Provider state is written as its adapter writes it"),
    ("result-null", LossSeverity::Lossy, "A result that is null becomes the text of it"),
    ("tool-name", LossSeverity::Lossy, "The name of the tool is in the call alone"),
    ("open-call", LossSeverity::Lossy, "A call that never ended is left out"),
    ("file-provider", LossSeverity::Lossy, "Whose name of the file it is, is left out"),
    ("mime-beside", LossSeverity::Lossy, "Of two media types the one beside the data is taken"),
    ("part-order", LossSeverity::Lossy, "The content stands elsewhere than before"),
    ("duplicate-text", LossSeverity::Info, "The source says the same twice"),
    (
        "extension-unread",
        LossSeverity::Lossy,
        "The member of partwire does not fit the message beside it",
    ),
    ("outcome-form", LossSeverity::Info, "What isError says is written as an outcome"),
    (
        "model-invented",
        LossSeverity::Invented,
        "The model and the request are not known, and made up",
    ),
    ("preliminary", LossSeverity::Lossy, "A result that a later one replaces is left out"),
    ("tool-form", LossSeverity::Info, "That the tool was not known beforehand is left out"),
    ("foreign-event", LossSeverity::Lossy, "A message has no place for what this event says"),
    (
        "malformed-event",
        LossSeverity::Lossy,
        "The event does not have the form of its type, or stands where it cannot",
    ),
    ("broken-line", LossSeverity::Lossy, "The line is not JSON, or cut off"),
    ("branch-left-out", LossSeverity::Lossy, "The line is of a branch that the session has left"),
    (
        "sidechain",
        LossSeverity::Lossy,
        "The line is of a subagent or of a team, not of the session's own talk",
    ),
    (
        "hidden",
        LossSeverity::Lossy,
        "What the program adds for itself, or hides from the model, is left out",
    ),
    ("part-left-out", LossSeverity::Lossy, "The format has no place for this part"),
    ("part-form", LossSeverity::Lossy, "The part is read back in another form"),
    ("message-form", LossSeverity::Lossy, "The message is read back as others, or not at all"),
    ("model-id", LossSeverity::Lossy, "The format has no place for the model and the request"),
    ("usage", LossSeverity::Lossy, "The format has no place for usage"),
    ("run-id", LossSeverity::Lossy, "The result has no place for the run"),
    ("message-id", LossSeverity::Lossy, "The message's id is left out, or one is made up"),
    ("turn-id", LossSeverity::Lossy, "The result has no place for the turn"),
    ("author", LossSeverity::Lossy, "The author of the message is left out"),
    ("timestamp", LossSeverity::Lossy, "The result has no place for the time"),
    ("meta", LossSeverity::Lossy, "The result has no place for this member of meta"),
    ("opaque", LossSeverity::Lossy, "What a provider wants back with the part is left out"),
    ("citation", LossSeverity::Lossy, "Citations of the text are left out"),
    ("text-format", LossSeverity::Lossy, "That the text was asked for as JSON is left out"),
    ("result-outcome", LossSeverity::Lossy, "Only isError says how the call came out"),
    ("result-structured", LossSeverity::Lossy, "The result as data is left out"),
    ("raw-args-text", LossSeverity::Lossy, "The argument text is left out"),
    ("transcript", LossSeverity::Lossy, "The words of the media are left out"),
    ("losses-left-out", LossSeverity::Info, "More losses of this code are counted only"),
];
