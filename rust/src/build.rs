//! Building messages: short ways to valid ones, with times and ids by default.
//!
//! A builder of messages has the name of a role, a builder of parts the name of a kind. What the
//! contract requires and nobody gives (run, time) is made here, the one module that reads the clock;
//! what it leaves open is absent. To give it nevertheless, name it:
//!
//! ```
//! use partwire::build::{now, tool, tool_call, tool_result, user};
//! use partwire::types::message::Message;
//!
//! # fn main() -> Result<(), partwire::Error> {
//! let asked = user("What is the weather in Oslo?")?;
//! let again = Message { run_id: "run_1".into(), ..user(["And", "in Bergen?"])? };
//! let call = tool_call("weather", [("city".into(), "Oslo".into())]);
//! let answers = tool([tool_result(&call, "4 °C")], &again.run_id)?;
//! assert!(asked.timestamp <= now() && answers.run_id == "run_1");
//! # Ok(())
//! # }
//! ```
//!
//! What else a part may say (citations, a reason, data beside the text) is a field of its payload:
//!
//! ```
//! use partwire::build::{approval_request, tool_call, tool_outcome};
//! use partwire::types::message::StructuredValue;
//!
//! let call = tool_call("delete", [("path".into(), "/tmp/a".into())]);
//! let mut asked = approval_request(&call);
//! asked.payload.reason = Some("It deletes files.".into());
//! let mut denied = tool_outcome(&call, "The user said no.", "denied");
//! denied.payload.structured = Some(StructuredValue::Boolean(false));
//! assert!(denied.payload.is_error);
//! ```
//!
//! Parts are looked at when a message is built of them. The module is absent on
//! `wasm32-unknown-unknown`, whose standard library has no clock.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Builder;

use crate::contract::current::message::{
    ApprovalDecision, ApprovalRequest, ApprovalRequestPart, ApprovalResponse, ApprovalResponsePart,
    Author, FileRefPart, ImagePart, InlineSource, MediaPart, MediaPayload, MediaSource, Message,
    MessageDelta, MessagePart, Outcome, Role, ServerToolCallPart, ServerToolResult,
    ServerToolResultPart, TextPart, TextPayload, ThinkingPart, ToolCall, ToolCallPart,
    ToolCallPayload, ToolResult, ToolResultContent, ToolResultContentPart, ToolResultPart,
};
use crate::convert::times::text_with_millis;
use crate::errors::Error;
use crate::json::base64::encode;
use crate::json::{Map, Value};
use crate::providers::{AdapterOptions, ByteAdapter, open_adapter};
use crate::reading::to_value;

// --- times and ids ------------------------------------------------------------------------------

/// Returns the present instant in UTC, to the millisecond: `2026-01-02T03:04:05.678Z`.
#[must_use]
pub fn now() -> String {
    text_with_millis(i64::try_from(millis()).unwrap_or(0))
}

