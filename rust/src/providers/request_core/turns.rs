//! Messages as every provider sees them: turns, made of pieces in order.
//!
//! Empty text is not a piece. Pointers lead into the request.

use crate::providers::request_core::call_ids::Form;
use crate::providers::request_core::media::Media;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::values::Json;

/// What a provider takes as tool call id and as name of a tool.
pub(crate) struct Forms {
    pub call_id: Form,
    pub tool_name: Form,
}

/// Text or reasoning, never empty; `state` is what covers it.
pub(crate) struct Said {
    pub text: String,
    pub pointer: String,
    pub state: Vec<Item>,
}

impl Said {
    /// Returns text that no state covers.
    pub(crate) fn plain(text: &str, pointer: &str) -> Self {
        Self { text: text.to_owned(), pointer: pointer.to_owned(), state: Vec::new() }
    }
}

/// A tool call.
#[allow(clippy::struct_field_names)] // the contract calls its id so
pub(crate) struct Call {
    pub call_id: String,
    pub name: String,
    pub arguments: Json,
    /// The argument text where `arguments` does not say it all.
    pub raw_args: Option<String>,
    pub pointer: String,
    pub state: Vec<Item>,
    /// Whether the provider that made it gave it no id.
    pub nameless: bool,
}

/// How media are placed in a message or a tool result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Image,
    /// A file that is referred to.
    File,
    /// Media of any type.
    Attachment,
}

/// An image, a file or media.
pub(crate) struct MediaPiece {
    pub kind: MediaKind,
    pub media: Media,
    pub pointer: String,
}

/// What an assistant says.
pub(crate) enum AssistantPiece {
    Text(Said),
    Thinking(Said),
    Call(Call),
    /// Provider state that is here, between other pieces.
    State(Item),
    Media(MediaPiece),
}

/// What a user, a system message or a tool says.
pub(crate) enum UserPiece {
    Text(Said),
    Media(MediaPiece),
}

/// What a tool gave.
pub(crate) enum ResultContent {
    /// Text, which may be empty.
    Text(String),
    Pieces(Vec<UserPiece>),
    Object(Json),
}

/// A tool result.
pub(crate) struct ToolResult {
    pub call_id: String,
    /// The name of the called tool, "" where the call is unknown.
    pub name: String,
    pub is_error: bool,
    pub content: ResultContent,
    pub pointer: String,
}

/// A message of a user or the system; that of the system holds text alone.
pub(crate) struct Spoken {
    pub pieces: Vec<UserPiece>,
    pub pointer: String,
}

/// An assistant's message.
pub(crate) struct AssistantTurn {
    pub pieces: Vec<AssistantPiece>,
    pub pointer: String,
    /// Whether an adapter of the target's dialect left state in it.
    pub own: bool,
}

/// What one side says before the other does.
pub(crate) enum Turn {
    System(Spoken),
    User(Spoken),
    Assistant(AssistantTurn),
    /// Results: all that answer the calls of the turn before, or that answer nothing.
    Tool(Vec<ToolResult>),
}
