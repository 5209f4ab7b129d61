// Generated from schemas/tables/tool-states.json. Do not edit: change that, then
// run `python -m codegen`.

//! Tool states: what a move to each of them takes.
//!
//! Which moves there are says the session schema; fields are named as in documents.

/// What a move to one status takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// The fields that may be given.
    pub takes: &'static [&'static str],
    /// The fields that are to be given, in the order in which their absence is reported.
    pub needs: &'static [&'static str],
    /// The members that may change while the status stays.
    pub may_change: &'static [&'static str],
}

/// Status, then what a move to it takes.
pub const STATES: &[(&str, StateRow)] = &[
    ("pending", StateRow { takes: &["input", "raw"], needs: &[], may_change: &[] }),
    ("awaiting_approval", StateRow {
        takes: &["approval", "metadata"],
        needs: &["approval"],
        may_change: &["metadata"],
    }),
    ("running", StateRow {
        takes: &["start", "title", "metadata", "approval"],
        needs: &["start"],
        may_change: &["title", "metadata"],
    }),
    ("completed", StateRow {
        takes: &["output", "end", "title", "tool", "metadata", "attachments", "emptyOutput"],
        needs: &["output", "end"],
        may_change: &[],
    }),
    ("error", StateRow {
        takes: &["error", "end", "metadata"],
        needs: &["error", "end"],
        may_change: &[],
    }),
    ("denied", StateRow {
        takes: &["approval", "error", "metadata"],
        needs: &["approval"],
        may_change: &[],
    }),
];

/// What replaces an empty output where that is asked for.
pub const EMPTY_OUTPUT_PLACEHOLDER: &str = "(no output)";

/// The error of a denied call that says none, where an error has to be said.
pub const DENIED_PLACEHOLDER: &str = "The call was not approved.";
