//! Every loss that a bridge between documents reports, by its code.

use crate::contract::versions::Version;
use crate::convert::losses::Loss;
use crate::convert::losses::LossSeverity::{self, Info, Invented, Lossy};

/// Severity and words of every code.
#[rustfmt::skip]
pub const LOSSES: &[(&str, LossSeverity, &str)] = &[
    // Any pair.
    ("unknown-variant", Lossy, "A variant that this version does not know is left out"),
    ("unknown-member", Lossy, "A member that its version does not name is left out"),
    ("run-id", Lossy, "The result has no place for the run"),
    ("message-id", Lossy, "The result has no place for the message's id"),
    ("turn-id", Lossy, "The result has no place for the turn"),
    ("opaque", Lossy, "What a provider wants back with the part is left out"),
    ("timestamp", Lossy, "The result has no place for the time"),
    ("timestamp-precision", Lossy, "Times finer than a millisecond are cut"),
    ("timestamp-range", Lossy, "The time is outside of what the result can say"),
    ("timestamp-form", Info, "The same instant is written in UTC"),
    ("meta", Lossy, "The result has no place for this member of meta"),
    ("raw-args-text", Lossy, "The argument text is left out"),
    ("run-id-invented", Invented, "The run is not known, and made up"),
    ("timestamp-invented", Invented, "The time is not known, and taken as the epoch"),
    ("given", Info, "What the source does not say was given by the caller"),
    // Messages as a session.
    ("ids-made", Invented, "Ids of the message and its parts are made"),
    ("message-id-made", Invented, "The message has no id; that of the session's is made"),
    ("session-id-invented", Invented, "The session is not known, and made up"),
    ("agent-invented", Invented, "The agent is not known"),
    ("model-invented", Invented, "The model is not known"),
    ("path-invented", Invented, "The folders are not known"),
    ("usage-invented", Invented, "Tokens and cost are not known, and taken as 0"),
    ("counts-invented", Invented, "The tokens of this kind are not known, and taken as 0"),
    ("cost-invented", Invented, "The cost is not known, and taken as 0"),
    ("mime-invented", Invented, "The media type is not known"),
    ("usage-total", Lossy, "The total is no longer apart from input and output"),
    ("file-size", Lossy, "The size of the file is left out"),
    ("file-hash", Lossy, "The hash of the file is left out"),
    ("file-kind", Lossy, "A session tells images from files by media type and URL alone"),
    ("system-message", Lossy, "No user's message follows that could carry the system prompt"),
    ("system-parts", Lossy, "The system prompt becomes one text"),
    ("system-time", Lossy, "The system prompt takes the time of the user's message"),
    ("result-without-call", Lossy, "The result answers no call of the message before it"),
    ("result-order", Lossy, "Results are joined in the order of their calls"),
    ("result-layout", Lossy, "The result becomes one text with files"),
    ("result-files", Lossy, "A failed call has no place for files"),
    ("result-empty", Lossy, "An empty result becomes (no output), as one that says so"),
    ("record-misfit", Lossy, "meta.session does not fit the message, and is left out"),
    ("usage-parts", Lossy, "The count is smaller than the counts that are part of it"),
    ("from-record", Info, "The message does not say this; it is taken from meta.session"),
    // A session as messages.
    ("kept-in-meta", Info, "No part of a message says this; it is kept in meta.session"),
    ("ignored-text", Info, "Text that is not for the model is kept in meta.session alone"),
    ("reasoning-apart", Invented, "Tokens of reasoning are taken as apart from the output"),
    // Messages as blocks, and back.
    ("thinking", Lossy, "Blocks have no place for reasoning"),
    ("file-ref", Lossy, "Blocks have no place for references to files"),
    ("media", Lossy, "Blocks have no place for media but images"),
    ("media-kind", Lossy, "Media that is an image becomes an image"),
    ("result-object", Lossy, "A result that is an object becomes JSON text"),
    ("tool-role", Lossy, "A message without results cannot be told from a user's"),
    ("content-form", Info, "The same content is written in another form"),
    ("image-type", Lossy, "A message holds images as base64 or as URL alone"),
    ("block-role", Lossy, "A message of this role cannot hold this block"),
    ("duplicate-id", Lossy, "A message cannot hold two calls or results of one id"),
    // Tool results in envelopes, and back.
    ("call-id", Lossy, "The call's id is no UUID; one is made from it"),
    ("result-content", Lossy, "The content cannot be told from another form of it"),
    ("result-type", Lossy, "The type of the result is left out"),
    ("tool-id", Lossy, "The tool's id is left out"),
    ("tool-id-invented", Invented, "The tool's id is not known, and nil"),
    ("envelope", Lossy, "The fields of the envelope are left out"),
    ("message-type", Info, "The response does not say which message it is; one made again does"),
    ("envelope-invented", Invented, "The fields of the envelope are not known, and made up"),
    ("error-code-invented", Invented, "The error's code is not known"),
    ("error-beside-data", Lossy, "The data is taken, and the error beside it is left out"),
];

/// The codes that v0.2 brought.
const SINCE_V0_2: [&str; 10] = [
    "message-id",
    "turn-id",
    "opaque",
    "message-id-made",
    "counts-invented",
    "file-hash",
    "from-record",
    "media",
    "media-kind",
    "message-type",
];

/// Returns the losses that `version` of the contract knows, in order.
///
/// Who serves a reader of an older version the result as that version has it serves the losses
/// that belong to it: what is new since is about members that the older result does not have.
#[must_use]
pub fn losses_for(losses: &[Loss], version: Version) -> Vec<Loss> {
    let is_known = |loss: &&Loss| version > Version::V0_1 || !SINCE_V0_2.contains(&loss.code);
    losses.iter().filter(is_known).cloned().collect()
}
