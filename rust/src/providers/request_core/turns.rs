//! Messages as every provider sees them: turns, made of pieces in order.
//!
//! Empty text is not a piece. Pointers lead into the request.

use crate::json::Value;
use crate::json::fields::Fields;
use crate::providers::request_core::call_ids::Form;
use crate::providers::request_core::media::{Media, file_media, image_media, part_media};
use crate::providers::request_core::notes::Notes;
use crate::providers::request_core::state::Item;
use crate::providers::request_core::values::Json;

/// What a provider takes.
pub(crate) struct Forms {
    pub call_id: Form,
    pub tool_name: Form,
    /// As the name of a message's author; None where messages have none.
    pub author: Option<Form>,
    /// The kind of state that asks for an approval; None where requests have no place for them.
    pub approvals: Option<&'static str>,
    /// Whether a server tool's result is a separate block, without which neither it nor its call
    /// goes back.
    pub apart: bool,
    /// The kinds of calls of which that is so elsewhere, each with that of the result.
    pub paired: &'static [(&'static str, &'static str)],
    /// Whether text may be white space alone.
    pub blank: bool,
    /// The kinds of state of a text with which its citations go back; those that carry the
    /// provider's own go back anyway.
    pub citing: &'static [&'static str],
}

impl Forms {
    /// Returns those of a provider that takes nothing but calls.
    pub(crate) const fn new(call_id: Form, tool_name: Form) -> Self {
        let (author, approvals, apart, blank) = (None, None, false, true);
        Self { call_id, tool_name, author, approvals, apart, paired: &[], blank, citing: &[] }
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
    pub payload: Value,
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

/// Where providers take media, of which an assistant's is none.
pub(crate) const USER_MEDIA: &str = "media in messages of users or tools alone";

/// Returns the piece of an image, a file or media; None for any other part.
pub(crate) fn media_piece(part: &Value, place: &str) -> Option<MediaPiece> {
    let payload = part.at("payload");
    let (kind, media) = match part.text("kind") {
        "image" => (MediaKind::Image, image_media(payload)),
        "file_ref" => (MediaKind::File, file_media(payload)),
        "media" => (MediaKind::Attachment, part_media(payload)),
        _ => return None,
    };
    let is_media = kind == MediaKind::Attachment;
    let transcript = if is_media { payload.text("transcript").to_owned() } else { String::new() };
    Some(MediaPiece { kind, media, pointer: place.to_owned(), state: Vec::new(), transcript })
}

/// Returns what is said in media that the provider does not take; both are noted.
pub(crate) fn words_of(piece: &MediaPiece, expected: &str, notes: &Notes) -> Option<Said> {
    if piece.transcript.is_empty() {
        notes.unsupported_part(&piece.pointer, expected, &piece.media.said());
        return None;
    }
    let message = "The provider does not take this here; what is said in it is sent as text";
    notes.add("encode/transcript-as-text", message, &piece.pointer);
    Some(Said { alone: true, ..Said::plain(&piece.transcript, &piece.pointer) })
}
