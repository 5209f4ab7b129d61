//! Messages as every provider sees them: turns, made of pieces in order.
//!
//! Empty text is not a piece. Pointers lead into the request.

use crate::providers::request_core::call_ids::Form;
use crate::providers::request_core::media::Media;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::values::Json;

/// Which media of an assistant a provider takes; of others their words are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenMedia {
    None,
    /// Those that its own state came with.
    Own,
    All,
}

/// What a provider takes.
pub(crate) struct Forms {
    pub call_id: Form,
    pub tool_name: Form,
    /// As the name of a message's author; None where messages have none.
    pub author: Option<Form>,
    pub media: TakenMedia,
    /// Whether requests have a place for approvals.
    pub approvals: bool,
    /// Whether a server tool's result is a block of its own, without which neither it nor its call
    /// goes back.
    pub apart: bool,
    /// The kinds of state of a text with which its citations go back; those that carry the
    /// provider's own go back anyway.
    pub citing: &'static [&'static str],
}

impl Forms {
    /// Returns those of a provider that takes nothing but calls.
    pub(crate) const fn new(call_id: Form, tool_name: Form) -> Self {
        let (author, media, approvals) = (None, TakenMedia::None, false);
        Self { call_id, tool_name, author, media, approvals, apart: false, citing: &[] }
    }
}

/// Text or reasoning, never empty; `state` is what covers it.
pub(crate) struct Said {
    pub text: String,
    pub pointer: String,
    pub state: Vec<Item>,
    /// It is in a block by itself, and joins no other text.
    pub alone: bool,
}

impl Said {
    /// Returns text that no state covers.
    pub(crate) fn plain(text: &str, pointer: &str) -> Self {
        let (text, pointer) = (text.to_owned(), pointer.to_owned());
        Self { text, pointer, state: Vec::new(), alone: false }
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
    /// What an assistant's has of the target's dialect.
    pub state: Vec<Item>,
    /// What is said in it.
    pub transcript: String,
}

/// A person's answer to a request of the target's dialect, whose state is `request`.
pub(crate) struct Approval {
    pub id: String,
    pub decision: String,
    pub reason: Option<String>,
    pub arguments: Option<Json>,
    pub request: Item,
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
///
/// A user's may be a tool's as far as it has `approvals`, which come first.
pub(crate) struct Spoken {
    pub pieces: Vec<UserPiece>,
    pub pointer: String,
    /// That of its author as the provider takes it, "" without.
    pub name: String,
    pub approvals: Vec<Approval>,
}

/// An assistant's message.
pub(crate) struct AssistantTurn {
    pub pieces: Vec<AssistantPiece>,
    pub pointer: String,
    /// Whether an adapter of the target's dialect left state in it.
    pub own: bool,
    pub name: String,
}

/// What one side says before the other does.
pub(crate) enum Turn {
    System(Spoken),
    User(Spoken),
    Assistant(AssistantTurn),
    /// Results: all that answer the calls of the turn before, or that answer nothing.
    Tool(Vec<ToolResult>),
}