/// Returns a new id: a UUID of version 7, behind `prefix` and `_` where that is not empty.
///
/// Ids of one process sort in the order of their making. They are unique, and no secret.
#[must_use]
pub fn new_id(prefix: &str) -> String {
    // The millisecond of the last id, and how many were made in it.
    static LAST: Mutex<(u64, u16)> = Mutex::new((0, 0));
    let (at, count) = {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        *last = next_of(*last, millis());
        *last
    };
    let [high, low] = count.to_be_bytes();
    // The standard library seeds its hashes by chance.
    let chance = RandomState::new().hash_one(count).to_be_bytes();
    let mut bytes = [high, low, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.iter_mut().skip(2).zip(chance).for_each(|(byte, chance)| *byte = chance);
    let id = Builder::from_unix_timestamp_millis(at, &bytes).into_uuid();
    if prefix.is_empty() { id.to_string() } else { format!("{prefix}_{id}") }
}

/// Returns what follows the last id's place: version 7 has 12 bits to count in a millisecond.
fn next_of((at, count): (u64, u16), now: u64) -> (u64, u16) {
    match count {
        _ if now > at => (now, 0),
        0xfff => (at + 1, 0),
        _ => (at, count + 1),
    }
}

fn millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

// --- messages: the names of roles ---------------------------------------------------------------

/// Returns a user's message: a text, a part, or several of them in their order.
///
/// Run and time are new. Fails with [`Error::Usage`] and the findings of what would not be valid: a
/// part that a user's message may not hold is `message/role-part-kind`.
pub fn user(content: impl Into<Content>) -> Result<Message, Error> {
    message(Role::User, content.into(), new_id("run"))
}

/// Returns a system message; as [`user`].
pub fn system(content: impl Into<Content>) -> Result<Message, Error> {
    message(Role::System, content.into(), new_id("run"))
}

/// Returns a message of the assistant, for an example or a test; as [`user`].
pub fn assistant(content: impl Into<Content>) -> Result<Message, Error> {
    message(Role::Assistant, content.into(), new_id("run"))
}

/// Returns the message that holds the results of tool calls; as [`user`].
///
/// `run_id` is that of the message with the calls: a call and its result find each other within one
/// run. Answers to requests for approval may stand among the results.
pub fn tool(
    results: impl IntoIterator<Item = impl Into<MessagePart>>,
    run_id: &str,
) -> Result<Message, Error> {
    let parts = results.into_iter().map(Into::into).collect();
    message(Role::Tool, Content(parts), run_id.to_owned())
}

fn message(role: Role, content: Content, run_id: String) -> Result<Message, Error> {
    let made = Message::new(run_id, role, content.0, now());
    match to_value(&made) {
        Ok(_) => Ok(made),
        Err(Error::Write(found)) => Err(Error::Usage(found)),
        Err(other) => Err(other),
    }
}

/// What a message is made of: made from a text, from a part, or from several of either.
#[derive(Clone, Debug, PartialEq)]
pub struct Content(Vec<MessagePart>);

macro_rules! content {
    ($($one:ty: $value:ident => $part:expr;)*) => {
        $(
            impl From<$one> for Content {
                fn from($value: $one) -> Self {
                    Self(vec![$part.into()])
                }
            }

            impl From<Vec<$one>> for Content {
                fn from(all: Vec<$one>) -> Self {
                    Self(all.into_iter().map(|$value| $part.into()).collect())
                }
            }

            impl<const N: usize> From<[$one; N]> for Content {
                fn from(all: [$one; N]) -> Self {
                    Self(all.into_iter().map(|$value| $part.into()).collect())
                }
            }
        )*
    };
}

content! {
    &str: content => text(content);
    String: content => text(content);
    MessagePart: part => part;
    TextPart: part => part;
    ThinkingPart: part => part;
    ToolCallPart: part => part;
    ToolResultPart: part => part;
    ImagePart: part => part;
    FileRefPart: part => part;
    MediaPart: part => part;
    ServerToolCallPart: part => part;
    ServerToolResultPart: part => part;
    ApprovalRequestPart: part => part;
    ApprovalResponsePart: part => part;
}

// --- parts: the names of kinds ------------------------------------------------------------------

/// Returns a text part.
#[must_use]
pub fn text(content: impl Into<String>) -> TextPart {
    TextPart::new(TextPayload::new(content))
}

/// Returns a call as a model makes it, for examples and tests; its id is new.
#[must_use]
pub fn tool_call(
    tool_name: impl Into<String>,
    arguments: impl IntoIterator<Item = (String, Value)>,
) -> ToolCallPart {
    let arguments = arguments.into_iter().collect::<Map>();
    ToolCallPart::new(ToolCallPayload::new(new_id("call"), tool_name, arguments))
}

/// Returns the result of a tool call, a part of the message that [`tool`] builds.
///
/// `call` is the part of the call, its payload, a [`ToolCall`], or the id alone. `content` is text,
/// a JSON object, or parts.
#[must_use]
pub fn tool_result(
    call: &(impl Call + ?Sized),
    content: impl Into<ToolResultContent>,
) -> ToolResultPart {
    ToolResultPart::new(ToolResult::new(call.call_id(), false, content.into()))
}

/// Returns the result of a tool call that failed; as [`tool_result`].
#[must_use]
pub fn tool_error(
    call: &(impl Call + ?Sized),
    content: impl Into<ToolResultContent>,
) -> ToolResultPart {
    ToolResultPart::new(ToolResult::new(call.call_id(), true, content.into()))
}

/// Returns the result of a tool call that says how the call came out; as [`tool_result`].
///
/// It is an error where the outcome is one: `error`, `denied`, `interrupted`, `timeout`.
#[must_use]
pub fn tool_outcome(
    call: &(impl Call + ?Sized),
    content: impl Into<ToolResultContent>,
    outcome: impl Into<Outcome>,
) -> ToolResultPart {
    let outcome = outcome.into();
    let is_error = matches!(
        outcome,
        Outcome::Error | Outcome::Denied | Outcome::Interrupted | Outcome::Timeout
    );
    let payload = ToolResult::new(call.call_id(), is_error, content.into());
    ToolResultPart::new(ToolResult { outcome: Some(outcome), ..payload })
}

/// Returns a call of a tool that the provider runs itself; as [`tool_call`].
#[must_use]
pub fn server_tool_call(
    tool_name: impl Into<String>,
    arguments: impl IntoIterator<Item = (String, Value)>,
) -> ServerToolCallPart {
    let arguments = arguments.into_iter().collect::<Map>();
    ServerToolCallPart::new(ToolCallPayload::new(new_id("srv"), tool_name, arguments))
}

/// Returns the result of a call that the provider ran, a part of the assistant's message.
#[must_use]
pub fn server_tool_result(
    call: &(impl ServerCall + ?Sized),
    content: impl Into<ToolResultContent>,
) -> ServerToolResultPart {
    let payload = ServerToolResult::new(call.server_call_id(), false, content.into());
    ServerToolResultPart::new(payload)
}

/// Returns the question to a person whether a call may run, a part of the assistant's message.
///
/// `call` is the part of a call of either kind, its payload, or the id alone. The request's own id is
/// new.
#[must_use]
pub fn approval_request(call: &(impl AnyCall + ?Sized)) -> ApprovalRequestPart {
    ApprovalRequestPart::new(ApprovalRequest::new(new_id("apr"), call.any_call_id()))
}

/// Returns a person's answer to a request, a part of a user's or a tool's message.
///
/// The call runs where the decision is `approved`, and on no other word.
#[must_use]
pub fn approval_response(
    request: &ApprovalRequestPart,
    decision: impl Into<ApprovalDecision>,
) -> ApprovalResponsePart {
    let ApprovalRequest { approval_id, tool_call_id, .. } = &request.payload;
    let payload =
        ApprovalResponse::new(approval_id.as_str(), tool_call_id.as_str(), decision.into());
    ApprovalResponsePart::new(payload)
}

/// Returns media of any type by its bytes; for media elsewhere take the types.
///
/// Fails with [`Error::Usage`] where there are none.
pub fn media(mime_type: impl Into<String>, data: &[u8]) -> Result<MediaPart, Error> {
    if data.is_empty() {
        return Err(Error::argument("Media is empty", "one byte at least", &"none".into()));
    }
    let source = MediaSource::Inline(InlineSource::new(encode(data)));
    Ok(MediaPart::new(MediaPayload::new(mime_type, source)))
}

/// What says which tool call is meant that the caller runs.
pub trait Call {
    /// Returns the id of the call.
    fn call_id(&self) -> &str;
}

/// What says which tool call is meant that the provider runs.
pub trait ServerCall {
    /// Returns the id of the call.
    fn server_call_id(&self) -> &str;
}

/// What says which tool call is meant, whoever runs it.
pub trait AnyCall {
    /// Returns the id of the call.
    fn any_call_id(&self) -> &str;
}

macro_rules! call {
    ($trait:ident, $function:ident: $($name:ty: $call:ident => $id:expr;)*) => {
        $(impl $trait for $name {
            fn $function(&self) -> &str {
                let $call = self;
                $id
            }
        })*
    };
}

call! {
    Call, call_id:
    str: id => id;
    String: id => id;
    ToolCall: call => &call.tool_call_id;
    ToolCallPayload: call => &call.tool_call_id;
    ToolCallPart: part => &part.payload.tool_call_id;
}

call! {
    ServerCall, server_call_id:
    str: id => id;
    String: id => id;
    ToolCallPayload: call => &call.tool_call_id;
    ServerToolCallPart: part => &part.payload.tool_call_id;
}

call! {
    AnyCall, any_call_id:
    str: id => id;
    String: id => id;
    ToolCall: call => &call.tool_call_id;
    ToolCallPayload: call => &call.tool_call_id;
    ToolCallPart: part => &part.payload.tool_call_id;
    ServerToolCallPart: part => &part.payload.tool_call_id;
}

/// An author by name.
impl From<&str> for Author {
    fn from(name: &str) -> Self {
        Self { name: Some(name.to_owned()), agent_path: None }
    }
}

impl From<&str> for ToolResultContent {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for ToolResultContent {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Map> for ToolResultContent {
    fn from(members: Map) -> Self {
        Self::Object(members)
    }
}

impl From<Vec<ToolResultContentPart>> for ToolResultContent {
    fn from(parts: Vec<ToolResultContentPart>) -> Self {
        Self::Array(parts)
    }
}

// --- streams ------------------------------------------------------------------------------------

/// Returns the deltas of a provider's response, whose bytes come in any cut: the last one is `done`
/// or `error`. The run is new, and [`now`] is its clock.
///
/// For findings, or anything else, take a [`ByteAdapter`]. Fails with [`Error::Usage`]
/// `usage/unknown-dialect`.
pub fn adapt<C: AsRef<[u8]>>(
    dialect: &str,
    chunks: impl IntoIterator<Item = C>,
) -> Result<impl Iterator<Item = MessageDelta>, Error> {
    let adapter = open_adapter(dialect, &new_id("run"), now, AdapterOptions::default())?;
    let mut reader = ByteAdapter::new(adapter);
    let chunks = chunks.into_iter().map(Some).chain([None]);
    Ok(chunks.flat_map(move |chunk| match chunk {
        Some(chunk) => reader.feed(chunk.as_ref()),
        None => reader.close(),
    }))
}

#[cfg(test)]
mod tests {
    use super::{new_id, next_of};

    #[test]
    fn ids_sort_in_the_order_of_their_making() {
        let ids: Vec<String> = (0..10_000).map(|_| new_id("")).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
        assert!(ids.iter().all(|id| id.len() == 36 && id.as_bytes()[14] == b'7'));
        assert!(new_id("run").starts_with("run_0"));
    }

    #[test]
    fn a_clock_that_goes_back_or_halts_is_counted_on() {
        assert_eq!(next_of((5, 9), 6), (6, 0));
        assert_eq!(next_of((5, 9), 3), (5, 10));
        assert_eq!(next_of((5, 0xfff), 5), (6, 0));
    }
}
