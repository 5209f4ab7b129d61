//! What chunks and deltas cannot say in each other's words.

use crate::convert::losses::LossSeverity::{Info, Invented, Lossy};
use crate::convert::losses::LossTable;

/// Chunks to deltas.
pub(crate) const CHUNK_LOSSES: &LossTable = &[
    ("block-boundary", Lossy, "Text of adjacent blocks becomes one part"),
    ("unknown-chunk", Lossy, "A chunk of an unknown type is left out"),
    ("unknown-member", Lossy, "A member that its version does not name is left out"),
    ("no-error-code", Invented, "An error chunk names no code: unknown, not retryable"),
    ("no-finish-reason", Invented, "message_stop names no finish reason: unknown"),
    ("no-model-id", Invented, "Chunks name no model: unknown"),
    ("no-request-id", Invented, "Chunks name no request: unknown"),
    ("no-total-tokens", Invented, "Usage has no total: the sum of input and output"),
    ("truncated", Invented, "The stream stops without its end: an error of our own ends it"),
    ("block-end", Info, "That the last block was closed before the error has no delta"),
    ("block-index", Info, "The block's index is not its place in the content"),
    ("empty-block", Info, "A block without text becomes no part"),
    ("empty-delta", Info, "An empty piece of text becomes no delta"),
    ("held-back", Info, "What came while a block before it was open comes after that block"),
];

/// Deltas to chunks.
pub(crate) const DELTA_LOSSES: &LossTable = &[
    ("arguments-text", Lossy, "Argument text that is no JSON object becomes empty parameters"),
    ("cost", Lossy, "Usage of chunks has no cost"),
    ("error-code", Lossy, "An error chunk has neither code nor retryable"),
    ("finish-reason", Lossy, "message_stop has no finish reason"),
    ("message-id", Lossy, "Chunks have no id of the message"),
    ("model-id", Lossy, "Chunks name no model"),
    ("opaque", Lossy, "Chunks have no place for what a provider wants back"),
    ("open-tool-call", Lossy, "A tool call without its end becomes no chunk"),
    ("provider-finish-reason", Lossy, "message_stop has no finish reason of the provider"),
    ("request-id", Lossy, "Chunks name no request"),
    ("run-id", Lossy, "Chunks name no run"),
    ("thinking", Lossy, "Reasoning has no chunk"),
    ("timestamp", Lossy, "Chunks have no time"),
    ("token-counts", Lossy, "Usage of chunks does not tell tokens of this kind apart"),
    ("turn-id", Lossy, "Chunks name no turn"),
    ("unknown-delta", Lossy, "A delta of an unknown kind is left out"),
    ("unknown-member", Lossy, "A member that its version does not name is left out"),
    ("usage", Lossy, "An error chunk has no usage"),
    ("no-error-message", Invented, "The error has no message: its code stands there"),
    ("no-usage", Invented, "The stream reports no usage: zero tokens"),
    ("truncated", Invented, "The stream stops without its end: an error of our own ends it"),
    ("held-back", Info, "What came while a call before it was open comes after that call"),
    ("provider-raw", Info, "Raw events, for debugging only, have no chunk"),
];
