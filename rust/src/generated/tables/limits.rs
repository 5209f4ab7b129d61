// Generated from schemas/tables/limits.json. Do not edit: change that, then
// run `python -m codegen`.

//! Limits: what is accepted, kept or shown at most.
//!
//! A name ends in its unit: bytes, chars (code points), depth (levels), ms; others are counts.

/// Upper bounds of one stream; a delta that would pass one is refused before it is kept. Bytes are
/// those of the text in UTF-8 and ids count code points, so that every language draws the line at
/// the same delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Text and thinking of the whole message.
    pub text_bytes: u64,
    /// Argument text of one tool call.
    pub arguments_bytes: u64,
    /// Tool calls of one message.
    pub tool_calls: u64,
    /// Parts of one message, open tool calls included.
    pub parts: u64,
    /// Nesting of one tool call's arguments; the object itself is 1.
    pub arguments_depth: u64,
    /// Length of an id: of a run, message, turn, request, tool call, and of a model's name.
    pub id_chars: u64,
    /// Opaque data of the whole message: its strings and names, and 8 bytes for each value.
    pub opaque_bytes: u64,
    /// Nesting of one opaque data; the object itself is 1.
    pub opaque_depth: u64,
    /// Payloads of citations, results and approvals of the whole message, and its warnings.
    pub payload_bytes: u64,
    /// Levels of one of these payloads.
    pub payload_depth: u64,
    /// Base64 of media that a message holds at once.
    pub media_bytes: u64,
    /// Names of the path of the message's author.
    pub agents: u64,
}

/// Levels of a document; the outermost array or object is 1.
pub const MAX_DEPTH: usize = 512;

/// Digits of an integer in a document; CPython has the same limit built in.
pub const MOST_DIGITS: usize = 4300;

/// Code points of what a finding quotes.
pub const CLIP_CHARS: usize = 80;

/// The last millisecond since the epoch that RFC 3339 can say.
pub const LAST_MS: i64 = 253402300799999;

/// Losses of one code that a log of losses keeps.
pub const MAX_PER_CODE: usize = 100;

/// Offers of contract versions in one negotiation.
pub const MOST_OFFERS: usize = 1000;

/// Answered calls that a check of a history remembers where nothing else is said.
pub const DEFAULT_REMEMBERED: usize = 16384;

/// Unknown kinds, or types of chunks, of one stream that are reported.
pub const MAX_UNKNOWN: usize = 1024;

/// The limits of a stream where nothing else is said.
pub const DEFAULT_LIMITS: Limits = Limits {
    text_bytes: 16777216,
    arguments_bytes: 16777216,
    tool_calls: 1024,
    parts: 100000,
    arguments_depth: 128,
    id_chars: 512,
    opaque_bytes: 16777216,
    opaque_depth: 128,
    payload_bytes: 16777216,
    payload_depth: 128,
    media_bytes: 67108864,
    agents: 64,
};

/// What a limit of nesting may be set to: a document has 512 levels, and a message takes some.
pub const MAX_LIMIT_DEPTH: u64 = 500;

/// What a value of opaque data counts beside its text, in bytes.
pub const VALUE_BYTES: u64 = 8;

/// Bytes of one event of a stream where nothing else is said: tool calls that write whole files
/// come as one event.
pub const DEFAULT_LIMIT_BYTES: usize = 67108864;

/// Bytes of the headers of one message, as the AWS event stream format allows.
pub const MAX_HEADER_BYTES: usize = 131072;

/// Bytes at the start of a stream that are searched for what its framing is.
pub const MAX_HEAD_BYTES: usize = 4096;

/// Code points of a text without events that is searched for an error.
pub const MAX_BARE_CHARS: usize = 65536;

/// Findings that an adapter of a provider keeps.
pub const MAX_FINDINGS: usize = 200;

/// Code points of an id, a model's name or a finish reason that an adapter writes.
pub const MAX_ID_CHARS: usize = 512;

/// Code points of the readable part of an id that an adapter makes.
pub const MADE_ID_CHARS: usize = 24;
