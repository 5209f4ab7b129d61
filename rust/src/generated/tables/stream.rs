// Generated from schemas/tables/stream.json. Do not edit: change that, then
// run `python -m codegen`.

//! The stream of deltas: what a delta of each kind does in each status.
//!
//! One table per status. A step is the status that follows, or the rule that such a delta breaks; *
//! is every kind that this version does not know. What else a delta has to keep is in the
//! assembler.

/// The status that follows, or the rule that is broken.
pub type Step = &'static str;

/// Before the start.
pub const IDLE: &[(&str, Step)] = &[
    ("start", "started"),
    ("text", "stream/start-expected"),
    ("thinking", "stream/start-expected"),
    ("tool_call_start", "stream/start-expected"),
    ("tool_call_args", "stream/start-expected"),
    ("tool_call_end", "stream/start-expected"),
    ("usage", "stream/start-expected"),
    ("done", "stream/start-expected"),
    ("error", "stream/start-expected"),
    ("*", "stream/start-expected"),
];

/// From the start on.
pub const STARTED: &[(&str, Step)] = &[
    ("start", "stream/duplicate-start"),
    ("text", "started"),
    ("thinking", "started"),
    ("tool_call_start", "started"),
    ("tool_call_args", "started"),
    ("tool_call_end", "started"),
    ("usage", "started"),
    ("done", "done"),
    ("error", "error"),
    ("*", "started"),
];

/// After done.
pub const DONE: &[(&str, Step)] = &[
    ("start", "stream/after-terminal"),
    ("text", "stream/after-terminal"),
    ("thinking", "stream/after-terminal"),
    ("tool_call_start", "stream/after-terminal"),
    ("tool_call_args", "stream/after-terminal"),
    ("tool_call_end", "stream/after-terminal"),
    ("usage", "stream/after-terminal"),
    ("done", "stream/after-terminal"),
    ("error", "stream/after-terminal"),
    ("*", "stream/after-terminal"),
];

/// After error.
pub const ERROR: &[(&str, Step)] = &[
    ("start", "stream/after-terminal"),
    ("text", "stream/after-terminal"),
    ("thinking", "stream/after-terminal"),
    ("tool_call_start", "stream/after-terminal"),
    ("tool_call_args", "stream/after-terminal"),
    ("tool_call_end", "stream/after-terminal"),
    ("usage", "stream/after-terminal"),
    ("done", "stream/after-terminal"),
    ("error", "stream/after-terminal"),
    ("*", "stream/after-terminal"),
];
