//! Sessions: tool states and how they move on, parts, and messages built of them.

mod builder;
mod moves;
mod parts;
mod states;
mod transitions;
mod validation;

pub use builder::WithPartsBuilder;
pub use parts::{
    PartBase, PartIds, TextOptions, create_file_part, create_reasoning_part,
    create_step_finish_part, create_step_start_part, create_text_part, create_tool_part,
};
pub use states::{
    awaiting_approval_to_denied, awaiting_approval_to_running, create_awaiting_approval,
    create_completed, create_denied, create_error, create_pending, create_running,
    pending_to_awaiting_approval, pending_to_running, running_to_completed, running_to_error,
};
pub use transitions::{
    EMPTY_OUTPUT_PLACEHOLDER, EmptyOutput, Moved, StateFields, expire, expire_value, fail_pending,
    fail_pending_value, followers, transition, transition_value,
};
pub use validation::{IdProfile, require_part, validate_part, visible_to_model};
